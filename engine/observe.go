// This file tells of events: to the stream, and to observers off the critical path.
package engine

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// observerBacklog is how many events an observer may lag behind before it loses some: more than any burst,
// and little memory.
const observerBacklog = 10_000

// observerQueue runs the observers of one generation one after the other, in order, on one goroutine that
// exists only while there is something to do.
type observerQueue struct {
	mu      sync.Mutex
	items   []func()
	running bool
	dropped bool
}

// add appends work; false if the queue is full.
func (q *observerQueue) add(f func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) >= observerBacklog {
		first := !q.dropped
		q.dropped = true
		return !first
	}
	q.items = append(q.items, f)
	if !q.running {
		q.running = true
		go q.drain()
	}
	return true
}

func (q *observerQueue) drain() {
	for {
		q.mu.Lock()
		if len(q.items) == 0 {
			q.running, q.dropped = false, false
			q.items = nil
			q.mu.Unlock()
			return
		}
		f := q.items[0]
		q.items = q.items[1:]
		q.mu.Unlock()
		f()
	}
}

// wants reports whether anybody would see an event of this name: the path of a call does not build
// events for nobody.
func (e *Engine) wants(snap *Snapshot, name string) bool {
	return e.opts.Emit != nil || len(snap.handlers[name]) > 0
}

// stream hands an event to the one ordered stream.
func (e *Engine) stream(ev *Event) {
	if e.opts.Emit == nil {
		return
	}
	e.emitMu.Lock()
	defer e.emitMu.Unlock()
	e.opts.Emit(ev)
}

// Emit tells the stream and the observers of an event. It does not wait for observers.
func (e *Engine) Emit(ev *Event) {
	e.stream(ev)
	snap := e.current.Load()
	for _, h := range snap.handlers[ev.row.Name] {
		if h.Filter.Matches(ev) {
			e.observe(h, ev)
		}
	}
}

// EmitTo tells only the observers of one generation: script_unload to the one that leaves,
// session_start to the one that came.
func (e *Engine) EmitTo(g *Generation, ev *Event) {
	for _, h := range g.Handlers {
		if h.Event == ev.row.Name && h.Filter.Matches(ev) {
			e.observe(h, ev)
		}
	}
}

func (e *Engine) observe(h *Handler, ev *Event) {
	q := &h.queue
	if h.Gen != nil {
		if q = &h.Gen.observe; !h.Gen.pin() {
			return
		}
	}
	ok := q.add(func() {
		e.observeNow(h, ev)
		if h.Gen != nil {
			h.Gen.unpin()
		}
	})
	if !ok {
		if h.Gen != nil {
			h.Gen.unpin()
		}
		if ev.row.Name != "notification" {
			e.Notify(ev.env, "agent", Notice{fmt.Sprintf("%s is too slow: it lost events after %d that wait", h.ScriptName(), observerBacklog), "warn"})
		}
	}
}

// observeNow runs an observer and waits for it, or for its VM to be given up.
func (e *Engine) observeNow(h *Handler, ev *Event) *Verdict {
	s := newStrand()
	done := make(chan *Verdict, 1)
	go func() {
		v := &Verdict{}
		start := time.Now()
		_, err := e.ask(context.Background(), s, h, ev)
		t := Step{Script: h.ScriptName(), Line: h.Line, Event: ev.row.Name, Outcome: "pass", Duration: time.Since(start)}
		if err != nil {
			t.Outcome, t.Error = "error", e.observerFailed(h, ev, err)
		}
		v.Trail = Trail{t}
		e.hookFinished(h, ev, t)
		done <- v
	}()
	select {
	case v := <-done:
		return v
	case err := <-s.abandoned:
		return &Verdict{Trail: Trail{{Script: h.ScriptName(), Line: h.Line, Event: ev.row.Name, Outcome: "error", Error: e.observerFailed(h, ev, err)}}}
	}
}

// observerFailed warns of an observer's first failure; the rest are counted (Handler.Failures).
func (e *Engine) observerFailed(h *Handler, ev *Event, err error) *ScriptError {
	se := &ScriptError{Script: h.ScriptName(), Handler: h.Label(), Position: Position{File: h.ScriptName(), Line: h.Line}, Message: err.Error(), Err: err}
	if h.Gen != nil {
		se = e.scriptError(err, h.Gen, h.Label())
	}
	if se.Line == 0 {
		se.Line = h.Line
	}
	if h.failures.Add(1) == 1 && h.policy(ev.row) != FailIgnore && ev.row.Name != "script_error" {
		e.reportError(se, ev.env, true)
	}
	return se
}

// Failures is how often the handler has failed: in a row for guards and interceptors, in all for observers.
func (h *Handler) Failures() int { return int(h.failures.Load()) }

// Drain waits until the observers have seen everything emitted so far, or ctx ends.
func (e *Engine) Drain(ctx context.Context) {
	var wait []chan struct{}
	for _, g := range e.current.Load().Generations {
		done := make(chan struct{})
		if g.observe.add(func() { close(done) }) {
			wait = append(wait, done)
		}
	}
	for _, done := range wait {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// Observe runs the observers of one event one after the other and waits for them: for trying a handler
// by hand. Intercepting events go through Intercept.
func (e *Engine) Observe(ev *Event) *Verdict {
	e.stream(ev)
	snap := e.acquire()
	defer snap.release()
	v := &Verdict{}
	for _, h := range snap.handlers[ev.row.Name] {
		if h.Filter.Matches(ev) {
			v.Trail = append(v.Trail, e.observeNow(h, ev).Trail...)
		}
	}
	return v
}

// Notify shows a notice to the user, through the handlers of notification.
func (e *Engine) Notify(env *Envelope, source string, n Notice) {
	ev := e.NewEvent("notification", env, map[string]any{"level": n.Level, "message": n.Text, "source": source})
	if snap := e.current.Load(); snap == nil || len(snap.handlers["notification"]) == 0 {
		e.stream(ev)
		return
	}
	go func() { // handlers of notification must not hold up what the notice is about
		snap := e.acquire()
		defer snap.release()
		v := &Verdict{}
		if ev = e.chain(context.Background(), newStrand(), snap, ev, v); !v.Blocked {
			e.stream(ev)
		}
	}()
}

// notify shows a handler's notice; one of a notification handler goes straight to the stream, so that it
// cannot call itself for ever.
func (e *Engine) notify(ev *Event, h *Handler, n Notice) {
	if ev.row.Name == "notification" {
		e.stream(e.NewEvent("notification", ev.env, map[string]any{"level": n.Level, "message": n.Text, "source": h.ScriptName()}))
		return
	}
	e.Notify(ev.env, h.ScriptName(), n)
}

// Say shows Markdown in the transcript.
func (e *Engine) Say(env *Envelope, source, markdown string) {
	e.Emit(e.NewEvent("say", env, map[string]any{"source": source, "markdown": markdown}))
}

// hookFinished tells that a handler has run; never of its own handlers, nor of notices about failures.
func (e *Engine) hookFinished(h *Handler, ev *Event, t Step) {
	if ev.row.Name == "hook_finished" || !e.wants(e.current.Load(), "hook_finished") {
		return
	}
	e.Emit(e.NewEvent("hook_finished", ev.env, map[string]any{"event": ev.row.Name, "script": t.Script, "handler": h.Label(),
		"duration_us": float64(t.Duration.Nanoseconds()) / 1e3, "outcome": t.Outcome}))
}
