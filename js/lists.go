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

// lists are the guarded methods of arrays, and the functions that read all keys of an object.
type lists struct {
	realm  *realm
	rt     *goja.Runtime // that of realm
	meter  *meter        // that of realm
	args   *arguments
	length goja.Value // the name
	// typedLength is the getter of the length of typed arrays, nil if no buffer was made.
	typedLength goja.Value
	ctor        *goja.Object // Array
	arrayOf     rawFunc      // Array.of
	isArray     rawFunc
	forEach     rawFunc                      // that of arrays
	visitor     []goja.Value                 // the argument of forEach in each
	visit       func(i int, item goja.Value) // called by visitor
	joining     []*goja.Object               // arrays that are being converted to strings
	comma       goja.String
}

// checkItems throws if val has more than maxItems items, and returns how many it has. It must not
// be asked again: use steady.
func (l *lists) checkItems(val goja.Value) (n int64) {
	switch val := val.(type) {
	case *goja.Object:
		n = lengthOf(val)
	case goja.String:
		n = int64(val.Length())
	}
	if n > maxItems {
		l.realm.throwRange(tooManyItems)
	}
	return n
}

// steady makes sure that a method of arrays sees a length that was checked, and returns the length.
// The length of an object that is no array may be code, which answers differently the next time.
// Then the method gets a proxy that checks each answer; done returns the result of the method.
func (l *lists) steady(call *goja.FunctionCall) (n int64, done func(goja.Value) goja.Value) {
	obj, ok := call.This.(*goja.Object)
	if !ok {
		return l.checkItems(call.This), same
	}
	if n, ok := arrayLength(obj); ok && n <= maxItems {
		return n, same
	}
	if obj.ExportType() == arrayType {
		return l.checkItems(obj), same
	}
	if exportView(obj) != nil || l.fixedLength(obj) {
		return l.checkItems(obj), same
	}
	proxy := l.rt.ToValue(l.rt.NewProxy(obj, &goja.ProxyTrapConfig{
		Get: func(obj *goja.Object, name string, _ goja.Value) goja.Value {
			l.meter.poll()
			if name == "length" {
				return l.rt.ToValue(l.checkItems(obj))
			}
			if val := obj.Get(name); val != nil {
				return val
			}
			return goja.Undefined()
		}}))
	call.This = proxy
	return l.checkItems(obj), func(out goja.Value) goja.Value {
		if out == proxy {
			return obj
		}
		return out
	}
}

// fixedLength reports whether the length of obj is no code of the script: a value, or the length of
// a typed array.
func (l *lists) fixedLength(obj *goja.Object) bool {
	for ; obj != nil && obj.ExportType() != proxyType; obj = obj.Prototype() {
		if own := l.args.own(obj, l.length); own != nil {
			get := own.Get("get")
			return own.Get("value") != nil || get != nil && get == l.typedLength
		}
	}
	return false
}

func same(out goja.Value) goja.Value { return out }

// read is the guard of array methods that walk through all items.
func (l *lists) read(call goja.FunctionCall, orig rawFunc) goja.Value {
	n, done := l.steady(&call)
	l.args.pollCallback(&call, 0, int(n))
	return done(orig(call))
}

// fewItems is how many items are counted without a look at how many the method took.
const fewItems = 256

// make is the guard of array methods that make about as many items.
func (l *lists) make(call goja.FunctionCall, orig rawFunc) goja.Value {
	n, done := l.steady(&call)
	l.args.pollCallback(&call, 0, int(n))
	out := done(orig(call))
	if n > fewItems {
		if obj, ok := out.(*goja.Object); ok && obj.ExportType() == arrayType {
			n = lengthOf(obj)
		}
	}
	l.meter.take(itemBytes * int(n))
	return out
}

// checkKeys throws if val has more than maxItems items, each of which has a key: an array, a typed
// array or a string.
func (l *lists) checkKeys(val goja.Value) {
	if s, ok := val.(goja.String); ok && s.Length() > maxItems {
		l.realm.throwRange(fmt.Sprintf("the text has more than %d characters", maxItems))
	}
	obj, ok := val.(*goja.Object)
	if !ok {
		return
	}
	if ordinary(obj) {
		return
	}
	if class := obj.ClassName(); class == "Array" || class == "String" ||
		obj.ExportType().Kind() == reflect.Slice {
		l.checkItems(obj)
	}
}

// guardKeys guards the functions of Object that read all keys of their arguments.
func (l *lists) guardKeys(object *goja.Object) {
	for _, name := range []string{"assign", "entries", "freeze", "getOwnPropertyDescriptors",
		"getOwnPropertyNames", "isFrozen", "isSealed", "keys", "seal", "values"} {
		l.realm.wrap(object, name, l.allKeys)
	}
}

// allKeys is the guard of a function that reads all keys of its arguments.
func (l *lists) allKeys(call goja.FunctionCall, orig rawFunc) goja.Value {
	for _, a := range call.Arguments {
		l.checkKeys(a)
	}
	return orig(call)
}

func (l *lists) guardArrays(ctor *goja.Object) {
	proto := ctor.Get("prototype").(*goja.Object)
	l.forEach, l.isArray = raw(proto.Get("forEach")), raw(ctor.Get("isArray"))
	read, remake := guard(l.read), guard(l.make)
	for _, name := range arrayReaders {
		l.realm.wrap(proto, name, read)
	}
	search := guard(l.search)
	for _, name := range arraySearches {
		l.realm.wrap(proto, name, search)
	}
	for _, name := range arrayMakers {
		l.realm.wrap(proto, name, remake)
	}
	l.realm.wrap(proto, "with", func(call goja.FunctionCall, orig rawFunc) goja.Value {
		numberArgument(&call, 0) // the method converts it before it reads the length
		return l.make(call, orig)
	})
	for _, name := range arrayIterators {
		l.realm.wrap(proto, name, func(call goja.FunctionCall, orig rawFunc) goja.Value {
			l.checkItems(call.This)
			return orig(call)
		})
	}
	_ = proto.DefineDataPropertySymbol(goja.SymIterator, proto.Get("values"), goja.FLAG_TRUE,
		goja.FLAG_TRUE, goja.FLAG_FALSE)
	l.args.values = proto.Get("values")
	l.guardIterator(l.args.values)
	l.realm.wrap(proto, "concat", l.concatLists)
	for _, name := range []string{"sort", "toSorted"} {
		l.realm.wrap(proto, name, l.guardedSort)
	}
	l.realm.wrap(proto, "fill", l.fill)
	l.realm.wrap(proto, "join", l.meter.charged(func(call goja.FunctionCall,
		_ rawFunc) goja.Value {
		return l.join(call.This, call.Argument(0))
	}))
	l.realm.wrap(proto, "toLocaleString", l.meter.charged(func(call goja.FunctionCall,
		_ rawFunc) goja.Value {
		return l.join(call.This, goja.Undefined())
	}))
	l.realm.wrap(proto, "flat", func(call goja.FunctionCall, _ rawFunc) goja.Value {
		depth := int64(1)
		if d := call.Argument(0); !goja.IsUndefined(d) {
			depth = d.ToInteger()
		}
		return l.flattened(&call, depth, nil)
	})
	l.realm.wrap(proto, "flatMap", func(call goja.FunctionCall, _ rawFunc) goja.Value {
		fn := l.realm.function(call.Argument(0))
		if fn == nil {
			panic(l.rt.NewTypeError("flatMap: want a function"))
		}
		return l.flattened(&call, 1, fn)
	})
	l.ctor, l.arrayOf = ctor, raw(ctor.Get("of"))
	l.realm.wrap(ctor, "from", l.arrayFrom)
}

// guardIterator guards the function next of the iterators that values, a function, returns. The
// list may have become longer since.
func (l *lists) guardIterator(values goja.Value) {
	proto := raw(values)(goja.FunctionCall{This: l.rt.NewArray()}).(*goja.Object).Prototype()
	l.realm.wrap(proto, "next", onlyPolled)
}

// arrayFrom guards Array.from. It implements it for objects; a subclass of Array has the
// interpreter's own.
func (l *lists) arrayFrom(call goja.FunctionCall, orig rawFunc) goja.Value {
	obj, ok := call.Argument(0).(*goja.Object)
	change := l.realm.function(call.Argument(1))
	if !ok || call.This != l.ctor || change == nil && !goja.IsUndefined(call.Argument(1)) {
		return l.subclassFrom(call, orig)
	}
	iterate := obj.GetSymbol(goja.SymIterator)
	usual := iterate == l.args.values
	if items, ok := itemsOf(obj); ok && usual && change == nil && len(items) <= maxItems {
		l.meter.take(itemBytes * len(items))
		return l.arrayOf(goja.FunctionCall{Arguments: items})
	}
	var out []goja.Value
	add := func(item goja.Value) bool {
		l.meter.poll()
		if change != nil {
			item = change(goja.FunctionCall{This: call.Argument(2),
				Arguments: []goja.Value{item, l.rt.ToValue(len(out))}})
		}
		if out = append(out, orUndefined(item)); len(out)%pollEvery == 0 {
			l.meter.take(itemBytes * pollEvery)
		}
		return true
	}
	_, plain := arrayLength(obj)
	if !usual || !plain {
		if iterate != nil && !goja.IsUndefined(iterate) && !goja.IsNull(iterate) {
			l.rt.ForOf(obj, add)
			return l.arrayOf(goja.FunctionCall{Arguments: out})
		}
	}
	for i, n := 0, int(l.checkItems(obj)); i < n; i++ {
		add(orUndefined(obj.Get(strconv.Itoa(i))))
		if plain && usual { // an iterator asks each time
			n = int(l.checkItems(obj))
		}
	}
	return l.arrayOf(goja.FunctionCall{Arguments: out})
}

// subclassFrom guards the interpreter's Array.from. It reads only once how its argument is
// iterated.
func (l *lists) subclassFrom(call goja.FunctionCall, orig rawFunc) goja.Value {
	l.args.pollCallback(&call, 1, maxItems)
	obj, ok := call.Argument(0).(*goja.Object)
	if !ok {
		l.checkItems(call.Argument(0))
		return orig(call)
	}
	setArgument(&call, 0, l.args.pinnedList(obj, maxItems, tooManyItems))
	return orig(call)
}

// search is the guard of array methods that compare a value with each item. Only texts of the same
// length take long.
func (l *lists) search(call goja.FunctionCall, orig rawFunc) goja.Value {
	n, done := l.steady(&call)
	what, ok := call.Argument(0).(goja.String)
	list, is := call.This.(*goja.Object)
	if !ok || !is || what.Length() < pollEvery || n < fewCalls {
		return done(orig(call))
	}
	same := 0
	l.each(list, int(n), func(_ int, item goja.Value) {
		if s, ok := item.(goja.String); ok && s.Length() == what.Length() {
			same += s.Length()
		}
	})
	const most = 1 << 30 // characters, which take some 100 ms
	if same > most {
		l.realm.throwRange("the texts are too long to be compared with each other")
	}
	return done(orig(call))
}

// fill implements Array.prototype.fill. The interpreter's own is slow for arrays with holes and
// cannot be interrupted.
func (l *lists) fill(call goja.FunctionCall, orig rawFunc) goja.Value {
	obj, ok := call.This.(*goja.Object)
	if !ok || obj.ExportType() != arrayType || exportView(obj) != nil {
		return l.make(call, orig)
	}
	n := l.checkItems(obj)
	if n <= pollEvery {
		return orig(call)
	}
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
			l.meter.poll()
		}
		if err := obj.Set(strconv.FormatInt(i, 10), call.Argument(0)); err != nil {
			panic(err)
		}
	}
	return obj
}
