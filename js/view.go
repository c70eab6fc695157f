// This file holds views: read-only objects and arrays over Go values, converted when they are read.

package js

import (
	"reflect"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

const readOnly = "event data is read-only: return the field instead (ext.copy gives an object " +
	"you can change)"

var (
	objectViewType = reflect.TypeOf((*objectView)(nil))
	listViewType   = reflect.TypeOf((*listView)(nil))
)

// view converts an argument of a script's function; tables and lists become views.
func (s *values) view(x any) goja.Value { return s.shaped(x, nil) }

// shaped is view for a value of which it is known what keys it may have.
func (s *values) shaped(x any, shape *value.Shape) goja.Value {
	switch x := x.(type) {
	case *event.Event:
		if s.event != x {
			view := &eventView{objectView: objectView{s: s, obj: x}}
			view.spare = &view.table
			s.event, s.eventView = x, s.rt.NewDynamicObject(&view.objectView)
		}
		return s.eventView
	case map[string]any:
		return s.rt.NewDynamicObject(&objectView{s: s, m: x, shape: shape})
	case value.Object:
		return s.rt.NewDynamicObject(&objectView{s: s, obj: x, shape: shape})
	case *value.Lazy:
		return s.shaped(x.Value(), shape)
	case value.Typed:
		return s.shaped(x.Value, x.Shape)
	}
	if n, at, ok := listOf(x); ok {
		return s.rt.NewDynamicArray(&listView{s: s, src: x, n: n, at: at, items: shape.Items()})
	}
	val, err := s.scalar(x)
	if err != nil {
		s.failures.raise(err)
	}
	return val
}

// exportView returns the view, or the secret, behind obj, nil if it is none. Nothing else is
// exported: that could recurse without end.
func exportView(obj *goja.Object) any {
	switch obj.ExportType() {
	case objectViewType, listViewType, secretType:
		return obj.Export()
	}
	return nil
}

// objectView is a view of a table: a map or an value.Object. It implements goja.DynamicObject.
type objectView struct {
	s     *values
	obj   value.Object // or
	m     map[string]any
	shape *value.Shape // of m, or of an obj that does not know its own; nil = not known
	cache [cacheLinear]cached
	used  int                   // of cache
	index map[string]goja.Value // what does not fit into cache
	spare *objectView           // memory for the view of a table in obj; nil = none, or used
}

// eventView is the view of an event, in one piece with that of its first table: most handlers read
// one, the arguments.
type eventView struct {
	objectView
	table objectView
}

// cached is a field that was read before: a table keeps its identity, a long text is converted
// once.
type cached struct {
	key string
	val goja.Value
}

// cacheLinear is how many fields are kept without a map: few handlers read more tables than that.
const cacheLinear = 2

func (o *objectView) source() any {
	if o.m != nil {
		return o.m
	}
	return o.obj
}

func (o *objectView) lookup(key string) (any, bool) {
	if o.obj != nil {
		return o.obj.Get(key)
	}
	x, ok := o.m[key]
	return x, ok
}

// Get implements goja.DynamicObject.
func (o *objectView) Get(key string) goja.Value {
	for i := range o.cache[:o.used] {
		if o.cache[i].key == key {
			return o.cache[i].val
		}
	}
	if val, ok := o.index[key]; ok {
		return val
	}
	x, ok := o.lookup(key)
	if !ok {
		o.missing(key)
		return nil
	}
	if cheap(x) {
		return o.cheapValue(x)
	}
	val := o.below(key, x)
	switch {
	case o.used < cacheLinear:
		o.cache[o.used] = cached{key, val}
		o.used++
	case o.index == nil:
		o.index = map[string]goja.Value{key: val}
	default:
		o.index[key] = val
	}
	return val
}

// cheapValue converts x, which is cheap.
func (o *objectView) cheapValue(x any) goja.Value {
	if text, ok := x.(string); ok {
		if _, ok := o.obj.(*event.Event); ok {
			return o.s.texts.Get(text, o.s.jsText)
		}
	}
	return o.s.view(x)
}

// jsText converts a text.
func (s *values) jsText(text string) goja.Value { return s.rt.ToValue(text) }

// below converts x, which stands at key.
func (o *objectView) below(key string, x any) goja.Value {
	shape := event.ShapeBelow(o.obj, o.keys(), key)
	if table, ok := x.(map[string]any); ok && o.spare != nil {
		view := o.spare
		o.spare = nil
		*view = objectView{s: o.s, m: table, shape: shape}
		return o.s.rt.NewDynamicObject(view)
	}
	return o.s.shaped(x, shape)
}

// keys is the shape of the object.
func (o *objectView) keys() *value.Shape {
	if s, ok := o.obj.(value.Shaped); ok {
		return s.Shape()
	}
	return o.shape
}

// missing throws if key is none that the object may have, and none that the language itself asks
// for or that every object has.
func (o *objectView) missing(key string) {
	err := o.s.run().CheckKey(o.keys(), key)
	if err == nil || o.s.asking > 0 || key == "then" || key == "toJSON" ||
		o.s.objProto.Get(key) != nil {
		return
	}
	panic(o.s.rt.NewTypeError("%s", err.Error()))
}

// cheapText is up to which length, in bytes, it costs less to convert a text again than to keep it.
const cheapText = 128

// cheap reports whether x is not worth keeping.
func cheap(x any) bool {
	switch x := x.(type) {
	case string:
		return len(x) <= cheapText
	case nil, bool, float64, int:
		return true
	}
	return false
}

// Has implements goja.DynamicObject.
func (o *objectView) Has(key string) bool {
	_, ok := o.lookup(key)
	return ok
}

// Keys implements goja.DynamicObject; the order is the same at every run.
func (o *objectView) Keys() []string {
	if o.obj == nil {
		return value.SortedKeys(o.m)
	}
	var keys []string
	for _, key := range o.obj.Keys() {
		if _, ok := o.obj.Get(key); ok { // what turns out to have no value is not there
			keys = append(keys, key)
		}
	}
	return keys
}

// Set implements goja.DynamicObject: it throws.
func (o *objectView) Set(string, goja.Value) bool { panic(o.s.rt.NewTypeError(readOnly)) }

// Delete implements goja.DynamicObject: it throws.
func (o *objectView) Delete(string) bool { panic(o.s.rt.NewTypeError(readOnly)) }

// listView is a view of a list. It implements goja.DynamicArray.
type listView struct {
	s     *values
	src   any
	n     int
	at    func(int) any
	items *value.Shape   // of each item, nil = not known
	cache map[int]*items // the items that were read, by i / itemsKept
}

// itemsKept is how many items of a list are kept together: who reads one of ten thousand pays for
// no more than these.
const itemsKept = 16

type items [itemsKept]goja.Value

func (l *listView) source() any { return l.src }

// Len implements goja.DynamicArray.
func (l *listView) Len() int { return l.n }

// Get implements goja.DynamicArray.
func (l *listView) Get(i int) goja.Value {
	if i < 0 || i >= l.n {
		return nil
	}
	near := l.cache[i/itemsKept]
	if near == nil {
		if l.cache == nil {
			l.cache = map[int]*items{}
		}
		near = &items{}
		l.cache[i/itemsKept] = near
	}
	item := &near[i%itemsKept]
	if *item == nil {
		*item = l.s.shaped(l.at(i), l.items)
	}
	return *item
}

// Set implements goja.DynamicArray: it throws.
func (l *listView) Set(int, goja.Value) bool { panic(l.s.rt.NewTypeError(readOnly)) }

// SetLen implements goja.DynamicArray: it throws.
func (l *listView) SetLen(int) bool { panic(l.s.rt.NewTypeError(readOnly)) }

// askOnly lets the functions that tell of one property ask a view for a key that it cannot have, as
// `in` and hasOwnProperty do: only to read it is an error.
func (s *values) askOnly() {
	ask := func(call goja.FunctionCall, orig rawFunc) goja.Value {
		s.asking++
		defer func() { s.asking-- }()
		return orig(call)
	}
	object := s.rt.Get("Object").(*goja.Object)
	s.wrap(object, "getOwnPropertyDescriptor", ask)
	s.wrap(object.Get("prototype").(*goja.Object), "propertyIsEnumerable", ask)
	s.wrap(s.rt.Get("Reflect").(*goja.Object), "getOwnPropertyDescriptor", ask)
}
