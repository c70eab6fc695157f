// This file charges what built-ins make to the running call. A built-in that calls another one, as
// a list does with a bound function, runs no instruction in between. So each function of ours
// checks for an interrupt when it is called (realm.native), what it makes is counted here, and the
// built-ins that are not ours are made to check where another one calls them often.

package js

import (
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine/vm"
)

// itemBytes is the size of an item in a list of the interpreter.
const itemBytes = 16

// meter counts what built-ins make, and checks for an interrupt.
type meter struct {
	charge   vm.Charge
	stopping atomic.Bool   // an interrupt is pending; any goroutine may use it
	noop     goja.Callable // an interpreted function: calling it checks for an interrupt
}

// poll checks for an interrupt. Built-ins that loop in Go call it, because the interpreter checks
// only between its own instructions.
func (m *meter) poll() {
	if m.stopping.Load() {
		if _, err := m.noop(goja.Undefined()); err != nil {
			panic(err)
		}
	}
}

// take counts bytes of memory. It throws if the run must stop.
func (m *meter) take(bytes int) {
	if m.charge.Take(bytes) {
		m.poll()
	}
}

// charged returns a guard that counts the text which g returns.
func (m *meter) charged(g guard) guard {
	return func(call goja.FunctionCall, orig rawFunc) goja.Value {
		out := g(call, orig)
		m.made(out)
		return out
	}
}

// made counts a text that a built-in returns.
func (m *meter) made(out goja.Value) {
	switch out := out.(type) {
	case *goja.Object:
	case goja.String:
		m.take(bytesOf(out))
	}
}

// part counts a text that is a part of another one. The interpreter copies it unless it is ASCII.
func (m *meter) part(out goja.Value) {
	if s, ok := out.(goja.String); ok && wide(s) {
		m.take(bytesOf(s))
	}
}

// bytesOf returns the size of a text in memory.
func bytesOf(s goja.String) int {
	if wide(s) {
		return 2 * s.Length()
	}
	return s.Length()
}

// wide reports whether the interpreter stores s in 16-bit units.
func wide(s goja.String) bool { return reflect.TypeOf(s).Kind() == reflect.Slice }

// fewCalls is how many calls of a built-in may follow each other without a check.
const fewCalls = 4

// interpreted reports whether f is the function of a script. The interpreter represents all of them
// by few functions of its own.
func (a *arguments) interpreted(f rawFunc) bool {
	return slices.Contains(a.entries, entry(f))
}

// scripted reports whether val is the function of a script. It is interpreted for a value.
func (a *arguments) scripted(val goja.Value) bool {
	obj, ok := val.(*goja.Object)
	return ok && slices.Contains(a.kinds, kindOf(obj))
}

// entry returns the address of the code of f, which all functions of a kind share.
func entry(f rawFunc) uintptr { return reflect.ValueOf(f).Pointer() }

// setEntries finds how the interpreter represents functions of scripts; samples are some.
func (a *arguments) setEntries(samples ...goja.Value) {
	for _, s := range samples {
		if f := raw(s); f != nil && !a.interpreted(f) {
			a.entries = append(a.entries, entry(f))
		}
		if kind := kindOf(s.(*goja.Object)); !slices.Contains(a.kinds, kind) {
			a.kinds = append(a.kinds, kind)
		}
	}
}

// pollCallback replaces argument i of a call of a built-in, which is called n times, with one that
// checks for an interrupt, if it is a built-in.
func (a *arguments) pollCallback(call *goja.FunctionCall, i, n int) {
	if n < fewCalls || i >= len(call.Arguments) || a.scripted(call.Arguments[i]) {
		return
	}
	if f := raw(call.Arguments[i]); f != nil && !a.interpreted(f) {
		setArgument(call, i, a.realm.native("", f))
	}
}

// guardVisits guards the methods forEach of Map and Set, whose items may become more meanwhile.
func (g *guards) guardVisits(ctor *goja.Object) {
	g.realm.wrap(ctor.Get("prototype").(*goja.Object), "forEach", func(call goja.FunctionCall,
		orig rawFunc) goja.Value {
		g.args.pollCallback(&call, 0, fewCalls)
		return orig(call)
	})
}
