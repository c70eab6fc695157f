// This file keeps the settings that the user has chosen in a session, and restores them when the
// session is opened again.

package acp

import (
	"context"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/service"
)

// keptBy is the owner of the kept settings in a session's state. No script can have this name:
// their names have an extension.
const keptBy = "agent"

// kept maps the events of the kept settings to their fields.
func kept() map[string]func(*service.Settings) *string {
	return map[string]func(*service.Settings) *string{
		"permission_change": func(s *service.Settings) *string { return (*string)(&s.Permission) },
		"model_change":      func(s *service.Settings) *string { return &s.Model },
		"thinking_change":   func(s *service.Settings) *string { return &s.Thinking },
	}
}

// keep stores a setting if the user changed it.
func (t *thread) keep(ev *event.Event) {
	if ev.Text("source") != "user" {
		return
	}
	s, now := t.p.Agent.Session(), ev.Text("new")
	if was, _ := s.State(keptBy, ev.Name()); was != now {
		// a write error is reported with the next entry
		_ = s.SetState(keptBy, ev.Name(), now)
	}
}

// settingsOf reads the kept settings.
func settingsOf(s *session.Session) service.Settings {
	var settings service.Settings
	for event, field := range kept() {
		value, _ := s.State(keptBy, event)
		*field(&settings), _ = value.(string)
	}
	return settings
}

// beginSession loads the scripts and begins the session with the settings kept in it, except those
// that the program was started with. The permission mode applies at once; the model may be one that
// a script provides.
func (t *thread) beginSession(ctx context.Context) error {
	a := t.p.Agent
	s := settingsOf(a.Session())
	for _, field := range kept() {
		if *field(&t.p.Chosen) != "" {
			*field(&s) = ""
		}
	}
	if s.Permission != "" {
		t.restore(service.Settings{Permission: s.Permission})
	}
	if err := t.p.Start(ctx); err != nil {
		return err
	}
	for _, one := range []service.Settings{{Model: s.Model}, {Thinking: s.Thinking}} {
		if one != (service.Settings{}) {
			t.restore(one)
		}
	}
	return nil
}

func (t *thread) restore(s service.Settings) {
	if err := t.remote.Set(s); err != nil {
		t.view.notice(level("warn") + "a setting of this session cannot be kept: " +
			t.remote.Mask(plain.Error(err)))
	}
}
