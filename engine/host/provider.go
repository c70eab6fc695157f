// This file registers model providers of scripts.

package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// provider registers a model provider: one that the script streams itself, or a server with an API
// that the program knows.
func (r *registry) provider(c *engine.HostCall) (any, error) {
	const name = "ext.provider"
	spec := c.Args[0].(map[string]any)
	who := text(spec["name"])
	if !named(commandName(), who) {
		return nil, fmt.Errorf("%s: name: got %q, want a-z, 0-9, - and _, beginning with a letter",
			name, who)
	}
	models, find, err := providerModels(c.Gen, who, spec["models"])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var p *engine.Provider
	fn, streams := spec["stream"].(engine.Func)
	switch _, like := spec["like"]; {
	case streams == like:
		return nil, fmt.Errorf(
			"%s: want one of stream (the script implements the model) and like (a server with a "+
				"known API)", name)
	case like:
		if p, err = r.likeServer(c, who, spec, models, find); err != nil {
			return nil, err
		}
	default:
		if p, err = streamed(c, who, spec, models, find, fn); err != nil {
			return nil, err
		}
	}
	p.Source, p.Line = event.OfScript+c.Gen.Name, c.Pos.Line
	return nil, c.Gen.Registry.AddProvider(p)
}

// streamed returns the provider whose replies fn streams.
func streamed(c *engine.HostCall, who string, spec map[string]any, models []chat.Model,
	find lister, fn engine.Func) (*engine.Provider, error) {
	for _, key := range []string{"base_url", "key"} {
		if spec[key] != nil {
			return nil, fmt.Errorf(
				"ext.provider: %s: requires like; with stream the script makes its own "+
					"requests", key)
		}
	}
	if len(models) == 0 && find == nil {
		return nil, errors.New(
			"ext.provider: models: got none, want at least one {id = \"...\"}, or a function")
	}
	gen, line := c.Gen, c.Pos.Line
	return &engine.Provider{Name: who, Models: models, List: find,
		Stream: func(ctx context.Context, req *chat.Request,
			emit func(chat.Chunk)) (chat.Finish, error) {
			return stream(ctx, engine.NewRun(ctx, gen, vm.KindProvider, "provider "+who,
				req.Env, nil), fn, line, req, emit)
		}}, nil
}

// likeServer returns the provider of a server with a known API. The script must have the grant for
// its host, because the host gets a key and conversations.
func (r *registry) likeServer(c *engine.HostCall, who string, spec map[string]any,
	models []chat.Model, find lister) (*engine.Provider, error) {
	const name = "ext.provider"
	if spec["base_url"] == nil {
		return nil, fmt.Errorf("%s: base_url: got nil, want string: like requires it", name)
	}
	u, err := Reach(c.Gen, name, text(spec["base_url"]))
	if err != nil {
		return nil, fmt.Errorf("%w (base_url)", err)
	}
	s := chat.Server{Name: who, Like: text(spec["like"]), BaseURL: u.String(),
		Models: models, List: find}
	switch key := spec["key"].(type) {
	case nil:
	case *value.Secret:
		s.Key = key.Reveal()
	case string:
		s.Key = c.Gen.Engine().Mask.NewSecret("key of "+who, key,
			"%s").Reveal() // masked from now on
	default:
		return nil, fmt.Errorf("%s: key: got %s, want string, or what ext.secret gives", name,
			value.TypeName(key))
	}
	if r.like == nil {
		return &engine.Provider{Name: who, Models: models,
			Unusable: "model servers are not supported here"}, nil
	}
	return r.like(s), nil
}

// lister returns Provider.List; nil if the models are known.
type lister func(context.Context) ([]chat.Model, error)

// providerModels parses models: a list, or a function that returns one when the models are listed.
func providerModels(g *engine.Generation, who string, v any) ([]chat.Model, lister, error) {
	fn, ok := v.(engine.Func)
	if !ok {
		models, err := modelList("models", v)
		return models, nil, err
	}
	return nil, func(ctx context.Context) ([]chat.Model, error) {
		v, err := g.Run(engine.NewRun(ctx, g, vm.KindProvider, "models of "+who, nil, nil), fn)
		if err != nil {
			return nil, err
		}
		models, err := modelList(fmt.Sprintf("%s: models of %s returned", g.Name, who), v)
		return models, err
	}, nil
}

func modelList(name string, v any) ([]chat.Model, error) {
	args, err := value.CheckArgs(name, []value.Field{{Name: "models", Type: "list?"}}, []any{v})
	if err != nil {
		return nil, err
	}
	var models []chat.Model
	for i, v := range list(args[0]) {
		m, err := model(v)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", name, i+1, err)
		}
		models = append(models, m)
	}
	return models, nil
}

var (
	priceFields = []value.Field{{Name: "input", Type: "number?"},
		{Name: "output", Type: "number?"}, {Name: "cache_read", Type: "number?"},
		{Name: "cache_write", Type: "number?"}}
	modelFields = []value.Field{{Name: "id", Type: "string"}, {Name: "context", Type: "integer?"},
		{Name: "max_output", Type: "integer?"},
		{Name: "images", Type: "boolean?"}, {Name: "thinking", Type: "boolean?"},
		{Name: "price", Type: "table?", Fields: priceFields}}
	usageFields = []value.Field{{Name: "input", Type: "integer?"},
		{Name: "output", Type: "integer?"}, {Name: "cache_read", Type: "integer?"},
		{Name: "cache_write", Type: "integer?"}}
	usageField  = value.Field{Name: "usage", Type: "table?", Fields: usageFields}
	chunkFields = []value.Field{{Name: "text", Type: "string?"},
		{Name: "reasoning", Type: "string?"}, usageField,
		{Name: "tool_call", Type: "table?", Fields: []value.Field{
			{Name: "index", Type: "integer?"}, {Name: "id", Type: "string?"},
			{Name: "name", Type: "string?"}, {Name: "args_delta", Type: "string?"}}},
		{Name: "warning", Type: "string?"},
		{Name: "source", Type: "table?", Fields: []value.Field{{Name: "kind", Type: "string?"},
			{Name: "id", Type: "string?"}, {Name: "url", Type: "string?"},
			{Name: "title", Type: "string?"}}}}
	finishFields = []value.Field{{Name: "finish_reason", Type: "string?"}, usageField}
)

func model(v any) (chat.Model, error) {
	args, err := value.CheckArgs("", []value.Field{
		{Name: "model", Type: "table", Fields: modelFields}}, []any{v})
	if err != nil {
		return chat.Model{}, errors.New(strings.TrimPrefix(err.Error(), ": "))
	}
	m := args[0].(map[string]any)
	out := chat.Model{ID: text(m["id"]), Context: int(number(m["context"])),
		MaxOutput: int(number(m["max_output"])),
		Images:    truth(m["images"]), Thinking: truth(m["thinking"])}
	if p, ok := m["price"].(map[string]any); ok {
		if out.Price, err = chat.DecodePrice(p); err != nil {
			return out, fmt.Errorf("%s: price: %w", out.ID, err)
		}
	}
	return out, nil
}

// stream runs a script's stream function, registered at line, for one request.
func stream(ctx context.Context, r *engine.Run, fn engine.Func, line int, req *chat.Request,
	emit func(chat.Chunk)) (chat.Finish, error) {
	row := &engine.APIRow{Name: "emit", Params: []value.Field{
		{Name: "chunk", Type: "table", Fields: chunkFields}}}
	v, err := r.Gen.Run(r, fn, request(req), &engine.Builtin{Bare: true, Row: row,
		Func: func(c *engine.HostCall) (any, error) {
			emit(chunk(c.Args[0].(map[string]any)))
			return nil, nil
		}})
	var f *fault.FailError
	if errors.As(err, &f) {
		return chat.Finish{}, f
	}
	var args []any
	if err == nil {
		if args, err = value.CheckArgs("stream returned",
			[]value.Field{{Name: "result", Type: "table?", Fields: finishFields}},
			[]any{v}); err != nil {
			err = &fault.ScriptError{Position: fault.Position{File: r.Gen.Name, Line: line},
				Message: err.Error() + "; want nothing, or {finish_reason, usage}", Err: err}
		}
	}
	if err != nil {
		if ctx.Err() == nil {
			r.Gen.Failed(err, r.Label, line)
		}
		return chat.Finish{}, err
	}
	m := table(args[0])
	finish := chat.Finish{Reason: text(m["finish_reason"]), Usage: usage(m["usage"])}
	if finish.Reason == "" {
		finish.Reason = "stop"
	}
	return finish, nil
}

// request converts a model request for a script.
func request(req *chat.Request) map[string]any {
	tools := make([]any, len(req.Tools))
	for i, t := range req.Tools {
		tools[i] = t.Value()
	}
	m := map[string]any{"model": req.Model, "system": req.System,
		"messages": chat.MessageList(req.Messages), "tools": tools, "purpose": req.Purpose}
	if req.Options != nil {
		m["options"] = req.Options
	}
	if req.ToolChoice != "" {
		m["tool_choice"] = req.ToolChoice
	}
	if req.Thinking != "" {
		m["thinking"] = req.Thinking
	}
	return m
}

func chunk(m map[string]any) chat.Chunk {
	c := chat.Chunk{Text: text(m["text"]), Reasoning: text(m["reasoning"]),
		Usage: usage(m["usage"]), Warning: text(m["warning"])}
	if t, ok := m["tool_call"].(map[string]any); ok {
		c.ToolCall = &chat.ToolCallDelta{Index: int(number(t["index"])), ID: text(t["id"]),
			Name: text(t["name"]), ArgsDelta: text(t["args_delta"])}
	}
	if t, ok := m["source"].(map[string]any); ok {
		c.Source = &chat.Source{Kind: text(t["kind"]), ID: text(t["id"]),
			URL: text(t["url"]), Title: text(t["title"])}
	}
	return c
}

func usage(v any) *chat.Usage {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	return &chat.Usage{Input: int(number(m["input"])), Output: int(number(m["output"])),
		CacheRead: int(number(m["cache_read"])), CacheWrite: int(number(m["cache_write"]))}
}
