// This file tells of events: to the stream, and to observers off the critical path.

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/vm"
)

// wants reports whether anybody would see this event: the path of a call does not build
// events for nobody.
func (e *Engine) wants(snap *Snapshot, f event.Fired) bool {
	return e.Stream.isHeard() || len(snap.handlers[f.Event()]) > 0
}

// Emit tells the stream and the observers of an event, both in the same order whoever else emits.
// It does not wait for observers.
func (e *Engine) Emit(ev *event.Event) { e.EmitShown(ev, ev) }

// tellObservers tells the observers of ev. Under Stream.order, if the stream is told of ev as well.
func (e *Engine) tellObservers(ev *event.Event) { e.tellThese(e.observersOf(ev), ev) }

func (e *Engine) tellThese(observers []*Handler, ev *event.Event) {
	for _, h := range observers {
		e.observe(h, ev)
	}
}

// observersOf returns the handlers that ev is for, as the scripts are now.
func (e *Engine) observersOf(ev *event.Event) (list []*Handler) {
	for _, h := range e.Scripts.current.Load().handlers[ev.Name()] {
		if h.Filter.Matches(ev) {
			list = append(list, h)
		}
	}
	return list
}

// EmitShown tells the observers of ev, and the stream, which is what a user sees, of shown; of
// nothing where that is nil.
func (e *Engine) EmitShown(ev, shown *event.Event) {
	var observers []*Handler
	if ev != nil {
		observers = e.observersOf(ev) // before the lock: a filter may have to look at files
	}
	e.Stream.order.Lock()
	defer e.Stream.order.Unlock()
	if shown != nil {
		e.Stream.tellEvent(shown)
	}
	e.tellThese(observers, ev)
}

// EmitCustom tells of an event of scripts, custom:NAME, on behalf of r.
func (e *Engine) EmitCustom(r *Run, name string, value any) error {
	if !event.IsCustom(name) {
		return errors.New(event.CustomNameText(name))
	}
	_, depth, err := r.Cause()
	if err != nil {
		return err
	}
	ev := e.Events.Named(name, r.Env, map[string]any{"value": value, "source": r.Gen.Name})
	e.Emit(ev.WithHops(depth))
	return nil
}

// EmitTo tells only the observers of one generation: script_unload to the one that leaves,
// session_start to the one that came.
func (e *Engine) EmitTo(g *Generation, ev *event.Event) {
	for _, h := range g.Registry.Handlers {
		if h.Event == ev.Name() && h.Filter.Matches(ev) {
			e.observe(h, ev)
		}
	}
}

// queueOf is the queue that h's events wait in.
func (h *Handler) queueOf() *observerQueue {
	if h.Gen != nil {
		return &h.Gen.observe
	}
	return h.queue
}

func (e *Engine) observe(h *Handler, ev *event.Event) {
	unpin := func() {}
	if h.Gen != nil {
		if !h.Gen.pin() {
			return
		}
		unpin = h.Gen.unpin
	}
	ok, first := h.queueOf().addWork(func(o *observation) {
		defer unpin()
		e.observeNow(h, ev, o)
	})
	if ok {
		return
	}
	unpin()
	if first && ev.Name() != "notification" {
		e.Notices.Notify(ev.Env(), "agent",
			Notice{fmt.Sprintf("%s is too slow: it loses events after %d that wait", h.ScriptName(),
				observerBacklog), "warn"})
	}
}

// observeNow runs an observer and waits for it, or for its VM to be given up. o is its place in the
// queue; nil = it has none.
func (e *Engine) observeNow(h *Handler, ev *event.Event, o *observation) Step {
	var err error
	start := time.Now()
	lost := e.strands.Do(func(s *vm.Strand) {
		if _, failure, back := e.askHandler(context.Background(), s, h, ev, o); back {
			err = failure
		}
	})
	if lost != nil {
		err = lost
	}
	t := h.step(ev, time.Since(start))
	if t.Outcome = "pass"; err != nil {
		t.Outcome, t.Reason = "error", plain.Error(err)
		t.Error = e.observerFailed(h, ev, err)
	}
	e.hookFinished(h, ev, t)
	return t
}

// observerFailed warns of an observer's first failure; the rest are counted (Handler.Failures).
// That its script was reloaded while it waited is no failure.
func (e *Engine) observerFailed(h *Handler, ev *event.Event, err error) *ScriptError {
	se := h.scriptError(err)
	if h.retired(err) {
		return se
	}
	switch first := h.failures.Add(1) == 1; {
	case !first || h.policy(ev.Row()) == event.FailIgnore:
	case ev.Name() == "script_error": // which would be told of itself
		e.Notices.Notify(ev.Env(), "agent", Notice{h.Label() + " failed: " + se.Error(), "error"})
	default:
		e.Notices.reportError(se, ev.Env())
	}
	return se
}

// Failures is how often the handler has failed: in a row for guards and interceptors, in all for
// observers.
func (h *Handler) Failures() int { return int(h.failures.Load()) }

// Drain waits until the observers and the stream have seen everything emitted so far, or ctx ends.
// If ctx is on behalf of an observer, what its script observes behind that is not waited for: it
// would wait for itself.
func (e *Engine) Drain(ctx context.Context) {
	queues := map[*observerQueue]bool{&e.Notices.queue: true}
	for _, hs := range e.Scripts.current.Load().handlers {
		for _, h := range hs {
			// a guard in the place of a file that never loaded has none
			if q := h.queueOf(); q != nil {
				queues[q] = true
			}
		}
	}
	for r := causeOf(ctx); r != nil; r = causeOf(r.Parent()) {
		if r.Kind == vm.KindObserver {
			delete(queues, &r.Gen.observe)
		}
	}
	for q := range queues {
		select {
		case <-q.mark():
		case <-ctx.Done():
			return
		}
	}
	e.Stream.Flush(ctx)
}

// Patience is the longest timeout that an observer of the event was registered with, 0 if none was.
func (e *Engine) Patience(event string) time.Duration {
	longest := time.Duration(0)
	for _, h := range e.Scripts.current.Load().handlers[event] {
		if h.Timeout != nil {
			longest = max(longest, *h.Timeout)
		}
	}
	return longest
}

// Observe runs the observers of one event one after the other and waits for them: for trying a
// handler by hand. Intercepting events go through Intercept.
func (e *Engine) Observe(ev *event.Event) *Verdict {
	e.Stream.tellEvent(ev)
	snap := e.Scripts.acquire()
	defer snap.release()
	v := &Verdict{}
	for _, h := range snap.handlers[ev.Name()] {
		if h.Filter.Matches(ev) {
			v.Trail = append(v.Trail, e.observeNow(h, ev, nil))
		}
	}
	return v
}

// hookFinished tells that a handler has run; never of its own handlers.
func (e *Engine) hookFinished(h *Handler, ev *event.Event, t Step) {
	if ev.Name() == "hook_finished" || !e.wants(e.Scripts.current.Load(), event.HookFinished{}) {
		return
	}
	e.Emit(e.Events.New(ev.Env(), event.HookFinished{Hook: ev.Name(), Script: h.ScriptName(),
		Line:       h.Line,
		Handler:    h.Label(),
		DurationUS: float64(t.Duration.Nanoseconds()) / 1e3, Outcome: t.Outcome}))
}
