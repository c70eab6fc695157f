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

// buffers are the guarded constructors of buffers, and the methods of typed arrays.
type buffers struct {
	realm *realm
	meter *meter // that of realm
	args  *arguments
	lists *lists
	made  map[string]goja.Value // the constructors; nil = none was needed
}

func (b *buffers) checkBuffer(bytes float64) {
	if bytes > maxBuffer {
		b.realm.throwRange(tooBig)
	}
	if bytes > 0 { // not NaN
		b.meter.take(int(bytes))
	}
}

// setBuffers sets the globals ArrayBuffer and those of the typed arrays. They are guarded when the
// script reads one, or when our functions make a buffer, since few scripts do, and the guards take
// 50 KB.
func (b *buffers) setBuffers() {
	makeValue := func(name string) goja.Value {
		b.guardBuffers()
		return b.made[name]
	}
	b.realm.setLazy("ArrayBuffer", makeValue)
	for _, t := range typedArrays {
		b.realm.setLazy(t.name, makeValue)
	}
}

// guardBuffers guards ArrayBuffer and the typed arrays, once.
func (b *buffers) guardBuffers() {
	if b.made != nil {
		return
	}
	b.made = map[string]goja.Value{}
	guard := func(name string, ctor *goja.Object, check func(*goja.FunctionCall)) {
		b.made[name] = b.realm.guardConstructor(ctor, check)
		b.realm.setConstructor(ctor.Get("prototype").(*goja.Object), b.made[name])
	}
	buffer := b.realm.builtins.Get("ArrayBuffer").(*goja.Object)
	proto := buffer.Get("prototype").(*goja.Object)
	b.realm.wrap(proto, "slice", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		out := orig(call)
		if made, ok := out.Export().(goja.ArrayBuffer); ok {
			b.meter.take(len(made.Bytes()))
		}
		return out
	})
	b.realm.wrap(proto, "resize", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		b.checkBuffer(numberArgument(&call, 0))
		return orig(call)
	})
	guard("ArrayBuffer", buffer, func(call *goja.FunctionCall) {
		b.checkBuffer(numberArgument(call, 0))
		if o, ok := call.Argument(1).(*goja.Object); ok {
			pinned := b.realm.rt.NewObject()
			if n := o.Get("maxByteLength"); n != nil && !goja.IsUndefined(n) {
				n = n.ToNumber()
				b.checkBuffer(n.ToFloat())
				_ = pinned.Set("maxByteLength", n)
			}
			setArgument(call, 1, pinned)
		}
	})
	for i, t := range typedArrays {
		ctor := b.realm.builtins.Get(t.name).(*goja.Object)
		if i == 0 {
			b.guardTyped(ctor.Prototype())
		}
		guard(t.name, ctor, func(call *goja.FunctionCall) {
			n := call.Argument(0)
			if obj, ok := n.(*goja.Object); ok {
				if n = obj.Get("length"); n == nil { // a buffer
					return
				}
				if obj.ExportType().Kind() != reflect.Slice {
					obj = b.args.pinnedList(obj, int(maxBuffer/t.size), tooBig)
					setArgument(call, 0, obj)
					n = b.realm.rt.ToValue(lengthOf(obj))
				}
				setArgument(call, 0, b.numbers(obj))
			}
			b.checkBuffer(n.ToFloat() * t.size)
		})
	}
}

// typedLoops are the methods of typed arrays that call a function for each item.
var typedLoops = []string{"every", "filter", "find", "findIndex", "findLast", "findLastIndex",
	"forEach", "map", "reduce", "reduceRight", "some"}

// guardTyped guards the functions that all typed arrays share.
func (b *buffers) guardTyped(ctor *goja.Object) {
	proto := ctor.Get("prototype").(*goja.Object)
	b.lists.typedLength = b.args.own(proto, b.lists.length).Get("get")
	// an array may have a property of its own with that name
	length := raw(b.lists.typedLength)
	size := raw(b.args.own(proto, b.realm.rt.ToValue("byteLength")).Get("get"))
	count := func(call goja.FunctionCall) int {
		return int(length(goja.FunctionCall{This: call.This}).ToInteger())
	}
	b.realm.wrap(ctor, "from", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if obj, ok := call.Argument(0).(*goja.Object); ok {
			if obj.ExportType().Kind() != reflect.Slice {
				obj = b.args.pinnedList(obj, maxBuffer/8, tooBig)
				setArgument(&call, 0, obj)
			}
			b.checkBuffer(float64(lengthOf(obj)) * 8)
			setArgument(&call, 0, b.numbers(obj))
		}
		return orig(call)
	})
	walk := func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if count(call) > maxItems {
			b.realm.throwRange(tooManyItems)
		}
		return orig(call)
	}
	for _, name := range []string{"toLocaleString", "values", "keys", "entries"} {
		b.realm.wrap(proto, name, walk)
	}
	b.realm.wrapSymbol(proto, goja.SymIterator, "values", walk)
	for _, name := range []string{"sort", "toSorted"} {
		b.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			b.args.pollCallback(&call, 0, count(call))
			return walk(call, orig)
		})
	}
	b.guardTypedLoops(proto, count)
	for _, name := range []string{"slice", "toReversed", "with"} {
		b.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			out := orig(call)
			b.meter.take(int(size(goja.FunctionCall{This: out}).ToInteger()))
			return out
		})
	}
	for _, name := range []string{"copyWithin", "fill", "includes", "indexOf", "lastIndexOf",
		"reverse", "subarray"} { // they take long, but only for many items
		b.realm.wrap(proto, name, onlyPolled)
	}
	b.realm.wrap(proto, "set", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if obj, ok := call.Argument(0).(*goja.Object); ok &&
			(obj.ExportType() == arrayType || obj.ExportType().Kind() != reflect.Slice) {
			list := b.args.pinned(obj, maxItems, tooManyItems).(*goja.Object)
			setArgument(&call, 0, b.numbers(list))
		}
		return orig(call)
	})
	b.guardTypedJoin(proto, count)
}

// guardTypedLoops guards the methods of typed arrays that call a function; count counts the items.
func (b *buffers) guardTypedLoops(proto *goja.Object, count func(goja.FunctionCall) int) {
	for _, name := range typedLoops {
		b.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			b.args.pollCallback(&call, 0, count(call))
			return orig(call)
		})
	}
}

func (b *buffers) guardTypedJoin(proto *goja.Object, count func(goja.FunctionCall) int) {
	b.realm.wrap(proto, "join", b.meter.charged(func(call goja.FunctionCall,
		orig rawFunc) goja.Value {
		n := count(call)
		if n > maxItems {
			b.realm.throwRange(tooManyItems)
		}
		const longest = 25 // digits and sign of a number
		if !goja.IsUndefined(call.Argument(0)) {
			separator := b.args.text(&call, 0).Length()
			b.realm.checkText(float64(n) * float64(separator+longest))
		}
		return orig(call)
	}))
}

// numbers returns list, or a copy with numbers if it is an array of long texts, which take long to
// convert.
func (b *buffers) numbers(list *goja.Object) goja.Value {
	if list.ExportType() != arrayType {
		return list
	}
	n := int(lengthOf(list))
	if b.lists.short(list, n) {
		return list
	}
	out := make([]any, n)
	b.lists.each(list, n, func(i int, item goja.Value) {
		b.meter.poll()
		out[i] = item.ToNumber()
	})
	return b.realm.rt.NewArray(out...)
}

// onlyPolled is the guard of a function whose arguments need no check.
func onlyPolled(call goja.FunctionCall, orig rawFunc) goja.Value { return orig(call) }
