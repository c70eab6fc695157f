package drag

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestParts(t *testing.T) {
	for _, d := range []Drag{{{1, 2, 3}, {2, 0, 4}}, {{2, 0, 4}, {1, 2, 3}}} {
		for at, want := range map[Point][2]int{
			{Entry: 1, Line: 1}: {0, 0}, {Entry: 1, Line: 2}: {3, 10}, {Entry: 1, Line: 3}: {0, 10},
			{Entry: 2, Line: 0}: {0, 5}, {Entry: 2, Line: 1}: {0, 0}, {Entry: 3}: {0, 0},
		} {
			if from, to := d.Part(at.Entry, at.Line, 10); from != want[0] || to != want[1] {
				t.Errorf("%+v: got %d to %d, want %v", at, from, to, want)
			}
		}
	}
	one := Drag{{0, 0, 2}, {0, 0, 2}}
	if from, to := one.Part(0, 0, 10); from != 2 || to != 3 {
		t.Errorf("one cell: got %d to %d", from, to)
	}
	if from, to := one.Part(0, 0, 1); from != 1 || to != 1 {
		t.Errorf("behind the end: got %d to %d", from, to)
	}
}

func TestMark(t *testing.T) {
	row := "\x1b[31mone two\x1b[m"
	if got := Mark(row, 4, 4); got != row {
		t.Errorf("nothing: %q", got)
	}
	got := Mark(row, 1, 5)
	if ansi.Strip(got) != "one two" || ansi.Strip(ansi.Cut(got, 1, 5)) != "ne t" {
		t.Errorf("got %q", got)
	}
	if want := "\x1b[m\x1b[7mne t\x1b[m"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
}
