// This file finds all matches of patterns that Go's regexp can express, in ASCII texts, in linear
// time.
//
// The interpreter can do so too, but not after exec is replaced (patterns.go); then it finds
// matches one by one with regexp2. The results are the same, because the interpreter's own
// translator translates the patterns.

package js

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// maxLinear is how many translated patterns a VM keeps. A script with more generates them.
const maxLinear = 64

// Go's regexp cannot be interrupted and cannot resume a search. So we first search for as many
// matches as take some 10 ms, and then, from the start again, for more. Between searches we check
// for an interrupt.
const (
	firstMatches = 62_500
	moreMatches  = 4
)

var tooManyMatches = fmt.Sprintf("the regular expression matches more than %d times", maxItems)

// translation returns the translation of rx, nil if none is certain to mean the same.
func (p *patterns) translation(rx *goja.Object) *regexp.Regexp {
	if rx.ClassName() != "RegExp" || rx.Prototype() != p.proto ||
		!rx.Get("exec").SameAs(p.execValue) {
		return nil
	}
	source, flags := rx.Get("source").String(), rx.Get("flags").String()
	key := flags + "/" + source
	re, ok := p.linear[key]
	if !ok {
		if len(p.linear) >= maxLinear || p.linear == nil {
			p.linear = map[string]*regexp.Regexp{}
		}
		re = translate(source, flags)
		p.linear[key] = re
	}
	return re
}

// translate translates a pattern, or returns nil. The interpreter matches patterns with named
// groups and characters beyond ASCII.
func translate(source, flags string) *regexp.Regexp {
	if strings.ContainsAny(flags, "yu") || strings.Contains(source, "(?<") ||
		strings.Contains(source, `\u`) || !ascii(source) {
		return nil
	}
	pattern, err := parser.TransformRegExp(source, strings.Contains(flags, "s"), false)
	if err != nil {
		return nil
	}
	options := ""
	for _, f := range []string{"m", "s", "i"} {
		if strings.Contains(flags, f) {
			options += f
		}
	}
	if options != "" {
		pattern = "(?" + options + ":" + pattern + ")"
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	return re
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// all finds all matches of rx in s, as positions. ok is false if only the interpreter can find
// them.
func (p *patterns) all(rx *goja.Object, s goja.String) (found [][]int, ok bool) {
	if wide(s) {
		return nil, false
	}
	text := s.String()
	if len(text) != s.Length() || !ascii(text) {
		return nil, false
	}
	re := p.translation(rx)
	if re == nil {
		return nil, false
	}
	for limit := firstMatches; limit <= maxItems; limit *= moreMatches {
		p.meter.poll()
		if found = re.FindAllStringSubmatchIndex(text, limit+1); len(found) <= limit {
			p.meter.poll()
			return found, true
		}
	}
	p.realm.throwRange(tooManyMatches)
	return nil, false
}

// part returns group i of match m in s, undefined if the group did not match.
func part(s goja.String, m []int, i int) goja.Value {
	if m[2*i] < 0 {
		return goja.Undefined()
	}
	return s.Substring(m[2*i], m[2*i+1])
}

// global reports whether rx is an object with the flag g.
func global(rx goja.Value) (*goja.Object, bool) {
	obj, ok := rx.(*goja.Object)
	return obj, ok && obj.ClassName() == "RegExp" && obj.Get("global").ToBoolean()
}

// regexpMatch implements RegExp.prototype[Symbol.match].
func (p *patterns) regexpMatch(call goja.FunctionCall, orig rawFunc) goja.Value {
	rx, ok := global(call.This)
	if !ok {
		if rx == nil || rx.ClassName() != "RegExp" {
			call.This = p.steady(call.This)
			return orig(call)
		}
		return p.execOnce(rx, p.realm.text(call.Argument(0)))
	}
	s := p.realm.text(call.Argument(0))
	found, ok := p.all(rx, s)
	if !ok {
		return orig(goja.FunctionCall{This: p.steady(rx), Arguments: []goja.Value{s}})
	}
	_ = rx.Set("lastIndex", 0)
	if len(found) == 0 {
		return goja.Null()
	}
	p.meter.take(2 * itemBytes * len(found)) // each item is a text of its own
	out := make([]any, len(found))
	for i, m := range found {
		out[i] = part(s, m, 0)
	}
	return p.rt.NewArray(out...)
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

// linearReplace implements RegExp.prototype[Symbol.replace] for global patterns. ok is false if the
// matches cannot be found in linear time.
func (p *patterns) linearReplace(rx *goja.Object, s goja.String, with goja.Value) (out goja.Value,
	ok bool) {
	found, ok := p.all(rx, s)
	if !ok {
		return nil, false
	}
	replace := p.replacer(s, with)
	_ = rx.Set("lastIndex", 0)
	if len(found) == 0 {
		return s, true
	}
	var b goja.StringBuilder
	last, size := 0, 0
	for _, m := range found {
		p.meter.poll()
		r := replace(m)
		if size += m[0] - last + r.Length(); size > maxText {
			p.realm.throwRange(tooLong)
		}
		b.WriteSubstring(s, last, m[0])
		b.WriteString(r)
		last = m[1]
	}
	b.WriteSubstring(s, last, s.Length())
	return b.String(), true
}

// replacer returns a function that returns the replacement of a match.
func (p *patterns) replacer(s goja.String, with goja.Value) func(m []int) goja.String {
	if fn := p.realm.function(with); fn != nil {
		return func(m []int) goja.String {
			args := make([]goja.Value, 0, len(m)/2+2)
			for i := range len(m) / 2 {
				args = append(args, part(s, m, i))
			}
			out := fn(goja.FunctionCall{This: goja.Undefined(),
				Arguments: append(args, p.rt.ToValue(m[0]), s)})
			if out == nil {
				out = goja.Undefined()
			}
			return p.realm.text(out)
		}
	}
	subst := p.realm.text(with)
	if !strings.Contains(subst.String(), "$") {
		return func([]int) goja.String { return subst }
	}
	return func(m []int) goja.String {
		return p.expand(subst, match{s: s, at: m[0], end: m[1], groups: len(m)/2 - 1,
			group: func(i int) goja.Value { return part(s, m, i) }})
	}
}
