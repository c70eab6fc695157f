// This file defines Emitter, which tells the stream and the observers of events.

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
	"github.com/agentscripts/agent/engine/internal/queue"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/stream"
	"github.com/agentscripts/agent/engine/vm"
)

// Emitter tells of events: the stream, which is what a user sees, and the observers, each in the
// queue of its script, off the critical path. Both get events in the same order. Its methods are
// safe for concurrent use.
type Emitter struct {
	events  *event.Table
	mask    *redact.Mask
	stream  *stream.Stream
	scripts *Scripts // whose handlers observe
	notices *Notices // tells of those that fail
	strands vm.Strands
	told    toldQueues
}

// toldQueues are the queues of generations that were told of something by themselves, and have not
// heard it: they may not be in force.
type toldQueues struct {
	mu  sync.Mutex
	set map[*queue.Queue]int // how many events are not heard
}

// add counts an event that waits in q, until q has come behind it.
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

// wants reports whether anybody would see this event: the path of a call does not build
// events for nobody.
func (em *Emitter) wants(snap *Snapshot, f event.Fired) bool {
	return em.stream.HasListeners() || len(snap.handlers[f.Event()]) > 0
}

// Emit tells the stream and the observers of an event, both in the same order whoever else emits.
// It does not wait for observers.
func (em *Emitter) Emit(ev *event.Event) { em.EmitShown(ev, ev) }

// EmitShown tells the observers of ev, and the stream of shown, which is what a user sees. Either
// may be nil: nobody is told of that one.
func (em *Emitter) EmitShown(ev, shown *event.Event) {
	var observers []*Handler
	if ev != nil {
		observers = em.observersOf(ev) // before the lock: a filter may have to look at files
	}
	em.stream.InOrder(shown, func() { em.enqueueAll(observers, ev) })
}

// tellObservers tells the observers of ev. The stream calls it, in its order.
func (em *Emitter) tellObservers(ev *event.Event) { em.enqueueAll(em.observersOf(ev), ev) }

func (em *Emitter) enqueueAll(observers []*Handler, ev *event.Event) {
	for _, h := range observers {
		em.enqueue(h, ev)
	}
}

// observersOf returns the handlers that ev is for, as the scripts are now.
func (em *Emitter) observersOf(ev *event.Event) (list []*Handler) {
	for _, h := range em.scripts.current.Load().handlers[ev.Name()] {
		if h.Filter.Matches(ev) {
			list = append(list, h)
		}
	}
	return list
}

// EmitCustom tells of an event of scripts, custom:NAME, on behalf of r.
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

// EmitTo tells only the observers of one generation: script_unload to the one that leaves,
// session_start to the one that came.
func (em *Emitter) EmitTo(g *Generation, ev *event.Event) {
	for _, h := range g.Registry.Handlers {
		if h.Event == ev.Name() && h.Filter.Matches(ev) {
			em.enqueue(h, ev)
			em.told.add(&g.observed)
		}
	}
}

// queueOf returns the queue that h's events wait in, nil for a guard in the place of a file that
// never loaded.
func (h *Handler) queueOf() *queue.Queue {
	if h.Gen != nil {
		return &h.Gen.observed
	}
	return h.queue
}

// enqueue lets ev wait in the queue of h.
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
			Notice{fmt.Sprintf("%s is too slow: it loses events after %d that wait", h.ScriptName(),
				queue.Most), "warn"})
	}
}

// runObserver runs an observer and waits for it, or for its VM to be given up. w is its place in
// the queue; nil = it has none.
func (em *Emitter) runObserver(h *Handler, ev *event.Event, w *queue.Work) Step {
	var err error
	start := time.Now()
	lost := em.strands.Do(func(s *vm.Strand) {
		if _, failure, back := h.ask(context.Background(), em.mask, s, ev, w); back {
			err = failure
		}
	})
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

// observerFailed warns of an observer's first failure; the rest are counted (Handler.Failures).
// That its script was reloaded while it waited is no failure.
func (em *Emitter) observerFailed(h *Handler, ev *event.Event, err error) *ScriptError {
	se := h.scriptError(err)
	if h.retired(err) {
		return se
	}
	switch first := h.failures.Add(1) == 1; {
	case !first || h.policy(ev.Row()) == event.FailIgnore:
	case ev.Name() == "script_error": // which would be told of itself
		em.notices.Notify(ev.Env(), "agent", Notice{h.Label() + " failed: " + se.Error(), "error"})
	default:
		em.notices.reportError(se, ev.Env())
	}
	return se
}

// Drain waits until the observers and the stream have seen everything emitted so far, or ctx ends.
// If ctx is on behalf of an observer, what its script observes behind that is not waited for: it
// would wait for itself.
func (em *Emitter) Drain(ctx context.Context) {
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
		select {
		case <-q.Done():
		case <-ctx.Done():
			return
		}
	}
	em.stream.Flush(ctx)
}

// LongestTimeout is the longest timeout that an observer of the event was registered with, 0 if
// none was.
func (em *Emitter) LongestTimeout(event string) time.Duration {
	longest := time.Duration(0)
	for _, h := range em.scripts.current.Load().handlers[event] {
		if h.Timeout != nil {
			longest = max(longest, *h.Timeout)
		}
	}
	return longest
}

// Observe runs the observers of one event one after the other and waits for them: for trying a
// handler by hand. Intercepting events go through Intercept.
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

// hookFinished tells that a handler has run; never of its own handlers.
func (em *Emitter) hookFinished(h *Handler, ev *event.Event, t Step) {
	if ev.Name() == "hook_finished" || !em.wants(em.scripts.current.Load(), event.HookFinished{}) {
		return
	}
	em.Emit(em.events.New(ev.Env(), event.HookFinished{Hook: ev.Name(), Script: h.ScriptName(),
		Line:       h.Line,
		Handler:    h.Label(),
		DurationUS: float64(t.Duration.Nanoseconds()) / 1e3, Outcome: t.Outcome}))
}
