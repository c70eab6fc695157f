// This file holds the queue that the observers of one script hear events in, in order, off the
// critical path.

package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/vm"
)

const (
	// observerBacklog is how many events an observer may lag behind before it loses some: more than
	// any burst, and little memory.
	observerBacklog = 10_000
	// observersAtOnce is how many observers of one script may be waiting at the same time for what
	// they have begun: as many as there are events between two tool calls that stream a little.
	observersAtOnce = 64
)

// observerQueue runs the observers of one generation one after the other, in order, on one
// goroutine that exists only while there is something to do.
//
// An observation is heard once the first part of the handler has run, up to where it waits or
// returns, and finished when the handler has returned. Usually the next one begins when the one
// before has finished. If another handler of the same script is about to answer, the next one
// begins as soon as the one before is heard, so that the script learns of things in the order in
// which they happened: see catchUp.
type observerQueue struct {
	unheard atomic.Int64 // observations in the queue that are not heard yet

	mu       sync.Mutex
	items    []*observation // not begun
	begun    []*observation // not finished
	added    uint64         // the number of the last one
	worker   uint64         // the goroutine that begins observations; 0 = none
	workers  uint64         // how many there were
	lossy    bool           // it has lost events since it was last empty
	late     bool           // an answer was given without it: told once
	urgent   uint64         // up to this one somebody waits for it to be heard
	catching []*moment      // those who wait for that
	marks    []*moment      // those who wait for the end of what was added before
}

// moment is a place in the queue that somebody waits for.
type moment struct {
	upto uint64
	done chan struct{}
}

// observation is one thing to do in the queue.
type observation struct {
	q  *observerQueue
	no uint64 // from 1
	do func(o *observation)

	// Guarded by q.mu.
	run   *Run // the handler's; nil = not begun, or no script's
	heard bool
}

// addWork appends work. If the queue is full the work is lost: ok is false, and first at the first
// loss.
func (q *observerQueue) addWork(do func(o *observation)) (ok, first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) >= observerBacklog {
		first = !q.lossy
		q.lossy = true
		return false, first
	}
	q.added++
	q.unheard.Add(1)
	q.items = append(q.items, &observation{q: q, no: q.added, do: do})
	if q.worker == 0 {
		q.work()
	}
	return true, false
}

// work starts a goroutine that begins observations, instead of the one that does. Under q.mu.
func (q *observerQueue) work() {
	q.workers++
	q.worker = q.workers
	go q.drain(q.worker)
}

func (q *observerQueue) drain(worker uint64) {
	for {
		o := q.nextObservation(worker)
		if o == nil {
			return
		}
		o.do(o)
		q.finish(o)
	}
}

// nextObservation returns the observation to begin; nil = there is none, or another goroutine
// begins them.
func (q *observerQueue) nextObservation(worker uint64) *observation {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.worker != worker {
		return nil
	}
	if len(q.items) == 0 {
		q.worker, q.lossy, q.items = 0, false, nil
		return nil
	}
	o := q.items[0]
	q.items[0] = nil // what has been seen can be freed
	q.items = q.items[1:]
	q.begun = append(q.begun, o)
	return o
}

// finish is told of an observation whose handler has returned.
func (q *observerQueue) finish(o *observation) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hear(o)
	q.begun = slices.DeleteFunc(q.begun, func(x *observation) bool { return x == o })
	lowest := q.added + 1
	if len(q.items) > 0 {
		lowest = q.items[0].no
	}
	if len(q.begun) > 0 {
		lowest = min(lowest, q.begun[0].no)
	}
	q.marks = reached(q.marks, lowest-1)
}

// reached tells those who wait for observations up to upto, and returns the others.
func reached(list []*moment, upto uint64) []*moment {
	return slices.DeleteFunc(list, func(m *moment) bool {
		if m.upto > upto {
			return false
		}
		close(m.done)
		return true
	})
}

// hear is told that o is heard. Under q.mu.
func (q *observerQueue) hear(o *observation) {
	if o.heard {
		return
	}
	o.heard = true
	q.unheard.Add(-1)
	q.catching = reached(q.catching, o.no)
	q.hurry()
}

// hurry begins the next observation if somebody waits for it and the one before is heard. Under
// q.mu.
func (q *observerQueue) hurry() {
	n := len(q.begun)
	if len(q.items) > 0 && q.items[0].no <= q.urgent && n > 0 && n < observersAtOnce &&
		q.begun[n-1].heard {
		q.work()
	}
}

// beginRun is told of the run by which o is heard, before it enters its VM. o may be nil.
func (o *observation) beginRun(r *Run) {
	if o == nil {
		return
	}
	o.q.mu.Lock()
	defer o.q.mu.Unlock()
	r.Hear(o, o.no <= o.q.urgent)
	o.run = r
}

// Leaves is told that the run of o gives the turn back. Called with the turn's lock held.
func (o *observation) Leaves() {
	o.q.mu.Lock()
	defer o.q.mu.Unlock()
	o.q.hear(o)
}

// mark returns what is closed once everything before it is done.
func (q *observerQueue) mark() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	m := &moment{q.added, make(chan struct{})}
	if len(q.items)+len(q.begun) == 0 {
		close(m.done)
	} else {
		q.marks = append(q.marks, m)
	}
	return m.done
}

// catchUp waits until everything in the queue is heard: before another handler of g answers.
// Observations then go before other runs of the script, as guards do, and one that waits does not
// hold up the next. It waits no longer than a guard waits for the turn; false: what is left is
// heard later, which is out of order, and nobody was told of it before.
func (q *observerQueue) catchUp(ctx context.Context, g *Generation) bool {
	if q.unheard.Load() == 0 || g.turn == nil {
		return true
	}
	q.mu.Lock()
	if q.unheard.Load() == 0 {
		q.mu.Unlock()
		return true
	}
	m := &moment{q.added, make(chan struct{})}
	q.catching = append(q.catching, m)
	q.urgent = m.upto
	q.hurry()
	var entering *Run // it may wait for the turn
	if n := len(q.begun); n > 0 && !q.begun[n-1].heard {
		entering = q.begun[n-1].run
	}
	q.mu.Unlock()
	if entering != nil {
		g.turn.Hurry(&entering.Run)
	}
	ok := g.turn.WaitFor(ctx, m.done, g.limits(vm.KindGuard).Turn)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.catching = slices.DeleteFunc(q.catching, func(x *moment) bool { return x == m })
	if len(q.catching) == 0 {
		q.urgent = 0
	}
	told := q.late
	q.late = q.late || !ok && ctx.Err() == nil
	return told || !q.late
}
