// This file checks where the lines of scripts and documents end. TestHouse checks those of Go.

package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scriptEndings are those of the languages in which scripts are written.
var scriptEndings = []string{".lua", ".js", ".mjs", ".ts"}

// lineAFunction are documents for models, in which each function is a line: only their code is
// checked.
var lineAFunction = []string{"docs/api/guide.md", "engine/spec/guide.md"}

// TestColumns: the lines of scripts, of prose and of code in documents end at the same column as
// those of Go. Test data is not checked: it has cases and expected output, one a line. Nor are
// types that are generated.
func TestColumns(t *testing.T) {
	t.Parallel()
	checked := map[string]int{}
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && d.Name() != ".."
		ending := filepath.Ext(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (hidden || d.Name() == "testdata"):
			return filepath.SkipDir
		case strings.HasSuffix(name, "stream.d.ts"):
			return nil
		case d.IsDir() || ending != ".md" && !slices.Contains(scriptEndings, ending):
			return nil
		}
		rel, err := filepath.Rel("..", name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		checked[ending]++
		for _, n := range longLines(filepath.ToSlash(rel), string(text)) {
			t.Errorf("%s:%d: the line is longer than %d columns", rel, n, mostColumns)
		}
		return err
	})
	if err != nil || checked[".md"] < 30 || checked[".lua"] < 30 || checked[".js"] < 30 {
		t.Errorf("files that are checked: %v (%v)", checked, err)
	}
}

// longLines returns the numbers of the lines of a file that are too long and that could be broken.
func longLines(name, text string) (long []int) {
	document := filepath.Ext(name) == ".md"
	code := !document
	for i, line := range strings.Split(text, "\n") {
		if document && strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			continue
		}
		if columns(line) <= mostColumns || !breakable(line) ||
			document && !code && (strings.HasPrefix(line, "|") ||
				slices.Contains(lineAFunction, name)) ||
			document && code && message.MatchString(line) {
			continue
		}
		long = append(long, i+1)
	}
	return long
}

// message matches a message of a protocol, which is one line of JSON: documents show who sends it.
var message = regexp.MustCompile(`^(--> |<-- )?\{"jsonrpc": `)

// breakable reports whether a line has more than one word, behind what begins a list or a comment.
// An address is one word.
func breakable(line string) bool {
	_, second, _ := strings.Cut(strings.TrimLeft(line, " \t-*/"), " ")
	return second != ""
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 30)
	address := "https://" + strings.Repeat("x", 100)
	for _, test := range []struct {
		name, text string
		want       int
	}{
		{"a.md", long, 1}, {"a.md", "- " + long, 1}, {"a.md", "short\n\nshort", 0},
		{"a.md", "| " + long, 0}, {"a.md", "- " + address, 0},
		{"a.md", "```\n" + long + "\n```\n", 1}, {"a.md", "```\n```\n" + long, 1},
		{"a.md", "  ```js\n" + long + "\n  ```\n| " + long, 1},
		{"a.md", "```\n| " + long + "\n```\n", 1}, {"a.md", "```\n" + address + "\n```\n", 0},
		{"a.md", "```\n--> {\"jsonrpc\": " + long + "\n```\n", 0},
		{"a.md", "--> {\"jsonrpc\": " + long, 1},
		{"docs/api/guide.md", long, 0}, {"docs/api/guide.md", "```\n" + long + "\n```", 1},
		{"a.lua", "short\n-- " + long + "\n" + long, 2}, {"a.lua", "-- " + address, 0},
		{"a.js", "// " + address + "\n\t| " + long, 1}, {"a.js", "{\"jsonrpc\": " + long, 1},
	} {
		if got := len(longLines(test.name, test.text)); got != test.want {
			t.Errorf("%s: %q: %d lines are found, want %d", test.name, test.text, got, test.want)
		}
	}
}
