package tool_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/permission"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/standard"
)

// raceWorld is a project with a folder that rules deny, and a link to another one.
func raceWorld(t *testing.T) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"safe", "secret"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"f", name + ".txt"} {
			if err := os.WriteFile(filepath.Join(dir, name, file), []byte("in "+name+"\n"),
				0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Symlink("safe", filepath.Join(dir, "link")); err != nil {
		t.Skip("links are not supported: ", err)
	}
	return dir
}

// raceEngine is an engine with the built-in tools and the user's rules.
func raceEngine(t *testing.T, dir string, deny ...string) *engine.Engine {
	t.Helper()
	jobs := tool.NewJobs()
	t.Cleanup(jobs.Close)
	e, table, err := standard.New(standard.Options{Engine: engine.Options{
		Tools: tool.Builtin(tool.Options{Output: output.New(t.TempDir()), Jobs: jobs}),
		Rules: permission.New(permission.Options{Project: dir, Deny: deny}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(table.Close)
	t.Cleanup(e.Close)
	return e
}

// TestLinkFlipsBetweenCheckAndUse: a link that leads elsewhere than when the call was allowed is a
// refusal, for each tool that takes a path.
func TestLinkFlipsBetweenCheckAndUse(t *testing.T) {
	t.Parallel()
	edits := []any{map[string]any{"old": "in", "new": "out of"}}
	for name, args := range map[string]map[string]any{
		"read":              {"path": "link/f"},
		"write":             {"path": "link/f", "content": "new"},
		"write a new file":  {"path": "link/new", "content": "new"},
		"edit":              {"path": "link/f", "edits": edits},
		"grep":              {"pattern": "in", "path": "link"},
		"grep in a file":    {"pattern": "in", "path": "link/f"},
		"glob":              {"pattern": "**", "path": "link"},
		"glob in its own":   {"pattern": "link/*"},
		"ls":                {"path": "link"},
		"bash":              {"command": "cat f; ls", "cwd": "link"},
		"bash for a job":    {"command": "touch done", "cwd": "link", "background": true},
		"bash further down": {"command": "cat f; ls", "cwd": "link/../link"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := raceWorld(t)
			e := raceEngine(t, dir, "read(./secret/**)", "write(./secret/**)", "ls(./secret)",
				"glob(./secret)", "grep(./secret)")
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			flip := func(_, _ bool) {
				link := filepath.Join(dir, "link")
				if err := os.Remove(link); err != nil {
					t.Error(err)
				}
				if err := os.Symlink("secret", link); err != nil {
					t.Error(err)
				}
			}
			which, _, _ := strings.Cut(name, " ")
			r := e.Dispatch(ctx, &engine.Call{ID: "1", Tool: which, Args: args, Origin: "user",
				Env: &event.Envelope{CWD: dir, Project: dir}, Together: flip})
			text := chat.PlainText(r.Content)
			if !r.IsError || !strings.Contains(text, "leads elsewhere") ||
				strings.Contains(text, "secret") {
				t.Errorf("got %v: %s", r.IsError, text)
			}
			left, err := os.ReadDir(filepath.Join(dir, "secret"))
			if b, failed := os.ReadFile(filepath.Join(dir, "secret/f")); err != nil ||
				failed != nil || len(left) != 2 || string(b) != "in secret\n" {
				t.Errorf("the folder was changed: %q, %v, %v, %v", b, left, err, failed)
			}
		})
	}
}

// TestHardLinkFlipsBetweenCheckAndUse: a file that gets the name of another one after the check, as
// a hard link, is not read.
func TestHardLinkFlipsBetweenCheckAndUse(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]map[string]any{
		"read": {"path": "safe/f"},
		"edit": {"path": "safe/f", "edits": []any{map[string]any{"old": "in", "new": "out of"}}},
		"grep": {"pattern": "in", "path": "safe/f"},
	} {
		for _, late := range []bool{false, true} {
			dir := raceWorld(t)
			e := raceEngine(t, dir, "read(./secret/**)", "write(./secret/**)", "grep(./secret/**)")
			flip := func(_, _ bool) {
				at := filepath.Join(dir, "safe/f")
				if err := os.Remove(at); err != nil {
					t.Error(err)
				}
				if err := os.Link(filepath.Join(dir, "secret/f"), at); err != nil {
					t.Skip("this system has no hard links")
				}
			}
			if !late {
				flip(true, false)
				flip = nil
			}
			r := e.Dispatch(t.Context(), &engine.Call{ID: "1", Tool: name, Args: args,
				Origin: "user", Env: &event.Envelope{CWD: dir, Project: dir}, Together: flip})
			text := chat.PlainText(r.Content)
			want := map[bool]string{false: "refused by the user's rule", true: "leads elsewhere"}
			if !r.IsError || !strings.Contains(text, want[late]) ||
				strings.Contains(text, "in secret") {
				t.Errorf("%s, late %v: got %v: %s", name, late, r.IsError, text)
			}
		}
	}
}
