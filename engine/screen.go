// This file defines what scripts show on a screen: pieces made of lines, panels, and drawings of
// calls and entries in a transcript.

package engine

import (
	"encoding/json"
	"slices"
	"sync/atomic"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/value"
)

// Drawing is the result of a renderer: lines, or Markdown. It is masked.
type Drawing struct {
	Lines    []Line
	Markdown string
}

// DrawPart is a part of the transcript that scripts can draw.
type DrawPart string

// The parts, with the value to draw.
const (
	DrawCall   DrawPart = "call"   // the arguments of a tool call
	DrawResult DrawPart = "result" // {content, is_error, details} of its result
	DrawEntry  DrawPart = "entry"  // the data of an entry
)

const (
	// mostDrawFailures is the number of failures in a row after which a renderer is not called any
	// more: each may use up its budget.
	mostDrawFailures = 3
	// mostPlainEntry is how many bytes of an entry are shown without a renderer: one line, to
	// recognise it by.
	mostPlainEntry = 1000
)

// Renderer draws one part of the transcript, for the tool or kind of entry with its name.
type Renderer struct {
	Part DrawPart
	Name string
	Gen  *Generation
	Line int // of the registering call
	// Draw draws a value at a width in cells; nil: the default is used. It runs a function of a
	// script.
	Draw func(value any, width int) (*Drawing, error)

	told     atomic.Bool
	failures atomic.Int32 // in a row
}

// Label names the renderer in errors.
func (r *Renderer) Label() string {
	if r.Part == DrawEntry {
		return "render entry " + r.Name
	}
	return "render " + string(r.Part) + " of " + r.Name
}

type drawn struct {
	part DrawPart
	name string
}

// Renderer returns the renderer of a part, nil if no script has one.
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

// Screen is the screen of a front end for scripts, and what they draw on it. Its methods are safe
// for concurrent use.
type Screen struct {
	scripts *Scripts
	mask    *redact.Mask
	surface *Surface // nil: there is none
}

// Surface returns the screen for scripts, nil if there is none.
func (s *Screen) Surface() *Surface { return s.surface }

// Draw lets a script draw a part; ok is false if none does, or if it failed, which was reported
// once. An entry whose renderer fails is shown as plain text.
func (s *Screen) Draw(part DrawPart, name string, value any, width int) (Drawing, bool) {
	r := s.scripts.Snapshot().Renderer(part, name)
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

// drawn returns the renderer's argument, with its shape.
func (s *Screen) drawn(part DrawPart, name string, val any) any {
	switch t := s.scripts.Snapshot().Tool(name); {
	case part == DrawCall && t != nil:
		return value.Typed{Value: val, Shape: t.shape}
	case part == DrawResult:
		return value.Typed{Value: val, Shape: resultShape}
	}
	return val
}

// plainEntry returns the plain text of an entry whose script cannot draw it.
func (s *Screen) plainEntry(kind string, data any) Drawing {
	text := kind
	if b, err := json.Marshal(data); err == nil && data != nil {
		text += " " + string(b)
	}
	text = plain.Clip(s.mask.Text(text), mostPlainEntry)
	return Drawing{Lines: []Line{{{Text: text, Style: "dim"}}}}
}

// ShowEntry shows an entry of a session on the screen, if there is one and a script draws entries
// of its kind.
func (s *Screen) ShowEntry(id, kind string, data any) {
	if to := s.surface; to != nil && to.Entry != nil &&
		s.scripts.Snapshot().Renderer(DrawEntry, kind) != nil {
		to.Entry(id, kind, data)
	}
}

// Span is a piece of a line, in one style.
type Span struct {
	Text  string
	Style string // one of Styles; "" = plain text
}

// Line is one line of a screen.
type Line []Span

// Text returns the line without its styles.
func (l Line) Text() string {
	var s string
	for _, p := range l {
		s += p.Text
	}
	return s
}

// Styles lists the styles of spans, by meaning: the screen chooses the colours.
func Styles() []string {
	return []string{"dim", "bold", "accent", "code", "ok", "warn", "error", "alarm", "added",
		"removed", "user", "choice"}
}

// IsStyle reports whether s is one of Styles.
func IsStyle(s string) bool { return slices.Contains(Styles(), s) }

// Kinds of pieces.
const (
	PieceStatus = "status" // one line in the status line
	PieceWidget = "widget" // lines above or below the editor
	PieceFooter = "footer" // lines below everything
	PieceTitle  = "title"  // of the window
)

// Piece is something that a script shows until it removes it. A new one with the same script, kind
// and key replaces it.
type Piece struct {
	Script, Kind, Key string
	Lines             []Line  // masked, one line each; nil = removed
	Side              string  // status: left or right
	Order             float64 // the smallest comes first
	Place             string  // widget: above or below the editor
}

// Surface is the screen of a front end, for scripts. No function waits for a person. Show and the
// actions are called from one goroutine at a time, the others from any. Texts may contain control
// characters: the front end must remove them. A nil function does nothing.
type Surface struct {
	Show func(p Piece)
	// Width returns the width in cells; 0 or nil = unknown.
	Width func() int
	// OnResize sets a function to be called, from any goroutine, when Width changes.
	OnResize func(f func())
	// Insert puts text into the editor at the cursor.
	Insert func(script, text string)
	// Copy puts text into the clipboard.
	Copy func(script, text string)
	// Desktop shows a desktop notification.
	Desktop func(script, title, body string)
	// Open opens a panel, on top of the open ones. nil: not supported.
	Open func(p *Panel) PanelView
	// Entry shows an entry of the session that a script draws, by Screen.Draw. It is called from
	// any goroutine.
	Entry func(id, kind string, data any)
	// Focused reports whether the screen has the focus, as far as that is known.
	Focused func() bool
}

// Panel is passed to a front end when a script opens a panel. Its functions may be called from any
// goroutine and do not block.
type Panel struct {
	Script, Title string
	// Key passes a key: its name, such as "a", "up", "ctrl+x" or "esc", and its text. Pasted text
	// has the name "paste".
	Key func(name, text string)
	// Resize passes the size in cells and lines.
	Resize func(width, height int)
	// Close reports that the user has left the panel.
	Close func()
}

// PanelView is an open panel, with functions to draw on it. They are called by one goroutine at a
// time; lines are masked.
type PanelView struct {
	Draw  func(lines []Line)
	Close func()
}
