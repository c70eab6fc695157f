// This file defines the time that scripts have, and how long an answer is waited for.

package engine

import (
	"sync"
	"time"
)

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

// Patience is how long the answer to a question is waited for. It runs from the beginning, unless
// the front end holds it until the user can see the question and answer: time in which another
// question was in front does not count. A nil Patience never ends. Its methods may be called from
// any goroutine.
type Patience struct {
	mu    sync.Mutex
	left  time.Duration
	since time.Time // since when it runs; zero = it is held
	timer *time.Timer
}

// NewPatience returns a Patience that runs, and calls over when it has run for d.
func NewPatience(d time.Duration, over func()) *Patience {
	return &Patience{left: d, since: time.Now(), timer: time.AfterFunc(d, over)}
}

// Hold stops it, until Go.
func (p *Patience) Hold() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.since.IsZero() && p.timer.Stop() {
		p.left -= time.Since(p.since)
		p.since = time.Time{}
	}
}

// Go lets it run on.
func (p *Patience) Go() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() {
		p.since = time.Now()
		p.timer.Reset(max(p.left, 0))
	}
}

// Left is how long it runs still; ok is false if it never ends.
func (p *Patience) Left() (left time.Duration, ok bool) {
	if p == nil {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() {
		return p.left, true
	}
	return max(p.left-time.Since(p.since), 0), true
}
