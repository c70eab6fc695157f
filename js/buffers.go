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
		g.taken += bytes
	}
	if g.taken > maxBuffer {
		g.taken = 0
		g.awaitLook()
		g.realm.poll()
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
			}
			g.checkBuffer(n.ToFloat() * t.size)
		})
	}
}

// guardTyped guards the functions that all typed arrays share.
func (g *guards) guardTyped(ctor *goja.Object) {
	g.realm.wrap(ctor, "from", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if obj, ok := call.Argument(0).(*goja.Object); ok {
			if obj.ExportType().Kind() != reflect.Slice {
				obj = g.pinnedList(obj, maxBuffer/8, tooBig)
				setArgument(&call, 0, obj)
			}
			g.checkBuffer(float64(lengthOf(obj)) * 8)
		}
		return orig(call)
	})
	proto := ctor.Get("prototype").(*goja.Object)
	walk := func(call goja.FunctionCall, orig rawFunc) goja.Value {
		g.checkItems(call.This)
		return orig(call)
	}
	for _, name := range []string{"sort", "toSorted", "toLocaleString", "values", "keys",
		"entries"} {
		g.realm.wrap(proto, name, walk)
	}
	g.realm.wrap(proto, "join", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		g.checkItems(call.This)
		const longest = 25 // digits and sign of a number
		if obj, ok := call.This.(*goja.Object); ok && !goja.IsUndefined(call.Argument(0)) {
			separator := textArgument(g.realm, &call, 0).Length()
			g.realm.checkText(float64(lengthOf(obj)) * float64(separator+longest))
		}
		return orig(call)
	})
	g.realm.wrapSymbol(proto, goja.SymIterator, "values", walk)
}
