package glob

import (
	"strings"
	"unicode"
)

// Unknown stands, in a text that is given to Meets, for unknown characters, or none. They may be
// slashes, but no dot follows a slash, or begins the name of a file, among them.
const Unknown = "\x00"

// Meets reports whether a path that a text stands for may fit a pattern that CheckPath passes. It
// is true for all patterns with { and [, for long ones, and for letters beyond ASCII.
func Meets(pattern, text string) bool {
	letter := func(r rune) bool { return r > unicode.MaxASCII }
	if strings.ContainsAny(pattern, `{[\`) || strings.ContainsFunc(pattern+text, letter) ||
		len(pattern)*len(text) > maxBytes*16 {
		return true
	}
	return (&meeting{pattern, text, map[state]bool{}}).from(state{starts: true})
}

// meeting compares a pattern with a text.
type meeting struct {
	pattern, text string
	seen          map[state]bool // those that lead to no match
}

// state is a place in the pattern and in the text.
type state struct {
	p, t   int
	starts bool // a name begins here
}

// from reports whether the rest of the text may fit the rest of the pattern.
func (m *meeting) from(s state) bool {
	if m.seen[s] {
		return false
	}
	m.seen[s] = true
	if s.p == len(m.pattern) && s.t == len(m.text) {
		return true
	}
	if s.t < len(m.text) && m.text[s.t:s.t+1] == Unknown && m.from(state{s.p, s.t + 1, s.starts}) {
		return true
	}
	if s.p == len(m.pattern) {
		return false
	}
	rest := m.pattern[s.p:]
	switch {
	case rest == "/**": // the folder itself fits, too
		return s.t == len(m.text) || m.takes(s, s.p+1, true, '/')
	case strings.HasPrefix(rest, "**/"):
		return s.starts && m.from(state{s.p + 3, s.t, true}) || m.takes(s, s.p, true, 0)
	case strings.HasPrefix(rest, "**"):
		return m.from(state{s.p + 2, s.t, s.starts}) || m.takes(s, s.p, true, 0)
	case rest[0] == '*':
		return m.from(state{s.p + 1, s.t, s.starts}) || m.takes(s, s.p, false, 0)
	case rest[0] == '?':
		return m.takes(s, s.p+1, false, 0)
	}
	return m.takes(s, s.p+1, true, rest[0])
}

// takes reports whether the text fits if its next character does, which is only (0: any), and a
// slash if slashes allows that. next is the place in the pattern behind it.
func (m *meeting) takes(s state, next int, slashes bool, only byte) bool {
	if s.t == len(m.text) {
		return false
	}
	if c := m.text[s.t]; c != Unknown[0] {
		return (only == 0 || c == only) && (slashes || c != '/') &&
			m.from(state{next, s.t + 1, c == '/'})
	}
	switch { // the unknown characters go on
	case only == '.' && s.starts:
		return false
	case only != 0:
		return m.from(state{next, s.t, only == '/'})
	}
	return m.from(state{next, s.t, false}) || slashes && m.from(state{next, s.t, true})
}
