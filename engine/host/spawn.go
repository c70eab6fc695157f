// This file implements ext.agent.spawn: sub-agents of scripts.

package host

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/value"
)

func (a *agents) spawn(c *engine.HostCall) (any, error) {
	const name = "ext.agent.spawn"
	s, err := a.services.of(name)
	if err != nil {
		return nil, err
	}
	m := c.Args[0].(map[string]any)
	spec := &service.SpawnSpec{Prompt: text(m["prompt"]), Agent: text(m["agent"]),
		Model: text(m["model"]), System: text(m["system"])}
	if spec.Prompt == "" {
		return nil, fmt.Errorf("%s: prompt: got \"\", want a task for the sub-agent", name)
	}
	if m["model"] != nil {
		if err := chat.CheckModelName(spec.Model); err != nil {
			return nil, fmt.Errorf("%s: model%w", name, err)
		}
	}
	if list, ok := m["tools"].([]any); ok {
		spec.Tools = []string{}
		for i, v := range list {
			tool, ok := v.(string)
			if !ok {
				return nil, fmt.Errorf("%s: tools[%d]: got %s, want the name of a tool", name, i+1,
					value.TypeName(v))
			}
			spec.Tools = append(spec.Tools, tool)
		}
	}
	var timeout time.Duration
	if v, ok := m["timeout"]; ok {
		d, err := seconds(v)
		if err != nil {
			return nil, fmt.Errorf("%s: timeout: %w", name, err)
		}
		timeout = *d
	}
	ctx, err := c.Run.CauseBeyond() // it runs until its script is unloaded
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	h := &spawned{timeout: timeout}
	if fn, ok := m["on_event"].(engine.Func); ok {
		h.events = c.Gen.Listen("spawn on_event", c.Run.Env, fn)
		spec.OnEvent = func(kind string,
			data map[string]any) {
			h.events.Tell(map[string]any{"kind": kind, "data": data})
		}
	}
	if h.agent, err = s.Spawn(ctx, c.Run.Env, spec); err != nil {
		return nil, world(c, name, err)
	}
	if timeout > 0 {
		h.timer = time.AfterFunc(timeout, func() {
			h.late.Store(true)
			h.agent.Kill()
		})
	}
	return map[string]any{"id": h.agent.ID,
		"wait": &engine.Builtin{Bare: true, Row: &engine.APIRow{Name: "spawn.wait", Waits: true},
			Func: h.waitEnd},
		"kill": &engine.Builtin{Bare: true, Row: &engine.APIRow{Name: "spawn.kill"}, Func: h.kill},
	}, nil
}

// spawned is a sub-agent that a script started.
type spawned struct {
	agent   *service.Spawned
	events  *engine.Listener // nil: no one listens
	timeout time.Duration
	timer   *time.Timer // kills it after the timeout; nil: none
	late    atomic.Bool // the timeout has passed
}

func (h *spawned) kill(*engine.HostCall) (any, error) {
	h.agent.Kill()
	return nil, nil
}

// waitEnd waits for the end; the clock of the run is stopped meanwhile. on_event has then received
// everything.
func (h *spawned) waitEnd(c *engine.HostCall) (any, error) {
	var end service.SpawnEnd
	var err error
	c.Run.OffClock(func() {
		ctx := c.Run.Context()
		end, err = h.agent.Wait(ctx)
		if h.events != nil {
			h.events.Flush(ctx)
		}
	})
	if err != nil {
		return nil, world(c, "spawn.wait", err)
	}
	if h.timer != nil {
		h.timer.Stop()
	}
	v := map[string]any{"status": end.Status, "response": end.Response, "usage": end.Usage.Value()}
	if end.Cost != nil {
		v["cost"] = *end.Cost
	}
	if h.late.Load() && end.Status == "cancelled" {
		end.Error = fmt.Sprintf("killed after its timeout of %v", h.timeout)
	}
	if end.Error != "" {
		v["error"] = end.Error
	}
	return v, nil
}
