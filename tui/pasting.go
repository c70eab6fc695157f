// This file brings texts into the editor that were not typed there: pasted ones, and those of the
// user's own editor.

package tui

import (
	"fmt"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/chip"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

const (
	// mostPasted is the largest text that can be pasted, in bytes: what the store of long texts
	// keeps of one.
	mostPasted = 64 << 20
	// pastedAtOnce is the size, in bytes, up to which a pasted text is prepared at once, and passed
	// on as it is: a larger one would delay the keys after it.
	pastedAtOnce = 32 << 10
	// mostKept is the size that is reserved for the part of a long text that the model gets.
	mostKept = 64 << 10
)

// keptMsg is what the model gets of a long text that was pasted.
type keptMsg struct {
	chip rune
	text string
	cut  bool // text is a part of what was pasted
	err  error
}

// pasteContent inserts what was pasted, as it came from the terminal. A long text becomes a chip.
func (e *editor) pasteContent(content string) tea.Cmd {
	if e.draft.Search != nil || !chip.Long(content) {
		return e.paste(chip.Clean(cells.Clean(content)))
	}
	keep, size := e.backend.KeepPaste, len(content)
	if keep != nil {
		size = min(size, mostKept)
	}
	text := e.value()
	if len(content) > mostPasted || len(text)+e.chips.Size(text)+size > editorLimit {
		return e.refuse(len(content))
	}
	if len(content) <= pastedAtOnce {
		return e.pasteParts([]string{"", plain.Text(content), ""})
	}
	r, ok := e.chips.Reserve(content)
	if !ok {
		return e.refuse(len(content))
	}
	return tea.Batch(e.paste(string(r)), func() tea.Msg {
		msg := keptMsg{chip: r, text: plain.Text(content)}
		if keep != nil {
			whole := msg.text
			msg.text, msg.err = keep(whole)
			msg.cut = msg.text != whole
		}
		return msg
	})
}

// pasteParts inserts parts of a text that were typed and pasted by turns: see chip.Split.
func (e *editor) pasteParts(parts []string) tea.Cmd { return e.paste(e.chips.Join(parts)) }

// pasteKept notes what the model gets of a chip, and sends what waits for that.
func (e *editor) pasteKept(msg keptMsg) tea.Cmd {
	if e.chips.Fill(msg.chip, msg.text); msg.cut {
		e.chips.FillPart(msg.chip, msg.text)
	}
	if msg.err != nil {
		e.transcript.addEntry(&noticeBlock{"error", "of " + e.chips.Label(msg.chip) +
			" the model gets the beginning and the end: " + plain.OneLine(plain.Error(msg.err))})
	}
	return e.sendReady()
}

// draftMsg is the command of the user's own editor, with the text of this one in a file.
type draftMsg struct {
	cmd   *exec.Cmd
	take  func() (string, error)
	draft string // with chips
	err   error
}

// editedMsg is the text that the user's own editor has left.
type editedMsg struct {
	text  string
	draft string // the text before, with chips
	err   error
}

// editDraft opens the text in the user's own editor, with what the model gets of chips in their
// places.
func (e *editor) editDraft() tea.Cmd {
	f, draft := e.backend.EditDraft, e.value()
	if f == nil {
		return nil
	}
	if !e.chips.Ready(draft) {
		return e.toasts.addToast("info", "the pasted text is still being prepared")
	}
	e.complete.close()
	text, before := e.chips.Expand(draft), e.chips.Expand(e.draft.Area.Before())
	return func() tea.Msg {
		cmd, take, err := f(text, textarea.LineOf(before, len(before)))
		return draftMsg{cmd, take, draft, err}
	}
}

// runEditor hands the terminal to the user's own editor.
func (e *editor) runEditor(msg draftMsg) tea.Cmd {
	if msg.err != nil {
		e.transcript.addEntry(&noticeBlock{"error", "no editor was opened: " +
			plain.OneLine(plain.Error(msg.err))})
		return nil
	}
	return tea.ExecProcess(msg.cmd, func(err error) tea.Msg {
		text, failed := msg.take()
		if err != nil { // such as exit status 1: editors say so that the text is not to be used
			failed = err
		}
		return editedMsg{plain.Text(text), msg.draft, failed}
	})
}

// takeEdited replaces the draft by the text of the user's own editor. What was pasted and is
// unchanged is a chip again. If something has come into the editor meanwhile, it stays.
func (e *editor) takeEdited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		e.transcript.addEntry(&noticeBlock{"error", "the draft is as it was; the editor: " +
			plain.OneLine(plain.Error(msg.err))})
		return nil
	}
	others, same := strings.CutSuffix(e.value(), msg.draft)
	if !same || others != "" && !strings.HasSuffix(others, "\n") {
		others += "\n"
	}
	if len(others)+len(msg.text) > editorLimit {
		e.replaceText(others)
		return e.pasteContent(msg.text)
	}
	parts := e.chips.Refold(msg.text, msg.draft)
	for i := 0; i < len(parts); i += 2 {
		parts[i] = chip.Clean(cells.Clean(parts[i]))
	}
	e.replaceText(others + e.chips.Join(parts))
	return nil
}

// refuse tells the user that the editor has not accepted pasted text of this size. A long paste
// takes seconds to arrive and the user may look away, so the message goes to the transcript.
func (e *editor) refuse(size int) tea.Cmd {
	text := fmt.Sprintf(
		"too long for the editor, which holds %d KB: the %d KB are not pasted; save them to a "+
			"file and name it",
		editorLimit>>10, max(1, size>>10))
	e.transcript.addEntry(&noticeBlock{"error", text})
	return e.toasts.addToast("error",
		"too long for the editor: save it to a file and name the file")
}
