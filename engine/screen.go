// This file defines what scripts put on a screen: pieces made of lines, panels, and drawings of
// calls and entries in a transcript.

package engine

import (
	"encoding/json"
	"slices"
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

// Span is a piece of a line, in one style.
type Span struct {
	Text  string
	Style string // one of Styles; "" = as text is
}

// Line is one line of a screen.
type Line []Span

// Text is the line without its styles.
func (l Line) Text() string {
	var s string
	for _, p := range l {
		s += p.Text
	}
	return s
}

// Styles are what a span may be, by meaning: which colour that is, the screen decides.
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

// Piece is something that a script shows until it takes it away. One with the same script, kind and
// key takes its place.
type Piece struct {
	Script, Kind, Key string
	Lines             []Line  // masked, one line each; nil = it is gone
	Side              string  // status: left or right
	Order             float64 // the least comes first
	Place             string  // widget: above or below the editor
}

// Surface is the screen of a front end, for scripts. No function waits for a person; Show and those
// that act are called from one goroutine at a time, the others from any. Texts may hold control
// characters: the front end keeps them from its terminal. A nil function does nothing.
type Surface struct {
	Show func(p Piece)
	// Width is how many cells a line has; 0 or nil = that is not known.
	Width func() int
	// OnResize takes what is to be called, from any goroutine, when Width is another.
	OnResize func(f func())
	// Insert puts text into the editor at the cursor.
	Insert func(script, text string)
	// Copy puts text into the clipboard.
	Copy func(script, text string)
	// Desktop tells a person who looks elsewhere.
	Desktop func(script, title, body string)
	// Open opens a panel, on top of those that are open. nil: there are none here.
	Open func(p *Panel) PanelView
	// Entry shows an entry of the session that a script draws, by Screen.Draw. It is called from
	// any goroutine.
	Entry func(id, kind string, data any)
	// Focused reports whether the person looks at the screen, as far as that is known.
	Focused func() bool
}

// Panel is what a front end is told when a script opens one. Its functions may be called from any
// goroutine and do not block.
type Panel struct {
	Script, Title string
	// Key tells of a key: its name, such as "a", "up", "ctrl+x" or "esc", and the text that it
	// stands for. What is pasted has the name "paste".
	Key func(name, text string)
	// Resize tells how many cells and lines there are.
	Resize func(width, height int)
	// Close tells that the user has left it.
	Close func()
}

// PanelView is an open panel, for who draws on it. Its functions are called by one goroutine at a
// time; lines are masked.
type PanelView struct {
	Draw  func(lines []Line)
	Close func()
}
