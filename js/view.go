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

// view converts an argument of a script's function. Tables and lists become views.
func (s *values) view(x any) goja.Value { return s.shaped(x, nil) }

// shaped is view for a value whose possible keys are known.
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

// exportView returns the view or the secret in obj, nil if it has none. It does not export other
// objects, which could recurse forever.
func exportView(obj *goja.Object) any {
	switch obj.ExportType() {
	case objectViewType, listViewType, secretType:
		return obj.Export()
	}
	return nil
}

// objectView is a view of a table: a map or a value.Object. It implements goja.DynamicObject.
type objectView struct {
	s     *values
	obj   value.Object // alternative to m
	m     map[string]any
	shape *value.Shape // shape of m, or of an obj that does not know its own; nil = unknown
	cache [cacheLinear]cached
	used  int                   // entries used in cache
	index map[string]goja.Value // fields that do not fit into cache
	spare *objectView           // memory for the view of a table in obj; nil = none left
}

// eventView is the view of an event, allocated together with the view of its first table: most
// handlers read one, the arguments.
type eventView struct {
	objectView
	table objectView
}

// cached is a field that was read. Reading a table again returns the same object, and a long text
// is converted once.
type cached struct {
	key string
	val goja.Value
}

// cacheLinear is how many fields are cached without a map: few handlers read more tables.
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

// cheapValue converts x, for which cheap is true.
func (o *objectView) cheapValue(x any) goja.Value {
	if text, ok := x.(string); ok {
		if _, ok := o.obj.(*event.Event); ok {
			return o.s.texts.Get(text, o.s.jsText)
		}
	}
	return o.s.view(x)
}

// jsText converts a string.
func (s *values) jsText(text string) goja.Value { return s.rt.ToValue(text) }

// below converts x, the value of key.
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

// keys returns the shape of the object.
func (o *objectView) keys() *value.Shape {
	if s, ok := o.obj.(value.Shaped); ok {
		return s.Shape()
	}
	return o.shape
}

// missing throws if the object cannot have key, unless the language itself reads key or every
// object has it.
func (o *objectView) missing(key string) {
	err := o.s.run().CheckKey(o.keys(), key)
	if err == nil || o.s.asking > 0 || key == "then" || key == "toJSON" ||
		o.s.realm.objProto.Get(key) != nil {
		return
	}
	panic(o.s.rt.NewTypeError("%s", err.Error()))
}

// cheapText is the length in bytes up to which converting a text again costs less than caching it.
const cheapText = 128

// cheap reports whether x is not worth caching.
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

// Keys implements goja.DynamicObject. The order is always the same.
func (o *objectView) Keys() []string {
	if o.obj == nil {
		return value.SortedKeys(o.m)
	}
	var keys []string
	for _, key := range o.obj.Keys() {
		if _, ok := o.obj.Get(key); ok { // keys without a value are left out
			keys = append(keys, key)
		}
	}
	return keys
}

// Set implements goja.DynamicObject. It throws.
func (o *objectView) Set(string, goja.Value) bool { panic(o.s.rt.NewTypeError(readOnly)) }

// Delete implements goja.DynamicObject. It throws.
func (o *objectView) Delete(string) bool { panic(o.s.rt.NewTypeError(readOnly)) }

// listView is a view of a list. It implements goja.DynamicArray.
type listView struct {
	s     *values
	src   any
	n     int
	at    func(int) any
	items *value.Shape   // shape of each item, nil = unknown
	cache map[int]*items // items that were read, by i / itemsKept
}

// itemsKept is how many items of a list are cached together: reading one of ten thousand allocates
// only these.
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

// Set implements goja.DynamicArray. It throws.
func (l *listView) Set(int, goja.Value) bool { panic(l.s.rt.NewTypeError(readOnly)) }

// SetLen implements goja.DynamicArray. It throws.
func (l *listView) SetLen(int) bool { panic(l.s.rt.NewTypeError(readOnly)) }

// askOnly lets functions that test for a property, such as `in` and hasOwnProperty, ask a view for
// a key that it cannot have. Only reading such a key is an error.
func (s *values) askOnly() {
	object := s.rt.Get("Object").(*goja.Object)
	s.realm.wrap(object, "getOwnPropertyDescriptor", s.askKey)
	s.realm.wrap(object.Get("prototype").(*goja.Object), "propertyIsEnumerable", s.askKey)
}

// askKey is the guard of a function that tests for a property.
func (s *values) askKey(call goja.FunctionCall, orig rawFunc) goja.Value {
	s.asking++
	defer func() { s.asking-- }()
	return orig(call)
}
