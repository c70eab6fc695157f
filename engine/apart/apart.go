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
	// Stack is the stack trace as text if Value is an error of the Go runtime or a string: such a
	// panic is a bug of the program. Other values have none: libraries and interpreters throw them
	// often, and a stack trace is expensive.
	Stack string
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// newPanicError makes a PanicError of the result of recover.
func newPanicError(value any) *PanicError {
	e := &PanicError{Value: value}
	switch value.(type) {
	case runtime.Error, string:
		e.Stack = string(debug.Stack())
	}
	return e
}

// errExited is the error of a function that ends its goroutine (runtime.Goexit).
var errExited = errors.New("the function ended its goroutine")

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

// Recover, deferred, turns a panic into an error, a *PanicError. It is cheaper than Call.
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

// Run calls f in a new goroutine and waits until it returns or ctx ends. If ctx ends first, Run
// returns the cause, and the result of f is lost. A panic of f is a *PanicError.
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
