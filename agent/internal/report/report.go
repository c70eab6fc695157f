// Package report reports the events of an agent to scripts and to the user.
//
//	r := report.New(e, &report.Common{}, &event.Envelope{Agent: "main"})
//	r.Tell(event.Interrupt{Kind: "hard"})
//	r.Notify("warn", "the answer is empty")
package report

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/ui"
)

// Reporter reports the events of one agent. It owns the envelope, which every event carries. Its
// methods are safe for concurrent use.
type Reporter struct {
	engine     *engine.Engine
	common     *Common
	envMu      sync.Mutex // one change of env at a time
	env        atomic.Pointer[event.Envelope]
	complaints sync.Map // texts of Complain
}

// Common is the state that the reporters of the main agent and of all sub-agents share.
type Common struct {
	permission atomic.Value // event.Permission
	warned     sync.Map     // texts of NotifyOnce
}

// mode returns the permission mode.
func (c *Common) mode() event.Permission {
	p, _ := c.permission.Load().(event.Permission)
	return p
}

// SetPermission changes the permission mode of all agents, and returns the previous one; "" = none.
func (c *Common) SetPermission(p event.Permission) event.Permission {
	previous, _ := c.permission.Swap(p).(event.Permission)
	return previous
}

// New returns a reporter with the initial envelope env.
func New(e *engine.Engine, c *Common, env *event.Envelope) *Reporter {
	r := &Reporter{engine: e, common: c}
	r.env.Store(env)
	return r
}

// BaseURL returns the address of the server of a model provider; "" = it is not known.
func (r *Reporter) BaseURL(provider string) string {
	if p := r.engine.Scripts.Snapshot().Provider(provider); p != nil {
		return p.BaseURL
	}
	return ""
}

// Envelope returns the current envelope. It may be called from any goroutine.
func (r *Reporter) Envelope() *event.Envelope {
	env := r.env.Load()
	if env.Permission != r.Permission() { // another agent may have changed it
		return r.Change(func(*event.Envelope) {})
	}
	return env
}

// Change replaces the envelope by a changed copy.
func (r *Reporter) Change(f func(*event.Envelope)) *event.Envelope {
	r.envMu.Lock()
	defer r.envMu.Unlock()
	env := *r.env.Load()
	f(&env)
	env.Permission = r.Permission()
	r.env.Store(&env)
	return &env
}

// Permission returns the permission mode of all agents.
func (r *Reporter) Permission() event.Permission {
	return r.common.mode()
}

// Tell emits an event with the current envelope.
func (r *Reporter) Tell(f event.Fired) {
	r.engine.Emitter.Emit(r.engine.Events.New(r.Envelope(), f))
}

// Permit asks the handlers of an event whether to continue.
func (r *Reporter) Permit(ctx context.Context, f event.Fired) error {
	_, v := r.engine.Intercept(ctx, r.engine.Events.New(r.Envelope(), f))
	switch {
	case ctx.Err() != nil:
		return &fault.WorldError{Code: "cancelled", Message: "cancelled"}
	case v.Blocked:
		return &fault.WorldError{Code: "refused", Message: Reason("refused", v)}
	}
	return nil
}

// Notify shows a notice to the user.
func (r *Reporter) Notify(level, text string) {
	r.engine.Notices.Notify(r.Envelope(), "agent", ui.Notice{Text: text, Level: level})
}

// NotifyOnce shows a notice that would repeat at every prompt only once in the program.
func (r *Reporter) NotifyOnce(level, text string) {
	if _, told := r.common.warned.LoadOrStore(text, true); !told {
		r.Notify(level, text)
	}
}

// Complain notifies the user of an error in a script's return value, once for each text and agent.
func (r *Reporter) Complain(by, what string) {
	text := by + ": " + what
	if _, known := r.complaints.LoadOrStore(text, true); !known {
		r.Notify("warn", text)
	}
}

// Fail reports a failure that is not a script's.
func (r *Reporter) Fail(stage, message string, retryable bool) {
	r.engine.Notices.Fail(r.Envelope(), stage, message, retryable)
}

// Engine returns the engine that events pass through.
func (r *Reporter) Engine() *engine.Engine { return r.engine }
