// This file makes a request to a model, whatever for.
package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine"
)

// ask is what a model is asked.
type ask struct {
	purpose    string // one of engine.Purposes
	model      string // "provider/id"; "" = the agent's
	system     string
	messages   []*engine.Message // not changed
	tools      []engine.ToolSpec
	toolChoice string
	options    map[string]any
	iteration  int  // turn of the prompt, 1-based
	last       bool // no more tools wanted
	shown      bool // it is part of the conversation: message events tell of it
	onDelta    func(kind, text string)
}

// request asks a model. The reply holds what came, also when there is an error; then it has no tool uses. Every
// request of the program goes through here.
func (a *Agent) request(ctx context.Context, q *ask) (*reply, error) {
	const tries = 3 // a provider's script may be saved at the moment it is asked: then the new one is
	for n := 1; ; n++ {
		provider, model, err := a.resolve()
		if err != nil {
			a.fail("model", err.Error(), false)
			return &reply{}, err
		}
		req := &engine.ModelRequest{Model: model.ID, System: q.system, Messages: q.messages, Tools: q.tools, ToolChoice: q.toolChoice,
			Options: q.options, Thinking: a.settings.level(), Purpose: q.purpose, Env: a.Envelope()}
		r, err := a.stream(ctx, provider, model, req)
		if errors.Is(err, engine.ErrClosed) && !r.begun && ctx.Err() == nil && n < tries {
			continue
		}
		if err == nil || ctx.Err() != nil {
			return r, err
		}
		r.uses = nil
		err = fmt.Errorf("model %s/%s: %w", provider.Name, model.ID, err)
		var f *engine.FailError
		a.fail("model", err.Error(), errors.As(err, &f) && f.Retryable)
		return r, err
	}
}

// tools are the tools that the agent may call, as they are registered now, as a model is told of them.
func (a *Agent) tools() []engine.ToolSpec {
	snap := a.engine.Snapshot()
	var specs []engine.ToolSpec
	for _, name := range snap.ToolNames() {
		t := snap.Tool(name)
		specs = append(specs, engine.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema,
			Kind: t.Kind, ReadOnly: t.ReadOnly, Source: t.Source})
	}
	return a.offer(specs)
}

// callProvider asks the provider on a goroutine of its own, so that one that does not heed ctx is left behind
// (its chunks go nowhere then). Its panic is an error.
func callProvider(ctx context.Context, provider *engine.Provider, req *engine.ModelRequest, emit func(engine.Chunk)) (engine.Finish, error) {
	type answer struct {
		finish engine.Finish
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if x := recover(); x != nil {
				done <- answer{err: fmt.Errorf("internal error: %v", x)}
			}
		}()
		f, err := provider.Stream(ctx, req, emit)
		done <- answer{f, err}
	}()
	select {
	case a := <-done:
		return a.finish, a.err
	case <-ctx.Done():
		return engine.Finish{}, context.Cause(ctx)
	}
}
