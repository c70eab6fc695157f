// This file replaces built-ins by guarded ones. An interrupt stops the interpreter between its own
// instructions only: a built-in that loops for ever does so in Go, one that asks for too much
// memory or recurses too deep ends the process. So each checks, before it starts, that what it is
// asked for is of a size that ends soon. Arrays are in arrays.go, regular expressions in regexp.go.

package js

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja"
)

const (
	// maxText is the longest text, in UTF-16 units, that one call of a built-in makes: 16 Mi take
	// some 10 ms.
	maxText = 16 << 20
	// maxItems is the longest array that built-ins walk through: a million take some 100 ms.
	maxItems = 1_000_000
	// sortPolled is from which length on sorting looks for an interrupt at each comparison.
	sortPolled = 1000
	// maxArgs is how many arguments apply may spread: browsers draw the line near it.
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
	tooDeep      = fmt.Sprintf("nested deeper than %d levels", maxFlat)
)

// guards are originals of built-ins, and the state of guards.
type guards struct {
	promise     goja.Value
	newError    rawFunc
	rangeError  rawFunc
	syntaxError rawFunc
	newRegexp   rawFunc
	exec        rawFunc // guarded
	execValue   goja.Value
	// by flags and source; nil = the pattern has no translation
	linear      map[string]*regexp.Regexp
	instanceOf  rawFunc // Function.prototype[Symbol.hasInstance]
	replacing   *replacing
	regexpProto *goja.Object
	joining     []*goja.Object // arrays whose text is being made
	checkCode   func([]goja.Value)
	plus        rawFunc // of two operands
}

// rawFunc is a function of the interpreter as Go code calls it from inside a call: without a new
// entry.
type rawFunc = func(goja.FunctionCall) goja.Value

// text is val as a string, as the language makes one; it may run code of the script.
func (v *VM) text(val goja.Value) goja.String {
	switch x := val.(type) {
	case goja.String:
		return x
	case *goja.Symbol:
		panic(v.rt.NewTypeError("cannot make a string of a symbol"))
	}
	return v.rt.ToValue(val.String()).(goja.String)
}

// raw returns the function behind val, nil if it is none.
func raw(val goja.Value) rawFunc {
	obj, ok := val.(*goja.Object)
	if !ok {
		return nil
	}
	if _, ok := goja.AssertFunction(obj); !ok {
		return nil
	}
	f, _ := obj.Export().(rawFunc)
	return f
}

// guard is a guarded built-in: it checks, and calls orig.
type guard func(call goja.FunctionCall, orig rawFunc) goja.Value

// wrap replaces the method name of obj.
func (v *VM) wrap(obj *goja.Object, name string, g guard) {
	orig := raw(obj.Get(name))
	if orig == nil {
		return
	}
	f := v.native(name, func(call goja.FunctionCall) goja.Value { return g(call, orig) })
	_ = obj.DefineDataProperty(name, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// wrapSymbol replaces the method of obj under a symbol.
func (v *VM) wrapSymbol(obj *goja.Object, sym *goja.Symbol, name string, g guard) {
	orig := raw(obj.GetSymbol(sym))
	if orig == nil {
		return
	}
	f := v.native(name, func(call goja.FunctionCall) goja.Value { return g(call, orig) })
	_ = obj.DefineDataPropertySymbol(sym, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// guardConstructor replaces the global constructor name by one that checks its arguments first, and
// returns it: a proxy, so that instanceof, subclasses and static methods work as before.
func (v *VM) guardConstructor(name string, ctor *goja.Object,
	check func(args []goja.Value)) goja.Value {
	call, construct := raw(ctor), goja.Constructor(nil)
	if c, ok := goja.AssertConstructor(ctor); ok {
		construct = c
	}
	p := v.rt.NewProxy(ctor, &goja.ProxyTrapConfig{
		Apply: func(_ *goja.Object, this goja.Value, args []goja.Value) goja.Value {
			check(args)
			return call(goja.FunctionCall{This: this, Arguments: args})
		},
		Construct: func(_ *goja.Object, args []goja.Value, newTarget *goja.Object) *goja.Object {
			check(args)
			out, err := construct(newTarget, args...)
			if err != nil {
				panic(err)
			}
			return out
		},
	})
	val := v.rt.ToValue(p)
	// The interpreter's instanceof does not know proxies.
	_ = ctor.DefineDataPropertySymbol(goja.SymHasInstance,
		v.native("[Symbol.hasInstance]", func(call goja.FunctionCall) goja.Value {
			this := call.This
			if this.SameAs(val) {
				this = ctor
			}
			return v.guards.instanceOf(goja.FunctionCall{This: this, Arguments: call.Arguments})
		}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	if name != "" {
		v.global(name, val)
	}
	return val
}

// setLimits guards the built-ins. Before it, nothing of the script runs.
func (v *VM) setLimits() {
	get := func(name string) *goja.Object { return v.rt.Get(name).(*goja.Object) }
	v.guards.promise = get("Promise")
	v.guards.newError = raw(get("Error"))
	v.guards.rangeError = raw(get("RangeError"))
	v.guards.syntaxError = raw(get("SyntaxError"))
	v.guards.instanceOf =
		raw(get("Function").Get("prototype").(*goja.Object).GetSymbol(goja.SymHasInstance))
	v.guardText(get("String"))
	v.guardRegexp(get("RegExp"))
	v.guardArrays(get("Array"))
	v.guardBuffers()
	v.guardJSON(get("JSON"))
	v.guardCode(get("Function"))
	v.askOnly()
}

// askOnly lets the functions that tell of one property ask a view for a key that it cannot have, as
// `in` and hasOwnProperty do: only to read it is an error.
func (v *VM) askOnly() {
	ask := func(call goja.FunctionCall, orig rawFunc) goja.Value {
		v.asking++
		defer func() { v.asking-- }()
		return orig(call)
	}
	object := v.rt.Get("Object").(*goja.Object)
	v.wrap(object, "getOwnPropertyDescriptor", ask)
	v.wrap(object.Get("prototype").(*goja.Object), "propertyIsEnumerable", ask)
	v.wrap(v.rt.Get("Reflect").(*goja.Object), "getOwnPropertyDescriptor", ask)
}

// checkText throws if a text of n units is too long.
func (v *VM) checkText(n float64) {
	if n > maxText {
		v.throwRange(tooLong)
	}
}

func (v *VM) guardText(ctor *goja.Object) {
	proto := ctor.Get("prototype").(*goja.Object)
	self := func(call goja.FunctionCall) goja.String {
		if goja.IsUndefined(call.This) || goja.IsNull(call.This) {
			panic(v.rt.NewTypeError("called on null or undefined"))
		}
		return v.text(call.This)
	}
	v.wrap(proto, "repeat", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		v.checkText(float64(self(call).Length()) * max(0, call.Argument(0).ToFloat()))
		return orig(call)
	})
	for _, name := range []string{"padStart", "padEnd"} {
		v.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			v.checkText(call.Argument(0).ToFloat())
			return orig(call)
		})
	}
	v.wrap(proto, "concat", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		n := float64(self(call).Length())
		for _, a := range call.Arguments {
			n += float64(v.text(a).Length())
		}
		v.checkText(n)
		return orig(call)
	})
	for _, name := range []string{"replace", "replaceAll"} {
		v.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			return v.textReplace(name, self(call), call, orig)
		})
	}
	v.wrap(proto, "split", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if _, ok := call.Argument(0).(*goja.Object); !ok && !goja.IsUndefined(call.Argument(0)) &&
			goja.IsUndefined(call.Argument(1)) {
			if s := self(call); s.Length() > maxItems &&
				count(s, v.text(call.Argument(0))) > maxItems {
				v.throwRange(tooManyItems)
			}
		}
		return orig(call)
	})
	v.wrapSymbol(proto, goja.SymIterator, "[Symbol.iterator]",
		func(call goja.FunctionCall, orig rawFunc) goja.Value {
			if self(call).Length() > maxItems {
				v.throwRange(fmt.Sprintf("the text has more than %d characters", maxItems))
			}
			return orig(call)
		})
	v.guardGrowing(proto, self)
	v.wrap(ctor, "raw", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if obj, ok := call.Argument(0).(*goja.Object); ok {
			v.checkItems(obj.Get("raw"))
		}
		return orig(call)
	})
}

// growth is how many times longer a method can make a text that is not ASCII, at most. Source:
// Unicode Standard Annex 15, "Maximum Expansion Factors", and SpecialCasing.txt.
var growth = map[string]float64{"normalize": 18, "toUpperCase": 3, "toLocaleUpperCase": 3,
	"toLowerCase": 2, "toLocaleLowerCase": 2}

// guardGrowing guards the methods and functions that make a text longer by its letters.
func (v *VM) guardGrowing(proto *goja.Object, self func(goja.FunctionCall) goja.String) {
	for name, times := range growth {
		v.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			s := self(call)
			if n := float64(s.Length()) * times; n > maxText && !ascii(s.String()) {
				v.checkText(n)
			}
			return orig(call)
		})
	}
	for _, name := range []string{"encodeURI", "encodeURIComponent"} {
		v.wrap(v.rt.GlobalObject(), name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			s := v.text(call.Argument(0))
			const longest = 9 // "%E2%82%AC"
			if s.Length() > maxText/longest {
				v.checkText(float64(escapedLength(s.String())))
			}
			return orig(goja.FunctionCall{This: call.This, Arguments: []goja.Value{s}})
		})
	}
}

// unescaped are the signs that encodeURI leaves alone, besides letters and digits. Those that only
// encodeURIComponent escapes are not among them: its result counts.
const unescaped = "-_.!~*'()"

// escapedLength is how long a text is in which all other bytes are escaped.
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

// quotedLength is how long a text is in JSON, at most; only a long one is looked through.
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

// count is how often sep is in s, or how many characters s has if sep is empty.
func count(s, sep goja.String) int {
	if sep.Length() == 0 {
		return s.Length()
	}
	return strings.Count(s.String(), sep.String())
}

// textReplace guards String.prototype.replace and replaceAll for texts; patterns come to
// regexpReplace.
func (v *VM) textReplace(name string, s goja.String, call goja.FunctionCall,
	orig rawFunc) goja.Value {
	if _, ok := call.Argument(0).(*goja.Object); ok {
		return orig(call)
	}
	what := v.text(call.Argument(0))
	if fn := raw(call.Argument(1)); fn != nil {
		return orig(goja.FunctionCall{This: call.This,
			Arguments: []goja.Value{what, v.countReplacer(fn, s.Length())}})
	}
	b := replacement(v.text(call.Argument(1)), s.Length())
	times := 1
	if name == "replaceAll" && b.cost*(s.Length()+1) > b.left {
		times = count(s, what) + 1
	}
	v.checkText(float64(b.cost)*float64(times) + float64(s.Length()))
	return orig(call)
}

// guardCode guards what compiles text: eval (which becomes the indirect one: it sees globals only)
// and the constructors of functions.
func (v *VM) guardCode(ctor *goja.Object) {
	check := func(args []goja.Value) {
		size := 0
		for _, a := range args {
			src := v.text(a).String()
			size += len(src)
			if err := checkSource([]byte(src)); err != nil {
				v.throwRange(strings.TrimPrefix(err.Error(), "RangeError: "))
			}
		}
		if size > maxSource {
			v.throwRange(fmt.Sprintf("the source has %d bytes, more than %d", size, maxSource))
		}
	}
	v.wrap(v.rt.GlobalObject(), "eval", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if goja.IsString(call.Argument(0)) {
			check(call.Arguments[:1])
		}
		return orig(call)
	})
	proto := ctor.Get("prototype").(*goja.Object)
	v.setConstructor(proto, v.guardConstructor("Function", ctor, check))
	v.wrap(proto, "apply", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		v.checkArgs(call.Argument(1))
		return orig(call)
	})
	reflect := v.rt.Get("Reflect").(*goja.Object)
	for i, name := range []string{"construct", "apply"} {
		v.wrap(reflect, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			v.checkArgs(call.Argument(1 + i))
			return orig(call)
		})
	}
	v.guards.checkCode = check
}

// checkArgs throws if val is too long a list of arguments.
func (v *VM) checkArgs(val goja.Value) {
	if obj, ok := val.(*goja.Object); ok && lengthOf(obj) > maxArgs {
		v.throwRange(fmt.Sprintf("more than %d arguments", maxArgs))
	}
}

// guardJSON guards parse by looking through the text, stringify by looking on.
func (v *VM) guardJSON(json *goja.Object) {
	v.wrap(json, "parse", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		s := v.text(call.Argument(0))
		v.checkText(float64(s.Length()))
		if err := checkJSON(s.String()); err != nil {
			v.throwRange(err.Error())
		}
		return orig(call)
	})
	v.wrap(json, "stringify", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		obj, ok := call.Argument(0).(*goja.Object)
		if s, text := call.Argument(0).(goja.String); text {
			v.checkText(float64(quotedLength(s)))
		}
		if !ok {
			return orig(call)
		}
		w := &stringifying{v: v, replacer: raw(call.Argument(1)), indent: indent(call.Argument(2))}
		if list, ok := call.Argument(1).(*goja.Object); ok && w.replacer == nil {
			w.keys = map[string]bool{}
			for i, n := int64(0), min(lengthOf(list), maxItems); i < n; i++ {
				w.keys[list.Get(v.rt.ToValue(i).String()).String()] = true
			}
		}
		return orig(goja.FunctionCall{This: call.This,
			Arguments: []goja.Value{obj, v.rt.ToValue(w.see), call.Argument(2)}})
	})
}

// indent is how far the third argument of JSON.stringify moves each level in.
func indent(space goja.Value) int {
	const most = 10 // as the language has it
	switch s := space.(type) {
	case goja.String:
		return min(s.Length(), most)
	case *goja.Object: // of a number or a text
		return most
	}
	if !goja.IsNumber(space) {
		return 0
	}
	return int(min(max(0, space.ToInteger()), most))
}

// stringifying is one JSON.stringify: as its replacer it sees every value before it is written.
type stringifying struct {
	v        *VM
	replacer rawFunc
	keys     map[string]bool // if the replacer is a list
	nodes    int
	size     int
	indent   int            // of each level, in characters
	holders  []*goja.Object // from the root to the value at hand
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
		if obj.ClassName() == "Array" {
			w.v.checkItems(obj)
		}
		w.holders = append(w.holders, obj)
	}
	switch {
	case w.size > maxText || w.nodes > maxNodes:
		w.v.throwRange("the JSON would be too large")
	case len(w.holders) > maxJSONNesting:
		w.v.throwRange(fmt.Sprintf("JSON nests deeper than %d levels", maxJSONNesting))
	case w.nodes%1024 == 0:
		w.v.poll()
	}
	return val
}
