// This file aborts calls of functions that wait: {signal} in their options.

package js

import (
	"context"
	"errors"
	"fmt"

	"github.com/dop251/goja"
)

// errAborted is the error of an aborted call in Go. The script gets the reason of its signal.
var errAborted = errors.New("aborted")

// takeSignal removes the AbortSignal from the options of a call: it replaces the last argument by a
// copy without the signal. It returns nil if there is no signal.
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
	// the check of the arguments reports options that cannot be read
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

// abortBy aborts op when signal is aborted, at once if it already is.
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
		_ = listen(r.rt, signal, "removeEventListener", listener)
		cancel(nil)
	}
	if err := listen(r.rt, signal, "addEventListener", listener); err != nil {
		panic(err)
	}
}

// listen adds or removes an abort listener: it calls the method name of signal.
func listen(rt *goja.Runtime, signal *goja.Object, name string, listener goja.Value) error {
	fn, ok := goja.AssertFunction(signal.Get(name))
	if !ok {
		return errors.New(name + " is no function")
	}
	_, err := fn(signal, rt.ToValue("abort"), listener)
	return err
}
