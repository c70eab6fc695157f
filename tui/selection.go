// This file holds the selection of an entry in the transcript. While an entry is selected, keys
// move the selection, fold the entry, and ask who decided about its tool calls.

package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
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
	pending []*answer // shown answers about decisions that are not written down yet
}

// focusClick is how soon after the window was focused a click is not for the screen: it only
// focused the window.
const focusClick = 200 * time.Millisecond

// active reports whether keys are for the selected entry.
func (s *selection) active() bool { return s.transcript.selected >= 0 && !s.covered() }

// stop returns the keys to the editor.
func (s *selection) stop() { s.transcript.selected = -1 }

// handleMsg implements component.
func (s *selection) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.FocusMsg:
		s.focused = s.now()
	case tea.MouseClickMsg:
		return s.click(msg)
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
	case "shift+up", "alt+up":
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
		return s.selectLast(), true
	}
	t := s.transcript
	switch name {
	case "up", "k", "shift+up", "alt+up":
		t.moveSelection(-1)
	case "down", "j", "shift+down", "alt+down":
		t.moveSelection(1)
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

// click selects the entry under the mouse. A click on the selected entry folds or unfolds it, and
// the right button asks who decided. A click anywhere else returns to the editor.
func (s *selection) click(msg tea.MouseClickMsg) tea.Cmd {
	if s.covered() || s.now().Sub(s.focused) < focusClick ||
		msg.Button != tea.MouseLeft && msg.Button != tea.MouseRight {
		return nil
	}
	t := s.transcript
	i := t.entryAt(msg.Y)
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
	}
	return cmd
}

// rule returns the line above the editor while an entry is selected.
func (s *selection) rule(width int) string {
	texts := []string{"up and down select · enter unfolds · esc goes back",
		"enter unfolds · esc back", "esc: back"}
	if len(callsOf(s.transcript.entries[s.transcript.selected].block)) > 0 {
		texts = []string{
			"up and down select · enter unfolds · w says who decided · esc goes back",
			"enter unfolds · w: who decided · esc", "w: who decided · esc", "w · esc"}
	}
	return titleRule(s.theme, longest(titleRoom(width), texts...), width)
}

// caller is a block about tool calls.
type caller interface {
	// madeCalls returns the ids of the calls, oldest first.
	madeCalls() []call
}

// call names a tool call whose decision can be explained.
type call struct {
	id     string
	source string // who decided, as in tool_approval; "" = unknown
	over   bool   // it has ended
}

// callsOf returns the calls of a block, nil if it is about none.
func callsOf(b block) []call {
	if c, ok := b.(caller); ok {
		return c.madeCalls()
	}
	return nil
}

func (b *toolBlock) madeCalls() []call {
	if b.id == "" {
		return nil
	}
	return []call{{b.id, b.source, b.state >= toolOK}}
}

func (b *subagentBlock) madeCalls() []call {
	var list []call
	for _, id := range b.ids {
		list = append(list, call{id: id, over: true})
	}
	return list
}

func (b *lateBlock) madeCalls() (list []call) {
	for _, x := range b.blocks {
		list = append(list, callsOf(x)...)
	}
	return list
}

// answer says in words who decided about the calls of an entry.
type answer struct {
	entry *entry
	text  string // clean; "" = it has been requested
	tries int    // how often it was requested without success after the calls had ended
}

// answerTries is how often an answer is requested whose decision is not written down although the
// call has ended: it is written right after the event that ends the call.
const answerTries = 3

// answerMsg is the text of an answer.
type answerMsg struct {
	*answer
	text    string
	over    bool // all calls had ended
	written bool // all decisions were written down
}

// explain shows or hides who decided about the calls of the selected entry.
func (s *selection) explain() tea.Cmd {
	e := s.transcript.entries[s.transcript.selected]
	if e.answer != nil {
		e.answer = nil
		e.version++
		return nil
	}
	if s.backend.Why == nil || len(callsOf(e.block)) == 0 {
		return s.toasts.addToast("info", "nothing was decided here: select a tool call")
	}
	e.answer = &answer{entry: e}
	e.version++
	return tea.Batch(s.ask(e.answer))
}

// askAgain requests the answers that were not complete.
func (s *selection) askAgain() tea.Cmd {
	var cmds []tea.Cmd
	for _, a := range s.pending {
		cmds = append(cmds, s.ask(a))
	}
	return tea.Batch(cmds...)
}

// answeredCalls is how many calls of an entry are explained: the last ones.
const answeredCalls = 10

func (s *selection) ask(a *answer) tea.Cmd {
	list, why := callsOf(a.entry.block), s.backend.Why
	return func() tea.Msg {
		msg := answerMsg{answer: a, over: true, written: true}
		var texts []string
		if n := len(list) - answeredCalls; n > 0 {
			texts = append(texts, plain.Count(n, "earlier call")+
				": agent ext audit lists them")
			list = list[n:]
		}
		for _, c := range list {
			text, written := why(c.id, c.source, c.over)
			texts = append(texts, strings.TrimRight(cells.Clean(text), "\n"))
			msg.over, msg.written = msg.over && c.over, msg.written && written
		}
		msg.text = strings.Join(texts, "\n\n")
		return msg
	}
}

// takeAnswer shows an answer, unless it is no longer wanted.
func (s *selection) takeAnswer(msg answerMsg) {
	a := msg.answer
	s.pending = slices.DeleteFunc(s.pending, func(x *answer) bool {
		return x == a || x.entry.answer != x
	})
	if a.entry.answer != a {
		return
	}
	a.text = msg.text
	a.entry.version++
	if t := s.transcript; t.selected >= 0 && t.entries[t.selected] == a.entry {
		t.reveal = true
	}
	if msg.over {
		a.tries++
	}
	if !msg.written && a.tries < answerTries {
		s.pending = append(s.pending, a)
	}
}

// drawLines returns the lines of the answer, below those of its entry.
func (a *answer) drawLines(c *canvas) []string {
	text := a.text
	if text == "" {
		text = "asking the audit log"
	}
	lines := cells.WrapIndented(text, c.width-4)
	out := make([]string, 0, len(lines))
	for i, l := range lines {
		mark := "  ? "
		if i > 0 {
			mark = "    "
		}
		out = append(out, c.theme.accent.Render(mark+l))
	}
	whole := *c
	whole.expanded = true // the user asked for it
	return fold(&whole, out)
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

// lastVisible returns the last entry with a line on the screen, -1 if there is none.
func (t *transcript) lastVisible() int { return t.entryAt(len(t.rows) - 1) }

// entryAt returns the entry in row y of the transcript, -1 if there is none.
func (t *transcript) entryAt(y int) int {
	if y < 0 || y >= len(t.rows) {
		return -1
	}
	y += t.line
	for i := t.top; i < len(t.entries); i++ {
		if y -= len(t.lines(i)); y < 0 {
			return i
		}
	}
	return -1
}

// scrollTo scrolls until entry i is visible, or its beginning if it is higher than the screen.
func (t *transcript) scrollTo(i int) {
	gap := 0
	if t.entries[i].gap {
		gap = 1
	}
	if i < t.top || i == t.top && t.line > gap {
		t.top, t.line, t.follow = i, 0, false
	}
	from := -t.line // the row of its first line
	for k := t.top; k < i; k++ {
		from += len(t.lines(k))
	}
	if over := from + len(t.lines(i)) - t.height; over > 0 {
		t.follow = false
		t.scroll(max(0, min(over, from+gap)))
	}
}

// highlight draws a row in the colours of the selection.
func (t *transcript) highlight(row string) string {
	text := cells.Fit(ansi.Strip(row), t.canvas.width)
	return t.canvas.theme.choice.Render(text +
		strings.Repeat(" ", max(0, t.canvas.width-cells.Width(text))))
}
