// This file defines a run: one entry into a VM, with its budgets.

package engine

import (
	"context"
	"sync"
	"time"
)

// RunKind says what a run is for; budgets depend on it.
type RunKind string

const (
	KindLoad       RunKind = "load"
	KindGuard      RunKind = "guard" // guards and interceptors
	KindObserver   RunKind = "observer"
	KindTool       RunKind = "tool"
	KindProvider   RunKind = "provider"
	KindCommand    RunKind = "command" // commands, timers, UI callbacks
	KindSessionEnd RunKind = "session_end"
	KindRender     RunKind = "render" // what a script shows is drawn
	KindRedact     RunKind = "redact" // a redactor's function looks through a text
)

// Limits are the budgets of a run; 0 = none. Source: docs/events.md, "Budgets".
type Limits struct {
	Script time.Duration // time the VM runs
	Wall   time.Duration // time since the start, less what the user and models take
	Turn   time.Duration // time to wait for the VM's turn
}

// limits are the defaults; a handler's timeout replaces Wall.
var limits = map[RunKind]Limits{
	KindLoad:       {Script: time.Second, Wall: 5 * time.Second},
	KindGuard:      {Script: 250 * time.Millisecond, Wall: 60 * time.Second, Turn: time.Second},
	KindObserver:   {Script: 250 * time.Millisecond, Wall: 10 * time.Second},
	KindTool:       {Script: 10 * time.Second, Wall: 60 * time.Second},
	KindProvider:   {Script: 10 * time.Second},
	KindCommand:    {Script: 2 * time.Second},
	KindRender:     {Script: 250 * time.Millisecond, Wall: 5 * time.Second},
	KindRedact:     {Script: 250 * time.Millisecond, Wall: time.Second, Turn: time.Second},
	KindSessionEnd: {Script: 250 * time.Millisecond, Wall: 2 * time.Second},
}

// times are limits n times as wide.
func (l Limits) times(n float64) Limits {
	wider := func(d time.Duration) time.Duration { return time.Duration(n * float64(d)) }
	return Limits{wider(l.Script), wider(l.Wall), wider(l.Turn)}
}

// Run is one run of a script's function: who, for how long, and for which moment. A run may be made
// of several strands (ext.all, promises); they share its budgets. Its methods are safe for
// concurrent use.
type Run struct {
	Gen    *Generation
	Kind   RunKind
	Label  string // "guard", "on tool_call", "tool x": for errors
	Env    *Envelope
	Limits Limits

	parent  context.Context
	handler *Handler // whose run it is, nil = of another function
	strand  *strand
	hops    int // of the event that is handled: see Cause

	// Guarded by the turn's lock.
	observation *observation // that the run's first part belongs to; nil = none
	// a handler that must answer waits for it: it goes first, as guards do
	urgent   bool
	used     time.Duration // script time so far
	since    time.Time     // when it got the turn
	cut      time.Time     // the watchdog stops it then: since + what is left
	stopping error         // the interrupt it was given

	mu       sync.Mutex
	ctx      context.Context
	cancel   context.CancelCauseFunc
	started  time.Time
	paused   time.Duration // wall time that does not count
	pausing  int
	pausedAt time.Time
	timer    *time.Timer
	ended    bool
	defers   []func()
}

// NewRun starts a run of kind in g. The caller must call End. timeout replaces the kind's wall
// time.
func NewRun(ctx context.Context, g *Generation, kind RunKind, label string, env *Envelope,
	timeout *time.Duration) *Run {
	r := &Run{Gen: g, Kind: kind, Label: label, Env: env, Limits: g.limits(kind), parent: ctx}
	if timeout != nil {
		r.Limits.Wall = *timeout
	}
	if r.Limits.Wall > 0 {
		r.started = time.Now()
	}
	return r
}

// limits are the budgets of runs of kind in g, which may be nil.
func (g *Generation) limits(kind RunKind) Limits {
	if g != nil && g.engine != nil && g.engine.opts.Patience > 0 {
		return limits[kind].times(g.engine.opts.Patience)
	}
	return limits[kind]
}

// Context is cancelled when the run must stop: Esc, the wall time, unload, or its end. Whatever
// waits on behalf of the run waits on it. context.Cause tells why.
func (r *Run) Context() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx != nil {
		return r.ctx
	}
	r.ctx, r.cancel = context.WithCancelCause(r.parent)
	if r.ended {
		r.cancel(context.Canceled)
		return r.ctx
	}
	if r.Gen != nil && r.Gen.ctx != nil {
		stop := context.AfterFunc(r.Gen.ctx, func() { r.cancel(ErrClosed) })
		r.defers = append(r.defers, func() { stop() })
	}
	if r.Limits.Wall > 0 {
		r.timer = time.AfterFunc(r.wallLeft(), r.wallOver)
	}
	return r.ctx
}

func (r *Run) wallLeft() time.Duration {
	return r.Limits.Wall - (time.Since(r.started) - r.paused)
}

func (r *Run) wallOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pausing == 0 && !r.ended {
		r.cancel(&LimitError{What: "wall time", Limit: r.Limits.Wall})
	}
}

// Err says why the run must stop, or nil.
func (r *Run) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx != nil && r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if r.parent.Err() != nil {
		return context.Cause(r.parent)
	}
	if r.Limits.Wall > 0 && r.pausing == 0 && r.wallLeft() < 0 {
		return &LimitError{What: "wall time", Limit: r.Limits.Wall}
	}
	return nil
}

// OffClock runs wait with the wall clock stopped, and those of the runs that led to r: while the
// user thinks, or a model answers.
func (r *Run) OffClock(wait func()) {
	if by := causeOf(r.parent); by != nil {
		own := wait
		wait = func() { by.OffClock(own) }
	}
	r.Context()
	r.mu.Lock()
	if r.pausing++; r.pausing == 1 {
		r.pausedAt = time.Now()
		if r.timer != nil {
			r.timer.Stop()
		}
	}
	r.mu.Unlock()
	wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pausing--; r.pausing == 0 {
		r.paused += time.Since(r.pausedAt)
		if r.timer != nil && !r.ended {
			r.timer.Reset(r.wallLeft())
		}
	}
}

// Defer runs f when the run ends, however it ends.
func (r *Run) Defer(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.defers = append(r.defers, f)
}

// End ends the run: its context is cancelled, its deferred functions run.
func (r *Run) End() {
	r.mu.Lock()
	r.ended = true
	if r.timer != nil {
		r.timer.Stop()
	}
	if r.cancel != nil {
		r.cancel(context.Canceled)
	}
	defers := r.defers
	r.defers = nil
	r.mu.Unlock()
	for i := len(defers) - 1; i >= 0; i-- {
		defers[i]()
	}
}

// Ended reports whether the run is over: what still arrives for it has nobody to go to.
func (r *Run) Ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}
