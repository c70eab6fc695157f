// This file adds functions of later Lua versions, and corrects functions of gopher-lua that
// silently differ from Lua 5.1.

package lua

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode/utf8"

	glua "github.com/yuin/gopher-lua"
)

func (g *guards) openCompat() {
	g.global("tonumber", luaToNumber)
	g.field("string", "upper", luaCase(strings.ToUpper, func(c byte) byte {
		if c >= 'a' && c <= 'z' {
			return c - 'a' + 'A'
		}
		return c
	}))
	g.field("string", "lower", luaCase(strings.ToLower, func(c byte) byte {
		if c >= 'A' && c <= 'Z' {
			return c - 'A' + 'a'
		}
		return c
	}))
	g.global("load", g.luaLoad)
	g.global("loadstring", g.luaLoad)
}

func (g *guards) openMath() {
	lib := g.base.GetGlobal("math").(*glua.LTable)
	lib.RawSetString("huge", glua.LNumber(math.Inf(1))) // gopher-lua: the largest finite number
	g.field("math", "type", func(L *glua.LState) int {
		n, ok := L.CheckAny(1).(glua.LNumber)
		switch {
		case !ok:
			L.Push(glua.LNil)
		case whole(float64(n)):
			L.Push(glua.LString("integer"))
		default:
			L.Push(glua.LString("float"))
		}
		return 1
	})
	g.field("math", "tointeger", func(L *glua.LState) int {
		if n, ok := L.CheckAny(1).(glua.LNumber); ok && whole(float64(n)) {
			L.Push(n)
		} else {
			L.Push(glua.LNil)
		}
		return 1
	})
	g.field("math", "random", g.mathRandom)
	g.field("math", "randomseed", func(L *glua.LState) int { // for this VM only
		g.rand = rand.New(rand.NewPCG(math.Float64bits(float64(L.CheckNumber(1))), 0))
		return 0
	})
}

func whole(f float64) bool { return f == math.Trunc(f) && !math.IsInf(f, 0) }

// mathRandom implements math.random([m [, n]]).
func (g *guards) mathRandom(L *glua.LState) int {
	if L.GetTop() == 0 {
		L.Push(glua.LNumber(g.rand.Float64()))
		return 1
	}
	low, high := 1.0, math.Floor(float64(L.CheckNumber(1)))
	if L.GetTop() > 1 {
		low, high = high, math.Floor(float64(L.CheckNumber(2)))
	}
	if !(low <= high) {
		L.ArgError(L.GetTop(), "interval is empty")
	}
	L.Push(glua.LNumber(low + math.Floor(g.rand.Float64()*(high-low+1))))
	return 1
}

// luaToNumber implements tonumber(v [, base]). gopher-lua's does not accept "1e5".
func luaToNumber(L *glua.LState) int {
	v := L.CheckAny(1)
	if _, ok := v.(glua.LNumber); ok && L.Get(2) == glua.LNil {
		L.Push(v)
		return 1
	}
	s, ok := v.(glua.LString)
	if !ok && L.Get(2) != glua.LNil {
		s, ok = glua.LString(glua.LVAsString(v)), true
	}
	n, valid := parseNumber(strings.TrimSpace(string(s)), L.OptInt(2, 10))
	if !ok || !valid {
		L.Push(glua.LNil)
		return 1
	}
	L.Push(glua.LNumber(n))
	return 1
}

// parseNumber parses a number in Lua syntax: decimal with an exponent, or 0x and hexadecimal
// digits.
func parseNumber(s string, base int) (float64, bool) {
	if base < 2 || base > 36 {
		return 0, false
	}
	digits, sign := s, 1.0
	if strings.HasPrefix(s, "-") {
		digits, sign = s[1:], -1
	}
	hex := len(digits) > 2 && (digits[:2] == "0x" || digits[:2] == "0X")
	if hex && (base == 10 || base == 16) {
		digits, base = digits[2:], 16
	}
	if base != 10 {
		if strings.ContainsAny(digits, "+-_") {
			return 0, false
		}
		n, err := strconv.ParseUint(digits, base, 64)
		return sign * float64(n), err == nil
	}
	// ParseFloat also accepts inf, nan, 1_000 and 0x1p4
	if strings.Trim(digits, "0123456789.eE+-") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}

// luaLoad implements load(text or function [, name [, mode [, env]]]). It makes the same checks as
// for a script.
func (g *guards) luaLoad(L *glua.LState) int {
	src, ok := g.loadSource(L)
	if !ok {
		return 2
	}
	name := strings.TrimPrefix(strings.TrimPrefix(L.OptString(2, "load"), "="), "@")
	if len(name) > 60 || strings.Contains(name, "\n") {
		name = "load"
	}
	proto, serr := compile(name, []byte(src), maxLoad)
	if serr != nil {
		L.Push(glua.LNil)
		L.Push(glua.LString(serr.Error()))
		return 2
	}
	fn := L.NewFunctionFromProto(proto)
	if env, ok := L.Get(4).(*glua.LTable); ok {
		fn.Env = env
	}
	L.Push(fn)
	return 1
}

// loadSource returns the text to load. If ok is false, it has pushed nil and a message.
func (g *guards) loadSource(L *glua.LState) (string, bool) {
	if s, ok := L.Get(1).(glua.LString); ok {
		return string(s), true
	}
	fn := L.CheckFunction(1)
	var b strings.Builder
	for {
		L.Push(fn)
		L.Call(0, 1)
		piece := L.Get(-1)
		L.Pop(1)
		g.failures.poll(L)
		s, ok := piece.(glua.LString)
		if !ok && piece != glua.LNil {
			L.Push(glua.LNil)
			L.Push(glua.LString("reader function must return a string"))
			return "", false
		}
		if s == "" {
			return b.String(), true
		}
		if b.WriteString(string(s)); b.Len() > maxLoad {
			return b.String(), true // compile reports that it is too large
		}
	}
}

// luaCase implements string.upper or lower. Invalid UTF-8, which gopher-lua destroys, is converted
// byte by byte.
func luaCase(text func(string) string, ascii func(byte) byte) glua.LGFunction {
	return func(L *glua.LState) int {
		s := L.CheckString(1)
		if utf8.ValidString(s) {
			L.Push(glua.LString(text(s)))
			return 1
		}
		b := []byte(s)
		for i, c := range b {
			b[i] = ascii(c)
		}
		L.Push(glua.LString(b))
		return 1
	}
}

func (g *guards) openUTF8() {
	g.field("utf8", "char", func(L *glua.LState) int {
		var b []byte
		for i := 1; i <= L.GetTop(); i++ {
			c := L.CheckInt(i)
			if c < 0 || c > utf8.MaxRune {
				L.ArgError(i, "value out of range")
			}
			b = utf8.AppendRune(b, rune(c))
		}
		L.Push(glua.LString(b))
		return 1
	})
	g.base.GetGlobal("utf8").(*glua.LTable).RawSetString("charpattern",
		glua.LString("[%z\x01-\x7F\xC2-\xF4][\x80-\xBF]*"))
	g.field("utf8", "len", utf8Len)
	g.field("utf8", "codepoint", utf8Codepoint)
	g.field("utf8", "offset", utf8Offset)
	step := g.base.NewFunction(utf8Next)
	g.field("utf8", "codes", func(L *glua.LState) int {
		s := L.CheckString(1)
		L.Push(step)
		L.Push(glua.LString(s))
		L.Push(glua.LNumber(0))
		return 3
	})
}

// utf8Len implements utf8.len(s [, i [, j]]): the number of characters, or nil and the position of
// the first invalid byte.
func utf8Len(L *glua.LState) int {
	s := L.CheckString(1)
	from, to := byteRange(L.OptInt(2, 1), L.OptInt(3, -1), len(s))
	n := 0
	for from < to {
		r, size := utf8.DecodeRuneInString(s[from:])
		if r == utf8.RuneError && size <= 1 {
			L.Push(glua.LNil)
			L.Push(glua.LNumber(from + 1))
			return 2
		}
		from += size
		n++
	}
	L.Push(glua.LNumber(n))
	return 1
}

// utf8Codepoint implements utf8.codepoint(s [, i [, j]]).
func utf8Codepoint(L *glua.LState) int {
	s := L.CheckString(1)
	i := L.OptInt(2, 1)
	from, to := byteRange(i, L.OptInt(3, i), len(s))
	n := 0
	for from < to {
		r, size := utf8.DecodeRuneInString(s[from:])
		if r == utf8.RuneError && size <= 1 {
			raisef(L, "invalid UTF-8 code")
		}
		if n++; n > maxResults {
			raisef(L, "utf8.codepoint: too many results (at most %d)", maxResults)
		}
		L.Push(glua.LNumber(r))
		from += size
	}
	return n
}

// utf8Next implements the iterator of utf8.codes.
func utf8Next(L *glua.LState) int {
	s, i := L.CheckString(1), L.CheckInt(2)
	if i > 0 { // skip the previous character
		_, size := utf8.DecodeRuneInString(s[i-1:])
		i += size - 1
	}
	if i >= len(s) {
		return 0
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && size <= 1 {
		raisef(L, "invalid UTF-8 code")
	}
	L.Push(glua.LNumber(i + 1))
	L.Push(glua.LNumber(r))
	return 2
}

// utf8Offset implements utf8.offset(s, n [, i]): where the n-th character, counted from i, begins.
func utf8Offset(L *glua.LState) int {
	s, n := L.CheckString(1), L.CheckInt(2)
	at := 1
	if n <= 0 {
		at = len(s) + 1
	}
	at = L.OptInt(3, at)
	if at < 0 {
		at += len(s) + 1
	}
	at--
	if at < 0 || at > len(s) {
		L.ArgError(3, "position out of range")
	}
	inside := func(i int) bool { return i < len(s) && !utf8.RuneStart(s[i]) }
	switch {
	case n == 0:
		for at > 0 && inside(at) {
			at--
		}
		L.Push(glua.LNumber(at + 1))
		return 1
	case inside(at):
		raisef(L, "initial position is a continuation byte")
	}
	for ; n < 0 && at > 0; n++ {
		for at--; at > 0 && inside(at); at-- {
		}
	}
	for n--; n > 0 && at < len(s); n-- {
		for at++; inside(at); at++ {
		}
	}
	if n != 0 && n != -1 {
		L.Push(glua.LNil)
		return 1
	}
	L.Push(glua.LNumber(at + 1))
	return 1
}
