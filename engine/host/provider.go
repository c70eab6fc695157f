// This file makes model providers of scripts.
package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine"
)

func provider(c *engine.HostCall) (any, error) {
	spec := c.Args[0].(map[string]any)
	name := text(spec["name"])
	if !commandName.MatchString(name) {
		return nil, fmt.Errorf("ext.provider: name: got %q, want a-z, 0-9, - and _, beginning with a letter", name)
	}
	p := &engine.Provider{Name: name, Source: "script:" + c.Gen.Name, Line: c.Pos.Line}
	for i, v := range spec["models"].([]any) {
		m, err := model(v)
		if err != nil {
			return nil, fmt.Errorf("ext.provider: models[%d]: %w", i+1, err)
		}
		p.Models = append(p.Models, m)
	}
	if len(p.Models) == 0 {
		return nil, errors.New("ext.provider: models: got none, want at least one {id = \"...\"}")
	}
	gen, fn := c.Gen, spec["stream"].(engine.Func)
	p.Stream = func(ctx context.Context, req *engine.ModelRequest, emit func(engine.Chunk)) (engine.Finish, error) {
		return stream(ctx, gen, fn, name, req, emit)
	}
	return nil, gen.AddProvider(p)
}

var (
	priceFields = []engine.Field{{Name: "input", Type: "number?"}, {Name: "output", Type: "number?"}, {Name: "cache_read", Type: "number?"}, {Name: "cache_write", Type: "number?"}}
	modelFields = []engine.Field{{Name: "id", Type: "string"}, {Name: "context", Type: "integer?"}, {Name: "max_output", Type: "integer?"},
		{Name: "images", Type: "boolean?"}, {Name: "thinking", Type: "boolean?"}, {Name: "price", Type: "table?", Fields: priceFields}}
	usageFields = []engine.Field{{Name: "input", Type: "integer?"}, {Name: "output", Type: "integer?"}, {Name: "cache_read", Type: "integer?"}, {Name: "cache_write", Type: "integer?"}}
	usageField  = engine.Field{Name: "usage", Type: "table?", Fields: usageFields}
	chunkFields = []engine.Field{{Name: "text", Type: "string?"}, {Name: "reasoning", Type: "string?"}, usageField,
		{Name: "tool_call", Type: "table?", Fields: []engine.Field{{Name: "index", Type: "integer?"}, {Name: "id", Type: "string?"}, {Name: "name", Type: "string?"}, {Name: "args_delta", Type: "string?"}}},
		{Name: "warning", Type: "string?"},
		{Name: "source", Type: "table?", Fields: []engine.Field{{Name: "kind", Type: "string?"}, {Name: "id", Type: "string?"}, {Name: "url", Type: "string?"}, {Name: "title", Type: "string?"}}}}
	finishFields = []engine.Field{{Name: "finish_reason", Type: "string?"}, usageField}
)

func model(v any) (engine.Model, error) {
	args, err := engine.CheckArgs("model", []engine.Field{{Name: "model", Type: "table", Fields: modelFields}}, []any{v})
	if err != nil {
		return engine.Model{}, err
	}
	m := args[0].(map[string]any)
	out := engine.Model{ID: text(m["id"]), Context: int(number(m["context"])), MaxOutput: int(number(m["max_output"])),
		Images: truth(m["images"]), Thinking: truth(m["thinking"])}
	if p, ok := m["price"].(map[string]any); ok {
		out.Price = &engine.Price{Input: number(p["input"]), Output: number(p["output"]), CacheRead: number(p["cache_read"]), CacheWrite: number(p["cache_write"])}
	}
	return out, nil
}

// stream runs a script's stream function for one request.
func stream(ctx context.Context, g *engine.Generation, fn engine.Func, name string, req *engine.ModelRequest, emit func(engine.Chunk)) (engine.Finish, error) {
	r := engine.NewRun(ctx, g, engine.KindProvider, "provider "+name, req.Env, nil)
	row := &engine.APIRow{Name: "emit", Params: []engine.Field{{Name: "chunk", Type: "table", Fields: chunkFields}}}
	v, err := g.Run(r, fn, request(req), &engine.Builtin{Bare: true, Row: row, Func: func(c *engine.HostCall) (any, error) {
		emit(chunk(c.Args[0].(map[string]any)))
		return nil, nil
	}})
	if err != nil {
		var f *engine.FailError
		if errors.As(err, &f) {
			return engine.Finish{}, f
		}
		return engine.Finish{}, err
	}
	args, err := engine.CheckArgs("provider "+name+" returned", []engine.Field{{Name: "result", Type: "table?", Fields: finishFields}}, []any{v})
	if err != nil {
		return engine.Finish{}, fmt.Errorf("%s:%w", g.Name, err)
	}
	m := table(args[0])
	f := engine.Finish{Reason: text(m["finish_reason"]), Usage: usage(m["usage"])}
	if f.Reason == "" {
		f.Reason = "stop"
	}
	return f, nil
}

// request is a model request as a script reads it.
func request(req *engine.ModelRequest) map[string]any {
	tools := make([]any, len(req.Tools))
	for i, t := range req.Tools {
		tools[i] = t.Value()
	}
	m := map[string]any{"model": req.Model, "system": req.System, "messages": engine.MessageList(req.Messages), "tools": tools, "purpose": req.Purpose}
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

func chunk(m map[string]any) engine.Chunk {
	c := engine.Chunk{Text: text(m["text"]), Reasoning: text(m["reasoning"]), Usage: usage(m["usage"]), Warning: text(m["warning"])}
	if t, ok := m["tool_call"].(map[string]any); ok {
		c.ToolCall = &engine.ToolCallDelta{Index: int(number(t["index"])), ID: text(t["id"]), Name: text(t["name"]), ArgsDelta: text(t["args_delta"])}
	}
	if t, ok := m["source"].(map[string]any); ok {
		c.Source = &engine.ModelSource{Kind: text(t["kind"]), ID: text(t["id"]), URL: text(t["url"]), Title: text(t["title"])}
	}
	return c
}

func usage(v any) *engine.Usage {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	return &engine.Usage{Input: int(number(m["input"])), Output: int(number(m["output"])), CacheRead: int(number(m["cache_read"])), CacheWrite: int(number(m["cache_write"]))}
}
