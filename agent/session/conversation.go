// This file makes of a branch the conversation that a model is sent.

package session

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// Messages returns the conversation as a model may be sent it during the given turn of the prompt:
// contexts stand in it as user-role text while their lifetime lasts, a summary stands for what was
// compacted, and every tool call has its result, in the order of the calls, also when the process
// was killed in the middle of a batch. A message is the very same one each time; nobody may change
// it, nor the slice, which is shared: that a conversation is long costs a request nothing.
func (s *Session) Messages(prompt string, turn int) []*chat.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.talk.messages(prompt, turn)
}

// conversation puts messages in the order that providers insist on: results stand directly behind
// the calls. It grows at its end only, so that a request costs the same however long it is.
type conversation struct {
	sure  []*chat.Message // that are always sent
	maybe []condition     // contexts of limited lifetime, in order
	batch *batch          // calls that wait for results; nil = none
}

// condition is a context that is sent while its lifetime lasts.
type condition struct {
	at      int // index in sure of what it stands before
	context *Context
	message *chat.Message
}

// batch is the calls of a message with the results so far.
type batch struct {
	calls   []chat.ToolUse
	results []*chat.Message // by call; nil = none so far
	missing []*chat.Message // what stands for those
	open    int             // calls without a result
	held    []*Entry        // contexts that came meanwhile
}

func (c *conversation) addMessage(e *Entry) {
	switch m := e.Message; {
	case m == nil:
		c.context(e)
	case m.Role == "tool":
		c.result(m) // one that nobody asked for is left out
	default:
		c.endBatch()
		c.sure = append(c.sure, m)
		if n := len(m.ToolCalls); n > 0 {
			c.batch = &batch{calls: m.ToolCalls, results: make([]*chat.Message, n), open: n,
				missing: missing(m)}
		}
	}
}

// missing makes the results of calls that have none.
func missing(m *chat.Message) []*chat.Message {
	out := make([]*chat.Message, len(m.ToolCalls))
	for i, u := range m.ToolCalls {
		out[i] = &chat.Message{ID: m.ID + "/" + u.ID, Role: "tool", CallID: u.ID, Tool: u.Tool,
			IsError: true,
			Content: engine.TextResult(
				"cancelled: the work ended before this call had a result").Content}
	}
	return out
}

func (c *conversation) result(m *chat.Message) {
	b := c.batch
	if b == nil {
		return
	}
	for i, u := range b.calls {
		if u.ID == m.CallID && b.results[i] == nil {
			b.results[i] = m
			b.open--
			break
		}
	}
	if b.open == 0 {
		c.endBatch()
	}
}

func (c *conversation) context(e *Entry) {
	if c.batch != nil {
		c.batch.held = append(c.batch.held, e)
		return
	}
	m := e.asMessage()
	if e.Context.Lifetime == ForSession {
		c.sure = append(c.sure, m)
		return
	}
	c.maybe = append(c.maybe, condition{len(c.sure), e.Context, m})
}

// endBatch ends the batch: calls without a result get one, then the contexts are let in.
func (c *conversation) endBatch() {
	b := c.batch
	if b == nil {
		return
	}
	c.batch = nil
	for i, m := range b.results {
		if m == nil {
			m = b.missing[i]
		}
		c.sure = append(c.sure, m)
	}
	for _, e := range b.held {
		c.context(e)
	}
}

func (c *conversation) messages(prompt string, turn int) []*chat.Message {
	if c.batch != nil { // as if it ended here
		ended := conversation{sure: slices.Clone(c.sure), maybe: slices.Clone(c.maybe),
			batch: c.batch}
		ended.endBatch()
		c = &ended
	}
	var out []*chat.Message
	from := 0
	for _, m := range c.maybe {
		if !m.context.holds(prompt, turn) {
			continue
		}
		if out == nil {
			out = make([]*chat.Message, 0, len(c.sure)+len(c.maybe))
		}
		out = append(append(out, c.sure[from:m.at]...), m.message)
		from = m.at
	}
	if out == nil {
		return c.sure[:len(c.sure):len(c.sure)] // it only grows: what stands there stays
	}
	return append(out, c.sure[from:]...)
}

func (c *Context) holds(prompt string, turn int) bool {
	switch c.Lifetime {
	case ForSession:
		return true
	case ForPrompt:
		return c.Prompt == prompt
	}
	return c.Prompt == prompt && c.Turn == turn
}

// asMessage is what stands in the conversation for a context or a compaction.
func (e *Entry) asMessage() *chat.Message {
	if e.sent == nil {
		text := ""
		if e.Context != nil {
			text = e.Context.Wrap()
		} else {
			text = e.Compaction.Wrap()
		}
		e.sent = &chat.Message{ID: e.ID, Role: "user", Content: engine.TextResult(text).Content}
	}
	return e.sent
}

// Wrap is how the summary reaches the model: it cannot end its own wrapping.
func (c *Compaction) Wrap() string {
	return "<summary>\nThe earlier part of this conversation was replaced by this summary of " +
		"it:\n\n" +
		strings.ReplaceAll(c.Summary, "</summary>", "&lt;/summary&gt;") + "\n</summary>"
}

// compacted is the conversation directly behind the compaction e: the summary, the prompt that is
// still worked on, and what stands in the branch from e.KeepFrom on.
func compacted(branch []*Entry, e *Entry) conversation {
	var c conversation
	c.sure = append(c.sure, e.asMessage())
	end := slices.Index(branch, e)
	from := end // also if the file has lost the message
	for i, x := range branch[:end] {
		if x.ID == e.Compaction.KeepFrom && x.Message != nil {
			from = i
		}
	}
	pinned := e.Compaction.Pinned
	for _, x := range branch[:from] {
		if pinned != "" && (x.ID == pinned && x.Message != nil || x.Context != nil &&
			x.Context.Prompt == pinned) {
			c.addMessage(x)
		}
	}
	for _, x := range branch[from:end] {
		if x.Message != nil || x.Context != nil {
			c.addMessage(x)
		}
	}
	return c
}
