// This file asks Anthropic's Messages API, and servers that are compatible with it.

package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/agentscripts/agent/engine"
)

const anthropicURL = "https://api.anthropic.com"

// newAnthropic is a provider that speaks the Messages API.
func newAnthropic(s server, o Options) *engine.Provider {
	s.baseURL = strings.TrimSuffix(strings.TrimRight(s.baseURL, "/"), "/v1") // the SDK adds it
	p := provider(s, o)
	said := &warnings{}
	p.Stream = func(ctx context.Context, req *engine.ModelRequest, emit func(engine.Chunk)) (engine.Finish, error) {
		params := messagesRequest(s, callable(req, true), s.model(o, req.Model), said.to(emit))
		r := &messagesReader{s: s, emit: emit, pairs: pairs{emit: emit}}
		finish, err := r.read(ctx, anthropicClient(s), params)
		return finish, failure(s, err)
	}
	p.List = func(ctx context.Context) ([]engine.Model, error) {
		models, err := anthropicModels(ctx, s, o)
		return models, failure(s, err)
	}
	return p
}

// anthropicClient are the options of a client for s. It knows nothing of the environment: a server that the user names never gets what was
// meant for another. The agent makes failed requests again, and tells of it: the SDK does not.
func anthropicClient(s server) []option.RequestOption {
	opts := []option.RequestOption{option.WithoutEnvironmentDefaults(), option.WithBaseURL(s.baseURL + "/"), option.WithMaxRetries(0),
		option.WithHTTPClient(stays()),
		option.WithMiddleware(func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			res, err := next(req)
			if err == nil {
				err = answered(s, res)
			}
			if err != nil {
				return nil, err
			}
			bounded(res)
			return res, nil
		})}
	if s.key != "" {
		opts = append(opts, option.WithAPIKey(s.key))
	}
	for _, name := range slices.Sorted(maps.Keys(s.headers)) {
		opts = append(opts, option.WithHeader(name, s.headers[name]))
	}
	return opts
}

// messagesReader turns the events of one reply into chunks.
type messagesReader struct {
	s      server
	emit   func(engine.Chunk)
	usage  engine.Usage
	own    ownBlocks
	begun  bool
	whole  bool
	finish string
	calls  map[int64]int // tool calls by content block
	kept   kept
	pairs  pairs
}

func (r *messagesReader) read(ctx context.Context, opts []option.RequestOption, params anthropic.MessageNewParams) (engine.Finish, error) {
	var res *http.Response
	client := anthropic.Client{Options: opts}
	err := client.Post(ctx, "v1/messages", params, &res, option.WithJSONSet("stream", true))
	if err == nil {
		if body, ok := inOnePiece(res); ok {
			err = r.answer(body)
		}
	}
	stream := ssestream.NewStream[json.RawMessage](ssestream.NewDecoder(res), err)
	defer stream.Close()
	for err == nil && !r.whole && stream.Next() {
		err = r.data(r.pairs.mark(stream.Current()))
	}
	r.pairs.end()
	if err == nil && !r.whole {
		err = stream.Err()
	}
	var syntax *json.SyntaxError
	switch {
	case r.whole:
		err = nil
	case err == nil && !r.begun:
		err = &engine.FailError{Message: "the answer is no stream of events; is " + r.s.where() + " right?"}
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF):
		err = errBrokenOff
	case errors.As(err, &syntax):
		err = notJSON(nil, err)
	default:
		err = r.reported(err)
	}
	if err == nil && len(r.own) > 0 {
		r.emit(engine.Chunk{Own: r.own.encode()})
	}
	return engine.Finish{Reason: r.finish, Usage: &r.usage}, err
}

// streamed is what the SDK puts before an error event.
const streamed = "received error while streaming: "

// reported is an error that the server has sent as an event, or that ended the stream.
func (r *messagesReader) reported(err error) error {
	var known *anthropic.Error
	if errors.As(err, &known) {
		return streamFailure(r.s, []byte(known.RawJSON()))
	}
	if data, ok := strings.CutPrefix(err.Error(), streamed); ok {
		return streamFailure(r.s, []byte(data))
	}
	return err
}

// blockPiece is a piece of a block.
type blockPiece struct {
	Type, Text, Thinking, Signature string
	PartialJSON                     string `json:"partial_json"`
}

// data reads an event; the error may say that the reply is too large. Nearly all events are pieces of blocks: they are not
// left to the SDK, as what it takes for one would be most of what a reply costs.
func (r *messagesReader) data(text json.RawMessage) error {
	var piece struct {
		Type  string
		Index int64
		Delta blockPiece
	}
	// Of half a letter encoding/json would make another, and the rest is to come.
	if utf8.Valid(text) && json.Unmarshal(text, &piece) == nil && piece.Type == "content_block_delta" {
		return r.delta(piece.Index, &piece.Delta)
	}
	var ev anthropic.MessageStreamEventUnion
	if err := json.Unmarshal(text, &ev); err != nil {
		return err
	}
	return r.event(&ev)
}

// answer reads a reply that came in one piece, as the events that it would have come in.
func (r *messagesReader) answer(body []byte) error {
	var m struct {
		Type       string            `json:"type"`
		Content    []json.RawMessage `json:"content"`
		StopReason string            `json:"stop_reason"`
		Usage      json.RawMessage   `json:"usage"`
	}
	if json.Unmarshal(body, &m) != nil || m.Type != "message" {
		return noStream(r.s, body)
	}
	events := []map[string]any{{"type": "message_start", "message": map[string]any{"usage": m.Usage}}}
	for i, block := range m.Content {
		events = append(events, map[string]any{"type": "content_block_start", "index": i, "content_block": block})
	}
	events = append(events, map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": m.StopReason}}, map[string]any{"type": "message_stop"})
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

func (r *messagesReader) event(ev *anthropic.MessageStreamEventUnion) error {
	switch ev.Type {
	case "message_start":
		r.begun = true
		u := ev.Message.Usage
		r.count(engine.Usage{Input: int(u.InputTokens), Output: int(u.OutputTokens), CacheRead: int(u.CacheReadInputTokens), CacheWrite: int(u.CacheCreationInputTokens)})
	case "content_block_start":
		return r.begin(ev)
	case "content_block_delta":
		d := &ev.Delta
		return r.delta(ev.Index, &blockPiece{Type: d.Type, Text: d.Text, Thinking: d.Thinking, Signature: d.Signature, PartialJSON: d.PartialJSON})
	case "message_delta":
		r.finish = finishReason(string(ev.Delta.StopReason))
		u := ev.Usage
		r.count(engine.Usage{Input: int(u.InputTokens), Output: int(u.OutputTokens), CacheRead: int(u.CacheReadInputTokens), CacheWrite: int(u.CacheCreationInputTokens)})
	case "message_stop":
		r.whole = true
	}
	return nil
}

// count takes a count over: the numbers of later events are sums, and those that they leave out stay.
func (r *messagesReader) count(u engine.Usage) {
	r.usage = engine.Usage{Input: max(u.Input, r.usage.Input), Output: max(u.Output, r.usage.Output),
		CacheRead: max(u.CacheRead, r.usage.CacheRead), CacheWrite: max(u.CacheWrite, r.usage.CacheWrite)}
	now := r.usage
	r.emit(engine.Chunk{Usage: &now})
}

func (r *messagesReader) begin(ev *anthropic.MessageStreamEventUnion) error {
	b := ev.ContentBlock
	switch b.Type {
	case "text":
		r.own.add(ev.Index, b.Type).Size = len(b.Text)
		r.text(b.Text)
	case "thinking":
		own := r.own.add(ev.Index, b.Type)
		own.thinking.WriteString(b.Thinking)
		own.signature.WriteString(b.Signature)
		r.think(b.Thinking)
	case "redacted_thinking":
		r.own.add(ev.Index, b.Type).Data = b.Data
	case "tool_use":
		r.own.add(ev.Index, b.Type)
		if r.calls == nil {
			r.calls = map[int64]int{}
		}
		r.calls[ev.Index] = len(r.calls)
		d := &engine.ToolCallDelta{Index: r.calls[ev.Index], ID: b.ID, Name: b.Name}
		if args, err := json.Marshal(b.Input); err == nil && len(args) > 2 && args[0] == '{' { // all at once, as some servers do
			d.ArgsDelta = string(args)
		}
		r.emit(engine.Chunk{ToolCall: d})
	}
	return r.kept.part(b.Thinking, b.Signature, b.Data)
}

func (r *messagesReader) delta(index int64, d *blockPiece) error {
	own := r.own.at(index)
	if r.pairs.some {
		d.Text, d.Thinking = r.pairs.join("text", d.Text), r.pairs.join("reasoning", d.Thinking)
		d.PartialJSON = r.pairs.join(strconv.FormatInt(index, 10), d.PartialJSON)
	}
	switch d.Type {
	case "text_delta":
		own.Size += len(d.Text)
		r.text(d.Text)
	case "thinking_delta":
		own.thinking.WriteString(d.Thinking)
		r.think(d.Thinking)
	case "signature_delta":
		own.signature.WriteString(d.Signature)
	case "input_json_delta":
		if i, ok := r.calls[index]; ok && d.PartialJSON != "" {
			r.emit(engine.Chunk{ToolCall: &engine.ToolCallDelta{Index: i, ArgsDelta: d.PartialJSON}})
		}
	}
	return r.kept.add(d.Thinking, d.Signature)
}

func (r *messagesReader) text(s string) {
	if s != "" {
		r.emit(engine.Chunk{Text: s})
	}
}

func (r *messagesReader) think(s string) {
	if s != "" {
		r.emit(engine.Chunk{Reasoning: s})
	}
}

// finishReason is a stop reason in the words of the engine.
func finishReason(stop string) string {
	switch stop {
	case "", "end_turn", "stop_sequence", "pause_turn":
		return "stop"
	case "tool_use":
		return "tool_calls"
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	}
	return stop // refusal, and what is to come
}

// modelsListed is how many models are asked for: more than there are.
const modelsListed = 200

// anthropicModels asks the server what models it has.
func anthropicModels(ctx context.Context, s server, o Options) ([]engine.Model, error) {
	service := anthropic.NewModelService(anthropicClient(s)...)
	page, err := service.List(ctx, anthropic.ModelListParams{Limit: anthropic.Int(modelsListed)})
	if err != nil {
		return nil, err
	}
	var out []engine.Model
	for _, info := range page.Data {
		m := describe(s.name, info.ID, nil)
		if n := int(info.MaxInputTokens); n > 0 {
			m.Context = n
		}
		if n := int(info.MaxTokens); n > 0 {
			m.MaxOutput = n
		}
		m.Thinking = m.Thinking || info.Capabilities.Thinking.Supported
		m.Images = m.Images || info.Capabilities.ImageInput.Supported
		for _, c := range o.config().Models {
			if c.Name == s.name+"/"+info.ID {
				override(&m, c)
			}
		}
		out = append(out, m)
	}
	return out, nil
}
