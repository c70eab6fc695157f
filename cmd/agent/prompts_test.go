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
	x.wait("(?m)^◇ beta")
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
	x.wait("(?m)^◇ gamma")
	x.waitIdle()
	x.sendKeys("", "Up")
	x.wait("› say gamma")
	x.sendKeys("", "C-c")
	x.quit()
}

// TestLongPaste checks that the model gets the beginning and the end of a very long paste, and the
// name of a file that has all of it, without secrets; and that a file which no prompt names is
// removed.
func TestLongPaste(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	if err := os.MkdirAll(filepath.Dir(x.script("a.lua")), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, x.script("a.lua"), "ext.redact{ name = 'pass', patterns = { 'hunter[0-9]+' } }\n")
	x.start("--yolo")
	long := filepath.Join(t.TempDir(), "long.txt")
	write(t, long, "first hunter42\n"+strings.Repeat("line hunter42 and more\n", 5000)+"last\n")
	paste := func(file string) {
		x.tmux("load-buffer", file)
		x.tmux("paste-buffer", "-p")
	}
	files := func() []string {
		found, _ := filepath.Glob(filepath.Join(x.home, "output", "*-paste-*.txt"))
		return found
	}
	x.sendKeys("say ")
	paste(long)
	x.wait(`› say \[Pasted 5002 lines, 112 KB\]`)
	x.sendKeys("", "Enter")
	x.wait("not understood: last") // by the offline model
	x.waitIdle()
	kept, _ := os.ReadFile(filepath.Join(x.home, "history.jsonl"))
	if note := "lines are left out here; the whole output is in " + x.home; !strings.Contains(
		string(kept), note) || !strings.Contains(string(kept), `"pasted":[[4,`) {
		t.Errorf("%q is missing in %s", note, kept)
	}
	all := files()
	if len(all) != 1 {
		t.Fatalf("got %v", all)
	}
	b, err := os.ReadFile(all[0])
	info, _ := os.Stat(all[0])
	if text := string(b); err != nil || info.Mode().Perm() != 0o600 ||
		strings.Contains(text, "hunter") || !strings.HasPrefix(text, "first [redacted:pass]\n") ||
		!strings.HasSuffix(text, "more\nlast\n") {
		t.Errorf("got %.60q, %v, %v", text, info.Mode(), err)
	}
	write(t, long, strings.Repeat("never sent\n", 6000))
	paste(long)
	x.wait(`› \[Pasted 6000 lines, 64 KB\]`)
	eventually(t, "the second file is there", func() bool { return len(files()) == 2 })
	x.sendKeys("", "C-c")
	x.quit()
	if left := files(); len(left) != 1 || left[0] != all[0] {
		t.Errorf("got %v", left)
	}
}
