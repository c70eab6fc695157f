// This file defines what scripts draw on a screen: pieces made of lines, panels, and drawings.

package ui

import (
	"context"
	"io"
	"slices"
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

// DrawRequest asks for a drawing of a part.
type DrawRequest struct {
	Part  DrawPart
	Name  string // of the tool, or the kind of the entry
	Value any
	Width int // in cells
	// Expanded is set if the user wants to see all of it.
	Expanded bool
	// Partial is set while the call runs. A result has then the output so far.
	Partial bool
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
	PieceHeader = "header" // lines above everything
	PieceTitle  = "title"  // of the window
	// PieceStatusLine is one line in place of what the status line says of model, window and cost.
	PieceStatusLine = "status_line"
	// PieceWorking is what the status line says while the agent works
	PieceWorking = "working"
)

// Piece is something that a script shows until it removes it. A new one with the same script, kind
// and key replaces it.
type Piece struct {
	Script, Kind, Key string
	Lines             []Line  // masked, one line each; nil = removed
	Side              string  // status: left or right
	Order             float64 // the smallest comes first
	Place             string  // widget: above or below the editor
	// Failed is set if the script's function has failed: the first line says so, and the others may
	// not be true any more.
	Failed bool
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
	// Editor returns the text in the editor; nil = there is none.
	Editor func() string
	// SetEditor replaces the text in the editor.
	SetEditor func(script, text string)
	// Copy puts text into the clipboard.
	Copy func(script, text string)
	// Desktop shows a desktop notification; without a title and a body, it rings the bell.
	Desktop func(script, title, body string)
	// Open opens a panel, on top of the open ones. nil: not supported.
	Open func(p *Panel) PanelView
	// Entry shows an entry of the session that a script draws, by Screen.Draw. It is called from
	// any goroutine.
	Entry func(id, kind string, data any)
	// Handover gives the terminal to use, and waits until it returns: a program runs on it. ctx is
	// that of the caller, or ends before, with the screen. nil: there is no terminal.
	Handover func(ctx context.Context, use func(ctx context.Context, t *Terminal)) error
	// CheckTheme returns what is wrong with a theme, and SetTheme adds or replaces it. Both or none
	// are nil.
	CheckTheme func(t Theme) error
	SetTheme   func(t Theme)
	// Focused reports whether the screen has the focus, as far as that is known.
	Focused func() bool
}

// Theme is a theme of a script.
type Theme struct {
	Script, Name string
	Base         string         // the built-in theme that it changes; "" = dark
	Colors       map[string]any // of tokens: "#5f87ff", a name, or a number; nil = it is removed
	Use          bool           // use it at once
}

// Terminal is the user's terminal while a program has it: each byte goes through.
type Terminal struct {
	In   io.Reader // its Read returns an error once the program has ended
	Out  io.Writer
	Size func() (width, height int) // in cells
}

// Panel is passed to a front end when a script opens a panel. Its functions may be called from any
// goroutine and do not block.
type Panel struct {
	Script, Title string
	// Overlay is set if it is drawn over the conversation, as large as its lines, instead of in its
	// place.
	Overlay bool
	// Releases is set if Key also wants to know when a key is released, as release:NAME, where the
	// terminal tells.
	Releases bool
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
