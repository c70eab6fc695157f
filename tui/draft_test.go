package tui

import (
	"errors"
	"os/exec"
	"testing"
)

// editing returns a stage whose backend notes what is put into the file for the user's editor.
func editing(t *testing.T, text *string, line *int, err error) *stage {
	return newStage(t, Backend{
		EditDraft: func(s string, n int) (*exec.Cmd, func() (string, error), error) {
			*text, *line = s, n
			return exec.Command("true"), func() (string, error) { return "", nil }, err
		},
		KeepPaste: func(text string) (string, error) { return text, nil }}, 80, 20)
}

// TestDraftIsEditedElsewhere checks what the user's own editor gets, and what is taken back of it.
func TestDraftIsEditedElsewhere(t *testing.T) {
	t.Parallel()
	var file string
	var line int
	s := editing(t, &file, &line, nil)
	a, b := pasted("a\t", 9), pasted("b", 9)
	s.typeText("see ")
	s.pasteText(a)
	s.typeText(" and ")
	s.pasteText(b)
	draft := s.editor.value()
	s.deliver(s.press("left", "ctrl+g"))
	if file != "see "+a+" and "+b || line != 10 {
		t.Errorf("got %q, line %d", file, line)
	}
	s.Update(editedMsg{text: "Look at\nb 0\n" + a + "\x1b[31m\tok", draft: draft})
	s.has("› Look at", "  b 0", "  [Pasted 9 lines]    ok")
	s.press("ctrl+_")
	s.has("› see [Pasted 9 lines] and [Pasted 9 lines #2]")
	s.Update(editedMsg{err: errors.New("exit\x1b[2J status 1"), draft: draft})
	s.has("the draft is as it was; the editor: exit status 1", "› see [Pasted 9 lines] and")
	s.Update(droppedMsg{"a queued prompt"}) // while the editor was open
	s.Update(editedMsg{text: "new", draft: draft})
	s.has("› a queued prompt", "  new")
	s.Update(editedMsg{text: "newer", draft: draft})
	s.has("› a queued prompt", "  new", "  newer")
}

// TestLongTextOfAnEditor checks that a text that is too long for the screen's editor becomes a
// pasted text, and that the draft can be brought back.
func TestLongTextOfAnEditor(t *testing.T) {
	t.Parallel()
	var file string
	var line int
	s := editing(t, &file, &line, nil)
	s.typeText("draft")
	_, cmd := s.Update(editedMsg{text: pasted("a", editorLimit/4), draft: "draft"})
	s.deliver(cmd)
	s.has("› [Pasted 262144 lines, 2.1 MB]")
	s.press("ctrl+_", "ctrl+_")
	s.has("› draft")
}

// TestNoEditor checks that the user is told why no editor opens, and that ctrl+g leaves a search.
func TestNoEditor(t *testing.T) {
	t.Parallel()
	var file string
	var line int
	s := editing(t, &file, &line, errors.New("set $EDITOR"))
	s.typeText("draft")
	s.deliver(s.press("ctrl+g"))
	s.has("no editor was opened: set $EDITOR", "› draft")
	if s.press("ctrl+r", "ctrl+g"); s.editor.draft.Search != nil || s.editor.value() != "draft" {
		t.Error("ctrl+g does not leave the search")
	}
}
