// This file replaces built-in functions with guarded ones. An interrupt stops the interpreter only
// between its own instructions. A built-in that loops forever does so in Go; one that allocates too
// much memory or recurses too deep ends the process. So each guard first checks that the arguments
// are small enough for the built-in to return soon. Guards of lists are in lists.go, those of
// regular expressions in patterns.go.

package js

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/value"
	"github.com/dop251/goja"
)

const (
	// maxText is the length of the longest string, in UTF-16 units, that one call of a built-in
	// makes: 16 Mi take some 10 ms.
	maxText = 16 << 20
	// maxItems is the length of the longest array that built-ins walk through: a million items take
	// some 100 ms.
	maxItems = 1_000_000
	// sortPolled is the length from which a sort checks for an interrupt at each comparison.
	sortPolled = 1000
	// maxArgs is how many arguments apply may spread. The limits of browsers are similar.
	maxArgs = 100_000
	// maxBuffer is the largest typed array, in bytes.
	maxBuffer = 64 << 20
	// maxFlat is how deep arrays may nest that are flattened or joined.
	maxFlat = 200
)

var (
	tooLong      = fmt.Sprintf("the text would be longer than %d characters", maxText)
	tooManyItems = fmt.Sprintf("the array has more than %d items", maxItems)
	tooBig       = fmt.Sprintf("the buffer would have more than %d bytes", maxBuffer)
	tooManyArgs  = fmt.Sprintf("more than %d arguments", maxArgs)
	tooDeep      = fmt.Sprintf("nested deeper than %d levels", maxFlat)
)

// guards are the guarded built-ins and their state.
type guards struct {
	realm     *realm
	rt        *goja.Runtime // that of realm
	patterns  *patterns
	plus      rawFunc                  // the operator + of two operands
	checkCode func(*goja.FunctionCall) // checks source text before it is compiled
	joining   []*goja.Object           // arrays that are being converted to strings
	taken     float64                  // bytes of buffers since the watchdog last checked the heap
	awaitLook func()                   // waits for the next check
	ask       guard                    // of functions that test for a property
	nested    int                      // depth of nested proxy operations
	// buffers are the guarded constructors of buffers; nil = none was needed
	buffers map[string]goja.Value
}

// rawFunc is a function of the interpreter that Go code calls from inside a call, without a new
// entry.
type rawFunc = func(goja.FunctionCall) goja.Value

// guard is a guarded built-in. It checks its arguments and calls orig.
type guard func(call goja.FunctionCall, orig rawFunc) goja.Value

// setGuards guards the built-ins. It must be called before any code of the script runs.
func (g *guards) setGuards() {
	get := func(name string) *goja.Object { return g.rt.Get(name).(*goja.Object) }
	object := get("Object")
	g.guardPrototypes(object)
	g.guardKeys(object)
	g.setReflect()
	g.guardNumbers()
	g.realm.wrap(get("Promise"), "resolve", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		g.realm.poll() // Promise.all and similar functions call it for each item
		return orig(call)
	})
	g.guardText(get("String"))
	g.guardArrays(get("Array"))
	g.setBuffers()
	g.realm.setLazy("JSON", func(name string) goja.Value {
		json := g.realm.builtins.Get(name).(*goja.Object)
		g.guardJSON(json)
		return json
	})
	g.guardCode(get("Function"))
}

// checkText throws if a text of n units is too long.
func (r *realm) checkText(n float64) {
	if n > maxText {
		r.throwRange(tooLong)
	}
}

func (g *guards) guardText(ctor *goja.Object) {
	proto := ctor.Get("prototype").(*goja.Object)
	g.realm.wrap(proto, "repeat", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		n := float64(thisText(g.realm, &call).Length())
		g.realm.checkText(n * max(0, numberArgument(g.realm, &call, 0)))
		return orig(call)
	})
	for _, name := range []string{"padStart", "padEnd"} {
		g.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			thisText(g.realm, &call)
			g.realm.checkText(numberArgument(g.realm, &call, 0))
			return orig(call)
		})
	}
	g.realm.wrap(proto, "concat", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		n := float64(thisText(g.realm, &call).Length())
		for i := range call.Arguments {
			n += float64(textArgument(g.realm, &call, i).Length())
		}
		g.realm.checkText(n)
		return orig(call)
	})
	for _, name := range []string{"replace", "replaceAll"} {
		g.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			return g.textReplace(name, call, orig)
		})
	}
	g.realm.wrap(proto, "split", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if !goja.IsUndefined(call.Argument(0)) && goja.IsUndefined(call.Argument(1)) &&
			!delegates(call, goja.SymSplit) {
			s, by := thisText(g.realm, &call), textArgument(g.realm, &call, 0)
			if s.Length() > maxItems && count(s, by) > maxItems {
				g.realm.throwRange(tooManyItems)
			}
		}
		return orig(call)
	})
	g.realm.wrapSymbol(proto, goja.SymIterator, "[Symbol.iterator]",
		func(call goja.FunctionCall, orig rawFunc) goja.Value {
			if thisText(g.realm, &call).Length() > maxItems {
				g.realm.throwRange(fmt.Sprintf("the text has more than %d characters", maxItems))
			}
			return orig(call)
		})
	g.guardGrowing(proto)
	for _, name := range []string{"fromCharCode", "fromCodePoint"} {
		g.realm.wrap(ctor, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			if len(call.Arguments) > maxArgs {
				g.realm.throwRange(tooManyArgs)
			}
			return orig(call)
		})
	}
	g.realm.wrap(ctor, "raw", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if obj, ok := call.Argument(0).(*goja.Object); ok {
			pinned := g.realm.rt.NewObject()
			parts := g.texts(g.pinned(obj.Get("raw"), maxItems, tooManyItems))
			_ = pinned.Set("raw", parts)
			call.Arguments = append([]goja.Value{pinned}, call.Arguments[1:]...)
			size := 0.0
			for i := range call.Arguments[1:] {
				size += float64(textArgument(g.realm, &call, 1+i).Length())
			}
			g.realm.checkText(size)
		}
		return orig(call)
	})
}

// growth is the largest factor by which a method can lengthen a string that is not ASCII. Source:
// Unicode Standard Annex 15, "Maximum Expansion Factors", and SpecialCasing.txt.
var growth = map[string]float64{"normalize": 18, "toUpperCase": 3, "toLocaleUpperCase": 3,
	"toLowerCase": 2, "toLocaleLowerCase": 2}

// guardGrowing guards the functions whose result may be longer than their string because they
// replace characters.
func (g *guards) guardGrowing(proto *goja.Object) {
	for name, times := range growth {
		g.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			s := thisText(g.realm, &call)
			if n := float64(s.Length()) * times; n > maxText && !ascii(s.String()) {
				g.realm.checkText(n)
			}
			return orig(call)
		})
	}
	global := g.rt.GlobalObject()
	for _, name := range []string{"encodeURI", "encodeURIComponent"} {
		g.realm.wrap(global, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			s := g.realm.text(call.Argument(0))
			const longest = 9 // "%E2%82%AC"
			if s.Length() > maxText/longest {
				g.realm.checkText(float64(escapedLength(s.String())))
			}
			return orig(goja.FunctionCall{This: call.This, Arguments: []goja.Value{s}})
		})
	}
}

// guardNumbers guards parseFloat, which takes seconds for millions of digits.
func (g *guards) guardNumbers() {
	// longest is far more digits than a number has: the digits after it do not change the number.
	const longest = 64 << 10
	guard := func(call goja.FunctionCall, orig rawFunc) goja.Value {
		s := g.realm.text(call.Argument(0))
		if s.Length() > longest {
			s = g.rt.ToValue(strings.TrimSpace(s.String())).(goja.String)
			s = s.Substring(0, min(s.Length(), longest))
		}
		return orig(goja.FunctionCall{This: call.This, Arguments: []goja.Value{s}})
	}
	const name = "parseFloat"
	g.realm.wrap(g.rt.GlobalObject(), name, guard)
	_ = g.rt.Get("Number").(*goja.Object).DefineDataProperty(name, g.rt.Get(name), goja.FLAG_TRUE,
		goja.FLAG_TRUE, goja.FLAG_FALSE)
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

// quotedLength returns the length of a string in JSON, at most. It scans only long strings.
func quotedLength(s goja.String) int {
	const longest = len(`\u0000`)
	if s.Length() <= maxText/longest {
		return s.Length()
	}
	n, text := s.Length(), s.String()
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			n += longest - 1
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

// textReplace guards String.prototype.replace and replaceAll for strings. Patterns go to
// regexpReplace.
func (g *guards) textReplace(name string, call goja.FunctionCall, orig rawFunc) goja.Value {
	if delegates(call, goja.SymReplace) {
		return orig(call)
	}
	s := thisText(g.realm, &call)
	what := textArgument(g.realm, &call, 0)
	if fn := raw(call.Argument(1)); fn != nil {
		return orig(goja.FunctionCall{This: call.This,
			Arguments: []goja.Value{what, g.patterns.countReplacer(fn, s.Length())}})
	}
	b := replacement(textArgument(g.realm, &call, 1), s.Length())
	b.cost += strings.Count(call.Argument(1).String(), "$&") * what.Length()
	times := 1
	if name == "replaceAll" && b.cost*(s.Length()+1) > b.left {
		times = count(s, what) + 1
	}
	g.realm.checkText(float64(b.cost)*float64(times) + float64(s.Length()))
	return orig(call)
}

// guardCode guards functions that compile text: the constructors of functions, and eval, which
// becomes indirect and sees only globals.
func (g *guards) guardCode(ctor *goja.Object) {
	check := func(call *goja.FunctionCall) {
		size := 0
		for i := range call.Arguments {
			src := textArgument(g.realm, call, i).String()
			size += len(src)
			if err := checkTokens([]byte(src)); err != nil {
				g.realm.throwRange(strings.TrimPrefix(err.Error(), "RangeError: "))
			}
		}
		if size > maxSource {
			g.realm.throwRange(fmt.Sprintf("the source has %d bytes, more than %d", size,
				maxSource))
		}
	}
	global := g.rt.GlobalObject()
	g.realm.wrap(global, "eval", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if goja.IsString(call.Argument(0)) {
			check(&call)
		}
		return orig(call)
	})
	proto := ctor.Get("prototype").(*goja.Object)
	g.realm.guardGlobal("Function", ctor, check)
	g.realm.wrap(proto, "apply", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		setArgument(&call, 1, g.pinned(call.Argument(1), maxArgs, tooManyArgs))
		return orig(call)
	})
	g.guardBind(proto)
	g.checkCode = check
}

// guardBind guards Function.prototype.bind for functions of the interpreter. Bound to an object
// whose conversion calls them again, they would recurse in Go, where nothing bounds the stack.
func (g *guards) guardBind(proto *goja.Object) {
	source := raw(proto.Get("toString"))
	g.realm.wrap(proto, "bind", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		f, obj := raw(call.This), call.This
		if _, ok := goja.AssertConstructor(obj); ok || f == nil ||
			!strings.HasSuffix(source(goja.FunctionCall{This: obj}).String(), "[native code] }") {
			return orig(call)
		}
		counted := g.realm.native("", func(c goja.FunctionCall) goja.Value {
			defer g.deeper()()
			return f(c)
		})
		for _, name := range []string{"name", "length"} {
			if val := obj.(*goja.Object).Get(name); val != nil {
				_ = counted.DefineDataProperty(name, val, goja.FLAG_FALSE, goja.FLAG_TRUE,
					goja.FLAG_FALSE)
			}
		}
		call.This = counted
		return orig(call)
	})
}

// guardJSON guards JSON.parse, which checks the text first, and JSON.stringify, which checks each
// value.
func (g *guards) guardJSON(json *goja.Object) {
	g.realm.wrap(json, "parse", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		s := textArgument(g.realm, &call, 0)
		g.realm.checkText(float64(s.Length()))
		if err := checkJSON(s.String()); err != nil {
			g.realm.throwRange(err.Error())
		}
		return orig(call)
	})
	g.realm.wrap(json, "stringify", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		obj, ok := call.Argument(0).(*goja.Object)
		if s, text := call.Argument(0).(goja.String); text {
			g.realm.checkText(float64(quotedLength(s)))
		}
		if !ok {
			return orig(call)
		}
		w := &stringifying{guards: g, replacer: raw(call.Argument(1)),
			indent: indent(call.Argument(2))}
		if list, ok := call.Argument(1).(*goja.Object); ok && w.replacer == nil {
			w.keys = map[string]bool{}
			for i, n := int64(0), min(lengthOf(list), maxItems); i < n; i++ {
				w.keys[list.Get(g.rt.ToValue(i).String()).String()] = true
			}
		}
		return orig(goja.FunctionCall{This: call.This,
			Arguments: []goja.Value{obj, g.rt.ToValue(w.see), call.Argument(2)}})
	})
}

// indent returns by how many characters the third argument of JSON.stringify indents each level.
func indent(space goja.Value) int {
	const most = 10 // as in the language
	switch s := space.(type) {
	case goja.String:
		return min(s.Length(), most)
	case *goja.Object: // a Number or a String object
		return most
	}
	if !goja.IsNumber(space) {
		return 0
	}
	return int(min(max(0, space.ToInteger()), most))
}

// stringifying is one call of JSON.stringify. As its replacer it sees every value before it is
// written.
type stringifying struct {
	guards   *guards
	replacer rawFunc
	keys     map[string]bool // if the replacer is a list
	nodes    int
	size     int
	indent   int            // of each level, in characters
	holders  []*goja.Object // from the root to the current value
}

func (w *stringifying) see(call goja.FunctionCall) goja.Value {
	val := call.Argument(1)
	holder, _ := call.This.(*goja.Object)
	for len(w.holders) > 0 && w.holders[len(w.holders)-1] != holder {
		w.holders = w.holders[:len(w.holders)-1]
	}
	if len(w.holders) == 0 {
		w.holders = append(w.holders, holder)
	}
	if w.replacer != nil {
		if val = w.replacer(call); val == nil {
			val = goja.Undefined()
		}
	} else if w.keys != nil && len(w.holders) > 1 && holder.ClassName() != "Array" &&
		!w.keys[call.Argument(0).String()] {
		return goja.Undefined()
	}
	w.nodes++
	w.size += 8 + w.indent*len(w.holders)
	if s, ok := val.(goja.String); ok {
		w.size += quotedLength(s)
	}
	if obj, ok := val.(*goja.Object); ok {
		w.guards.checkKeys(obj)
		w.holders = append(w.holders, obj)
	}
	switch {
	case w.size > maxText || w.nodes > value.MaxValues:
		w.guards.realm.throwRange("the JSON would be too large")
	case len(w.holders) > maxJSONNesting:
		w.guards.realm.throwRange(fmt.Sprintf("JSON nests deeper than %d levels", maxJSONNesting))
	case w.nodes%pollEvery == 0:
		w.guards.realm.poll()
	}
	return val
}
