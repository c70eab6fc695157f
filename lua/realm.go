// This file holds the realm: the interpreter, as all parts of the VM use it.

package lua

import (
	"sync/atomic"

	glua "github.com/yuin/gopher-lua"
)

// realm is an interpreter. Only the holder of the turn may use it, except for stop.
type realm struct {
	base   *glua.LState  // the mother of all states: it holds the globals and never runs
	closed chan struct{} // closed from the start: what an interrupted state sees

	stop atomic.Pointer[error] // why the run that holds the turn must stop; set by the watchdog
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
	// States that handlers run in have their call stack whole: growing ones do not notice that they
	// are full, and the error has no place then. Coroutines, of which there may be many, have
	// growing ones.
	r.base.Options.MinimizeStackMemory = false
}

// interrupt makes the interpreter raise err at its next instruction, and at every one after it,
// until clear. Called by the watchdog while a run holds the turn.
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

// field defines a function of a library; the library is made if there is none.
func (r *realm) field(lib, name string, f glua.LGFunction) {
	t, ok := r.base.GetGlobal(lib).(*glua.LTable)
	if !ok {
		t = r.base.NewTable()
		r.base.SetGlobal(lib, t)
	}
	t.RawSetString(name, r.base.NewFunction(f))
}
