// This file holds what the mouse does in the transcript: a click selects an entry, and a drag text.

package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/drag"
	"github.com/agentscripts/agent/tui/internal/graphics"
)

// focusClick is how soon after the window was focused a click is not for the screen: it only
// focused the window.
const focusClick = 200 * time.Millisecond

// click selects the entry under the mouse. A click on the selected entry folds or unfolds it, and
// the right button asks who decided. A click anywhere else returns to the editor.
func (s *selection) click(msg tea.MouseClickMsg) tea.Cmd {
	if s.covered() || s.now().Sub(s.focused) < focusClick ||
		msg.Button != tea.MouseLeft && msg.Button != tea.MouseRight {
		return nil
	}
	s.search.end()
	t := s.transcript
	s.pressed = pressed{}
	if at, ok := t.pointAt(msg.X, msg.Y-t.above); ok && msg.Button == tea.MouseLeft {
		s.pressed = pressed{at: at, down: true}
	}
	i := t.entryAt(msg.Y - t.above)
	if i < 0 || !t.selectable(i) {
		s.stop()
		return nil
	}
	was, cmd := t.selected, s.begins()
	t.selected = i
	switch {
	case msg.Button == tea.MouseRight:
		return tea.Batch(cmd, s.explain())
	case was == i:
		t.foldSelected()
		s.pressed.folded = true
	}
	return cmd
}

// pressed is where the left button of the mouse was pressed in the transcript.
type pressed struct {
	at     drag.Point
	down   bool
	folded bool // the click folded or unfolded the entry
}

// drag selects text from where the button was pressed. A click that became a drag selects and folds
// nothing.
func (s *selection) drag(msg tea.MouseMotionMsg) {
	t := s.transcript
	to, ok := t.pointAt(msg.X, msg.Y-t.above)
	if !ok || !s.pressed.down || s.covered() || t.dragged == nil && to == s.pressed.at {
		return
	}
	if t.dragged == nil {
		if s.pressed.folded && t.selected >= 0 {
			t.foldSelected()
			t.reveal = false
		}
		s.stop()
		t.dragged = &drag.Drag{s.pressed.at}
	}
	t.dragged[1] = to
}

// release copies the text that was selected with the mouse.
func (s *selection) release() tea.Cmd {
	t := s.transcript
	s.pressed.down = false
	if t.dragged == nil {
		return nil
	}
	text := t.draggedText()
	if t.dragged = nil; text == "" {
		return nil
	}
	return func() tea.Msg { return copyMsg(text) }
}

// pointAt returns the cell in a row of the screen, or that in the nearest row of the transcript. It
// reports false if there is none.
func (t *transcript) pointAt(x, y int) (drag.Point, bool) {
	y = max(0, min(y, len(t.rows)-1)) + t.line
	for i := t.top; i < len(t.entries); i++ {
		n := len(t.lines(i))
		if y < n {
			return drag.Point{Entry: i, Line: y, X: max(x, 0)}, true
		}
		y -= n
	}
	return drag.Point{}, false
}

// draggedText returns the text that is selected with the mouse, as it is on the screen.
func (t *transcript) draggedText() string {
	first, last := t.dragged.Ends()
	var out []string
	for i := first.Entry; i <= last.Entry && i < len(t.entries); i++ {
		for n, l := range t.lines(i) {
			if i == first.Entry && n < first.Line || i == last.Entry && n > last.Line {
				continue
			}
			if l = ansi.Strip(l); strings.ContainsRune(l, graphics.Mark) { // a part of an image
				continue
			}
			from, to := t.dragged.Part(i, n, cells.Width(l))
			from = max(from, marginOf(t.entries[i].block, l))
			to = max(from, to)
			out = append(out, strings.TrimRight(ansi.Cut(l, from, to), " "))
		}
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// bar precedes the lines of a result. It is not copied.
const bar = "  │ "

// marginOf returns how many cells before a line of a block are not copied: the bar beside a result,
// and the mark of a message or the space below it.
func marginOf(b block, line string) int {
	if late, ok := b.(*lateBlock); ok {
		for _, x := range late.blocks {
			if n := marginOf(x, line); n > 0 {
				return n
			}
		}
	}
	switch b.(type) {
	case *toolBlock, *subagentBlock:
		if strings.HasPrefix(line, bar) {
			return cells.Width(bar)
		}
	case *messageBlock:
		if strings.HasPrefix(line, "  ") || strings.HasPrefix(line, answerMark) {
			return cells.Width(answerMark)
		}
	case *sayBlock:
		if strings.HasPrefix(line, "  ") {
			return len("  ")
		}
	}
	return 0
}

// drawDragged marks the visible text that is selected with the mouse.
func (t *transcript) drawDragged() {
	if t.dragged == nil {
		return
	}
	for y, row := range t.rows {
		at, ok := t.pointAt(0, y)
		if !ok {
			return
		}
		from, to := t.dragged.Part(at.Entry, at.Line, cells.Width(row))
		t.rows[y] = drag.Mark(row, from, to)
	}
}
