// This file defines Emitter, which sends events to the stream and to observers.

package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/internal/queue"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/stream"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/vm"
)

// Emitter sends events to the stream, which is what a user sees, and to the observers, each in the
// queue of its script, without blocking. Both get events in the same order. Its methods are safe
// for concurrent use.
type Emitter struct {
	events  *event.Table
	mask    *redact.Mask
	stream  *stream.Stream
	scripts *Scripts // whose handlers observe
	notices *Notices // reports those that fail
	strands vm.Strands
	told    toldQueues
}

// toldQueues are the queues of generations that received events directly, by EmitTo, and may not be
// in force.
type toldQueues struct {
	mu  sync.Mutex
	set map[*queue.Queue]int // number of undelivered events
}

// add counts an event in q until it is delivered.
func (t *toldQueues) add(q *queue.Queue) {
	t.count(q, 1)
	if ok, _ := q.Add(func(*queue.Work) { t.count(q, -1) }); !ok {
		t.count(q, -1)
	}
}

func (t *toldQueues) count(q *queue.Queue, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.set == nil {
		t.set = map[*queue.Queue]int{}
	}
	if t.set[q] += n; t.set[q] == 0 {
		delete(t.set, q)
	}
}

func (t *toldQueues) all() []*queue.Queue {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.set))
}

// wants reports whether the event has any receiver, so that calls do not build unused events.
func (em *Emitter) wants(snap *Snapshot, f event.Fired) bool {
	name := f.Event()
	return len(snap.handlers[name]) > 0 || em.stream.Wants(name)
}

// Emit sends an event to the stream and to the observers, both in one order for all callers. It
// does not wait for observers.
func (em *Emitter) Emit(ev *event.Event) { em.EmitShown(ev, ev) }

// EmitShown sends ev to the observers, and shown, the version for users, to the stream. Either may
// be nil.
func (em *Emitter) EmitShown(ev, shown *event.Event) {
	var observers []*Handler
	if ev != nil {
		observers = em.observersOf(ev) // before the lock: a filter may access files
	}
	em.stream.InOrder(shown, func() { em.enqueueAll(observers, ev) })
}

// tellObservers sends ev to the observers. The stream calls it, in its order.
func (em *Emitter) tellObservers(ev *event.Event) { em.enqueueAll(em.observersOf(ev), ev) }

func (em *Emitter) enqueueAll(observers []*Handler, ev *event.Event) {
	for _, h := range observers {
		em.enqueue(h, ev)
	}
}

// observersOf returns the current handlers that match ev.
func (em *Emitter) observersOf(ev *event.Event) (list []*Handler) {
	for _, h := range em.scripts.current.Load().handlers[ev.Name()] {
		if h.Filter.Matches(ev) {
			list = append(list, h)
		}
	}
	return list
}

// EmitCustom emits an event of scripts, custom:NAME, for r.
func (em *Emitter) EmitCustom(r *Run, name string, value any) error {
	if !event.IsCustom(name) {
		return errors.New(event.CustomNameText(name))
	}
	_, depth, err := r.Cause()
	if err != nil {
		return err
	}
	ev := em.events.Named(name, r.Env, map[string]any{"value": value, "source": r.Gen.Name})
	em.Emit(ev.WithHops(depth))
	return nil
}

// EmitTo sends an event to the observers of one generation: script_unload to one that leaves.
func (em *Emitter) EmitTo(g *Generation, ev *event.Event) {
	for _, h := range g.Registry.Handlers {
		if h.Event == ev.Name() && h.Filter.Matches(ev) {
			em.enqueue(h, ev)
			em.told.add(&g.observed)
		}
	}
}

// enqueue adds ev to the queue of h.
func (em *Emitter) enqueue(h *Handler, ev *event.Event) {
	unpin := func() {}
	if h.Gen != nil {
		if !h.Gen.pin() {
			return
		}
		unpin = h.Gen.unpin
	}
	ok, first := h.queueOf().Add(func(w *queue.Work) {
		defer unpin()
		em.runObserver(h, ev, w)
	})
	if ok {
		return
	}
	unpin()
	if first && ev.Name() != "notification" {
		em.notices.Notify(ev.Env(), "agent",
			ui.Notice{Text: fmt.Sprintf("%s is too slow: it loses events after %d that wait",
				h.ScriptName(), queue.Most), Level: "warn"})
	}
}

// runObserver runs an observer and waits for it, or until its VM is abandoned. w is its place in
// the queue; nil = none.
func (em *Emitter) runObserver(h *Handler, ev *event.Event, w *queue.Work) Step {
	var err error
	start := time.Now()
	lost := em.strands.Do(vm.JobFunc(func(s *vm.Strand) {
		if _, failure, back := h.ask(context.Background(), em.mask, s, ev, w, &Run{}); back {
			err = failure
		}
	}))
	if lost != nil {
		err = lost
	}
	t := h.step(ev, time.Since(start))
	if t.Outcome = "pass"; err != nil {
		t.Outcome, t.Reason = "error", plain.Error(err)
		t.Error = em.observerFailed(h, ev, err)
	}
	em.hookFinished(h, ev, t)
	return t
}

// observerFailed reports an observer's first failure; later ones are counted (Handler.Failures).
// The reload of its script while it waited is not a failure.
func (em *Emitter) observerFailed(h *Handler, ev *event.Event, err error) *fault.ScriptError {
	se := h.scriptError(err)
	if h.retired(err) {
		return se
	}
	switch first := h.failures.Add(1) == 1; {
	case !first || h.policy(ev.Row()) == event.FailIgnore:
	case ev.Name() == "script_error": // it would be called for its own failure
		em.notices.Notify(ev.Env(), "agent",
			ui.Notice{Text: h.Label() + " failed: " + se.Error(), Level: "error"})
	default:
		em.notices.reportError(se, ev.Env())
	}
	return se
}

// Drain waits until the observers and the stream have received everything emitted so far, and what
// the observers then emit, up to the longest chain of such events, or until ctx ends. If ctx is an
// observer's, later events for its script are not waited for, to avoid a deadlock.
func (em *Emitter) Drain(ctx context.Context) {
	for range 1 + maxHops + 1 { // failures at the end of a chain are reported too
		if !em.drainQueues(ctx) {
			break
		}
	}
	em.stream.Flush(ctx)
}

// drainQueues waits for what is in the queues now, until ctx ends. It reports whether there was
// anything: then its handlers may have emitted more.
func (em *Emitter) drainQueues(ctx context.Context) (any bool) {
	queues := map[*queue.Queue]bool{&em.notices.queue: true}
	for _, q := range em.told.all() {
		queues[q] = true
	}
	for _, hs := range em.scripts.current.Load().handlers {
		for _, h := range hs {
			if q := h.queueOf(); q != nil {
				queues[q] = true
			}
		}
	}
	for r := causeOf(ctx); r != nil; r = causeOf(r.Parent()) {
		if r.Kind == vm.KindObserver {
			delete(queues, &r.Gen.observed)
		}
	}
	for q := range queues {
		done := q.Done()
		select {
		case <-done:
			continue
		default:
			any = true
		}
		select {
		case <-done:
		case <-ctx.Done():
			return false
		}
	}
	return any
}

// LongestTimeout returns the longest timeout of the observers of the event, 0 if there is none.
func (em *Emitter) LongestTimeout(event string) time.Duration {
	longest := time.Duration(0)
	for _, h := range em.scripts.current.Load().handlers[event] {
		if h.Timeout != nil {
			longest = max(longest, *h.Timeout)
		}
	}
	return longest
}

// Observe runs the observers of one event one after the other and waits for them, to try a handler
// by hand. For intercepting events use Intercept.
func (em *Emitter) Observe(ev *event.Event) *Verdict {
	em.stream.Tell(ev)
	snap := em.scripts.acquire()
	defer snap.release()
	v := &Verdict{}
	for _, h := range snap.handlers[ev.Name()] {
		if h.Filter.Matches(ev) {
			v.Trail = append(v.Trail, em.runObserver(h, ev, nil))
		}
	}
	return v
}

// hookFinished reports that a handler has run; it is not fired for its own handlers.
func (em *Emitter) hookFinished(h *Handler, ev *event.Event, t Step) {
	if !em.scripts.current.Load().hooked && !em.stream.Wants(event.HookFinished{}.Event()) ||
		ev.Name() == (event.HookFinished{}).Event() {
		return
	}
	em.Emit(em.events.New(ev.Env(), event.HookFinished{Hook: ev.Name(), Script: h.ScriptName(),
		Line:       h.Line,
		Handler:    h.Label(),
		DurationUS: float64(t.Duration.Nanoseconds()) / 1e3, Outcome: t.Outcome}))
}
