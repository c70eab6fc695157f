// This file decodes a reply of OpenAI's responses API.

package llm

import (
	"context"
	"encoding/json"
	"errors"
	"hash"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// skipped records what a server rejects for this user. It is omitted from then on.
type skipped struct {
	summary bool // of the reasoning: some models give it to verified organisations only
	own     bool // reasoning of earlier turns: it was encrypted for another account
}

// newResponses returns a provider for a server that speaks OpenAI's responses API.
func newResponses(s server, o Options) *engine.Provider {
	s = s.withCache()
	s.memo = &memo{}
	p := provider(s, o)
	if s.models == nil || s.official() { // the user has not listed the models
		p.List = s.list(o, s.openAIModels)
	}
	once := &warnings{}
	var noSummary atomic.Bool
	p.Stream = func(ctx context.Context, req *chat.Request,
		emit func(chat.Chunk)) (chat.Finish, error) {
		skip := skipped{summary: noSummary.Load()}
		req = callable(req, true)
		warn := once.to(emit)
		for {
			whole := &pairs{emit: emit}
			r := responsesReader{s: s, emit: whole.chunk}
			body, err := responsesBody(s, s.model(o, req.Model), req, skip, warn)
			if err == nil {
				err = events(ctx, s, "responses", body, &r, whole)
			}
			next := skip.after(err)
			if err == nil || next == skip {
				return r.endReply(), err
			}
			skip = next
			noSummary.Store(skip.summary)
		}
	}
	return p
}

// after returns what to omit after the server has rejected a request.
func (k skipped) after(err error) skipped {
	var e *refused
	if errors.As(err, &e) {
		k.summary = k.summary || e.param == "reasoning.summary"
		k.own = k.own || e.code == "invalid_encrypted_content"
	}
	return k
}

// responsesReader assembles one reply.
type responsesReader struct {
	s        server
	emit     func(chat.Chunk)
	calls    map[wireNumber]*itemCall // by position in the output
	order    responsesOwn
	finish   chat.Finish
	part     bool                // a part of the reasoning's summary has ended
	said     map[place]*told     // the texts of which a piece was emitted
	thought  map[wireNumber]bool // the items of reasoning of which a piece was emitted
	ends     map[wireNumber]bool // items that have ended
	unplaced bool                // a piece came without the position of its item
	kept     kept
}

// place is the position of a text: that of its item in the output, and its own in the item.
type place struct{ item, part wireNumber }

// told records what was emitted of a text. It does not hold the text, which is long.
type told struct {
	bytes int
	sum   hash.Hash64
}

// itemCall is a function call of the output.
type itemCall struct {
	index int // among the calls
	args  int // bytes received
}

// event reads one event. response.completed or response.incomplete completes the reply.
func (r *responsesReader) event(data []byte) (whole bool, err error) {
	var e responsesEvent
	if err := decodeObject(data, &e); err != nil {
		return false, failure(r.s, notJSON(data, err))
	}
	switch textIn(e.Type) {
	case "response.output_text.delta", "response.refusal.delta":
		r.unplaced = r.unplaced || e.OutputIndex == nil
		r.text(place{e.at(), e.ContentIndex}, string(e.Delta))
	case "response.output_text.done", "response.refusal.done":
		if e.OutputIndex != nil {
			r.emitRest(place{e.at(), e.ContentIndex}, string(e.Text+e.Refusal))
		}
	case "response.reasoning_summary_part.done", "response.reasoning_summary_part.added":
		r.part = r.part || e.SummaryIndex > 0
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		if r.part {
			r.emit(chat.Chunk{Reasoning: "\n\n"})
		}
		r.part = false
		r.unplaced = r.unplaced || e.OutputIndex == nil
		r.thought = marked(r.thought, e.at())
		r.emit(chat.Chunk{Reasoning: string(e.Delta)})
	case "response.output_item.added":
		r.added(e.at(), &e.Item)
	case "response.function_call_arguments.delta":
		r.args(e.at(), string(e.Delta))
	case "response.output_item.done":
		r.unplaced = r.unplaced || e.OutputIndex == nil
		return false, r.done(e.at(), &e.Item)
	case "response.completed", "response.incomplete", "response.done":
		for i := range e.Response.Output { // some servers send everything only now
			at := wireNumber(i)
			if r.unplaced || r.ends[at] {
				continue
			}
			if err := r.done(at, &e.Response.Output[i]); err != nil {
				return false, err
			}
		}
		r.over(&e.Response)
		return true, nil
	case "response.failed":
		return false, streamFailure(r.s, e.Response.Error)
	case "error":
		return false, streamFailure(r.s, data)
	case "":
		if e.Type == nil {
			return false, streamFailure(r.s, data)
		}
	}
	return false, nil
}

// text emits a piece of a text.
func (r *responsesReader) text(at place, piece string) {
	if r.said == nil {
		r.said = map[place]*told{}
	}
	if r.said[at] == nil {
		r.said[at] = &told{sum: fnv.New64a()}
	}
	r.said[at].bytes += len(piece)
	_, _ = io.WriteString(r.said[at].sum, piece)
	r.emit(chat.Chunk{Text: piece})
}

// emitRest emits the missing rest of a text.
func (r *responsesReader) emitRest(at place, text string) {
	from := 0
	if said := r.said[at]; said != nil {
		from = said.bytes
		if from >= len(text) {
			return
		}
		begin := fnv.New64a()
		if _, _ = io.WriteString(begin, text[:from]); begin.Sum64() != said.sum.Sum64() {
			return
		}
	}
	if text[from:] != "" {
		r.text(at, text[from:])
	}
}

// marked adds at to set and returns set.
func marked(set map[wireNumber]bool, at wireNumber) map[wireNumber]bool {
	if set == nil {
		set = map[wireNumber]bool{}
	}
	set[at] = true
	return set
}

// emitMissing emits the text of an item that did not arrive in pieces.
func (r *responsesReader) emitMissing(at wireNumber, item *responsesItem) {
	if r.unplaced && len(r.said)+len(r.thought) > 0 {
		return
	}
	switch {
	case item.Type == "message":
		for part, c := range item.Content {
			r.emitRest(place{at, wireNumber(part)}, string(c.Text+c.Refusal))
		}
	case item.Type == "reasoning" && !r.thought[at]:
		parts := textsOf(item.Summary)
		if len(parts) == 0 {
			parts = textsOf(item.Content)
		}
		r.emit(chat.Chunk{Reasoning: strings.Join(parts, "\n\n")})
	}
}

func textsOf(parts []responsesTextPart) (texts []string) {
	for _, part := range parts {
		texts = append(texts, string(part.Text))
	}
	return texts
}

// readWhole converts a complete reply to an event.
func (r *responsesReader) readWhole(body []byte) (event []byte) {
	var a struct {
		Object string `json:"object"`
		Status string `json:"status"`
	}
	if json.Unmarshal(body, &a) != nil || a.Object != "response" {
		return nil
	}
	event, _ = json.Marshal(map[string]any{"type": "response." + a.Status,
		"response": json.RawMessage(body)})
	return event
}

// ended reports whether the reply may end without a final event.
func (r *responsesReader) ended() bool { return false }

// added begins an item of the output.
func (r *responsesReader) added(at wireNumber, item *responsesItem) {
	if item.Type != "function_call" || r.calls[at] != nil {
		return
	}
	if r.calls == nil {
		r.calls = map[wireNumber]*itemCall{}
	}
	c := &itemCall{index: len(r.calls)}
	r.calls[at] = c
	r.emit(chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: c.index, ID: string(item.CallID),
		Name: string(item.Name)}})
}

func (r *responsesReader) args(at wireNumber, delta string) {
	if c := r.calls[at]; c != nil && delta != "" {
		c.args += len(delta)
		r.emit(chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: c.index, ArgsDelta: delta}})
	}
}

// done ends an item. Some servers send the arguments of a call only at its end. An error means that
// the reply is too large.
func (r *responsesReader) done(at wireNumber, item *responsesItem) error {
	r.ends = marked(r.ends, at)
	r.emitMissing(at, item)
	switch item.Type {
	case "function_call":
		r.added(at, item)
		c := r.calls[at]
		if c.args == 0 {
			r.args(at, item.arguments())
		}
		r.order.Items = append(r.order.Items, ownItem{Call: &c.index})
	case "message":
		r.order.Items = append(r.order.Items, ownItem{Text: true})
	case "reasoning":
		o := &ownReasoning{ID: string(item.ID), Encrypted: string(item.Encrypted),
			Summary: textsOf(item.Summary), Content: textsOf(item.Content)}
		// the server, which stores nothing, can only use these
		if o.Encrypted != "" || len(o.Content) > 0 {
			r.order.Items = append(r.order.Items, ownItem{Reasoning: o})
		}
		r.part = true
		return r.kept.part(append(slices.Concat(o.Summary, o.Content), o.ID, o.Encrypted)...)
	}
	return r.kept.part()
}

// over records the data of the whole reply.
func (r *responsesReader) over(res *responsesReply) {
	r.finish.Reason = "stop"
	switch reason := string(res.Incomplete.Reason); {
	case strings.HasPrefix(reason, "max_"):
		r.finish.Reason = "length"
	case reason != "":
		r.finish.Reason = reason
	case len(r.calls) > 0:
		r.finish.Reason = "tool_calls"
	}
	if u := res.Usage; u != nil {
		cached, written := int(u.Details.Cached), int(u.Details.Written)
		r.finish.Usage = &chat.Usage{Input: max(int(u.Input)-cached-written, 0),
			Output: int(u.Output), CacheRead: cached, CacheWrite: written}
		r.emit(chat.Chunk{Usage: r.finish.Usage})
	}
}

// endReply emits what must be sent back with the reply, and returns how the reply ended.
func (r *responsesReader) endReply() chat.Finish {
	for _, item := range r.order.Items {
		if item.Reasoning == nil {
			continue
		}
		if b, err := json.Marshal(r.order); err == nil {
			r.emit(chat.Chunk{Own: b})
		}
		break
	}
	return r.finish
}
