// Package drag is text that is being selected with the mouse, from the cell where the button was
// pressed to the one where the mouse is.
//
//	d := &drag.Drag{pressed, now}
//	from, to := d.Part(entry, line, width)  // the cells of a line
//	row = drag.Mark(row, from, to)          // as they are drawn
//
// It knows cells of entries and nothing of what entries are.
package drag

import (
	"cmp"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/cells"
)

// Point is a cell of a line of an entry.
type Point struct{ Entry, Line, X int }

// Before reports whether p is before q.
func (p Point) Before(q Point) bool {
	return cmp.Or(cmp.Compare(p.Entry, q.Entry), cmp.Compare(p.Line, q.Line),
		cmp.Compare(p.X, q.X)) < 0
}

// Drag is where the button was pressed, and where the mouse is.
type Drag [2]Point

// Ends returns the first and the last cell.
func (d *Drag) Ends() (first, last Point) {
	if d[1].Before(d[0]) {
		return d[1], d[0]
	}
	return d[0], d[1]
}

// Part returns which cells of a line are selected: from one up to another.
func (d *Drag) Part(entry, line, width int) (from, to int) {
	first, last := d.Ends()
	at := Point{entry, line, 0}
	if at.Before(Point{first.Entry, first.Line, 0}) || last.Before(at) {
		return 0, 0
	}
	to = width
	if entry == first.Entry && line == first.Line {
		from = first.X
	}
	if entry == last.Entry && line == last.Line {
		to = min(to, last.X+1)
	}
	return min(from, to), to
}

// Mark returns a row in which the cells from one up to another are drawn as selected.
func Mark(row string, from, to int) string {
	if from >= to {
		return row
	}
	return ansi.Cut(row, 0, from) + "\x1b[m" +
		ansi.NewStyle().Reverse(true).Styled(ansi.Strip(ansi.Cut(row, from, to))) +
		ansi.Cut(row, to, cells.Width(row))
}
