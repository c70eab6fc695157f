// This file calls functions of the script from Go.

package lua

import (
	"errors"
	"fmt"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
	life "github.com/agentscripts/agent/engine/vm" // vm is the name of the receiver
)

// function implements engine.Func.
type function struct {
	vm *VM
	fn *glua.LFunction
}

// IsFunction implements engine.Func.
func (*function) IsFunction() {}

func (vm *VM) function(fn *glua.LFunction) *function { return &function{vm, fn} }

// Call implements engine.Func. Any goroutine that does not hold the VM's turn may call it.
func (f *function) Call(run *engine.Run, args ...any) (any, error) {
	return f.vm.callFunction(run, f.fn, args, false)
}

// CallOpen implements engine.Opener.
func (f *function) CallOpen(run *engine.Run, args ...any) (any, error) {
	return f.vm.callFunction(run, f.fn, args, true)
}

// CallInline implements engine.Inline.
func (f *function) CallInline(args ...any) (any, error) {
	vm, L := f.vm, f.vm.calling
	if L == nil {
		return nil, errors.New("internal error: no call is under way")
	}
	a := activationOf(L)
	if a.depth >= maxNesting {
		return nil, fmt.Errorf("stack overflow (pcall and coroutines nest deeper than %d)",
			maxNesting)
	}
	a.depth++
	a.inline++
	defer func() {
		a.depth--
		a.inline--
		L.G.CurrentThread = L
	}()
	return vm.exec(a, f.fn, args, true)
}

// activation is one call from Go into the VM. It is the context of every Lua state that runs for
// the call: through it host functions find their run, and the interpreter is stopped. gopher-lua
// calls Done before each instruction; a nil channel is the cheapest result.
type activation struct {
	vm      *VM
	run     *engine.Run
	depth   int          // nesting of states in this call
	inline  int          // nesting of functions that must not wait
	current *glua.LState // the coroutine that runs, nil outside of coroutines
	caught  place        // where the last error that the boundary caught was raised
	raised  cause        // the last Go error that was raised as a string
	open    bool         // the result may contain functions
	// the state that calls the running built-in function with pcall, nil if there is none: the
	// function has no position of its own
	protecting *glua.LState
	handler    *glua.LFunction // of the running xpcall
}

// cause is a Go error raised in Lua as text.
type cause struct {
	text string
	err  error
}

// Done implements context.Context.
func (a *activation) Done() <-chan struct{} {
	if a.vm.stop.Load() == nil {
		return nil
	}
	return a.vm.closed
}

// Err implements context.Context. The interpreter raises its text.
func (a *activation) Err() error {
	if err := a.vm.stopping(); err != nil {
		return err
	}
	return errStopped
}

// Deadline implements context.Context.
func (a *activation) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context.
func (a *activation) Value(any) any { return nil }

// activationOf returns the call for which L runs.
func activationOf(L *glua.LState) *activation { return L.Context().(*activation) }

// callFunction runs fn with args under run's budgets. open says that the result may contain
// functions. It takes the turn and gives it back.
func (vm *VM) callFunction(run *engine.Run, fn *glua.LFunction, args []any, open bool) (result any,
	err error) {
	if err := vm.turn.Enter(&run.Run); err != nil {
		return nil, &fault.ScriptError{Position: fault.Position{File: vm.name},
			Message: err.Error(), Err: err}
	}
	over := false
	defer func() {
		if !over {
			return // Goexit: the VM was abandoned while the call waited and must not be used
		}
		if stop := vm.turn.Leave(&run.Run); stop != nil { // too late for a result
			result, err = nil, vm.failures.stopError(err, stop)
		}
	}()
	p := apart.Catch(func() {
		a := vm.activate(run)
		a.open = open
		result, err = vm.exec(a, fn, args, false)
		vm.spare = a
	})
	if over = true; p != nil {
		return nil, &fault.ScriptError{Position: fault.Position{File: vm.name},
			Message: p.Error()}
	}
	return result, err
}

// secondValue returns the error for a handler that returned more than one value. The second value,
// such as the reason in return false, "no", would be lost.
func secondValue(v glua.LValue) error {
	return fmt.Errorf(
		"a second value, a %s, which is not read: return one table, such as {block = true, "+
			"reason = \"...\"}", typeName(v))
}

// activate returns an activation for run. The turn must be held.
func (vm *VM) activate(run *engine.Run) *activation {
	a := vm.spare
	if a == nil {
		a = &activation{}
	}
	vm.spare = nil
	*a = activation{vm: vm, run: run}
	return a
}

// exec runs fn in a separate state and converts the result to plain data. The arguments become
// views, or ordinary tables if real is set. The turn is held except while fn waits.
func (vm *VM) exec(a *activation, fn *glua.LFunction, args []any, real bool) (any, error) {
	L := vm.takeState(a)
	L.Push(fn)
	for _, arg := range args {
		if !real {
			L.Push(vm.values.view(arg))
			continue
		}
		v, err := vm.values.value(arg)
		if err != nil {
			vm.putState(L)
			return nil, err
		}
		L.Push(v)
	}
	if err := L.PCall(len(args), 2, vm.onErr); err != nil {
		se := vm.failures.scriptError(a, err)
		vm.putState(L)
		return nil, se
	}
	result, err := vm.values.result(L.Get(-2), a.open && !real)
	if second := L.Get(-1); err == nil && second != glua.LNil && a.run.Kind == life.KindGuard {
		err = secondValue(second)
	}
	if err != nil {
		err = &fault.ScriptError{Position: fault.Position{File: vm.name,
			Line: fn.Proto.LineDefined}, Message: "returned " + err.Error()}
	}
	vm.putState(L)
	return result, err
}
