package touch

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/internal/bashtest"
)

// readsOf and writesOf are commands, one on a line, that read and write a file: ‹f› is its name in
// any spelling, ‹plain› its name.
//
//go:embed testdata/reads.txt
var readsOf string

//go:embed testdata/writes.txt
var writesOf string

// goals returns the commands of a table for a file.
func goals(table, file string) []string {
	table = strings.NewReplacer("‹f›", "‹word "+file+"›", "‹plain›", file).Replace(table)
	return strings.Split(strings.TrimSpace(table), "\n")
}

// files are the files of the folder in which lines run.
var files = map[string]string{".env": "TOKEN=1\n", "sub/.env": "TOKEN=2\n", "a.txt": "a\nb\n",
	"yarn.lock": "L\n", "sub/yarn.lock": "L\nM\n"}

// TestBashReads runs lines of which no read of an .env is predicted with a real bash: no such file
// must be read.
func TestBashReads(t *testing.T) {
	b := bashtest.New(t, t.TempDir(), nil, files)
	bashtest.Each(t, goals(readsOf, ".env"),
		func(line string) bool { return compareReads(t, b, line) })
}

// FuzzBashReads does the same with lines that the fuzzing engine finds.
func FuzzBashReads(f *testing.F) {
	b, all := bashtest.New(f, f.TempDir(), nil, files), goals(readsOf, ".env")
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, choices []byte) { compareReads(t, b, bashtest.Line(choices, all)) })
}

func compareReads(t *testing.T, b *bashtest.Bash, line string) bool {
	t.Helper()
	b.Reset(t)
	found := Finder{Home: b.Dir}.Command(line, b.Dir, b.Dir)
	if fits, sure := found.Fits("reads", "**/.env"); fits || !sure {
		return false
	}
	watch := watchReads(t, filepath.Join(b.Dir, ".env"), filepath.Join(b.Dir, "sub/.env"))
	b.Run(t, line)
	if watch() {
		t.Errorf("bash read .env, which was not predicted:\n%s\n%q", line, line)
	}
	return true
}

// TestBashWrites is TestBashReads for files that are changed.
func TestBashWrites(t *testing.T) {
	b := bashtest.New(t, t.TempDir(), nil, files)
	bashtest.Each(t, goals(writesOf, "yarn.lock"),
		func(line string) bool { return compareWrites(t, b, line) })
}

// FuzzBashWrites does the same with lines that the fuzzing engine finds.
func FuzzBashWrites(f *testing.F) {
	b, all := bashtest.New(f, f.TempDir(), nil, files), goals(writesOf, "yarn.lock")
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, choices []byte) { compareWrites(t, b, bashtest.Line(choices, all)) })
}

func compareWrites(t *testing.T, b *bashtest.Bash, line string) bool {
	t.Helper()
	b.Reset(t)
	found := Finder{Home: b.Dir}.Command(line, b.Dir, b.Dir)
	if fits, sure := found.Fits("writes", "**/*.lock"); fits || !sure {
		return false
	}
	before := locks(b.Dir)
	b.Run(t, line)
	if after := locks(b.Dir); after != before {
		t.Errorf("bash changed *.lock, which was not predicted:\n%s\n%q\nbefore:\n%safter:\n%s",
			line, line, before, after)
	}
	return true
}

// locks describes the files *.lock below dir: names and contents.
func locks(dir string) string {
	var b strings.Builder
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			text, _ := os.ReadFile(path)
			b.WriteString(strings.TrimPrefix(path, dir) + " " + string(text) + "\n")
		}
		return nil
	})
	return b.String()
}
