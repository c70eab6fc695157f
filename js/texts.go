// This file guards the methods of strings, and other functions that make texts.

package js

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// texts are the guarded methods of strings, and the global functions that make texts.
type texts struct {
	realm *realm
	meter *meter // that of realm
	args  *arguments
}

func (t *texts) guardText(ctor *goja.Object) {
	proto := ctor.Get("prototype").(*goja.Object)
	text := func(of *goja.Object, name string, guard guard) {
		t.realm.wrap(of, name, t.meter.charged(guard))
	}
	text(proto, "repeat", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		n := float64(t.args.thisText(&call).Length())
		t.realm.checkText(n * max(0, numberArgument(&call, 0)))
		return orig(call)
	})
	for _, name := range []string{"padStart", "padEnd"} {
		text(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			t.args.thisText(&call)
			t.realm.checkText(numberArgument(&call, 0))
			return orig(call)
		})
	}
	text(proto, "concat", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		n := float64(t.args.thisText(&call).Length())
		for i := range call.Arguments {
			n += float64(t.args.text(&call, i).Length())
		}
		t.realm.checkText(n)
		return orig(call)
	})
	t.realm.wrap(proto, "split", t.textSplit)
	t.realm.wrapSymbol(proto, goja.SymIterator, "[Symbol.iterator]",
		func(call goja.FunctionCall, orig rawFunc) goja.Value {
			if t.args.thisText(&call).Length() > maxItems {
				t.realm.throwRange(fmt.Sprintf("the text has more than %d characters", maxItems))
			}
			return orig(call)
		})
	t.guardGrowing(proto)
	t.realm.wrap(proto, "lastIndexOf", t.lastIndexOf)
	t.realm.wrap(proto, "localeCompare", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		const most = 4 << 20 // characters, which take some 300 ms
		if t.args.thisText(&call).Length()+t.args.text(&call, 0).Length() > most {
			t.realm.throwRange("the texts are too long to be compared with each other")
		}
		return orig(call)
	})
	for _, name := range []string{"fromCharCode", "fromCodePoint"} {
		text(ctor, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			if len(call.Arguments) > maxArgs {
				t.realm.throwRange(tooManyArgs)
			}
			copied := false
			for i, a := range call.Arguments {
				if _, ok := a.(goja.String); ok {
					if t.meter.poll(); !copied {
						call.Arguments, copied = slices.Clone(call.Arguments), true
					}
					call.Arguments[i] = a.ToNumber()
				}
			}
			return orig(call)
		})
	}
	text(ctor, "raw", t.textRaw)
}

// lastIndexOf guards String.prototype.lastIndexOf, which compares a long text with each part of the
// other one if they are not ASCII.
func (t *texts) lastIndexOf(call goja.FunctionCall, orig rawFunc) goja.Value {
	s, what := t.args.thisText(&call), t.args.text(&call, 0)
	const most = 1 << 30 // comparisons, which take about a second
	if wide(s) && float64(s.Length())*float64(what.Length()) > most {
		t.realm.throwRange("the texts are too long to search for the one in the other")
	}
	return orig(call)
}

// textRaw implements String.raw for objects.
func (t *texts) textRaw(call goja.FunctionCall, orig rawFunc) goja.Value {
	obj, ok := call.Argument(0).(*goja.Object)
	if !ok {
		return orig(call)
	}
	parts := orUndefined(obj.Get("raw")).ToObject(t.realm.rt)
	n := lengthOf(parts)
	if n > maxItems {
		t.realm.throwRange(tooManyItems)
	}
	e := expansion{realm: t.realm}
	for i := range int(n) {
		if i%pollEvery == 0 {
			t.meter.poll()
		}
		text := t.realm.text(orUndefined(parts.Get(strconv.Itoa(i))))
		e.addText(text, 0, text.Length())
		if i+1 < len(call.Arguments) && i+1 < int(n) {
			text = t.realm.text(call.Argument(i + 1))
			e.addText(text, 0, text.Length())
		}
	}
	return e.b.String()
}

// textSplit guards String.prototype.split.
func (t *texts) textSplit(call goja.FunctionCall, orig rawFunc) goja.Value {
	if out, ok := t.args.delegate(&call, &t.args.split); ok {
		return out
	}
	s := t.args.thisText(&call)
	if goja.IsUndefined(call.Argument(0)) {
		return orig(call)
	}
	by, most := t.args.text(&call, 0), int64(math.MaxInt64)
	if !goja.IsUndefined(call.Argument(1)) {
		numberArgument(&call, 1)
		most = int64(uint32(call.Argument(1).ToInteger()))
	}
	if s.Length() > maxItems && most > maxItems && count(s, by) > maxItems {
		t.realm.throwRange(tooManyItems)
	}
	out := orig(call)
	if s.Length() > fewItems {
		// each item is a text of its own
		t.meter.take(2 * itemBytes * int(lengthOf(out.(*goja.Object))))
		t.meter.part(s)
	}
	return out
}

// growth is the largest factor by which a method can lengthen a string that is not ASCII. Source:
// Unicode Standard Annex 15, "Maximum Expansion Factors", and SpecialCasing.txt.
var growth = map[string]float64{"normalize": 18, "toUpperCase": 3, "toLocaleUpperCase": 3,
	"toLowerCase": 2, "toLocaleLowerCase": 2}

// guardGrowing guards the functions whose result may be longer than their string because they
// replace characters.
func (t *texts) guardGrowing(proto *goja.Object) {
	for name, times := range growth {
		t.realm.wrap(proto, name, t.meter.charged(func(call goja.FunctionCall,
			orig rawFunc) goja.Value {
			s := t.args.thisText(&call)
			if n := float64(s.Length()) * times; n > maxText && !ascii(s.String()) {
				t.realm.checkText(n)
			}
			return orig(call)
		}))
	}
	global := t.realm.rt.GlobalObject()
	for _, name := range []string{"encodeURI", "encodeURIComponent"} {
		t.realm.wrap(global, name, t.meter.charged(func(call goja.FunctionCall,
			orig rawFunc) goja.Value {
			const longest = 9 // "%E2%82%AC"
			s, ok := call.Argument(0).(goja.String)
			if ok && s.Length() <= maxText/longest {
				return orig(call)
			}
			if s = t.realm.text(call.Argument(0)); s.Length() > maxText/longest {
				t.realm.checkText(float64(escapedLength(s.String())))
			}
			return orig(goja.FunctionCall{This: call.This, Arguments: []goja.Value{s}})
		}))
	}
}

// unescaped are the characters that encodeURI does not escape, besides letters and digits. It
// leaves out those that only encodeURIComponent escapes, since its result is the longer one.
const unescaped = "-_.!~*'()"

// escapedLength returns the length of s with all other bytes escaped.
func escapedLength(s string) int {
	n := len(s)
	for i := range len(s) {
		c := s[i]
		if c >= 0x80 || !identifierByte(c) && strings.IndexByte(unescaped, c) < 0 {
			n += len("%20") - 1
		}
	}
	return n
}

// count returns how often sep is in s, or how many characters s has if sep is empty.
func count(s, sep goja.String) int {
	if sep.Length() == 0 {
		return s.Length()
	}
	return strings.Count(s.String(), sep.String())
}
