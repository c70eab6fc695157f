// This file finds the matches of patterns that Go's regexp can express, in ASCII texts, in linear
// time.
//
// The interpreter can do so too, but not after exec is replaced (patterns.go); then it finds
// matches one by one, from the second on with regexp2. The results are the same, because the
// patterns are those that the interpreter has compiled.

package js

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/dop251/goja"
)

// Go's regexp cannot be interrupted and cannot resume a search. So we first search for as many
// matches as take some 10 ms, and then, from the start again, for more. Between searches we check
// for an interrupt.
const (
	firstMatches = 62_500
	moreMatches  = 4
)

var tooManyMatches = fmt.Sprintf("the regular expression matches more than %d times", maxItems)

// usual returns the pattern of a regular expression whose properties and exec are not the script's.
func (p *patterns) usual(this goja.Value) (rx *goja.Object, pat pattern, ok bool) {
	if rx, ok = this.(*goja.Object); ok {
		pat, ok = patternOf(rx)
	}
	return rx, pat, ok && pat.standard && rx.Prototype() == p.proto &&
		p.proto.Get("exec") == p.execValue
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// linear returns s as the text in which Go's regexp can find the matches of pat. ok is false if
// only the interpreter can find them.
func linear(pat pattern, s goja.String) (text string, ok bool) {
	if pat.linear == nil || pat.sticky {
		return "", false
	}
	return asciiText(s)
}

// asciiText returns s if it is ASCII. It does not look at a text that it would have to convert.
func asciiText(s goja.String) (text string, ok bool) {
	switch reflect.TypeOf(s).Kind() {
	case reflect.String: // the interpreter's strings of ASCII
		return s.String(), true
	case reflect.Slice: // those of 16-bit units
		return "", false
	}
	text = s.String()
	return text, len(text) == s.Length() && ascii(text)
}

// all finds all matches of re in text, as positions. find is a method of re.
func (p *patterns) all(find func(text string, n int) [][]int, text string) [][]int {
	for limit := firstMatches; limit <= maxItems; limit *= moreMatches {
		p.meter.poll()
		if found := find(text, limit+1); len(found) <= limit {
			p.meter.poll()
			return found
		}
	}
	p.realm.throwRange(tooManyMatches)
	return nil
}

// part returns group i of match m in s, undefined if the group did not match.
func part(s goja.String, m []int, i int) goja.Value {
	if m[2*i] < 0 {
		return goja.Undefined()
	}
	return s.Substring(m[2*i], m[2*i+1])
}

// rewind sets lastIndex of rx to 0.
func (p *patterns) rewind(rx *goja.Object) {
	if rx.Get("lastIndex") != p.zero {
		_ = rx.Set("lastIndex", p.zero)
	}
}

// regexpMatch implements RegExp.prototype[Symbol.match].
func (p *patterns) regexpMatch(call goja.FunctionCall, orig rawFunc) goja.Value {
	s, ok := call.Argument(0).(goja.String)
	if !ok {
		s = p.realm.text(call.Argument(0))
		call.Arguments = []goja.Value{s}
	}
	rx, pat, usual := p.usual(call.This)
	if usual && !pat.global {
		call.This = rx
		if pat.linear != nil && !pat.sticky {
			return p.unguarded(call)
		}
		return p.timed(call, p.unguarded, goja.IsNull)
	}
	if text, ok := linear(pat, s); ok && usual {
		found := p.all(pat.linear.FindAllStringIndex, text)
		p.rewind(rx)
		if len(found) == 0 {
			return goja.Null()
		}
		p.meter.take(2 * itemBytes * len(found)) // each item is a text of its own
		out := make([]goja.Value, len(found))
		for i, m := range found {
			out[i] = part(s, m, 0)
		}
		return p.arrayOf(goja.FunctionCall{Arguments: out})
	}
	if rx != nil && rx.ClassName() == "RegExp" && !rx.Get("global").ToBoolean() {
		return p.execOnce(rx, s)
	}
	call.This = p.steady(call.This)
	return orig(call)
}

// execOnce calls the method exec of rx.
func (p *patterns) execOnce(rx *goja.Object, s goja.String) goja.Value {
	exec := p.exec
	if own := p.property(rx, "exec"); own != p.execValue {
		if exec = p.realm.function(own); exec == nil {
			panic(p.rt.NewTypeError("exec is not a function"))
		}
	}
	out := exec(goja.FunctionCall{This: rx, Arguments: []goja.Value{s}})
	if _, ok := out.(*goja.Object); !ok && !goja.IsNull(out) {
		panic(p.rt.NewTypeError("exec returned neither an object nor null"))
	}
	return out
}

// regexpSearch guards RegExp.prototype[Symbol.search].
func (p *patterns) regexpSearch(call goja.FunctionCall, orig rawFunc) goja.Value {
	s := p.realm.text(call.Argument(0))
	_, pat, usual := p.usual(call.This)
	if text, ok := linear(pat, s); ok && usual {
		at := -1
		if m := pat.linear.FindStringIndex(text); m != nil {
			at = m[0]
		}
		return p.rt.ToValue(at)
	}
	return orig(goja.FunctionCall{This: call.This, Arguments: []goja.Value{s}})
}

// linearSplit returns the parts of s between matches as splitAt does. ok is false if the matches
// cannot be found in linear time.
func (p *patterns) linearSplit(this goja.Value, s goja.String, limit int) (out []goja.Value,
	ok bool) {
	_, pat, usual := p.usual(this)
	text, ok := linear(pat, s)
	if !ok || !usual {
		return nil, false
	}
	found := p.all(pat.linear.FindAllStringSubmatchIndex, text)
	return splitAt(func(from int) (sp span, ok bool) {
		for len(found) > 0 && found[0][0] < from {
			found = found[1:]
		}
		if len(found) == 0 {
			return sp, false
		}
		m := found[0]
		for i := 1; i < len(m)/2; i++ {
			sp.groups = append(sp.groups, part(s, m, i))
		}
		sp.at, sp.end = m[0], m[1]
		return sp, true
	}, s, limit), true
}

// linearReplace implements RegExp.prototype[Symbol.replace]. ok is false if the matches cannot be
// found in linear time, or have names.
func (p *patterns) linearReplace(this goja.Value, s goja.String, with goja.Value) (out goja.Value,
	ok bool) {
	rx, pat, usual := p.usual(this)
	text, ok := linear(pat, s)
	if !ok || !usual || named(pat.linear) {
		return nil, false
	}
	replace := p.replacer(s, with, pat.linear.NumSubexp())
	var found [][]int
	var first [1][]int
	if pat.global {
		found = p.all(pat.linear.FindAllStringSubmatchIndex, text)
		p.rewind(rx)
	} else if first[0] = pat.linear.FindStringSubmatchIndex(text); first[0] != nil {
		found = first[:]
	}
	if len(found) == 0 {
		return s, true
	}
	e, last := expansion{realm: p.realm}, 0
	for _, m := range found {
		p.meter.poll()
		e.addText(s, last, m[0])
		replace(&e, m)
		last = m[1]
	}
	e.addText(s, last, s.Length())
	return e.b.String(), true
}

// named reports whether a pattern has named groups.
func named(re *regexp.Regexp) bool {
	for _, name := range re.SubexpNames() {
		if name != "" {
			return true
		}
	}
	return false
}

// replacer returns a function that adds the replacement of a match of a pattern with so many
// groups.
func (p *patterns) replacer(s goja.String, with goja.Value, groups int) func(*expansion, []int) {
	subst, text := with.(goja.String)
	if !text {
		if fn := p.realm.function(with); fn != nil {
			return func(e *expansion, m []int) {
				args := make([]goja.Value, 0, len(m)/2+2)
				for i := range len(m) / 2 {
					args = append(args, part(s, m, i))
				}
				out := p.realm.text(orUndefined(fn(goja.FunctionCall{This: goja.Undefined(),
					Arguments: append(args, p.rt.ToValue(m[0]), s)})))
				e.addText(out, 0, out.Length())
			}
		}
		subst = p.realm.text(with)
	}
	if !strings.Contains(subst.String(), "$") {
		return func(e *expansion, _ []int) { e.addText(subst, 0, subst.Length()) }
	}
	t := newTemplate(subst, groups, false)
	return func(e *expansion, m []int) {
		t.each(func(piece piece) {
			if piece.kind != pieceGroup {
				e.addPiece(piece, t, s, m[0], m[1])
			} else if i := 2 * piece.group; m[i] >= 0 {
				e.addText(s, m[i], m[i+1])
			}
		})
	}
}
