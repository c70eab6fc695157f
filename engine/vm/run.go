// This file defines a run: one entry into a VM, with its budgets.

package vm

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Run is one run of a function in a VM, with its budgets and its owner. A run may be made of
// several strands (ext.all, promises); they share its budgets. Its methods are safe for concurrent
// use.
type Run struct {
	Kind   Kind
	Label  string // "guard", "on tool_call", "tool x": for errors
	Limits Limits

	parent   context.Context
	owner    Owner
	outlives bool // see Outlive
	on       *Strand

	// Guarded by the turn's lock.
	hearing Hearing // the run whose first part this run waits for; nil = none
	// a handler that must answer waits for this run: it goes first, as guards do
	urgent   bool
	used     time.Duration // script time so far
	since    time.Time     // when it got the turn
	cut      time.Time     // the watchdog stops it then: since + the remaining budget
	left     time.Duration // what a waiting guard left of the budget
	stopping error         // the interrupt it was given
	entering bool          // it enters its VM at once: see EntersAt

	started time.Time    // set before the run enters its VM
	took    atomic.Int64 // from then until it left the turn last, in nanoseconds

	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelCauseFunc
	wall   *wallClock // nil = the wall time was never stopped, and has no timer
	ended  bool
	defers []func()
}

// wallClock is what the wall time of a run needs if the run waits for something. Most runs do not.
type wallClock struct {
	paused   time.Duration // wall time that does not count
	pausing  int
	pausedAt time.Time
	timer    *time.Timer // nil = none
}

// clock returns r.wall, which is made if there is none. Under r.mu.
func (r *Run) clock() *wallClock {
	if r.wall == nil {
		r.wall = &wallClock{}
	}
	return r.wall
}

// stands reports whether the wall clock stands still. Under r.mu.
func (r *Run) stands() bool { return r.wall != nil && r.wall.pausing > 0 }

// Owner is the owner of the VM that a run enters.
type Owner interface {
	// Context ends when the VM is closed.
	Context() context.Context
	// Explain converts an error of a run, named by label, to a script's error.
	Explain(label string, err error) error
}

// Hearing is notified when a run has given the turn back for the first time. Leaves is called with
// the turn's lock held.
type Hearing interface{ Leaves() }

// Init initializes r as a run of the given kind for ctx; r.End must be called. owner may be nil.
// The wall clock runs from now on, or from EntersAt if that was called before.
func (r *Run) Init(ctx context.Context, owner Owner, kind Kind, label string, l Limits) {
	r.Kind, r.Label, r.Limits, r.parent, r.owner = kind, label, l, ctx, owner
	if l.Wall > 0 && r.started.IsZero() {
		r.started = time.Now()
	}
}

// Outlive lets the run continue after its owner is retired, until its wall time is over. It must be
// called before the run enters its VM.
func (r *Run) Outlive() { r.outlives = true }

// EntersAt says that the run started now, and that it enters its VM next: the clock is not read
// again for that.
func (r *Run) EntersAt(now time.Time) { r.started, r.entering = now, true }

// Took returns the time from EntersAt until the run left its VM last, or until now if it was in
// none.
func (r *Run) Took() time.Duration {
	if took := r.took.Load(); took > 0 {
		return time.Duration(took)
	}
	return time.Since(r.started)
}

// Parent returns the context for which the run was started.
func (r *Run) Parent() context.Context { return r.parent }

// Strand returns the goroutine that the run is on, nil if no one waits for it.
func (r *Run) Strand() *Strand { return r.on }

// Hear notifies h of the end of the run's first part; urgent lets the run go before others, as
// guards do. It must be called before the run enters its VM.
func (r *Run) Hear(h Hearing, urgent bool) { r.hearing, r.urgent = h, urgent }

// Context is cancelled when the run must stop: Esc, the wall time, unload, or its end. Code that
// waits on behalf of the run must watch it. context.Cause returns the reason.
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
	if r.owner != nil && !r.outlives {
		stop := context.AfterFunc(r.owner.Context(), func() { r.cancel(ErrClosed) })
		r.defers = append(r.defers, func() { stop() })
	}
	if r.Limits.Wall > 0 {
		r.clock().timer = time.AfterFunc(r.wallLeft(), r.wallOver)
	}
	return r.ctx
}

func (r *Run) wallLeft() time.Duration {
	left := r.Limits.Wall - time.Since(r.started)
	if r.wall != nil {
		left += r.wall.paused
	}
	return left
}

func (r *Run) wallOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stands() && !r.ended {
		r.cancel(&LimitError{What: "wall time", Limit: r.Limits.Wall})
	}
}

// Err returns why the run must stop, or nil.
func (r *Run) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx != nil && r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if r.parent.Err() != nil {
		return context.Cause(r.parent)
	}
	if r.Limits.Wall > 0 && !r.stands() && r.wallLeft() < 0 {
		return &LimitError{What: "wall time", Limit: r.Limits.Wall}
	}
	return nil
}

// OffClock calls wait with the wall clock stopped: while waiting for the user or a model.
func (r *Run) OffClock(wait func()) {
	r.Context()
	r.mu.Lock()
	c := r.clock()
	if c.pausing++; c.pausing == 1 {
		c.pausedAt = time.Now()
		if c.timer != nil {
			c.timer.Stop()
		}
	}
	r.mu.Unlock()
	wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.pausing--; c.pausing == 0 {
		c.paused += time.Since(c.pausedAt)
		if c.timer != nil && !r.ended {
			c.timer.Reset(r.wallLeft())
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
	if r.wall != nil && r.wall.timer != nil {
		r.wall.timer.Stop()
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

// Ended reports whether the run is over: results that still arrive for it are dropped.
func (r *Run) Ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}
