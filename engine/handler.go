// This file defines a Handler, a function that a script, or Go code, registered for an event, and
// asks it.

package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/internal/queue"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/vm"
)

// Handler is a registered function with the data that the engine needs before it enters the VM.
type Handler struct {
	Gen   *Generation // nil for Go handlers
	Name  string      // of a Go handler: used as the script's name
	Event string
	Fn    Func
	// Always is the outcome that Fn returns for each event; nil = it decides.
	Always   map[string]any
	GoFn     func(ctx context.Context, ev *event.Event) (any, error) // instead of Fn
	Priority float64
	Timeout  *time.Duration // wall time, 0 = none; nil = the kind's default
	OnError  event.Failure  // "" = the row's default
	Scrub    bool           // it removes secrets: the original of its changes is hidden
	Absent   bool           // it replaces a file without a working version
	Filter   event.Filter
	Line     int // of the registering call
	seq      int

	failures atomic.Int32 // in a row
	broken   atomic.Bool
	queue    *queue.Queue // of a Go handler: its plugin hears events in order
}

// ScriptName returns the name for logs and dialogs.
func (h *Handler) ScriptName() string {
	if h.Gen != nil {
		return h.Gen.Name
	}
	return h.Name
}

// Label names the handler in errors: "guard", "on tool_call".
func (h *Handler) Label() string {
	if h.Event == "guard" {
		return "guard"
	}
	return onEvent(h.Event)
}

func onEvent(name string) string { return "on " + name }

// Failures returns how often the handler has failed: in a row for guards and interceptors, in total
// for observers.
func (h *Handler) Failures() int { return int(h.failures.Load()) }

// Broken reports whether the handler has failed BrokenAfter times in a row.
func (h *Handler) Broken() bool { return h.broken.Load() }

// DefaultPriority is the priority of a handler without one, in the middle of the range.
const DefaultPriority = 50

// callName returns the API function that registered h.
func (h *Handler) callName() string {
	if h.Event == "guard" {
		return "ext.guard"
	}
	return "ext.on"
}

// registered returns the script of h and the line where it was registered, for events; h may be
// nil.
func (h *Handler) registered() (script string, line int) {
	if h == nil {
		return "", 0
	}
	return h.ScriptName(), h.Line
}

// queueOf returns the queue of h's events, nil for a guard that replaces a file that never loaded.
func (h *Handler) queueOf() *queue.Queue {
	if h.Gen != nil {
		return &h.Gen.observed
	}
	return h.queue
}

func (h *Handler) place() (scriptfile.Source, string) {
	if h.Gen != nil {
		return h.Gen.Source, h.Gen.Path
	}
	return scriptfile.SourceGo, h.Name
}

// ask calls the handler under its budgets and parses its answer. back is false if s was abandoned
// in it; s is nil for one written in Go. place is the event's place in the queue of observers, nil
// for all other handlers. r is a zero run, which a GoFn does not need.
func (h *Handler) ask(ctx context.Context, mask *redact.Mask, s *vm.Strand, ev *event.Event,
	place *queue.Work, r *Run) (o Outcome, err error, back bool) {
	var v any
	ev = ev.ForHandler(mask)
	if h.GoFn != nil {
		v, err = callGo(ctx, h, ev)
	} else {
		r.EntersAt(time.Now())
		r.begin(ctx, h.Gen, ev.Row().Kind, h.Label(), ev.Env(), h.Timeout)
		r.hops, r.handler, r.args = ev.Hops(), h, [1]any{ev}
		if ev.Name() == (event.ScriptUnload{}).Event() {
			r.Outlive() // it is the time in which a script can clean up
		}
		place.BeginRun(&r.Run)
		if s != nil {
			s.Enter(&r.Run)
		}
		v, err = callScript(r, h.Fn, r.args[:]...)
		r.End()
		in := s == nil || s.Leave(&r.Run)
		h.Gen.tally.addCall(r.Took(), err)
		if !in {
			return o, err, false
		}
	}
	if err != nil || v == nil {
		return o, err, true
	}
	o, err = decodeOutcome(ev.Row(), v)
	if err == nil && o.Allow && h.Gen != nil && !h.Gen.Header.Grants.Has("permission.allow") {
		err = errors.New(
			`returned allow, which needs "@grant permission.allow" in the script's header`)
	}
	return o, err, true
}

// isGo reports whether a handler is written in Go: it ends with its time, so no goroutine must be
// left behind in it.
func (h *Handler) isGo() bool {
	_, ok := h.Fn.(Watchful)
	return ok || h.GoFn != nil
}

// callScript calls a function of a script. A panic becomes its error.
func callScript(r *Run, fn Func, args ...any) (v any, err error) {
	defer apart.Recover(&err)
	return fn.Call(r, args...)
}

// callGo calls a handler written in Go. The handler must watch its context, which ends with its
// timeout; a later answer is discarded.
func callGo(ctx context.Context, h *Handler, ev *event.Event) (v any, err error) {
	defer apart.Recover(&err)
	if h.Timeout == nil || *h.Timeout <= 0 {
		return h.GoFn(ctx, ev)
	}
	limit := &vm.LimitError{What: "wall time", Limit: *h.Timeout}
	ctx, cancel := context.WithTimeoutCause(ctx, *h.Timeout, limit)
	defer cancel()
	v, err = h.GoFn(ctx, ev)
	if ctx.Err() != nil && context.Cause(ctx) == limit {
		return nil, limit
	}
	return v, err
}

// step returns the step of the trail for an answer to ev.
func (h *Handler) step(ev *event.Event, took time.Duration) Step {
	t := Step{Script: h.ScriptName(), Line: h.Line, Event: ev.Name(), Duration: took}
	if h.Gen != nil {
		t.Path, t.Hash = h.Gen.Path, h.Gen.Hash
	}
	return t
}

// asks returns the question of an outcome.
func (h *Handler) asks(o Outcome) Ask {
	a := Ask{Script: h.ScriptName(), Line: h.Line, Absent: h.Absent, Text: o.Ask, Reason: o.Reason,
		Detail: o.Detail}
	if h.Gen != nil {
		a.Path = h.Gen.Path
	}
	return a
}
