// This file finds kinds of agents by name, and turns the main agent into one.

package agent

import (
	"sync"

	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/engine/event"
)

// handoff turns an agent into another kind of agent, and back into the main agent.
type handoff struct {
	report   *report.Reporter
	catalog  *models.Catalog
	settings *settings
	tools    *toolset

	mu    sync.Mutex // one handoff at a time
	model string     // as set before the handoff
}

// to changes the kind of the main agent: name is a kind, "main" for none. It takes effect with the
// next model call and the next tool call; the system prompt changes with the next prompt.
func (h *handoff) to(name string) error {
	var k *kind
	if name != mainKind {
		var err error
		if k, err = h.tools.kinds.find(name); err != nil {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	from, was := h.report.Envelope(), h.tools.kind.Load()
	if from.Agent == name && k == nil {
		return nil
	}
	if was == nil {
		h.model = h.settings.wanted()
	}
	model := h.model
	if k != nil && k.model != "" {
		model = k.model
		if err := h.catalog.Check(model); err != nil {
			return refusal("not_found", "agent %s: %v", name, err)
		}
	}
	h.tools.kind.Store(k)
	if was != nil && was.model != "" || k != nil && k.model != "" {
		h.settings.setModel(model, "user")
	}
	to := h.report.Change(func(env *event.Envelope) { env.Agent = name })
	tellSwitch(h.report, from, to, "handoff")
	return nil
}
