// This file guards String.prototype.replace and replaceAll, and expands replacement texts. A short
// text with many matches, or a replacement with many $&, makes a result of any size in one call of
// a built-in.

package js

import (
	"strings"

	"github.com/dop251/goja"
)

// guardReplace guards the methods of strings that replace.
func (p *patterns) guardReplace(proto *goja.Object) {
	for _, name := range []string{"replace", "replaceAll"} {
		replace := func(call goja.FunctionCall, orig rawFunc) goja.Value {
			all := name == "replaceAll"
			if all {
				p.wantGlobal(&call, name)
			}
			if out, ok := p.args.delegate(&call, goja.SymReplace); ok {
				return out
			}
			return p.textReplace(call, orig, all)
		}
		p.realm.wrap(proto, name, p.meter.charged(replace))
	}
}

// wantGlobal throws if the first argument is a regular expression without the flag g.
func (p *patterns) wantGlobal(call *goja.FunctionCall, name string) {
	rx, ok := call.Argument(0).(*goja.Object)
	if !ok || !p.isRegexp(rx) {
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
	with := call.Argument(1)
	if fn := p.realm.function(with); fn != nil {
		with = p.countReplacer(fn, s.Length())
	} else {
		to := p.realm.text(with)
		with = to
		if strings.Contains(to.String(), "$") {
			with = p.countReplacer(p.expander(to), s.Length())
		} else if size := float64(s.Length()+1) * float64(to.Length()+1); size > maxText {
			times := 1
			if all {
				times = count(s, what) + 1
			}
			p.realm.checkText(float64(to.Length())*float64(times) + float64(s.Length()))
		}
	}
	return orig(goja.FunctionCall{This: s, Arguments: []goja.Value{what, with}})
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
func (p *patterns) expander(template goja.String) rawFunc {
	return func(call goja.FunctionCall) goja.Value {
		args := call.Arguments // the match, its groups, its position, the text, and named groups
		named, _ := args[len(args)-1].(*goja.Object)
		if named != nil {
			args = args[:len(args)-1]
		}
		n := len(args) - 2
		at := int(args[n].ToInteger())
		m := match{s: args[n+1].(goja.String), at: at, end: at + args[0].(goja.String).Length(),
			groups: n - 1, named: named, group: func(i int) goja.Value { return args[i] }}
		return p.expand(template, m)
	}
}

// match is a match whose replacement is expanded.
type match struct {
	s       goja.String
	at, end int
	groups  int
	group   func(i int) goja.Value // from 1
	named   *goja.Object           // nil if the pattern has no named groups
}

// expansion is the text that a template expands to.
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

// expand expands the $ of a replacement template like GetSubstitution in the language standard.
func (p *patterns) expand(template goja.String, m match) goja.String {
	e, last, n := expansion{realm: p.realm}, 0, template.Length()
	for i := 0; i+1 < n; i++ {
		if template.CharAt(i) != '$' {
			continue
		}
		e.addText(template, last, i)
		used := 2
		switch c := template.CharAt(i + 1); c {
		case '$':
			e.addText(template, i, i+1)
		case '&':
			e.addText(m.s, m.at, m.end)
		case '`':
			e.addText(m.s, 0, m.at)
		case '\'':
			e.addText(m.s, m.end, m.s.Length())
		case '<':
			used = p.expandName(&e, template.Substring(i, n), m)
		default:
			var group int
			group, used = groupNumber(template.Substring(i+1, min(i+3, n)).String(), m.groups)
			if used++; group > 0 {
				e.addValue(m.group(group))
			} else {
				e.addText(template, i, i+1)
			}
		}
		last = i + used
		i = last - 1
	}
	e.addText(template, last, n)
	return e.b.String()
}

// expandName expands $<name> at the start of template, and returns its length.
func (p *patterns) expandName(e *expansion, template goja.String, m match) (used int) {
	if m.named != nil {
		for i := 2; i < template.Length(); i++ {
			if template.CharAt(i) == '>' {
				e.addValue(m.named.Get(template.Substring(2, i).String()))
				return i + 1
			}
		}
	}
	e.addText(template, 0, 1)
	return 1
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
