// This file removes state that an interrupt leaves behind in the interpreter. It sets private
// fields of goja, which has no function for it, because the alternative is worse for users: a VM
// that is reloaded after each handler that timed out loses the script's variables and timers, and
// the awaits of its other handlers. If a version of goja has other fields, no script loads.

package js

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

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
	m.values.Slice(int(m.top.Int()), m.values.Len()).Clear()
	if m.calls.Len() == 0 && m.tries.Len() == 0 {
		m.result.SetZero()
	}
}
