// This file makes the promises of functions that wait, and finds those that a script forgets.

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
	release func()          // lets go of its signal; nil: it has none
	reason  goja.Value      // why it was given up: what the promise is rejected with
	within  context.Context // nil: it ends with the run
	chained bool            // somebody awaits it, or called then, catch, Promise.all, ...
	// the result may be abandoned: the request has its answer, except for the body
	begun bool
}

// startCall begins a call of a function that waits and returns its promise. The answer comes in
// through the front door (enter), for the run that asked.
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

// watch makes obj, a promise, the script's promise for op, and detects whether the script forgets
// it. Every operation that chains on a promise (await, then, Promise.all, returning it from an
// async function) reads its constructor first, as the language demands.
func (v *VM) watch(op *operation, obj *goja.Object) {
	op.promise, op.chained = obj.Export().(*goja.Promise), false
	_ = obj.DefineAccessorProperty("constructor", v.native("constructor",
		func(goja.FunctionCall) goja.Value {
			op.chained = true
			return v.promise
		}), nil, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// finishCall does the work of an operation on a new goroutine and delivers the result. If the run
// is over or the VM is gone, the result is dropped.
func (v *VM) finishCall(op *operation, f *engine.Builtin, args []any, resolve,
	reject func(any) error) {
	// a mistake in our own lines: what Invoke and enterTurn call cannot panic here
	if p := apart.Catch(func() { v.deliver(op, f, args, resolve, reject) }); p != nil {
		op.act.answerPromise(nil, p)
	}
}

// deliver is finishCall.
func (v *VM) deliver(op *operation, f *engine.Builtin, args []any, resolve,
	reject func(any) error) {
	value, err := v.bind.InvokeWithin(op.within, op.act.run, f, args, op.pos)
	if op.act.run.Ended() {
		return
	}
	// a catch of the script must not go on with what was cancelled
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
	// the run must stop, or could not get the turn: who waits must not wait for ever
	if entered != nil {
		op.act.answerPromise(nil, entered)
	}
}

// dropped reports an operation that the activation started and then forgot, or left behind
// unfinished.
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

// rejection is a promise that was rejected while nobody listened.
type rejection struct {
	promise *goja.Promise
	act     *activation
}

// rejections are promises that were rejected and that nobody has handled yet.
type rejections []rejection

// track is called by the interpreter when a promise is rejected without a handler, while act runs,
// and when it gets one after all.
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

// takeRejections removes and returns act's rejections. The caller handles that of act's own
// promise.
func (r *rejections) takeRejections(act *activation) (out []rejection) {
	*r = slices.DeleteFunc(*r, func(x rejection) bool {
		if x.act == act && x.promise != act.promise {
			out = append(out, x)
		}
		return x.act == act || x.promise == act.promise
	})
	return out
}

// lost removes the rejections of activations that are over, since no run is left that could fail.
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

// lostErrors are the failures of lost rejections.
func (v *VM) lostErrors() (out []*fault.ScriptError) {
	for _, r := range v.rejects.lost() {
		var se *fault.ScriptError
		if v.protect(func() error { se = v.failures.unhandledError(r); return nil }) == nil {
			out = append(out, se)
		}
	}
	return out
}

// report tells of failures that no run can answer for. Without the turn.
func (v *VM) report(lost []*fault.ScriptError) {
	for _, se := range lost {
		g := v.bind.Gen
		se.Script, se.Path, se.Generation, se.Handler = g.Name, g.Path, g.Number, "promise"
		g.Engine().Notices.ReportError(se, false)
	}
}

// asyncTracker keeps vm.current right while reactions run: code after an await belongs to the
// activation that awaited, whichever run delivered the result. The interpreter's own steps after
// that, which it does not report, belong to the same activation until another reaction runs: it
// rejects the promise of a then, and calls the then of what was awaited.
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
