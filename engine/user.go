// This file defines User: the person who is asked.

package engine

import (
	"context"
	"sync"
	"time"
)

// User is the person whom the front end can ask. It counts how long the program waits for answers,
// and remembers what was allowed for the session. Its methods are safe for concurrent use.
type User struct {
	approver Approver // nil: what would ask is refused
	dialogs  Dialogs  // nil: there are none
	clock    userClock

	mu      sync.Mutex
	allowed map[string]bool // what the user allowed for this session
}

// init takes the front end's ways to ask, which may be nil.
func (u *User) init(a Approver, d Dialogs) {
	if a != nil {
		u.approver = clockedApprover{a, &u.clock}
	}
	if d != nil {
		u.dialogs = clockedDialogs{d, &u.clock}
	}
}

// Dialogs returns the dialogs of the front end, nil if nobody can be asked.
func (u *User) Dialogs() Dialogs { return u.dialogs }

// Time is how long the program has waited for the user so far, in dialogs: a limit of time leaves
// it out.
func (u *User) Time() time.Duration { return u.clock.read() }

// allows reports whether all of keys were allowed for this session.
func (u *User) allows(keys []string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, k := range keys {
		if !u.allowed[k] {
			return false
		}
	}
	return true
}

// allow allows keys for this session.
func (u *User) allow(keys []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.allowed == nil {
		u.allowed = map[string]bool{}
	}
	for _, k := range keys {
		u.allowed[k] = true
	}
}

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
