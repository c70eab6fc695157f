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
	// registrySize is the registers of a fresh state: enough for ordinary handlers without growing.
	registrySize = 1024
	// coroutineRegistry is the same for coroutines, of which a script may make many.
	coroutineRegistry = 256
	// registryMaxSize bounds what calls with very many arguments can take: 4 MB.
	registryMaxSize = 1 << 18
	// registryGrowStep must be large: gopher-lua grows by this much, so that a small step makes
	// growing quadratic (8 s for 2^18 with its default of 32).
	registryGrowStep = 16384
	// callStackSize is how deep calls nest in one state: a recursion without end stops at once.
	callStackSize = 200
	// maxNesting is how deep states nest (each pcall and each coroutine runs in one of its own):
	// their stacks add up, and each level is a nested run of the interpreter on the Go stack.
	maxNesting = 100
	// maxIdle is how many states are kept for reuse: those of a handler with one pcall, twice over.
	maxIdle = 4
)

// errStopped is the message of an interrupt that was taken back meanwhile; nobody should see it.
var errStopped = errors.New("stopped")

// VM implements engine.VM. All its fields after the first group, and everything in the interpreter,
// belong to whoever holds the turn.
type VM struct {
	realm
	name string // of the script, and of its main chunk
	bind *engine.Binding
	turn *vm.Turn

	modules map[string]*loadedModule // by file
	// files of modules whose evaluation is under way, one in another
	evaluating []string

	idle  []*glua.LState // states free to use
	spare *activation    // an activation free to use
	// calling is the state whose call of a function that does not wait is under way, nil if there
	// is none.
	calling  *glua.LState
	onErr    *glua.LFunction
	values   *values
	failures *failures
}

func newVM(bind *engine.Binding) *VM {
	vm := &VM{name: bind.Gen.Name, bind: bind, modules: map[string]*loadedModule{}}
	vm.realm.setRealm()
	vm.turn = bind.NewTurn(vm.interrupt, vm.clearInterrupt)
	vm.values = &values{realm: &vm.realm, gen: bind.Gen, function: vm.function, fact: bind.Fact,
		builtin: vm.builtin}
	vm.failures = &failures{realm: &vm.realm, values: vm.values, gen: bind.Gen, name: vm.name}
	vm.values.failures = vm.failures
	vm.values.setValues()
	vm.onErr = vm.base.NewFunction(vm.failures.noteError)
	vm.setGlobals()
	vm.bindExt()
	// callR takes the first state that calls for the main thread, unless there is one.
	vm.base.G.MainThread, vm.base.G.CurrentThread = vm.base, vm.base
	return vm
}

// Close implements engine.VM. Memory is all there is to free, and a wedged interpreter may still be
// at work in it: the garbage collector does it.
func (vm *VM) Close() { vm.turn.Close() }

// takeState returns a free state for a. The turn must be held.
func (vm *VM) takeState(a *activation) *glua.LState {
	var L *glua.LState
	if n := len(vm.idle); n > 0 {
		L, vm.idle = vm.idle[n-1], vm.idle[:n-1]
	} else {
		L, _ = vm.base.NewThread() // base has no context: there is nothing to cancel
		L.Options.RegistrySize, L.Options.MinimizeStackMemory = coroutineRegistry, true
	}
	L.Env = vm.base.Env // setfenv(0, t) may have changed it
	L.SetContext(a)
	return L
}

// putState takes a state back. It must not have been left by a panic that gopher-lua did not
// expect.
func (vm *VM) putState(L *glua.LState) {
	L.SetTop(0)
	L.RemoveContext() // it would keep the run alive
	if len(vm.idle) < maxIdle {
		vm.idle = append(vm.idle, L)
	}
}
