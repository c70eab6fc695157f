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

// activation is one call of a script's function (or its top level) until it settles. A run may have
// several (ext.all). What the script starts is booked to the activation whose code starts it.
type activation struct {
	run  *engine.Run
	open bool // what it answers may hold functions

	// Only while the turn is held.
	ops     []*operation
	promise *goja.Promise // what it returned, if that is a promise
	over    bool          // it has settled: its answer is given
	silent  bool          // what it answers does not matter
	main    bool          // it is the load: what it answers is looked at, and goes nowhere
	failed  error         // what no catch makes good: the failure of act, whatever it answers
	in      [1]goja.Value // memory for the arguments of a handler

	// something that may live on refers to it: an operation, a promise, a reaction. Set while the
	// turn is held, read after it was given back: what refers to it may be running again.
	shared atomic.Bool
	gone   atomic.Bool // its caller went away
	once   sync.Once
	done   chan answer // capacity 1; made before anybody can answer
}

type answer struct {
	value any
	err   error
}

func (a *activation) answerPromise(value any, err error) {
	a.once.Do(func() { a.done <- answer{value, err} })
}

// function is a function of a script; it implements engine.Func.
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

// free lets a later call use act again, if nothing refers to it. It must have settled.
func (v *VM) free(act *activation) {
	if !act.shared.Load() {
		*act = activation{}
		v.spare.Store(act)
	}
}

// perform enters the VM with act and runs body. If body answers with a promise, perform waits for
// it with the turn given back, so that other handlers of the script run meanwhile.
func (v *VM) perform(act *activation, body func() (goja.Value, error)) (any, error) {
	var value any
	pending := false
	err := v.enterTurn(act, func() error {
		out, err := body()
		if err != nil {
			act.over = true
			v.rejects.takeRejections(act) // one failure is enough
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

// await reports whether out is a promise that has not settled, and books act as waiting for it.
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

// settleActivation ends act: out, or what its promise came to, as plain data, unless something that
// act started was dropped. The job queue must be empty.
func (v *VM) settleActivation(act *activation, out goja.Value) (any, error) {
	act.over = true
	v.current = act // whose reactions ran last does not matter any more
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
