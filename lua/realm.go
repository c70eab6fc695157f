// This file holds the realm: the interpreter that all parts of the VM share.

package lua

import (
	"sync/atomic"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine/vm"
)

// realm is an interpreter. Only the holder of the turn may use it, except for stop.
type realm struct {
	base   *glua.LState  // parent of all states: it holds the globals and never runs
	closed chan struct{} // always closed: the Done channel of an interrupted state

	charge vm.Charge             // what built-ins take
	stop   atomic.Pointer[error] // why the run that holds the turn must stop; the watchdog sets it
}

// setRealm makes the interpreter, without globals.
func (r *realm) setRealm() {
	r.closed = make(chan struct{})
	close(r.closed)
	r.base = glua.NewState(glua.Options{
		RegistrySize:        registrySize,
		RegistryMaxSize:     registryMaxSize,
		RegistryGrowStep:    registryGrowStep,
		CallStackSize:       callStackSize,
		MinimizeStackMemory: true,
		SkipOpenLibs:        true,
	})
	// States for handlers have a full call stack. Growing ones do not notice that they are full, so
	// that the error has no position. Coroutines, of which there may be many, have growing ones.
	r.base.Options.MinimizeStackMemory = false
}

// interrupt makes the interpreter raise err at its next instruction, and at every later one, until
// clearInterrupt. The watchdog calls it while a run holds the turn.
func (r *realm) interrupt(err error) { r.stop.Store(&err) }

func (r *realm) clearInterrupt() { r.stop.Store(nil) }

// stopping returns why the run that holds the turn must stop, or nil.
func (r *realm) stopping() error {
	if s := r.stop.Load(); s != nil {
		return *s
	}
	return nil
}

// global defines a global function.
func (r *realm) global(name string, f glua.LGFunction) {
	r.base.SetGlobal(name, r.base.NewFunction(f))
}

// field defines a function of a library. It makes the library if it does not exist.
func (r *realm) field(lib, name string, f glua.LGFunction) {
	t, ok := r.base.GetGlobal(lib).(*glua.LTable)
	if !ok {
		t = r.base.NewTable()
		r.base.SetGlobal(lib, t)
	}
	t.RawSetString(name, r.base.NewFunction(f))
}
