// This file holds the turn lock: one run at a time in a VM, guards first, script time counted,
// handed over while the holder waits. Both runtimes use it; the Watchdog stops runs that take too
// long.

package vm

import (
	"sync"
	"time"
)

// Turn is the lock of one VM.
type Turn struct {
	dog       *Watchdog
	interrupt func(error)
	clear     func()
	onWedge   func()

	mu      sync.Mutex
	holder  *Run
	queue   []*waiter
	dead    error // set once: wedged or closed
	entries uint64
	stop    *stop     // the holder was told to stop; nil = it was not
	aside   time.Time // since when the holder waits in Aside; zero = it does not

	before  time.Duration // the CPU time of the process, not long before the holder took the turn
	waited  time.Duration // what the crowd had waited then, or when the holder was last credited
	starved time.Duration // time not charged to the current holder so far: the process had none
	crowded time.Duration // and other goroutines had the processors
	// time not charged to any holder
	stalled time.Duration
}

// Enter takes the turn for r, waiting for it if need be. On error r does not hold it and must not
// enter the VM: the VM is gone, the budget is used up, or r was cancelled while it waited. Call
// from any goroutine that does not hold the turn.
func (t *Turn) Enter(r *Run) error {
	t.mu.Lock()
	if err := t.refuse(r); err != nil {
		t.mu.Unlock()
		return err
	}
	if t.holder == nil {
		now := r.started
		if !r.entering {
			now = time.Now()
		}
		t.takeTurnAt(r, now)
		t.mu.Unlock()
		return nil
	}
	w := &waiter{run: r, ready: make(chan error, 1)}
	t.enqueue(w)
	t.mu.Unlock()
	return t.await(w)
}

// refuse returns why r may not enter, or nil. Under t.mu.
func (t *Turn) refuse(r *Run) error {
	switch {
	case t.dead != nil:
		return t.dead
	case r.stopping != nil:
		return r.stopping
	case r.Limits.Script > 0 && r.used >= r.Limits.Script:
		return &LimitError{What: "script time", Limit: r.Limits.Script}
	}
	return nil
}

func (t *Turn) takeTurn(r *Run) { t.takeTurnAt(r, time.Now()) }

func (t *Turn) takeTurnAt(r *Run, now time.Time) {
	t.holder = r
	t.entries++
	t.before, t.starved = t.dog.cpuSeen(), 0
	t.waited, t.crowded = time.Duration(t.dog.crowd.total.Load()), 0
	r.since, r.entering = now, false
	r.cut = time.Time{}
	if r.Limits.Script > 0 {
		r.cut = r.since.Add(r.Limits.Script - r.used)
	}
	t.patience(r.since)
	t.dog.wake()
}

// Pulse reports whether the VM is in use: how often it was entered so far, and whether a run is in
// it or waits.
func (t *Turn) Pulse() (entries uint64, busy bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entries, t.holder != nil || len(t.queue) > 0
}

// Leave gives the turn back. It returns why r must stop, if it must: it was interrupted, or it
// exceeded its budget; then its result is discarded.
func (t *Turn) Leave(r *Run) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holder != r {
		return t.dead // wedged, and abandoned meanwhile
	}
	now := time.Now()
	if r.stopping == nil && !r.cut.IsZero() && now.After(r.cut) {
		t.excuse(r, now, t.dog.stalled(now)) // the watchdog may get a processor later
		t.feed(r, now)
	}
	r.used += now.Sub(r.since)
	r.took.Store(int64(now.Sub(r.started)))
	if r.stopping != nil {
		t.clear()
	} else if r.Limits.Script > 0 && r.used > r.Limits.Script {
		r.stopping = &LimitError{What: "script time", Limit: r.Limits.Script}
	}
	t.holder, t.stop = nil, nil
	if h := r.hearing; h != nil {
		r.hearing = nil
		h.Leaves()
	}
	t.passOn()
	return r.stopping
}

func (t *Turn) passOn() {
	for t.holder == nil && len(t.queue) > 0 {
		w := t.queue[0]
		t.queue = t.queue[1:]
		if w.unwind {
			t.takeStopped(w.run)
			w.ready <- nil
			return
		}
		err := t.refuse(w.run)
		if err == nil {
			t.takeTurn(w.run)
		}
		w.ready <- err
	}
}
