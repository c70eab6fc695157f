// This file converts values between Go and Lua.

package lua

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// pollEvery is how many steps a built-in function may take before it checks for an interrupt.
const pollEvery = 4096

// values converts values between Go and the script, and makes the views.
type values struct {
	*realm
	failures *failures
	gen      *engine.Generation
	function func(*glua.LFunction) *function
	fact     func(*engine.APIRow) any // of ext
	// member returns a member of a namespace, or the row of the fact that it is
	member  func(*namespace, string) (glua.LValue, *engine.APIRow)
	builtin func(*engine.Builtin) *glua.LFunction // makes the function of an API function

	meta metatables
	null *glua.LUserData
	last struct { // the last converted event: many handlers of a VM get the same one
		event *event.Event
		view  *glua.LUserData
	}
	texts value.Recent[glua.LValue] // of the fields of events
}

// errInherits is the error for a table that may look empty and is not. As {} it would mean
// "continue".
var errInherits = errors.New("a table that inherits keys (__index of its metatable), want plain " +
	"data")

// value converts v. Maps and lists become ordinary tables. A nil in them becomes ext.null.
func (s *values) value(v any) (glua.LValue, error) { return s.real(v, 0) }

func (s *values) real(v any, depth int) (glua.LValue, error) {
	if depth > value.MaxDepth {
		return nil, value.ErrDepth
	}
	switch v := v.(type) {
	case *value.Lazy:
		return s.real(v.Value(), depth)
	case map[string]any:
		return s.object(object(v), depth)
	case value.Object:
		return s.object(v, depth)
	case []any:
		return s.array(len(v), func(i int) any { return v[i] }, depth)
	case []string:
		t := s.base.CreateTable(len(v), 0)
		for _, s := range v {
			t.Append(glua.LString(s))
		}
		t.Metatable = s.meta.list
		return t, nil
	case value.List:
		return s.array(v.Len(), func(i int) any { return v.At(i) }, depth)
	}
	return s.lazy(v), nil
}

func (s *values) object(o value.Object, depth int) (glua.LValue, error) {
	keys := o.Keys()
	t := s.base.CreateTable(0, len(keys))
	for _, k := range keys {
		v, ok := o.Get(k)
		if !ok {
			continue
		}
		l, err := s.real(v, depth+1)
		if err != nil {
			return nil, err
		}
		t.RawSetString(k, s.orNull(l))
	}
	return t, nil
}

func (s *values) array(n int, at func(int) any, depth int) (glua.LValue, error) {
	t := s.base.CreateTable(n, 0)
	for i := range n {
		l, err := s.real(at(i), depth+1)
		if err != nil {
			return nil, err
		}
		t.RawSetInt(i+1, s.orNull(l))
	}
	t.Metatable = s.meta.list
	return t, nil
}

func (s *values) orNull(v glua.LValue) glua.LValue {
	if v == glua.LNil {
		return s.null
	}
	return v
}

// result converts the return value of a function. Views are copied. functions says whether
// functions are allowed.
func (s *values) result(v glua.LValue, functions bool) (any, error) {
	switch v := v.(type) { // the most frequent results of handlers
	case *glua.LNilType:
		return nil, nil
	case glua.LString:
		return valid(v), nil
	}
	d := decoder{values: s, plain: true, functions: functions}
	return d.decodeValue(v)
}

// plain converts v to plain data. Views are copied.
func (s *values) plain(v glua.LValue) (any, error) { return s.result(v, false) }

// valid returns s as valid UTF-8. Functions that cut strings at bytes may cut a character, and
// neither a model nor a file accepts the rest of one.
func valid(s glua.LString) string { return strings.ToValidUTF8(string(s), "\uFFFD") }

// data converts an argument of a host function. Views become the Go values behind them.
func (s *values) data(v glua.LValue) (any, error) {
	d := decoder{values: s}
	return d.decodeValue(v)
}

// decoder converts one Lua value to Go.
type decoder struct {
	values    *values
	plain     bool
	functions bool // functions are allowed, even if plain is set
	made      int
	path      []*glua.LTable // the tables that are being converted
}

func (d *decoder) decodeValue(v glua.LValue) (any, error) {
	if d.made++; d.made > value.MaxValues {
		return nil, value.ErrValues
	}
	if d.made%pollEvery == 0 {
		if stop := d.values.stopping(); stop != nil {
			return nil, stop
		}
	}
	switch v := v.(type) {
	case *glua.LNilType:
		return nil, nil
	case glua.LBool:
		return bool(v), nil
	case glua.LNumber:
		return float64(v), nil
	case glua.LString:
		if len(v) > pollEvery && d.values.charge.Take(len(v)) {
			if stop := d.values.stopping(); stop != nil {
				return nil, stop
			}
		}
		if d.plain {
			return valid(v), nil
		}
		return string(v), nil
	case *glua.LTable:
		return d.table(v)
	case *glua.LFunction:
		if d.plain && !d.functions {
			return nil, errors.New("a function, want plain data")
		}
		return vm.HandOut(d.values.gen.Handed(), d.values.function(v)), nil
	case *glua.LUserData:
		if v == d.values.null {
			return nil, nil
		}
		if w, ok := v.Value.(*view); ok {
			return d.view(w.raw())
		}
		if ns, ok := v.Value.(*namespace); ok && !d.plain {
			return d.namespace(ns)
		}
		if s, ok := v.Value.(*value.Secret); ok {
			if d.plain {
				return s.String(), nil
			}
			return s, nil
		}
	}
	return nil, fmt.Errorf("a %s, want plain data", typeName(v))
}

// view converts the value behind a view.
func (d *decoder) view(src any) (any, error) {
	if _, kept := src.(chat.Kept); kept || !d.plain {
		return src, nil
	}
	return value.Plain(src)
}

// namespace converts ext, or a table in it, so that a log shows its names. As data it is rejected.
func (d *decoder) namespace(ns *namespace) (any, error) {
	m := map[string]any{}
	for _, name := range ns.names {
		member, fact := d.values.member(ns, name)
		if fact != nil {
			m[name] = d.values.fact(fact)
			continue
		}
		v, err := d.decodeValue(member)
		if err != nil {
			return nil, err
		}
		m[name] = v
	}
	return m, nil
}

// table converts a table: to a list if its keys are 1 to n or it is marked as one, else to a map.
func (d *decoder) table(t *glua.LTable) (any, error) {
	for _, p := range d.path {
		if p == t {
			return nil, value.ErrCycle
		}
	}
	if len(d.path) > value.MaxDepth {
		return nil, value.ErrDepth
	}
	if mt, ok := t.Metatable.(*glua.LTable); ok && mt != d.values.meta.list &&
		mt.RawGetString("__index") != glua.LNil {
		return nil, errInherits
	}
	d.path = append(d.path, t)
	defer func() { d.path = d.path[:len(d.path)-1] }()
	key, val := t.Next(glua.LNil)
	if key == glua.LNil {
		if t.Metatable == d.values.meta.list {
			return []any{}, nil
		}
		return map[string]any{}, nil
	}
	if _, ok := key.(glua.LString); ok {
		return d.object(t, key, val)
	}
	return d.list(t, key, val)
}

func (d *decoder) object(t *glua.LTable, key, val glua.LValue) (any, error) {
	m := map[string]any{}
	for ; key != glua.LNil; key, val = t.Next(key) {
		k, ok := key.(glua.LString)
		if !ok {
			return nil, fmt.Errorf("a table with both names and the key %s", keyText(key))
		}
		v, err := d.decodeValue(val)
		if err != nil {
			return nil, value.InKey(pathKey(key), err)
		}
		m[valid(k)] = v
	}
	if t.Metatable == d.values.meta.list {
		return nil, fmt.Errorf("a list with the key %s",
			keyText(glua.LString(value.SortedKeys(m)[0])))
	}
	return m, nil
}

func (d *decoder) list(t *glua.LTable, key, val glua.LValue) (any, error) {
	l := make([]any, 0, t.Len())
	for ; key != glua.LNil; key, val = t.Next(key) {
		if n, ok := key.(glua.LNumber); !ok {
			if _, ok := key.(glua.LString); !ok {
				return nil, fmt.Errorf("a table with the key %s: keys are names, or 1 to n",
					keyText(key))
			}
			return nil, fmt.Errorf("a table with both list items and the key %s", keyText(key))
		} else if float64(n) != float64(len(l)+1) {
			if math.IsNaN(float64(n)) {
				return nil, errors.New("a table with the key NaN")
			}
			return nil, fmt.Errorf(
				"a list with a gap: it has the key %s, but not [%d] (ext.null fills gaps)",
				keyText(key), len(l)+1)
		}
		v, err := d.decodeValue(val)
		if err != nil {
			return nil, value.InKey(pathKey(key), err)
		}
		l = append(l, v)
	}
	return l, nil
}

// pathKey returns a key as a part of a path: ".a", "[2]".
func pathKey(key glua.LValue) string {
	if s, ok := key.(glua.LString); ok && isName(string(s)) {
		return "." + string(s)
	}
	return keyText(key)
}

func keyText(key glua.LValue) string {
	switch k := key.(type) {
	case glua.LString:
		return strconv.Quote(string(k))
	case glua.LNumber:
		return "[" + k.String() + "]"
	}
	return "[a " + typeName(key) + "]"
}

// isName reports whether s can stand after a dot.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') &&
			(i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// typeName returns type(v) as scripts see it: views are tables.
func typeName(v glua.LValue) string {
	if ud, ok := v.(*glua.LUserData); ok {
		switch ud.Value.(type) {
		case *view, *namespace:
			return "table"
		}
	}
	return v.Type().String()
}
