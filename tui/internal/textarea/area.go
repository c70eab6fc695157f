// Package textarea edits a text. It knows no texts of earlier times, and no keys with other
// meanings.
//
// Why not textarea and textinput of charm.land/bubbles (v2.2.1): with 64 KB of text a key takes 20
// to 400 ms, as textarea draws all rows each time, and it silently drops lines beyond 10,000; both
// move and delete by code point, so backspace takes the accent off its letter; rows with keycap
// emoji are a cell wider than textarea counts.
package textarea

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/cells"
)

// Area is a text that is being edited, for the editor and the input lines of dialogs. Its text is
// clean and its cursor is between characters as users see them (grapheme clusters).
type Area struct {
	// Label says which characters stand for something longer, nil = none does. Each of them is a
	// word of its own.
	Label Labels
	// Marked is the part of the text that is drawn as selected; it is empty if nothing is.
	Marked Span

	text string
	pos  int // byte offset of the cursor

	rows   []Span // as wrapped for width; empty = not yet
	width  int
	scroll int // first visible row

	history history
	ring    ring
}

// Labels returns what is drawn for a character that stands for something longer, "" if r is not
// one.
type Labels func(r rune) string

// has reports whether a character has a label.
func (l Labels) has(r rune) bool { return l != nil && l(r) != "" }

// endsWord reports whether a word ends before r, which may be part of a character.
func (l Labels) endsWord(r rune) bool { return r == ' ' || r == '\n' || l.has(r) }

// draw returns a character as it is drawn: with the label of what it stands for, cut to a width.
func (l Labels) draw(character string, width int) string {
	var b strings.Builder
	for _, r := range character {
		if l.has(r) {
			b.WriteString(l(r))
		} else {
			b.WriteRune(r)
		}
	}
	return cells.Fit(b.String(), width)
}

// Span is a part of a text, in bytes: text[From:To].
type Span struct{ From, To int }

// Text returns the current text.
func (a *Area) Text() string { return a.text }

// Set begins a new text, with the cursor at its end: what was before it cannot be brought back by
// undo. What was killed can still be yanked.
func (a *Area) Set(text string) {
	a.text, a.pos, a.rows = text, len(text), a.rows[:0]
	a.history = history{}
	a.ring.killed, a.ring.yanked = false, false
}

// Replace replaces the whole text, which can be undone, and moves the cursor to its end.
func (a *Area) Replace(text string) {
	if text != a.text {
		a.replaceRange(0, len(a.text), text)
	}
	a.pos = len(a.text)
}

// Insert inserts s at the cursor.
func (a *Area) Insert(s string) { a.replaceRange(a.pos, a.pos, s) }

// replaceRange replaces text[from:to] with s, as a step that can be undone.
func (a *Area) replaceRange(from, to int, s string) { a.edit(from, to, s, single) }

// edit replaces text[from:to] with s and puts the cursor after s: after the whole character, if
// the end of s and the text after it form one.
func (a *Area) edit(from, to int, s string, k kind) {
	if from == to && s == "" {
		return
	}
	c := change{at: from, before: a.text[from:to], after: s, from: a.pos, kind: k}
	a.text = a.text[:from] + s + a.text[to:]
	a.pos, a.rows = from+len(s), a.rows[:0]
	if a.pos > 0 {
		_, a.pos = a.character(a.pos - 1)
	}
	c.to = a.pos
	a.history.note(c)
	a.ring.killed, a.ring.yanked = false, false
}

// Key handles a key and reports whether the area uses it.
func (a *Area) Key(msg tea.KeyPressMsg) bool {
	name := msg.String()
	if a.killKey(name) {
		a.history.joins = single
		return true
	}
	a.ring.killed, a.ring.yanked = false, false
	if a.moveKey(name) {
		a.history.joins = single
		return true
	}
	switch name {
	case "backspace", "ctrl+h", "shift+backspace":
		a.edit(a.left(), a.pos, "", erasing)
	case "delete", "ctrl+d":
		a.replaceRange(a.pos, a.right(), "")
	case "ctrl+_", "ctrl+/", "ctrl+shift+_", "ctrl+shift+-": // terminals differ
		a.undo()
	case "alt+_", "alt+shift+_", "alt+shift+-":
		a.redo()
	default:
		if msg.Text == "" {
			return false
		}
		a.edit(a.pos, a.pos, cells.Clean(msg.Text), typing)
	}
	return true
}

// moveKey handles a key that moves the cursor.
func (a *Area) moveKey(name string) bool {
	switch name {
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
	default:
		return false
	}
	return true
}

// killKey handles a key that kills or yanks.
func (a *Area) killKey(name string) bool {
	switch name {
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		a.kill(a.wordLeft(), a.pos)
	case "alt+d", "alt+delete", "ctrl+delete":
		a.kill(a.pos, a.wordRight())
	case "ctrl+u":
		a.kill(a.lineStart(), a.pos)
	case "ctrl+k":
		a.kill(a.pos, a.lineEnd())
	case "ctrl+y":
		a.yank()
	case "alt+y":
		a.yankEarlier()
	default:
		return false
	}
	return true
}

// Grows returns by how many bytes a key makes the text longer at most.
func (a *Area) Grows(msg tea.KeyPressMsg) int {
	switch r := &a.ring; {
	case msg.String() == "ctrl+y" && len(r.texts) > 0:
		return len(r.texts[len(r.texts)-1])
	case msg.String() == "alt+y" && r.yanked:
		return len(r.texts[r.before()]) - (r.to - r.from)
	}
	return len(msg.Text)
}

// right returns the end of the character after the cursor.
func (a *Area) right() int {
	if a.pos == len(a.text) {
		return a.pos
	}
	return a.pos + characterLen(a.text[a.pos:])
}

// left returns the beginning of the character before the cursor.
func (a *Area) left() int {
	if a.pos == 0 {
		return 0
	}
	from, _ := a.character(a.pos - 1)
	return from
}

// character returns the bounds of the character that contains byte i. Characters can be found
// forwards only, so it starts at the last known beginning of one.
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

// MoveTo moves the cursor to byte i, or to the beginning of the character that contains it.
func (a *Area) MoveTo(i int) {
	a.pos, a.history.joins = a.snap(i), single
	a.ring.killed, a.ring.yanked = false, false
}

// Line names the line of the cursor: "line 3 of 40".
func (a *Area) Line() string {
	return fmt.Sprintf("line %d of %d", LineOf(a.text, a.pos), LineOf(a.text, len(a.text)))
}

// ReplaceBefore replaces end with s if end is directly before the cursor, and reports whether it
// is.
func (a *Area) ReplaceBefore(end, s string) bool {
	if !strings.HasSuffix(a.text[:a.pos], end) {
		return false
	}
	a.replaceRange(a.pos-len(end), a.pos, s)
	return true
}

// Before returns the text before the cursor.
func (a *Area) Before() string { return a.text[:a.pos] }

// Rows returns the number of rows of the last layout.
func (a *Area) Rows() int { return len(a.rows) }

// Scrolled reports whether there are rows above the visible ones of the last layout.
func (a *Area) Scrolled() bool { return a.scroll > 0 }

// snap returns i, or the beginning of the character that contains it.
func (a *Area) snap(i int) int {
	if i < len(a.text) {
		i, _ = a.character(i)
	}
	return i
}

// begins reports whether a character certainly begins at byte i > 0: after a line end, and at an
// ASCII character unless the code point before it is one that joins the next.
func (a *Area) begins(i int) bool {
	_, n := utf8.DecodeLastRuneInString(a.text[:i])
	return a.text[i-1] == '\n' || a.text[i] < utf8.RuneSelf && characterLen(a.text[i-n:]) == n
}

// characterLen returns the length in bytes of the first character of s, which must not be empty.
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
	if r, n := utf8.DecodeLastRuneInString(s); a.Label.has(r) {
		return a.snap(len(s) - n)
	}
	i := strings.LastIndexFunc(s, a.Label.endsWord)
	_, n := utf8.DecodeRuneInString(s[max(i, 0):])
	if i < 0 {
		i, n = 0, 0
	}
	return a.snap(i + n) // a space can be part of a character
}

func (a *Area) wordRight() int {
	s := strings.TrimLeft(a.text[a.pos:], " \n")
	from := len(a.text) - len(s)
	if r, _ := utf8.DecodeRuneInString(s); a.Label.has(r) {
		_, end := a.character(from)
		return end
	}
	if i := strings.IndexFunc(s, a.Label.endsWord); i >= 0 {
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

// row returns the row of the cursor, as last wrapped.
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
	a.history.joins, a.ring.killed, a.ring.yanked = single, false, false
	row := a.row()
	if row+step < 0 || row+step >= len(a.rows) {
		return false
	}
	column := cells.Width(a.drawRow(a.rows[row].From, a.pos))
	to := a.rows[row+step]
	a.pos = to.From
	for used := 0; a.pos < to.To; {
		n, w := a.measure(a.pos, to.To)
		if used += w; used > column {
			break
		}
		a.pos += n
	}
	return true
}

// measure returns the length in bytes and the width in cells of the character at byte i, in a row
// that ends at end.
func (a *Area) measure(i, end int) (n, width int) {
	if a.text[i] < utf8.RuneSelf && (i+1 == end || a.text[i+1] < utf8.RuneSelf) {
		return 1, 1
	}
	cluster, width := ansi.FirstGraphemeCluster(a.text[i:end], ansi.GraphemeWidth)
	if a.Label != nil && strings.ContainsFunc(cluster, a.Label.has) {
		width = cells.Width(a.Label.draw(cluster, rowWidth(a.width)))
	}
	return max(1, len(cluster)), width
}

// drawRow returns text[from:to], which is in one row, as it is drawn.
func (a *Area) drawRow(from, to int) string {
	if text := a.text[from:to]; a.Label == nil || !strings.ContainsFunc(text, a.Label.has) {
		return text
	}
	var b strings.Builder
	for from < to {
		n, _ := a.measure(from, to)
		if part := a.text[from : from+n]; strings.ContainsFunc(part, a.Label.has) {
			b.WriteString(a.Label.draw(part, rowWidth(a.width)))
		} else {
			b.WriteString(part)
		}
		from += n
	}
	return b.String()
}

// rowWidth returns the greatest width of a row of an area: the cursor needs a cell after the last
// character.
func rowWidth(width int) int { return max(2, width-1) }

// wrap breaks the text into rows that fit the width.
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
		a.wrapLine(from, end, rowWidth(width))
		if end == len(a.text) {
			return
		}
		from = end + 1
	}
}

func (a *Area) wrapLine(from, end, width int) {
	used, space := 0, -1 // space: end of the row's last space
	for at := from; at < end; {
		n, w := a.measure(at, end)
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

// Layout returns at most height rows around the cursor, and the cursor's position in them.
func (a *Area) Layout(width, height int) (lines []string, x, y int) {
	a.wrap(width)
	row := a.row()
	a.scroll = max(min(a.scroll, row, len(a.rows)-height), row-height+1, 0)
	for _, r := range a.rows[a.scroll:min(len(a.rows), a.scroll+height)] {
		from, to := min(max(a.Marked.From, r.From), r.To), max(min(a.Marked.To, r.To), r.From)
		switch {
		case from < to:
			lines = append(lines, a.drawRow(r.From, from)+marked(a.drawRow(from, to))+
				a.drawRow(to, r.To))
		case a.Marked.From <= r.From && r.To < a.Marked.To: // an empty line
			lines = append(lines, a.drawRow(r.From, r.To)+marked(" "))
		default:
			lines = append(lines, a.drawRow(r.From, r.To))
		}
	}
	return lines, cells.Width(a.drawRow(a.rows[row].From, a.pos)), row - a.scroll
}

// marked returns a text as it is drawn when it is selected.
func marked(text string) string { return ansi.NewStyle().Reverse(true).Styled(text) }

// Sight returns the part of the text that the last layout, of the same height, has drawn, including
// line ends.
func (a *Area) Sight(height int) Span {
	last := min(len(a.rows), a.scroll+height)
	to := len(a.text)
	if last < len(a.rows) {
		to = a.rows[last].From
	}
	return Span{a.rows[a.scroll].From, to}
}

// LineOf returns the number, from 1, of the line that contains byte i of text.
func LineOf(text string, i int) int { return 1 + strings.Count(text[:i], "\n") }
