// This file measures and limits the time for which the program waits for a person.

package ui

import (
	"context"
	"sync"
	"time"
)

// Patience limits the time to wait for the answer to a question. It runs from the beginning, unless
// the front end holds it until the user can see and answer the question: time in which another
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

// Go lets it continue.
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

// Left returns the remaining time; ok is false if it never ends.
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

// Stopwatch measures the time during which dialogs are open: overlapping dialogs count once.
type Stopwatch struct {
	mu    sync.Mutex
	open  int
	since time.Time
	total time.Duration
}

// Begin says that a dialog opens.
func (w *Stopwatch) Begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open++; w.open == 1 {
		w.since = time.Now()
	}
}

// End says that a dialog has closed.
func (w *Stopwatch) End() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open--; w.open == 0 {
		w.total += time.Since(w.since)
	}
}

// Total returns the time so far.
func (w *Stopwatch) Total() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open > 0 {
		return w.total + time.Since(w.since)
	}
	return w.total
}

// Timed returns d, with the time of its dialogs measured by watch.
func Timed(d Dialogs, watch *Stopwatch) Dialogs { return &timedDialogs{d, watch} }

type timedDialogs struct {
	Dialogs
	watch *Stopwatch
}

func (d *timedDialogs) Confirm(ctx context.Context, dialog *Dialog) (bool, error) {
	d.watch.Begin()
	defer d.watch.End()
	return d.Dialogs.Confirm(ctx, dialog)
}

func (d *timedDialogs) Select(ctx context.Context, dialog *Dialog) (string, bool, error) {
	d.watch.Begin()
	defer d.watch.End()
	return d.Dialogs.Select(ctx, dialog)
}

func (d *timedDialogs) Many(ctx context.Context, dialog *Dialog) ([]string, bool, error) {
	d.watch.Begin()
	defer d.watch.End()
	return d.Dialogs.Many(ctx, dialog)
}

func (d *timedDialogs) Edit(ctx context.Context, dialog *Dialog) (string, bool, error) {
	d.watch.Begin()
	defer d.watch.End()
	return d.Dialogs.Edit(ctx, dialog)
}

func (d *timedDialogs) Input(ctx context.Context, dialog *Dialog) (string, bool, error) {
	d.watch.Begin()
	defer d.watch.End()
	return d.Dialogs.Input(ctx, dialog)
}
