// This file calls functions of scripts.

package js

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

// activation is one call of a script's function, or of its top level, until it settles. A run may
// have several (ext.all). An operation belongs to the activation whose code started it.
type activation struct {
	run  *engine.Run
	open bool // the result may contain functions

	// These fields may be used only while the turn is held.
	ops     []*operation
	promise *goja.Promise // the result, if it is a promise
	over    bool          // settled: the result is delivered
	silent  bool          // the result is ignored
	main    bool          // the load: its result is checked and dropped
	failed  error         // fails the activation whatever the script catches or returns
	in      [1]goja.Value // memory for the arguments of a handler

	// shared reports that something that may live on refers to the activation: an operation, a
	// promise or a reaction. It is set while the turn is held. It is read after the turn was given
	// back, when that code may be running again.
	shared atomic.Bool
	gone   atomic.Bool // the caller has returned
	once   sync.Once
	done   chan answer // capacity 1; made before the first answer
}

type answer struct {
	value any
	err   error
}

func (a *activation) answerPromise(value any, err error) {
	a.once.Do(func() { a.done <- answer{value, err} })
}

// function is a function of a script. It implements engine.Func.
type function struct {
	vm   *VM
	obj  *goja.Object
	call goja.Callable
}

// IsFunction implements engine.Func.
func (*function) IsFunction() {}

func (v *VM) function(obj *goja.Object, call goja.Callable) *function {
	return &function{vm: v, obj: obj, call: call}
}

// Call implements engine.Func.
func (f *function) Call(run *engine.Run, args ...any) (any, error) {
	return f.enterFunction(run, false, args)
}

// CallOpen implements engine.Opener.
func (f *function) CallOpen(run *engine.Run, args ...any) (any, error) {
	return f.enterFunction(run, true, args)
}

func (f *function) enterFunction(run *engine.Run, open bool, args []any) (any, error) {
	v := f.vm
	act := v.spare.Swap(nil)
	if act == nil {
		act = &activation{}
	}
	act.run, act.open = run, open
	return v.perform(act, func() (goja.Value, error) {
		in := act.in[:]
		if len(args) != len(in) {
			in = make([]goja.Value, len(args))
		}
		for i, a := range args {
			in[i] = v.values.view(a)
		}
		return f.call(goja.Undefined(), in...)
	})
}

// free makes act available to a later call if nothing refers to it. act must have settled.
func (v *VM) free(act *activation) {
	if !act.shared.Load() {
		*act = activation{}
		v.spare.Store(act)
	}
}

// perform enters the VM with act and runs body. If body returns a promise, perform gives the turn
// back while it waits, so that other handlers of the script can run.
func (v *VM) perform(act *activation, body func() (goja.Value, error)) (any, error) {
	var value any
	pending := false
	err := v.enterTurn(act, func() error {
		out, err := body()
		if err != nil {
			act.over = true
			v.rejects.takeRejections(act) // one error is enough
			return v.failures.scriptError(err)
		}
		if pending = v.await(act, out); !pending {
			value, err = v.settleActivation(act, out)
		}
		return err
	})
	if err != nil || !pending {
		v.free(act)
		return value, err
	}
	ctx := act.run.Context()
	select {
	case a := <-act.done:
		return a.value, v.failures.scriptError(a.err)
	case <-ctx.Done():
		act.gone.Store(true)
		return nil, v.failures.scriptError(context.Cause(ctx))
	}
}

// CallInline implements engine.Inline.
func (f *function) CallInline(args ...any) (any, error) {
	v := f.vm
	in := make([]goja.Value, len(args))
	for i, a := range args {
		val, err := v.values.value(a)
		if err != nil {
			return nil, err
		}
		in[i] = val
	}
	v.inline++
	defer func() { v.inline-- }()
	out, err := f.call(goja.Undefined(), in...)
	if err != nil {
		return nil, v.failures.scriptError(err)
	}
	if obj, ok := out.(*goja.Object); ok && obj.ExportType() == promiseType {
		p := obj.Export().(*goja.Promise)
		v.rejects.track(p, goja.PromiseRejectionHandle, v.current)
		if p.State() == goja.PromiseStateRejected {
			return nil, v.failures.reasonError(p.Result())
		}
		return nil, &fault.ScriptError{Position: fault.Position{File: v.name},
			Message: "returned a promise, which the function must not: it cannot wait"}
	}
	return v.values.result(out, false)
}

// await reports whether out is a pending promise, and registers act as waiting for it.
func (v *VM) await(act *activation, out goja.Value) (pending bool) {
	obj, ok := out.(*goja.Object)
	if !ok || obj.ExportType() != promiseType {
		return false
	}
	act.promise = obj.Export().(*goja.Promise)
	act.shared.Store(true)
	if act.promise.State() != goja.PromiseStatePending {
		return false
	}
	if act.done == nil {
		act.done = make(chan answer, 1)
	}
	v.waiting = append(v.waiting, act)
	return true
}

// settleActivation ends act. It returns the result, or the value of the promise, as plain data. It
// is an error if act dropped an operation that it started. The job queue must be empty.
func (v *VM) settleActivation(act *activation, out goja.Value) (any, error) {
	act.over = true
	v.current = act // the activation of the last reaction no longer matters
	rejected := v.rejects.takeRejections(act)
	if act.failed != nil {
		return nil, act.failed
	}
	if p := act.promise; p != nil {
		out = p.Result()
		if p.State() == goja.PromiseStateRejected {
			return nil, v.failures.reasonError(out)
		}
	}
	if err := act.dropped(v.name); err != nil {
		return nil, err
	}
	if len(rejected) > 0 {
		return nil, v.failures.unhandledError(rejected[0])
	}
	switch {
	case out == nil || act.silent:
		return nil, nil
	case act.main:
		return nil, v.mainAnswer(out)
	}
	return v.values.result(out, act.open)
}

// collect settles the activations whose promises have settled.
func (v *VM) collect() []settled {
	if len(v.waiting) == 0 {
		return nil
	}
	var out []settled
	rest := v.waiting[:0]
	for _, act := range v.waiting {
		switch {
		case act.gone.Load():
			act.over = true
			v.rejects.takeRejections(act)
		case act.promise.State() == goja.PromiseStatePending:
			rest = append(rest, act)
		default:
			s := settled{act: act}
			err := v.protect(func() (err error) {
				s.value, err = v.settleActivation(act, nil)
				return err
			})
			s.err = err
			out = append(out, s)
		}
	}
	clear(v.waiting[len(rest):])
	v.waiting = rest
	return out
}

type settled struct {
	act   *activation
	value any
	err   error
}
