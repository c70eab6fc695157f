// This file holds the settings that may change while the agent works.

package agent

import (
	"cmp"
	"strings"
	"sync"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/models"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/service"
)

// settings holds one agent's model and thinking level. The permission mode is shared by all agents.
type settings struct {
	report  *report.Reporter
	common  *report.Common
	catalog *models.Catalog

	mu       sync.Mutex
	model    string // as Options.Model
	thinking string
	asked    string // the model of the last request; "" = none yet
}

// wanted returns the model that was set, as in Options.Model.
func (s *settings) wanted() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

// want sets the model without an event.
func (s *settings) want(model string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model = model
}

// Level returns the thinking level.
func (s *settings) Level() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thinking
}

// Resolve returns the provider and the model for a request that names its own model; "" = it does
// not.
func (s *settings) Resolve(own string) (*engine.Provider, chat.Model, error) {
	return s.catalog.Resolve(cmp.Or(own, s.wanted()))
}

// ModelName returns the model as "provider/id" for a request that names its own; "" = it does not.
// If there is no such model, it returns the model that was set.
func (s *settings) ModelName(own string) string {
	if p, m, err := s.Resolve(own); err == nil {
		return p.Name + "/" + m.ID
	}
	return cmp.Or(own, s.wanted())
}

// offline reports whether the offline model is in use because no other is set up.
func (s *settings) offline() bool {
	p, _, err := s.Resolve("")
	return err == nil && p.Name == models.Offline && s.wanted() == ""
}

// learn asks the provider in the background for details of the model.
func (s *settings) learn() { s.catalog.Learn(s.wanted()) }

// setOption implements Agent.Set.
func (s *settings) setOption(now service.Settings, source string) error {
	if strings.HasPrefix(source, sourceScript) {
		source = sourceScript
	}
	if err := s.check(now); err != nil {
		return err
	}
	if now.Model != "" {
		s.setModel(now.Model, source)
	}
	if now.Thinking != "" {
		s.mu.Lock()
		previous := s.thinking
		s.thinking = now.Thinking
		s.mu.Unlock()
		s.tellChange(event.ThinkingChange{New: now.Thinking, Previous: previous, Source: source},
			now.Thinking, previous)
	}
	if now.Permission != "" {
		old := s.common.SetPermission(now.Permission)
		mode, previous := string(now.Permission), string(old)
		s.tellChange(event.PermissionChange{New: mode, Previous: previous, Source: source}, mode,
			previous)
	}
	return nil
}

// check validates new settings.
func (s *settings) check(now service.Settings) error {
	if now.Model != "" {
		if err := s.catalog.Check(now.Model); err != nil {
			return err
		}
	}
	return checkModes(now)
}

// setModel sets the model and emits the event.
func (s *settings) setModel(model, source string) {
	previous := s.ModelName("")
	s.want(model)
	now := s.ModelName("")
	s.swapAsked(now)
	s.report.Change(func(env *event.Envelope) { env.Model = now })
	s.tellChange(event.ModelChange{New: now, Previous: previous, Source: source}, now, previous)
	s.learn()
}

// noteModel reports that the next request goes to another model than the last although the setting
// has not changed, because the provider is gone.
func (s *settings) noteModel() {
	now := s.ModelName("")
	if previous := s.swapAsked(now); previous != "" {
		s.tellChange(event.ModelChange{New: now, Previous: previous, Source: "fallback"}, now,
			previous)
	}
}

// swapAsked records the model of the next request, and returns the previous one.
func (s *settings) swapAsked(now string) (previous string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	previous, s.asked = s.asked, now
	return previous
}

// tellChange emits the event of a change, if the value has changed.
func (s *settings) tellChange(f event.Fired, now, previous string) {
	if now != previous {
		s.report.Tell(f)
	}
}

// checkModes validates the settings that have a fixed set of values.
func checkModes(s service.Settings) error {
	if err := oneOf("thinking level", s.Thinking, chat.ThinkingLevels()); s.Thinking != "" &&
		err != nil {
		return err
	}
	if err := oneOf("permission mode", string(s.Permission),
		event.PermissionNames()); s.Permission != "" && err != nil {
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
	return refusal("not_found", "unknown %s %q%s", what, got, models.Suggest(got, names))
}
