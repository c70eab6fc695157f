// This file hands the turn over while its holder waits for something else, and gives the holder
// back the time in which it could not run.

package vm

import (
	"runtime"
	"time"
)

// Wait releases the turn while wait runs, and takes it again. Host functions that block use it, in
// an interpreter whose frames are on the calling goroutine's stack. Call with the turn held. When
// Wait returns, the turn is held again. An error means that r must stop (cancelled, or a budget is
// used up): the interpreter has then been interrupted, so that nothing the script does next (a
// pcall that catches, say) goes on; the caller raises the error and unwinds. If the VM is gone for
// good, wedged by another run, Wait does not return: r is abandoned, and the goroutine ends by
// runtime.Goexit; its deferred functions must not touch the VM.
func (t *Turn) Wait(r *Run, wait func()) error {
	err := t.Leave(r)
	if err == nil {
		wait()
		err = r.Err()
	}
	if err == nil {
		if err = t.Enter(r); err == nil {
			return nil
		}
	}
	t.reenter(r, err)
	return err
}

const (
	// asideShare is the divisor of the time in Aside that counts as script time: enough to end a
	// loop of such waits.
	asideShare = 10
	// asideCounts is the most that one wait counts: a disk that hangs for seconds is not the
	// script's fault.
	asideCounts = 10 * time.Millisecond
	// asideMost is the longest permitted wait: a longer one means that the VM is stuck. A busy disk
	// can take several seconds.
	asideMost = 30 * time.Second
)

// Aside runs wait with the turn held, and counts little of it as script time. It is for operations
// that block on a disk or on another process, though the script does not wait for them explicitly.
// wait must end soon, and when its run is cancelled. Call with the turn held, and not within wait.
func (t *Turn) Aside(wait func()) {
	t.mu.Lock()
	began := time.Now()
	t.aside = began
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.aside = time.Time{}
		if r := t.holder; r != nil { // otherwise the VM was abandoned
			now := time.Now()
			counts := min(now.Sub(began)/asideShare, asideCounts)
			free := now.Sub(began) - counts
			t.before -= counts // as if that had taken a processor
			// the watchdog may have taken some of it away, for a stall
			t.postpone(r, min(free, now.Sub(r.since)))
			if t.stop != nil {
				t.interrupt(r.stopping)
			}
		}
	}()
	wait()
}

// starvedMost is the most time without a processor that is credited to a holder: one that uses none
// for longer is stuck in a built-in.
const starvedMost = time.Second

// feed credits the holder with the time in which it had no processor, because the process had none
// or because other goroutines had them all: on a busy machine, an operation of microseconds may
// take a quarter of a second.
func (t *Turn) feed(r *Run, now time.Time) {
	idle, queued := t.idle(r, now), t.queued(now)
	if lost := max(idle, queued); lost > 0 {
		t.starved += max(0, idle)
		t.crowded += max(0, queued)
		t.waited = t.dog.crowd.waited(now)
		t.stalled += lost
		t.postpone(r, lost)
	}
}

// idle returns the time without a processor for which feed credits the holder.
func (t *Turn) idle(r *Run, now time.Time) time.Duration {
	return min(now.Sub(r.since)-(t.dog.meters.CPU()-t.before), starvedMost-t.starved)
}

// queued returns the time in which other goroutines had the processors for which feed credits the
// holder.
func (t *Turn) queued(now time.Time) time.Duration {
	return min(t.dog.crowd.waited(now)-t.waited, crowdedMost-t.crowded)
}

// excuse credits the holder with the part of a stall of the process in which it had the turn.
func (t *Turn) excuse(r *Run, now time.Time, stalled time.Duration) {
	if stalled = min(stalled, now.Sub(r.since)); stalled > 0 {
		t.stalled += stalled
		t.postpone(r, stalled)
	}
}

// postpone shifts the deadlines and start times of the holder.
func (t *Turn) postpone(r *Run, by time.Duration) {
	r.since = r.since.Add(by)
	if !r.cut.IsZero() {
		r.cut = r.cut.Add(by)
	}
	if t.stop != nil {
		t.stop.at = t.stop.at.Add(by)
	}
}

// reenter takes the turn for r, which must stop with err, so that it can unwind.
func (t *Turn) reenter(r *Run, err error) {
	t.mu.Lock()
	r.stopping = err
	if t.dead == nil && t.holder == nil {
		t.takeStopped(r)
		t.mu.Unlock()
		return
	}
	if t.dead == nil {
		w := &waiter{run: r, ready: make(chan error, 1), unwind: true}
		t.enqueue(w)
		t.mu.Unlock()
		if <-w.ready == nil {
			return
		}
		t.mu.Lock()
	}
	t.mu.Unlock()
	r.on.abandon(r, err)
	runtime.Goexit()
}

func (t *Turn) takeStopped(r *Run) {
	t.takeTurn(r)
	t.tellStop(r.since)
	t.interrupt(r.stopping)
}
