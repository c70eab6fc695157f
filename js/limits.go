// This file replaces built-in functions with guarded ones. An interrupt stops the interpreter only
// between its own instructions. A built-in that loops forever does so in Go; one that allocates too
// much memory or recurses too deep ends the process. So each guard first checks that the arguments
// are small enough for the built-in to return soon. The guards of texts, lists, buffers, proxies
// and patterns (regular expressions) are types of their own, in files of the same names.

package js

import (
	"fmt"
	"slices"
	"strings"

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
	meter     *meter        // that of realm
	args      arguments
	lists     lists
	buffers   buffers
	texts     texts
	proxies   proxies
	joiner    joiner
	checkCode func(*goja.FunctionCall) // checks source text before it is compiled
	keysOf    rawFunc                  // Object.keys, not guarded
	json      []byte                   // memory for a text that is written
}

// newGuards makes the guards of a realm. ask is the guard of functions that test for a property.
func newGuards(r *realm, ask guard) *guards {
	g := &guards{realm: r, rt: r.rt, meter: &r.meter}
	g.args = arguments{realm: r, meter: &r.meter, next: r.rt.ToValue("next")}
	g.lists = lists{realm: r, rt: r.rt, meter: &r.meter, args: &g.args,
		length: r.rt.ToValue("length"), comma: r.rt.ToValue(",").(goja.String)}
	g.buffers = buffers{realm: r, meter: &r.meter, args: &g.args, lists: &g.lists}
	g.texts = texts{realm: r, meter: &r.meter, args: &g.args}
	g.proxies = proxies{realm: r, rt: r.rt, args: &g.args, lists: &g.lists, ask: ask}
	g.joiner = joiner{realm: r, rt: r.rt}
	return g
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
	g.keysOf = raw(object.Get("keys"))
	g.proxies.guardPrototypes(object)
	g.lists.guardKeys(object)
	g.proxies.setReflect()
	g.guardNumbers()
	g.realm.wrap(get("Promise"), "resolve", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		g.meter.poll() // Promise.all and similar functions call it for each item
		return orig(call)
	})
	g.texts.guardText(get("String"))
	g.lists.guardArrays(get("Array"))
	g.buffers.setBuffers()
	g.realm.setLazy("JSON", func(name string) goja.Value {
		json := g.realm.builtins.Get(name).(*goja.Object)
		g.guardJSON(json)
		return json
	})
	g.guardCode(get("Function"))
	for _, name := range []string{"Map", "Set"} {
		g.realm.setLazy(name, func(name string) goja.Value {
			ctor := g.realm.builtins.Get(name).(*goja.Object)
			g.guardVisits(ctor)
			return ctor
		})
	}
}

// checkText throws if a text of n units is too long.
func (r *realm) checkText(n float64) {
	if n > maxText {
		r.throwRange(tooLong)
	}
}

// guardNumbers guards functions that convert texts to numbers: parseFloat takes seconds for
// millions of digits, and Math.max converts any number of them.
func (g *guards) guardNumbers() {
	// longest is far more digits than a number has: the digits after it do not change the number.
	const longest = 64 << 10
	guard := func(call goja.FunctionCall, orig rawFunc) goja.Value {
		s, ok := call.Argument(0).(goja.String)
		if ok && s.Length() <= longest {
			return orig(call)
		}
		s = g.realm.text(call.Argument(0))
		if s.Length() > longest {
			s = g.rt.ToValue(strings.TrimSpace(s.String())).(goja.String)
			s = s.Substring(0, min(s.Length(), longest))
		}
		return orig(goja.FunctionCall{This: call.This, Arguments: []goja.Value{s}})
	}
	largest := func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if len(call.Arguments) > fewCalls {
			call.Arguments = slices.Clone(call.Arguments)
			for i, a := range call.Arguments {
				if _, ok := a.(goja.String); ok {
					g.meter.poll()
					call.Arguments[i] = a.ToNumber()
				}
			}
		}
		return orig(call)
	}
	g.realm.setLazy("Math", func(name string) goja.Value {
		math := g.realm.builtins.Get(name).(*goja.Object)
		for _, name := range []string{"max", "min", "hypot"} {
			g.realm.wrap(math, name, largest)
		}
		return math
	})
	const name = "parseFloat"
	g.realm.wrap(g.rt.GlobalObject(), name, guard)
	_ = g.rt.Get("Number").(*goja.Object).DefineDataProperty(name, g.rt.Get(name), goja.FLAG_TRUE,
		goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// guardCode guards functions that compile text: the constructors of functions, and eval, which
// becomes indirect and sees only globals.
func (g *guards) guardCode(ctor *goja.Object) {
	check := func(call *goja.FunctionCall) {
		size := 0
		for i := range call.Arguments {
			src := g.args.text(call, i).String()
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
		g.args.pinArgument(&call, 1)
		return orig(call)
	})
	g.guardBind(proto)
	g.checkCode = check
}

// guardBind guards Function.prototype.bind for functions of the interpreter. Bound to an object
// whose conversion calls them again, they would recurse in Go, where nothing bounds the stack.
func (g *guards) guardBind(proto *goja.Object) {
	g.realm.wrap(proto, "bind", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if g.args.scripted(call.This) {
			return orig(call)
		}
		f, obj := raw(call.This), call.This
		if _, ok := goja.AssertConstructor(obj); ok || f == nil {
			return orig(call)
		}
		counted := g.realm.native("", func(c goja.FunctionCall) goja.Value {
			defer g.proxies.deeper()()
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

// guardJSON guards JSON.parse, which checks the text first, and replaces JSON.stringify.
func (g *guards) guardJSON(json *goja.Object) {
	g.realm.wrap(json, "parse", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		g.args.pollCallback(&call, 1, maxItems)
		s := g.args.text(&call, 0)
		g.realm.checkText(float64(s.Length()))
		if err := checkJSON(s.String()); err != nil {
			g.realm.throwRange(err.Error())
		}
		return orig(call)
	})
	g.realm.wrap(json, "stringify", g.stringify)
}
