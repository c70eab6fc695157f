// This file defines the Screen, on which scripts show lines, panels, and drawings of calls and
// entries.

package engine

import (
	"encoding/json"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// mostDrawFailures is the number of failures in a row after which a renderer is not called any
	// more: each may use up its budget.
	mostDrawFailures = 3
	// mostPlainEntry is the number of bytes of an entry that are shown without a renderer: one
	// line.
	mostPlainEntry = 1000
)

// Renderer draws one part of the transcript, for the tool or kind of entry with its name.
type Renderer struct {
	Part ui.DrawPart
	Name string
	Gen  *Generation
	Line int // of the registering call
	// Draw draws a value; nil: the default is used. It runs a function of a script.
	Draw func(r ui.DrawRequest) (*ui.Drawing, error)
	// Partial is set if it draws a result also while the call runs.
	Partial bool

	told     atomic.Bool
	failures atomic.Int32 // in a row
}

// Label names the renderer in errors.
func (r *Renderer) Label() string {
	if r.Part == ui.DrawEntry {
		return "render entry " + r.Name
	}
	return "render " + string(r.Part) + " of " + r.Name
}

type drawn struct {
	part ui.DrawPart
	name string
}

// Renderer returns the renderer of a part, nil if no script has one.
func (s *Snapshot) Renderer(part ui.DrawPart, name string) *Renderer {
	return s.renderers[drawn{part, name}]
}

func (s *Snapshot) addRenderer(r *Renderer) {
	at := drawn{r.Part, r.Name}
	if first := s.renderers[at]; first != nil {
		s.clash(r.Label(), owner(first.Gen, first.Line, ""), owner(r.Gen, r.Line, ""))
		return
	}
	s.renderers[at] = r
}

// Screen is the screen of a front end for scripts, and the content that they draw on it. Its
// methods are safe for concurrent use.
type Screen struct {
	scripts *Scripts
	mask    *redact.Mask
	surface *ui.Surface // nil: there is none
}

// Surface returns the screen for scripts, nil if there is none.
func (s *Screen) Surface() *ui.Surface { return s.surface }

// Draw lets a script draw a part; ok is false if none does, or if it failed, which was reported
// once. An entry whose renderer fails is shown as plain text.
func (s *Screen) Draw(q ui.DrawRequest) (ui.Drawing, bool) {
	part, name, value := q.Part, q.Name, q.Value
	r := s.scripts.Snapshot().Renderer(part, name)
	if r == nil || part == ui.DrawResult && q.Partial && !r.Partial {
		return ui.Drawing{}, false
	}
	if r.failures.Load() < mostDrawFailures {
		q.Value = s.drawn(part, name, value)
		d, err := r.Draw(q)
		if err == nil {
			r.failures.Store(0)
			if d == nil {
				return ui.Drawing{}, part == ui.DrawEntry
			}
			return *d, true
		}
		r.failures.Add(1)
		if !r.told.Swap(true) {
			r.Gen.Failed(err, r.Label(), r.Line)
		}
	}
	if part != ui.DrawEntry {
		return ui.Drawing{}, false
	}
	return s.plainEntry(name, value), true
}

// drawn returns the renderer's argument, with its shape.
func (s *Screen) drawn(part ui.DrawPart, name string, val any) any {
	switch t := s.scripts.Snapshot().Tool(name); {
	case part == ui.DrawCall && t != nil:
		return value.Typed{Value: val, Shape: t.shape}
	case part == ui.DrawResult:
		return value.Typed{Value: val, Shape: resultShape}
	}
	return val
}

// plainEntry returns the plain text of an entry whose script cannot draw it.
func (s *Screen) plainEntry(kind string, data any) ui.Drawing {
	text := kind
	if b, err := json.Marshal(data); err == nil && data != nil {
		text += " " + string(b)
	}
	text = plain.Clip(s.mask.Text(text), mostPlainEntry)
	return ui.Drawing{Lines: []ui.Line{{{Text: text, Style: "dim"}}}}
}

// ShowEntry shows an entry of a session on the screen, if there is one and a script draws entries
// of its kind.
func (s *Screen) ShowEntry(id, kind string, data any) {
	if to := s.surface; to != nil && to.Entry != nil &&
		s.scripts.Snapshot().Renderer(ui.DrawEntry, kind) != nil {
		to.Entry(id, kind, data)
	}
}
