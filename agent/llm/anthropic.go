// This file implements Anthropic's Messages API, also for compatible servers.

package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
)

const anthropicURL = "https://api.anthropic.com"

// newAnthropic returns a provider that speaks the Messages API.
func newAnthropic(s server, o Options) *engine.Provider {
	// the setting may have the suffix or not
	s.baseURL = strings.TrimSuffix(strings.TrimRight(s.baseURL, "/"), "/v1")
	s.sign, s.memo = signAnthropic, &memo{}
	p := provider(s, o)
	said := &warnings{}
	p.Stream = func(ctx context.Context, req *chat.Request,
		emit func(chat.Chunk)) (chat.Finish, error) {
		body, err := messagesBody(s, callable(req, true), s.model(o, req.Model),
			said.to(emit)).encodeRequest()
		if err != nil {
			return chat.Finish{}, err
		}
		r := &messagesReader{s: s, emit: emit, pairs: pairs{emit: emit}}
		finish, err := r.readEvent(ctx, body)
		return finish, failure(s, err)
	}
	p.List = func(ctx context.Context) ([]chat.Model, error) {
		models, err := anthropicModels(ctx, s, o)
		return models, failure(s, err)
	}
	return p
}

// signAnthropic sets the headers of every request to the API.
func signAnthropic(h http.Header, key string) {
	h.Set("Anthropic-Version", anthropicVersion)
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

// messagesReader turns the events of one reply into chunks.
type messagesReader struct {
	s      server
	emit   func(chat.Chunk)
	usage  chat.Usage
	own    ownBlocks
	begun  bool
	whole  bool
	finish string
	calls  map[wireNumber]int // tool calls by content block
	kept   kept
	pairs  pairs
}

func (r *messagesReader) readEvent(ctx context.Context, request []byte) (chat.Finish, error) {
	err := r.events(ctx, request)
	r.pairs.emitRest()
	switch {
	case r.whole:
		err = nil
	case err == io.EOF && !r.begun:
		err = &fault.FailError{Message: "the answer is no stream of events; is " + r.s.where() +
			" right?"}
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		err = errBrokenOff
	}
	if err == nil && len(r.own) > 0 {
		r.emit(chat.Chunk{Own: r.own.encodeBlocks()})
	}
	return chat.Finish{Reason: r.finish, Usage: &r.usage}, err
}

// events posts a request and reads the events of the answer until the reply is complete. The error
// is io.EOF if the answer ends before that.
func (r *messagesReader) events(ctx context.Context, request []byte) error {
	res, err := r.s.post(ctx, "v1/messages", request, "application/json")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if body, ok := inOnePiece(res); ok {
		return r.readWhole(body)
	}
	for from := newEventReader(res.Body); !r.whole; {
		e, err := from.nextEvent()
		if err != nil {
			return err
		}
		switch e.Name {
		case "error":
			return streamFailure(r.s, []byte(e.Data))
		case "ping", "message": // every event of the API has a name; "message" means none
			continue
		}
		if err := r.data(r.pairs.markHalves([]byte(e.Data))); err != nil {
			return err
		}
	}
	return nil
}

// data reads an event. An error may mean that the reply is too large.
func (r *messagesReader) data(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	var ev messagesEvent
	err := decodeObject(data, &ev)
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other): // ignore events that are not objects
		return nil
	case err != nil:
		return notJSON(data, err)
	}
	return r.event(&ev)
}

// readWhole converts a complete reply to the events of a stream.
func (r *messagesReader) readWhole(body []byte) error {
	var m struct {
		Type       string            `json:"type"`
		Content    []json.RawMessage `json:"content"`
		StopReason string            `json:"stop_reason"`
		Usage      json.RawMessage   `json:"usage"`
	}
	if json.Unmarshal(body, &m) != nil || m.Type != "message" {
		return noStream(r.s, body)
	}
	events := []map[string]any{{"type": "message_start",
		"message": map[string]any{"usage": m.Usage}}}
	for i, block := range m.Content {
		events = append(events, map[string]any{"type": "content_block_start", "index": i,
			"content_block": block})
	}
	events = append(events, map[string]any{"type": "message_delta",
		"delta": map[string]any{"stop_reason": m.StopReason}},
		map[string]any{"type": "message_stop"})
	for _, ev := range events {
		text, err := json.Marshal(ev)
		if err == nil {
			err = r.data(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *messagesReader) event(ev *messagesEvent) error {
	switch ev.Type {
	case "message_start":
		r.begun = true
		r.count(&ev.Message.Usage)
	case "content_block_start":
		return r.beginBlock(ev.Index, &ev.Block)
	case "content_block_delta":
		return r.delta(ev.Index, &ev.Delta)
	case "message_delta":
		r.finish = finishReason(string(ev.Delta.StopReason))
		r.count(&ev.Usage)
	case "message_stop":
		r.whole = true
	}
	return nil
}

// count records token counts. The numbers of later events are sums; omitted ones are unchanged.
func (r *messagesReader) count(u *messagesUsage) {
	r.usage = chat.Usage{Input: max(int(u.Input), r.usage.Input),
		Output:     max(int(u.Output), r.usage.Output),
		CacheRead:  max(int(u.CacheRead), r.usage.CacheRead),
		CacheWrite: max(int(u.CacheWrite), r.usage.CacheWrite)}
	now := r.usage
	r.emit(chat.Chunk{Usage: &now})
}

func (r *messagesReader) beginBlock(index wireNumber, b *messagesBegun) error {
	switch b.Type {
	case "text":
		r.own.addBlock(index, b.Type).Size = len(b.Text)
		r.text(b.Text)
	case "thinking":
		own := r.own.addBlock(index, b.Type)
		own.thinking.WriteString(string(b.Thinking))
		own.signature.WriteString(string(b.Signature))
		r.think(b.Thinking)
	case "redacted_thinking":
		r.own.addBlock(index, b.Type).Data = string(b.Data)
	case "tool_use":
		r.own.addBlock(index, b.Type)
		if r.calls == nil {
			r.calls = map[wireNumber]int{}
		}
		r.calls[index] = len(r.calls)
		d := &chat.ToolCallDelta{Index: r.calls[index], ID: string(b.ID), Name: string(b.Name)}
		// some servers send the whole input at once
		if args, err := encodeJSON(b.Input); err == nil && len(args) > 2 && args[0] == '{' {
			d.ArgsDelta = string(args)
		}
		r.emit(chat.Chunk{ToolCall: d})
	}
	return r.kept.part(string(b.Thinking), string(b.Signature), string(b.Data))
}

func (r *messagesReader) delta(index wireNumber, d *messagesDelta) error {
	own := r.own.at(index)
	if r.pairs.some {
		d.Text, d.Thinking = wireText(r.pairs.join("text", string(d.Text))),
			wireText(r.pairs.join("reasoning", string(d.Thinking)))
		d.PartialJSON = wireText(r.pairs.join(strconv.FormatInt(int64(index), 10),
			string(d.PartialJSON)))
	}
	switch d.Type {
	case "text_delta":
		own.Size += len(d.Text)
		r.text(d.Text)
	case "thinking_delta":
		own.thinking.WriteString(string(d.Thinking))
		r.think(d.Thinking)
	case "signature_delta":
		own.signature.WriteString(string(d.Signature))
	case "input_json_delta":
		if i, ok := r.calls[index]; ok && d.PartialJSON != "" {
			r.emit(chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: i,
				ArgsDelta: string(d.PartialJSON)}})
		}
	}
	return r.kept.addPart(string(d.Thinking), string(d.Signature))
}

func (r *messagesReader) text(s wireText) {
	if s != "" {
		r.emit(chat.Chunk{Text: string(s)})
	}
}

func (r *messagesReader) think(s wireText) {
	if s != "" {
		r.emit(chat.Chunk{Reasoning: string(s)})
	}
}

// finishReason converts a stop reason to the engine's.
func finishReason(stop string) string {
	switch stop {
	case "", "end_turn", "stop_sequence", "pause_turn":
		return "stop"
	case "tool_use":
		return "tool_calls"
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	}
	return stop // refusal, and future ones
}

// modelsListed is how many models are requested: more than there are.
const modelsListed = 200

// anthropicModels requests the server's list of models.
func anthropicModels(ctx context.Context, s server, o Options) ([]chat.Model, error) {
	address, err := s.at("v1/models")
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	query := u.Query()
	query.Set("limit", strconv.Itoa(modelsListed))
	u.RawQuery = query.Encode()
	var page modelsPage
	if err := s.getJSON(ctx, http.MethodGet, u.String(), nil, &page); err != nil {
		return nil, err
	}
	var out []chat.Model
	for _, info := range page.Data {
		id := string(info.ID)
		m := describe(s.name, id, nil)
		if n := int(info.MaxInput); n > 0 {
			m.Context = n
		}
		if n := int(info.MaxOutput); n > 0 {
			m.MaxOutput = n
		}
		m.Thinking = m.Thinking || info.Can.Thinking.Supported
		m.Images = m.Images || info.Can.Images.Supported
		for _, c := range o.config().Models {
			if c.Name == s.name+"/"+id {
				override(&m, c)
			}
		}
		out = append(out, m)
	}
	return out, nil
}
