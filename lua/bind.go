// This file builds ext from the rows of the API table.

package lua

import (
	"fmt"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

// namespace is the value of a userdata that stands for ext, or for a group of it (ext.ui). Its
// members are made when they are first read.
type namespace struct {
	prefix  string // "" or "ui."
	names   []string
	members *glua.LTable // functions and namespaces that were read
}

// bindExt defines the global ext.
func (vm *VM) bindExt() { vm.base.SetGlobal("ext", vm.newNamespace("")) }

// newNamespace returns the value of the namespace with a prefix ("" = ext itself).
func (vm *VM) newNamespace(prefix string) glua.LValue {
	L := vm.base
	ns := &namespace{prefix: prefix, names: vm.bind.Names(prefix), members: L.CreateTable(0, 0)}
	missing := L.CreateTable(0, 1)
	missing.RawSetString("__index", L.NewFunction(func(L *glua.LState) int {
		L.Push(vm.member(L, ns, L.Get(2)))
		return 1
	}))
	ns.members.Metatable = missing
	mt := L.CreateTable(0, 3)
	mt.RawSetString("__index", ns.members) // no call for what was read before
	mt.RawSetString("__metatable", glua.LFalse)
	mt.RawSetString("__newindex", L.NewFunction(func(L *glua.LState) int {
		raisef(L, "%s is read-only", ns.name())
		return 0
	}))
	return &glua.LUserData{Value: ns, Env: L.Env, Metatable: mt}
}

// name returns the name of the namespace: "ext", "ext.ui".
func (ns *namespace) name() string { return strings.TrimSuffix("ext."+ns.prefix, ".") }

// findMember returns the member of ns with a name that ns.names lists, or the row of the fact that
// it is. A member is made when it is first read.
func (vm *VM) findMember(ns *namespace, name string) (made glua.LValue, fact *engine.APIRow) {
	if made = ns.members.RawGetString(name); made != glua.LNil {
		return made, nil
	}
	switch f := vm.row(ns.prefix + name); {
	case f == nil:
		made = vm.newNamespace(ns.prefix + name + ".")
	case f.Row.Name == "null": // the one value that is the runtime's own
		made = vm.values.null
	case f.Row.Fact:
		return glua.LNil, f.Row
	default:
		made = vm.builtin(f)
	}
	ns.members.RawSetString(name, made)
	return made, nil
}

// member returns a member of ns; an unknown name is an error. Facts are computed at each read.
func (vm *VM) member(L *glua.LState, ns *namespace, key glua.LValue) glua.LValue {
	name := key.String()
	if !slices.Contains(ns.names, name) {
		raisef(L, "%s", vm.bind.NoName(strings.TrimSuffix(ns.prefix, "."), name).Error())
	}
	made, fact := vm.findMember(ns, name)
	if fact == nil {
		return made
	}
	v, err := vm.values.value(vm.bind.Fact(fact))
	if err != nil {
		vm.failures.raise(L, err)
	}
	return v
}

// nextMember implements next(ext, key).
func (vm *VM) nextMember(L *glua.LState, ns *namespace, key glua.LValue) (glua.LValue,
	glua.LValue) {
	i := 0
	for ; key != glua.LNil && i < len(ns.names); i++ {
		if ns.names[i] == key.String() {
			i++
			break
		}
	}
	for ; i < len(ns.names); i++ {
		v := vm.member(L, ns, glua.LString(ns.names[i]))
		if v != glua.LNil { // a fact may have no value
			return glua.LString(ns.names[i]), v
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
