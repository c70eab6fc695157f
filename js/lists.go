// This file guards arrays. An object may claim any length at no cost, and built-ins walk all of it.

package js

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/dop251/goja"
)

// arrayMethods are the array methods that walk, or make, as many items as the length says.
var arrayMethods = []string{"copyWithin", "entries", "every", "filter", "find", "findIndex",
	"findLast",
	"findLastIndex", "flatMap", "forEach", "includes", "indexOf", "keys", "lastIndexOf", "map",
	"reduce",
	"reduceRight", "reverse", "shift", "slice", "some", "splice", "toReversed", "toSpliced",
	"unshift", "values", "with"}

// checkItems throws if val is an object with a length of more than maxItems.
func (g *guards) checkItems(val goja.Value) {
	obj, ok := val.(*goja.Object)
	if !ok {
		return
	}
	if lengthOf(obj) > maxItems {
		g.realm.throwRange(tooManyItems)
	}
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
	walk := func(call goja.FunctionCall, orig rawFunc) goja.Value {
		g.checkItems(call.This)
		return orig(call)
	}
	for _, name := range arrayMethods {
		g.realm.wrap(proto, name, walk)
	}
	_ = proto.DefineDataPropertySymbol(goja.SymIterator, proto.Get("values"), goja.FLAG_TRUE,
		goja.FLAG_TRUE, goja.FLAG_FALSE)
	g.realm.wrap(proto, "concat", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		g.checkItems(call.This)
		for _, a := range call.Arguments {
			g.checkItems(a)
		}
		return orig(call)
	})
	for _, name := range []string{"sort", "toSorted"} {
		g.realm.wrap(proto, name, g.guardedSort)
	}
	g.realm.wrap(proto, "fill", g.fill)
	g.realm.wrap(proto, "join", func(call goja.FunctionCall, _ rawFunc) goja.Value {
		sep := ","
		if s := call.Argument(0); !goja.IsUndefined(s) {
			sep = s.String()
		}
		return g.join(call.This, sep)
	})
	g.realm.wrap(proto, "toLocaleString", func(call goja.FunctionCall,
		_ rawFunc) goja.Value {
		return g.join(call.This, ",")
	})
	g.realm.wrap(proto, "flat", func(call goja.FunctionCall, _ rawFunc) goja.Value {
		depth := int64(1)
		if d := call.Argument(0); !goja.IsUndefined(d) {
			depth = d.ToInteger()
		}
		var out []any
		g.flatten(call.This, depth, 0, &out)
		return g.rt.NewArray(out...)
	})
	g.realm.wrap(ctor, "from", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		if obj, ok := call.Argument(0).(*goja.Object); ok && obj.ExportType() != arrayType {
			setArgument(&call, 0, g.pinnedList(obj, maxItems, tooManyItems))
		}
		return orig(call)
	})
}

// guardedSort always sorts with a comparison function, so that the sort can be interrupted.
func (g *guards) guardedSort(call goja.FunctionCall, orig rawFunc) goja.Value {
	g.checkItems(call.This)
	if obj, ok := call.This.(*goja.Object); !ok || !goja.IsUndefined(call.Argument(0)) ||
		lengthOf(obj) < sortPolled {
		return orig(call)
	}
	compare := g.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		g.realm.poll()
		return g.rt.ToValue(g.realm.text(c.Argument(0)).CompareTo(g.realm.text(c.Argument(1))))
	})
	return orig(goja.FunctionCall{This: call.This, Arguments: []goja.Value{compare}})
}

// fill implements Array.prototype.fill. The interpreter's own is slow for arrays with holes and
// cannot be interrupted.
func (g *guards) fill(call goja.FunctionCall, orig rawFunc) goja.Value {
	g.checkItems(call.This)
	obj, ok := call.This.(*goja.Object)
	if !ok || obj.ClassName() != "Array" || exportView(obj) != nil {
		return orig(call)
	}
	n := lengthOf(obj)
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

// join implements Array.prototype.join. Nested arrays call it again through their toString.
func (g *guards) join(this goja.Value, sep string) goja.Value {
	obj, ok := this.(*goja.Object)
	if !ok {
		panic(g.rt.NewTypeError("Array.prototype.join called on a value that is no object"))
	}
	g.checkItems(obj)
	for _, j := range g.joining {
		if j == obj { // an array inside itself is empty
			return g.rt.ToValue("")
		}
	}
	if len(g.joining) >= maxFlat {
		g.realm.throwRange(tooDeep)
	}
	g.joining = append(g.joining, obj)
	defer func() { g.joining = g.joining[:len(g.joining)-1] }()
	var b goja.StringBuilder
	between := g.rt.ToValue(sep).(goja.String)
	size := 0
	for i, n := 0, int(lengthOf(obj)); i < n; i++ {
		if i > 0 {
			b.WriteString(between)
			size += between.Length()
		}
		if i%pollEvery == 0 {
			g.realm.poll()
		}
		e := obj.Get(strconv.Itoa(i))
		if e == nil || goja.IsUndefined(e) || goja.IsNull(e) {
			continue
		}
		s := g.realm.text(e)
		if size += s.Length(); size > maxText {
			g.realm.throwRange(tooLong)
		}
		b.WriteString(s)
	}
	return b.String()
}

// flatten appends the items of an array to out, and the items of nested arrays down to depth.
func (g *guards) flatten(this goja.Value, depth int64, level int, out *[]any) {
	obj, ok := this.(*goja.Object)
	if !ok {
		panic(g.rt.NewTypeError("Array.prototype.flat called on a value that is no object"))
	}
	g.checkItems(obj)
	if level > maxFlat {
		g.realm.throwRange(tooDeep)
	}
	g.realm.poll()
	for i, n := 0, int(lengthOf(obj)); i < n; i++ {
		e := obj.Get(strconv.Itoa(i))
		if e == nil {
			continue
		}
		if inner, ok := e.(*goja.Object); ok && depth > 0 && inner.ClassName() == "Array" {
			g.flatten(inner, depth-1, level+1, out)
			continue
		}
		if *out = append(*out, e); len(*out) > maxItems {
			g.realm.throwRange(tooManyItems)
		}
	}
}
