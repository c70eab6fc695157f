package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block matches a code block of a page: its language and its text.
var block = regexp.MustCompile("(?s)```(\\w+)\n(.*?)\n```")

// TestTutorial follows the pages of docs/tutorial one after the other, as each names the next, in
// both languages and from an empty home: it saves the scripts under the name that the page gives,
// runs the commands, and looks for each line that they are to print.
func TestTutorial(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/tutorial/*.md")
	if err != nil || len(pages) < 4 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			reader, read := newReader(t), 0
			for page := "first-guard.md"; page != ""; read++ {
				page = reader.followPage(t, filepath.Join("../../docs/tutorial", page), lang)
			}
			if read != len(pages) {
				t.Errorf("the pages name %d, want all %d", read, len(pages))
			}
		})
	}
}

// nextPage matches the name of the page that follows.
var nextPage = regexp.MustCompile(`Next:\s+\[[^\]]*\]\(([^)]*)\)`)

// followPage follows a page, and returns the name of the next one; "" = it is the last.
func (r *reader) followPage(t *testing.T, page, lang string) (next string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("`~/\\.agent/scripts/(\\w+)\\.lua`").FindSubmatch(text)
	if m == nil {
		t.Fatal("the page names no file")
	}
	script := filepath.Join(r.home, "scripts", string(m[1])+"."+lang)
	commands := 0
	for _, b := range block.FindAllStringSubmatch(string(text), -1) {
		switch b[1] {
		case lang:
			write(t, script, b[2]+"\n")
		case "console":
			commands += r.follow(t, b[2], lang)
		}
	}
	if commands == 0 {
		t.Error("the page has no command")
	}
	if m := nextPage.FindSubmatch(text); m != nil {
		next = string(m[1])
	}
	return next
}

// reader is somebody who follows a page.
type reader struct{ home, dir, bin string }

func newReader(t *testing.T) *reader {
	r := &reader{filepath.Join(t.TempDir(), ".agent"), t.TempDir(), t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(r.bin, "agent")); err != nil {
		t.Fatal(err)
	}
	return r
}

// follow runs the commands of a console, whose lines begin with "$ ", and checks that each prints
// the lines below it. It returns how many commands there are.
func (r *reader) follow(t *testing.T, console, lang string) (commands int) {
	t.Helper()
	out := ""
	for _, line := range strings.Split(strings.ReplaceAll(console, ".lua", "."+lang), "\n") {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			if !strings.Contains(out, line) {
				t.Errorf("%q is not printed:\n%s", line, out)
			}
			continue
		}
		commands++
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = r.dir, r.environ()
		b, _ := cmd.CombinedOutput() // some are meant to fail
		out = string(b)
	}
	return commands
}

// environ is the environment of the reader's programs: no key, no model server.
func (r *reader) environ() []string {
	return []string{"PATH=" + r.bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"AGENT_HOME=" + r.home, "HOME=" + r.dir, "OLLAMA_HOST=127.0.0.1:1",
		"GORACE=" + os.Getenv("GORACE"), "TMPDIR=" + os.TempDir()}
}
