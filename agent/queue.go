// This file is what waits for the agent: steering, follow-ups; and how what is under way is interrupted.
package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
)

// maxWaiting bounds what waits: more than anybody types, and an end to a script that sends for ever.
const maxWaiting = 1000

// queue is the input that waits, and what is under way. Its methods may be called from any goroutine.
type queue struct {
	sending sync.Mutex // one Send at a time: what it tells comes before what becomes of it
	wake    chan struct{}

	mu      sync.Mutex
	steer   []Input // for the prompt that is worked on; if it ends before, the next ones
	next    []Input // behind it
	last    []Input // behind all that waits
	working int     // inputs under way
	halted  bool    // no further model call
	runs    map[int]context.CancelCauseFunc
	runID   int
	base    context.Context  // of Work; nil outside of it
	each    func(Input, End) // what Work was given
}

func newQueue() queue {
	return queue{wake: make(chan struct{}, 1), runs: map[int]context.CancelCauseFunc{}}
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

// push puts an input where it belongs. While nothing is under way it is the next prompt, whatever its kind.
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

// take takes the next input for Work, which is under way from then on.
func (q *queue) take() (in Input, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range []*[]Input{&q.steer, &q.next, &q.last} {
		if len(*l) > 0 {
			in, *l = (*l)[0], (*l)[1:]
			if in.Kind == kindSteer { // there is no prompt to steer any more
				in.Kind = kindPrompt
			}
			q.working++
			return in, true
		}
	}
	return in, false
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

// begin says that something is under way which nobody took: a sub-agent's task.
func (q *queue) begin() {
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

// run makes what is done with ctx interruptible; done must be called at its end.
func (q *queue) run(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
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

// Send gives the agent input. It returns at once: Work works on it. While the agent works, a prompt or steer
// reaches the model before its next call, and the calls of its message that have not begun are skipped; a follow_up
// waits for the prompt to end. A slash command, and the user's !command, run at once. Call it from any goroutine.
func (a *Agent) Send(in Input) error {
	if a.closed.Load() {
		return errors.New("the session has ended")
	}
	if strings.TrimSpace(in.Text) == "" && len(in.Images) == 0 {
		return errors.New("the input is empty")
	}
	in = in.complete()
	if a.parent != nil { // it has one prompt: there is no behind
		in.Kind = kindSteer
	}
	a.queue.sending.Lock()
	defer a.queue.sending.Unlock()
	if a.queue.waiting() >= maxWaiting {
		return &engine.WorldError{Code: "busy", Message: fmt.Sprintf("%d inputs wait already", maxWaiting)}
	}
	if atOnce(in) && a.beside(in) {
		return nil
	}
	a.enqueue(in)
	return nil
}

// enqueue lets an input wait, and tells so if the agent works.
func (a *Agent) enqueue(in Input) {
	a.queue.mu.Lock()
	working, depth := a.queue.working > 0, 1+len(a.queue.steer)+len(a.queue.next)+len(a.queue.last)
	a.queue.mu.Unlock()
	if working {
		kind := in.Kind
		if kind != kindFollowUp {
			kind = kindSteer
			a.tell("interrupt", map[string]any{"kind": "steering"})
		}
		a.tell("input_queued", map[string]any{"kind": kind, "depth": depth})
	}
	a.queue.push(in)
}

// Interrupt ends what is under way: "graceful" lets the tool batch finish and makes no further model call, "hard"
// cancels at once and empties the queue, which it returns. Call it from any goroutine.
func (a *Agent) Interrupt(kind string) (dropped []Input) {
	if kind == "graceful" {
		if !a.Idle() {
			a.tell("interrupt", map[string]any{"kind": kind})
			a.halt()
		}
		return nil
	}
	a.queue.mu.Lock()
	running := len(a.queue.runs) > 0
	a.queue.mu.Unlock()
	if running {
		a.tell("interrupt", map[string]any{"kind": "hard"})
	}
	dropped, _ = a.queue.interrupt(context.Canceled)
	return dropped
}

// halt makes no further model call, in a or below it.
func (a *Agent) halt() {
	a.queue.halt(true)
	for _, c := range a.below() {
		c.queue.halt(true)
	}
}

// Waiting returns the input that waits, in the order in which it will take effect. Call it from any goroutine.
func (a *Agent) Waiting() []Input {
	a.queue.mu.Lock()
	defer a.queue.mu.Unlock()
	return slices.Concat(a.queue.steer, a.queue.next, a.queue.last)
}

// TakeBack takes that input of the user out of the queue which would be the last to take effect; false if none
// waits. Call it from any goroutine.
func (a *Agent) TakeBack() (Input, bool) {
	a.queue.mu.Lock()
	defer a.queue.mu.Unlock()
	for _, l := range []*[]Input{&a.queue.last, &a.queue.next, &a.queue.steer} {
		for i := len(*l) - 1; i >= 0; i-- {
			if in := (*l)[i]; in.Source != sourceScript {
				*l = slices.Delete(*l, i, i+1)
				return in, true
			}
		}
	}
	return Input{}, false
}

// Idle reports whether nothing is worked on and nothing waits.
func (a *Agent) Idle() bool { return a.queue.idle() }

// Wake returns the channel that holds a token when there is something to do for Work.
func (a *Agent) Wake() <-chan struct{} { return a.queue.wake }

// abortError is why an agent and all that it does has ended.
type abortError struct{ text string }

func (e *abortError) Error() string { return e.text }

// endAll ends the main agent's prompt and all sub-agents with an error, and empties the queue: abort "agent".
func (a *Agent) endAll(why string) {
	a.root().end(&abortError{why})
}

func (a *Agent) end(why error) {
	a.queue.interrupt(why)
	for _, c := range a.below() {
		c.queue.interrupt(why)
	}
}

// tell tells of an event of this moment.
func (a *Agent) tell(event string, fields map[string]any) {
	a.engine.Emit(a.engine.NewEvent(event, a.Envelope(), fields))
}

// notify shows something to the user.
func (a *Agent) notify(level, text string) {
	a.engine.Notify(a.Envelope(), "agent", engine.Notice{Text: text, Level: level})
}
