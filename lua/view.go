// This file holds views: event data as scripts see it, read-only and converted only when it is
// read.

package lua

import (
	"fmt"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// readOnly is the error for writing to a view.
const readOnly = "event data is read-only: return the field instead (ext.copy gives a table you " +
	"can change)"

// object implements value.Object for a map.
type object map[string]any

func (o object) Get(key string) (any, bool) { v, ok := o[key]; return v, ok }
func (o object) Keys() []string             { return value.SortedKeys(o) }

// list and stringList implement value.List for slices.
type (
	list       []any
	stringList []string
)

func (l list) Len() int           { return len(l) }
func (l list) At(i int) any       { return l[i] }
func (l stringList) Len() int     { return len(l) }
func (l stringList) At(i int) any { return l[i] }

// view is the value of a userdata for an Object or a List. It is small, because each handler gets
// new ones.
type view struct {
	s    *values
	obj  value.Object
	list value.List // instead of obj
	// shape is the shape of raw, or of an obj that does not know its own; nil = unknown.
	shape *value.Shape

	// the compound value that was read first, so that reading it again returns the same value
	first     string
	firstView glua.LValue
	more      *viewMore // nil = nothing yet

	spare *viewData // memory for the view of a table in obj; nil = none left
}

// viewMore has the fields that few views need.
type viewMore struct {
	keys []string // keys of obj, set at the first use
	hint int      // position in keys of the last iteration

	// like firstView, for other names
	named map[string]glua.LValue
	items map[int]glua.LValue
}

// rest returns v.more. It makes it if it is nil.
func (v *view) rest() *viewMore {
	if v.more == nil {
		v.more = &viewMore{}
	}
	return v.more
}

// raw returns the value that v is a view of.
func (v *view) raw() any {
	switch obj := v.obj.(type) {
	case nil:
	case object:
		return map[string]any(obj)
	default:
		return obj
	}
	switch l := v.list.(type) {
	case list:
		return []any(l)
	case stringList:
		return []string(l)
	}
	return v.list
}

// viewData is a view allocated together with its userdata.
type viewData struct {
	view
	ud glua.LUserData
}

// eventView is the view of an event, allocated together with the view of its first table: most
// handlers read one, the arguments.
type eventView struct {
	viewData
	table viewData
}

// newView makes the userdata of a view.
func (s *values) newView(obj value.Object, list value.List, shape *value.Shape) *glua.LUserData {
	v := &viewData{}
	v.obj, v.list, v.shape = obj, list, shape
	return s.initView(v)
}

// initView makes the userdata of v, in which only the source of the view is set.
func (s *values) initView(v *viewData) *glua.LUserData {
	v.s = s
	v.ud.Value, v.ud.Env, v.ud.Metatable = &v.view, s.base.Env, s.meta.view
	return &v.ud
}

// newEventView makes the userdata of the view of an event.
func (s *values) newEventView(ev *event.Event) *glua.LUserData {
	v := &eventView{}
	v.obj, v.spare = ev, &v.table
	return s.initView(&v.viewData)
}

// getKey returns the value at key, nil if there is none.
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
	if v.more != nil {
		if l, ok := v.more.named[key]; ok {
			return l
		}
	}
	raw, ok := v.obj.Get(key)
	if !ok {
		return glua.LNil
	}
	l := v.s.orNull(v.converted(raw, key))
	if !compound(l) {
		return l
	}
	if v.firstView == nil {
		v.first, v.firstView = key, l
		return l
	}
	more := v.rest()
	if more.named == nil {
		more.named = map[string]glua.LValue{}
	}
	more.named[key] = l
	return l
}

// keysShape returns the shape of the view.
func (v *view) keysShape() *value.Shape {
	if s, ok := v.obj.(value.Shaped); ok {
		return s.Shape()
	}
	return v.shape
}

// readField is getKey for a script that reads a field: reading an impossible key is an error.
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

// item returns item i, 1-based.
func (v *view) item(i int) glua.LValue {
	if i < 1 || i > v.list.Len() {
		return glua.LNil
	}
	if v.more != nil {
		if l, ok := v.more.items[i]; ok {
			return l
		}
	}
	l := v.s.orNull(v.s.shaped(v.list.At(i-1), v.shape.Items()))
	if compound(l) {
		more := v.rest()
		if more.items == nil {
			more.items = map[int]glua.LValue{}
		}
		more.items[i] = l
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

// nextKey implements next(v, key). It returns the entry after key in the order of the keys. ok is
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
	more := v.rest()
	if more.keys == nil {
		more.keys = v.obj.Keys()
	}
	i := 0
	if key != glua.LNil {
		s, isString := key.(glua.LString)
		if i = more.indexOf(string(s)); !isString || i < 0 {
			return nil, nil, false
		}
		i++
	}
	for ; i < len(more.keys); i++ {
		if value := v.field(more.keys[i]); value != glua.LNil {
			more.hint = i
			return glua.LString(more.keys[i]), value, true
		}
	}
	return glua.LNil, glua.LNil, true
}

func (m *viewMore) indexOf(key string) int {
	if m.hint < len(m.keys) && m.keys[m.hint] == key {
		return m.hint
	}
	for i, k := range m.keys {
		if k == key {
			return i
		}
	}
	return -1
}

// metatables are the metatables that the values of one VM share.
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
		L.Push(glua.LString(s.failures.thrownMessage(t)))
		return 1
	})
	m.worldError.RawSetString("__tostring", m.errorText)
	return m
}

// setValues makes the data that all values of the VM share.
func (s *values) setValues() {
	s.meta = s.newMetatables()
	s.null = &glua.LUserData{Env: s.base.Env, Metatable: s.meta.null}
}

// viewOf returns the view in v, nil if v is not a view.
func viewOf(v glua.LValue) *view {
	if ud, ok := v.(*glua.LUserData); ok {
		w, _ := ud.Value.(*view)
		return w
	}
	return nil
}

// view converts an argument of a call from Go. Data becomes a read-only view.
func (s *values) view(v any) glua.LValue {
	if ev, ok := v.(*event.Event); ok {
		if s.last.event != ev {
			s.last.event, s.last.view = ev, s.newEventView(ev)
		}
		return s.last.view
	}
	return s.lazy(v)
}

// converted is lazy for raw, the value at key of the view.
func (v *view) converted(raw any, key string) glua.LValue {
	switch raw := raw.(type) {
	case string:
		if _, ok := v.obj.(*event.Event); ok {
			return v.s.texts.Get(raw, luaText)
		}
		return glua.LString(raw)
	case nil, bool, float64:
		return v.s.shaped(raw, nil)
	}
	shape := event.ShapeBelow(v.obj, v.keysShape(), key)
	if table, ok := raw.(map[string]any); ok && v.spare != nil {
		data := v.spare
		v.spare = nil
		data.obj, data.shape = object(table), shape
		return v.s.initView(data)
	}
	return v.s.shaped(raw, shape)
}

func luaText(s string) glua.LValue { return glua.LString(s) }

// shaped is lazy for a value whose possible keys are known.
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
		return s.newView(object(v), nil, shape)
	case value.Object:
		return s.newView(v, nil, shape)
	case []any:
		return s.newView(nil, list(v), shape)
	case []string:
		return s.newView(nil, stringList(v), nil)
	case value.List:
		return s.newView(nil, v, shape)
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
	// a bug in the program; the boundary recovers
	panic(fmt.Sprintf("a %T cannot be given to a script", v))
}

// lazy converts v. Compound values become views.
func (s *values) lazy(v any) glua.LValue { return s.shaped(v, nil) }
