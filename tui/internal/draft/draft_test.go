package draft

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/tui/internal/vim"
	"github.com/agentscripts/agent/tui/tuitest"
)

// write types a text.
func (d *Draft) write(text string) {
	for _, r := range text {
		d.Key(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func TestTakenTextsComeBack(t *testing.T) {
	d := New(nil, 100)
	d.Layout(20, 1)
	d.write(" one ")
	if got := d.Take(); got != "one" || !d.Blank() {
		t.Errorf("took %q", got)
	}
	d.write("two")
	d.Key(tuitest.KeyPress("up"))
	if d.Text() != "one" {
		t.Errorf("got %q", d.Text())
	}
	d.Key(tuitest.KeyPress("down"))
	if d.Text() != "two" {
		t.Errorf("got %q", d.Text())
	}
	d.BeginSearch()
	if d.Blank() || !d.SearchKey(tuitest.KeyPress("o")) ||
		!d.SearchKey(tuitest.KeyPress("enter")) || d.Text() != "one" || d.LeaveSearch() {
		t.Errorf("the search found %q", d.Text())
	}
}

func TestStash(t *testing.T) {
	d := New(nil, 100)
	d.write("long")
	if d.SwapStash(); d.Text() != "" || !d.Stashed() {
		t.Errorf("got %q", d.Text())
	}
	d.write("short")
	if d.SwapStash(); d.Text() != "long" || !d.Stashed() {
		t.Errorf("got %q", d.Text())
	}
	d.Take()
	if d.PopStash(); d.Text() != "short" || d.Stashed() {
		t.Errorf("got %q", d.Text())
	}
}

// TestLimit checks that the text never becomes longer than it may be.
func TestLimit(t *testing.T) {
	d := New(nil, 10)
	d.Vim = &vim.Machine{}
	if d.Insert(strings.Repeat("x", 11)) || !d.Insert("12345678") {
		t.Error("the limit is another")
	}
	if d.Key(tuitest.KeyPress("a")); d.Key(tuitest.KeyPress("b")) && d.Key(tuitest.KeyPress("c")) {
		t.Errorf("got %q", d.Text())
	}
	for _, key := range []string{"esc", "y", "y"} {
		d.VimKey(tuitest.KeyPress(key))
	}
	if used, fits := d.VimKey(tuitest.KeyPress("p")); !used || fits || len(d.Text()) > 10 {
		t.Errorf("used %v, fits %v: %q", used, fits, d.Text())
	}
}

func TestVim(t *testing.T) {
	d := New(nil, 100)
	if used, _ := d.VimKey(tuitest.KeyPress("esc")); used || d.EscEdits() {
		t.Error("without Vim, esc was used")
	}
	d.Vim = &vim.Machine{}
	d.write("one two")
	if _, cursor := d.Layout(20, 1); cursor.Shape != tea.CursorBar || d.VimMode() != "" {
		t.Error("it does not begin in insert mode")
	}
	for _, key := range []string{"esc", "d", "b"} {
		d.VimKey(tuitest.KeyPress(key))
	}
	if d.Text() != "one o" || d.VimMode() != "normal" || d.EscEdits() {
		t.Errorf("got %q in %s mode", d.Text(), d.VimMode())
	}
	d.VimKey(tuitest.KeyPress("v"))
	if lines, _ := d.Layout(20, 1); lines[0] != "one \x1b[7mo\x1b[m" {
		t.Errorf("got %q", lines)
	}
	if d.Clear(); d.Text() != "" || d.VimMode() != "" {
		t.Errorf("got %q in %s mode", d.Text(), d.VimMode())
	}
}

// TestUpBeforeThePastIsKnown checks that going back takes effect once the texts of earlier starts
// are there, unless the user has gone on writing.
func TestUpBeforeThePastIsKnown(t *testing.T) {
	for keys, want := range map[string]string{"": "", "up": "two", "up up": "one",
		"up up up": "one", "a up": "two", "up a": "a", "a up b": "ab", "up a backspace": "two",
		"up a up": "two"} {
		d := New(nil, 100)
		for _, key := range strings.Fields(keys) {
			d.Key(tuitest.KeyPress(key))
		}
		d.LoadPast([]string{"one", "two"}, nil)
		if d.Text() != want {
			t.Errorf("%q: got %q, want %q", keys, d.Text(), want)
		}
		d.Key(tuitest.KeyPress("down"))
		d.Key(tuitest.KeyPress("down"))
		d.LoadPast(nil, nil)
		if got := d.Text(); strings.Contains(keys, "up") && got == "one" {
			t.Errorf("%q: the second load went back to %q", keys, got)
		}
	}
}
