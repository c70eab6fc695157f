// This file ends runs and turns: a holder that exceeds its budget is interrupted, a VM that does
// not stop is abandoned, and a turn is closed.

package vm

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// ErrWedged is the error of runs of a VM whose interpreter did not stop when interrupted.
var ErrWedged = errors.New("the script did not stop when its time was up; it is being replaced")

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
	t.excuse(r, now, stalled)
	if t.stop == nil && !r.cut.IsZero() && now.After(r.cut) {
		t.feed(r, now)
	}
	switch {
	case !t.aside.IsZero() && now.Sub(t.aside) < asideMost:
	case t.stop != nil:
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
	return &LimitError{What: "script time", Limit: r.left,
		Note: "a guard of the same script waited for it"}
}

// stopRun interrupts r if it still holds the turn.
func (t *Turn) stopRun(r *Run, now time.Time, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holder == r && t.stop == nil && t.dead == nil {
		t.stopTurn(r, now, err)
	}
}

func (t *Turn) stopTurn(r *Run, now time.Time, err error) {
	r.stopping = err
	t.tellStop(now)
	if t.aside.IsZero() { // otherwise Aside does it: the VM may be read meanwhile, and runs nothing
		t.interrupt(err)
	}
}

// stop is the time in which a holder that was told to stop may do so.
type stop struct {
	at     time.Time     // when it was told
	cpu    time.Duration // the CPU time of the process then
	rounds rounds        // since then
}

// tellStop notes that the holder is told to stop.
func (t *Turn) tellStop(now time.Time) {
	s := &stop{at: now, cpu: t.dog.meters.CPU()}
	t.stop = s
	s.rounds.count(wedgeAfter, func() bool { return t.stopsFor(s) })
}

// stopsFor reports whether the holder is still the one that was told to stop at s.
func (t *Turn) stopsFor(s *stop) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stop == s && t.dead == nil
}

// deaf reports whether the holder has had enough time to stop. Time in which the process got no
// processor does not count, as in feed, nor does time in which other goroutines had the processors.
func (t *Turn) deaf(now time.Time) bool {
	took := now.Sub(t.stop.at)
	if took <= wedgeAfter || !t.stop.rounds.enough(wedgeAfter) {
		return false
	}
	idle := took - (t.dog.meters.CPU() - t.stop.cpu)
	return took-min(idle, starvedMost) > wedgeAfter
}

// wedge abandons the VM: the goroutine in it is left alone, and its waiter continues.
func (t *Turn) wedge(r *Run) {
	t.endTurn(ErrWedged)
	t.holder = nil
	err := unstopped(r)
	if r.owner != nil {
		err = r.owner.Explain(r.Label, err)
	}
	r.on.abandon(r, err)
	if t.onWedge != nil {
		go t.onWedge()
	}
}

// unstopped returns why r was stopped, with a note that it did not end.
func unstopped(r *Run) error {
	const note = "a built-in did not stop; the script is being replaced"
	var limit *LimitError
	if !errors.As(r.stopping, &limit) {
		return fmt.Errorf("%w (%s)", cmp.Or(r.stopping, ErrWedged), note)
	}
	out := *limit
	if out.Note != "" {
		out.Note += "; "
	}
	out.Note += note
	return &out
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
