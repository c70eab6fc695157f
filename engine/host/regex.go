// This file implements ext.regex: RE2, in time linear in the text.

package host

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxRegexText is how long a text, or the result of a replacement, may be in bytes: a running
	// search cannot be interrupted.
	maxRegexText = 2 << 20
	// maxPattern is how long a pattern may be, in bytes.
	maxPattern = 16 << 10
	// maxMatches is how many matches one call finds: no script needs a longer list.
	maxMatches = 20_000
	// keptPatterns is how many compiled patterns are kept: scripts have a few each, as constants.
	keptPatterns = 1000
)

// patterns caches compiled patterns by their text.
type patterns struct {
	mu    sync.Mutex
	known map[string]*regexp.Regexp
}

func (p *patterns) compile(text string) (*regexp.Regexp, error) {
	p.mu.Lock()
	re := p.known[text]
	p.mu.Unlock()
	if re != nil {
		return re, nil
	}
	if len(text) > maxPattern {
		return nil, fmt.Errorf("got %d bytes, want at most %d", len(text), maxPattern)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= keptPatterns || p.known == nil {
		p.known = map[string]*regexp.Regexp{}
	}
	p.known[text] = re
	return re, nil
}

func (p *patterns) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"regex.test": p.test, "regex.find": p.findFirst, "regex.find_all": p.findAll,
		"regex.replace": p.replace, "regex.split": p.split,
	}
}

// args returns the pattern and the text, which are the first arguments of all functions.
func (p *patterns) args(c *engine.HostCall, name string) (*regexp.Regexp, string, error) {
	re, err := p.compile(text(c.Args[0]))
	if err != nil {
		return nil, "", fmt.Errorf("%s: pattern: %w", name, err)
	}
	s := text(c.Args[1])
	if len(s) > maxRegexText {
		return nil, "", fmt.Errorf("%s: text: got %d bytes, want at most %d: look at parts of it",
			name, len(s), maxRegexText)
	}
	return re, s, nil
}

// limit parses options.limit, the maximal number of matches; -1 = all.
func limit(name string, v any) (int, error) {
	n, ok := value.Number(table(v)["limit"])
	switch {
	case !ok:
		return -1, nil
	case n < 0:
		return 0, fmt.Errorf("%s: limit: got %s, want 0 or more", name, value.NumberText(n))
	}
	return int(min(n, maxMatches)), nil
}

func (p *patterns) test(c *engine.HostCall) (any, error) {
	re, s, err := p.args(c, "ext.regex.test")
	if err != nil {
		return nil, err
	}
	return re.MatchString(s), nil
}

func (p *patterns) findFirst(c *engine.HostCall) (any, error) {
	re, s, err := p.args(c, "ext.regex.find")
	if err != nil {
		return nil, err
	}
	at := re.FindStringSubmatchIndex(s)
	if at == nil {
		return nil, nil
	}
	return newMatches(c, re, s).next(at), nil
}

func (p *patterns) findAll(c *engine.HostCall) (any, error) {
	const name = "ext.regex.find_all"
	re, s, err := p.args(c, name)
	if err != nil {
		return nil, err
	}
	all, err := allMatches(name, re, s, c.Args[2])
	if err != nil {
		return nil, err
	}
	m, out := newMatches(c, re, s), make([]any, len(all))
	for i, at := range all {
		out[i] = m.next(at)
	}
	return out, nil
}

func allMatches(name string, re *regexp.Regexp, s string, options any) ([][]int, error) {
	n, err := limit(name, options)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		n = maxMatches + 1
	}
	all := re.FindAllStringSubmatchIndex(s, n)
	if len(all) > maxMatches {
		return nil, fmt.Errorf("%s: more than %d matches: set limit, or look at parts of the text",
			name, maxMatches)
	}
	return all, nil
}

func (p *patterns) split(c *engine.HostCall) (any, error) {
	const name = "ext.regex.split"
	re, s, err := p.args(c, name)
	if err != nil {
		return nil, err
	}
	n, err := limit(name, c.Args[2])
	if err != nil {
		return nil, err
	}
	if n < 0 {
		n = maxMatches + 1
	}
	out := re.Split(s, n)
	if len(out) > maxMatches {
		return nil, fmt.Errorf("%s: more than %d parts: set limit, or look at parts of the text",
			name, maxMatches)
	}
	if out == nil {
		out = []string{}
	}
	return out, nil
}

// replace replaces matches with a text, in which $1 and ${name} stand for groups, or with what a
// function returns.
func (p *patterns) replace(c *engine.HostCall) (any, error) {
	const name = "ext.regex.replace"
	re, s, err := p.args(c, name)
	if err != nil {
		return nil, err
	}
	all, err := allMatches(name, re, s, c.Args[3])
	if err != nil {
		return nil, err
	}
	fn, isFunc := c.Args[2].(engine.Inline)
	if _, ok := c.Args[2].(string); !ok && !isFunc {
		return nil, errors.New(name + ": replacement: got a function that cannot be called here")
	}
	m, done, out := newMatches(c, re, s), 0, make([]byte, 0, len(s))
	for _, at := range all {
		out = append(out, s[done:at[0]]...)
		done = at[1]
		if !isFunc {
			out = re.ExpandString(out, text(c.Args[2]), s, at)
		} else {
			v, err := fn.CallInline(m.next(at))
			if err != nil {
				return nil, err
			}
			with, ok := v.(string)
			if !ok {
				return nil, fmt.Errorf("%s: replacement returned %s, want string", name,
					value.TypeName(v))
			}
			out = append(out, with...)
		}
		if len(out) > maxRegexText {
			return nil, fmt.Errorf("%s: the result has more than %d bytes", name, maxRegexText)
		}
	}
	return string(append(out, s[done:]...)), nil
}

// matches describes the matches in a text one after the other, with positions as in the script's
// language: s:sub(start, stop) in Lua and s.slice(start, stop) in JavaScript are the match.
type matches struct {
	re   *regexp.Regexp
	s    string
	js   bool
	byte int // counted up to this byte
	unit int // UTF-16 code units before it
}

func newMatches(c *engine.HostCall, re *regexp.Regexp, s string) *matches {
	return &matches{re: re, s: s, js: c.Gen.Language == "js"}
}

// next describes the match at the given positions of regexp; they must not decrease.
func (m *matches) next(at []int) map[string]any {
	groups, named := make([]any, 0, len(at)/2-1), map[string]any{}
	for i, name := range m.re.SubexpNames() {
		if i == 0 {
			continue
		}
		var group any
		if at[2*i] >= 0 {
			group = m.s[at[2*i]:at[2*i+1]]
		}
		groups = append(groups, group)
		if name != "" {
			named[name] = group
		}
	}
	start, stop := at[0]+1, at[1]
	if m.js {
		start, stop = m.units(at[0]), m.units(at[1])
	}
	return map[string]any{"text": m.s[at[0]:at[1]], "start": start, "stop": stop, "groups": groups,
		"named": named}
}

// units returns the number of UTF-16 code units before a byte.
func (m *matches) units(at int) int {
	for m.byte < at {
		r, size := utf8.DecodeRuneInString(m.s[m.byte:])
		m.byte += size
		m.unit++
		if r > 0xFFFF {
			m.unit++
		}
	}
	return m.unit
}
