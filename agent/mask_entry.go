// This file masks what is written down: a session holds nothing that redactors match.

package agent

import (
	"maps"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
)

// maskEntry returns e as it may be written down, and so be sent to models and shown when the
// session is resumed. What scripts keep for themselves (custom entries, state) stays as it is: they
// must find again what they put there. Call it on a goroutine that holds no VM's turn.
func maskEntry(eng *engine.Engine, e session.Entry) session.Entry {
	if !eng.Masks() {
		return e
	}
	e.Message = eng.MaskMessage(e.Message)
	e.Shown, e.ShownReasoning = maskedText(eng, e.Shown), maskedText(eng, e.ShownReasoning)
	if e.Tool != nil {
		t := *e.Tool
		t.Args, t.Details = maskedTable(eng, t.Args), maskedTable(eng, t.Details)
		t.ForUser = eng.Mask(t.ForUser)
		if t.Display != nil {
			d := *t.Display
			d.Title, d.Text = eng.Mask(d.Title), eng.Mask(d.Text)
			t.Display = &d
		}
		t.Trail = append(engine.Trail(nil), t.Trail...)
		for i := range t.Trail {
			t.Trail[i].Reason = eng.Mask(t.Trail[i].Reason)
		}
		e.Tool = &t
	}
	if e.Context != nil {
		c := *e.Context
		c.Text = eng.Mask(c.Text)
		e.Context = &c
	}
	if e.Event != nil {
		data := maskedTable(eng, e.Event.Data)
		if status, ok := e.Event.Data["status"]; ok { // one of a few
			data = maps.Clone(data)
			data["status"] = status
		}
		e.Event = &session.Event{Name: e.Event.Name, Data: data}
	}
	if e.Compaction != nil {
		c := *e.Compaction
		c.Summary = eng.Mask(c.Summary)
		e.Compaction = &c
	}
	return e
}

func maskedText(e *engine.Engine, s *string) *string {
	if s == nil {
		return nil
	}
	masked := e.Mask(*s)
	return &masked
}

func maskedTable(e *engine.Engine, t map[string]any) map[string]any {
	masked, _ := e.MaskValue(t).(map[string]any)
	return masked
}
