package inline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// talk is a conversation of entries with a line each. Those before settled have ended, except for
// the one that runs.
type talk struct {
	name         string
	entries      []string
	settled      int
	running      int // an entry, -1 = none
	waits        int // an entry that is not drawn yet, -1 = none
	late, folded int
}

func (t *talk) First() any {
	if len(t.entries) == 0 {
		return nil
	}
	return t.name
}
func (t *talk) Len() int               { return len(t.entries) }
func (t *talk) Settled() int           { return t.settled }
func (t *talk) Live(i int) []string    { return []string{t.entries[i]} }
func (t *talk) Final(i int) []string   { return []string{t.entries[i]} }
func (t *talk) Waits(i int) bool       { return i == t.waits }
func (t *talk) Running(i int) bool     { return i == t.running }
func (t *talk) Late(i int) bool        { return i < t.late }
func (t *talk) Resize(int)             {}
func (t *talk) Fold()                  { t.folded++ }
func (t *talk) Dim(text string) string { return text }

// newTalk returns a conversation of n entries, all of which have ended.
func newTalk(n int) *talk {
	t := &talk{name: "first", settled: n, running: -1, waits: -1}
	for i := range n {
		t.entries = append(t.entries, fmt.Sprint(i))
	}
	return t
}

// takeAbove returns what a layout has printed, and whether a frame was drawn.
func (p *Printer) takeAbove(moving bool) (string, bool) {
	f, ok := p.Frame([]string{"live"}, nil, Size{80, 24, moving}, false)
	return strings.Join(f.Above, " "), ok
}

func (p *Printer) check(t *testing.T, want string) {
	t.Helper()
	p.Begin(80, true)
	if got, ok := p.takeAbove(false); !ok || got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestEachEntryIsPrintedOnce(t *testing.T) {
	talk := newTalk(4)
	talk.settled = 2
	p := &Printer{Source: talk}
	p.check(t, "0 1")
	p.check(t, "")
	if got := p.Tail(5); !slices.Equal(got, []string{"2", "3"}) {
		t.Errorf("live: %q", got)
	}
	if got := p.Tail(1); !slices.Equal(got, []string{"3"}) {
		t.Errorf("one live line: %q", got)
	}
	talk.settled, talk.running = 4, 2
	p.check(t, "2 3")
	talk.running, talk.entries[2] = -1, "2 has ended"
	p.check(t, "2 has ended")
	talk.entries = append(talk.entries, "4", "5")
	talk.settled, talk.waits = 6, 4
	p.check(t, "")
	talk.waits = -1
	p.check(t, "4 5")
	if talk.folded != 1 {
		t.Errorf("folded %d times", talk.folded)
	}
}

func TestOnlyTheLastEntriesOfASessionArePrinted(t *testing.T) {
	talk := newTalk(RecentShown + 5)
	talk.late = talk.Len() - 1
	p := &Printer{Source: talk}
	p.Begin(80, true)
	got, _ := p.takeAbove(false)
	if !strings.HasPrefix(got, "… 4 earlier entries are not printed; ctrl+o shows all 4 5 ") {
		t.Errorf("printed %q", got)
	}
	another := newTalk(1)
	another.name = "second"
	p.Source = another
	p.check(t, " 0")
}

// TestNothingIsDrawnWhileTheSizeChanges checks that the lines come with the first frame after it.
func TestNothingIsDrawnWhileTheSizeChanges(t *testing.T) {
	p := &Printer{Source: newTalk(1)}
	p.Begin(80, true)
	if _, ok := p.takeAbove(true); ok {
		t.Error("a frame was drawn")
	}
	f, ok := p.Frame(nil, nil, Size{Width: 80, Height: 24}, false)
	if !ok || !f.Whole || len(f.Above) != 1 {
		t.Errorf("got %v %+v", ok, f)
	}
}

func TestTheRestIsPrintedAtTheEnd(t *testing.T) {
	talk := newTalk(3)
	talk.settled = 1
	p := &Printer{Source: talk}
	p.check(t, "0")
	if got := p.Rest(); !slices.Equal(got, []string{"1", "2"}) || len(p.Rest()) > 0 {
		t.Errorf("the rest: %q", got)
	}
}
