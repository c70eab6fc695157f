package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPromptsOfEarlierStarts checks that prompts can be recalled and searched after a restart, that
// their file has no secrets and belongs to the user, and that a file that cannot be written is
// reported and costs nothing else.
func TestPromptsOfEarlierStarts(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	if err := os.MkdirAll(filepath.Dir(x.script("a.lua")), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, x.script("a.lua"), "ext.redact{ name = 'pass', patterns = { 'hunter[0-9]+' } }\n")
	x.start("--yolo")
	x.submit("say hunter42", "in two lines")
	x.wait("in two lines\n")
	x.waitIdle()
	x.submit("say beta")
	x.wait("(?m)^beta")
	x.waitIdle()
	path := filepath.Join(x.home, "history.jsonl")
	eventually(t, "both prompts are kept", func() bool {
		b, _ := os.ReadFile(path)
		return strings.Count(string(b), "\n") == 2
	})
	x.quit()
	b, err := os.ReadFile(path)
	info, _ := os.Stat(path)
	if err != nil || strings.Contains(string(b), "hunter") || info.Mode().Perm() != 0o600 {
		t.Errorf("got %s, %v, %v", b, info.Mode(), err)
	}
	write(t, path, string(b)+"damaged\n")

	x.start("--yolo")
	x.sendKeys("", "Up")
	x.wait("› say beta")
	x.sendKeys("", "C-u", "C-r")
	x.wait("search: 1 of 2")
	x.sendKeys("two")
	x.wait("search: 1 of 1")
	x.sendKeys("", "Enter")
	x.wait(lines(`› say \[redacted:pass\]`, "  in two lines"))
	x.sendKeys("", "C-c")
	x.quit()

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	x.start("--yolo")
	x.wait("prompts are not kept for later starts")
	x.submit("say gamma")
	x.wait("(?m)^gamma")
	x.waitIdle()
	x.sendKeys("", "Up")
	x.wait("› say gamma")
	x.sendKeys("", "C-c")
	x.quit()
}
