package engine

import (
	"sync"
	"time"
)

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
