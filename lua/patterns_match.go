// This file holds the matcher of Lua patterns. It uses the algorithm of Lua 5.1 (lstrlib.c), which
// needs no memory to repeat, and counts its steps. gopher-lua's matcher recurses once per repeated
// character and has no limits: `rm.*%-rf` takes more than 25 s for a text of 100 KB, `.*` takes 470
// MB for 1 MB.

package lua

import (
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// maxSubject is the length of the longest text that a pattern is matched against, in bytes. One
	// pass over it takes a few milliseconds.
	maxSubject = 8 << 20
	// maxSteps is how many steps one call may take: about a quarter of a second, the budget of a
	// guard, and five steps for each byte of the longest text.
	maxSteps = 40 << 20
	// maxCaptures is how many captures a pattern may have, as in Lua 5.1.
	maxCaptures = 32
	// maxPatternDepth limits the recursion of the matcher, which nests once per capture and
	// repeated item of the pattern, as in Lua 5.2.
	maxPatternDepth = 200
)

const (
	capUnfinished = -1
	capPosition   = -2
)

// patternError is a mistake in a pattern.
type patternError string

func (e patternError) Error() string { return string(e) }

// matcher matches one pattern against one text. It panics with a patternPanic for mistakes in the
// pattern and for limits, which ends the match at any depth; runMatch recovers.
type matcher struct {
	src, pat string
	level    int
	capture  [maxCaptures]struct{ start, len int }
	depth    int
	steps    int
	stopping func() error // called from time to time
}

type patternPanic struct{ err error }

// runMatch calls f and returns the error that stopped the match.
func (m *matcher) runMatch(f func()) (err error) {
	p := apart.Catch(f)
	if p == nil {
		return nil
	}
	if stop, ok := p.Value.(patternPanic); ok {
		return stop.err
	}
	return p
}

func failWith(format string, args ...any) {
	panic(patternPanic{patternError(fmt.Sprintf(format, args...))})
}

// countStep counts one step.
func (m *matcher) countStep() {
	m.steps++
	if m.steps%pollEvery == 0 {
		m.checkLimits()
	}
}

// checkLimits ends the match with an error if it must not continue. The result is never "no match".
func (m *matcher) checkLimits() {
	if err := m.stopping(); err != nil {
		panic(patternPanic{err})
	}
	if m.steps > maxSteps {
		panic(patternPanic{&vm.LimitError{What: "pattern matching steps",
			Note: fmt.Sprintf("pattern %.60q over %d bytes; anchor it with ^, or use plain find",
				m.pat, len(m.src))}})
	}
}

var errSubject = errors.New("the text is too large for a pattern (at most 8 MB); use " +
	"string.find(text, s, 1, true), or look at parts of it")

// matchAt matches the pattern from p against the text from s. It returns the end of the match, -1
// for no match, and sets the captures.
func (m *matcher) matchAt(s, p int) int {
	m.level, m.depth = 0, 0
	return m.match(s, p)
}

func (m *matcher) match(s, p int) int {
	if m.depth++; m.depth > maxPatternDepth {
		failWith("pattern too complex")
	}
	r := m.items(s, p)
	m.depth--
	return r
}

// items matches the items of the pattern one after the other. It recurses for repetitions and
// captures.
func (m *matcher) items(s, p int) int {
	for {
		m.countStep()
		if p == len(m.pat) {
			return s
		}
		switch m.pat[p] {
		case '(':
			if p+1 < len(m.pat) && m.pat[p+1] == ')' {
				return m.startCapture(s, p+2, capPosition)
			}
			return m.startCapture(s, p+1, capUnfinished)
		case ')':
			return m.endCapture(s, p+1)
		case '$':
			if p+1 == len(m.pat) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		case '%':
			if p+1 < len(m.pat) {
				if next, after, ok := m.escape(s, p); ok {
					if next < 0 {
						return -1
					}
					s, p = next, after
					continue
				}
			}
		}
		// One character, possibly repeated.
		ep := m.classEnd(p)
		if ep < len(m.pat) {
			switch m.pat[ep] {
			case '?':
				if s < len(m.src) && m.single(m.src[s], p, ep) {
					if r := m.match(s+1, ep+1); r >= 0 {
						return r
					}
				}
				p = ep + 1
				continue
			case '*':
				return m.maxExpand(s, p, ep)
			case '+':
				if s < len(m.src) && m.single(m.src[s], p, ep) {
					return m.maxExpand(s+1, p, ep)
				}
				return -1
			case '-':
				return m.minExpand(s, p, ep)
			}
		}
		if s >= len(m.src) || !m.single(m.src[s], p, ep) {
			return -1
		}
		s, p = s+1, ep
	}
}

// escape handles %b, %f and back references. ok is false if % begins a class. next is -1 for no
// match.
func (m *matcher) escape(s, p int) (next, after int, ok bool) {
	switch c := m.pat[p+1]; {
	case c == 'b':
		return m.balance(s, p+2), p + 4, true
	case c == 'f':
		p += 2
		if p >= len(m.pat) || m.pat[p] != '[' {
			failWith("missing '[' after '%%f' in pattern")
		}
		ep := m.classEnd(p)
		var prev, cur byte
		if s > 0 {
			prev = m.src[s-1]
		}
		if s < len(m.src) {
			cur = m.src[s]
		}
		if m.matchSet(prev, p, ep-1) || !m.matchSet(cur, p, ep-1) {
			return -1, 0, true
		}
		return s, ep, true
	case c >= '0' && c <= '9':
		return m.backReference(s, c), p + 2, true
	}
	return 0, 0, false
}

// maxExpand matches as many characters as possible, then gives them back one by one.
func (m *matcher) maxExpand(s, p, ep int) int {
	i := 0
	for s+i < len(m.src) && m.single(m.src[s+i], p, ep) {
		m.countStep()
		i++
	}
	if ep+1 == len(m.pat) { // the end of the pattern: no need to try
		return s + i
	}
	for ; i >= 0; i-- {
		if r := m.match(s+i, ep+1); r >= 0 {
			return r
		}
	}
	return -1
}

// minExpand matches as few characters as possible.
func (m *matcher) minExpand(s, p, ep int) int {
	for {
		if r := m.match(s, ep+1); r >= 0 {
			return r
		}
		if s >= len(m.src) || !m.single(m.src[s], p, ep) {
			return -1
		}
		s++
	}
}

func (m *matcher) startCapture(s, p, what int) int {
	if m.level >= maxCaptures {
		failWith("too many captures")
	}
	m.capture[m.level].start, m.capture[m.level].len = s, what
	m.level++
	r := m.match(s, p)
	if r < 0 {
		m.level--
	}
	return r
}

func (m *matcher) endCapture(s, p int) int {
	l := -1
	for i := m.level - 1; i >= 0; i-- {
		if m.capture[i].len == capUnfinished {
			l = i
			break
		}
	}
	if l < 0 {
		failWith("invalid pattern capture")
	}
	m.capture[l].len = s - m.capture[l].start
	r := m.match(s, p)
	if r < 0 {
		m.capture[l].len = capUnfinished
	}
	return r
}

func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pat) {
		failWith("unbalanced pattern")
	}
	if s >= len(m.src) || m.src[s] != m.pat[p] {
		return -1
	}
	open, closing, n := m.pat[p], m.pat[p+1], 1
	for i := s + 1; i < len(m.src); i++ {
		m.countStep()
		switch m.src[i] {
		case closing:
			if n--; n == 0 {
				return i + 1
			}
		case open:
			n++
		}
	}
	return -1
}

func (m *matcher) backReference(s int, digit byte) int {
	l := int(digit) - '1'
	if l < 0 || l >= m.level || m.capture[l].len == capUnfinished {
		failWith("invalid capture index")
	}
	n := max(m.capture[l].len, 0) // a position capture is empty
	m.steps += n / 64             // a comparison is fast, but not free
	text := m.src[m.capture[l].start : m.capture[l].start+n]
	if len(m.src)-s >= n && m.src[s:s+n] == text {
		return s + n
	}
	return -1
}
