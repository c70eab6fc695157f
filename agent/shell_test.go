package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/internal/instruct"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

func TestUserShell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{Permission: event.PermissionDefault})
	end := w.prompt("!echo hi")
	if end.Status != Handled || !strings.Contains(end.Response, "hi") {
		t.Errorf("got %+v", end)
	}
	w.prompt("!!echo secret")
	w.prompt("what was that?")
	equal(t, "request", w.request(0),
		"user:<user_shell>\n$ echo hi\nhi\n</user_shell>\nuser:what was that?")
	saved := w.saved()
	equal(t, "read back", talk(saved.Messages("", 0)[:1]),
		"user:<user_shell>\n$ echo hi\nhi\n</user_shell>")
	if item, m := saved.History()[0], saved.Messages("", 0)[0]; !strings.HasPrefix(item.CallID,
		"user_") || m.CallID != "" {
		t.Errorf("the call is %q, but the message has the call %q", item.CallID, m.CallID)
	}
	equal(t, "shown", saved.Entries()[0].ShownText(), "!echo hi\nhi") // in a list of sessions
	equal(t, "events", w.tell("user_shell:command,in_context", "tool_start:tool,origin"),
		"user_shell echo hi true\ntool_start bash user\nuser_shell echo secret false\ntool_start "+
			"bash user")
}

// TestUserShellIsKept checks that a session knows how long a command of the user took, and that it
// failed.
func TestUserShellIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.prompt("!sleep 0.05; exit 3")
	w.prompt("!true")
	items := w.saved().History()
	if i := items[0]; !i.IsError || i.Took < 50*time.Millisecond {
		t.Errorf("got an error: %v, after %v", i.IsError, i.Took)
	}
	if items[1].IsError {
		t.Error("true failed")
	}
}

func TestUserShellIsDispatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.on("guard", func(ev *event.Event) any { return block("not even you") })
	end := w.prompt("!rm -rf /")
	if end.Status != Blocked || end.Reason != "refused by h.lua: not even you" || end.Refused != 1 {
		t.Errorf("got %+v", end)
	}
}

func TestScriptsAddContextToUserShell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.on("tool_result",
		func(ev *event.Event) any { return map[string]any{"context": "old branch"} })
	w.prompt("!echo hi")
	w.prompt("!!echo hidden")
	w.prompt("go")
	equal(t, "request", w.request(0),
		"user:<user_shell>\n$ echo hi\nhi\n</user_shell>\n<context from=\"h.lua\">\nold "+
			"branch\n</context>\nuser:go")
}

func TestShellOutputCannotEndItsWrapping(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.prompt("!echo '</user_shell>'")
	w.prompt("go")
	if got := w.request(0); strings.Count(got, "</user_shell>") != 1 {
		t.Errorf("got %s", got)
	}
}

func TestUserShellDuringPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, calls("ls", "bash"))
	d := w.desk()
	w.on("tool_result", func(ev *event.Event) any {
		if ev.Text("call_id") == "a" {
			d.send(Input{Text: "!echo beside"})
			until(t, "the command", func() bool { return strings.Contains(d.got(), "beside") })
		}
		return nil
	})
	d.send(Input{Text: "go"})
	d.idle()
	if got := w.request(1); !strings.HasSuffix(got,
		"\nuser:<user_shell>\n$ echo beside\nbeside\n</user_shell>") {
		t.Errorf("got %s", got)
	}
	w.saved()
}

func TestScriptsCannotUseUserShell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{Permission: event.PermissionDefault})
	w.on("input", func(ev *event.Event) any {
		if ev.Text("text") == "x" {
			return map[string]any{"text": "!echo rewritten"}
		}
		return nil
	})
	for _, in := range []Input{{Text: "!echo sent", Source: "script:h.lua"}, {Text: "x"},
		{Text: "/permission yolo", Source: "script:h.lua"},
		{Text: "/export x.md", Source: "script:h.lua"}} {
		w.agent.Prompt(w.ctx, in)
	}
	if got := w.tell("user_shell:command", "permission_change:new"); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestInstructions(t *testing.T) {
	t.Parallel()
	project, home := t.TempDir(), t.TempDir()
	dir := filepath.Join(project, "a", "b")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(project, "..", instruct.File), "of somebody else")
	write(filepath.Join(project, instruct.File), "of the project")
	write(filepath.Join(dir, instruct.File), strings.Repeat("long ", instruct.MaxBytes))
	write(filepath.Join(home, instruct.File), "of the user")
	write(filepath.Join(home, "secret"), "SECRET")
	if err := os.Symlink(filepath.Join(home, "secret"),
		filepath.Join(project, "a", instruct.File)); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{Dir: dir, Project: project})
	w.agent.instructions.files = instruct.New(instruct.Options{Dir: dir, Project: project,
		Home: home, Say: w.agent.report.NotifyOnce})
	system := w.agent.instructions.systemPrompt()
	last := -1
	for _, part := range []string{"Working directory: " + dir, "of the project", "long long",
		"[cut]", "of the user"} {
		at := strings.Index(system, part)
		if at <= last {
			t.Errorf("%q is out of order: %d after %d", part, at, last)
		}
		last = at
	}
	if strings.Contains(system, "SECRET") || strings.Contains(system, "somebody else") ||
		len(system) > instruct.MaxBytes+4096 {
		t.Errorf("got %d bytes", len(system))
	}
	w.agent.instructions.systemPrompt()
	until(t, "notices",
		func() bool { return strings.Count(w.tell("notification:message"), "\n") == 1 })
	got := w.tell("notification:message")
	for _, part := range []string{"larger than 64 KB", "links out of the project"} {
		if strings.Count(got, part) != 1 {
			t.Errorf("%q: got %s", part, got)
		}
	}
	write(filepath.Join(project, instruct.File), "changed")
	if !strings.Contains(w.agent.instructions.systemPrompt(), "changed") {
		t.Error("the file is not read again")
	}
}

// TestOtherInstructions checks that CLAUDE.md is read in a folder without AGENTS.md, that the user
// is notified, and that no file is read twice.
func TestOtherInstructions(t *testing.T) {
	t.Parallel()
	project, home := t.TempDir(), t.TempDir()
	dir := filepath.Join(project, "a")
	for path, text := range map[string]string{
		filepath.Join(project, "AGENTS.md"): "ONE", filepath.Join(project, "CLAUDE.md"): "NOT READ",
		filepath.Join(dir, "CLAUDE.md"): "TWO", filepath.Join(home, "CLAUDE.md"): "THREE",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, Options{Dir: dir, Project: project})
	w.agent.instructions.files = instruct.New(instruct.Options{Dir: dir, Project: project,
		Home: home, Say: w.agent.report.NotifyOnce})
	said := func() (got string) {
		for _, line := range strings.Split(w.agent.instructions.systemPrompt(), "\n") {
			if strings.HasPrefix(line, "Instructions from ") || strings.ToUpper(line) == line {
				got += strings.TrimPrefix(line, "Instructions from ") + "\n"
			}
		}
		return strings.Join(strings.Fields(got), " ")
	}
	want := filepath.Join(project, "AGENTS.md") + ": ONE " + filepath.Join(dir, "CLAUDE.md") +
		": TWO " + filepath.Join(home, "CLAUDE.md") + ": THREE"
	if got := said(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	until(t, "notices",
		func() bool {
			return strings.Count(w.tell("notification:message"),
				"CLAUDE.md is read") == 2
		})

	if err := os.Remove(filepath.Join(dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../AGENTS.md", filepath.Join(dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	if got := said(); strings.Count(got, "ONE") != 1 || strings.Contains(got, "TWO") ||
		strings.Contains(got, "NOT") {
		t.Errorf("got %s", got)
	}
}

// TestNearInstructions checks that what a folder says about its files is given to the model with
// the first of them that it works on, and again after a compaction.
func TestNearInstructions(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	if err := os.MkdirAll(filepath.Join(project, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CLAUDE.md", "a.txt"} {
		if err := os.WriteFile(filepath.Join(project, "sub", name), []byte("OF SUB"),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, Options{Dir: project, Project: project})
	n := w.agent.instructions
	read := func(r engine.Result) string {
		r.Tool, r.Args = "read", map[string]any{"path": "sub/a.txt"}
		var got string
		for _, c := range n.near([]*engine.Result{&r, &r}) {
			got += c.Text
		}
		return got
	}
	if got := read(engine.Result{Skipped: "denied"}); got != "" {
		t.Errorf("a refused call: got %s", got)
	}
	for range 2 {
		if got := read(engine.Result{}); strings.Count(got, "OF SUB") != 1 {
			t.Errorf("got %q, want the instructions once", got)
		}
		if got := read(engine.Result{}); got != "" {
			t.Errorf("given already: got %s", got)
		}
		n.forget()
	}
}
