// This file finds kinds of agents by name, and lets the main agent become one.

package agent

import (
	"sync"

	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/engine/event"
)

// handoff lets an agent become another kind of agent, and the main agent again.
type handoff struct {
	report   *report.Reporter
	catalog  *models.Catalog
	settings *settings
	tools    *toolset

	mu    sync.Mutex // one at a time
	model string     // as it was set before the agent became another kind
}

// to changes who the main agent is: name is a kind of agent, "main" for none. It holds at once:
// from the next request to a model, and the next tool call, on; the system prompt from the next
// prompt on.
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
