// Package textarea holds a text that is being edited, without its history and its keys' other
// meanings.
//
// Why not textarea and textinput of charm.land/bubbles (v2.2.1): with 64 KB of text a key takes 20
// to 400 ms, as textarea draws all rows each time, and it drops lines beyond 10,000 without a word;
// both move and delete by code point, so backspace takes the accent off its letter; rows with
// keycap emoji are a cell wider than textarea counts.
package textarea

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/cells"
)

// Area is a text that is being edited: what the editor and the dialogs' line are made of. Its text
// is clean and its cursor stands between characters as the user sees them (grapheme clusters).
type Area struct {
	text string
	pos  int // byte offset of the cursor

	rows   []Span // as wrapped for width, none = not yet
	width  int
	scroll int // first row in sight
}

// Span is a part of a text, in bytes: text[From:To].
type Span struct{ From, To int }

// Text is the text as it is now.
func (a *Area) Text() string { return a.text }

// Set takes another text, with the cursor behind it.
func (a *Area) Set(text string) { a.text, a.pos, a.rows = text, len(text), a.rows[:0] }

// Insert puts s where the cursor is.
func (a *Area) Insert(s string) { a.replaceRange(a.pos, a.pos, s) }

// replaceRange puts s where from to to was, and the cursor behind it: behind the whole character,
// if the end of s and what follows are one now.
func (a *Area) replaceRange(from, to int, s string) {
	a.text = a.text[:from] + s + a.text[to:]
	a.pos, a.rows = from+len(s), a.rows[:0]
	if a.pos > 0 {
		_, a.pos = a.character(a.pos - 1)
	}
}

// Key handles a key and reports whether it is one of the area's.
func (a *Area) Key(msg tea.KeyPressMsg) bool {
	switch msg.String() {
	case "left", "ctrl+b":
		a.pos = a.left()
	case "right", "ctrl+f":
		a.pos = a.right()
	case "ctrl+left", "alt+left", "alt+b":
		a.pos = a.wordLeft()
	case "ctrl+right", "alt+right", "alt+f":
		a.pos = a.wordRight()
	case "home", "ctrl+a":
		a.pos = a.lineStart()
	case "end", "ctrl+e":
		a.pos = a.lineEnd()
	case "backspace", "ctrl+h", "shift+backspace":
		a.replaceRange(a.left(), a.pos, "")
	case "delete", "ctrl+d":
		a.replaceRange(a.pos, a.right(), "")
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		a.replaceRange(a.wordLeft(), a.pos, "")
	case "alt+d", "alt+delete", "ctrl+delete":
		from := a.pos
		a.replaceRange(from, a.wordRight(), "")
	case "ctrl+u":
		a.replaceRange(a.lineStart(), a.pos, "")
	case "ctrl+k":
		a.replaceRange(a.pos, a.lineEnd(), "")
	default:
		if msg.Text == "" {
			return false
		}
		a.Insert(cells.Clean(msg.Text))
	}
	return true
}

// right is the end of the character after the cursor.
func (a *Area) right() int {
	if a.pos == len(a.text) {
		return a.pos
	}
	return a.pos + characterLen(a.text[a.pos:])
}

// left is the beginning of the character before the cursor.
func (a *Area) left() int {
	if a.pos == 0 {
		return 0
	}
	from, _ := a.character(a.pos - 1)
	return from
}

// character is where the character that byte i belongs to begins and ends. Characters are found
// forwards only, from the last place where one is known to begin.
func (a *Area) character(i int) (from, to int) {
	from = i
	for from > 0 && !a.begins(from) {
		from--
	}
	for {
		if to = from + characterLen(a.text[from:]); to > i {
			return from, to
		}
		from = to
	}
}

// MoveTo moves the cursor to byte i, or to the beginning of the character that i is inside of.
func (a *Area) MoveTo(i int) { a.pos = a.snap(i) }

// Line says which line the cursor is in: "line 3 of 40".
func (a *Area) Line() string {
	return fmt.Sprintf("line %d of %d", LineOf(a.text, a.pos), LineOf(a.text, len(a.text)))
}

// ReplaceBefore puts s where end is, if that is what stands before the cursor, and reports whether
// it is.
func (a *Area) ReplaceBefore(end, s string) bool {
	if !strings.HasSuffix(a.text[:a.pos], end) {
		return false
	}
	a.replaceRange(a.pos-len(end), a.pos, s)
	return true
}

// Rows is how many rows the text has as it was last laid out.
func (a *Area) Rows() int { return len(a.rows) }

// Scrolled reports whether rows are above those that were last laid out.
func (a *Area) Scrolled() bool { return a.scroll > 0 }

// snap is i, or the beginning of the character that i is inside of.
func (a *Area) snap(i int) int {
	if i < len(a.text) {
		i, _ = a.character(i)
	}
	return i
}

// begins reports whether a character begins at byte i > 0 for certain: behind a line end, and where
// ASCII stands, unless the code point before it is one of those that are drawn together with the
// next.
func (a *Area) begins(i int) bool {
	_, n := utf8.DecodeLastRuneInString(a.text[:i])
	return a.text[i-1] == '\n' || a.text[i] < utf8.RuneSelf && characterLen(a.text[i-n:]) == n
}

// characterLen is the length in bytes of the character that s, which is not empty, begins with.
func characterLen(s string) int {
	// clean text has no \r before a \n
	if len(s) == 1 || s[0] < utf8.RuneSelf && s[1] < utf8.RuneSelf {
		return 1
	}
	cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(1, len(cluster))
}

func (a *Area) wordLeft() int {
	s := strings.TrimRight(a.text[:a.pos], " \n")
	return a.snap(strings.LastIndexAny(s, " \n") + 1) // a space can be a part of a character
}

func (a *Area) wordRight() int {
	s := strings.TrimLeft(a.text[a.pos:], " \n")
	from := len(a.text) - len(s)
	if i := strings.IndexAny(s, " \n"); i >= 0 {
		if start, end := a.character(from + i); start < from+i {
			return end
		}
		return from + i
	}
	return len(a.text)
}

func (a *Area) lineStart() int { return strings.LastIndexByte(a.text[:a.pos], '\n') + 1 }

func (a *Area) lineEnd() int {
	if i := strings.IndexByte(a.text[a.pos:], '\n'); i >= 0 {
		return a.pos + i
	}
	return len(a.text)
}

// row is the row of the cursor, as last wrapped.
func (a *Area) row() int {
	for i := len(a.rows) - 1; i > 0; i-- {
		if a.rows[i].From <= a.pos {
			return i
		}
	}
	return 0
}

// Vertical moves the cursor a row up (-1) or down (1), and reports false if there is none.
func (a *Area) Vertical(step int) bool {
	a.wrap(a.width)
	row := a.row()
	if row+step < 0 || row+step >= len(a.rows) {
		return false
	}
	column := cells.Width(a.text[a.rows[row].From:a.pos])
	to := a.rows[row+step]
	a.pos = to.From + len(ansi.Truncate(a.text[to.From:to.To], column, ""))
	return true
}

// wrap breaks the text into rows of less than width cells: the cursor may stand behind the last.
func (a *Area) wrap(width int) {
	if len(a.rows) > 0 && a.width == width {
		return
	}
	a.width, a.rows = width, a.rows[:0]
	for from := 0; ; {
		end := len(a.text)
		if i := strings.IndexByte(a.text[from:], '\n'); i >= 0 {
			end = from + i
		}
		a.wrapLine(from, end, max(2, width-1))
		if end == len(a.text) {
			return
		}
		from = end + 1
	}
}

func (a *Area) wrapLine(from, end, width int) {
	used, space := 0, -1 // space: behind the last space of the row
	for at := from; at < end; {
		n, w := 1, 1
		if a.text[at] >= utf8.RuneSelf || at+1 < end && a.text[at+1] >= utf8.RuneSelf {
			var cluster string
			cluster, w = ansi.FirstGraphemeCluster(a.text[at:end], ansi.GraphemeWidth)
			n = max(1, len(cluster))
		}
		if used+w > width {
			cut := at
			if space > from {
				cut = space
			}
			a.rows = append(a.rows, Span{from, cut})
			from, at, used, space = cut, cut, 0, -1
			continue
		}
		if a.text[at] == ' ' {
			space = at + n
		}
		at, used = at+n, used+w
	}
	a.rows = append(a.rows, Span{from, end})
}

// Layout returns at most height rows around the cursor, and where the cursor is among them.
func (a *Area) Layout(width, height int) (lines []string, x, y int) {
	a.wrap(width)
	row := a.row()
	a.scroll = max(min(a.scroll, row, len(a.rows)-height), row-height+1, 0)
	for _, r := range a.rows[a.scroll:min(len(a.rows), a.scroll+height)] {
		lines = append(lines, a.text[r.From:r.To])
	}
	return lines, cells.Width(a.text[a.rows[row].From:a.pos]), row - a.scroll
}

// Sight is the part of the text that the last layout, of that height, has drawn, line ends
// included.
func (a *Area) Sight(height int) Span {
	last := min(len(a.rows), a.scroll+height)
	to := len(a.text)
	if last < len(a.rows) {
		to = a.rows[last].From
	}
	return Span{a.rows[a.scroll].From, to}
}

// LineOf is the number of the line, from 1, that byte i of text is in.
func LineOf(text string, i int) int { return 1 + strings.Count(text[:i], "\n") }
