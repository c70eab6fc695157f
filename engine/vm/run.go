// This file defines a run: one entry into a VM, with its budgets.

package vm

import (
	"context"
	"sync"
	"time"
)

// Run is one run of a function in a VM: for how long, and on whose behalf. A run may be made of
// several strands (ext.all, promises); they share its budgets. Its methods are safe for concurrent
// use.
type Run struct {
	Kind   Kind
	Label  string // "guard", "on tool_call", "tool x": for errors
	Limits Limits

	parent context.Context
	owner  Owner
	on     *Strand

	// Guarded by the turn's lock.
	hearing Hearing // the run's first part is what it waits for; nil = nothing
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

// Owner is whose VM a run enters.
type Owner interface {
	// Context ends when the VM is closed.
	Context() context.Context
	// Explain makes an error of a run, which label names, one of the script's.
	Explain(label string, err error) error
}

// Hearing is told when a run has given the turn back for the first time. Leaves is called with the
// turn's lock held.
type Hearing interface{ Leaves() }

// Init makes r a run of kind on behalf of ctx; r.End must be called. owner may be nil.
func (r *Run) Init(ctx context.Context, owner Owner, kind Kind, label string, l Limits) {
	r.Kind, r.Label, r.Limits, r.parent, r.owner = kind, label, l, ctx, owner
	if l.Wall > 0 {
		r.started = time.Now()
	}
}

// Parent is the context on whose behalf the run is.
func (r *Run) Parent() context.Context { return r.parent }

// Strand is the goroutine that the run is on, nil if nobody waits for it.
func (r *Run) Strand() *Strand { return r.on }

// Hear has h told of the run's first part; urgent lets it go before others, as guards do. Only
// before the run enters its VM.
func (r *Run) Hear(h Hearing, urgent bool) { r.hearing, r.urgent = h, urgent }

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
	if r.owner != nil {
		stop := context.AfterFunc(r.owner.Context(), func() { r.cancel(ErrClosed) })
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

// OffClock runs wait with the wall clock stopped: while the user thinks, or a model answers.
func (r *Run) OffClock(wait func()) {
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
