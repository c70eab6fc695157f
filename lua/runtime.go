// This file makes the runtime and loads scripts.

package lua

import (
	"context"
	"sync"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
)

// maxArrayIndex is the largest integer key that is a slot of a table's array. gopher-lua fills the
// array with nils up to the key: with its default of 67 million, the statement t[67108863] = 1
// takes over a gigabyte. A list with this many items takes up the heap allowance of a script
// anyway.
const maxArrayIndex = 1 << 22

// emptyChunk is how many instructions an empty chunk has: its return.
const emptyChunk = 1

// limitArrays sets gopher-lua's limit, a package variable, once and before the first VM is made.
var limitArrays = sync.OnceFunc(func() { glua.MaxArrayIndex = maxArrayIndex })

type language struct{}

// New returns the Lua runtime.
func New() engine.Runtime {
	limitArrays()
	return &language{}
}

func (*language) Language() string     { return "lua" }
func (*language) Extensions() []string { return []string{".lua"} }

// CheckSyntax returns the error with which a script does not compile, a *fault.ScriptError. It runs
// nothing of it.
func (*language) CheckSyntax(_ context.Context, name string, src []byte) error {
	if _, serr := compile(name, src, maxSource); serr != nil {
		return serr
	}
	return nil
}

// Load implements engine.Runtime.
func (*language) Load(run *engine.Run, bind *engine.Binding) (engine.VM, error) {
	name, src := bind.Gen.Name, bind.Gen.Bytes
	proto, serr := compile(name, src, maxSource)
	if serr != nil {
		return nil, serr
	}
	vm := newVM(bind)
	err := vm.runMain(run, proto)
	if err == nil {
		err = vm.checkUse(proto)
	}
	if err != nil {
		vm.Close()
		return nil, err
	}
	return vm, nil
}

// runMain runs the script's top level.
func (vm *VM) runMain(run *engine.Run, main *glua.FunctionProto) error {
	_, err := vm.callFunction(run, vm.base.NewFunctionFromProto(main), nil, false)
	return err
}

// checkUse returns an error for a script that loaded without registering anything.
func (vm *VM) checkUse(main *glua.FunctionProto) error {
	if len(main.Code) <= emptyChunk {
		return nil
	}
	return vm.bind.Gen.CheckUse()
}
