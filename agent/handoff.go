// This file finds kinds of agents by name, and lets the main agent become one.

package agent

import (
	"sync"

	"github.com/agentscripts/agent/engine"
)

// handoff is what the main agent was before it became another kind of agent.
type handoff struct {
	mu    sync.Mutex // one at a time
	model string     // as it was set then
}

// handOver changes who the main agent is: name is a kind of agent, "main" for none. It holds at
// once: from the next request to a model, and the next tool call, on; the system prompt from the
// next prompt on.
func (a *Agent) handOver(name string) error {
	var k *kind
	if name != mainKind {
		var err error
		if k, err = a.tools.kinds.find(name); err != nil {
			return err
		}
	}
	a.handoff.mu.Lock()
	defer a.handoff.mu.Unlock()
	from, was := a.Envelope(), a.tools.kind.Load()
	if from.Agent == name && k == nil {
		return nil
	}
	if was == nil {
		a.handoff.model = a.settings.wanted()
	}
	model := a.handoff.model
	if k != nil && k.model != "" {
		model = k.model
		if err := a.shared.catalog.Check(model); err != nil {
			return refusal("not_found", "agent %s: %v", name, err)
		}
	}
	a.tools.kind.Store(k)
	if was != nil && was.model != "" || k != nil && k.model != "" {
		a.settings.setModel(model, "user")
	}
	to := a.report.Change(func(env *engine.Envelope) { env.Agent = name })
	tellSwitch(a.report, from, to, "handoff")
	return nil
}
