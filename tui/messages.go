// This file brings what the model says to its entries.

package tui

import (
	"strings"

	"github.com/agentscripts/agent/engine"
)

// delta appends to a message, to a tool's output or to the arguments of a call that is being written.
func (m *model) delta(d *delta) {
	ev := d.ev
	switch {
	case ev.Name() == "tool_output":
		if i, ok := m.calls[ev.Text("call_id")]; ok {
			m.transcript.entries[i].block.(*toolBlock).write(d.text)
			m.transcript.changed(i)
		}
	case ev.Env().Depth > 0:
	case ev.Name() == "tool_input_delta":
		if i, ok := m.calls[ev.Text("call_id")]; ok {
			m.transcript.entries[i].block.(*toolBlock).written += len(d.text)
			m.transcript.changed(i)
		}
	case ev.Text("kind") == "reasoning":
		if m.thought < 0 {
			m.thought = m.transcript.add(&thoughtBlock{})
		}
		m.transcript.entries[m.thought].block.(*thoughtBlock).stream.write(string(d.text))
		m.transcript.changed(m.thought)
	default:
		m.finishThought()
		if m.message < 0 {
			m.message = m.transcript.add(&messageBlock{})
		}
		m.transcript.entries[m.message].block.(*messageBlock).stream.write(string(d.text))
		m.transcript.changed(m.message)
	}
}

// messageEnd ends the message that streams. If the user may see nothing of it, or it is to be said again, nothing
// of it stays.
func (m *model) messageEnd(ev *engine.Event) {
	if ev.Env().Depth > 0 {
		return
	}
	text, thought := clean(ev.Text("text")), clean(ev.Text("reasoning"))
	if strings.TrimSpace(text) == "" && m.message >= 0 {
		m.transcript.hide(m.message)
		m.message = -1
	}
	if strings.TrimSpace(text+thought) == "" {
		m.dropUnwritten()
		m.dropThoughts(m.thought)
		m.thoughts = nil
		return
	}
	m.settleThoughts(thought)
	m.finishMessage(text)
	if r := engine.DecodeRewrite(ev.Field("rewritten")); r != nil {
		m.transcript.add(rewrittenNotice(r))
	}
	m.endSources()
	m.thoughts = nil
}

// settleThoughts shows the message's reasoning as it is in the end: before the answer if nothing was shown of it yet.
func (m *model) settleThoughts(thought string) {
	m.finishThought()
	var shown strings.Builder
	for _, i := range m.thoughts {
		shown.Write(m.transcript.entries[i].block.(*thoughtBlock).stream.text)
	}
	if strings.TrimSpace(shown.String()) == strings.TrimSpace(thought) {
		return
	}
	if strings.TrimSpace(thought) == "" {
		m.dropThoughts(-1)
		return
	}
	b := &thoughtBlock{finished: true}
	b.stream.write(thought)
	if len(m.thoughts) > 0 {
		m.transcript.replace(m.thoughts[0], b)
		for _, i := range m.thoughts[1:] {
			m.transcript.hide(i)
		}
		return
	}
	i := m.transcript.add(b)
	if m.message == i-1 && m.message >= 0 {
		m.transcript.swap(m.message, i)
		m.message = i
	}
}

// finishMessage ends the message that streams; text is the final one.
func (m *model) finishMessage(text string) {
	m.finishThought()
	if m.message < 0 {
		if strings.TrimSpace(text) == "" {
			return
		}
		m.message = m.transcript.add(&messageBlock{})
	}
	b := m.transcript.entries[m.message].block.(*messageBlock)
	b.final, b.finished, b.stream = text, true, stream{}
	m.transcript.changed(m.message)
	m.message = -1
}

// settleMessage ends the message that streams as it is: something comes after it.
func (m *model) settleMessage() {
	if m.message < 0 {
		m.finishThought()
		return
	}
	m.finishMessage(string(m.transcript.entries[m.message].block.(*messageBlock).stream.text))
}

func (m *model) finishThought() {
	if m.thought >= 0 {
		m.transcript.entries[m.thought].block.(*thoughtBlock).finished = true
		m.transcript.changed(m.thought)
		m.thoughts = append(m.thoughts, m.thought)
		m.thought = -1
	}
}

// dropThoughts lets nothing be seen of what the message's reasoning was.
func (m *model) dropThoughts(streaming int) {
	if streaming >= 0 {
		m.transcript.hide(streaming)
	}
	m.thought = -1
	for _, i := range m.thoughts {
		m.transcript.hide(i)
	}
}
