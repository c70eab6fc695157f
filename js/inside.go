// This file reads and sets private fields of goja. If a version of goja has other fields, no script
// loads.
//
// It sets fields to remove the state that an interrupt leaves behind in the interpreter, which has
// no function for it, because the alternative is worse for users: a VM that is reloaded after each
// handler that timed out loses the script's variables and timers, and the awaits of its other
// handlers.
//
// It reads fields of arrays and regular expressions because guards need them at each call, and to
// ask for them as a script does takes longer than many a built-in.

package js

import (
	"fmt"
	"reflect"
	"regexp"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
)

// layout says where the interpreter keeps what the guards read. It is immutable.
type layout struct {
	self                            uintptr // of an object: what implements it, an interface
	array, rx, table                unsafe.Pointer
	length, items, count, special   uintptr // of an array
	pattern, standard               uintptr // of a regular expression
	linear, global, sticky, unicode uintptr // of its pattern
}

// implementation is an interface in memory. The type, one of layout's, tells what data points to.
type implementation struct{ typ, data unsafe.Pointer }

// layoutOf returns the layout of goja's objects.
var layoutOf = sync.OnceValue(func() *layout {
	l := &layout{}
	rt := goja.New()
	l.self = mustField(reflect.TypeFor[goja.Object](), "self", reflect.Interface).Offset
	impl := func(source string) (*implementation, reflect.Type) {
		val, err := rt.RunString(source)
		if err != nil {
			panic(err) // a mistake in source
		}
		obj := val.(*goja.Object)
		self := openField(reflect.ValueOf(obj).Elem(), "self")
		return l.implementation(obj), self.Elem().Type().Elem()
	}
	array, arrayType := impl("[]")
	l.array, l.length = array.typ, mustField(arrayType, "length", reflect.Uint32).Offset
	items := mustField(arrayType, "values", reflect.Slice)
	if items.Type != reflect.TypeFor[[]goja.Value]() {
		panic("goja: the values of arrays have another type")
	}
	l.items = items.Offset
	l.count = mustField(arrayType, "objCount", reflect.Int).Offset
	l.special = mustField(arrayType, "propValueCount", reflect.Int).Offset
	table, _ := impl("({})")
	l.table = table.typ
	rx, rxType := impl("/x/")
	pattern := mustField(rxType, "pattern", reflect.Pointer)
	l.rx, l.pattern = rx.typ, pattern.Offset
	l.standard = mustField(rxType, "standard", reflect.Bool).Offset
	inner := pattern.Type.Elem()
	linear := mustField(inner, "regexpWrapper", reflect.Pointer)
	if !linear.Type.ConvertibleTo(reflect.TypeFor[*regexp.Regexp]()) {
		panic("goja: regexpWrapper has another type")
	}
	l.linear = linear.Offset
	l.global = mustField(inner, "global", reflect.Bool).Offset
	l.sticky = mustField(inner, "sticky", reflect.Bool).Offset
	l.unicode = mustField(inner, "unicode", reflect.Bool).Offset
	return l
})

// mustField returns a field of a struct. It panics if there is none of that kind.
func mustField(of reflect.Type, name string, kind reflect.Kind) reflect.StructField {
	f, ok := of.FieldByName(name)
	if !ok || f.Type.Kind() != kind {
		panic(fmt.Sprintf("goja: %v has no field %s of kind %v", of, name, kind))
	}
	return f
}

func (l *layout) implementation(obj *goja.Object) *implementation {
	return (*implementation)(unsafe.Add(unsafe.Pointer(obj), l.self))
}

// kindOf returns what stands for the kind of an object in the interpreter.
func kindOf(obj *goja.Object) unsafe.Pointer { return layoutOf().implementation(obj).typ }

// ordinary reports whether obj is an ordinary object: not an array, a function, a proxy or any
// other special one.
func ordinary(obj *goja.Object) bool {
	l := layoutOf()
	return l.implementation(obj).typ == l.table
}

// arrayLength returns the length of an ordinary array. ok is false if obj is another object.
func arrayLength(obj *goja.Object) (n int64, ok bool) {
	l := layoutOf()
	impl := l.implementation(obj)
	if impl.typ != l.array {
		return 0, false
	}
	return int64(*(*uint32)(unsafe.Add(impl.data, l.length))), true
}

// itemsOf returns the items of an ordinary array that has no holes, and no items with a getter or
// other attributes. They must not be changed, nor used after code of the script has run.
func itemsOf(obj *goja.Object) (items []goja.Value, ok bool) {
	l := layoutOf()
	impl := l.implementation(obj)
	if impl.typ != l.array {
		return nil, false
	}
	items = *(*[]goja.Value)(unsafe.Add(impl.data, l.items))
	n := int(*(*uint32)(unsafe.Add(impl.data, l.length)))
	if len(items) != n || *(*int)(unsafe.Add(impl.data, l.count)) != n ||
		*(*int)(unsafe.Add(impl.data, l.special)) != 0 {
		return nil, false
	}
	return items, true
}

// pattern is the pattern of a regular expression as the interpreter has compiled it.
type pattern struct {
	linear                  *regexp.Regexp // nil: it is matched by regexp2
	global, sticky, unicode bool           // its flags
	// standard: the regular expression has no properties of its own but lastIndex.
	standard bool
}

// patternOf returns the pattern of a regular expression. ok is false if obj is another object.
func patternOf(obj *goja.Object) (p pattern, ok bool) {
	l := layoutOf()
	impl := l.implementation(obj)
	if impl.typ != l.rx {
		return p, false
	}
	at := *(*unsafe.Pointer)(unsafe.Add(impl.data, l.pattern))
	return pattern{linear: *(**regexp.Regexp)(unsafe.Add(at, l.linear)),
		global: *(*bool)(unsafe.Add(at, l.global)), sticky: *(*bool)(unsafe.Add(at, l.sticky)),
		unicode:  *(*bool)(unsafe.Add(at, l.unicode)),
		standard: *(*bool)(unsafe.Add(impl.data, l.standard))}, true
}

// machine is the part of the interpreter's state that an interrupt leaves behind. When an interrupt
// or a stack overflow stops an async function or a generator, its frames stay on the call stack.
// The interpreter then takes every later call for a nested one, after which it runs no reactions:
// no await of the script would ever end.
type machine struct {
	calls, tries reflect.Value // slices of frames
	// the variables in scope, and the private names of a class
	stash, names            reflect.Value
	stacks                  []reflect.Value // empty while no code runs in the VM
	values                  reflect.Value   // the stack of values, one of stacks
	program, result, target reflect.Value
	top, base, arguments    reflect.Value
}

// noFrame is the stack position of a call's frame if there is none.
const noFrame = -1

func machineOf(rt *goja.Runtime) machine {
	runtime := reflect.ValueOf(rt).Elem()
	vm := runtime.FieldByName("vm").Elem()
	m := machine{calls: openField(vm, "callStack"), tries: openField(vm, "tryStack"),
		stash: openField(vm, "stash"), names: openField(vm, "privEnv"),
		program: openField(vm, "prg"), result: openField(vm, "result"), target: openField(vm,
			"newTarget"),
		top: openField(vm, "sp"), base: openField(vm, "sb"), arguments: openField(vm, "args"),
		values: openField(vm, "stack")}
	m.stacks = []reflect.Value{m.calls, m.tries, openField(vm, "iterStack"), openField(vm,
		"refStack"), m.values, openField(runtime, "jobQueue")}
	return m
}

// openField returns a field of another package's struct as a value that can be set.
func openField(of reflect.Value, name string) reflect.Value {
	f := of.FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// unwind resets the interpreter to its idle state. It drops pending reactions, as an interrupt
// always does, because they belong to the stopped call. The turn must be held, and no code of the
// script may be running.
func (m *machine) unwind() {
	if m.calls.Len() == 0 && m.tries.Len() == 0 {
		return
	}
	if m.tries.Len() > 0 { // the outermost one has the original scope
		first := m.tries.Index(0)
		m.stash.Set(openField(first, "stash"))
		m.names.Set(openField(first, "privEnv"))
	}
	for _, s := range append(m.stacks, m.program, m.result, m.target) {
		s.SetZero()
	}
	m.top.SetInt(0)
	m.base.SetInt(noFrame)
	m.arguments.SetInt(0)
}

// sweep drops the values of calls that are over. The interpreter leaves them above the top of its
// stack until other calls overwrite them. The turn must be held.
func (m *machine) sweep() {
	if top := int(m.top.Int()); top < m.values.Len() { // a bug of the interpreter may move it
		m.values.Slice(top, m.values.Len()).Clear()
	}
	if m.calls.Len() == 0 && m.tries.Len() == 0 {
		m.result.SetZero()
	}
}
