// This file makes the lines that tests find shorter, and keeps them.

package oracle

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// judgement runs a line, and returns what is wrong about it, "" = nothing. acted reports whether
// the line did what it was made for.
type judgement func(t testing.TB, w *world, line string) (acted bool, wrong string)

// judgements are the judgements by the words that testdata/found.txt has for them.
func judgements() map[string]judgement {
	return map[string]judgement{"denied": judgeDenied, "reads": judgeReads, "writes": judgeWrites,
		"changes": judgeChanges}
}

// foundLines is the file of the lines that tests have found, one on a line: a kind of judgements,
// and the line, in which ⏎ is the end of a line.
const foundLines = "testdata/found.txt"

// judge judges a line. If it is wrong, the test fails with the shortest line that is wrong too, and
// the line is kept.
func judge(t testing.TB, w *world, kind, line string) (acted bool) {
	t.Helper()
	f := judgements()[kind]
	acted, wrong := f(t, w, line)
	if wrong == "" {
		return acted
	}
	short := shrink(line, func(l string) bool {
		_, wrong := f(t, w, l)
		return wrong != ""
	})
	if _, again := f(t, w, short); again != "" {
		wrong = again
	}
	t.Errorf("%s\n%q\n%s\nfound as %q", short, short, wrong, line)
	keep(t, kind, short)
	return acted
}

// mostTries limits how many shorter lines are tried.
const mostTries = 2000

// shrink returns a line that is wrong too, and from which no piece can be left out.
func shrink(line string, wrong func(string) bool) string {
	tries := 0
	for size := len(line) / 2; size > 0; {
		left := false
		for at := 0; at+size <= len(line); {
			shorter := line[:at] + line[at+size:]
			if tries++; tries > mostTries {
				return line
			}
			if wrong(shorter) {
				line, left = shorter, true
			} else {
				at++
			}
		}
		if size = min(size, len(line)+1); !left || size > len(line) {
			size--
		}
	}
	return line
}

// keeping is locked while foundLines changes.
var keeping sync.Mutex

// keep adds a line to those that TestFoundLines judges from now on.
func keep(t testing.TB, kind, line string) {
	t.Helper()
	if strings.Contains(line, "⏎") {
		return
	}
	keeping.Lock()
	defer keeping.Unlock()
	row := kind + " " + strings.ReplaceAll(line, "\n", "⏎")
	text, err := os.ReadFile(foundLines)
	if err != nil || slices.Contains(strings.Split(string(text), "\n"), row) {
		return
	}
	if err := os.WriteFile(foundLines, append(text, row+"\n"...), 0o644); err != nil {
		t.Log(err)
	}
}

// TestFoundLines judges the lines that tests have found.
func TestFoundLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text, err := os.ReadFile(foundLines)
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		kind, line, _ := strings.Cut(row, " ")
		if judgements()[kind] == nil {
			t.Errorf("%s: no kind of judgements %q", foundLines, kind)
			continue
		}
		judge(t, w, kind, strings.ReplaceAll(line, "⏎", "\n"))
	}
}

func TestShrink(t *testing.T) {
	got := shrink("echo a; (rm -r zz) | cat", func(l string) bool {
		return strings.Contains(l, "rm") && strings.Contains(l, "zz")
	})
	if got != "rmzz" {
		t.Errorf("got %q", got)
	}
}
