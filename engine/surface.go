// This file defines what scripts can put on a screen: pieces made of lines, which have styles
// instead of colours, and panels, which they draw for a while and whose keys they hear.

package engine

import "slices"

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
