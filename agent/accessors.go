// This file is what an embedder, a screen or a client asks of an agent at any moment.

package agent

import (
	"context"

	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// Session is the session of this moment. Call it from any goroutine.
func (a *Agent) Session() *session.Session { return a.journal.session() }

// Entries is what the session holds along its branch, as scripts read it.
func (a *Agent) Entries() []any { return a.journal.entries() }

// Usage is {usage, cost, turns, tool_calls} of the whole session, with sub-agents and the branches
// that were left, or of its branch. cost is absent if no price is known.
func (a *Agent) Usage(branch bool) map[string]any { return a.journal.usage(branch) }

// Catalog knows which models there are. Its methods may be called from any goroutine.
func (a *Agent) Catalog() *models.Catalog { return a.shared.catalog }

// Model returns the model as "provider/id": the one that would be asked now, or, if there is none,
// what was set. Call it from any goroutine.
func (a *Agent) Model() string { return a.settings.ModelName("") }

// Offline reports whether the offline model is asked because nobody set up another.
func (a *Agent) Offline() bool { return a.settings.offline() }

// Thinking is how much the model thinks, "" = its default. Call it from any goroutine.
func (a *Agent) Thinking() string { return a.settings.Level() }

// Set changes settings; empty ones stay. source is user or script. It holds from the next model
// call, and for the permission mode from the next tool call, in the middle of a batch and in all
// sub-agents. An error names what is wrong, and nothing was changed then. Call it from any
// goroutine.
func (a *Agent) Set(s engine.Settings, source string) error {
	return a.settings.setOption(s,
		source)
}

// Name names the session, if name is not "", and returns its name.
func (a *Agent) Name(name string) (string, error) { return a.journal.name(name) }

// Envelope returns what every event of this moment carries. Call it from any goroutine.
func (a *Agent) Envelope() *event.Envelope { return a.report.Envelope() }

// Interrupt ends what is under way: "graceful" lets the tool batch finish and makes no further
// model call, "hard" cancels at once and empties the queue, which it returns. Call it from any
// goroutine.
func (a *Agent) Interrupt(kind string) (dropped []Input) {
	if kind == "graceful" {
		if !a.Idle() {
			a.report.Tell(event.Interrupt{Kind: kind})
			a.shared.subagents.halt(a)
		}
		return nil
	}
	if a.queue.running() {
		a.report.Tell(event.Interrupt{Kind: "hard"})
	}
	dropped, _ = a.queue.interrupt(context.Canceled)
	return dropped
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
func (s *shared) endAll(why string) {
	s.subagents.interrupt(s.main, &abortError{why})
}
