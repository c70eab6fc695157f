// This file builds ext from the rows of the API table.

package lua

import (
	"fmt"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

// namespace is the value of a userdata for ext, or for a table in it.
type namespace struct {
	name    string // "ext", "ext.ui"
	order   []string
	members *glua.LTable // functions and namespaces
	facts   map[string]*engine.APIRow
}

// bindExt defines the global ext.
func (vm *VM) bindExt() {
	spaces := map[string]*namespace{}
	root := vm.newNamespace(spaces, "ext")
	for _, f := range vm.bind.Funcs {
		path, name := "ext", f.Row.Name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			path, name = "ext."+name[:i], name[i+1:]
		}
		vm.newNamespace(spaces, path)
		ns := spaces[path]
		ns.order = append(ns.order, name)
		switch {
		case f.Row.Name == "null": // the runtime has its own value for it
			ns.members.RawSetString(name, vm.values.null)
		case f.Row.Fact:
			ns.facts[name] = f.Row
		default:
			ns.members.RawSetString(name, vm.builtin(f))
		}
	}
	vm.base.SetGlobal("ext", root)
}

// newNamespace returns the value of the namespace at path. It makes the namespace and its parents
// if they do not exist.
func (vm *VM) newNamespace(spaces map[string]*namespace, path string) glua.LValue {
	if spaces[path] != nil {
		return nil
	}
	L := vm.base
	ns := &namespace{name: path, members: L.CreateTable(0, 8), facts: map[string]*engine.APIRow{}}
	spaces[path] = ns
	missing := L.CreateTable(0, 1)
	missing.RawSetString("__index", L.NewFunction(func(L *glua.LState) int {
		L.Push(vm.member(L, ns, L.Get(2)))
		return 1
	}))
	ns.members.Metatable = missing
	mt := L.CreateTable(0, 3)
	mt.RawSetString("__index", ns.members) // found without a call
	mt.RawSetString("__metatable", glua.LFalse)
	mt.RawSetString("__newindex", L.NewFunction(func(L *glua.LState) int {
		raisef(L, "%s is read-only", ns.name)
		return 0
	}))
	ud := &glua.LUserData{Value: ns, Env: L.Env, Metatable: mt}
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		vm.newNamespace(spaces, path[:i])
		up := spaces[path[:i]]
		up.order = append(up.order, path[i+1:])
		up.members.RawSetString(path[i+1:], ud)
	}
	return ud
}

// member implements reading a name of a namespace that is not a function: it returns a fact, or
// raises an error.
func (vm *VM) member(L *glua.LState, ns *namespace, key glua.LValue) glua.LValue {
	name := key.String()
	if row := ns.facts[name]; row != nil {
		v, err := vm.values.value(vm.bind.Fact(row))
		if err != nil {
			vm.failures.raise(L, err)
		}
		return v
	}
	group := strings.TrimPrefix(strings.TrimPrefix(ns.name, "ext"), ".")
	raisef(L, "%s", vm.bind.NoName(group, name).Error())
	return glua.LNil
}

// nextMember implements next(ext, key).
func (vm *VM) nextMember(L *glua.LState, ns *namespace, key glua.LValue) (glua.LValue,
	glua.LValue) {
	i := 0
	for ; key != glua.LNil && i < len(ns.order); i++ {
		if ns.order[i] == key.String() {
			i++
			break
		}
	}
	for ; i < len(ns.order); i++ {
		v := ns.members.RawGetString(ns.order[i])
		if v == glua.LNil {
			v = vm.member(L, ns, glua.LString(ns.order[i]))
		}
		if v != glua.LNil { // a fact may have no value
			return glua.LString(ns.order[i]), v
		}
	}
	return glua.LNil, glua.LNil
}

// builtin makes the Lua function for an API function.
func (vm *VM) builtin(f *engine.Builtin) *glua.LFunction {
	return vm.base.NewFunction(func(L *glua.LState) int { return vm.callHost(L, f) })
}

// callHost calls an API function. If it waits, callHost gives the turn back meanwhile, and other
// calls run in the VM; the frames of this call stay on this goroutine's stack.
func (vm *VM) callHost(L *glua.LState, f *engine.Builtin) int {
	a := activationOf(L)
	if stop := vm.stopping(); stop != nil {
		vm.failures.raise(L, stop)
	}
	args, err := vm.args(L, f)
	if err != nil {
		vm.failures.raise(L, err)
	}
	var pos fault.Position
	if f.Row.Loading || f.Row.Placed {
		pos = vm.failures.registration(L)
	}
	var result any
	if f.Row.Waits {
		if a.inline > 0 {
			raisef(L, "%s waits, which the function that it is called in must not", f.FullName())
		}
		thread := L.G.CurrentThread
		stop := vm.turn.Wait(&a.run.Run, func() {
			result, err = vm.bind.Invoke(a.run, f, args, pos)
		})
		L.G.CurrentThread = thread
		if stop != nil {
			vm.failures.raise(L, stop)
		}
	} else {
		outer := vm.calling
		vm.calling = L
		result, err = vm.bind.Invoke(a.run, f, args, pos)
		vm.calling = outer
		if stop := vm.stopping(); stop != nil { // a function that it called inline was stopped
			vm.failures.raise(L, stop)
		}
	}
	if err != nil {
		return vm.hostError(L, err)
	}
	v, err := vm.values.value(result)
	if err != nil {
		vm.failures.raise(L, fmt.Errorf("%s: result: %w", f.FullName(), err))
	}
	L.Push(v)
	return 1
}

// args converts the arguments of an API call.
func (vm *VM) args(L *glua.LState, f *engine.Builtin) ([]any, error) {
	args := make([]any, L.GetTop())
	for i := range args {
		v, err := vm.values.data(L.Get(i + 1))
		if err != nil {
			return nil, f.BadArgument(i, err)
		}
		args[i] = v
	}
	return args, nil
}

// hostError reports an error of a host function to the script: it returns errors of the world and
// raises all others.
func (vm *VM) hostError(L *glua.LState, err error) int {
	if w, ok := err.(*fault.WorldError); ok {
		L.Push(glua.LNil)
		L.Push(vm.failures.newWorldError(L, w))
		return 2
	}
	vm.failures.raise(L, err)
	return 0
}
