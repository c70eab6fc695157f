// This file holds the VM: one interpreter per generation of a script, entered by one goroutine at a
// time.

package lua

import (
	"errors"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// registrySize is the number of registers of a new state: enough for ordinary handlers without
	// growing.
	registrySize = 1024
	// coroutineRegistry is the same for coroutines, of which a script may make many.
	coroutineRegistry = 256
	// registryMaxSize limits the memory for calls with very many arguments: 4 MB.
	registryMaxSize = 1 << 18
	// registryGrowStep must be large. gopher-lua grows by this constant, so that a small step makes
	// growing quadratic (8 s for 2^18 with its default of 32).
	registryGrowStep = 16384
	// callStackSize is how deep calls may nest in one state: infinite recursion stops at once.
	callStackSize = 200
	// maxNesting is how deep states may nest (each pcall and each coroutine has its own). Their
	// stacks add up, and each level is a nested run of the interpreter on the Go stack.
	maxNesting = 100
	// maxIdle is how many states are kept for reuse: enough for two handlers with one pcall each.
	maxIdle = 4
)

// errStopped is the message of an interrupt that was cleared meanwhile. It should never be seen.
var errStopped = errors.New("stopped")

// VM implements engine.VM. Only the holder of the turn may use the fields after the first group,
// and anything in the interpreter.
type VM struct {
	realm
	name string // name of the script and of its main chunk
	bind *engine.Binding
	turn *vm.Turn

	modules map[string]*loadedModule // key: file
	// files of modules that are being evaluated, outermost first
	evaluating []string

	idle  []*glua.LState // free states
	spare *activation    // a free activation
	// calling is the state that calls a function that must not wait, nil if there is none.
	calling  *glua.LState
	onErr    *glua.LFunction
	values   *values
	failures *failures
}

func newVM(bind *engine.Binding) *VM {
	vm := &VM{name: bind.Gen.Name, bind: bind, modules: map[string]*loadedModule{}}
	vm.realm.setRealm()
	vm.turn = bind.NewTurn(vm.interrupt, vm.clearInterrupt)
	vm.charge = vm.turn.NewCharge()
	vm.values = &values{realm: &vm.realm, gen: bind.Gen, function: vm.function, fact: bind.Fact,
		builtin: vm.builtin, member: vm.findMember}
	vm.failures = &failures{realm: &vm.realm, values: vm.values, gen: bind.Gen, name: vm.name}
	vm.values.failures = vm.failures
	vm.values.setValues()
	vm.onErr = vm.base.NewFunction(vm.failures.noteError)
	vm.setGlobals()
	vm.bindExt()
	// callR makes the first state that calls the main thread, unless it is set
	vm.base.G.MainThread, vm.base.G.CurrentThread = vm.base, vm.base
	return vm
}

// Close implements engine.VM. Only memory is left to free, and an interpreter that does not stop
// may still use it: the garbage collector frees it.
func (vm *VM) Close() { vm.turn.Close() }

// takeState returns a free state for a. The turn must be held.
func (vm *VM) takeState(a *activation) *glua.LState {
	var L *glua.LState
	if n := len(vm.idle); n > 0 {
		L, vm.idle = vm.idle[n-1], vm.idle[:n-1]
	} else {
		L, _ = vm.base.NewThread() // base has no context: nothing to cancel
		L.Options.RegistrySize, L.Options.MinimizeStackMemory = coroutineRegistry, true
	}
	L.Env = vm.base.Env // setfenv(0, t) may have changed it
	L.SetContext(a)
	return L
}

// putState makes a state available again. A state that an unexpected panic of gopher-lua
// interrupted must not be put back.
func (vm *VM) putState(L *glua.LState) {
	L.SetTop(0)
	L.RemoveContext() // it would keep the run reachable
	if len(vm.idle) < maxIdle {
		vm.idle = append(vm.idle, L)
	}
}
