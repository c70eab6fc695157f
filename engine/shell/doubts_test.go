package shell

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

// explained are lines, each followed by the reason why the files that it touches are unknown.
//
//go:embed testdata/doubts.txt
var explained string

// TestDoubts checks that each reason names the word or the program, and what to do.
func TestDoubts(t *testing.T) {
	var seen []Cause
	lines := strings.Split(strings.TrimSpace(explained), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		line, want := lines[i], strings.TrimSpace(lines[i+1])
		p := Parse(line).Paths()
		if len(p.Doubts) == 0 {
			t.Errorf("%s: nothing is unknown", line)
			continue
		}
		if got := p.Doubts[0].Explain(); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
		for _, d := range p.Doubts {
			seen = append(seen, d.Cause)
		}
	}
	for _, c := range Causes() {
		if c != "words" && !slices.Contains(seen, c) { // "words" is a reason of Check
			t.Errorf("no line for %s", c)
		}
	}
}

// TestEachUnknownHasAReason checks that whenever files are unknown there is a reason, for writes
// one about writes, and that there are not many.
func TestEachUnknownHasAReason(t *testing.T) {
	text := ordinary + explained + "\ncat " + strings.Repeat("$x ", 500) + "$y > $z"
	for line := range strings.Lines(text) {
		p := Parse(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")).Paths()
		reads := slices.ContainsFunc(p.Doubts, func(d Doubt) bool { return d.Reads })
		writes := slices.ContainsFunc(p.Doubts, func(d Doubt) bool { return d.Writes })
		if p.UnknownReads != reads || p.UnknownWrites != writes ||
			len(p.Doubts) > maxDoubts+2 {
			t.Errorf("%.100q: unknown reads %v, writes %v, but %v", line, p.UnknownReads,
				p.UnknownWrites, p.Doubts)
		}
	}
}
