// This file defines what scripts draw: their Screen, and renderers, which draw calls of a tool and
// entries of scripts in a transcript.

package engine

import (
	"encoding/json"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// Drawing is what a renderer draws: lines, or Markdown. It is masked.
type Drawing struct {
	Lines    []Line
	Markdown string
}

// DrawPart is a part of the transcript that scripts can draw.
type DrawPart string

// The parts, with the value that is drawn.
const (
	DrawCall   DrawPart = "call"   // the arguments of a tool call
	DrawResult DrawPart = "result" // {content, is_error, details} of its result
	DrawEntry  DrawPart = "entry"  // the data of an entry
)

const (
	// mostDrawFailures is after how many failures in a row a renderer is not asked any more: each
	// costs what its budget lets it take.
	mostDrawFailures = 3
	// mostPlainEntry is how much of an entry is shown plainly, in bytes: it is one line, to
	// recognise it by.
	mostPlainEntry = 1000
)

// Renderer draws one part of the transcript for the tool, or the kind of entry, of a name.
type Renderer struct {
	Part DrawPart
	Name string
	Gen  *Generation
	Line int // of the registering call
	// Draw draws a value in so many cells; nil: it is drawn as ever. It runs a function of a
	// script.
	Draw func(value any, width int) (*Drawing, error)

	told     atomic.Bool
	failures atomic.Int32 // in a row
}

// Label says what it does, for errors.
func (r *Renderer) Label() string {
	if r.Part == DrawEntry {
		return "render entry " + r.Name
	}
	return "render " + string(r.Part) + " of " + r.Name
}

// AddRenderer registers r with g. Only while g loads.
func (g *Generation) AddRenderer(r *Renderer) error {
	return g.register("ext.render", func() { r.Gen = g; g.Renderers = append(g.Renderers, r) })
}

type drawn struct {
	part DrawPart
	name string
}

// Renderer returns who draws a part, nil if no script does.
func (s *Snapshot) Renderer(part DrawPart, name string) *Renderer {
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

// Screen is the screen of a front end as scripts use it, and what they draw on it. Its methods are
// safe for concurrent use.
type Screen struct {
	engine  *Engine
	surface *Surface // nil: there is none
}

// Surface returns the screen for scripts, nil if there is none.
func (s *Screen) Surface() *Surface { return s.surface }

// Draw lets a script draw a part; false: none does, or it failed, which was told once. What fails
// to draw an entry is drawn plainly.
func (s *Screen) Draw(part DrawPart, name string, value any, width int) (Drawing, bool) {
	r := s.engine.Scripts.Snapshot().Renderer(part, name)
	if r == nil {
		return Drawing{}, false
	}
	if r.failures.Load() < mostDrawFailures {
		d, err := r.Draw(s.drawn(part, name, value), width)
		if err == nil {
			r.failures.Store(0)
			if d == nil {
				return Drawing{}, part == DrawEntry
			}
			return *d, true
		}
		r.failures.Add(1)
		if !r.told.Swap(true) {
			r.Gen.Failed(err, r.Label(), r.Line)
		}
	}
	if part != DrawEntry {
		return Drawing{}, false
	}
	return s.plainEntry(name, value), true
}

// drawn is what a renderer gets, with its shape.
func (s *Screen) drawn(part DrawPart, name string, val any) any {
	switch t := s.engine.Scripts.Snapshot().Tool(name); {
	case part == DrawCall && t != nil:
		return value.Typed{Value: val, Shape: t.shape}
	case part == DrawResult:
		return value.Typed{Value: val, Shape: resultShape}
	}
	return val
}

// plainEntry is an entry that a script ought to draw, and cannot.
func (s *Screen) plainEntry(kind string, data any) Drawing {
	text := kind
	if b, err := json.Marshal(data); err == nil && data != nil {
		text += " " + string(b)
	}
	text = plain.Clip(s.engine.Mask.Text(text), mostPlainEntry)
	return Drawing{Lines: []Line{{{Text: text, Style: "dim"}}}}
}

// ShowEntry shows an entry of a session on the screen, if there is one and a script draws entries
// of its kind.
func (s *Screen) ShowEntry(id, kind string, data any) {
	if to := s.surface; to != nil && to.Entry != nil &&
		s.engine.Scripts.Snapshot().Renderer(DrawEntry, kind) != nil {
		to.Entry(id, kind, data)
	}
}
