// This file guards String.prototype.replace and replaceAll, and expands replacement texts. A short
// text with many matches, or a replacement with many $&, makes a result of any size in one call of
// a built-in.

package js

import (
	"cmp"
	"strings"

	"github.com/dop251/goja"
)

// guardReplace guards the methods of strings that replace.
func (p *patterns) guardReplace(proto *goja.Object) {
	for _, name := range []string{"replace", "replaceAll"} {
		all := name == "replaceAll"
		p.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			if all {
				p.wantGlobal(&call, name)
			}
			if out, ok := p.args.delegate(&call, &p.args.replace); ok {
				return out
			}
			out := p.textReplace(call, orig, all)
			p.meter.made(out)
			return out
		})
	}
}

// wantGlobal throws if the first argument is a regular expression without the flag g.
func (p *patterns) wantGlobal(call *goja.FunctionCall, name string) {
	rx, pat, usual := p.usual(call.Argument(0))
	if usual && pat.global || rx == nil || !p.isRegexp(rx) {
		return
	}
	flags := p.property(rx, "flags")
	p.args.coercible(flags)
	if !strings.Contains(p.realm.text(flags).String(), "g") {
		panic(p.rt.NewTypeError("%s: the regular expression has no flag g", name))
	}
}

// textReplace guards the replacement of a text by another one, once or everywhere.
func (p *patterns) textReplace(call goja.FunctionCall, orig rawFunc, all bool) goja.Value {
	s, what := p.args.thisText(&call), p.realm.text(call.Argument(0))
	to, text := call.Argument(1).(goja.String)
	if text && strings.IndexByte(to.String(), '$') < 0 {
		if out, ok := p.asciiReplace(s, what, to, all); ok {
			return out
		}
	}
	fn := rawFunc(nil)
	if !text {
		if fn = p.realm.function(call.Argument(1)); fn == nil {
			to = p.realm.text(call.Argument(1))
		}
	}
	with := goja.Value(to)
	if fn == nil && strings.Contains(to.String(), "$") {
		fn = p.expander(to)
	}
	if _, ascii := asciiText(s); all && what.Length() == 0 && !ascii {
		return p.replaceNothing(s, to, fn)
	}
	if fn != nil {
		with = p.countReplacer(fn, s.Length())
	} else if size := float64(s.Length()+1) * float64(to.Length()+1); size > maxText {
		times := 1
		if all {
			times = count(s, what) + 1
		}
		p.realm.checkText(float64(to.Length())*float64(times) + float64(s.Length()))
	}
	return orig(goja.FunctionCall{This: s, Arguments: []goja.Value{what, with}})
}

// replaceNothing replaces the empty text at all places of s, by a text or, if fn is not nil, by
// what fn returns. The built-in finds that text at the end of s for ever if s is not ASCII.
func (p *patterns) replaceNothing(s, with goja.String, fn rawFunc) goja.Value {
	e := expansion{realm: p.realm}
	for at := 0; ; at++ {
		p.meter.poll()
		if fn != nil {
			out := fn(goja.FunctionCall{This: goja.Undefined(),
				Arguments: []goja.Value{p.rt.ToValue(""), p.rt.ToValue(at), s}})
			with = p.realm.text(cmp.Or(out, goja.Undefined()))
		}
		e.addText(with, 0, with.Length())
		if at == s.Length() {
			return e.b.String()
		}
		e.addText(s, at, at+1)
	}
}

// asciiReplace replaces what, once or everywhere. ok is false if it is empty, or it or s is not
// ASCII.
func (p *patterns) asciiReplace(s, what, with goja.String, all bool) (out goja.Value, ok bool) {
	text, ok := asciiText(s)
	find, short := asciiText(what)
	if !ok || !short || find == "" {
		return nil, false
	}
	e, last, size := expansion{realm: p.realm}, 0, with.Length()
	for more := true; more; more = all {
		at := strings.Index(text[last:], find)
		if at < 0 {
			break
		}
		p.meter.poll()
		e.addText(s, last, last+at)
		e.addText(with, 0, size)
		last += at + len(find)
	}
	if last == 0 {
		return s, true
	}
	e.addText(s, last, len(text))
	return e.b.String(), true
}

// countReplacer limits the total length of what a replacer function returns.
func (p *patterns) countReplacer(fn rawFunc, subject int) goja.Value {
	left := maxText - subject
	return p.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		p.meter.poll()
		out := goja.Value(goja.Undefined())
		if r := fn(call); r != nil {
			out = r
		}
		s := p.realm.text(out)
		if left -= s.Length(); left < 0 {
			p.realm.throwRange(tooLong)
		}
		return s
	})
}

// expander returns a replacer function that expands a replacement text.
func (p *patterns) expander(text goja.String) rawFunc {
	var t *template
	return func(call goja.FunctionCall) goja.Value {
		args := call.Arguments // the match, its groups, its position, the text, and named groups
		var names *goja.Object
		if last := args[len(args)-1]; !goja.IsString(last) {
			names, args = last.ToObject(p.rt), args[:len(args)-1]
		}
		n := len(args) - 2
		if t == nil {
			t = newTemplate(text, n-1, names != nil)
		}
		s, at := args[n+1].(goja.String), int(args[n].ToInteger())
		e := expansion{realm: p.realm}
		t.each(func(piece piece) {
			switch piece.kind {
			case pieceGroup:
				e.addValue(args[piece.group])
			case pieceName:
				e.addValue(names.Get(t.Substring(int(piece.from), int(piece.to)).String()))
			default:
				e.addPiece(piece, t, s, at, at+args[0].(goja.String).Length())
			}
		})
		return e.b.String()
	}
}

// pieceKind says what a piece of a replacement text stands for.
type pieceKind uint8

const (
	pieceText   pieceKind = iota // itself
	pieceMatch                   // $&
	pieceBefore                  // $`, the text before the match
	pieceAfter                   // $', the text after the match
	pieceGroup                   // $1
	pieceName                    // $<name>
)

// piece is a piece of a replacement text.
type piece struct {
	kind     pieceKind
	from, to int32 // in the replacement text; of the name, if the piece is $<name>
	group    int32
}

// template is a replacement text for the matches of a pattern with so many groups.
type template struct {
	goja.String
	groups int
	named  bool    // groups have names
	pieces []piece // nil: the text is long
}

// keptTemplate is the longest replacement text whose pieces are kept for the next match. A longer
// one is parsed again: its pieces would take far more memory than the text.
const keptTemplate = 1000

// newTemplate parses a replacement text like GetSubstitution in the language standard.
func newTemplate(text goja.String, groups int, named bool) *template {
	t := &template{String: text, groups: groups, named: named}
	if text.Length() <= keptTemplate {
		pieces := make([]piece, 0, 2*strings.Count(text.String(), "$")+1)
		t.each(func(p piece) { pieces = append(pieces, p) })
		t.pieces = pieces
	}
	return t
}

// each calls do with the pieces.
func (t *template) each(do func(piece)) {
	if t.pieces != nil {
		for _, p := range t.pieces {
			do(p)
		}
		return
	}
	last, n := 0, t.Length()
	for i := 0; i+1 < n; i++ {
		if t.CharAt(i) != '$' {
			continue
		}
		p, used := t.pieceAt(i)
		if last < i {
			do(piece{from: int32(last), to: int32(i)})
		}
		do(p)
		last = i + used
		i = last - 1
	}
	if last < n {
		do(piece{from: int32(last), to: int32(n)})
	}
}

// pieceAt returns the piece that begins with the $ at i, and its length.
func (t *template) pieceAt(i int) (p piece, used int) {
	literal := piece{from: int32(i), to: int32(i + 1)}
	switch t.CharAt(i + 1) {
	case '$':
		return literal, 2
	case '&':
		return piece{kind: pieceMatch}, 2
	case '`':
		return piece{kind: pieceBefore}, 2
	case '\'':
		return piece{kind: pieceAfter}, 2
	case '<':
		for j := i + 2; t.named && j < t.Length(); j++ {
			if t.CharAt(j) == '>' {
				return piece{kind: pieceName, from: int32(i + 2), to: int32(j)}, j + 1 - i
			}
		}
		return literal, 1
	}
	digits := t.Substring(i+1, min(i+3, t.Length())).String()
	if group, used := groupNumber(digits, t.groups); group > 0 {
		return piece{kind: pieceGroup, group: int32(group)}, used + 1
	}
	return literal, 1
}

// expansion is a text that is made of replacements.
type expansion struct {
	realm *realm
	b     goja.StringBuilder
	size  int
}

func (e *expansion) addText(s goja.String, from, to int) {
	if from >= to {
		return
	}
	if e.size += to - from; e.size > maxText {
		e.realm.throwRange(tooLong)
	}
	e.b.WriteSubstring(s, from, to)
}

func (e *expansion) addValue(val goja.Value) {
	if val != nil && !goja.IsUndefined(val) {
		s := e.realm.text(val)
		e.addText(s, 0, s.Length())
	}
}

// addPiece adds a piece that does not stand for a group. The match is that of s from at to end.
func (e *expansion) addPiece(p piece, t *template, s goja.String, at, end int) {
	switch p.kind {
	case pieceText:
		e.addText(t.String, int(p.from), int(p.to))
	case pieceMatch:
		e.addText(s, at, end)
	case pieceBefore:
		e.addText(s, 0, at)
	case pieceAfter:
		e.addText(s, end, s.Length())
	}
}

// groupNumber parses the number of a group, one or two digits, of a pattern with n groups. It
// returns 0 if there is no such group.
func groupNumber(s string, n int) (group, used int) {
	digit := func(i int) int {
		if i < len(s) && s[i] >= '0' && s[i] <= '9' {
			return int(s[i] - '0')
		}
		return -1
	}
	a, b := digit(0), digit(1)
	if a >= 0 && b >= 0 && a*10+b >= 1 && a*10+b <= n {
		return a*10 + b, 2
	}
	if a >= 1 && a <= n {
		return a, 1
	}
	return 0, 0
}
