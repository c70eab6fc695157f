package tui

import (
	"strings"
	"testing"
)

// TestUndoInTheEditor checks that what replaces a draft can be undone, and that a text that was
// sent cannot be brought back that way.
func TestUndoInTheEditor(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.Update(earlier())
	s.typeText("draft")
	s.press("ctrl+c", "ctrl+_")
	s.has("› draft")
	s.press("home", "up")
	s.has("› run the TESTS")
	s.press("ctrl+_")
	s.has("› draft")
	s.press("ctrl+_")
	if !s.editor.blank() {
		t.Errorf("got %q", s.editor.value())
	}
	s.press("alt+_")
	s.has("› draft")
	s.press("enter", "ctrl+_")
	if !s.editor.blank() {
		t.Errorf("got %q", s.editor.value())
	}
}

// TestYankIsBounded checks that no more can be yanked than the editor holds, and that the user is
// told.
func TestYankIsBounded(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.editor.setText(strings.Repeat("x", editorLimit*2/3))
	s.press("ctrl+u", "ctrl+y", "ctrl+y")
	if got := len(s.editor.value()); got != editorLimit*2/3 {
		t.Errorf("the text has %d bytes", got)
	}
	s.has("the editor is full")
}

// TestStash checks that ctrl+s puts the text away and brings it back, and that it comes back after
// the next prompt.
func TestStash(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 20)
	s.press("ctrl+s")
	s.lacks("stashed")
	s.typeText("long draft ")
	s.pasteText(pasted("a", 9))
	s.press("ctrl+s")
	s.has("› Ask, or type", "draft stashed")
	s.press("ctrl+s")
	s.has("› long draft [Pasted 9 lines]")
	s.lacks("stashed")
	s.press("ctrl+s")
	s.typeText("quick")
	s.press("ctrl+s")
	s.has("› long draft [Pasted 9 lines]", "draft stashed") // the two change places
	s.press("ctrl+s", "ctrl+u", "enter")
	s.has("› Ask, or type", "draft stashed") // nothing was sent
	s.typeText("/help")
	s.sendsNothing()
	s.has("› long draft [Pasted 9 lines]")
	s.press("ctrl+s")
	s.typeText("quick question")
	s.sends("quick question")
	s.lacks("stashed")
	s.press("ctrl+_") // cannot bring back what was sent
	s.sends("long draft " + pasted("a", 9))
}
