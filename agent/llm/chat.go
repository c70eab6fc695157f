// This file decodes a reply of the chat completions API, which many servers speak with small
// differences.

package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
)

// newChat returns a provider for a server that speaks OpenAI's chat completions.
func newChat(s server, o Options) *engine.Provider {
	s = s.withCache()
	s.memo = &memo{}
	p := provider(s, o)
	if s.models == nil || s.official() || s.moved { // the user has not listed the models
		p.List = s.list(o, s.openAIModels)
	}
	once := &warnings{}
	p.Stream = func(ctx context.Context, req *chat.Request,
		emit func(chat.Chunk)) (chat.Finish, error) {
		whole := &pairs{emit: emit}
		r := chatReader{s: s, emit: whole.chunk}
		body, err := chatBody(s, s.model(o, req.Model), callable(req, s.official()), once.to(emit))
		if err == nil {
			err = events(ctx, s, "chat/completions", body, &r, whole)
		}
		return r.endReply(), err
	}
	return p
}

// reasoningFields are the field names in which servers send the model's reasoning, in the order of
// chatDelta.
var reasoningFields = [...]string{"reasoning_content", "reasoning", "reasoning_text"}

// chatReader assembles one reply.
type chatReader struct {
	s      server
	emit   func(chat.Chunk)
	calls  []*chatCall
	own    chatOwn
	think  thinkTags
	legacy int    // 1 + the index of the call that is sent as function_call
	reason string // why the reply ended; "" = it has not ended
	usage  *chat.Usage
	kept   kept
}

// chatCall is a tool call that is being received.
type chatCall struct {
	key   wireNumber // the server's index
	id    string
	name  string
	args  strings.Builder
	extra json.RawMessage
}

// event reads one event. [DONE] completes the reply.
func (r *chatReader) event(data []byte) (whole bool, err error) {
	if string(data) == "[DONE]" {
		return true, nil
	}
	var c chatChunk
	if err := decodeObject(data, &c); err != nil {
		return false, failure(r.s, notJSON(data, err))
	}
	if present(c.Error) {
		return false, streamFailure(r.s, c.Error)
	}
	if c.Usage != nil {
		r.count(c.Usage)
	}
	for i := range c.Choices {
		choice := &c.Choices[i]
		if present(choice.Error) {
			return false, streamFailure(r.s, choice.Error)
		}
		if choice.Index == 0 { // only one choice was requested
			d := choice.Delta
			if d == nil {
				d = choice.Message // the whole message, although this is a stream
			}
			if err := r.delta(d); err != nil {
				return false, err
			}
			if choice.FinishReason != "" {
				r.reason = string(choice.FinishReason)
			}
			if r.reason == "error" {
				return false, failure(r.s,
					&fault.FailError{Message: "the server ended the reply with an error, and " +
						"does not say which", Retryable: true})
			}
		}
	}
	return false, nil
}

// ended reports whether the model said why it ended: some servers omit [DONE].
func (r *chatReader) ended() bool { return r.reason != "" }

// delta reads a piece of the reply. An error means that the reply is too large.
func (r *chatReader) delta(d *chatDelta) error {
	if d == nil {
		return nil
	}
	name, said := d.reasoning()
	if said != "" {
		r.own.Field = name
		r.emit(chat.Chunk{Reasoning: said})
	}
	if present(d.ReasoningDetails) {
		r.own.Details = addDetails(r.own.Details, d.ReasoningDetails)
		if text := detailText(d.ReasoningDetails); text != "" && said == "" {
			r.emit(chat.Chunk{Reasoning: text})
		}
		if err := r.kept.addPart(string(d.ReasoningDetails)); err != nil {
			return err
		}
	}
	if bytes.HasPrefix(d.Content, []byte("[")) {
		r.parts(d.Content)
	} else if content := textIn(d.Content); content != "" {
		r.think.addText(content, r.emit)
	}
	if d.Refusal != "" {
		r.emit(chat.Chunk{Text: string(d.Refusal)})
	}
	for i := range d.ToolCalls {
		if err := r.readCallDelta(&d.ToolCalls[i]); err != nil {
			return err
		}
	}
	if d.FunctionCall != nil { // older servers
		return r.functionCall(string(d.FunctionCall.Name), string(d.FunctionCall.Arguments))
	}
	return nil
}

// functionCall reads a piece of the only call of a reply, in the form that servers used before
// there were tool calls.
func (r *chatReader) functionCall(name, args string) error {
	if r.legacy == 0 {
		r.calls = append(r.calls, &chatCall{key: -1})
		r.legacy = len(r.calls)
		if err := r.kept.part(); err != nil {
			return err
		}
	}
	c := r.calls[r.legacy-1]
	c.args.WriteString(args)
	d := &chat.ToolCallDelta{Index: r.legacy - 1, ArgsDelta: args}
	if c.name == "" {
		c.name, d.Name = name, name
	}
	r.emit(chat.Chunk{ToolCall: d})
	return nil
}

// readWhole converts a complete reply to an event: a message has the fields of a delta.
func (r *chatReader) readWhole(body []byte) (event []byte) {
	var a struct {
		Choices []struct {
			Message json.RawMessage `json:"message"`
			Reason  string          `json:"finish_reason"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage,omitempty"`
	}
	if json.Unmarshal(body, &a) != nil || len(a.Choices) == 0 || len(a.Choices[0].Message) == 0 {
		return nil
	}
	reason := a.Choices[0].Reason
	if reason == "" {
		reason = "stop"
	}
	choice := map[string]any{"index": 0, "delta": a.Choices[0].Message, "finish_reason": reason}
	event, _ = json.Marshal(map[string]any{"choices": []any{choice}, "usage": a.Usage})
	return event
}

// parts reads content that is a list: text and reasoning.
func (r *chatReader) parts(raw []byte) {
	type part struct {
		Text     string `json:"text"`
		Thinking []struct {
			Text string `json:"text"`
		} `json:"thinking"`
	}
	var list []json.RawMessage
	_ = json.Unmarshal(raw, &list) // ignore anything else
	for _, one := range list {
		var p part
		_ = json.Unmarshal(one, &p)
		for _, t := range p.Thinking {
			r.emit(chat.Chunk{Reasoning: t.Text})
		}
		r.emit(chat.Chunk{Text: p.Text})
	}
}

// readCallDelta reads a piece of a tool call.
func (r *chatReader) readCallDelta(t *chatCallPiece) error {
	args, name, id := string(t.Function.Arguments), string(t.Function.Name), string(t.ID)
	i := r.findCall(t)
	if i < 0 {
		i = len(r.calls)
		key := wireNumber(-1)
		if t.Index != nil {
			key = *t.Index
		}
		r.calls = append(r.calls, &chatCall{key: key})
		if err := r.kept.part(); err != nil {
			return err
		}
	}
	c := r.calls[i]
	c.args.WriteString(args)
	if present(t.ExtraContent) {
		c.extra = t.ExtraContent
	}
	d := &chat.ToolCallDelta{Index: i, ArgsDelta: args}
	if c.id == "" {
		c.id, d.ID = id, id
	}
	if c.name == "" {
		c.name, d.Name = name, name
	}
	r.emit(chat.Chunk{ToolCall: d})
	return r.kept.addPart(string(t.ExtraContent))
}

// wholeArgs is the greatest size of arguments for which findCall checks whether they are complete,
// if the call has no id.
const wholeArgs = 64 << 10

// findCall returns the call that a piece belongs to, -1 if it begins a new one. The index decides.
// But some servers omit it, some send 0 for every call, and some repeat id and name with every
// piece: so a name begins a new call if the id differs, or if there are no ids and the arguments so
// far are complete.
func (r *chatReader) findCall(t *chatCallPiece) int {
	id := string(t.ID)
	for i := len(r.calls) - 1; i >= 0; i-- {
		c := r.calls[i]
		switch {
		case t.Index != nil && c.key != *t.Index:
		case t.Function.Name == "", id != "" && id == c.id:
			return i
		case id != "" && c.id != "", c.args.Len() <= wholeArgs &&
			json.Valid([]byte(c.args.String())):
			return -1
		default:
			return i
		}
	}
	return -1
}

// count records the server's token counts. The last ones count; some servers send them with every
// event.
func (r *chatReader) count(u *chatUsage) {
	cached := int(u.Details.Cached)
	r.usage = &chat.Usage{Input: max(int(u.Prompt)-cached, 0), Output: int(u.Completion),
		CacheRead: cached}
	r.emit(chat.Chunk{Usage: r.usage})
}

// endReply emits what must be sent back with the reply, and returns how the reply ended.
func (r *chatReader) endReply() chat.Finish {
	r.think.emitRest(r.emit)
	for _, c := range r.calls {
		r.own.Extra = append(r.own.Extra, c.extra)
	}
	if !anyExtra(r.calls) {
		r.own.Extra = nil
	}
	if r.own.Field != "" || r.own.Extra != nil || r.own.Details != nil {
		if b, err := json.Marshal(r.own); err == nil {
			r.emit(chat.Chunk{Own: b})
		}
	}
	return chat.Finish{Reason: chatReason(r.reason, len(r.calls) > 0), Usage: r.usage}
}

func anyExtra(calls []*chatCall) bool {
	for _, c := range calls {
		if c.extra != nil {
			return true
		}
	}
	return false
}

// chatReason returns why a reply ended: some servers send stop, or nothing, also if there are
// calls.
func chatReason(reason string, calls bool) string {
	switch {
	case calls && (reason == "stop" || reason == "" || reason == "function_call"):
		return "tool_calls"
	case reason == "":
		return "stop"
	}
	return reason
}
