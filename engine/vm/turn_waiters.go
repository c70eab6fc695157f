// This file holds those who wait for the turn: their order, how long they wait, and how a guard
// that waits shortens the time of the holder.

package vm

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// guardPatience is how much script time the holder has left once a guard waits for its turn: a
// tool's budget of ten seconds must not delay a guard. patienceShare is the same as a part of the
// time that the guard may wait for its turn, if that is limited.
const (
	guardPatience = 250 * time.Millisecond
	patienceShare = 4
)

type waiter struct {
	run   *Run
	ready chan error // capacity 1: nil = it has the turn
	// unwind: it needs the turn only to get out of the VM, and is not refused.
	unwind  bool
	since   time.Time     // when it began to wait
	stalled time.Duration // stalled time of the turn then
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
	i, now := len(t.queue), time.Now()
	if w.since.IsZero() {
		w.since, w.stalled = now, t.stalled
	}
	if w.run.first() {
		for i > 0 && !t.queue[i-1].run.first() {
			i--
		}
	}
	t.queue = slices.Insert(t.queue, i, w)
	t.patience(now)
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
	left := guardPatience
	if d := t.queue[0].run.Limits.Turn; d > 0 {
		left = d / patienceShare
	}
	if p := now.Add(left); t.holder.cut.IsZero() || p.Before(t.holder.cut) {
		t.holder.cut, t.holder.left = p, left
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
			if more := t.left(w, w.run.Limits.Turn, time.Now()); more > 0 {
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

// left returns how much of limit w has left: time that the holders were credited does not count,
// because those who wait for them need it too. The waiter itself may learn late that its time is
// up, for the same reason as the holders are slow, so its own delay counts: if each extension began
// when the waiter learns of the last one's end, the wait would not end on a busy machine.
func (t *Turn) left(w *waiter, limit time.Duration, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return limit - (now.Sub(w.since) - (t.stalled - w.stalled) - t.uncredited(now))
}

// uncredited returns the time for which the holder will be credited at the watchdog's next scan,
// which on a busy machine may come after the end of the wait.
func (t *Turn) uncredited(now time.Time) time.Duration {
	r := t.holder
	if r == nil || t.stop != nil || t.dog.closed() {
		return 0
	}
	late := min(t.dog.stalled(now), now.Sub(r.since))
	if r.cut.IsZero() || !now.After(r.cut.Add(late)) {
		return late
	}
	return late + max(0, t.idle(r, now)-late, t.queued(now)-late)
}

// WaitFor waits for done, at most for limit, or until ctx ends. Time in which the process got no
// processor does not count, as for waiters for the turn. On a busy machine the goroutines that done
// depends on get a processor as often as on an idle one, even if none of them holds the turn yet.
func (t *Turn) WaitFor(ctx context.Context, done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(min(limit, crowdAfter)) // most waits are shorter and need no rounds
	defer timer.Stop()
	var over atomic.Bool
	defer over.Store(true)
	t.mu.Lock()
	w := &waiter{since: time.Now(), stalled: t.stalled}
	t.mu.Unlock()
	var had *rounds
	for {
		select {
		case <-done:
			return true
		case <-ctx.Done():
			return false
		case <-timer.C:
			if had == nil {
				had = &rounds{}
				had.count(limit, func() bool { return !over.Load() })
			}
			more := t.left(w, limit, time.Now())
			if more <= 0 && had.enough(limit) {
				return false
			}
			timer.Reset(max(more, dogTick))
		}
	}
}
