// This file holds the limits of built-in functions, and the string functions that need one. An
// interrupt does not stop a built-in function. Each must return soon, or check for an interrupt
// from time to time.

package lua

import (
	"fmt"
	"math/rand/v2"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine/vm"
)

const (
	// maxText is the size of the longest string that a built-in function makes, in bytes: larger
	// than the files that agents read, and made in milliseconds.
	maxText = 16 << 20
	// maxResults is how many values one call may return (unpack, string.byte), as in Lua 5.1: each
	// needs a register.
	maxResults = 8000
	// maxFormatArg is the largest width and precision of string.format, as in Lua 5.1.
	maxFormatArg = 99
)

// guards are the built-in functions with limits, and their state.
type guards struct {
	*realm
	failures *failures
	values   *values
	clock    vm.Clock
	rand     *rand.Rand
}

// poll raises the reason to stop, if the run must stop.
func (f *failures) poll(L *glua.LState) {
	if stop := f.stopping(); stop != nil {
		f.raise(L, stop)
	}
}

// made counts a string of n bytes that a built-in function has made, and checks for an interrupt if
// that is much: another built-in function may call this one again and again.
func (f *failures) made(L *glua.LState, n int) {
	if f.charge.Take(n) {
		f.poll(L)
	}
}

// checkText raises an error if a string of n bytes is too long.
func checkText(L *glua.LState, what string, n int) {
	if n < 0 || n > maxText {
		raisef(L, "%s: the result is too large (at most %d MB)", what, maxText>>20)
	}
}

// setGuards defines the functions.
func (g *guards) setGuards() {
	g.openStrings()
	g.openTables()
	g.openMath()
	g.openUTF8()
	g.openCompat()
	g.openOS()
}

func (g *guards) openStrings() {
	g.field("string", "rep", g.strRep)
	g.field("string", "byte", strByte)
	g.field("string", "char", strChar)
	g.field("string", "format", g.strFormat)
	g.field("string", "len", func(L *glua.LState) int {
		L.Push(glua.LNumber(len(L.CheckString(1))))
		return 1
	})
	g.base.GetGlobal("string").(*glua.LTable).RawSetString("dump", glua.LNil)
}

// strRep implements string.rep(s, n [, sep]).
func (g *guards) strRep(L *glua.LState) int {
	s, sep := L.CheckString(1), L.OptString(3, "")
	count := float64(L.CheckNumber(2))
	if !(count >= 1) || len(s)+len(sep) == 0 { // true for NaN too
		L.Push(glua.LString(""))
		return 1
	}
	if count*float64(len(s)+len(sep)) > maxText {
		checkText(L, "string.rep", maxText+1)
	}
	g.failures.poll(L)
	n := int(count)
	g.failures.made(L, n*(len(s)+len(sep)))
	if sep == "" {
		L.Push(glua.LString(strings.Repeat(s, n)))
	} else {
		L.Push(glua.LString(strings.Repeat(s+sep, n-1) + s))
	}
	return 1
}

// byteRange converts the positions i and j in a string of length n to the range s[from:to], as
// string.sub does.
func byteRange(i, j, n int) (from, to int) {
	if i < 0 {
		i = max(n+i+1, 1)
	} else if i == 0 {
		i = 1
	}
	if j < 0 {
		j = n + j + 1
	}
	j = min(j, n)
	if i > j {
		return 0, 0
	}
	return i - 1, j
}

// strByte implements string.byte(s [, i [, j]]).
func strByte(L *glua.LState) int {
	s := L.CheckString(1)
	i := L.OptInt(2, 1)
	from, to := byteRange(i, L.OptInt(3, i), len(s))
	if to-from > maxResults {
		raisef(L, "string.byte: too many results (at most %d)", maxResults)
	}
	for _, c := range []byte(s[from:to]) {
		L.Push(glua.LNumber(c))
	}
	return to - from
}

// strChar implements string.char(...).
func strChar(L *glua.LState) int {
	b := make([]byte, L.GetTop())
	for i := range b {
		c := L.CheckInt(i + 1)
		if c < 0 || c > 255 {
			L.ArgError(i+1, "invalid value")
		}
		b[i] = byte(c)
	}
	L.Push(glua.LString(b))
	return 1
}

// strFormat implements string.format(format, ...), as in Lua 5.1.
func (g *guards) strFormat(L *glua.LState) int {
	format := L.CheckString(1)
	var b strings.Builder
	arg := 1
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		if i < len(format) && format[i] == '%' {
			b.WriteByte('%')
			continue
		}
		spec, verb, next := formatSpec(L, format, i)
		i = next
		arg++
		if arg > L.GetTop() {
			L.ArgError(arg, "no value")
		}
		formatOne(L, &b, spec, verb, arg)
		checkText(L, "string.format", b.Len())
	}
	g.failures.made(L, b.Len())
	L.Push(glua.LString(b.String()))
	return 1
}

// formatSpec parses the flags, width, precision and verb that begin at i. next is the index of the
// verb.
func formatSpec(L *glua.LState, format string, i int) (spec string, verb byte, next int) {
	start := i
	for i < len(format) && strings.IndexByte("-+ #0", format[i]) >= 0 {
		i++
	}
	if i-start > 5 {
		raisef(L, "invalid format (repeated flags)")
	}
	digits := func() {
		from := i
		for i < len(format) && format[i] >= '0' && format[i] <= '9' {
			i++
		}
		if i-from > len(fmt.Sprint(maxFormatArg)) {
			raisef(L, "invalid format (width or precision too long)")
		}
	}
	digits()
	if i < len(format) && format[i] == '.' {
		i++
		digits()
	}
	if i >= len(format) {
		raisef(L, "invalid format string: it ends in %q", "%"+format[start:])
	}
	return "%" + format[start:i], format[i], i
}

func formatOne(L *glua.LState, b *strings.Builder, spec string, verb byte, arg int) {
	switch verb {
	case 'd', 'i':
		fmt.Fprintf(b, spec+"d", int64(L.CheckNumber(arg)))
	case 'u', 'o', 'x', 'X':
		if verb == 'u' {
			verb = 'd'
		}
		fmt.Fprintf(b, spec+string(verb), uint64(int64(L.CheckNumber(arg))))
	case 'e', 'E', 'f', 'g', 'G':
		fmt.Fprintf(b, spec+string(verb), float64(L.CheckNumber(arg)))
	case 'c':
		b.WriteByte(byte(L.CheckInt(arg)))
	case 's':
		formatString(b, spec, text(L, L.Get(arg)))
	case 'q':
		quote(b, L.CheckString(arg))
	default:
		raisef(L, "invalid option %q to 'format'", spec+string(verb))
	}
}

// formatString formats %s. Width and precision count bytes, as in Lua.
func formatString(b *strings.Builder, spec, s string) {
	if spec == "%" {
		b.WriteString(s)
		return
	}
	var left bool
	var width, precision int
	flags := strings.TrimLeft(spec[1:], "-+ #0")
	left = strings.Contains(spec[:len(spec)-len(flags)], "-")
	w, p, dot := strings.Cut(flags, ".")
	_, _ = fmt.Sscan(w, &width)
	_, _ = fmt.Sscan(p, &precision)
	if dot && precision < len(s) {
		s = s[:precision]
	}
	pad := strings.Repeat(" ", max(0, width-len(s)))
	if left {
		b.WriteString(s + pad)
	} else {
		b.WriteString(pad + s)
	}
}

// quote formats %q: a string that Lua can read back.
func quote(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString("\\\n")
		case '\r':
			b.WriteString(`\r`)
		case 0:
			b.WriteString(`\000`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
}
