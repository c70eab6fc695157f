// This file ends what is under way before it is done.

package agent

import (
	"context"
	"slices"

	"github.com/agentscripts/agent/engine/event"
)

// Interrupt ends what is under way: "graceful" lets the tool batch finish and makes no further
// model call, "hard" cancels at once and empties the queue, which it returns. Call it from any
// goroutine.
func (a *Agent) Interrupt(kind string) (dropped []Input) {
	if kind == "graceful" {
		if !a.Idle() {
			a.report.Tell(event.Interrupt{Kind: kind})
			a.halt()
		}
		return nil
	}
	a.queue.mu.Lock()
	running := len(a.queue.runs) > 0
	a.queue.mu.Unlock()
	if running {
		a.report.Tell(event.Interrupt{Kind: "hard"})
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

// Waiting returns the input that waits, in the order in which it will take effect. Call it from any
// goroutine.
func (a *Agent) Waiting() []Input {
	a.queue.mu.Lock()
	defer a.queue.mu.Unlock()
	return slices.Concat(a.queue.steer, a.queue.next, a.queue.last)
}

// TakeBack takes that input of the user out of the queue which would be the last to take effect;
// false if none waits. Call it from any goroutine.
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

// endAll ends the main agent's prompt and all sub-agents with an error, and empties the queue:
// abort "agent".
func (a *Agent) endAll(why string) {
	a.root().end(&abortError{why})
}

func (a *Agent) end(why error) {
	a.queue.interrupt(why)
	for _, c := range a.below() {
		c.queue.interrupt(why)
	}
}
