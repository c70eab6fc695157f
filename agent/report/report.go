// Package report tells scripts and the user what happens to an agent.
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
)

// Reporter tells scripts and the user what happens to one agent. It owns the envelope, which every
// event carries. Its methods are safe for concurrent use.
type Reporter struct {
	engine     *engine.Engine
	common     *Common
	envMu      sync.Mutex // one change of env at a time
	env        atomic.Pointer[event.Envelope]
	complaints sync.Map // texts of Complain
}

// Common is what the reporters of the main agent and of all sub-agents have in common.
type Common struct {
	permission atomic.Value // event.Permission
	warned     sync.Map     // texts of NotifyOnce
}

// mode is the permission mode.
func (c *Common) mode() event.Permission {
	p, _ := c.permission.Load().(event.Permission)
	return p
}

// SetPermission changes the permission mode of all agents, and returns the one before; "" = none.
func (c *Common) SetPermission(p event.Permission) event.Permission {
	previous, _ := c.permission.Swap(p).(event.Permission)
	return previous
}

// New makes a reporter whose envelope is env to begin with.
func New(e *engine.Engine, c *Common, env *event.Envelope) *Reporter {
	r := &Reporter{engine: e, common: c}
	r.env.Store(env)
	return r
}

// Envelope returns what every event of this moment carries. Call it from any goroutine.
func (r *Reporter) Envelope() *event.Envelope {
	env := r.env.Load()
	if env.Permission != r.Permission() { // it was changed, here or in another agent
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

// Permission is the permission mode of all agents.
func (r *Reporter) Permission() event.Permission {
	return r.common.mode()
}

// Tell emits an event of this moment.
func (r *Reporter) Tell(f event.Fired) {
	r.engine.Emitter.Emit(r.engine.Events.New(r.Envelope(), f))
}

// Permit asks the handlers of an event whether to go on.
func (r *Reporter) Permit(ctx context.Context, f event.Fired) error {
	_, v := r.engine.Intercept(ctx, r.engine.Events.New(r.Envelope(), f))
	switch {
	case ctx.Err() != nil:
		return &engine.WorldError{Code: "cancelled", Message: "cancelled"}
	case v.Blocked:
		return &engine.WorldError{Code: "refused", Message: Reason("refused", v)}
	}
	return nil
}

// Notify shows something to the user.
func (r *Reporter) Notify(level, text string) {
	r.engine.Notices.Notify(r.Envelope(), "agent", engine.Notice{Text: text, Level: level})
}

// NotifyOnce shows the user something that is so at every prompt, once in the program.
func (r *Reporter) NotifyOnce(level, text string) {
	if _, told := r.common.warned.LoadOrStore(text, true); !told {
		r.Notify(level, text)
	}
}

// Complain tells the user what is wrong with what a script returned; the same thing once for each
// agent.
func (r *Reporter) Complain(by, what string) {
	text := by + ": " + what
	if _, known := r.complaints.LoadOrStore(text, true); !known {
		r.Notify("warn", text)
	}
}

// Fail reports something that failed and is no script's doing.
func (r *Reporter) Fail(stage, message string, retryable bool) {
	r.engine.Notices.Fail(r.Envelope(), stage, message, retryable)
}

// Engine is the engine that events go through.
func (r *Reporter) Engine() *engine.Engine { return r.engine }
