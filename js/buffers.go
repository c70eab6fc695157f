// This file guards ArrayBuffer and the typed arrays, which allocate all their memory at once.

package js

import (
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

// bufferUsers lists names of the web API that take, return or use buffers.
var bufferUsers = []string{"TextEncoder", "TextDecoder", "getRandomValues", "structuredClone",
	"Blob", "File", "FormData", "ReadableStream", "Request", "Response", "fetch"}

func (g *guards) checkBuffer(bytes float64) {
	if bytes > maxBuffer {
		g.throwRange(tooBig)
	}
	if bytes > 0 { // not NaN
		g.taken += bytes
	}
	if g.taken > maxBuffer {
		g.taken = 0
		g.awaitLook()
		g.poll()
	}
}

// guardBuffers guards ArrayBuffer and the typed arrays if the script mentions them. Few scripts do,
// and the guards cost 50 KB. Otherwise it deletes them, so that a name computed at run time finds
// nothing.
func (g *guards) guardBuffers() {
	globals := g.rt.GlobalObject()
	named := g.code.mentions("ArrayBuffer", "DataView") || g.code.mentions(bufferUsers...)
	for _, t := range typedArrays {
		named = named || g.code.mentions(t.name)
	}
	if !named {
		_ = globals.Delete("ArrayBuffer")
		_ = globals.Delete("DataView")
		for _, t := range typedArrays {
			_ = globals.Delete(t.name)
		}
		return
	}
	buffer := globals.Get("ArrayBuffer").(*goja.Object)
	proto := buffer.Get("prototype").(*goja.Object)
	g.wrap(proto, "resize", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		g.checkBuffer(call.Argument(0).ToFloat())
		return orig(call)
	})
	g.setConstructor(proto, g.guardConstructor("ArrayBuffer", buffer, func(args []goja.Value) {
		if len(args) > 0 {
			g.checkBuffer(args[0].ToFloat())
		}
		if len(args) > 1 {
			if o, ok := args[1].(*goja.Object); ok {
				if n := o.Get("maxByteLength"); n != nil {
					g.checkBuffer(n.ToFloat())
				}
			}
		}
	}))
	for i, t := range typedArrays {
		ctor := globals.Get(t.name).(*goja.Object)
		if i == 0 {
			g.guardTyped(ctor.Prototype())
		}
		g.setConstructor(ctor.Get("prototype").(*goja.Object),
			g.guardConstructor(t.name, ctor, func(args []goja.Value) {
				if len(args) == 0 {
					return
				}
				n := args[0]
				if obj, ok := n.(*goja.Object); ok {
					if n = obj.Get("length"); n == nil { // a buffer
						return
					}
				}
				g.checkBuffer(n.ToFloat() * t.size)
			}))
	}
}

// guardTyped guards the functions that all typed arrays share.
func (g *guards) guardTyped(ctor *goja.Object) {
	g.wrap(ctor, "from", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if obj, ok := call.Argument(0).(*goja.Object); ok {
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
		g.wrap(proto, name, walk)
	}
	g.wrap(proto, "join", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		g.checkItems(call.This)
		const longest = 25 // digits and sign of a number
		if obj, ok := call.This.(*goja.Object); ok && !goja.IsUndefined(call.Argument(0)) {
			g.checkText(float64(lengthOf(obj)) * float64(g.text(call.Argument(0)).Length()+longest))
		}
		return orig(call)
	})
	g.wrapSymbol(proto, goja.SymIterator, "values", walk)
}
