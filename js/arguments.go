// This file converts arguments once. A guard must pass on what it checked: an object of the script
// may convert to something else the next time.

package js

import (
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
)

// setArgument replaces an argument, if the call has it. The script may hold the list of arguments,
// so it is copied.
func setArgument(call *goja.FunctionCall, i int, val goja.Value) {
	if i < len(call.Arguments) {
		call.Arguments = slices.Clone(call.Arguments)
		call.Arguments[i] = val
	}
}

// arguments converts the arguments of calls of built-ins.
type arguments struct {
	realm  *realm
	meter  *meter     // that of realm
	next   goja.Value // the name
	values goja.Value // Array.prototype.values

	match, matchAll, search, replace, split method
	entries                                 []uintptr // of the functions of scripts
	// kinds are those of the functions of scripts, as kindOf returns them.
	kinds []unsafe.Pointer
}

// thisText converts the object that a method of strings is called on.
func (a *arguments) thisText(call *goja.FunctionCall) goja.String {
	if s, ok := call.This.(goja.String); ok {
		return s
	}
	a.coercible(call.This)
	s := a.realm.text(call.This)
	call.This = s
	return s
}

// text converts an argument to a string.
func (a *arguments) text(call *goja.FunctionCall, i int) goja.String {
	s := a.realm.text(call.Argument(i))
	if _, ok := call.Argument(i).(*goja.Object); ok {
		setArgument(call, i, s)
	}
	return s
}

// numberArgument converts an argument to a number.
func numberArgument(call *goja.FunctionCall, i int) float64 {
	if obj, ok := call.Argument(i).(*goja.Object); ok {
		setArgument(call, i, obj.ToNumber())
	}
	return call.Argument(i).ToFloat()
}

// method is a guarded method of regular expressions. A method of strings calls it.
type method struct {
	symbol *goja.Symbol
	value  goja.Value
	fn     rawFunc // the function in value
}

// delegate calls the method that the first argument has for the symbol of m, as regular expressions
// have: then it is not converted to a string. ok is false if there is none.
func (a *arguments) delegate(call *goja.FunctionCall, m *method) (out goja.Value, ok bool) {
	obj, ok := call.Argument(0).(*goja.Object)
	if !ok {
		return nil, false
	}
	a.coercible(call.This)
	method, f := obj.GetSymbol(m.symbol), m.fn
	if method == nil || goja.IsUndefined(method) || goja.IsNull(method) {
		a.text(call, 0) // the method does not look for the symbol again
		return nil, false
	}
	if method != m.value {
		f = a.realm.function(method)
	}
	if f == nil {
		panic(a.realm.rt.NewTypeError("the method for %s is not a function", m.symbol))
	}
	var args []goja.Value
	if m.symbol == goja.SymReplace || m.symbol == goja.SymSplit {
		args = []goja.Value{call.This, call.Argument(1)}
	} else {
		args = []goja.Value{call.This}
	}
	return f(goja.FunctionCall{This: obj, Arguments: args}), true
}

// coercible throws if val has no properties.
func (a *arguments) coercible(val goja.Value) {
	if goja.IsUndefined(val) || goja.IsNull(val) {
		panic(a.realm.rt.NewTypeError("called on null or undefined"))
	}
}

// arrayType is the type of ordinary arrays, whose length is no code of the script.
var arrayType = reflect.TypeFor[[]any]()

// pinned returns val, or a copy of it if it is like an array but could change its length. It throws
// msg if there are more than most items.
func (a *arguments) pinned(val goja.Value, most int, msg string) goja.Value {
	obj, ok := val.(*goja.Object)
	switch {
	case !ok:
		return val
	case obj.ExportType() != arrayType:
		return a.copied(obj, most, msg)
	case lengthOf(obj) > int64(most):
		a.realm.throwRange(msg)
	}
	return val
}

// pinArgument replaces a list of arguments, which is an argument of a call, with what pinned
// returns.
func (a *arguments) pinArgument(call *goja.FunctionCall, i int) {
	list := call.Argument(i)
	if obj, ok := list.(*goja.Object); ok {
		if n, ok := arrayLength(obj); ok && n <= maxArgs {
			return
		}
	}
	setArgument(call, i, a.pinned(list, maxArgs, tooManyArgs))
}

// copied returns the items of a list in an array, in which no item is missing. It throws msg if
// there are more than most.
func (a *arguments) copied(obj *goja.Object, most int, msg string) *goja.Object {
	list, _ := a.copiedItems(obj, most, msg)
	return list
}

// copiedItems is copied, and also returns which items are missing in obj.
func (a *arguments) copiedItems(obj *goja.Object, most int, msg string) (list *goja.Object,
	missing []int) {
	n := lengthOf(obj)
	if n > int64(most) {
		a.realm.throwRange(msg)
	}
	items := make([]any, n)
	for i := range items {
		if i%pollEvery == 0 {
			a.meter.poll()
		}
		items[i] = goja.Undefined()
		if item := obj.Get(strconv.Itoa(i)); item != nil {
			items[i] = item
		} else {
			missing = append(missing, i)
		}
	}
	return a.realm.rt.NewArray(items...), missing
}

// pinnedList is like pinned for a function that reads an iterable if its argument is one: such an
// object is iterated as it said the first time.
func (a *arguments) pinnedList(obj *goja.Object, most int, msg string) *goja.Object {
	method := obj.GetSymbol(goja.SymIterator)
	if method == nil || goja.IsUndefined(method) || goja.IsNull(method) {
		return a.pinned(obj, most, msg).(*goja.Object)
	}
	iterate, ok := goja.AssertFunction(method)
	if !ok {
		return obj // it is refused
	}
	pinned := a.realm.rt.NewObject()
	_ = pinned.SetSymbol(goja.SymIterator, func(goja.FunctionCall) goja.Value {
		out, err := iterate(obj)
		if err != nil {
			panic(err)
		}
		return a.polledIterator(out)
	})
	return pinned
}

// polledIterator returns an iterator that checks for an interrupt before it calls the next of it,
// which may be a built-in.
func (a *arguments) polledIterator(it goja.Value) goja.Value {
	obj, ok := it.(*goja.Object)
	if !ok || a.endsItself(obj) {
		return it
	}
	polled := a.realm.rt.NewObject()
	for _, name := range []string{"next", "return"} {
		f := a.realm.function(obj.Get(name))
		if f == nil {
			continue
		}
		_ = polled.Set(name, a.realm.native(name, func(call goja.FunctionCall) goja.Value {
			return f(goja.FunctionCall{This: obj, Arguments: call.Arguments})
		}))
	}
	return polled
}

// endingNexts returns what stands for the functions next of the iterators of Map and Set.
var endingNexts = sync.OnceValue(func() (list []uintptr) {
	rt := goja.New()
	for _, source := range []string{"new Map().values().next", "new Set().values().next"} {
		if next, err := rt.RunString(source); err == nil {
			list = append(list, entry(raw(next)))
		}
	}
	return list
})

// endsItself reports whether it is an iterator of the interpreter for a Map or a Set, or one whose
// next is a function of ours, which checks for an interrupt.
func (a *arguments) endsItself(it *goja.Object) bool {
	if it.ExportType() == proxyType || a.own(it, a.next) != nil {
		return false
	}
	proto := it.Prototype()
	if proto == nil || proto.ExportType() == proxyType {
		return false
	}
	own := a.own(proto, a.next)
	if own == nil {
		return false
	}
	next := raw(own.Get("value"))
	return next != nil && (entry(next) == entry(raw(a.values)) ||
		slices.Contains(endingNexts(), entry(next)))
}

// own returns the descriptor of a property of obj itself, nil if there is none. obj must not be a
// proxy.
func (a *arguments) own(obj *goja.Object, name goja.Value) *goja.Object {
	found, _ := a.realm.describe(goja.FunctionCall{
		Arguments: []goja.Value{obj, name}}).(*goja.Object)
	return found
}
