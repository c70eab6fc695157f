// This file holds the turn lock: one run at a time in a VM, guards first, script time counted,
// handed over while the holder waits. Both runtimes use it; the Watchdog stops runs that take too
// long.

package vm

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"
)

// guardPatience is how much script time the holder has left once a guard waits for its turn: a
// tool's budget of ten seconds must not delay a guard.
const guardPatience = 250 * time.Millisecond

// ErrWedged is the error of runs of a VM whose interpreter did not stop when interrupted.
var ErrWedged = errors.New("the script did not stop when its time was up; it is being replaced")

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
	stopAt  time.Time     // when the holder was told to stop
	stopCPU time.Duration // the CPU time of the process then
	aside   time.Time     // since when the holder waits in Aside; zero = it does not

	before  time.Duration // the CPU time of the process, not long before the holder took the turn
	starved time.Duration // time not charged to the current holder so far
	// time not charged to any holder, because the process got no processor
	stalled time.Duration
}

type waiter struct {
	run   *Run
	ready chan error // capacity 1: nil = it has the turn
	// unwind: it needs the turn only to get out of the VM, and is not refused.
	unwind  bool
	stalled time.Duration // stalled time of the turn, as far as the waiter has accounted for it
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
		t.takeTurn(r)
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

func (t *Turn) takeTurn(r *Run) {
	t.holder = r
	t.entries++
	t.before, t.starved = t.dog.cpuSeen(), 0
	r.since = time.Now()
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

// Queued returns how many runs wait for the turn.
func (t *Turn) Queued() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queue)
}

// first reports whether the run goes before others because a decision waits for it. Under the
// turn's lock.
func (r *Run) first() bool { return r.Kind == KindGuard || r.Kind == KindRedact || r.urgent }

// enqueue inserts w: guards before the others, each in order of arrival.
func (t *Turn) enqueue(w *waiter) {
	i := len(t.queue)
	w.stalled = t.stalled
	if w.run.first() {
		for i > 0 && !t.queue[i-1].run.first() {
			i--
		}
	}
	t.queue = slices.Insert(t.queue, i, w)
	t.patience(time.Now())
}

// Hurry lets r go before others, if it waits for the turn now or later: see Run.first.
func (t *Turn) Hurry(r *Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.urgent = true
	if i := slices.IndexFunc(t.queue, func(w *waiter) bool {
		return w.run == r &&
			!w.unwind
	}); i >= 0 {
		w := t.queue[i]
		t.queue = slices.Delete(t.queue, i, i+1)
		t.enqueue(w)
	}
}

// patience shortens the remaining time of the holder while a guard waits.
func (t *Turn) patience(now time.Time) {
	if t.holder == nil || len(t.queue) == 0 || !t.queue[0].run.first() {
		return
	}
	if p := now.Add(guardPatience); t.holder.cut.IsZero() || p.Before(t.holder.cut) {
		t.holder.cut = p
	}
}

func (t *Turn) await(w *waiter) error {
	var timer *time.Timer
	var timeout <-chan time.Time
	if d := w.run.Limits.Turn; d > 0 {
		timer = time.NewTimer(d)
		defer timer.Stop()
		timeout = timer.C
	}
	ctx := w.run.Context()
	var err error
	for err == nil {
		select {
		case err := <-w.ready:
			return err
		case <-timeout:
			if more := t.stalledFor(w); more > 0 {
				timer.Reset(more)
				continue
			}
			err = &LimitError{What: "time to get the script's turn", Limit: w.run.Limits.Turn,
				Note: "it is busy with another handler"}
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	t.mu.Lock()
	for i, q := range t.queue {
		if q == w {
			t.queue = append(t.queue[:i], t.queue[i+1:]...)
			t.mu.Unlock()
			return err
		}
	}
	t.mu.Unlock()
	if e := <-w.ready; e != nil { // the turn was handed over at the same moment
		return e
	}
	t.Leave(w.run)
	return err
}

// stalledFor returns the time that the holders were credited while w waited, since the last call:
// those who wait for them need it too.
func (t *Turn) stalledFor(w *waiter) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	more := t.stalled - w.stalled
	w.stalled = t.stalled
	return more
}

// WaitFor waits for done, at most for limit, or until ctx ends. Time in which the process got no
// processor does not count, as for waiters for the turn.
func (t *Turn) WaitFor(ctx context.Context, done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	t.mu.Lock()
	w := &waiter{stalled: t.stalled}
	t.mu.Unlock()
	for {
		select {
		case <-done:
			return true
		case <-ctx.Done():
			return false
		case <-timer.C:
			more := t.stalledFor(w)
			if more <= 0 {
				return false
			}
			timer.Reset(more)
		}
	}
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
		t.feed(r, now)
	}
	r.used += now.Sub(r.since)
	if r.stopping != nil {
		t.clear()
	} else if r.Limits.Script > 0 && r.used > r.Limits.Script {
		r.stopping = &LimitError{What: "script time", Limit: r.Limits.Script}
	}
	t.holder, t.stopAt = nil, time.Time{}
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
		}
	}()
	wait()
}

// starvedMost is the most time without a processor that is credited to a holder: one that uses none
// for longer is stuck in a built-in.
const starvedMost = time.Second

// feed credits the holder with the time in which the process had no processor: on a busy machine,
// an operation of microseconds may take a quarter of a second.
func (t *Turn) feed(r *Run, now time.Time) {
	idle := now.Sub(r.since) - (t.dog.meters.CPU() - t.before)
	if idle = min(idle, starvedMost-t.starved); idle > 0 {
		t.starved += idle
		t.stalled += idle
		t.postpone(r, idle)
	}
}

// postpone shifts the deadlines and start times of the holder.
func (t *Turn) postpone(r *Run, by time.Duration) {
	r.since = r.since.Add(by)
	if !r.cut.IsZero() {
		r.cut = r.cut.Add(by)
	}
	if !t.stopAt.IsZero() {
		t.stopAt = t.stopAt.Add(by)
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
	t.stopAt, t.stopCPU = r.since, t.dog.meters.CPU()
	t.interrupt(r.stopping)
}

// Fail makes r end with err, whatever it returns. A built-in that had to give up uses it, so that a
// script that catches the error cannot treat it as "found nothing". Call with the turn held, by r
// or another.
func (t *Turn) Fail(r *Run, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.stopping == nil {
		r.stopping = err
	}
}

// Close ends the turn: current and future waiters get ErrClosed.
func (t *Turn) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endTurn(ErrClosed)
	t.dog.removeTurn(t)
}

func (t *Turn) endTurn(err error) {
	if t.dead == nil {
		t.dead = err
	}
	for _, w := range t.queue {
		w.ready <- t.dead
	}
	t.queue = nil
}

// checkTurn examines the turn for the watchdog. It reports whether the VM has been used since the
// last look, and the holder if there is one, with the moment it got the turn. Time in which the
// process itself was stalled is not charged to scripts.
func (t *Turn) checkTurn(now time.Time, stalled time.Duration, last *uint64) (active bool,
	holder *Run, since time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	active = t.entries != *last || t.holder != nil
	*last = t.entries
	r := t.holder
	if r == nil || t.dead != nil {
		return active, nil, since
	}
	if stalled = min(stalled, now.Sub(r.since)); stalled > 0 {
		t.stalled += stalled
		t.postpone(r, stalled)
	}
	if t.stopAt.IsZero() && !r.cut.IsZero() && now.After(r.cut) {
		t.feed(r, now)
	}
	switch {
	case !t.aside.IsZero() && now.Sub(t.aside) < asideMost:
	case !t.stopAt.IsZero():
		if t.deaf(now) {
			t.wedge(r)
		}
	case !r.cut.IsZero() && now.After(r.cut):
		t.stopTurn(r, now, r.overrun(now))
	// not stopped yet, even if r.stopping is set: another strand of r may have been told to
	default:
		if err := r.Err(); err != nil {
			t.stopTurn(r, now, err)
		}
	}
	return active, r, r.since
}

// overrun returns which budget of script time r exceeded: its own, or what a waiting guard left of
// it.
func (r *Run) overrun(now time.Time) error {
	if own := r.Limits.Script; own > 0 && r.used+now.Sub(r.since) >= own {
		return &LimitError{What: "script time", Limit: own}
	}
	return &LimitError{What: "script time", Limit: guardPatience,
		Note: "a guard of the same script waited for it"}
}

// stopRun interrupts r if it still holds the turn.
func (t *Turn) stopRun(r *Run, now time.Time, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holder == r && t.stopAt.IsZero() && t.dead == nil {
		t.stopTurn(r, now, err)
	}
}

func (t *Turn) stopTurn(r *Run, now time.Time, err error) {
	r.stopping, t.stopAt, t.stopCPU = err, now, t.dog.meters.CPU()
	t.interrupt(err)
}

// CPU returns the processor time that the process has used so far. An operation that took long
// without using any waited for other processes.
func (t *Turn) CPU() time.Duration { return t.dog.meters.CPU() }

// CPUSeen returns CPU as the watchdog saw it last, some milliseconds ago; it costs almost nothing.
func (t *Turn) CPUSeen() time.Duration { return t.dog.cpuSeen() }

// deaf reports whether the holder has had enough time to stop. Time in which the process got no
// processor does not count, as in feed.
func (t *Turn) deaf(now time.Time) bool {
	took := now.Sub(t.stopAt)
	if took <= wedgeAfter {
		return false
	}
	idle := took - (t.dog.meters.CPU() - t.stopCPU)
	return took-min(idle, starvedMost) > wedgeAfter
}

// wedge abandons the VM: the goroutine in it is left alone, and its waiter continues.
func (t *Turn) wedge(r *Run) {
	t.endTurn(ErrWedged)
	t.holder = nil
	var err error = &LimitError{What: "script time", Limit: r.Limits.Script,
		Note: "a built-in did not stop; the script is being replaced"}
	if r.owner != nil {
		err = r.owner.Explain(r.Label, err)
	}
	r.on.abandon(r, err)
	if t.onWedge != nil {
		go t.onWedge()
	}
}

// GiveUp abandons the VM, whose turn r holds; replace loads a new one. ok is false if the turn had
// ended before.
func (t *Turn) GiveUp(r *Run, err error) (replace func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dead != nil || t.holder != r {
		return nil, false
	}
	t.endTurn(err)
	t.holder = nil
	if t.onWedge == nil {
		return func() {}, true
	}
	return t.onWedge, true
}

// Dead returns why the VM was abandoned or closed, nil if it was not.
func (t *Turn) Dead() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dead
}
