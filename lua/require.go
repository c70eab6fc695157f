// This file holds require, which loads the modules that scripts share.

package lua

import (
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine/scriptfile"
)

// loadedModule is a module of this VM.
type loadedModule struct {
	value glua.LValue
	done  bool
}

// requireModule implements require(name). It returns the module's value, or true if the module
// returns nothing, and runs the module at its first use.
func (vm *VM) requireModule(L *glua.LState) int {
	name, ok := L.Get(1).(glua.LString)
	if !ok {
		raisef(L, "require: name: got %s, want text", typeName(L.Get(1)))
	}
	m, err := vm.bind.Gen.Library.Module(string(name))
	if err != nil {
		vm.failures.raise(L, err)
	}
	old := vm.modules[m.File]
	if old != nil && !old.done {
		raisef(L, "require: %s requires itself: %s", name,
			strings.Join(append(vm.evaluating, m.File), " > "))
	}
	if old == nil {
		old = vm.evaluate(L, m)
	}
	L.Push(old.value)
	return 1
}

// evaluate runs a module. A module must not wait: another handler that requires it meanwhile would
// get an incomplete module.
func (vm *VM) evaluate(L *glua.LState, m *scriptfile.Module) *loadedModule {
	proto, serr := compile(m.File, m.Bytes, maxSource)
	if serr != nil {
		vm.failures.raise(L, serr)
	}
	loaded := &loadedModule{}
	vm.modules[m.File] = loaded
	vm.evaluating = append(vm.evaluating, m.File)
	a := activationOf(L)
	a.inline++
	defer func() {
		a.inline--
		vm.evaluating = vm.evaluating[:len(vm.evaluating)-1]
		if !loaded.done {
			delete(vm.modules, m.File)
		}
	}()
	L.Push(vm.base.NewFunctionFromProto(proto))
	L.Push(glua.LString(m.Name))
	L.Call(1, 1)
	if loaded.value = L.Get(-1); loaded.value == glua.LNil {
		loaded.value = glua.LTrue
	}
	L.Pop(1)
	loaded.done = true
	return loaded
}
