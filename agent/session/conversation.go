// This file converts a branch to the conversation for a model.

package session

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// Messages returns the conversation for a model in the given turn of the prompt: contexts are
// user-role messages during their lifetime, a summary replaces what was compacted, and every tool
// call has its result, in the order of the calls, even if the process was killed in the middle of a
// batch. Each call returns the same message pointers; the caller must modify neither the messages
// nor the slice, which are shared, so that the cost does not grow with the conversation.
func (s *Session) Messages(prompt string, turn int) []*chat.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.talk.messages(prompt, turn)
}

// conversation holds messages in the order that providers require: results directly follow their
// calls. It only grows at its end, so that the cost of a request does not depend on its length.
type conversation struct {
	sure  []*chat.Message // that are always sent
	maybe []condition     // contexts with a limited lifetime, in order
	batch *batch          // calls with missing results; nil = none
}

// condition is a context that is sent during its lifetime.
type condition struct {
	at      int // index in sure of the message that it precedes
	context *Context
	message *chat.Message
}

// batch is the calls of a message with the results so far.
type batch struct {
	calls   []chat.ToolUse
	results []*chat.Message // by call; nil = none so far
	missing []*chat.Message // replacements for missing ones
	open    int             // calls without a result
	held    []*Entry        // contexts that arrived meanwhile
}

func (c *conversation) addMessage(e *Entry) {
	switch m := e.Message; {
	case m == nil:
		c.context(e)
	case m.Role == "tool":
		c.result(m) // a result without a call is dropped
	default:
		c.endBatch()
		c.sure = append(c.sure, m)
		if n := len(m.ToolCalls); n > 0 {
			c.batch = &batch{calls: m.ToolCalls, results: make([]*chat.Message, n), open: n,
				missing: missing(m)}
		}
	}
}

// missing returns results for calls without one.
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

// endBatch ends the batch: calls without a result get one, then the contexts are added.
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
	if c.batch != nil { // as if the batch ended here
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
		return c.sure[:len(c.sure):len(c.sure)] // elements are only appended, never changed
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

// asMessage returns the message for a context or a compaction.
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

// Wrap returns the summary for the model; the text cannot contain the end tag.
func (c *Compaction) Wrap() string {
	return "<summary>\nThe earlier part of this conversation was replaced by this summary of " +
		"it:\n\n" +
		strings.ReplaceAll(c.Summary, "</summary>", "&lt;/summary&gt;") + "\n</summary>"
}

// compacted returns the conversation directly after the compaction e: the summary, the prompt that
// is still in progress, and the branch from e.KeepFrom on.
func compacted(branch []*Entry, e *Entry) conversation {
	var c conversation
	c.sure = append(c.sure, e.asMessage())
	end := slices.Index(branch, e)
	from := end // also if the message is missing in the file
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
