// This file brings what the model says to its entries.

package tui

import (
	"strings"

	"github.com/agentscripts/agent/engine"
)

// delta appends to a message, to a tool's output or to the arguments of a call that is being written.
func (c *conversation) delta(d *delta) {
	ev := d.ev
	switch {
	case ev.Name() == "tool_output":
		if i, ok := c.calls[ev.Text("call_id")]; ok {
			c.transcript.entries[i].block.(*toolBlock).write(d.text)
			c.transcript.changed(i)
		}
	case ev.Env().Depth > 0:
	case ev.Name() == "tool_input_delta":
		if i, ok := c.calls[ev.Text("call_id")]; ok {
			c.transcript.entries[i].block.(*toolBlock).written += len(d.text)
			c.transcript.changed(i)
		}
	case ev.Text("kind") == "reasoning":
		if c.thought < 0 {
			c.thought = c.transcript.add(&thoughtBlock{})
		}
		c.transcript.entries[c.thought].block.(*thoughtBlock).stream.write(string(d.text))
		c.transcript.changed(c.thought)
	default:
		c.finishThought()
		if c.message < 0 {
			c.message = c.transcript.add(&messageBlock{})
		}
		c.transcript.entries[c.message].block.(*messageBlock).stream.write(string(d.text))
		c.transcript.changed(c.message)
	}
}

// messageEnd ends the message that streams. If the user may see nothing of it, or it is to be said again, nothing
// of it stays.
func (c *conversation) messageEnd(ev *engine.Event) {
	if ev.Env().Depth > 0 {
		return
	}
	text, thought := clean(ev.Text("text")), clean(ev.Text("reasoning"))
	if strings.TrimSpace(text) == "" && c.message >= 0 {
		c.transcript.hide(c.message)
		c.message = -1
	}
	if strings.TrimSpace(text+thought) == "" {
		c.dropUnwritten()
		c.dropThoughts(c.thought)
		c.thoughts = nil
		return
	}
	c.settleThoughts(thought)
	c.finishMessage(text)
	if r := engine.DecodeRewrite(ev.Field("rewritten")); r != nil {
		c.transcript.add(rewrittenNotice(r))
	}
	c.endSources()
	c.thoughts = nil
}

// settleThoughts shows the message's reasoning as it is in the end: before the answer if nothing was shown of it yet.
func (c *conversation) settleThoughts(thought string) {
	c.finishThought()
	var shown strings.Builder
	for _, i := range c.thoughts {
		shown.Write(c.transcript.entries[i].block.(*thoughtBlock).stream.text)
	}
	if strings.TrimSpace(shown.String()) == strings.TrimSpace(thought) {
		return
	}
	if strings.TrimSpace(thought) == "" {
		c.dropThoughts(-1)
		return
	}
	b := &thoughtBlock{finished: true}
	b.stream.write(thought)
	if len(c.thoughts) > 0 {
		c.transcript.replace(c.thoughts[0], b)
		for _, i := range c.thoughts[1:] {
			c.transcript.hide(i)
		}
		return
	}
	i := c.transcript.add(b)
	if c.message == i-1 && c.message >= 0 {
		c.transcript.swap(c.message, i)
		c.message = i
	}
}

// finishMessage ends the message that streams; text is the final one.
func (c *conversation) finishMessage(text string) {
	c.finishThought()
	if c.message < 0 {
		if strings.TrimSpace(text) == "" {
			return
		}
		c.message = c.transcript.add(&messageBlock{})
	}
	b := c.transcript.entries[c.message].block.(*messageBlock)
	b.final, b.finished, b.stream = text, true, stream{}
	c.transcript.changed(c.message)
	c.message = -1
}

// settleMessage ends the message that streams as it is: something comes after it.
func (c *conversation) settleMessage() {
	if c.message < 0 {
		c.finishThought()
		return
	}
	c.finishMessage(string(c.transcript.entries[c.message].block.(*messageBlock).stream.text))
}

func (c *conversation) finishThought() {
	if c.thought >= 0 {
		c.transcript.entries[c.thought].block.(*thoughtBlock).finished = true
		c.transcript.changed(c.thought)
		c.thoughts = append(c.thoughts, c.thought)
		c.thought = -1
	}
}

// dropThoughts lets nothing be seen of what the message's reasoning was.
func (c *conversation) dropThoughts(streaming int) {
	if streaming >= 0 {
		c.transcript.hide(streaming)
	}
	c.thought = -1
	for _, i := range c.thoughts {
		c.transcript.hide(i)
	}
}
