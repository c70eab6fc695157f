// This file holds ext.agent, with which scripts control the agent.

package host

import (
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/value"
)

// services returns the services that the agent provides for scripts, nil if there is no agent.
type services func() *service.Agent

// of returns the services for the function called name.
func (s services) of(name string) (*service.Agent, error) {
	if s != nil {
		if now := s(); now != nil {
			return now, nil
		}
	}
	return nil, &fault.WorldError{Code: "unsupported", Message: name + ": there is no agent here"}
}

// agents implements ext.agent and ext.llm.
type agents struct{ services services }

func (a *agents) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"agent.send": a.send, "agent.abort": a.abort, "agent.compact": a.compact,
		"agent.exit": a.exit, "agent.idle": a.idle, "agent.set": a.setSettings,
		"agent.models": a.models, "agent.spawn": a.spawn, "llm.complete": a.complete,
	}
}

// world converts an error of the agent for the script: the error that ends the run is returned as
// it is, others become errors of the outside world.
func world(c *engine.HostCall, name string, err error) error {
	if err == nil {
		return nil
	}
	if stop := c.Run.Err(); stop != nil {
		return stop
	}
	code := "failed"
	var w *fault.WorldError
	if errors.As(err, &w) {
		code = w.Code
	}
	return &fault.WorldError{Code: code, Message: name + ": " + err.Error()}
}

// done is the result of a function that returns only success: true, which Lua can tell from an
// error.
func done(err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return true, nil
}

// source names c's script for the agent.
func source(c *engine.HostCall) string { return event.OfScript + c.Gen.Name }

func (a *agents) send(c *engine.HostCall) (any, error) {
	s, err := a.services.of("ext.agent.send")
	if err != nil {
		return nil, err
	}
	input := c.Args[0].(string)
	if input == "" {
		return nil, errors.New(`ext.agent.send: text: got "", want a prompt or a command`)
	}
	if err := value.CheckSize(input); err != nil {
		return nil, fmt.Errorf("ext.agent.send: text: %w", err)
	}
	when := text(table(c.Args[1])["when"])
	if when == "" {
		when = "next"
	}
	return done(world(c, "ext.agent.send", s.Send(c.Run.Env, input, when, source(c), c.Pos.Line)))
}

func (a *agents) abort(c *engine.HostCall) (any, error) {
	s, err := a.services.of("ext.agent.abort")
	if err == nil {
		s.Abort(c.Run.Env)
	}
	return done(err)
}

func (a *agents) exit(*engine.HostCall) (any, error) {
	s, err := a.services.of("ext.agent.exit")
	if err == nil {
		s.Exit()
	}
	return done(err)
}

func (a *agents) idle(*engine.HostCall) (any, error) {
	s, err := a.services.of("ext.agent.idle")
	if err != nil {
		return nil, err
	}
	return s.Idle(), nil
}

func (a *agents) compact(c *engine.HostCall) (any, error) {
	s, err := a.services.of("ext.agent.compact")
	if err != nil {
		return nil, err
	}
	ctx, _, err := c.Run.Cause()
	if err != nil {
		return nil, fmt.Errorf("ext.agent.compact: %w", err)
	}
	c.Run.OffClock(func() {
		err = s.Compact(ctx, c.Run.Env,
			text(table(c.Args[0])["instructions"]))
	})
	return done(world(c, "ext.agent.compact", err))
}

func (a *agents) setSettings(c *engine.HostCall) (any, error) {
	s, err := a.services.of("ext.agent.set")
	if err != nil {
		return nil, err
	}
	m := c.Args[0].(map[string]any)
	set := service.Settings{Model: text(m["model"]), Thinking: text(m["thinking"]),
		Permission: event.Permission(text(m["permission"]))}
	if m["model"] != nil {
		if err := chat.CheckModelName(set.Model); err != nil {
			return nil, fmt.Errorf("ext.agent.set: model%w", err)
		}
	}
	return done(world(c, "ext.agent.set", s.Set(c.Run.Env, set, "script")))
}

func (a *agents) models(*engine.HostCall) (any, error) {
	s, err := a.services.of("ext.agent.models")
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, m := range s.Models() {
		v := map[string]any{"id": m.Provider + "/" + m.ID, "provider": m.Provider,
			"context": m.Context, "max_output": m.MaxOutput,
			"images": m.Images, "thinking": m.Thinking}
		if p := m.Price; p != nil {
			v["price"] = map[string]any{"input": p.Input, "output": p.Output,
				"cache_read": p.CacheRead, "cache_write": p.CacheWrite}
		}
		list = append(list, v)
	}
	return list, nil
}
