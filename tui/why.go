// This file tells who decided about the tool calls of the selected entry, and why.

package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
)

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
	list := []call{{b.id, b.source, b.state >= toolOK}}
	if b.agent != nil {
		list = append(list, b.agent.madeCalls()...)
	}
	return list
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
