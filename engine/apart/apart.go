// Package apart calls functions that may panic or never return, and protects the caller from both.
// Such functions come from other authors, or wait for a disk or a server.
//
//	r, err := apart.Run(ctx, func() (*Reply, error) { return provider.Ask(request) })
//	err := apart.Call(func() error { return format.Read(text) })
//
// Panics are recovered here and nowhere else in the program. A function that does not return is not
// stopped: it is left behind with its goroutine, and what it holds.
package apart

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// PanicError is a panic of a function as an error.
type PanicError struct {
	Value any
	// Stack is where it was, as a text, if Value is an error of the Go runtime or a string: then
	// the program is wrong. What libraries and interpreters throw by other values has none: they
	// throw often, and a stack costs more than all the rest.
	Stack string
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// newPanicError makes a PanicError of what recover returned.
func newPanicError(value any) *PanicError {
	e := &PanicError{Value: value}
	switch value.(type) {
	case runtime.Error, string:
		e.Stack = string(debug.Stack())
	}
	return e
}

// errExited is for a function that ends its goroutine.
var errExited = errors.New("it did not come to an end")

// Catch calls f. It returns the panic of f, or nil if f returned.
func Catch(f func()) (p *PanicError) {
	defer func() {
		if value := recover(); value != nil {
			p = newPanicError(value)
		}
	}()
	f()
	return nil
}

// Recover makes an error of a panic, a *PanicError. Defer it: where every call counts it costs less
// than Call.
func Recover(err *error) {
	if value := recover(); value != nil {
		*err = newPanicError(value)
	}
}

// Call calls f. It returns a panic of f as a *PanicError.
func Call(f func() error) (err error) {
	defer Recover(&err)
	return f()
}

// Run calls f on a goroutine of its own until it returns or ctx ends, and then returns the cause of
// that: f is left behind, and what it returns is lost. A panic of f is a *PanicError.
func Run[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type end struct {
		out T
		err error
	}
	done := make(chan end, 1)
	go func() {
		e := end{err: errExited}
		defer func() { done <- e }()
		err := Call(func() (err error) {
			e.out, err = f()
			return err
		})
		e.err = err
	}()
	select {
	case e := <-done:
		return e.out, e.err
	case <-ctx.Done():
		var zero T
		return zero, context.Cause(ctx)
	}
}
