// This file guards ArrayBuffer and the typed arrays, which allocate all their memory at once.

package js

import (
	"reflect"

	"github.com/dop251/goja"
)

// typedArrays lists the constructors and the size of an item in bytes.
var typedArrays = []struct {
	name string
	size float64
}{
	{"Int8Array", 1}, {"Uint8Array", 1}, {"Uint8ClampedArray", 1}, {"Int16Array", 2},
	{"Uint16Array", 2},
	{"Int32Array", 4}, {"Uint32Array", 4}, {"Float32Array", 4}, {"Float64Array", 8},
}

func (g *guards) checkBuffer(bytes float64) {
	if bytes > maxBuffer {
		g.realm.throwRange(tooBig)
	}
	if bytes > 0 { // not NaN
		g.realm.take(int(bytes))
	}
}

// setBuffers sets the globals ArrayBuffer and those of the typed arrays. They are guarded when the
// script reads one, or when our functions make a buffer, since few scripts do, and the guards take
// 50 KB.
func (g *guards) setBuffers() {
	makeValue := func(name string) goja.Value {
		g.guardBuffers()
		return g.buffers[name]
	}
	g.realm.setLazy("ArrayBuffer", makeValue)
	for _, t := range typedArrays {
		g.realm.setLazy(t.name, makeValue)
	}
}

// guardBuffers guards ArrayBuffer and the typed arrays, once.
func (g *guards) guardBuffers() {
	if g.buffers != nil {
		return
	}
	g.buffers = map[string]goja.Value{}
	guard := func(name string, ctor *goja.Object, check func(*goja.FunctionCall)) {
		g.buffers[name] = g.realm.guardConstructor(ctor, check)
		g.realm.setConstructor(ctor.Get("prototype").(*goja.Object), g.buffers[name])
	}
	buffer := g.realm.builtins.Get("ArrayBuffer").(*goja.Object)
	proto := buffer.Get("prototype").(*goja.Object)
	g.realm.wrap(proto, "slice", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		out := orig(call)
		if made, ok := out.Export().(goja.ArrayBuffer); ok {
			g.realm.take(len(made.Bytes()))
		}
		return out
	})
	g.realm.wrap(proto, "resize", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		g.checkBuffer(numberArgument(g.realm, &call, 0))
		return orig(call)
	})
	guard("ArrayBuffer", buffer, func(call *goja.FunctionCall) {
		g.checkBuffer(numberArgument(g.realm, call, 0))
		if o, ok := call.Argument(1).(*goja.Object); ok {
			pinned := g.realm.rt.NewObject()
			if n := o.Get("maxByteLength"); n != nil && !goja.IsUndefined(n) {
				n = n.ToNumber()
				g.checkBuffer(n.ToFloat())
				_ = pinned.Set("maxByteLength", n)
			}
			setArgument(call, 1, pinned)
		}
	})
	for i, t := range typedArrays {
		ctor := g.realm.builtins.Get(t.name).(*goja.Object)
		if i == 0 {
			g.guardTyped(ctor.Prototype())
		}
		guard(t.name, ctor, func(call *goja.FunctionCall) {
			n := call.Argument(0)
			if obj, ok := n.(*goja.Object); ok {
				if n = obj.Get("length"); n == nil { // a buffer
					return
				}
				if obj.ExportType().Kind() != reflect.Slice {
					obj = g.pinnedList(obj, int(maxBuffer/t.size), tooBig)
					setArgument(call, 0, obj)
					n = g.realm.rt.ToValue(lengthOf(obj))
				}
				setArgument(call, 0, g.numbers(obj))
			}
			g.checkBuffer(n.ToFloat() * t.size)
		})
	}
}

// typedLoops are the methods of typed arrays that call a function for each item.
var typedLoops = []string{"every", "filter", "find", "findIndex", "findLast", "findLastIndex",
	"forEach", "map", "reduce", "reduceRight", "some"}

// guardTyped guards the functions that all typed arrays share.
func (g *guards) guardTyped(ctor *goja.Object) {
	proto := ctor.Get("prototype").(*goja.Object)
	g.typedLength = g.own(proto, g.length).Get("get")
	// an array may have a property of its own with that name
	length := raw(g.typedLength)
	size := raw(g.own(proto, g.rt.ToValue("byteLength")).Get("get"))
	count := func(call goja.FunctionCall) int {
		return int(length(goja.FunctionCall{This: call.This}).ToInteger())
	}
	g.realm.wrap(ctor, "from", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if obj, ok := call.Argument(0).(*goja.Object); ok {
			if obj.ExportType().Kind() != reflect.Slice {
				obj = g.pinnedList(obj, maxBuffer/8, tooBig)
				setArgument(&call, 0, obj)
			}
			g.checkBuffer(float64(lengthOf(obj)) * 8)
			setArgument(&call, 0, g.numbers(obj))
		}
		return orig(call)
	})
	walk := func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if count(call) > maxItems {
			g.realm.throwRange(tooManyItems)
		}
		return orig(call)
	}
	for _, name := range []string{"toLocaleString", "values", "keys", "entries"} {
		g.realm.wrap(proto, name, walk)
	}
	g.realm.wrapSymbol(proto, goja.SymIterator, "values", walk)
	for _, name := range []string{"sort", "toSorted"} {
		g.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			g.pollCallback(&call, 0, count(call))
			return walk(call, orig)
		})
	}
	g.guardTypedLoops(proto, count)
	for _, name := range []string{"slice", "toReversed", "with"} {
		g.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			out := orig(call)
			g.realm.take(int(size(goja.FunctionCall{This: out}).ToInteger()))
			return out
		})
	}
	g.poll(proto, "copyWithin", "fill", "includes", "indexOf", "lastIndexOf", "reverse", "subarray")
	g.realm.wrap(proto, "set", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if obj, ok := call.Argument(0).(*goja.Object); ok &&
			(obj.ExportType() == arrayType || obj.ExportType().Kind() != reflect.Slice) {
			list := g.pinned(obj, maxItems, tooManyItems).(*goja.Object)
			setArgument(&call, 0, g.numbers(list))
		}
		return orig(call)
	})
	g.guardTypedJoin(proto, count)
}

// guardTypedLoops guards the methods of typed arrays that call a function; count counts the items.
func (g *guards) guardTypedLoops(proto *goja.Object, count func(goja.FunctionCall) int) {
	for _, name := range typedLoops {
		g.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			g.pollCallback(&call, 0, count(call))
			return orig(call)
		})
	}
}

func (g *guards) guardTypedJoin(proto *goja.Object, count func(goja.FunctionCall) int) {
	g.realm.wrap(proto, "join", g.realm.charged(func(call goja.FunctionCall,
		orig rawFunc) goja.Value {
		n := count(call)
		if n > maxItems {
			g.realm.throwRange(tooManyItems)
		}
		const longest = 25 // digits and sign of a number
		if !goja.IsUndefined(call.Argument(0)) {
			separator := textArgument(g.realm, &call, 0).Length()
			g.realm.checkText(float64(n) * float64(separator+longest))
		}
		return orig(call)
	}))
}

// numbers returns list, or a copy with numbers if it is an array of long texts, which take long to
// convert.
func (g *guards) numbers(list *goja.Object) goja.Value {
	if list.ExportType() != arrayType {
		return list
	}
	n := int(lengthOf(list))
	if g.short(list, n) {
		return list
	}
	out := make([]any, n)
	g.each(list, n, func(i int, item goja.Value) {
		g.realm.poll()
		out[i] = item.ToNumber()
	})
	return g.rt.NewArray(out...)
}

// poll makes methods check for an interrupt: those that take long, but only for many items.
func (g *guards) poll(obj *goja.Object, names ...string) {
	for _, name := range names {
		g.realm.wrap(obj, name, onlyPolled)
	}
}

// onlyPolled is the guard of a function whose arguments need no check.
func onlyPolled(call goja.FunctionCall, orig rawFunc) goja.Value { return orig(call) }
