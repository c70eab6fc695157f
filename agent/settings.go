// This file holds the settings that may change while the agent works.

package agent

import (
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// settings are the model and how much it thinks, of one agent. The permission mode is shared by
// all.
type settings struct {
	mu       sync.Mutex
	model    string // as Options.Model
	thinking string
	asked    string // the model that was asked last; "" = none yet
}

func (s *settings) wanted() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

func (s *settings) level() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thinking
}

// Thinking is how much the model thinks, "" = its default. Call it from any goroutine.
func (a *Agent) Thinking() string { return a.settings.level() }

// Set changes settings; empty ones stay. source is user or script. It holds from the next model
// call, and for the permission mode from the next tool call, in the middle of a batch and in all
// sub-agents. An error names what is wrong, and nothing was changed then. Call it from any
// goroutine.
func (a *Agent) Set(s engine.Settings, source string) error {
	if strings.HasPrefix(source, sourceScript) {
		source = sourceScript
	}
	if err := a.checkSettings(s); err != nil {
		return err
	}
	if s.Model != "" {
		a.setModel(s.Model, source)
	}
	if s.Thinking != "" {
		a.settings.mu.Lock()
		previous := a.settings.thinking
		a.settings.thinking = s.Thinking
		a.settings.mu.Unlock()
		a.changed(event.ThinkingChange{New: s.Thinking, Previous: previous, Source: source},
			s.Thinking, previous)
	}
	if s.Permission != "" {
		previous := a.shared.permission.Swap(s.Permission).(engine.Permission)
		now, before := string(s.Permission), string(previous)
		a.changed(event.PermissionChange{New: now, Previous: before, Source: source}, now, before)
	}
	return nil
}

func (a *Agent) checkSettings(s engine.Settings) error {
	if s.Model != "" {
		if err := a.checkModel(s.Model); err != nil {
			return err
		}
	}
	return checkModes(s)
}

// checkModes reports what is wrong with the settings that have a fixed set of values.
func checkModes(s engine.Settings) error {
	if err := oneOf("thinking level", s.Thinking, engine.ThinkingLevels()); s.Thinking != "" &&
		err != nil {
		return err
	}
	var modes []string
	for _, m := range engine.Permissions() {
		modes = append(modes, string(m))
	}
	if err := oneOf("permission mode", string(s.Permission), modes); s.Permission != "" &&
		err != nil {
		return err
	}
	return nil
}

func oneOf(what, got string, names []string) error {
	for _, n := range names {
		if n == got {
			return nil
		}
	}
	return refusal("not_found", "unknown %s %q%s", what, got, have(got, names))
}

// checkModel reports what is wrong with a model that is to be asked from now on: a provider that
// names its models has no others, unless its server may have.
func (a *Agent) checkModel(name string) error {
	p, m, err := a.resolveModel(name)
	if err != nil || len(p.Models) == 0 || p.List != nil {
		return err
	}
	var ids []string
	for _, has := range a.modelsOf(p) {
		if ids = append(ids, has.ID); has.ID == m.ID {
			return nil
		}
	}
	return refusal("not_found", "model %s: %s has no model %q%s", name, p.Name, m.ID,
		have(m.ID, ids))
}

func (a *Agent) setModel(model, source string) {
	previous := a.Model()
	a.settings.mu.Lock()
	a.settings.model = model
	a.settings.mu.Unlock()
	now := a.Model()
	a.settings.mu.Lock()
	a.settings.asked = now
	a.settings.mu.Unlock()
	a.change(func(env *engine.Envelope) { env.Model = now })
	a.changed(event.ModelChange{New: now, Previous: previous, Source: source}, now, previous)
	a.learn()
}

// changed tells of a change, if it is one.
func (a *Agent) changed(f engine.Fired, now, previous string) {
	if now != previous {
		a.tell(f)
	}
}

// noteModel tells if another model is about to be asked than before, and nobody wanted that: the
// provider is gone.
func (a *Agent) noteModel() {
	now := a.Model()
	a.settings.mu.Lock()
	previous := a.settings.asked
	a.settings.asked = now
	a.settings.mu.Unlock()
	if previous != "" {
		a.changed(event.ModelChange{New: now, Previous: previous, Source: "fallback"}, now,
			previous)
	}
}
