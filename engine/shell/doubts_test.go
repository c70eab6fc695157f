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

// checked are lines, each followed by what Check decides and why.
//
//go:embed testdata/check_doubts.txt
var checked string

// eachPair calls f with the lines of a table and the text that follows each.
func eachPair(table string, f func(line, want string)) {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		f(lines[i], strings.TrimSpace(lines[i+1]))
	}
}

// TestDoubts checks that each reason names the word or the program, and what to do.
func TestDoubts(t *testing.T) {
	var seen []Cause
	eachPair(explained, func(line, want string) {
		p := Parse(line).Paths()
		if len(p.Doubts) == 0 {
			t.Errorf("%s: nothing is unknown", line)
			return
		}
		if got := p.Doubts[0].Explain(); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
		for _, d := range p.Doubts {
			seen = append(seen, d.Cause)
		}
	})
	// those of Check, and those of package touch
	seen = append(seen, carriesCommand, unknownAlias, leadsOut, unsureFlag, "words", TooMany,
		Unresolved)
	for _, c := range Causes() {
		if !slices.Contains(seen, c) {
			t.Errorf("no line for %s", c)
		}
	}
}

// TestWhyOfCheck checks the reasons of verdicts.
func TestWhyOfCheck(t *testing.T) {
	n := 0
	eachPair(checked, func(line, want string) {
		v := Parse(line).Check(testRules)
		if got := v.Decision + " " + v.Why; got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
		n++
	})
	if n < 30 {
		t.Errorf("only %d lines", n)
	}
	for line := range strings.Lines(evasions) {
		command := strings.ReplaceAll(strings.TrimSuffix(line[2:], "\n"), "⏎", "\n")
		if v := Parse(command).Check(testRules); v.Doubt != strings.Contains(v.Why, "certain") {
			t.Errorf("%s: doubt %v, but %q", command, v.Doubt, v.Why)
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
