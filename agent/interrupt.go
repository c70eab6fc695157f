// This file ends what is under way before it is done.

package agent

import (
	"context"

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
	if a.queue.running() {
		a.report.Tell(event.Interrupt{Kind: "hard"})
	}
	dropped, _ = a.queue.interrupt(context.Canceled)
	return dropped
}

// halt makes no further model call, in a or below it.
func (a *Agent) halt() {
	a.queue.halt(true)
	for _, c := range a.shared.subagents.below(a) {
		c.queue.halt(true)
	}
}

// Waiting returns the input that waits, in the order in which it will take effect. Call it from any
// goroutine.
func (a *Agent) Waiting() []Input { return a.queue.list() }

// TakeBack takes that input of the user out of the queue which would be the last to take effect;
// false if none waits. Call it from any goroutine.
func (a *Agent) TakeBack() (Input, bool) { return a.queue.takeBack() }

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
	for _, c := range a.shared.subagents.below(a) {
		c.queue.interrupt(why)
	}
}
