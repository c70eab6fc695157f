package engine

import (
	"context"
	"sync"
	"time"
)

// userClock counts the time in which somebody is asked: two dialogs at a time count once.
type userClock struct {
	mu    sync.Mutex
	open  int
	since time.Time
	total time.Duration
}

func (c *userClock) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open++; c.open == 1 {
		c.since = time.Now()
	}
}

func (c *userClock) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open--; c.open == 0 {
		c.total += time.Since(c.since)
	}
}

func (c *userClock) read() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open > 0 {
		return c.total + time.Since(c.since)
	}
	return c.total
}

// clockedApprover and clockedDialogs are those of the front end, with the time that they take
// counted.
type clockedApprover struct {
	Approver
	clock *userClock
}

func (a clockedApprover) Approve(ctx context.Context, q *Question) (Answer, error) {
	a.clock.begin()
	defer a.clock.end()
	return a.Approver.Approve(ctx, q)
}

type clockedDialogs struct {
	Dialogs
	clock *userClock
}

func (d clockedDialogs) Confirm(ctx context.Context, dialog *Dialog) (bool, error) {
	d.clock.begin()
	defer d.clock.end()
	return d.Dialogs.Confirm(ctx, dialog)
}

func (d clockedDialogs) Select(ctx context.Context, dialog *Dialog) (string, bool, error) {
	d.clock.begin()
	defer d.clock.end()
	return d.Dialogs.Select(ctx, dialog)
}

func (d clockedDialogs) Many(ctx context.Context, dialog *Dialog) ([]string, bool, error) {
	d.clock.begin()
	defer d.clock.end()
	return d.Dialogs.Many(ctx, dialog)
}

func (d clockedDialogs) Edit(ctx context.Context, dialog *Dialog) (string, bool, error) {
	d.clock.begin()
	defer d.clock.end()
	return d.Dialogs.Edit(ctx, dialog)
}

func (d clockedDialogs) Input(ctx context.Context, dialog *Dialog) (string, bool, error) {
	d.clock.begin()
	defer d.clock.end()
	return d.Dialogs.Input(ctx, dialog)
}

// UserTime is how long the program has waited for the user so far, in dialogs: a limit of time
// leaves it out.
func (e *Engine) UserTime() time.Duration { return e.user.read() }
