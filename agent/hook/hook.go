//go:generate go test . -run TestEvents -update

// Package hook lets Go code handle events like scripts: in the same order, under the same rules.
//
//	off, err := hook.OnToolCall(a.Engine(), func(ctx context.Context,
//		ev hook.ToolCall) (hook.ToolCallOutcome, error) {
//
//		if ev.Tool == "bash" && strings.Contains(ev.Args["command"].(string), "sudo") {
//			return hook.ToolCallOutcome{Block: true, Reason: "no sudo"}, nil
//		}
//		return hook.ToolCallOutcome{}, nil // go on
//	}, hook.Priority(10))
//	defer off()
//
// There is one such function for each event whose handlers may return something; Observe is for all
// others. The zero outcome means: continue. An error, a panic or a timeout of a hook is treated as
// a script's is: a guard that fails does not let the call through. Hooks may be added and removed
// at any time, also while calls run.
//
// The types are generated from the event table; a test compares them.
package hook

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/suggest"
)

// Option configures a hook.
type Option func(h *engine.Handler, filters map[string]any)

// Priority sets the hook's position: lower ones run first; the default of scripts and hooks is 50.
func Priority(n float64) Option {
	return func(h *engine.Handler, _ map[string]any) { h.Priority = n }
}

// Name sets the hook's name in messages, dialogs and the decision log; the default is "go".
func Name(name string) Option {
	return func(h *engine.Handler, _ map[string]any) { h.Name = name }
}

// Timeout sets the hook's time limit, 0 = none; the default is that of scripts.
func Timeout(d time.Duration) Option {
	return func(h *engine.Handler, _ map[string]any) { h.Timeout = &d }
}

// OnError sets the effect of a failure; the default is in the event's row.
func OnError(f event.Failure) Option {
	return func(h *engine.Handler, _ map[string]any) { h.OnError = f }
}

// Filter restricts the hook to events that match a filter: Filter("tool", "bash|edit"),
// Filter("match", `(?i)secret`).
func Filter(key string, value any) Option {
	return func(_ *engine.Handler, filters map[string]any) { filters[key] = value }
}

// Observe calls f for the events whose names match the pattern (tool_*, or * for all). f runs
// asynchronously and in order, and cannot influence the event. To get all events in one order and
// as a user may see them, subscribe to the engine.
func Observe(e *engine.Engine, pattern string, f func(ctx context.Context, ev *event.Event) error,
	options ...Option) (off func(), err error) {
	if f == nil {
		return nil, fmt.Errorf("hook: %s: got no function", pattern)
	}
	var handlers []*engine.Handler
	var names []string
	for _, row := range e.Events.Rows() {
		fits, err := path.Match(pattern, row.Name)
		if err != nil {
			return nil, fmt.Errorf("hook: pattern %q: %w", pattern, err)
		}
		if row.Phase != event.Observe || row.Name == event.Custom {
			continue
		}
		if names = append(names, row.Name); !fits {
			continue
		}
		h, err := handler(e, row.Name, func(ctx context.Context, ev *event.Event) (any,
			error) {
			return nil, f(ctx, ev)
		}, options)
		if err != nil {
			return nil, err
		}
		handlers = append(handlers, h)
	}
	if len(handlers) == 0 {
		return nil, fmt.Errorf("hook: no event that can only be observed fits %q%s", pattern,
			suggest.DidYouMean(pattern, names))
	}
	return install(e, handlers)
}

// on adds a hook for one event; none means that the function is nil.
func on(e *engine.Engine, event string, none bool,
	f func(ctx context.Context, ev *event.Event) (any, error), options []Option) (func(), error) {
	if none {
		return nil, fmt.Errorf("hook: %s: got no function", event)
	}
	h, err := handler(e, event, f, options)
	if err != nil {
		return nil, err
	}
	return install(e, []*engine.Handler{h})
}

func handler(e *engine.Engine, name string,
	f func(ctx context.Context, ev *event.Event) (any, error),
	options []Option) (*engine.Handler, error) {
	row := e.Events.Row(name)
	if row == nil {
		return nil, fmt.Errorf("hook: the engine has no event %s", name)
	}
	h := &engine.Handler{Event: name, Priority: engine.DefaultPriority, GoFn: f}
	filters := map[string]any{}
	for _, o := range options {
		o(h, filters)
	}
	for key := range filters {
		if !contains(row.Filters, key) {
			return nil, fmt.Errorf("hook: %s has no filter %q%s", name, key,
				suggest.DidYouMean(key, row.Filters))
		}
	}
	var err error
	if h.Filter, err = event.NewFilter(row, filters); err != nil {
		return nil, fmt.Errorf("hook: %s: %w", name, err)
	}
	return h, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func install(e *engine.Engine, handlers []*engine.Handler) (func(), error) {
	in, err := e.Scripts.Install(engine.Plugin{Name: "go", Handlers: handlers})
	if err != nil {
		return nil, err
	}
	return in.Remove, nil
}
