// Package queue runs functions in order, without blocking the caller: the observers of one script,
// the handlers of notices.
//
//	var q queue.Queue
//	ok, _ := q.Add(func(w *queue.Work) { ... })
//	<-q.Done()
//
// A Queue is bounded: if it is full, Add returns false. It has a goroutine only while it has work.
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
	// Most is the maximal number of events that wait for an observer: more than any burst, and
	// little memory.
	Most = 10_000
	// mostAtOnce is the maximal number of observers of one script that have begun and wait for
	// something: about the number of events between two tool calls.
	mostAtOnce = 64
)

// Queue runs work in order, on one goroutine that exists only while there is something to do. The
// zero Queue is empty. Its methods are safe for concurrent use.
//
// Work is heard when its handler first waits or returns, and finished when the handler has
// returned. Usually work begins when the previous one has finished. While CatchUp waits, work
// begins as soon as the previous one is heard, so that the script gets events in order before
// another of its handlers runs.
type Queue struct {
	unheard atomic.Int64 // how much work is not heard yet

	mu       sync.Mutex
	items    []*Work   // work that has not begun
	begun    []*Work   // work that has begun and not finished
	added    uint64    // the number of the last work
	worker   uint64    // the goroutine that begins work; 0 = none
	workers  uint64    // how many workers were started
	lossy    bool      // it has lost work since it was last empty
	late     bool      // CatchUp has returned false
	urgent   uint64    // CatchUp waits for work up to this number
	catching []*moment // closed when work is heard, for CatchUp
	marks    []*moment // closed when work is finished, for Done
}

// moment is a position in the queue that a caller waits for.
type moment struct {
	upto uint64
	done chan struct{}
}

// Work is one function in a Queue.
type Work struct {
	q  *Queue
	no uint64 // from 1
	do func(w *Work)

	// Guarded by q.mu.
	run   *vm.Run // the run of the handler; nil = not begun, or not of a script
	heard bool
}

// Add appends work. If the queue is full, ok is false and the work is lost; first reports that it
// is the first loss since the queue was empty.
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

// startWorker starts a goroutine that begins work from now on, instead of the current one. Under
// q.mu.
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

// next returns the work to begin; nil if there is none or another goroutine is the worker.
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
	q.items[0] = nil // release the memory
	q.items = q.items[1:]
	q.begun = append(q.begun, w)
	return w
}

// finish records that the handler of w has returned.
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

// reached closes the moments up to a number, and returns the others.
func reached(list []*moment, upto uint64) []*moment {
	return slices.DeleteFunc(list, func(m *moment) bool {
		if m.upto > upto {
			return false
		}
		close(m.done)
		return true
	})
}

// hear records that w is heard. Under q.mu.
func (q *Queue) hear(w *Work) {
	if w.heard {
		return
	}
	w.heard = true
	q.unheard.Add(-1)
	q.catching = reached(q.catching, w.no)
	q.hurry()
}

// hurry begins the next work if CatchUp waits for it and the work before it is heard. Under q.mu.
func (q *Queue) hurry() {
	n := len(q.begun)
	if len(q.items) > 0 && q.items[0].no <= q.urgent && n > 0 && n < mostAtOnce &&
		q.begun[n-1].heard {
		q.startWorker()
	}
}

// BeginRun records the run of the handler before it enters its VM. w may be nil.
func (w *Work) BeginRun(r *vm.Run) {
	if w == nil {
		return
	}
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	r.Hear(w, w.no <= w.q.urgent)
	w.run = r
}

// Leaves records that the run of w gives the turn back. Called with the turn's lock held.
func (w *Work) Leaves() {
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	w.q.hear(w)
}

// Done returns a channel that is closed when all work that is in the queue now has finished.
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

// IsHeard reports whether all work in the queue is heard.
func (q *Queue) IsHeard() bool { return q.unheard.Load() == 0 }

// CatchUp waits until all work in the queue is heard. It is called before another handler of the
// same script runs; turn is that of the script's VM. Meanwhile, work gets the turn before other
// runs of the script, as guards do. CatchUp waits at most for patience. It returns false if the
// wait fails for the first time: the rest is heard later, out of order.
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
