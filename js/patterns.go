// This file keeps regular expressions from running too long, and from failing open when they are
// stopped.
//
// The interpreter matches patterns that RE2 can express with Go's regexp, in linear time. It
// matches all others (look-around, back-references, every match that does not start at 0) with
// regexp2, which backtracks and may never end. regexp2 gives up after a timeout, which the
// interpreter takes for "no match": in a guard that means "allow". So a match that finds nothing is
// checked (patterns_timeout.go).

package js

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// patterns are the guarded regular expressions of a VM.
type patterns struct {
	realm *realm
	rt    *goja.Runtime // that of realm
	meter *meter        // that of realm
	args  *arguments
	// fail makes the running call fail, even if the script catches the error.
	fail func(msg string)

	proto     *goja.Object // RegExp.prototype
	newRegexp rawFunc
	arrayOf   rawFunc // Array.of
	exec      rawFunc // guarded
	unguarded rawFunc // exec of the interpreter
	execValue goja.Value
	execName  goja.Value
	zero      goja.Value
	checks    map[string]*check // by flags and source
	// the iterators of matchAll are guarded
	iterating bool
}

// setPatterns wraps the functions that match. Because exec is replaced, all other functions that
// match (match, matchAll, replace, search) call it, except where a search in linear time is
// possible (patterns_linear.go).
func (p *patterns) setPatterns(ctor *goja.Object) {
	proto := ctor.Get("prototype").(*goja.Object)
	p.newRegexp = raw(ctor)
	p.arrayOf = raw(p.rt.Get("Array").(*goja.Object).Get("of"))
	p.unguarded, p.zero = raw(proto.Get("exec")), p.rt.ToValue(0)
	p.realm.wrap(proto, "test", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		return p.timed(call, orig, func(out goja.Value) bool { return !out.ToBoolean() })
	})
	p.realm.wrap(proto, "exec", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		return p.timed(call, orig, goja.IsNull)
	})
	p.realm.wrap(proto, "compile", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		p.checkPattern(&call, true)
		return orig(call)
	})
	p.proto, p.execValue, p.execName = proto, proto.Get("exec"), p.rt.ToValue("exec")
	p.exec = raw(p.execValue)
	p.guardMethods()
	p.realm.guardGlobal("RegExp", ctor, func(call *goja.FunctionCall) {
		p.checkPattern(call, true)
	})
}

// guardMethods guards the methods of regular expressions that those of strings call, and these.
func (p *patterns) guardMethods() {
	str := p.rt.Get("String").(*goja.Object).Get("prototype").(*goja.Object)
	for _, m := range []struct {
		method *method
		symbol *goja.Symbol
		name   string
		guard  guard
	}{
		{&p.args.match, goja.SymMatch, "match", p.regexpMatch},
		{&p.args.matchAll, goja.SymMatchAll, "matchAll", p.regexpMatchAll},
		{&p.args.search, goja.SymSearch, "search", p.regexpSearch},
		{&p.args.replace, goja.SymReplace, "replace", p.meter.charged(p.regexpReplace)},
		{&p.args.split, goja.SymSplit, "split", p.regexpSplit},
	} {
		p.realm.wrapSymbol(p.proto, m.symbol, "[Symbol."+m.name+"]", m.guard)
		val := p.proto.GetSymbol(m.symbol)
		*m.method = method{symbol: m.symbol, value: val, fn: raw(val)}
	}
	for name, m := range map[string]*method{"match": &p.args.match, "matchAll": &p.args.matchAll,
		"search": &p.args.search} {
		p.realm.wrap(str, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			if name == "matchAll" {
				p.wantGlobal(&call, name)
			}
			if out, ok := p.args.delegate(&call, m); ok {
				return out
			}
			p.checkPattern(&call, false)
			return orig(call)
		})
	}
	p.guardReplace(str)
}

// regexpMatchAll guards RegExp.prototype[Symbol.matchAll]. The next of its iterators calls exec,
// which may be any built-in.
func (p *patterns) regexpMatchAll(call goja.FunctionCall, orig rawFunc) goja.Value {
	out := orig(call)
	if it, ok := out.(*goja.Object); ok && !p.iterating {
		p.iterating = true
		p.realm.wrap(it.Prototype(), "next", onlyPolled)
	}
	return out
}

// checkPattern throws if the first argument is the source of a pattern that must not be compiled.
// The second one has its flags, if withFlags. It replaces objects by what they convert to, also
// regular expressions: RegExp(x) never returns x.
func (p *patterns) checkPattern(call *goja.FunctionCall, withFlags bool) {
	if goja.IsUndefined(call.Argument(0)) {
		return
	}
	if obj, ok := call.Argument(0).(*goja.Object); ok && withFlags && p.isRegexp(obj) {
		flags := call.Argument(1)
		if goja.IsUndefined(flags) {
			flags = p.property(obj, "flags")
		}
		call.Arguments = []goja.Value{p.property(obj, "source"), flags}
	}
	source, text := p.args.text(call, 0), ""
	if withFlags && !goja.IsUndefined(call.Argument(1)) {
		text = p.args.text(call, 1).String()
	}
	err := checkPattern(source.String(), text)
	if err == nil {
		return
	}
	if msg, ok := strings.CutPrefix(err.Error(), "SyntaxError: "); ok {
		panic(raw(p.realm.builtins.Get("SyntaxError"))(goja.FunctionCall{
			Arguments: []goja.Value{p.rt.ToValue(msg)}}))
	}
	p.realm.throwRange(strings.TrimPrefix(err.Error(), "RangeError: "))
}

// isRegexp reports whether the language takes obj for a regular expression.
func (p *patterns) isRegexp(obj *goja.Object) bool {
	if is := obj.GetSymbol(goja.SymMatch); is != nil && !goja.IsUndefined(is) {
		return is.ToBoolean()
	}
	return obj.ClassName() == "RegExp"
}

// property returns a property of obj, undefined if there is none.
func (p *patterns) property(obj *goja.Object, name string) goja.Value {
	if val := obj.Get(name); val != nil {
		return val
	}
	return goja.Undefined()
}

// span is a match: its position and its groups.
type span struct {
	at, end int
	groups  []goja.Value
}

// spans returns a function that finds the first match of rx in s at or after from.
func (p *patterns) spans(rx *goja.Object, s goja.String) func(from int) (span, bool) {
	flags := strings.ReplaceAll(p.realm.text(p.property(rx, "flags")).String(), "y", "")
	if !strings.Contains(flags, "g") {
		flags += "g"
	}
	again := p.newRegexp(goja.FunctionCall{Arguments: []goja.Value{rx,
		p.rt.ToValue(flags)}}).(*goja.Object)
	return func(from int) (sp span, ok bool) {
		_ = again.Set("lastIndex", from)
		m, ok := p.exec(goja.FunctionCall{This: again,
			Arguments: []goja.Value{s}}).(*goja.Object)
		if !ok {
			return sp, false
		}
		for i, n := int64(1), lengthOf(m); i < n; i++ {
			sp.groups = append(sp.groups, m.Get(strconv.FormatInt(i, 10)))
		}
		sp.at, sp.end = int(m.Get("index").ToInteger()), int(again.Get("lastIndex").ToInteger())
		return sp, true
	}
}

// regexpSplit implements RegExp.prototype[Symbol.split] by searching for the next match. The
// interpreter's own tries a match at every character once exec is replaced.
func (p *patterns) regexpSplit(call goja.FunctionCall, _ rawFunc) goja.Value {
	rx, ok := call.This.(*goja.Object)
	if !ok {
		panic(p.rt.NewTypeError(
			"RegExp.prototype[Symbol.split] called on a value that is no object"))
	}
	s := p.realm.text(call.Argument(0))
	limit := maxItems + 1
	if l := call.Argument(1); !goja.IsUndefined(l) {
		limit = int(min(int64(limit), int64(uint32(l.ToInteger()))))
	}
	if limit == 0 {
		return p.rt.NewArray()
	}
	out, ok := p.linearSplit(rx, s, limit)
	if !ok {
		out = splitAt(p.spans(rx, s), s, limit)
	}
	if len(out) > maxItems {
		p.realm.throwRange(tooManyItems)
	}
	return p.arrayOf(goja.FunctionCall{Arguments: out[:min(limit, len(out))]})
}

// splitAt returns the parts of s between the matches that find finds, and their groups. If they are
// more than limit, it may return more.
func splitAt(find func(from int) (span, bool), s goja.String, limit int) (out []goja.Value) {
	size, last, q := s.Length(), 0, 0
	if size == 0 {
		if _, ok := find(0); ok {
			return nil
		}
	}
	for q < size && len(out) < limit {
		m, ok := find(q)
		if !ok || m.at >= size {
			break
		}
		if m.end == last {
			q++
			continue
		}
		out = append(append(out, s.Substring(last, m.at)), m.groups...)
		last, q = m.end, m.end
	}
	if len(out) < limit {
		out = append(out, s.Substring(last, size))
	}
	return out
}

func (p *patterns) regexpReplace(call goja.FunctionCall, orig rawFunc) goja.Value {
	s, with := p.realm.text(call.Argument(0)), call.Argument(1)
	if out, ok := p.linearReplace(call.This, s, with); ok {
		return out
	}
	fn := p.realm.function(with)
	if fn == nil {
		to := p.realm.text(with)
		if fn = p.expander(to); !strings.Contains(to.String(), "$") {
			fn = func(goja.FunctionCall) goja.Value { return to }
		}
	}
	return orig(goja.FunctionCall{This: p.steady(call.This),
		Arguments: []goja.Value{s, p.countReplacer(fn, s.Length())}})
}

// steady returns what a built-in that calls exec is called on. It would call any function that is
// named exec again and again, without an instruction in between if that is a built-in too.
func (p *patterns) steady(this goja.Value) goja.Value {
	rx, ok := this.(*goja.Object)
	if !ok || p.plain(rx) {
		return this
	}
	return p.rt.ToValue(p.rt.NewProxy(rx, &goja.ProxyTrapConfig{
		Get: func(rx *goja.Object, name string, _ goja.Value) goja.Value {
			p.meter.poll()
			val := p.property(rx, name)
			if name == "exec" {
				fn := p.realm.function(val)
				switch {
				case fn != nil:
				case rx.ClassName() == "RegExp":
					fn = p.exec
				default: // the interpreter would call it nevertheless
					panic(p.rt.NewTypeError("exec of the object is no function"))
				}
				return p.realm.native(name, func(call goja.FunctionCall) goja.Value {
					return fn(goja.FunctionCall{This: rx, Arguments: call.Arguments})
				})
			}
			return val
		},
		Set: func(rx *goja.Object, name string, val, _ goja.Value) bool {
			return rx.Set(name, val) == nil
		}}))
}

// plain reports whether rx is a regular expression whose exec is ours, and not the answer of a
// getter.
func (p *patterns) plain(rx *goja.Object) bool {
	if rx.ClassName() != "RegExp" || rx.Prototype() != p.proto {
		return false
	}
	own := func(obj *goja.Object) *goja.Object {
		found, _ := p.realm.describe(goja.FunctionCall{
			Arguments: []goja.Value{obj, p.execName}}).(*goja.Object)
		return found
	}
	inherited := own(p.proto)
	return own(rx) == nil && inherited != nil && inherited.Get("value") == p.execValue
}
