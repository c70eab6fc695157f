// This file guards ArrayBuffer and the typed arrays: they take their memory at once.

package js

import (
	"github.com/dop251/goja"
)

// typedArrays are the constructors and the bytes of an item.
var typedArrays = []struct {
	name string
	size float64
}{
	{"Int8Array", 1}, {"Uint8Array", 1}, {"Uint8ClampedArray", 1}, {"Int16Array", 2},
	{"Uint16Array", 2},
	{"Int32Array", 4}, {"Uint32Array", 4}, {"Float32Array", 4}, {"Float64Array", 8},
}

// bufferUsers are names of the web API that give or take buffers, or are made of them.
var bufferUsers = []string{"TextEncoder", "TextDecoder", "getRandomValues", "structuredClone",
	"Blob", "File", "FormData", "ReadableStream", "Request", "Response", "fetch"}

func (v *VM) checkBuffer(bytes float64) {
	if bytes > maxBuffer {
		v.throwRange(tooBig)
	}
}

// guardBuffers guards them if the script speaks of them. Few scripts do, and guarding costs
// 50 KB: without, they are taken away, so that a name made up at run time finds nothing.
func (v *VM) guardBuffers() {
	g := v.rt.GlobalObject()
	named := v.mentions("ArrayBuffer", "DataView") || v.mentions(bufferUsers...)
	for _, t := range typedArrays {
		named = named || v.mentions(t.name)
	}
	if !named {
		_ = g.Delete("ArrayBuffer")
		_ = g.Delete("DataView")
		for _, t := range typedArrays {
			_ = g.Delete(t.name)
		}
		return
	}
	buffer := g.Get("ArrayBuffer").(*goja.Object)
	proto := buffer.Get("prototype").(*goja.Object)
	v.wrap(proto, "resize", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		v.checkBuffer(call.Argument(0).ToFloat())
		return orig(call)
	})
	v.setConstructor(proto, v.guardConstructor("ArrayBuffer", buffer, func(args []goja.Value) {
		if len(args) > 0 {
			v.checkBuffer(args[0].ToFloat())
		}
		if len(args) > 1 {
			if o, ok := args[1].(*goja.Object); ok {
				if n := o.Get("maxByteLength"); n != nil {
					v.checkBuffer(n.ToFloat())
				}
			}
		}
	}))
	for i, t := range typedArrays {
		ctor := g.Get(t.name).(*goja.Object)
		if i == 0 {
			v.guardTyped(ctor.Prototype())
		}
		v.setConstructor(ctor.Get("prototype").(*goja.Object),
			v.guardConstructor(t.name, ctor, func(args []goja.Value) {
				if len(args) == 0 {
					return
				}
				n := args[0]
				if obj, ok := n.(*goja.Object); ok {
					if n = obj.Get("length"); n == nil { // a buffer
						return
					}
				}
				v.checkBuffer(n.ToFloat() * t.size)
			}))
	}
}

// setConstructor puts a guarded constructor where its instances find it.
func (v *VM) setConstructor(proto *goja.Object, ctor goja.Value) {
	_ = proto.DefineDataProperty("constructor", ctor, goja.FLAG_TRUE, goja.FLAG_TRUE,
		goja.FLAG_FALSE)
}

// guardTyped guards what all typed arrays share.
func (v *VM) guardTyped(ctor *goja.Object) {
	v.wrap(ctor, "from", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if obj, ok := call.Argument(0).(*goja.Object); ok {
			v.checkBuffer(float64(lengthOf(obj)) * 8)
		}
		return orig(call)
	})
	proto := ctor.Get("prototype").(*goja.Object)
	walk := func(call goja.FunctionCall, orig rawFunc) goja.Value {
		v.checkItems(call.This)
		return orig(call)
	}
	for _, name := range []string{"sort", "toSorted", "toLocaleString", "values", "keys",
		"entries"} {
		v.wrap(proto, name, walk)
	}
	v.wrap(proto, "join", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		v.checkItems(call.This)
		const longest = 25 // a number as text
		if obj, ok := call.This.(*goja.Object); ok && !goja.IsUndefined(call.Argument(0)) {
			v.checkText(float64(lengthOf(obj)) * float64(v.text(call.Argument(0)).Length()+longest))
		}
		return orig(call)
	})
	v.wrapSymbol(proto, goja.SymIterator, "values", walk)
}
