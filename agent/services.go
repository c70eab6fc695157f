// This file assembles the agent's services for scripts.

package agent

import (
	"context"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/service"
)

// Services returns the services that engine/host calls for ext.agent, ext.session, ext.state and
// ext.llm. The main agent and all its sub-agents share them.
func (a *Agent) Services() *service.Agent {
	m := services{a}
	s := &service.Agent{Send: m.send, Abort: m.abort, Exit: a.worker.exit, Idle: a.Idle,
		Models: a.shared.catalog.List}
	s.Set = func(env *event.Envelope, set service.Settings, source string) error {
		return m.agent(env).Set(set, source)
	}
	s.Compact = func(ctx context.Context, env *event.Envelope, instructions string) error {
		return a.Compact(ctx, instructions)
	}
	s.Complete = func(ctx context.Context, env *event.Envelope,
		c *service.ModelCall) (*service.ModelAnswer, error) {
		return m.agent(env).asker.Complete(ctx, c)
	}
	s.Spawn = m.spawn
	s.Messages = func(env *event.Envelope) []*chat.Message {
		return m.agent(env).journal.messages()
	}
	s.Entries = func(env *event.Envelope) []any { return m.agent(env).journal.entries() }
	s.Tree = func(env *event.Envelope) []any { return m.agent(env).journal.tree() }
	s.Append = func(env *event.Envelope, kind string, data any) (string,
		error) {
		return m.agent(env).journal.appendCustom(kind, data)
	}
	s.Name = func(_ *event.Envelope, name string) (string, error) { return a.journal.name(name) }
	s.Label = func(env *event.Envelope, id, text string) error {
		return m.agent(env).journal.label(id, text)
	}
	s.Usage = func(_ *event.Envelope, branch bool) map[string]any {
		return a.journal.usage(branch)
	}
	s.New = func(ctx context.Context, env *event.Envelope, prompt string) error {
		return forMain(env, func() error { return a.NewSession(ctx, "new", prompt) })
	}
	s.Fork = func(ctx context.Context, env *event.Envelope, id string, before bool) error {
		return forMain(env, func() error { return a.Fork(ctx, id, before) })
	}
	s.State = a.journal.state()
	return s
}

// services serves scripts for the agent that their envelope names: main or one of its sub-agents.
type services struct{ main *Agent }

// forMain runs do only for the main agent's scripts: a sub-agent's session belongs to its parent.
func forMain(env *event.Envelope, do func() error) error {
	if env != nil && env.Depth > 0 {
		return &fault.WorldError{Code: "unsupported",
			Message: "a sub-agent works in the session of its parent"}
	}
	return do()
}

// agent returns the agent that env names, or the main one if that has ended.
func (m services) agent(env *event.Envelope) *Agent {
	if env != nil {
		if found := m.main.shared.subagents.find(m.main, env.AgentID); found != nil {
			return found
		}
	}
	return m.main
}

func (m services) send(env *event.Envelope, text, when, source string, line int) error {
	in := Input{Text: text, Source: source, line: line}
	switch when {
	case "next":
		in.Kind = kindFollowUp
	case "idle":
		in.Kind, in.idle = kindFollowUp, true
	default:
		in.Kind = kindSteer
	}
	to := m.main
	if env != nil && env.AgentID != "" {
		if to = m.main.shared.subagents.find(m.main, env.AgentID); to == nil {
			return &fault.WorldError{Code: "not_found",
				Message: "the sub-agent " + env.AgentID + " has ended"}
		}
	}
	return to.Send(in)
}

// abort ends the prompt of the agent that env names. It does nothing if that prompt has ended.
func (m services) abort(env *event.Envelope) {
	if env == nil || env.AgentID == "" {
		m.main.Interrupt("hard")
	} else if to := m.main.shared.subagents.find(m.main, env.AgentID); to != nil {
		to.Interrupt("hard")
	}
}

// spawn implements service.Agent.Spawn.
func (m services) spawn(ctx context.Context, env *event.Envelope,
	spec *service.SpawnSpec) (*service.Spawned, error) {
	subs := &m.main.shared.subagents
	x, err := subs.spawn(ctx, subs.at(m.main, env), env, spec, false)
	if err != nil {
		return nil, err
	}
	return &service.Spawned{ID: x.id, Wait: x.waitResult, Kill: x.kill}, nil
}
