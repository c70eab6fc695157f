// This file holds views: event data as scripts see it, read-only and converted only where it is
// read.

package lua

import (
	"fmt"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// readOnly is what writing to a view says.
const readOnly = "event data is read-only: return the field instead (ext.copy gives a table you can change)"

// object is a map as a value.Object.
type object map[string]any

func (o object) Get(key string) (any, bool) { v, ok := o[key]; return v, ok }
func (o object) Keys() []string             { return value.SortedKeys(o) }

// list and stringList are slices as a value.List.
type (
	list       []any
	stringList []string
)

func (l list) Len() int           { return len(l) }
func (l list) At(i int) any       { return l[i] }
func (l stringList) Len() int     { return len(l) }
func (l stringList) At(i int) any { return l[i] }

// view is the value of a userdata that stands for an Object or a List.
type view struct {
	s    *values
	raw  any // what Go gets back
	obj  value.Object
	list value.List // instead of obj
	// shape is that of raw, or of an obj that does not know its own; nil = not known.
	shape *value.Shape

	keys []string // of obj, once they were asked for
	hint int      // where in keys the last iteration was

	// What was compound when it was read, so that reading it again gives the same value.
	first     string
	firstView glua.LValue
	named     map[string]glua.LValue
	items     map[int]glua.LValue
}

// newView makes the userdata of a view, in one piece with it.
func (s *values) newView(raw any, obj value.Object, list value.List,
	shape *value.Shape) *glua.LUserData {
	v := &struct {
		view
		ud glua.LUserData
	}{view: view{s: s, raw: raw, obj: obj, list: list, shape: shape}}
	v.ud = glua.LUserData{Value: &v.view, Env: s.base.Env, Metatable: s.meta.view}
	return &v.ud
}

// getKey returns what is at key; nil if nothing is.
func (v *view) getKey(key glua.LValue) glua.LValue {
	switch k := key.(type) {
	case glua.LString:
		if v.obj != nil {
			return v.field(string(k))
		}
	case glua.LNumber:
		if v.list != nil && k == glua.LNumber(int(k)) {
			return v.item(int(k))
		}
	}
	return glua.LNil
}

func (v *view) field(key string) glua.LValue {
	if v.firstView != nil && v.first == key {
		return v.firstView
	}
	if l, ok := v.named[key]; ok {
		return l
	}
	raw, ok := v.obj.Get(key)
	if !ok {
		return glua.LNil
	}
	l := v.s.orNull(v.s.shapedIn(raw, v, key))
	if !compound(l) {
		return l
	}
	if v.firstView == nil {
		v.first, v.firstView = key, l
		return l
	}
	if v.named == nil {
		v.named = map[string]glua.LValue{}
	}
	v.named[key] = l
	return l
}

// keysShape is the shape of the view.
func (v *view) keysShape() *value.Shape {
	if s, ok := v.obj.(value.Shaped); ok {
		return s.Shape()
	}
	return v.shape
}

// readField is get for a script that reads a field: to ask for one that cannot be there is an
// error.
func (v *view) readField(L *glua.LState, key glua.LValue) glua.LValue {
	l := v.getKey(key)
	if l != glua.LNil || v.obj == nil {
		return l
	}
	name := glua.LVAsString(key)
	if err := activationOf(L).run.CheckKey(v.keysShape(), name); err != nil {
		raisef(L, "%s", err.Error())
	}
	return l
}

// item is 1-based.
func (v *view) item(i int) glua.LValue {
	if i < 1 || i > v.list.Len() {
		return glua.LNil
	}
	if l, ok := v.items[i]; ok {
		return l
	}
	l := v.s.orNull(v.s.shaped(v.list.At(i-1), v.shape.Items()))
	if compound(l) {
		if v.items == nil {
			v.items = map[int]glua.LValue{}
		}
		v.items[i] = l
	}
	return l
}

func compound(l glua.LValue) bool {
	switch l.(type) {
	case *glua.LUserData, *glua.LFunction, *glua.LTable:
		return true
	}
	return false
}

func (v *view) len() int {
	if v.list != nil {
		return v.list.Len()
	}
	return 0
}

// nextKey implements next(v, key): it returns the entry after key in the order of the keys. ok is
// false if v has no such key.
func (v *view) nextKey(key glua.LValue) (k, value glua.LValue, ok bool) {
	if v.list != nil {
		n, isNumber := key.(glua.LNumber)
		if key != glua.LNil && (!isNumber || n < 1 || int(n) > v.list.Len()) {
			return nil, nil, false
		}
		i := int(n) + 1
		if i > v.list.Len() {
			return glua.LNil, glua.LNil, true
		}
		return glua.LNumber(i), v.item(i), true
	}
	if v.keys == nil {
		v.keys = v.obj.Keys()
	}
	i := 0
	if key != glua.LNil {
		s, isString := key.(glua.LString)
		if i = v.indexOf(string(s)); !isString || i < 0 {
			return nil, nil, false
		}
		i++
	}
	for ; i < len(v.keys); i++ {
		if value := v.field(v.keys[i]); value != glua.LNil {
			v.hint = i
			return glua.LString(v.keys[i]), value, true
		}
	}
	return glua.LNil, glua.LNil, true
}

func (v *view) indexOf(key string) int {
	if v.hint < len(v.keys) && v.keys[v.hint] == key {
		return v.hint
	}
	for i, k := range v.keys {
		if k == key {
			return i
		}
	}
	return -1
}

// metatables are the metatables that values of one VM share.
type metatables struct {
	view, null, list, worldError, secret *glua.LTable
	errorText                            *glua.LFunction // tostring of error tables
}

func (s *values) newMetatables() metatables {
	L := s.base
	small := func() *glua.LTable { return L.CreateTable(0, 4) } // NewTable has room for 64 values
	m := metatables{view: small(), null: small(), list: small(), worldError: small(),
		secret: small()}
	for _, t := range []*glua.LTable{m.view, m.null, m.list, m.worldError, m.secret} {
		t.RawSetString("__metatable", glua.LFalse)
	}
	set := func(t *glua.LTable, name string, f glua.LGFunction) {
		t.RawSetString(name,
			L.NewFunction(f))
	}
	set(m.view, "__index", func(L *glua.LState) int {
		L.Push(L.Get(1).(*glua.LUserData).Value.(*view).readField(L, L.Get(2)))
		return 1
	})
	set(m.view, "__newindex", func(L *glua.LState) int {
		L.RawSet(writable(L, 1), L.Get(2), L.Get(3))
		return 0
	})
	set(m.view, "__len", func(L *glua.LState) int {
		L.Push(glua.LNumber(L.Get(1).(*glua.LUserData).Value.(*view).len()))
		return 1
	})
	set(m.null, "__tostring", func(L *glua.LState) int {
		L.Push(glua.LString("null"))
		return 1
	})
	set(m.secret, "__tostring", func(L *glua.LState) int {
		L.Push(glua.LString(L.Get(1).(*glua.LUserData).Value.(*value.Secret).String()))
		return 1
	})
	m.errorText = L.NewFunction(func(L *glua.LState) int {
		t, ok := L.Get(1).(*glua.LTable)
		if !ok {
			return 0
		}
		L.Push(glua.LString(s.failures.tableMessage(t)))
		return 1
	})
	m.worldError.RawSetString("__tostring", m.errorText)
	return m
}

// setValues makes what all values of the VM share.
func (s *values) setValues() {
	s.meta = s.newMetatables()
	s.null = &glua.LUserData{Env: s.base.Env, Metatable: s.meta.null}
}

// viewOf returns the view that v is, or nil.
func viewOf(v glua.LValue) *view {
	if ud, ok := v.(*glua.LUserData); ok {
		w, _ := ud.Value.(*view)
		return w
	}
	return nil
}

// view converts an argument of a call from Go: data becomes a read-only view.
func (s *values) view(v any) glua.LValue {
	if ev, ok := v.(*event.Event); ok {
		if s.last.event != ev {
			s.last.event, s.last.view = ev, s.newView(ev, ev, nil, nil)
		}
		return s.last.view
	}
	return s.lazy(v)
}

// shapedIn is lazy for what stands at a key of a view.
func (s *values) shapedIn(v any, in *view, key string) glua.LValue {
	switch v.(type) {
	case nil, string, bool, float64:
		return s.shaped(v, nil)
	}
	return s.shaped(v, event.ShapeBelow(in.obj, in.keysShape(), key))
}

// shaped is lazy for a value of which it is known what keys it may have.
func (s *values) shaped(v any, shape *value.Shape) glua.LValue {
	switch v := v.(type) {
	case nil:
		return glua.LNil
	case string:
		return glua.LString(v)
	case bool:
		return glua.LBool(v)
	case float64:
		return glua.LNumber(v)
	case *value.Lazy:
		return s.shaped(v.Value(), shape)
	case value.Typed:
		return s.shaped(v.Value, v.Shape)
	case map[string]any:
		return s.newView(v, object(v), nil, shape)
	case value.Object:
		return s.newView(v, v, nil, shape)
	case []any:
		return s.newView(v, nil, list(v), shape)
	case []string:
		return s.newView(v, nil, stringList(v), nil)
	case value.List:
		return s.newView(v, nil, v, shape)
	case *engine.Builtin:
		return s.builtin(v)
	case *value.Secret:
		return &glua.LUserData{Value: v, Env: s.base.Env, Metatable: s.meta.secret}
	case *function:
		if v.vm.values == s {
			return v.fn
		}
	}
	if n, ok := value.Number(v); ok {
		return glua.LNumber(n)
	}
	// a mistake in the program; recovered at the boundary
	panic(fmt.Sprintf("a %T cannot be given to a script", v))
}

// lazy converts v; what is compound becomes a view.
func (s *values) lazy(v any) glua.LValue { return s.shaped(v, nil) }
