// This file holds what waits for the agent: steering and follow-ups; and what is under way.

package agent

import (
	"context"
	"slices"
	"sync"

	"github.com/agentscripts/agent/agent/report"
)

// maxWaiting bounds what waits: more than anybody types, and an end to a script that sends for
// ever.
const maxWaiting = 1000

// queue is the input that waits, and what is under way. Its methods may be called from any
// goroutine.
type queue struct {
	report  *report.Reporter
	most    int        // inputs that scripts may give in a row
	sending sync.Mutex // one Send at a time: what it tells comes before what becomes of it
	wake    chan struct{}

	mu      sync.Mutex
	steer   []Input // for the prompt that is worked on; if it ends before, the next ones
	next    []Input // behind it
	last    []Input // behind all that waits
	working int     // inputs under way
	telling int     // inputs that are not under way any more, and whose end is being told
	halted  bool    // no further model call
	row     int     // inputs of scripts since the last one of the user's
	over    bool    // there were too many of them
	excess  *Input  // the first of those, until it is told
	runs    map[int]context.CancelCauseFunc
	runID   int
	base    context.Context  // of Work; nil outside of it
	each    func(Input, End) // what Work was given
}

func newQueue(r *report.Reporter, most int) *queue {
	return &queue{report: r, most: most, wake: make(chan struct{}, 1),
		runs: map[int]context.CancelCauseFunc{}}
}

// poke wakes whoever waits at Wake.
func (q *queue) poke() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// waiting is how many inputs wait.
func (q *queue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.steer) + len(q.next) + len(q.last)
}

// push puts an input where it belongs. While nothing is under way it is the next prompt, whatever
// its kind.
func (q *queue) push(in Input) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.working > 0 && in.Kind != kindFollowUp:
		in.Kind = kindSteer
	case q.working > 0:
		if in.Source != sourceScript { // a script must know its own
			in.Source = "queue"
		}
	default:
		in.Kind = kindPrompt
	}
	switch {
	case in.Kind == kindSteer:
		q.steer = append(q.steer, in)
	case in.idle:
		q.last = append(q.last, in)
	default:
		q.next = append(q.next, in)
	}
	q.poke()
}

// takeInput takes the next input for Work, which is under way, and can be interrupted, from then
// on. counts is asked about a script's that was to steer a prompt which is over, even if that ended
// while it was sent: without its consent it is dropped.
func (q *queue) takeInput(ctx context.Context) (*job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range []*[]Input{&q.steer, &q.next, &q.last} {
		for len(*l) > 0 {
			in := (*l)[0]
			*l = (*l)[1:]
			if in.Kind == kindSteer { // there is no prompt to steer any more
				in.Kind = kindPrompt
			}
			if in.Source == sourceScript && !in.counted && !q.counts(in) {
				continue
			}
			return q.start(ctx, in), true
		}
	}
	return nil, false
}

// job is an input under way.
type job struct {
	in   Input
	ctx  context.Context
	done func() // it cannot be interrupted any more
}

// start puts an input under way. Under q.mu: there is no moment in which it neither waits nor can
// be interrupted.
func (q *queue) start(ctx context.Context, in Input) *job {
	q.working++
	j := &job{in: in}
	j.ctx, j.done = q.register(ctx)
	return j
}

// startNow puts an input under way that never waited; endNow must be called at its end.
func (q *queue) startNow(ctx context.Context, in Input) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if in.Source != sourceScript {
		q.row, q.over = 0, false
	}
	return q.start(ctx, in)
}

// endNow reports whether nothing is under way any more.
func (q *queue) endNow() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working--
	return q.working == 0
}

// othersWork reports whether more than one input is under way.
func (q *queue) othersWork() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working > 1
}

// steering takes the input that is to reach the model before its next call.
func (q *queue) steering() []Input {
	q.mu.Lock()
	defer q.mu.Unlock()
	ins := q.steer
	q.steer = nil
	return ins
}

// steers reports whether such input waits.
func (q *queue) steers() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.steer) > 0
}

// beginTask says that something is under way which nobody took: a sub-agent's task.
func (q *queue) beginTask() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working++
}

// idle reports whether nothing waits and nothing is under way.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working == 0 && len(q.steer)+len(q.next)+len(q.last) == 0
}

// rests reports whether Work may return: it is idle, and no end is being told.
func (q *queue) rests() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.telling == 0 && q.working == 0 && len(q.steer)+len(q.next)+len(q.last) == 0
}

// runInterruptible makes what is done with ctx interruptible; done must be called at its end.
func (q *queue) runInterruptible(ctx context.Context) (_ context.Context, done func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.register(ctx)
}

// register is run, under q.mu.
func (q *queue) register(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	q.runID++
	id := q.runID
	q.runs[id] = cancel
	return ctx, func() {
		cancel(nil)
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.runs, id)
	}
}

// halt lets the prompt that is worked on make no further model call, or no longer so.
func (q *queue) halt(on bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.halted = on
}

func (q *queue) isHalted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.halted
}

// interrupt empties the queue and cancels what is under way.
func (q *queue) interrupt(why error) (dropped []Input, running bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	dropped = append(append(q.steer, q.next...), q.last...)
	q.steer, q.next, q.last = nil, nil, nil
	for _, cancel := range q.runs {
		cancel(why)
	}
	return dropped, len(q.runs) > 0
}

// list returns the input that waits, in the order in which it will take effect.
func (q *queue) list() []Input {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Concat(q.steer, q.next, q.last)
}

// takeBack takes that input of the user out of the queue which would be the last to take effect;
// false if none waits.
func (q *queue) takeBack() (Input, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range []*[]Input{&q.last, &q.next, &q.steer} {
		for i := len(*l) - 1; i >= 0; i-- {
			if in := (*l)[i]; in.Source != sourceScript {
				*l = slices.Delete(*l, i, i+1)
				return in, true
			}
		}
	}
	return Input{}, false
}

// running reports whether something is under way that can be interrupted.
func (q *queue) running() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.runs) > 0
}
