package vm

import "time"

// Clock is the clock of scripts: the current time in their languages and in ext, and their timers.
// Tests of scripts use a clock that only the test moves. Its methods may be called from any
// goroutine.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f when d has passed. f may wait for scripts.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a pending call of AfterFunc; its methods are those of time.Timer.
type Timer interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// SystemClock is the system's clock.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc implements Clock.
func (SystemClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
