package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lineAFunction are documents for models, in which each function is a line.
var lineAFunction = []string{"docs/api/guide.md", "engine/spec/guide.md"}

// TestMarkdown: lines of prose end at the same column as those of code. Tables, code and addresses
// cannot be broken.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	checked := 0
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && d.Name() != ".."
		switch {
		case err != nil:
			return err
		case d.IsDir() && (hidden || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		rel, err := filepath.Rel("..", name)
		if err != nil || slices.Contains(lineAFunction, filepath.ToSlash(rel)) {
			return err
		}
		text, err := os.ReadFile(name)
		checked++
		for _, n := range longProse(string(text)) {
			t.Errorf("%s:%d: the line is longer than %d columns", rel, n, mostColumns)
		}
		return err
	})
	if err != nil || checked < 30 {
		t.Errorf("%d documents are checked (%v)", checked, err)
	}
}

// longProse returns the numbers of the lines of prose that are too long and that could be broken.
func longProse(page string) (long []int) {
	code := false
	for i, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		_, second, breakable := strings.Cut(strings.TrimLeft(line, " -*"), " ")
		if columns(line) > mostColumns && breakable && second != "" && !code &&
			!strings.HasPrefix(line, "|") {
			long = append(long, i+1)
		}
	}
	return long
}

func TestLongProse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 30)
	for page, want := range map[string]int{
		long: 1, "- " + long: 1, "| " + long: 0, "```\n" + long + "\n```\n": 0,
		"```\n```\n" + long: 1, "- https://" + strings.Repeat("x", 100): 0, "short\n\nshort": 0,
	} {
		if got := len(longProse(page)); got != want {
			t.Errorf("%q: %d lines are found, want %d", page, got, want)
		}
	}
}
