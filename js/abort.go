// This file gives up calls of functions that wait: {signal} in their options.

package js

import (
	"context"
	"errors"
	"fmt"

	"github.com/dop251/goja"
)

// errAborted is what a call that was given up ends with in Go; the script gets the reason of its
// signal.
var errAborted = errors.New("aborted")

// takeSignal takes the AbortSignal out of the options of a call: its last argument is replaced by a
// copy without it. nil: there is none.
func (w *web) takeSignal(name string, args []goja.Value) *goja.Object {
	if len(args) == 0 {
		return nil
	}
	options, ok := args[len(args)-1].(*goja.Object)
	if !ok {
		return nil
	}
	var given goja.Value
	ex := w.rt.Try(func() {
		if options.ClassName() == "Object" && exportView(options) == nil {
			given = options.Get("signal")
		}
	})
	// what cannot be read is told of by the check of the arguments
	if ex != nil || given == nil || goja.IsUndefined(given) {
		return nil
	}
	signal, ok := given.(*goja.Object)
	if ok = ok && w.abortKey != nil && signal.GetSymbol(w.abortKey) != nil; !ok &&
		!goja.IsNull(given) {
		w.failures.raise(fmt.Errorf("%s: signal: got %s, want an AbortSignal", name,
			typeName(given)))
	}
	rest := w.rt.NewObject()
	for _, key := range options.Keys() {
		if key != "signal" {
			_ = rest.DefineDataProperty(key, options.Get(key), goja.FLAG_TRUE, goja.FLAG_TRUE,
				goja.FLAG_TRUE)
		}
	}
	args[len(args)-1] = rest
	if !ok {
		return nil
	}
	return signal
}

// abortBy lets signal give op up. One that was aborted before does so at once.
func (op *operation) abortBy(r *realm, signal *goja.Object) {
	within, cancel := context.WithCancelCause(op.act.run.Context())
	op.within = within
	give := func() {
		if op.pending {
			op.reason = signal.Get("reason")
			cancel(errAborted)
		}
	}
	if signal.Get("aborted").ToBoolean() {
		give()
		return
	}
	listener := r.native("abort", func(goja.FunctionCall) goja.Value {
		give()
		return nil
	})
	op.release = func() {
		_ = r.listen(signal, "removeEventListener", listener)
		cancel(nil)
	}
	if err := r.listen(signal, "addEventListener", listener); err != nil {
		panic(err)
	}
}

// listen calls a method of a signal with a listener of its abort.
func (r *realm) listen(signal *goja.Object, name string, listener goja.Value) error {
	fn, ok := goja.AssertFunction(signal.Get(name))
	if !ok {
		return errors.New(name + " is no function")
	}
	_, err := fn(signal, r.rt.ToValue("abort"), listener)
	return err
}
