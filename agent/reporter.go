package agent

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/agentscripts/agent/engine"
)

// reporter tells scripts and the user what happens to one agent. It owns the envelope, which every
// event carries. Its methods are safe for concurrent use.
type reporter struct {
	engine     *engine.Engine
	common     *common
	envMu      sync.Mutex // one change of env at a time
	env        atomic.Pointer[engine.Envelope]
	complaints sync.Map // texts of complain
}

// common is what the reporters of the main agent and of all sub-agents have in common.
type common struct {
	permission atomic.Value // engine.Permission
	warned     sync.Map     // texts of notifyOnce
}

func newReporter(e *engine.Engine, c *common, env *engine.Envelope) *reporter {
	r := &reporter{engine: e, common: c}
	r.env.Store(env)
	return r
}

// Envelope returns what every event of this moment carries. Call it from any goroutine.
func (r *reporter) Envelope() *engine.Envelope {
	env := r.env.Load()
	if env.Permission != r.permission() { // it was changed, here or in another agent
		return r.change(func(*engine.Envelope) {})
	}
	return env
}

// change replaces the envelope by a changed copy.
func (r *reporter) change(f func(*engine.Envelope)) *engine.Envelope {
	r.envMu.Lock()
	defer r.envMu.Unlock()
	env := *r.env.Load()
	f(&env)
	env.Permission = r.permission()
	r.env.Store(&env)
	return &env
}

func (r *reporter) permission() engine.Permission {
	return r.common.permission.Load().(engine.Permission)
}

// tell emits an event of this moment.
func (r *reporter) tell(f engine.Fired) {
	r.engine.Emit(r.engine.New(r.Envelope(), f))
}

// permit asks the handlers of an event whether to go on.
func (r *reporter) permit(ctx context.Context, f engine.Fired) error {
	_, v := r.engine.Intercept(ctx, r.engine.New(r.Envelope(), f))
	switch {
	case ctx.Err() != nil:
		return &engine.WorldError{Code: "cancelled", Message: "cancelled"}
	case v.Blocked:
		return &engine.WorldError{Code: "refused", Message: reason("refused", v)}
	}
	return nil
}

// notify shows something to the user.
func (r *reporter) notify(level, text string) {
	r.engine.Notify(r.Envelope(), "agent", engine.Notice{Text: text, Level: level})
}

// notifyOnce shows the user something that is so at every prompt, once in the program.
func (r *reporter) notifyOnce(level, text string) {
	if _, told := r.common.warned.LoadOrStore(text, true); !told {
		r.notify(level, text)
	}
}

// complain tells the user what is wrong with what a script returned; the same thing once for each
// agent.
func (r *reporter) complain(by, what string) {
	text := by + ": " + what
	if _, known := r.complaints.LoadOrStore(text, true); !known {
		r.notify("warn", text)
	}
}

// fail reports something that failed and is no script's doing.
func (r *reporter) fail(stage, message string, retryable bool) {
	r.engine.Fail(r.Envelope(), stage, message, retryable)
}
