// Package queue runs what must happen in order and holds nobody up: the observers of one script,
// the handlers of notices.
//
//	var q queue.Queue
//	ok, _ := q.Add(func(w *queue.Work) { ... })
//	<-q.Done()
//
// A Queue is bounded: what does not fit is lost, and Add says so. It has a goroutine only while
// there is something to do.
package queue

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/vm"
)

const (
	// Most is how many events an observer may lag behind before it loses some: more than any burst,
	// and little memory.
	Most = 10_000
	// mostAtOnce is how many observers of one script may be waiting at the same time for what they
	// have begun: as many as there are events between two tool calls that stream a little.
	mostAtOnce = 64
)

// Queue runs work in order, on one goroutine that exists only while there is something to do. The
// zero Queue is empty. Its methods are safe for concurrent use.
//
// Work is heard once the first part of its handler has run, up to where it waits or returns, and
// finished when the handler has returned. Usually the next one begins when the one before has
// finished. If another handler of the same script is about to answer, the next one begins as soon
// as the one before is heard, so that the script learns of things in the order in which they
// happened: see CatchUp.
type Queue struct {
	unheard atomic.Int64 // work in the queue that is not heard yet

	mu       sync.Mutex
	items    []*Work   // not begun
	begun    []*Work   // not finished
	added    uint64    // the number of the last one
	worker   uint64    // the goroutine that begins work; 0 = none
	workers  uint64    // how many there were
	lossy    bool      // it has lost work since it was last empty
	late     bool      // an answer was given without it: told once
	urgent   uint64    // up to this one somebody waits for it to be heard
	catching []*moment // those who wait for that
	marks    []*moment // those who wait for the end of what was added before
}

// moment is a place in the queue that somebody waits for.
type moment struct {
	upto uint64
	done chan struct{}
}

// Work is one thing to do in a Queue.
type Work struct {
	q  *Queue
	no uint64 // from 1
	do func(w *Work)

	// Guarded by q.mu.
	run   *vm.Run // the handler's; nil = not begun, or no script's
	heard bool
}

// Add appends work. If the queue is full the work is lost: ok is false, and first is true at the
// first loss.
func (q *Queue) Add(do func(w *Work)) (ok, first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) >= Most {
		first = !q.lossy
		q.lossy = true
		return false, first
	}
	q.added++
	q.unheard.Add(1)
	q.items = append(q.items, &Work{q: q, no: q.added, do: do})
	if q.worker == 0 {
		q.startWorker()
	}
	return true, false
}

// startWorker starts a goroutine that begins work, instead of the one that does. Under q.mu.
func (q *Queue) startWorker() {
	q.workers++
	q.worker = q.workers
	go q.drain(q.worker)
}

func (q *Queue) drain(worker uint64) {
	for {
		w := q.next(worker)
		if w == nil {
			return
		}
		w.do(w)
		q.finish(w)
	}
}

// next returns the work to begin; nil = there is none, or another goroutine
// begins it.
func (q *Queue) next(worker uint64) *Work {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.worker != worker {
		return nil
	}
	if len(q.items) == 0 {
		q.worker, q.lossy, q.items = 0, false, nil
		return nil
	}
	w := q.items[0]
	q.items[0] = nil // what has been seen can be freed
	q.items = q.items[1:]
	q.begun = append(q.begun, w)
	return w
}

// finish is told of work whose handler has returned.
func (q *Queue) finish(w *Work) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.hear(w)
	q.begun = slices.DeleteFunc(q.begun, func(x *Work) bool { return x == w })
	lowest := q.added + 1
	if len(q.items) > 0 {
		lowest = q.items[0].no
	}
	if len(q.begun) > 0 {
		lowest = min(lowest, q.begun[0].no)
	}
	q.marks = reached(q.marks, lowest-1)
}

// reached tells those who wait for work up to upto, and returns the others.
func reached(list []*moment, upto uint64) []*moment {
	return slices.DeleteFunc(list, func(m *moment) bool {
		if m.upto > upto {
			return false
		}
		close(m.done)
		return true
	})
}

// hear is told that w is heard. Under q.mu.
func (q *Queue) hear(w *Work) {
	if w.heard {
		return
	}
	w.heard = true
	q.unheard.Add(-1)
	q.catching = reached(q.catching, w.no)
	q.hurry()
}

// hurry begins the next work if somebody waits for it and the one before is heard. Under
// q.mu.
func (q *Queue) hurry() {
	n := len(q.begun)
	if len(q.items) > 0 && q.items[0].no <= q.urgent && n > 0 && n < mostAtOnce &&
		q.begun[n-1].heard {
		q.startWorker()
	}
}

// BeginRun is told of the run by which w is heard, before it enters its VM. w may be nil.
func (w *Work) BeginRun(r *vm.Run) {
	if w == nil {
		return
	}
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	r.Hear(w, w.no <= w.q.urgent)
	w.run = r
}

// Leaves is told that the run of w gives the turn back. Called with the turn's lock held.
func (w *Work) Leaves() {
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	w.q.hear(w)
}

// Done returns a channel that is closed once everything that is in the queue now is done.
func (q *Queue) Done() <-chan struct{} {
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

// IsHeard reports whether everything in the queue is heard.
func (q *Queue) IsHeard() bool { return q.unheard.Load() == 0 }

// CatchUp waits until everything in the queue is heard: before another handler of the same script,
// whose VM has the turn, answers. Work then goes before other runs of the script, as guards do, and
// work that waits does not hold up the next. It waits for patience at most; false: what is left is
// heard later, which is out of order, and nobody was told of it before.
func (q *Queue) CatchUp(ctx context.Context, turn *vm.Turn, patience time.Duration) bool {
	if turn == nil || q.IsHeard() {
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
	var entering *vm.Run // it may wait for the turn
	if n := len(q.begun); n > 0 && !q.begun[n-1].heard {
		entering = q.begun[n-1].run
	}
	q.mu.Unlock()
	if entering != nil {
		turn.Hurry(entering)
	}
	ok := turn.WaitFor(ctx, m.done, patience)
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
