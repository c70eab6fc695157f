// Package apart calls functions that may panic, or never return, so that the caller does not suffer
// from it: those of other packages' authors, of a slow disk, of a server that is gone.
//
//	r, err := apart.Run(ctx, func() (*Reply, error) { return provider.Ask(request) })
//	err := apart.Call(func() error { return format.Read(text) })
//
// It stops nothing: a function that does not return is left behind with its goroutine, and what it
// holds.
package apart

import (
	"context"
	"errors"
	"fmt"
)

// PanicError is a panic of the function as an error.
type PanicError struct{ Value any }

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// errExited is for a function that ends its goroutine.
var errExited = errors.New("it did not come to an end")

// Call calls f. Its panic is an error, a *PanicError.
func Call(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{p}
		}
	}()
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
