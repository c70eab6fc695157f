// This file converts values between Go and JavaScript by copying them.

package js

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// pollEvery is how many steps a built-in function may take before it checks for an interrupt.
const pollEvery = 1024

// errHidden is the error for an object that looks empty and is not. As {} it would mean "continue".
var errHidden = errors.New(
	"an object whose keys are symbols or not enumerable, want plain data: {block: true}")

var proxyType = reflect.TypeOf(goja.Proxy{})

// values converts values between Go and the script, and makes the views.
type values struct {
	realm    *realm
	rt       *goja.Runtime // that of realm
	failures *failures
	gen      *engine.Generation
	builtin  func(*engine.Builtin) goja.Value // makes the function for a row
	function func(*goja.Object, goja.Callable) *function
	run      func() *engine.Run // the run whose code reads a view; nil = none

	event     *event.Event // the last converted event, and its view
	eventView *goja.Object
	asking    int // how many tests for a key are running: see askOnly

	texts value.Recent[goja.Value] // of the fields of events
}

// result converts the return value of a function to plain data. Views are copied. functions says
// whether functions are allowed.
func (s *values) result(val goja.Value, functions bool) (any, error) {
	var p any
	var err error
	if _, ok := val.(*goja.Object); !ok {
		p, err = primitive(val)
	} else if ex := s.rt.Try(func() {
		p, err = (&decoder{values: s, plain: true, functions: functions}).decodeValue(val)
	}); ex != nil {
		return nil, s.failures.scriptError(ex)
	}
	if err != nil {
		return nil, &fault.ScriptError{Position: fault.Position{File: s.failures.name},
			Message: "returned " + err.Error()}
	}
	return p, nil
}

// plain converts val to plain data. Views are copied. Getters of the script may run; what they
// throw is not caught.
func (s *values) plain(val goja.Value) (any, error) {
	return (&decoder{values: s, plain: true}).decodeValue(val)
}

// data converts an argument of an API function. Functions become engine.Func, and views become the
// Go values behind them.
func (s *values) data(val goja.Value) (any, error) {
	return (&decoder{values: s}).decodeValue(val)
}

// decoder converts one value of the script to Go.
type decoder struct {
	values    *values
	plain     bool
	functions bool // functions are allowed, even if plain is set
	made      int
	path      []*goja.Object
}

func (d *decoder) decodeValue(val goja.Value) (any, error) {
	if d.made++; d.made > value.MaxValues {
		return nil, value.ErrValues
	}
	if d.made%pollEvery == 0 {
		d.values.realm.meter.poll()
	}
	obj, ok := val.(*goja.Object)
	if !ok {
		if s, ok := val.(goja.String); ok && s.Length() > pollEvery {
			d.values.realm.meter.poll()
			d.values.realm.meter.take(bytesOf(s))
		}
		return primitive(val)
	}
	switch x := exportView(obj).(type) {
	case *objectView:
		return d.view(x.source())
	case *listView:
		return d.view(x.source())
	case *secretHandle:
		if !d.plain {
			return x.secret, nil
		}
		return x.secret.String(), nil
	}
	if fn, ok := goja.AssertFunction(obj); ok {
		if d.plain && !d.functions {
			return nil, errors.New("a function, want plain data")
		}
		return vm.HandOut(d.values.gen.Handed(), d.values.function(obj, fn)), nil
	}
	return d.table(obj)
}

func primitive(val goja.Value) (any, error) {
	if val == nil || goja.IsUndefined(val) || goja.IsNull(val) {
		return nil, nil
	}
	if _, ok := val.(*goja.Symbol); ok {
		return nil, errors.New("a symbol, want plain data")
	}
	switch x := val.Export().(type) {
	case bool, string, float64:
		return x, nil
	case int64:
		return float64(x), nil
	}
	return nil, errors.New("a BigInt, want a number or a string")
}

func (d *decoder) view(src any) (any, error) {
	if _, ok := src.(chat.Kept); ok || !d.plain {
		return src, nil
	}
	return value.Plain(src)
}

func (d *decoder) table(obj *goja.Object) (any, error) {
	for _, p := range d.path {
		if p == obj {
			return nil, value.ErrCycle
		}
	}
	if len(d.path) >= value.MaxDepth {
		return nil, value.ErrDepth
	}
	d.path = append(d.path, obj)
	defer func() { d.path = d.path[:len(d.path)-1] }()
	kind := obj.ExportType()
	if kind == proxyType {
		return nil, errors.New("a Proxy, want plain data: copy it with {...proxy}")
	}
	switch obj.ClassName() {
	case "Array":
		return d.list(obj)
	case "Error":
		return d.values.failures.thrownMessage(obj), nil
	case "Date":
		if t, ok := obj.Export().(time.Time); ok {
			return t.UTC().Format("2006-01-02T15:04:05.000Z07:00"), nil
		}
		return nil, errors.New("an invalid Date")
	case "Object":
		if p := obj.Prototype(); (p == nil || p == d.values.realm.objProto) && kind != promiseType {
			return d.object(obj)
		}
	}
	return nil, d.values.notPlain(obj)
}

func (d *decoder) list(obj *goja.Object) (any, error) {
	n := lengthOf(obj)
	if n > value.MaxValues {
		return nil, value.ErrValues
	}
	out := make([]any, n)
	for i := range out {
		e, err := d.decodeValue(obj.Get(strconv.Itoa(i)))
		if err != nil {
			return nil, value.InKey("["+strconv.Itoa(i+1)+"]", err)
		}
		out[i] = e
	}
	return out, nil
}

func (d *decoder) object(obj *goja.Object) (any, error) {
	keys := obj.Keys()
	if len(keys) == 0 && (len(obj.GetOwnPropertyNames()) > 0 || len(obj.Symbols()) > 0) {
		return nil, errHidden
	}
	out := make(map[string]any, len(keys))
	for _, k := range keys {
		val := obj.Get(k)
		if val == nil && strings.ContainsRune(k, utf8.RuneError) {
			return nil, errors.New("an object with a key that is half a letter")
		}
		if val == nil || goja.IsUndefined(val) {
			continue
		}
		e, err := d.decodeValue(val)
		if err != nil {
			return nil, value.InKey("."+k, err)
		}
		out[k] = e
	}
	return out, nil
}

// notPlain returns an error that says what obj is instead of plain data, and how to fix it.
func (s *values) notPlain(obj *goja.Object) error {
	if obj.ExportType() == promiseType {
		return errors.New("a promise, want plain data: await it")
	}
	name := obj.ClassName()
	if ctor, ok := obj.Get("constructor").(*goja.Object); ok {
		if n := textOf(ctor, "name"); n != "" {
			name = n
		}
	}
	switch name {
	case "Map":
		return errors.New("a Map, want plain data: use Object.fromEntries(map)")
	case "Set":
		return errors.New("a Set, want plain data: use [...set]")
	case "RegExp":
		return errors.New("a RegExp, want plain data: use its text (RE2 syntax)")
	}
	return fmt.Errorf(
		"an instance of %s, want plain data: objects, arrays, strings, numbers, booleans and null",
		name)
}

// lengthOf returns obj.length as the language reads it, at least 0.
func lengthOf(obj *goja.Object) int64 {
	if n, ok := arrayLength(obj); ok {
		return n
	}
	l := obj.Get("length")
	if l == nil {
		return 0
	}
	return max(0, l.ToInteger())
}

// value converts the result of a host function. Maps and lists become ordinary objects and arrays,
// which the script may change.
func (s *values) value(x any) (goja.Value, error) { return s.real(x, 0) }

func (s *values) real(x any, depth int) (goja.Value, error) {
	if depth > value.MaxDepth {
		return nil, value.ErrDepth
	}
	switch x := x.(type) {
	case map[string]any:
		return s.object(value.SortedKeys(x), func(key string) (any, bool) { return x[key], true },
			depth)
	case value.Object:
		return s.object(x.Keys(), x.Get, depth)
	case []any:
		return s.array(len(x), func(i int) any { return x[i] }, depth)
	case []string:
		return s.array(len(x), func(i int) any { return x[i] }, depth)
	case value.List:
		return s.array(x.Len(), func(i int) any { return x.At(i) }, depth)
	case *value.Lazy:
		return s.real(x.Value(), depth)
	}
	return s.scalar(x)
}

func (s *values) array(n int, at func(int) any, depth int) (goja.Value, error) {
	var few [8]any // most arrays are short: these stay on the stack
	items := few[:0]
	if n > len(few) {
		items = make([]any, 0, n)
	}
	for i := range n {
		e, err := s.real(at(i), depth+1)
		if err != nil {
			return nil, err
		}
		items = append(items, e)
	}
	return s.rt.NewArray(items...), nil
}

// object makes an object. It sets the prototype last: without one, setting any key, whatever its
// name, defines it.
func (s *values) object(keys []string, get func(key string) (any, bool), depth int) (goja.Value,
	error) {
	obj := s.rt.CreateObject(nil)
	for _, k := range keys {
		x, ok := get(k)
		if !ok {
			continue
		}
		e, err := s.real(x, depth+1)
		if err != nil {
			return nil, err
		}
		if err := obj.Set(k, e); err != nil {
			return nil, err
		}
	}
	return obj, obj.SetPrototype(s.realm.objProto)
}

// listOf returns the length and the items of a list.
func listOf(x any) (n int, at func(int) any, ok bool) {
	switch x := x.(type) {
	case []any:
		return len(x), func(i int) any { return x[i] }, true
	case []string:
		return len(x), func(i int) any { return x[i] }, true
	case value.List:
		return x.Len(), x.At, true
	}
	return 0, nil, false
}

// scalar converts values that have no parts, and functions.
func (s *values) scalar(x any) (goja.Value, error) {
	switch x := x.(type) {
	case nil:
		return goja.Null(), nil
	case bool, string, float64, int, int64:
		return s.rt.ToValue(x), nil
	case *engine.Builtin:
		return s.builtin(x), nil
	case *value.Secret:
		return s.rt.NewDynamicObject(&secretHandle{s.realm, x}), nil
	case *function:
		if x.vm.values == s {
			return x.obj, nil
		}
	}
	if n, ok := value.Number(x); ok {
		return s.rt.ToValue(n), nil
	}
	return nil, fmt.Errorf("a %T cannot be handed to a script", x)
}

// jsonText returns p as JSON, for messages.
func jsonText(p any) string {
	b, err := json.Marshal(p)
	if err != nil {
		return fmt.Sprint(p)
	}
	return string(b)
}

// copy returns a deep copy of a value of the script.
func (s *values) copy(val goja.Value) goja.Value {
	p, err := s.plain(val)
	if err != nil {
		s.failures.raise(err)
	}
	out, err := s.value(p)
	if err != nil {
		s.failures.raise(err)
	}
	return out
}

// typeName names the type of a value, for people.
func typeName(val goja.Value) string {
	switch {
	case goja.IsString(val):
		return "text"
	case val == nil || goja.IsNull(val) || goja.IsUndefined(val):
		return "nil"
	}
	if _, ok := val.(*goja.Object); ok {
		return "an object"
	}
	return val.String()
}
