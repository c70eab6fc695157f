// This file decides which events a hook is about.

package hooks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"
)

const (
	// matchTime limits one match of a regular expression.
	matchTime = 100 * time.Millisecond
	// mostKnown is how many names a matcher remembers: more than there are tools.
	mostKnown = 1000
)

// matcher selects events by a name: that of a tool, or what the event is about.
type matcher struct {
	names []string // exact; nil with pattern nil = all
	// pattern is a regular expression of JavaScript, which need not match from begin to end, or one
	// of Go, which must
	pattern interface{ MatchString(string) (bool, error) }

	mu    sync.Mutex
	known map[string]bool // by name, of pattern
}

// exactChars are the characters of matchers that are lists of names, besides letters and digits.
const exactChars = "_ ,|-"

// exact reports whether a text has no other characters than these, letters and digits.
func exact(text, chars string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			strings.ContainsRune(chars, r))
	}) < 0
}

// newMatcher makes a matcher: "*" and "" are all, "Bash|Write" and "Bash, Write" are names, all
// else is a regular expression.
func newMatcher(text string) (*matcher, error) {
	if text == "" || text == "*" {
		return &matcher{}, nil
	}
	if exact(text, exactChars) {
		m := &matcher{names: []string{}}
		for name := range strings.FieldsFuncSeq(text,
			func(r rune) bool { return r == '|' || r == ',' }) {
			m.names = append(m.names, strings.TrimSpace(name))
		}
		return m, nil
	}
	re, err := regexp2.Compile(text, regexp2.ECMAScript)
	if err != nil {
		return nil, fmt.Errorf("%.80q is not a regular expression of JavaScript: %w", text, err)
	}
	re.MatchTimeout = matchTime
	return &matcher{pattern: re, known: map[string]bool{}}, nil
}

// goPattern is a regular expression of Go.
type goPattern struct{ whole *regexp.Regexp }

func (p goPattern) MatchString(name string) (bool, error) {
	return p.whole.MatchString(name), nil
}

// newGoMatcher makes a matcher: "*" and "" are all, all else is a regular expression of Go for the
// whole name, such as "shell|edit_file".
func newGoMatcher(text string) (*matcher, error) {
	if text == "*" || exact(text, "_|-") {
		return newMatcher(text)
	}
	re, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return nil, fmt.Errorf("%.80q is not a regular expression of Go: %w", text, err)
	}
	return &matcher{pattern: goPattern{re}, known: map[string]bool{}}, nil
}

// all reports whether it matches each name.
func (m *matcher) all() bool { return m.names == nil && m.pattern == nil }

// fits returns the first of names that it matches.
func (m *matcher) fits(names []string) (name string, ok bool, err error) {
	for _, name := range names {
		if ok, err = m.fitsOne(name); ok || err != nil {
			return name, ok, err
		}
	}
	return "", false, nil
}

func (m *matcher) fitsOne(name string) (bool, error) {
	switch {
	case m.all():
		return true, nil
	case m.pattern == nil:
		return slices.Contains(m.names, name), nil
	}
	m.mu.Lock()
	ok, known := m.known[name]
	m.mu.Unlock()
	if known {
		return ok, nil
	}
	ok, err := m.pattern.MatchString(name)
	if err != nil {
		return false, fmt.Errorf("its matcher takes too long on %.80q", name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) < mostKnown {
		m.known[name] = ok
	}
	return ok, nil
}

// misnamed returns a name of the matcher that is this program's name of a tool that hooks know by
// another; "" if there is none.
func (m *matcher) misnamed(d *dialect, of *row) string {
	if !of.ofTool {
		return ""
	}
	for _, name := range m.names {
		if names := d.tools.names(name); names[0] != name {
			return name
		}
	}
	return ""
}
