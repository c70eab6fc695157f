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

// TestHowTo follows each page of docs/howto by itself, in both languages and from an empty home.
func TestHowTo(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	pages, err := filepath.Glob("../../docs/howto/*.md")
	if err != nil || len(pages) < 4 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		for _, lang := range languages {
			t.Run(strings.TrimSuffix(filepath.Base(page), ".md")+"/"+lang, func(t *testing.T) {
				t.Parallel()
				newReader(t).followPage(t, page, lang)
			})
		}
	}
}

// saveAs matches the name under which a page saves what follows.
var saveAs = regexp.MustCompile("[Ss]ave\\s+this\\s+as\\s+`([^`]+)\\.lua`")

// nextPage matches the name of the page that follows.
var nextPage = regexp.MustCompile(`Next:\s+\[[^\]]*\]\(([^)]*)\)`)

// followPage follows a page, and returns the name of the next one; "" = it is the last.
func (r *reader) followPage(t *testing.T, page, lang string) (next string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	commands, script, read := 0, "", 0
	for _, b := range block.FindAllSubmatchIndex(text, -1) {
		for _, m := range saveAs.FindAllSubmatch(text[read:b[0]], -1) {
			script = filepath.Join(r.dir, string(m[1])+"."+lang)
			if own, ok := strings.CutPrefix(string(m[1]), "~/.agent/"); ok {
				script = filepath.Join(r.home, own+"."+lang)
			}
		}
		read = b[1]
		switch content := string(text[b[4]:b[5]]); string(text[b[2]:b[3]]) {
		case lang:
			if script == "" {
				t.Fatalf("the page names no file for:\n%s", content)
			}
			if err := os.MkdirAll(filepath.Dir(script), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, script, content+"\n")
		case "console":
			commands += r.follow(t, content, lang)
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
		"GORACE=" + os.Getenv("GORACE"), "TMPDIR=" + os.TempDir(),
		"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@example.com",
		"GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@example.com"}
}
