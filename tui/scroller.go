package tui

import "fmt"

// scroller shows a part of lines that are too many for their place, and says so: what a user decides about must be there to be read.
type scroller struct {
	at   int // first line in sight
	most int // largest at; 0 = all lines are in sight
	page int
}

// turn goes n pages on.
func (s *scroller) turn(n int) { s.at = min(max(s.at+n*s.page, 0), s.most) }

// cut returns the lines that are in sight, at most room of them, with a note if these are not all.
func (s *scroller) cut(th *theme, lines []string, width, room int) []string {
	room = max(1, room)
	s.page, s.most = max(1, room-1), 0
	if len(lines) <= room {
		return lines
	}
	s.most = len(lines) - room + 1
	s.turn(0)
	shown := lines[s.at:min(len(lines), s.at+room-1)]
	note := fmt.Sprintf("lines %d-%d of %d; page up and page down scroll", s.at+1, s.at+len(shown), len(lines))
	return append(shown[:len(shown):len(shown)], th.dim.Render(fit(note, width)))
}
