package recall

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

// Search is an incremental search backwards, as shells have it on ctrl+r.
type Search struct {
	texts []string // the newest first
	lower []string // the same, folded
	query textarea.Area
	found []int // texts that contain the query
	at    int   // in found
	match textarea.Area
}

// Result says what a key did.
type Result int

// The results of a key.
const (
	Unused Result = iota // the search goes on and the key is not its own
	Used                 // the search goes on
	Taken                // the match is to replace the text
	Left                 // the text from before stays
)

func newSearch(texts []string, label textarea.Labels) *Search {
	s := &Search{texts: texts, match: textarea.Area{Label: label}}
	for _, text := range texts {
		s.lower = append(s.lower, fold(text))
	}
	s.narrow()
	return s
}

// fold returns text in lower case and on one line.
func fold(text string) string { return strings.ReplaceAll(strings.ToLower(text), "\n", " ") }

// narrow finds the texts that contain the query. It stays at the current match if that is one of
// them, and at an older one otherwise.
func (s *Search) narrow() {
	before := 0
	if s.at < len(s.found) {
		before = s.found[s.at]
	}
	s.found, s.at = s.found[:0], 0
	query := fold(s.query.Text())
	if query == "" {
		before = 0
	}
	for i, text := range s.lower {
		if strings.Contains(text, query) {
			if i < before {
				s.at++
			}
			s.found = append(s.found, i)
		}
	}
	s.at = max(0, min(s.at, len(s.found)-1))
	s.showMatch()
}

// showMatch puts the match where Layout draws it, with the cursor at the query.
func (s *Search) showMatch() {
	text, _ := s.Match()
	s.match.Set(text)
	at := strings.Index(fold(text), fold(s.query.Text()))
	s.match.MoveTo(min(max(0, at), len(s.match.Text())))
}

// Match returns the text that is found; false = none.
func (s *Search) Match() (string, bool) {
	if s.at >= len(s.found) {
		return "", false
	}
	return s.texts[s.found[s.at]], true
}

// Key handles a key.
func (s *Search) Key(msg tea.KeyPressMsg) Result {
	switch msg.String() {
	case "ctrl+r", "up":
		s.turn(1)
	case "ctrl+s", "down":
		s.turn(-1)
	case "enter", "tab", "alt+enter":
		if _, ok := s.Match(); !ok {
			return Left
		}
		return Taken
	case "esc", "ctrl+g":
		return Left
	case "backspace", "ctrl+h", "ctrl+w", "ctrl+u", "alt+backspace":
		s.query.Key(msg)
		s.narrow()
	default:
		if msg.Text == "" {
			return Unused
		}
		s.query.Key(msg)
		s.narrow()
	}
	return Used
}

// turn goes to an older (1) or newer (-1) match.
func (s *Search) turn(step int) {
	if to := s.at + step; to >= 0 && to < len(s.found) {
		s.at = to
		s.showMatch()
	}
}

// Paste adds clean text to the query.
func (s *Search) Paste(text string) {
	s.query.Insert(plain.OneLine(text))
	s.narrow()
}

// Count says which match is shown: "2 of 17".
func (s *Search) Count() string {
	if len(s.found) == 0 {
		return "nothing found"
	}
	return fmt.Sprintf("%d of %d", s.at+1, len(s.found))
}

// Layout returns at most height lines of the match, and the query with its cursor's column.
func (s *Search) Layout(width, height int) (match []string, query string, x int) {
	if height > 0 {
		match, _, _ = s.match.Layout(width, height)
	}
	lines, x, _ := s.query.Layout(width, 1)
	return match, lines[0], x
}
