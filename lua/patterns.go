// This file holds string.find, match, gmatch and gsub.

package lua

import (
	"errors"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/vm"
)

// patterns are the string functions that match patterns.
type patterns struct {
	*realm
	failures *failures
	turn     *vm.Turn // the turn of the VM
}

func (p *patterns) setPatterns() {
	p.field("string", "find", func(L *glua.LState) int { return p.strFind(L, true) })
	p.field("string", "match", func(L *glua.LState) int { return p.strFind(L, false) })
	p.field("string", "gmatch", p.strGmatch)
	p.field("string", "gfind", p.strGmatch)
	p.field("string", "gsub", p.strGsub)
}

// newMatcher makes a matcher for arguments 1 and 2.
func (p *patterns) newMatcher(L *glua.LState) *matcher {
	m := &matcher{src: L.CheckString(1), pat: L.CheckString(2), stopping: p.stopping}
	if len(m.src) > maxSubject {
		p.failures.raise(L, errSubject)
	}
	return m
}

// try calls m.runMatch and raises its error in L. If the steps are used up, the whole run fails:
// the script could catch an error with pcall and treat it as "no match".
func (p *patterns) try(L *glua.LState, m *matcher, f func()) {
	err := m.runMatch(f)
	if err == nil {
		return
	}
	var limit *vm.LimitError
	if errors.As(err, &limit) {
		a, pos := activationOf(L), p.failures.position(L)
		if outer := p.failures.protected(a); pos.Line == 0 && outer.Line > 0 {
			pos = outer
		}
		p.turn.Fail(&a.run.Run, &fault.ScriptError{Position: pos, Message: err.Error(), Err: err})
	}
	p.failures.raise(L, err)
}

// strFind implements string.find(s, pattern [, init [, plain]]) and string.match(s, pattern [,
// init]).
func (p *patterns) strFind(L *glua.LState, find bool) int {
	src, pat := L.CheckString(1), L.CheckString(2)
	init := L.OptInt(3, 1)
	if init < 0 {
		init += len(src) + 1
	}
	init = min(max(init-1, 0), len(src))
	if find && (glua.LVAsBool(L.Get(4)) || !strings.ContainsAny(pat, "^$*+?.([%-")) {
		i := strings.Index(src[init:], pat)
		if i < 0 {
			L.Push(glua.LNil)
			return 1
		}
		L.Push(glua.LNumber(init + i + 1))
		L.Push(glua.LNumber(init + i + len(pat)))
		return 2
	}
	m := p.newMatcher(L)
	start, end := 0, -1
	p.try(L, m, func() { start, end = m.search(init) })
	switch {
	case end < 0:
		L.Push(glua.LNil)
		return 1
	case find:
		L.Push(glua.LNumber(start + 1))
		L.Push(glua.LNumber(end))
		return 2 + p.pushCaptures(L, m, -1, -1)
	}
	return p.pushCaptures(L, m, start, end)
}

// search returns the first match at or after from; end is -1 if there is none.
func (m *matcher) search(from int) (start, end int) {
	if strings.HasPrefix(m.pat, "^") {
		return from, m.matchAt(from, 1)
	}
	for s := from; s <= len(m.src); s++ {
		if s = m.skipToFirst(s); s < 0 {
			break
		}
		if e := m.matchAt(s, 0); e >= 0 {
			return s, e
		}
	}
	return 0, -1
}

// skipToFirst returns the index at or after s of the pattern's first character, if that is a
// literal that every match begins with; -1 if it does not occur.
func (m *matcher) skipToFirst(s int) int {
	if m.pat == "" || strings.IndexByte("^$*+?.([%-", m.pat[0]) >= 0 || m.pat[0] == ')' {
		return s
	}
	if len(m.pat) > 1 && strings.IndexByte("*?-", m.pat[1]) >= 0 {
		return s
	}
	i := strings.IndexByte(m.src[s:], m.pat[0])
	if i < 0 {
		m.classEnd(0)
		return -1
	}
	m.steps += i / 64
	return s + i
}

// pushCaptures pushes the captures. If there are none, it pushes the whole match from start to end,
// unless start is negative.
func (p *patterns) pushCaptures(L *glua.LState, m *matcher, start, end int) int {
	if m.level == 0 && start >= 0 {
		L.Push(glua.LString(m.src[start:end]))
		return 1
	}
	for i := 0; i < m.level; i++ {
		L.Push(p.captured(L, m, i, start, end))
	}
	return m.level
}

// captured returns capture i, 0-based. Capture 0 of a pattern without captures is the whole match.
func (p *patterns) captured(L *glua.LState, m *matcher, i, start, end int) glua.LValue {
	if i >= m.level {
		if i != 0 {
			raisef(L, "invalid capture index")
		}
		return glua.LString(m.src[start:end])
	}
	c := m.capture[i]
	switch c.len {
	case capPosition:
		return glua.LNumber(c.start + 1)
	case capUnfinished:
		raisef(L, "unfinished capture")
	}
	return glua.LString(m.src[c.start : c.start+c.len])
}

// strGmatch implements string.gmatch(s, pattern). As in Lua 5.1, ^ is not an anchor there.
func (p *patterns) strGmatch(L *glua.LState) int {
	m := p.newMatcher(L)
	next := 0
	L.Push(L.NewFunction(func(L *glua.LState) int {
		m.steps = 0
		start, end := next, -1
		p.try(L, m, func() {
			for ; start <= len(m.src); start++ {
				if end = m.matchAt(start, 0); end >= 0 {
					return
				}
			}
		})
		if end < 0 {
			next = len(m.src) + 1
			return 0
		}
		next = end
		if end == start {
			next++
		}
		return p.pushCaptures(L, m, start, end)
	}))
	return 1
}

// strGsub implements string.gsub(s, pattern, replacement [, n]).
func (p *patterns) strGsub(L *glua.LState) int {
	m := p.newMatcher(L)
	repl := L.Get(3)
	switch repl.(type) {
	case glua.LString, glua.LNumber, *glua.LTable, *glua.LFunction:
	default:
		if viewOf(repl) == nil {
			L.ArgError(3, "string, function or table expected, got "+typeName(repl))
		}
	}
	limit := len(m.src) + 1
	if L.Get(4) != glua.LNil {
		limit = L.CheckInt(4)
	}
	begin, anchored := 0, strings.HasPrefix(m.pat, "^")
	if anchored {
		begin = 1
	}
	var b strings.Builder
	n, s := 0, 0
	for n < limit {
		end := -1
		p.try(L, m, func() { end = m.matchAt(s, begin) })
		if end >= 0 {
			n++
			p.writeReplacement(L, &b, m, repl, s, end)
			p.failures.poll(L)
			checkText(L, "string.gsub", b.Len())
		}
		if end > s {
			s = end
		} else if s < len(m.src) {
			b.WriteByte(m.src[s])
			s++
		} else {
			break
		}
		if anchored {
			break
		}
	}
	b.WriteString(m.src[min(s, len(m.src)):])
	p.failures.made(L, b.Len())
	L.Push(glua.LString(b.String()))
	L.Push(glua.LNumber(n))
	return 2
}

// writeReplacement writes the replacement of the match from s to e.
func (p *patterns) writeReplacement(L *glua.LState, b *strings.Builder, m *matcher,
	repl glua.LValue, s, e int) {
	var v glua.LValue
	switch r := repl.(type) {
	case glua.LString, glua.LNumber:
		p.expand(L, b, m, r.String(), s, e)
		return
	case *glua.LFunction:
		// The callback may wait, and other handlers may match meanwhile: m belongs to this call.
		L.Push(r)
		n := p.pushCaptures(L, m, s, e)
		L.Call(n, 1)
		v = L.Get(-1)
		L.Pop(1)
	default:
		key := p.captured(L, m, 0, s, e)
		if w := viewOf(r); w != nil { // the name comes from the text, and the view may not have it
			v = w.getKey(key)
		} else {
			v = L.GetTable(r, key)
		}
	}
	switch {
	case !glua.LVAsBool(v):
		b.WriteString(m.src[s:e])
	case glua.LVCanConvToString(v):
		b.WriteString(v.String())
	default:
		raisef(L, "invalid replacement value (a %s)", typeName(v))
	}
}

// expand expands a replacement text: %1 to %9 are captures, %0 the match, % before another
// character that character.
func (p *patterns) expand(L *glua.LState, b *strings.Builder, m *matcher, text string, s, e int) {
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; {
		case c == '0':
			b.WriteString(m.src[s:e])
		case c >= '1' && c <= '9':
			b.WriteString(p.captured(L, m, int(c-'1'), s, e).String())
		default:
			b.WriteByte(c)
		}
	}
}
