package tui

import (
	"fmt"

	"github.com/agentscripts/agent/tui/internal/cells"
)

// scroller shows a part of the lines that do not all fit, and says which part: users must be able
// to read everything they decide about. It records whether all lines have been visible.
type scroller struct {
	at   int // first visible line
	most int // largest at; 0 = all lines are visible
	page int
	// a line of the last layout says which part is visible
	noted bool

	width int  // the width that the lines were made for
	seen  int  // the number of lines, from the first, that have been visible
	all   bool // all lines have been visible
	total int
}

// noteLeast is the least number of lines at which one of them says which part is visible. Below
// that, the title does.
const noteLeast = 4

// turn moves by n pages.
func (s *scroller) turn(n int) { s.at = min(max(s.at+n*s.page, 0), s.most) }

// cutLines returns the visible lines, at most room of them, with a note if they are not all.
// Another width has other lines, which must be viewed from the beginning unless all had been
// visible before.
func (s *scroller) cutLines(th *theme, lines []string, width, room int) []string {
	room = max(0, room)
	if s.width != width || s.total != len(lines) {
		s.width, s.total, s.seen = width, len(lines), 0
	}
	s.most, s.page = 0, room
	s.noted = len(lines) > room && room >= noteLeast
	if s.noted {
		s.page = room - 1
	}
	if len(lines) > room {
		s.most = len(lines) - s.page
	}
	s.turn(0)
	shown := lines[s.at:min(len(lines), s.at+s.page)]
	if s.at <= s.seen {
		s.seen = max(s.seen, s.at+len(shown))
	}
	s.all = s.all || s.seen >= len(lines)
	if !s.noted {
		return shown
	}
	where, turn := s.where(width), "page down"
	if s.at == s.most {
		turn = "page up"
	}
	note := longest(width, fmt.Sprintf("lines %s; page up and page down scroll", where),
		"lines "+where+"; "+turn, where)
	return append(shown[:len(shown):len(shown)], th.dim.Render(cells.Fit(note, width)))
}

// where says in at most width cells which part is visible, "" if all of it is.
func (s *scroller) where(width int) string {
	switch {
	case s.most == 0:
		return ""
	case s.page == 0:
		return fmt.Sprintf("none of %d", s.total)
	}
	from, to := s.at+1, min(s.total, s.at+s.page)
	return longest(width, fmt.Sprintf("%d-%d of %d", from, to, s.total),
		fmt.Sprintf("%d-%d/%d", from, to, s.total), fmt.Sprintf("%d/%d", from, s.total), "…")
}

// longest returns the first of the texts that fits the width, or the last one.
func longest(width int, texts ...string) string {
	for _, text := range texts {
		if cells.Width(text) <= width {
			return text
		}
	}
	return texts[len(texts)-1]
}

// heights holds the heights of the transcript's entries, in lines, as a Fenwick tree: appending,
// changing one and summing the first n take O(log n). Heights of entries that were never drawn at
// the current width are estimates; they affect only the displayed distance to the end.
type heights struct {
	each []int
	tree []int // 1-based: tree[i] is the sum of each[i-lowbit(i):i]
}

func (h *heights) addHeight(height int) {
	if len(h.tree) == 0 {
		h.tree = append(h.tree, 0)
	}
	h.each = append(h.each, height)
	i := len(h.each)
	sum := height
	for j, low := i-1, i-i&-i; j > low; j -= j & -j {
		sum += h.tree[j]
	}
	h.tree = append(h.tree, sum)
}

// setHeight changes the height of entry i.
func (h *heights) setHeight(i, height int) {
	d := height - h.each[i]
	if d == 0 {
		return
	}
	h.each[i] = height
	for j := i + 1; j < len(h.tree); j += j & -j {
		h.tree[j] += d
	}
}

// before returns the sum of the heights of the first n entries.
func (h *heights) before(n int) int {
	sum := 0
	for ; n > 0; n -= n & -n {
		sum += h.tree[n]
	}
	return sum
}

func (h *heights) total() int { return h.before(len(h.each)) }
