// This file defines the time that scripts have.

package engine

import "time"

// Clock is the time as scripts have it: what their languages and ext call now, and when their
// timers come. Who tests scripts has one that stands still until the test moves it. Its methods may
// be called from any goroutine.
type Clock interface {
	Now() time.Time
	// AfterFunc has f called when d has passed. f may wait for scripts.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is what a clock was told to do; its methods are those of time.Timer.
type Timer interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// systemClock is the clock of the machine.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

// Clock returns the clock of the scripts; that of the machine if e is nil, or was given none.
func (e *Engine) Clock() Clock {
	if e != nil && e.opts.Clock != nil {
		return e.opts.Clock
	}
	return systemClock{}
}

func (e *Engine) now() time.Time { return e.Clock().Now() }
