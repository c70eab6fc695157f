// This file holds the selection in the transcript. While an entry is selected, keys move the
// selection, fold the entry, and ask who decided about its tool calls. The mouse selects an entry
// by a click, and text by dragging.

package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/drag"
	"github.com/agentscripts/agent/tui/internal/graphics"
)

// selection is the keyboard's and the mouse's way to the entries of the transcript. It is active
// from the key or click that selects an entry until the user returns to the editor. Meanwhile the
// editor and a dialog get no keys that the selection uses, so no key of it answers a question.
type selection struct {
	unseen
	*shared
	transcript *transcript
	toasts     *toasts
	covered    func() bool    // reports whether a panel hides the transcript
	asked      func() bool    // reports whether a dialog is open
	empty      func() bool    // reports whether the editor is empty
	begins     func() tea.Cmd // called before an entry is selected: keys now go there

	focused time.Time // when the terminal's window was last focused
	search  search
	pressed pressed
	pending []*answer // shown answers about decisions that are not written down yet
}

// active reports whether keys are for the selected entry, or for the search.
func (s *selection) active() bool {
	return (s.transcript.selected >= 0 || s.search.open) && !s.covered()
}

// stop returns the keys to the editor.
func (s *selection) stop() {
	s.transcript.selected = -1
	s.search.end()
}

// paste adds pasted text to the search. It reports false if the search is not open.
func (s *selection) paste(text string) bool {
	if !s.active() || !s.search.open || s.search.moving {
		return false
	}
	s.search.paste(text)
	return true
}

// handleMsg implements component.
func (s *selection) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.FocusMsg:
		s.focused = s.now()
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.MouseMotionMsg:
		s.drag(msg)
	case tea.MouseReleaseMsg:
		return s.release()
	case answerMsg:
		s.takeAnswer(msg)
	case *event.Event:
		switch msg.Name() {
		case "tool_end", "tool_skipped", "tool_result", "turn_end", "agent_end":
			return s.askAgain()
		}
	case endMsg:
		return s.askAgain()
	}
	return nil
}

// starts reports whether a key selects an entry. Tab does in an empty editor, where there is
// nothing to complete.
func (s *selection) starts(name string) bool {
	switch name {
	case "shift+up", "alt+up", "alt+down", "ctrl+f":
		return !s.covered()
	case "tab":
		return !s.covered() && !s.asked() && s.empty()
	}
	return false
}

// key implements component. Keys that it does not use are for the screen and the editor.
func (s *selection) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	name := msg.String()
	if !s.active() {
		if !s.starts(name) {
			return nil, false
		}
		return s.startWith(name), true
	}
	if s.search.open {
		return nil, s.search.key(msg)
	}
	t := s.transcript
	switch name {
	case "up", "k", "shift+up":
		t.moveSelection(-1)
	case "down", "j", "shift+down":
		t.moveSelection(1)
	case "alt+up":
		t.selectPrompt(t.selected-1, -1)
	case "alt+down":
		t.selectPrompt(t.selected+1, 1)
	case "ctrl+f":
		s.search.begin()
	case "y":
		return s.copyEntry(), true
	case "enter", "space":
		t.foldSelected()
	case "w", "?":
		return s.explain(), true
	case "esc", "tab":
		s.stop()
	default:
		return nil, false
	}
	return nil, true
}

// startWith handles a key that selects an entry, or that opens the search.
func (s *selection) startWith(name string) tea.Cmd {
	t := s.transcript
	switch name {
	case "ctrl+f":
		cmd := s.begins()
		s.search.begin()
		return cmd
	case "alt+up", "alt+down":
		from, step := t.top+1, 1
		if name == "alt+up" {
			from, step = t.lastVisible(), -1
		}
		cmd := s.begins()
		if !t.selectPrompt(from, step) {
			return tea.Batch(cmd, s.toasts.addToast("info", "there is no prompt there"))
		}
		return cmd
	}
	return s.selectLast()
}

// copyEntry copies the text of the selected entry: the result if it is a call that has one.
func (s *selection) copyEntry() tea.Cmd {
	b := s.transcript.entries[s.transcript.selected].block
	if late, ok := b.(*lateBlock); ok && len(late.blocks) == 1 {
		b = late.blocks[0]
	}
	list := texts(b)
	if call, ok := b.(*toolBlock); ok && call.result != nil && call.result.text != "" {
		list = []string{call.result.text}
	}
	text := cells.Clean(strings.Join(list, "\n\n"))
	if text == "" {
		return s.toasts.addToast("info", "there is no text to copy")
	}
	return func() tea.Msg { return copyMsg(text) }
}

// selectLast selects the last visible entry.
func (s *selection) selectLast() tea.Cmd {
	cmd, t := s.begins(), s.transcript
	i := t.lastVisible()
	if i < 0 { // a dialog has the whole screen
		i = len(t.entries) - 1
	}
	if !t.selectFrom(i, -1) {
		return tea.Batch(cmd, s.toasts.addToast("info", "there is nothing to select yet"))
	}
	return cmd
}

// rule returns the line above the editor while an entry is selected or the search is open.
func (s *selection) rule(width int) string {
	if s.search.open {
		return s.search.rule(width)
	}
	texts := []string{"up and down select · enter unfolds · y copies · esc goes back",
		"enter unfolds · y copies · esc", "y copies · esc", "esc: back"}
	if len(callsOf(s.transcript.entries[s.transcript.selected].block)) > 0 {
		texts = []string{
			"up and down select · enter unfolds · y copies · w says who decided · esc goes back",
			"enter unfolds · y copies · w: who decided · esc", "y copies · w: who decided · esc",
			"y · w: who decided · esc", "y · w · esc"}
	}
	return titleRule(s.theme, cells.Longest(titleRoom(width), texts...), width)
}

// selectable reports whether entry i can be selected: it shows something, and is more than a
// remark.
func (t *transcript) selectable(i int) bool {
	switch t.entries[i].block.(type) {
	case goneBlock, *noticeBlock:
		return false
	}
	return len(t.lines(i)) > 0
}

// selectFrom selects the first entry that can be selected, from i in steps of step. It reports
// false if there is none; the selection then stays.
func (t *transcript) selectFrom(i, step int) bool {
	for ; i >= 0 && i < len(t.entries); i += step {
		if t.selectable(i) {
			t.selected = i
			t.reveal = true
			return true
		}
	}
	return false
}

// selectPrompt selects the first prompt of the user from entry i in steps of step. It reports false
// if there is none; the selection then stays.
func (t *transcript) selectPrompt(i, step int) bool {
	for ; i >= 0 && i < len(t.entries); i += step {
		b := t.entries[i].block
		if late, ok := b.(*lateBlock); isUser(b) || ok && late.isPrompt() {
			return t.selectFrom(i, step)
		}
	}
	return false
}

// isPrompt reports whether the item is a prompt of the user.
func (b *lateBlock) isPrompt() bool {
	if b.item != nil {
		return b.item.Kind == ItemUser
	}
	return len(b.blocks) > 0 && isUser(b.blocks[0])
}

func isUser(b block) bool {
	_, ok := b.(*userBlock)
	return ok
}

// moveSelection selects the next entry (1) or the previous one (-1). If the selected entry has been
// scrolled off the screen, it selects a visible one.
func (t *transcript) moveSelection(step int) {
	switch last := t.lastVisible(); {
	case t.reveal || t.selected >= t.top && t.selected <= last:
		t.reveal = true
		t.selectFrom(t.selected+step, step)
	case step < 0:
		t.selectFrom(last, -1)
	default:
		t.selectFrom(t.top, 1)
	}
}

// foldSelected folds or unfolds the selected entry, whatever holds for the others.
func (t *transcript) foldSelected() {
	e := t.entries[t.selected]
	e.expanded, e.folding = !t.expandedEntry(e), t.folding
	e.ownFold = true
	e.version++
	t.reveal = true
}

// expandedEntry reports whether an entry is shown in full: as the user chose for it since all were
// folded or unfolded last, or like all.
func (t *transcript) expandedEntry(e *entry) bool {
	if e.ownFold && e.folding == t.folding {
		return e.expanded
	}
	return t.canvas.expanded
}

// highlight draws a row in the colours of the selection.
func (t *transcript) highlight(row string) string {
	text := cells.Fit(ansi.Strip(row), t.canvas.width)
	return t.canvas.theme.choice.Render(text +
		strings.Repeat(" ", max(0, t.canvas.width-cells.Width(text))))
}

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
