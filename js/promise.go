// This file makes the promises of functions that wait, and finds promises that a script does not
// await.

package js

import (
	"context"
	"reflect"
	"slices"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
)

var promiseType = reflect.TypeOf((*goja.Promise)(nil))

// operation is one call of a function that waits.
type operation struct {
	act     *activation
	name    string // "ext.sleep"
	pos     fault.Position
	promise *goja.Promise
	pending bool
	release func()          // removes the abort listener; nil = no signal
	reason  goja.Value      // reason of the abort, with which the promise is rejected
	within  context.Context // nil = the context of the run
	chained bool            // the script awaits it, or called then, catch, Promise.all, ...
	// the script may drop the result: the request has its response, except for the body
	begun bool
}

// startCall starts a call of a function that waits and returns its promise. The result enters the
// VM through enterTurn, for the run that made the call.
func (v *VM) startCall(f *engine.Builtin, name string, args []any, signal *goja.Object) goja.Value {
	p, resolve, reject := v.rt.NewPromise()
	obj := v.rt.ToValue(p).(*goja.Object)
	op := &operation{act: v.current, name: name, pos: v.failures.position(), promise: p,
		pending: true}
	v.watch(op, obj)
	op.act.shared.Store(true)
	if op.act.done == nil {
		op.act.done = make(chan answer, 1)
	}
	op.act.ops = append(op.act.ops, op)
	if signal != nil {
		op.abortBy(&v.realm, signal)
	}
	go v.finishCall(op, f, args, resolve, reject)
	return obj
}

// watch makes obj, a promise, the script's promise for op, and detects whether the script uses it.
// Every operation that chains on a promise (await, then, Promise.all, returning it from an async
// function) reads its constructor first, as the language requires.
func (v *VM) watch(op *operation, obj *goja.Object) {
	op.promise, op.chained = obj.Export().(*goja.Promise), false
	_ = obj.DefineAccessorProperty("constructor", v.realm.native("constructor",
		func(goja.FunctionCall) goja.Value {
			op.chained = true
			return v.promise
		}), nil, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// finishCall does the work of an operation on a new goroutine and delivers the result. If the run
// is over or the VM is gone, the result is dropped.
func (v *VM) finishCall(op *operation, f *engine.Builtin, args []any, resolve,
	reject func(any) error) {
	// a bug in this package: Invoke and enterTurn recover panics themselves
	if p := apart.Catch(func() { v.deliver(op, f, args, resolve, reject) }); p != nil {
		op.act.answerPromise(nil, p)
	}
}

// deliver does the work of finishCall.
func (v *VM) deliver(op *operation, f *engine.Builtin, args []any, resolve,
	reject func(any) error) {
	value, err := v.bind.InvokeWithin(op.within, op.act.run, f, args, op.pos)
	if op.act.run.Ended() {
		return
	}
	// the script must not catch a cancellation and continue
	if stop := op.act.run.Err(); stop != nil {
		op.act.gone.Store(true)
		op.act.answerPromise(nil, stop)
		return
	}
	entered := v.enterTurn(op.act, func() error {
		op.pending = false
		if op.release != nil {
			op.release()
		}
		if op.reason != nil && err != nil {
			return v.failures.scriptError(reject(op.reason))
		}
		if err == nil {
			var out goja.Value
			if out, err = v.values.value(value); err == nil {
				return v.failures.scriptError(resolve(out))
			}
		}
		return v.failures.scriptError(reject(v.failures.errorValue(err, op.pos)))
	})
	// the run must stop, or could not get the turn: the caller must not wait forever
	if entered != nil {
		op.act.answerPromise(nil, entered)
	}
}

// dropped returns an error for an operation that the activation started and did not await, or that
// was pending at its end.
func (a *activation) dropped(file string) error {
	for _, op := range a.ops {
		if op.promise == a.promise {
			continue // returned
		}
		msg, hint := "", "write await "+op.name+"(...) in an async function"
		switch {
		case !op.chained:
			msg = op.name + " returns a promise that was neither awaited nor returned"
		case op.pending && !op.begun:
			msg = op.name + " was still waiting when the function ended"
			if op.chained {
				hint = "await it before the function ends; what a race has lost is given up with " +
					"an AbortSignal: {signal} of fetch, ext.http and ext.exec"
			}
		default:
			continue
		}
		return &fault.ScriptError{Position: op.pos, Message: msg, Hint: hint}
	}
	return nil
}

// rejection is a promise that was rejected while it had no handler.
type rejection struct {
	promise *goja.Promise
	act     *activation
}

// rejections are rejected promises that have no handler yet.
type rejections []rejection

// track is called by the interpreter when a promise is rejected without a handler, while act runs,
// and when such a promise gets a handler.
func (r *rejections) track(p *goja.Promise, op goja.PromiseRejectionOperation, act *activation) {
	if op == goja.PromiseRejectionReject {
		if act != nil {
			act.shared.Store(true)
		}
		*r = append(*r, rejection{p, act})
		return
	}
	if i := slices.IndexFunc(*r, func(x rejection) bool { return x.promise == p }); i >= 0 {
		*r = slices.Delete(*r, i, i+1)
	}
}

// takeRejections removes and returns act's rejections, without that of act's own promise, which the
// caller handles.
func (r *rejections) takeRejections(act *activation) (out []rejection) {
	*r = slices.DeleteFunc(*r, func(x rejection) bool {
		if x.act == act && x.promise != act.promise {
			out = append(out, x)
		}
		return x.act == act || x.promise == act.promise
	})
	return out
}

// lost removes and returns the rejections of activations that are over: no run is left that could
// fail.
func (r *rejections) lost() (out []rejection) {
	*r = slices.DeleteFunc(*r, func(x rejection) bool {
		over := x.act == nil || x.act.over
		if over {
			out = append(out, x)
		}
		return over
	})
	return out
}

// lostErrors returns the errors of lost rejections.
func (v *VM) lostErrors() (out []*fault.ScriptError) {
	for _, r := range v.rejects.lost() {
		var se *fault.ScriptError
		if v.protect(func() error { se = v.failures.unhandledError(r); return nil }) == nil {
			out = append(out, se)
		}
	}
	return out
}

// report reports errors that belong to no run. The turn must not be held.
func (v *VM) report(lost []*fault.ScriptError) {
	for _, se := range lost {
		g := v.bind.Gen
		se.Script, se.Path, se.Generation, se.Handler = g.Name, g.Path, g.Number, "promise"
		g.Engine().Notices.ReportError(se, false)
	}
}

// asyncTracker keeps vm.current correct while reactions run. Code after an await belongs to the
// activation that awaited, whichever run delivered the result. After a reaction the interpreter
// takes steps that it does not report: it rejects the promise of a then, and calls the then method
// of an awaited object. They belong to the same activation until the next reaction runs.
type asyncTracker VM

func (t *asyncTracker) Grab() any {
	if t.current != nil {
		t.current.shared.Store(true)
	}
	return t.current
}

func (t *asyncTracker) Resumed(act any) {
	if a, ok := act.(*activation); ok && a != nil {
		t.current = a
	}
}

func (t *asyncTracker) Exited() {}
