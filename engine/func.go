// This file defines functions of scripts, as Go calls them.

package engine

import "github.com/agentscripts/agent/engine/value"

// Func is a function of a script. Call runs it under run's budgets on the calling goroutine: it
// takes the VM's turn, so it must not be called by a goroutine that holds the turn of the same VM.
// The result is plain data; a failure is a *ScriptError.
type Func interface {
	value.Function
	Call(run *Run, args ...any) (any, error)
}

// Inline is a Func that a host function which does not wait can call, within the call: the turn is
// held, and it runs under the caller's budgets. The function must not wait; that it tries to is its
// error. What is compound in args it gets as real tables.
type Inline interface {
	Func
	CallInline(args ...any) (any, error)
}

// Opener is a Func whose result may hold functions, if it is called by CallOpen: they come as Func.
type Opener interface {
	Func
	CallOpen(run *Run, args ...any) (any, error)
}

// opened is a Func that is called by CallOpen, if it can be.
type opened struct{ Func }

// Call implements Func.
func (o opened) Call(run *Run, args ...any) (any, error) {
	if f, ok := o.Func.(Opener); ok {
		return f.CallOpen(run, args...)
	}
	return o.Func.Call(run, args...)
}

// IsFunction implements Function.
func (*Builtin) IsFunction() {}
