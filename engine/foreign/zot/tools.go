// This file has the tools of a program, and its calls of tools of the agent.

package zot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// exposures are to whom a tool can be offered. Here all are offered to the model, deferred ones
// when they have been activated.
var exposures = []string{"", "direct", "codemode", "deferred", "model-only"}

// addTool registers a tool that the model can call.
func (l *link) addTool(run *engine.Run, f *frame) error {
	var schema any = map[string]any{"type": "object"}
	if len(f.Schema) > 0 && string(f.Schema) != "null" {
		if err := json.Unmarshal(f.Schema, &schema); err != nil {
			return fmt.Errorf("schema: %w", err)
		}
	}
	if !slices.Contains(exposures, f.Exposure) {
		return fmt.Errorf("unknown exposure %.40q, want one of %s", f.Exposure,
			strings.Join(exposures[1:], ", "))
	}
	options := map[string]any{"name": f.Name, "description": f.Description, "schema": schema,
		"run": l.api.Func(func(run *engine.Run, args []any) (any, error) {
			return l.runTool(run, f, args[0])
		})}
	if f.Interactive { // the user takes the time
		options["timeout"] = 0.0
	}
	_, err := l.api.Invoke(run, "tool", options)
	if err == nil && (f.Deferred || f.Exposure == "deferred") {
		err = l.hidden.hide(l, run, f.Name)
	}
	return err
}

// runTool lets the program run a tool that it has registered with f.
func (l *link) runTool(run *engine.Run, f *frame, args any) (any, error) {
	if f.Interactive && l.api.Bind.Gen.Engine().Screen.Surface() == nil {
		return nil, errors.New("this tool asks the user, and there is no screen")
	}
	plain, err := value.Plain(args)
	if err != nil {
		return nil, err
	}
	if plain == nil {
		plain = map[string]any{}
	}
	l.program.Use()
	answer, err := l.askProgram(run, message{"type": "tool_call", "name": f.Name, "args": plain})
	if err != nil {
		return nil, err
	}
	l.hidden.offer(answer.Activate)
	return answer.result(), nil
}

// hidden are the deferred tools of a program that no result has activated. The zero value has none.
type hidden struct {
	mu    sync.Mutex
	names map[string]bool
}

// hide hides a tool from models until a result activates it.
func (h *hidden) hide(l *link, run *engine.Run, name string) error {
	h.mu.Lock()
	first := h.names == nil
	if first {
		h.names = map[string]bool{}
	}
	h.names[name] = true
	h.mu.Unlock()
	if !first {
		return nil
	}
	_, err := l.api.Invoke(run, "tools.only", l.api.Func(func(_ *engine.Run,
		args []any) (any, error) {
		v, err := value.Plain(args[0])
		tool, _ := v.(map[string]any)
		h.mu.Lock()
		defer h.mu.Unlock()
		return !h.names[value.Text(tool, "name")], err
	}))
	return err
}

// offer offers tools to models from the next request on.
func (h *hidden) offer(names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range names {
		delete(h.names, name)
	}
}

// mostCalling limits the calls of tools that a program has begun and that have not ended.
const mostCalling = 100

// calling are the calls of tools of the agent that a program has begun and that have not ended: how
// to cancel them, by id. The zero value has none.
type calling struct {
	mu   sync.Mutex
	ends map[string]context.CancelFunc
}

// beginCall begins a call. It does not wait: one that calls this program again must not be in its
// way.
func (c *calling) beginCall(l *link, f *frame) {
	cause := f.cause
	if cause == nil { // it is a circle
		cause = context.Background()
	}
	ctx, cancel := context.WithCancel(cause)
	begun, err := c.addCall(f.ID, cancel)
	if !begun { // an answer would be that of the first call
		cancel()
		l.api.Log("warn", fmt.Sprintf("a call_tool has the id %.40q of one that has not ended",
			f.ID))
		return
	}
	go func() {
		defer cancel()
		l.answerCall(ctx, f, cmp.Or(f.circle, err))
		if err == nil {
			c.cancel(f.ID)
		}
	}()
}

// addCall adds a call. It returns false if one with the id has not ended. The error is the answer
// to it if it is one too many.
func (c *calling) addCall(id string, cancel context.CancelFunc) (begun bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch n := len(c.ends); {
	case c.ends[id] != nil:
		return false, nil
	case n >= mostCalling:
		return true, fmt.Errorf("%d calls of tools at a time are too many: wait for results", n+1)
	case n == 0:
		c.ends = map[string]context.CancelFunc{}
	}
	c.ends[id] = cancel
	return true, nil
}

// cancel ends a call, if it has not ended.
func (c *calling) cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if end := c.ends[id]; end != nil {
		end()
		delete(c.ends, id)
	}
}

// answerCall calls a tool of the agent for the program, unless there is an error, and sends the
// result.
func (l *link) answerCall(ctx context.Context, f *frame, err error) {
	answer := message{"type": "tool_result", "id": f.ID, "name": f.Name}
	var r map[string]any
	if err == nil {
		r, err = l.callTool(ctx, f)
	}
	if answer["content"], answer["is_error"] = r["content"], r["is_error"] == true; err != nil {
		answer["is_error"] = true
		answer["content"] = []any{map[string]any{"type": "text", "text": err.Error()}}
	}
	_ = l.send(answer) // a program that is gone needs no answer
}

// callTool returns the result of a tool that the program calls.
func (l *link) callTool(ctx context.Context, f *frame) (map[string]any, error) {
	run := l.api.NewRun(ctx, "call_tool "+f.Name)
	defer run.End()
	v, err := l.api.Invoke(run, "tools.call", f.Name, table(f.Args))
	r, ok := v.(map[string]any)
	if err == nil && !ok {
		err = errors.New("the tool returned nothing")
	}
	return r, err
}
