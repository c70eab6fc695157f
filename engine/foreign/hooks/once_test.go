package hooks_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twice writes an agent.yaml with a hook, and another one with the same.
func (w *rig) twice(command string) *rig {
	w.t.Helper()
	w.docker("pre_tool_use", "shell", command)
	b, err := os.ReadFile(filepath.Join(w.folder, "x", "agent.yaml"))
	if err != nil {
		w.t.Fatal(err)
	}
	y := filepath.Join(w.folder, "y")
	if err := os.MkdirAll(y, 0o755); err != nil {
		w.t.Fatal(err)
	}
	write(w.t, y, "agent.yaml", string(b), 0o644)
	return w
}

// TestOnceForFiles: identical hooks of two files run once for a call. Nothing but an answer counts:
// if the first one fails, or is disabled, the second one runs.
func TestOnceForFiles(t *testing.T) {
	t.Parallel()
	w := newRig(t).twice("echo x >>ran; echo '" + `{"hook_specific_output":{"hook_event_name":` +
		`"pre_tool_use","permission_decision":"ask","permission_decision_reason":"sure?"}}` +
		"'").begin()
	w.answers = true
	if got := w.bash("ls"); got != `ran {"command":"ls"}` || w.heard("ran") != "x\n" {
		t.Errorf("got %q; ran %q; %s", got, w.heard("ran"), w.told())
	}
	if asked := w.questions(); !strings.Contains(asked, "sure? (answered by x/agent.yaml)") {
		t.Errorf("asked %q, want who has answered for the second one", asked)
	}
	w.bash("ls") // another call with the same bytes
	if w.heard("ran") != "x\nx\n" {
		t.Errorf("ran %q", w.heard("ran"))
	}
	for _, file := range []string{"x", "y"} {
		path := filepath.Join(w.folder, file, "agent.yaml")
		for _, on := range []bool{false, true} {
			write(t, w.dir, "ran", "", 0o644)
			if err := w.loader.Enable(context.Background(), path, on); err != nil {
				t.Fatal(err)
			}
			w.bash("ls")
			asked := w.questions()
			if w.heard("ran") != "x\n" || !strings.Contains(asked, "sure?") {
				t.Errorf("%s is enabled: %v: ran %q, asked %q", file, on, w.heard("ran"), asked)
			}
		}
	}
}

// TestOnceFails: a failure is not an answer for others.
func TestOnceFails(t *testing.T) {
	t.Parallel()
	w := newRig(t).twice("echo x >>ran; test $(wc -l <ran) = 2 || exit 127; " +
		"echo '{\"decision\":\"block\",\"reason\":\"the second\"}'").begin()
	w.answers = true
	if got := w.bash("ls"); got != "refused by y/agent.yaml: the second" {
		t.Errorf("got %q; ran %q; %s", got, w.heard("ran"), w.told())
	}
}

// TestOnceRewritten: what one has not judged, the other judges.
func TestOnceRewritten(t *testing.T) {
	t.Parallel()
	w := newRig(t).twice("echo x >>ran; grep -q 'ls one' && exit 0; echo '" +
		`{"hook_specific_output":{"hook_event_name":"pre_tool_use",` +
		`"updated_input":{"cmd":"ls one"}}}` + "'").begin()
	w.answers = true
	if got := w.bash("ls"); !strings.Contains(got, "ls one") || len(w.heard("ran")) < 4 {
		t.Errorf("got %q; ran %q; %s", got, w.heard("ran"), w.told())
	}
}

// TestNotOnceForPlugins: two plugins have different programs under the same words.
func TestNotOnceForPlugins(t *testing.T) {
	t.Parallel()
	w := newRig(t).hooked("PreToolUse", "Bash", "echo x >>ran")
	b, err := os.ReadFile(filepath.Join(w.folder, "x", "hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	y := filepath.Join(w.folder, "y")
	if err := os.MkdirAll(y, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, y, "hooks.json", string(b), 0o644)
	w.begin().bash("ls")
	if w.heard("ran") != "x\nx\n" {
		t.Errorf("ran %q; %s", w.heard("ran"), w.told())
	}
}
