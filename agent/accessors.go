// This file holds the methods that report or change an agent's state at any time.

package agent

import (
	"context"

	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/service"
)

// Session returns the current session. It may be called from any goroutine.
func (a *Agent) Session() *session.Session { return a.journal.session() }

// Entries returns the entries of the session's branch, as scripts read them.
func (a *Agent) Entries() []any { return a.journal.entries() }

// Usage returns {usage, cost, turns, tool_calls} of the session's branch or, if branch is false, of
// the whole session with sub-agents and abandoned branches. cost is absent if no price is known.
func (a *Agent) Usage(branch bool) map[string]any { return a.journal.usage(branch) }

// Catalog lists the known models. Its methods may be called from any goroutine.
func (a *Agent) Catalog() *models.Catalog { return a.shared.catalog }

// Model returns "provider/id" of the model that the next request would use or, if there is no such
// model, the model that was set. It may be called from any goroutine.
func (a *Agent) Model() string { return a.settings.ModelName("") }

// Offline reports whether the offline model is in use because no other is set up.
func (a *Agent) Offline() bool { return a.settings.offline() }

// Thinking returns the thinking level, "" = the model's default. It may be called from any
// goroutine.
func (a *Agent) Thinking() string { return a.settings.Level() }

// Set changes settings; empty fields stay as they are. source is user or script. A change takes
// effect with the next model call, and that of the permission mode with the next tool call, even
// within a batch and in all sub-agents. If Set returns an error, nothing was changed. It may be
// called from any goroutine.
func (a *Agent) Set(s service.Settings, source string) error {
	return a.settings.setOption(s,
		source)
}

// Name names the session, unless name is "", and returns its name.
func (a *Agent) Name(name string) (string, error) { return a.journal.name(name) }

// Envelope returns the current envelope of events. It may be called from any goroutine.
func (a *Agent) Envelope() *event.Envelope { return a.report.Envelope() }

// Interrupt stops the current work: "graceful" lets the tool batch finish and makes no further
// model call, "hard" cancels at once and empties the queue, which it returns. It may be called from
// any goroutine.
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

// Waiting returns the waiting input in the order in which it will take effect. It may be called
// from any goroutine.
func (a *Agent) Waiting() []Input { return a.queue.list() }

// TakeBack removes from the queue the user's input that would take effect last, and returns it;
// false if none waits. It may be called from any goroutine.
func (a *Agent) TakeBack() (Input, bool) { return a.queue.takeBack() }

// Idle reports whether nothing is in progress and nothing waits.
func (a *Agent) Idle() bool { return a.queue.idle() }

// Wake returns a channel that holds a token when Work has something to do.
func (a *Agent) Wake() <-chan struct{} { return a.queue.wake }

// abortError is the cause of an agent's end by abort.
type abortError struct{ text string }

func (e *abortError) Error() string { return e.text }

// endAll ends the main agent's prompt and all sub-agents with an error, and empties the queue. It
// implements abort "agent".
func (s *shared) endAll(why string) {
	s.subagents.interrupt(s.main, &abortError{why})
}
