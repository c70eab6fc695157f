// Package scroll shows a part of lines that do not all fit.
//
//	shown := reader.Cut(dim, lines, width, room)
//	reader.Turn(1) // a page
//
// Heights sums the heights of many parts of which few change.
package scroll

import (
	"fmt"

	"github.com/agentscripts/agent/tui/internal/cells"
)

// Reader shows a part of the lines that do not all fit, and says which part: users must be able
// to read everything they decide about. It records whether all lines have been visible.
type Reader struct {
	// Noted reports that a line of the last layout says which part is visible. All reports that all
	// lines have been visible.
	Noted, All bool
	// Width is the width that the lines of the last layout were made for.
	Width int

	at   int // first visible line
	most int // largest at; 0 = all lines are visible
	page int

	seen  int // the number of lines, from the first, that have been visible
	total int
}

// noteLeast is the least number of lines at which one of them says which part is visible. Below
// that, the title does.
const noteLeast = 4

// Turn moves by n pages.
func (s *Reader) Turn(n int) { s.at = min(max(s.at+n*s.page, 0), s.most) }

// Cut returns the visible lines, at most room of them, with a note, drawn by dim, if they are not
// all.
// Another width has other lines, which must be viewed from the beginning unless all had been
// visible before.
func (s *Reader) Cut(dim func(...string) string, lines []string, width,
	room int) []string {
	room = max(0, room)
	if s.Width != width || s.total != len(lines) {
		s.Width, s.total, s.seen = width, len(lines), 0
	}
	s.most, s.page = 0, room
	s.Noted = len(lines) > room && room >= noteLeast
	if s.Noted {
		s.page = room - 1
	}
	if len(lines) > room {
		s.most = len(lines) - s.page
	}
	s.Turn(0)
	shown := lines[s.at:min(len(lines), s.at+s.page)]
	if s.at <= s.seen {
		s.seen = max(s.seen, s.at+len(shown))
	}
	s.All = s.All || s.seen >= len(lines)
	if !s.Noted {
		return shown
	}
	where, turn := s.Where(width), "page down"
	if s.at == s.most {
		turn = "page up"
	}
	note := cells.Longest(width, fmt.Sprintf("lines %s; page up and page down scroll", where),
		"lines "+where+"; "+turn, where)
	return append(shown[:len(shown):len(shown)], dim(cells.Fit(note, width)))
}

// Where says in at most width cells which part is visible, "" if all of it is.
func (s *Reader) Where(width int) string {
	switch {
	case s.most == 0:
		return ""
	case s.page == 0:
		return fmt.Sprintf("none of %d", s.total)
	}
	from, to := s.at+1, min(s.total, s.at+s.page)
	return cells.Longest(width, fmt.Sprintf("%d-%d of %d", from, to, s.total),
		fmt.Sprintf("%d-%d/%d", from, to, s.total), fmt.Sprintf("%d/%d", from, s.total), "…")
}

// Scrolls reports whether not all lines were visible in the last layout.
func (s *Reader) Scrolls() bool { return s.most > 0 }
