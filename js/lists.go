// This file guards arrays. An object may claim any length at no cost, and built-ins walk all of it.

package js

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/dop251/goja"
)

// arrayReaders are the array methods that walk as many items as the length says, arraySearches
// those that compare each, and arrayMakers those that also make, or move, about as many.
var (
	arrayReaders = []string{"every", "find", "findIndex", "findLast", "findLastIndex", "forEach",
		"reduce", "reduceRight", "reverse", "shift", "some"}
	arraySearches = []string{"includes", "indexOf", "lastIndexOf"}
	arrayMakers   = []string{"copyWithin", "filter", "map", "slice", "splice", "toReversed",
		"toSpliced", "unshift"}
	arrayIterators = []string{"entries", "keys", "values"}
)

// checkItems throws if val has more than maxItems items, and returns how many it has. It must not
// be asked again: use steady.
func (g *guards) checkItems(val goja.Value) (n int64) {
	switch val := val.(type) {
	case *goja.Object:
		n = lengthOf(val)
	case goja.String:
		n = int64(val.Length())
	}
	if n > maxItems {
		g.realm.throwRange(tooManyItems)
	}
	return n
}

// steady makes sure that a method of arrays sees a length that was checked, and returns the length.
// The length of an object that is no array may be code, which answers differently the next time.
// Then the method gets a proxy that checks each answer; done returns the result of the method.
func (g *guards) steady(call *goja.FunctionCall) (n int64, done func(goja.Value) goja.Value) {
	obj, ok := call.This.(*goja.Object)
	if !ok || obj.ExportType() == arrayType {
		return g.checkItems(call.This), same
	}
	if exportView(obj) != nil || g.fixedLength(obj) {
		return g.checkItems(obj), same
	}
	proxy := g.rt.ToValue(g.rt.NewProxy(obj, &goja.ProxyTrapConfig{
		Get: func(obj *goja.Object, name string, _ goja.Value) goja.Value {
			g.realm.poll()
			if name == "length" {
				return g.rt.ToValue(g.checkItems(obj))
			}
			if val := obj.Get(name); val != nil {
				return val
			}
			return goja.Undefined()
		}}))
	call.This = proxy
	return g.checkItems(obj), func(out goja.Value) goja.Value {
		if out == proxy {
			return obj
		}
		return out
	}
}

// fixedLength reports whether the length of obj is no code of the script: a value, or the length of
// a typed array.
func (g *guards) fixedLength(obj *goja.Object) bool {
	for ; obj != nil && obj.ExportType() != proxyType; obj = obj.Prototype() {
		if own := g.own(obj, g.length); own != nil {
			get := own.Get("get")
			return own.Get("value") != nil || get != nil && get == g.typedLength
		}
	}
	return false
}

func same(out goja.Value) goja.Value { return out }

// read is the guard of array methods that walk through all items.
func (g *guards) read(call goja.FunctionCall, orig rawFunc) goja.Value {
	n, done := g.steady(&call)
	g.pollCallback(&call, 0, int(n))
	return done(orig(call))
}

// fewItems is how many items are counted without a look at how many the method took.
const fewItems = 256

// make is the guard of array methods that make about as many items.
func (g *guards) make(call goja.FunctionCall, orig rawFunc) goja.Value {
	n, done := g.steady(&call)
	g.pollCallback(&call, 0, int(n))
	out := done(orig(call))
	if n > fewItems {
		if obj, ok := out.(*goja.Object); ok && obj.ExportType() == arrayType {
			n = lengthOf(obj)
		}
	}
	g.realm.take(itemBytes * int(n))
	return out
}

// checkKeys throws if val has more than maxItems items, each of which has a key: an array, a typed
// array or a string.
func (g *guards) checkKeys(val goja.Value) {
	if s, ok := val.(goja.String); ok && s.Length() > maxItems {
		g.realm.throwRange(fmt.Sprintf("the text has more than %d characters", maxItems))
	}
	obj, ok := val.(*goja.Object)
	if !ok {
		return
	}
	if class := obj.ClassName(); class == "Array" || class == "String" ||
		obj.ExportType().Kind() == reflect.Slice {
		g.checkItems(obj)
	}
}

// guardKeys guards the functions of Object that read all keys of their arguments.
func (g *guards) guardKeys(object *goja.Object) {
	for _, name := range []string{"assign", "entries", "freeze", "getOwnPropertyDescriptors",
		"getOwnPropertyNames", "isFrozen", "isSealed", "keys", "seal", "values"} {
		g.realm.wrap(object, name, g.allKeys)
	}
}

// allKeys is the guard of a function that reads all keys of its arguments.
func (g *guards) allKeys(call goja.FunctionCall, orig rawFunc) goja.Value {
	for _, a := range call.Arguments {
		g.checkKeys(a)
	}
	return orig(call)
}

func (g *guards) guardArrays(ctor *goja.Object) {
	proto := ctor.Get("prototype").(*goja.Object)
	read, remake := guard(g.read), guard(g.make)
	for _, name := range arrayReaders {
		g.realm.wrap(proto, name, read)
	}
	search := guard(g.search)
	for _, name := range arraySearches {
		g.realm.wrap(proto, name, search)
	}
	for _, name := range arrayMakers {
		g.realm.wrap(proto, name, remake)
	}
	g.realm.wrap(proto, "with", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		numberArgument(g.realm, &call, 0) // the method converts it before it reads the length
		return g.make(call, orig)
	})
	for _, name := range arrayIterators {
		g.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			g.checkItems(call.This)
			return orig(call)
		})
	}
	_ = proto.DefineDataPropertySymbol(goja.SymIterator, proto.Get("values"), goja.FLAG_TRUE,
		goja.FLAG_TRUE, goja.FLAG_FALSE)
	g.values = proto.Get("values")
	g.guardIterator(g.values)
	g.realm.wrap(proto, "concat", g.concatLists)
	for _, name := range []string{"sort", "toSorted"} {
		g.realm.wrap(proto, name, g.guardedSort)
	}
	g.realm.wrap(proto, "fill", g.fill)
	g.realm.wrap(proto, "join", g.realm.charged(func(call goja.FunctionCall,
		_ rawFunc) goja.Value {
		return g.join(call.This, call.Argument(0))
	}))
	g.realm.wrap(proto, "toLocaleString", g.realm.charged(func(call goja.FunctionCall,
		_ rawFunc) goja.Value {
		return g.join(call.This, goja.Undefined())
	}))
	g.realm.wrap(proto, "flat", func(call goja.FunctionCall, _ rawFunc) goja.Value {
		depth := int64(1)
		if d := call.Argument(0); !goja.IsUndefined(d) {
			depth = d.ToInteger()
		}
		return g.flattened(&call, depth, nil)
	})
	g.realm.wrap(proto, "flatMap", func(call goja.FunctionCall, _ rawFunc) goja.Value {
		fn := g.realm.function(call.Argument(0))
		if fn == nil {
			panic(g.rt.NewTypeError("flatMap: want a function"))
		}
		return g.flattened(&call, 1, fn)
	})
	g.realm.wrap(ctor, "from", g.arrayFrom)
}

// guardIterator guards the function next of the iterators that values, a function, returns. The
// list may have become longer since.
func (g *guards) guardIterator(values goja.Value) {
	proto := raw(values)(goja.FunctionCall{This: g.rt.NewArray()}).(*goja.Object).Prototype()
	g.poll(proto, "next")
}

// arrayFrom guards Array.from. It reads only once how its argument is iterated.
func (g *guards) arrayFrom(call goja.FunctionCall, orig rawFunc) goja.Value {
	g.pollCallback(&call, 1, maxItems)
	obj, ok := call.Argument(0).(*goja.Object)
	if !ok {
		g.checkItems(call.Argument(0))
		return orig(call)
	}
	if obj.ExportType() != arrayType || obj.GetSymbol(goja.SymIterator) != g.values {
		setArgument(&call, 0, g.pinnedList(obj, maxItems, tooManyItems))
		return orig(call)
	}
	g.realm.take(itemBytes * int(g.checkItems(obj)))
	return orig(call)
}

// search is the guard of array methods that compare a value with each item. Only texts of the same
// length take long.
func (g *guards) search(call goja.FunctionCall, orig rawFunc) goja.Value {
	n, done := g.steady(&call)
	what, ok := call.Argument(0).(goja.String)
	list, is := call.This.(*goja.Object)
	if !ok || !is || what.Length() < pollEvery || n < fewCalls {
		return done(orig(call))
	}
	same := 0
	g.each(list, int(n), func(_ int, item goja.Value) {
		if s, ok := item.(goja.String); ok && s.Length() == what.Length() {
			same += s.Length()
		}
	})
	const most = 1 << 30 // characters, which take some 100 ms
	if same > most {
		g.realm.throwRange("the texts are too long to be compared with each other")
	}
	return done(orig(call))
}

// fill implements Array.prototype.fill. The interpreter's own is slow for arrays with holes and
// cannot be interrupted.
func (g *guards) fill(call goja.FunctionCall, orig rawFunc) goja.Value {
	obj, ok := call.This.(*goja.Object)
	if !ok || obj.ExportType() != arrayType || exportView(obj) != nil {
		return g.make(call, orig)
	}
	n := g.checkItems(obj)
	index := func(arg goja.Value, absent int64) int64 {
		if goja.IsUndefined(arg) {
			return absent
		}
		i := arg.ToInteger()
		if i < 0 {
			i += n
		}
		return min(max(i, 0), n)
	}
	end := index(call.Argument(2), n)
	for i := index(call.Argument(1), 0); i < end; i++ {
		if i%pollEvery == 0 {
			g.realm.poll()
		}
		if err := obj.Set(strconv.FormatInt(i, 10), call.Argument(0)); err != nil {
			panic(err)
		}
	}
	return obj
}
