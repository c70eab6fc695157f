// This file runs a sub-agent from its start to its end.
//
// A sub-agent is an Agent with a parent: it has a conversation of its own, in a file beside the
// parent's, and its tool calls are dispatched like all others, under the main agent's current
// permission mode. It works on one prompt. One that the agent tool started ends with the call; one
// that a script started runs until it is done or killed, or until the session or the script that
// holds it ends.

package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/value"
)

// leaveAfter is how long a cancelled sub-agent may take to end before it is abandoned. It is a part
// of endWait.
const leaveAfter = endWait / 2

// sub-agent is a running sub-agent, or one whose result has not been fetched.
type subagent struct {
	id     string
	agent  *Agent
	parent *Agent
	task   string
	callID string // of the agent tool; "" = a script started it
	// transfer means that the parent waits for its end; agent_switch reports it.
	transfer bool
	onEvent  func(kind string, data map[string]any) // from the caller of spawn; nil = no listener

	holder context.Context // ends when no one is left to fetch the result
	life   context.Context // limits its work
	cancel func()          // ends life
	// closed when the handlers of subagent_start have answered: refused is valid then
	begun chan struct{}
	told  chan struct{} // closed when subagent_end has been emitted: result is final then

	mu      sync.Mutex
	refused error // why it did not begin; there is no subagent_end then
	result  service.SpawnEnd
	ended   bool // result is valid
	waiters int
	decided bool // it is known who gets the result
	killed  bool // by its holder, who does not want the result
	timer   *time.Timer
}

// errNoTask is the refusal of an empty task.
var errNoTask = refusal("invalid", "a sub-agent needs a task")

// refusal returns the reason why a sub-agent does not start.
func refusal(code, format string, args ...any) error {
	return &fault.WorldError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// spawn starts a sub-agent of a, which does not outlive holder. from is the envelope of the
// request. awaited means that the caller will call await. spawn does not wait for handlers: they
// run as the sub-agent begins, and may still refuse it. An error is a *fault.WorldError.
func (s *subagents) spawn(holder context.Context, a *Agent, from *event.Envelope,
	spec *service.SpawnSpec, awaited bool) (*subagent, error) {
	depth := a.tools.depth + 1
	// if from's agent has ended, its sub-agents still count as below it, so that a chain ends
	if from != nil {
		depth = max(depth, from.Depth+1)
	}
	ends, err := s.enter(a, depth)
	if err != nil {
		return nil, err
	}
	x, err := newSubagent(holder, a, spec, depth)
	if err == nil {
		err = s.addSubagent(x, ends)
	}
	if err != nil {
		s.leave()
		return nil, err
	}
	if awaited {
		x.waiters, x.transfer = 1, true
	}
	go x.runTask()
	return x, nil
}

// newSubagent returns a sub-agent of a that does not run yet.
func newSubagent(holder context.Context, a *Agent, spec *service.SpawnSpec, depth int) (*subagent,
	error) {
	if holder.Err() != nil {
		return nil, refusal("cancelled", "cancelled before it began")
	}
	if strings.TrimSpace(spec.Prompt) == "" {
		return nil, errNoTask
	}
	k, err := a.tools.kinds.forTask(spec)
	if err != nil {
		return nil, err
	}
	c := newChild(a, k, depth)
	if _, _, err := c.settings.Resolve(""); err != nil {
		return nil, err
	}
	c.queue.beginTask()  // input that is sent to it from now on is for its task
	c.token.tryAcquire() // succeeds, because nothing else knows c yet
	x := &subagent{id: c.Envelope().AgentID, agent: c, parent: a, holder: holder, task: spec.Prompt,
		callID: spec.CallID, onEvent: spec.OnEvent,
		begun: make(chan struct{}), told: make(chan struct{})}
	x.life, x.cancel = c.queue.runInterruptible(holder)
	c.watch = &watch{sub: x}
	return x, nil
}

// beginSubagent runs the handlers of subagent_start. An error is the reason why it does not begin.
func (x *subagent) beginSubagent() error {
	c, env := x.agent, x.agent.Envelope()
	ev, v := c.engine.Intercept(x.life, c.engine.Events.New(env,
		event.SubagentStart{SubagentID: x.id, Name: env.Agent, Task: x.task, Model: env.Model,
			Tools: value.TextList(c.tools.names()), CallID: x.callID}))
	switch {
	case x.life.Err() != nil:
		return refusal("cancelled", "cancelled before it began")
	case v.Blocked:
		return refusal("refused", "the sub-agent was %s", report.Reason("refused", v))
	}
	if err := x.takeChanges(ev, v.Changed); err != nil {
		return refusal("invalid", "subagent_start: %v", err)
	}
	if x.task = ev.Text("task"); strings.TrimSpace(x.task) == "" {
		return errNoTask
	}
	_, _, err := c.settings.Resolve("")
	return err
}

// mayBegin waits until it is known whether the sub-agent begins. An error is the reason why it does
// not.
func (x *subagent) mayBegin() error {
	select {
	case <-x.begun:
	case <-x.told:
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.refused
}

// newChild returns an agent of kind k below a, with a session of its own.
func newChild(a *Agent, k *kind, depth int) *Agent {
	o := a.o
	o.Session, o.Model, o.Thinking = childSession(a), a.settings.wanted(), a.settings.Level()
	if k.model != "" {
		o.Model = k.model
	}
	c := newAgent(o, a)
	c.tools.depth = depth
	c.tools.kind.Store(k)
	by := a.Envelope()
	c.report.Change(func(env *event.Envelope) {
		env.Agent, env.AgentID, env.ParentAgentID, env.Depth = k.name,
			"sub-"+c.journal.session().ID(),
			by.AgentID, depth
		env.Origin, env.Cost, env.Model = "subagent", by.Cost, c.Model()
	})
	return c
}

// childSession returns a session in a folder beside the parent's file and named after it.
func childSession(a *Agent) *session.Session {
	o := session.Options{CWD: a.o.Dir, Now: a.o.Clock.Now, Parent: a.Envelope().SessionID}
	if p := a.Envelope().SessionPath; p != "" {
		o.Dir = strings.TrimSuffix(p, filepath.Ext(p))
	}
	return session.New(o)
}

// takeChanges applies the changes of the handlers of subagent_start.
func (x *subagent) takeChanges(ev *event.Event, changed []string) error {
	a, k := x.agent, x.agent.tools.kind.Load()
	for _, key := range changed {
		switch key {
		case "model":
			if err := chat.CheckModelName(ev.Text("model")); err != nil {
				return fmt.Errorf("model%w", err)
			}
			a.settings.want(ev.Text("model"))
		case "tools":
			names, err := textList(ev.Field("tools"))
			if err == nil {
				err = checkTools(a.engine, names)
			}
			if err != nil {
				return fmt.Errorf("tools: %w", err)
			}
			c := *k
			c.only = names
			a.tools.kind.Store(&c)
		}
	}
	a.report.Change(func(env *event.Envelope) { env.Model = a.Model() })
	return nil
}

// working reports whether the sub-agent has not ended yet.
func (x *subagent) working() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.ended
}

// runTask runs the task to its end.
func (x *subagent) runTask() {
	end := x.work()
	x.agent.watch.flush()
	x.agent.shared.subagents.leave()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.result, x.ended = end, true
	switch {
	case x.waiters > 0 || x.life.Err() != nil:
		x.decide()
	default:
		claim := x.agent.shared.subagents.claim
		if claim == 0 {
			claim = unclaimed
		}
		x.timer = time.AfterFunc(claim, x.settleResult)
		context.AfterFunc(x.life, x.settleResult)
	}
}

// errLeft is the reason for abandoning a sub-agent.
var errLeft = errors.New("it did not stop, and was abandoned")

// patience returns a context that ends when the sub-agent must be abandoned.
func (x *subagent) patience() (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(x.life))
	stop := context.AfterFunc(x.life, func() {
		time.AfterFunc(leaveAfter, func() { cancel(errLeft) })
	})
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// work runs the agent. It abandons one that does not stop in time, and turns a panic into the
// sub-agent's failure, so that the parent continues.
func (x *subagent) work() service.SpawnEnd {
	ctx, done := x.patience()
	defer done()
	end, err := apart.Run(ctx, func() (service.SpawnEnd, error) { return x.live(), nil })
	switch {
	case err == nil:
		return end
	case errors.Is(err, errLeft):
		x.agent.Session().Leave()
		return service.SpawnEnd{Status: string(Cancelled), Error: err.Error()}
	}
	return service.SpawnEnd{Status: string(Failed), Error: err.Error()}
}

// live begins the sub-agent and runs its task.
func (x *subagent) live() service.SpawnEnd {
	a := x.agent
	defer func() {
		a.token.release()
		a.life.closed.Store(true)
		// each entry was written when it was appended, and a failure was reported then
		_ = a.journal.session().Close()
	}()
	err := x.beginSubagent()
	x.mu.Lock()
	x.refused = err
	x.mu.Unlock()
	close(x.begun)
	if err == nil {
		if x.transfer {
			tellSwitch(x.parent.report, x.parent.Envelope(), a.Envelope(), "transfer")
		}
		return x.workOn(x.life)
	}
	status := Failed
	var w *fault.WorldError
	if errors.As(err, &w) {
		switch w.Code {
		case "refused":
			status = Blocked
		case "cancelled":
			status = Cancelled
		}
	}
	return service.SpawnEnd{Status: string(status), Error: plain.Error(err)}
}

// workOn runs the task.
func (x *subagent) workOn(ctx context.Context) service.SpawnEnd {
	a := x.agent
	a.report.Change(func(env *event.Envelope) {
		env.PromptID, env.Model = a.journal.session().NewID(),
			a.Model()
	})
	p := &prompt{a: a, ctx: ctx, text: x.task, start: time.Now(), names: []any{}, priced: true}
	end := p.work()
	x.parent.refused.Add(int64(end.Refused))
	// The response is masked for the user: text that a script hides in messages must not appear in
	// the result of a call.
	r := service.SpawnEnd{Status: string(end.Status), Response: end.Response, Error: end.Reason,
		Usage: p.usage}
	if p.priced && p.turns > 0 {
		r.Cost = &p.cost
	}
	return r
}
