package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// pasted returns n lines that begin with a word.
func pasted(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", word, i)
	}
	return b.String()
}

// pasteText pastes text as a terminal does, and waits until it is prepared.
func (s *stage) pasteText(text string) {
	_, cmd := s.Update(tea.PasteMsg{Content: text})
	s.deliver(cmd)
}

// sends checks that the text of the editor is sent as want.
func (s *stage) sends(want string) {
	s.t.Helper()
	s.deliver(s.press("enter"))
	select {
	case got := <-s.work.submits:
		if got.text != want {
			s.t.Errorf("sent %q, want %q", got.text, want)
		}
	default:
		s.t.Errorf("nothing was sent, want %q", want)
	}
}

// TestLongPastesAreChips checks that long pasted texts are drawn as labels, edited as characters
// and sent as they are, and that a label that the user types is only text.
func TestLongPastesAreChips(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	a, b := pasted("a", 120), pasted("b\t\x1b[31m", 120)
	s.typeText("see ")
	s.pasteText(strings.ReplaceAll(a, "\n", "\r"))
	s.typeText(" and ")
	s.pasteText(strings.ReplaceAll(b, "\n", "\r\n"))
	s.has("› see [Pasted 120 lines] and [Pasted 120 lines #2]")
	s.press("backspace")
	s.lacks("#2")
	s.press("ctrl+_")
	s.has("#2")
	s.press("ctrl+w", "ctrl+y")
	s.typeText(", [Pasted 120 lines]")
	s.press("home", "right", "right", "right", "right", "right", "!")
	s.has("› see [Pasted 120 lines]! and [Pasted 120 lines #2], [Pasted 120 lines]")
	whole := "see " + a + "! and " + pasted("b\t", 120) + ", [Pasted 120 lines]"
	s.sends(whole)
	s.lacks("a 119")
	s.has("› see [Pasted 120 lines]! and [Pasted 120 lines #2], [Pasted 120 lines]")
	s.press("alt+up", "enter", "home")
	s.has("› see a 0", "  a 5")
	s.press("esc", "ctrl+o", "ctrl+end")
	s.has("  b     119", ", [Pasted 120 lines]")
	s.press("ctrl+o", "up")
	if s.sends(whole); s.editor.value() != "" {
		t.Errorf("got %q", s.editor.value())
	}
	s.press("up", "alt+b", "alt+b", "ctrl+k")
	s.pasteText(a) // the same text has the same label
	s.has("› see [Pasted 120 lines]! and [Pasted 120 lines #2], [Pasted [Pasted 120 lines]")
}

// TestShortPastesAreText checks that a few pasted lines can be edited, and that a character which
// looks like a chip is not one.
func TestShortPastesAreText(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.pasteText(pasted("a", 6))
	s.press("ctrl+c")
	s.pasteText("one\ntwo\U00100000")
	s.press("\U00100000")
	s.Update(insertMsg("\U00100000"))
	s.sends("one\ntwo\ufffd\ufffd\ufffd")
	s.pasteText(strings.Repeat("x", 1001))
	s.has("› [Pasted 1001 characters]")
}

// TestPastedCommandIsText checks that what is pasted runs no command, as the user does not see it.
func TestPastedCommandIsText(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	for _, text := range []string{"!rm -rf x\n", "/new\n"} {
		s.pasteText(text + pasted("a", 9))
		s.lacks("shell: ")
		s.sends(" " + text + pasted("a", 9))
	}
	s.typeText("!cat ")
	s.pasteText(pasted("a", 9))
	s.sends("!cat " + pasted("a", 9))
}

// TestVeryLongPaste checks that a text which takes time to prepare delays no key, and that prompts
// wait for it in order.
func TestVeryLongPaste(t *testing.T) {
	t.Parallel()
	failure := errors.New("disk\x1b[2J full")
	s := newStage(t, Backend{KeepPaste: func(text string) (string, error) {
		return fmt.Sprintf("%d bytes in a file", len(text)), failure
	}}, 80, 20)
	long := pasted("\x1b[31ma", 300_000)
	_, kept := s.Update(tea.PasteMsg{Content: long})
	s.typeText(" it")
	s.has("› [Pasted 300000 lines, 3.9 MB] it")
	s.press("enter")
	s.typeText("next")
	s.press("enter")
	if len(s.work.submits) > 0 {
		t.Fatal("a text was sent too early")
	}
	s.deliver(kept)
	for _, want := range []string{
		fmt.Sprintf("%d bytes in a file it", len(pasted("a", 300_000))), "next"} {
		if got := <-s.work.submits; got.text != want {
			t.Errorf("sent %q, want %q", got.text, want)
		}
	}
	s.has("of [Pasted 300000 lines, 3.9 MB] the model gets", "disk full")
	s.typeText("!cat ")
	s.pasteText(long)
	s.sendsNothing()
	s.has("not run: [Pasted 300000 lines, 3.9 MB #2] is too long for a shell line", "$ !cat [Past")
	s.pasteText(strings.Repeat("x", mostPasted+1))
	s.has("too long for the editor")
}

// TestPastesAreBounded checks that chips cannot make a prompt longer than the editor allows.
func TestPastesAreBounded(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	for i := range 5 {
		s.pasteText(pasted(fmt.Sprint(i), editorLimit/32))
	}
	if n := len(s.chips.Expand(s.editor.value())); n > editorLimit || n < editorLimit/2 {
		t.Errorf("the text has %d bytes", n)
	}
	s.has("too long for the editor")
}

// TestWaitingChips checks that a prompt that waits is drawn with its chips, and comes back with
// them.
func TestWaitingChips(t *testing.T) {
	t.Parallel()
	waiting := []Waiting{}
	s := newStage(t, Backend{State: func() State { return State{Waiting: waiting} }}, 80, 20)
	s.send("agent_start", fields{"prompt": "x"})
	s.typeText("see ")
	s.pasteText(pasted("a", 9))
	whole := "see " + pasted("a", 9)
	s.sends(whole)
	waiting = append(waiting, Waiting{Text: whole, Kind: kindSteer})
	s.state.stale = true
	s.deliver(s.state.refresh())
	s.has("steering: see [Pasted 9 lines]")
	s.Update(droppedMsg{whole})
	s.has("› see [Pasted 9 lines]")
	s.sends(whole)
	s.input(kindSteer, whole)
	s.has("↳ see [Pasted 9 lines]")
	s.lacks("a 8")
}

// TestChipsOfEarlierStarts checks that a prompt is kept with its chips, and that those of earlier
// starts have them.
func TestChipsOfEarlierStarts(t *testing.T) {
	t.Parallel()
	var kept []Prompt
	s := newStage(t, Backend{Remember: func(p Prompt) error {
		kept = append(kept, p)
		return nil
	}}, 80, 20)
	s.typeText("see ")
	s.pasteText(pasted("a", 9))
	s.typeText("!")
	whole := "see " + pasted("a", 9) + "!"
	s.sends(whole)
	if len(kept) != 1 || kept[0].Text != whole ||
		!slices.Equal(kept[0].Pasted, [][2]int{{4, len(whole) - 1}}) {
		t.Errorf("kept %v", kept)
	}
	later := newStage(t, Backend{Prompts: func() (Prompts, error) {
		return Prompts{Own: append(kept, Prompt{Text: "wrong", Pasted: [][2]int{{3, 99}}})}, nil
	}}, 80, 20)
	later.deliver(askPrompts(later.backend))
	later.press("up")
	later.has("› wrong")
	later.press("home", "up")
	later.has("› see [Pasted 9 lines]!")
	later.press("ctrl+c", "ctrl+r")
	later.typeText("see")
	later.has("see [Pasted 9 lines]!", "1 of 1")
	later.press("enter")
	later.sends(whole)
	later.Update(feed.Batch{loadMsg{{Kind: ItemUser, Text: whole},
		{Kind: ItemUser, Text: "see\nall"}}})
	later.has("› see [Pasted 9 lines]!", "› see", "  all") // the session was resumed
	later.press("ctrl+o")
	later.has("a 8")
	later.Update(insertMsg(whole)) // after /fork
	later.press("ctrl+o")
	later.has("› see [Pasted 9 lines]!")
}

// sendsNothing presses enter and checks that nothing goes to the agent.
func (s *stage) sendsNothing() {
	s.t.Helper()
	if s.deliver(s.press("enter")); len(s.work.submits) > 0 {
		s.t.Errorf("sent %q", <-s.work.submits)
	}
}
