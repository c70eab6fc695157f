// This file holds the agent's input that waits (steering and follow-ups) or is in progress.

package agent

import (
	"context"
	"slices"
	"sync"

	"github.com/agentscripts/agent/agent/internal/report"
)

// maxWaiting limits the waiting inputs: more than users type, and a limit for a script that sends
// in an endless loop.
const maxWaiting = 1000

// queue holds the waiting input, and tracks the input in progress. Its methods may be called from
// any goroutine.
type queue struct {
	report  *report.Reporter
	most    int        // inputs that scripts may send in a row
	sending sync.Mutex // one Send at a time, to keep its events in order
	wake    chan struct{}

	mu      sync.Mutex
	steer   []Input // for the current prompt; if that ends first, the next prompts
	next    []Input // for after the current prompt
	last    []Input // for after all other input
	working int     // inputs in progress
	telling int     // finished inputs whose end is being reported
	halted  bool    // no further model call
	row     int     // scripts' inputs since the user's last one
	over    bool    // row has exceeded the limit
	excess  *Input  // the first input over the limit, until it is reported
	runs    map[int]context.CancelCauseFunc
	runID   int
	base    context.Context  // the context of Work; nil while Work does not run
	each    func(Input, End) // the callback of Work
}

func newQueue(r *report.Reporter, most int) *queue {
	return &queue{report: r, most: most, wake: make(chan struct{}, 1),
		runs: map[int]context.CancelCauseFunc{}}
}

// poke sends a token to Wake.
func (q *queue) poke() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// waiting returns the number of waiting inputs.
func (q *queue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.steer) + len(q.next) + len(q.last)
}

// push adds an input to its list. If nothing is in progress it becomes the next prompt, whatever
// its kind.
func (q *queue) push(in Input) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.working > 0 && in.Kind != kindFollowUp:
		in.Kind = kindSteer
	case q.working > 0:
		if in.Source != sourceScript { // scripts must know their own limit
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

// takeInput removes the next input from the queue for Work and starts it, which makes it
// interruptible. A script's steering whose prompt is over becomes a prompt and counts as one; it is
// dropped if counts reports that it exceeds the limit.
func (q *queue) takeInput(ctx context.Context) (*job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range []*[]Input{&q.steer, &q.next, &q.last} {
		for len(*l) > 0 {
			in := (*l)[0]
			*l = (*l)[1:]
			if in.Kind == kindSteer { // there is no prompt left to steer
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

// job is an input in progress.
type job struct {
	in   Input
	ctx  context.Context
	done func() // ends its interruptibility
}

// start starts an input. Called under q.mu: at every moment the input either waits or can be
// interrupted.
func (q *queue) start(ctx context.Context, in Input) *job {
	q.working++
	j := &job{in: in}
	j.ctx, j.done = q.register(ctx)
	return j
}

// startNow starts an input that never waited; the caller must call endNow at its end.
func (q *queue) startNow(ctx context.Context, in Input) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if in.Source != sourceScript {
		q.row, q.over = 0, false
	}
	return q.start(ctx, in)
}

// endNow ends such an input and reports whether nothing is in progress any more.
func (q *queue) endNow() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working--
	return q.working == 0
}

// othersWork reports whether more than one input is in progress.
func (q *queue) othersWork() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working > 1
}

// steering removes and returns the input that is to reach the model before its next call.
func (q *queue) steering() []Input {
	q.mu.Lock()
	defer q.mu.Unlock()
	ins := q.steer
	q.steer = nil
	return ins
}

// steers reports whether such input is waiting.
func (q *queue) steers() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.steer) > 0
}

// beginTask records work that was not in the queue: a sub-agent's task.
func (q *queue) beginTask() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working++
}

// idle reports whether nothing waits and nothing is in progress.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working == 0 && len(q.steer)+len(q.next)+len(q.last) == 0
}

// rests reports whether Work may return: the queue is idle, and no end is being reported.
func (q *queue) rests() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.telling == 0 && q.working == 0 && len(q.steer)+len(q.next)+len(q.last) == 0
}

// runInterruptible makes work under the returned context interruptible; call done at its end.
func (q *queue) runInterruptible(ctx context.Context) (_ context.Context, done func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.register(ctx)
}

// register implements runInterruptible. Called under q.mu.
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

// halt sets or clears the flag that the current prompt makes no further model call.
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

// interrupt empties the queue and cancels the input in progress.
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

// takeBack removes from the queue the user's input that would take effect last, and returns it;
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

// running reports whether anything interruptible is in progress.
func (q *queue) running() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.runs) > 0
}
