// This file defines User, the person who is asked, and what that person is asked.

package engine

import (
	"context"
	"errors"
	"strings"
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

// Ask is one question about a tool call: of a handler, a failed guard, or the permission mode.
type Ask struct {
	Script  string // "" = the permission mode, or a rule
	Rule    string // the user's standing rule that asks
	Path    string
	Line    int
	Text    string // the question
	Reason  string
	Detail  map[string]any
	Failure *ScriptError // the handler failed, and that is why the user is asked
	Absent  bool         // the guard has no working version, and that is why

	guard   bool // asked by a guard: asked anew in each round
	routine bool // the permission mode's
}

// FailureText is what is to be shown of the failure below Text: all of it, or what Text does not
// say; "" if there is nothing.
func (a Ask) FailureText() string {
	switch {
	case a.Failure == nil:
		return ""
	case strings.Contains(a.Text, a.Failure.Error()):
		return a.Failure.around()
	}
	return a.Failure.Detail()
}

// Question is what one dialog shows: the final arguments, and everybody who asks.
type Question struct {
	Call *Call // Tool and Args are final
	Kind string
	Asks []Ask
	// Preview is what the call would do, to be shown instead of its arguments; nil = the arguments
	// are shown.
	Preview *Preview
	// Rewritten is what the call was before scripts or the user changed it; nil = it is as it came.
	Rewritten *Rewrite
	// Always is the rule that "always" would store, as the user reads it: bash(git status *). "" =
	// the answer cannot be remembered beyond this session; so for a guard's or script's ask, ever.
	Always string
}

// AnyEdit reports whether an answer for the session would let edits of any file pass: so the
// permission mode's own question about an edit. All others are remembered for the same arguments
// only.
func (q *Question) AnyEdit() bool {
	for i := range q.Asks {
		if q.Asks[i].Script != "" || q.Asks[i].Rule != "" {
			return false
		}
	}
	return q.Kind == "edit"
}

// Answer is what the user decided.
type Answer struct {
	Allow   bool
	Session bool           // the same for the rest of the session (same tool, same askers)
	Always  bool           // store the rule that the question named
	Args    map[string]any // nil, or the arguments as the user edited them
	Reason  string         // why not, for the model
}

// Rules are the user's standing rules about tool calls: deny before ask before allow. A deny holds
// whatever the mode; an ask asks in every mode; an allow spares the routine question only.
type Rules interface {
	// Decide returns "deny", "ask", "allow" or, if no rule fits, "", and the rule that decided as
	// the user wrote it. The arguments are final; t is nil if a script answers in the name of a
	// tool that is not there.
	Decide(c *Call, t *Tool) (decision, rule string)
	// Pattern returns the rule that would let calls like c pass from now on; "" if there is none
	// that is narrow enough.
	Pattern(c *Call, t *Tool) string
	// Allow stores such a rule. It holds when Allow returns.
	Allow(pattern string) error
}

// Approver asks the user about tool calls. It may be called by several goroutines at a time, and
// shows one dialog after the other. Any error refuses the call; it is ctx's when the user went
// away.
type Approver interface {
	Approve(ctx context.Context, q *Question) (Answer, error)
}

// Dialog is a question that is not about a tool call: of a script or, with none named, of the
// program.
type Dialog struct {
	Script string
	Kind   string // "confirm", "select", "input", "edit"
	Title  string
	Detail string
	Yes    string // confirm: label, "" = "Yes"
	No     string
	// Default is what Enter gives to a confirm.
	Default bool
	// confirm: yes holds for longer than this once, so no single letter may give it
	Lasting bool
	Choices []Choice // select: what there is, in order
	// select: the values that are picked at first, one at most unless several can be
	Picked []string
	Other  bool   // select: the user may write something else instead
	Text   string // input, edit: what stands there at first
	// Patience ends the context of the question, with the cause context.DeadlineExceeded; nil = it
	// is waited for as long as it takes. A front end that shows one question after the other holds
	// it until this one can be answered.
	Patience *Patience
}

// Choice is one thing that can be selected.
type Choice struct {
	Label       string // "" = the value
	Value       string
	Description string
}

// ErrHeadless is the error of a dialog that a front end has no way to show: the script goes on as
// if nobody could be asked.
var ErrHeadless = errors.New("there is no way to ask that here")

// Dialogs asks the user. Each waits for the answer; the error is ctx's when the user went away.
type Dialogs interface {
	Confirm(ctx context.Context, d *Dialog) (bool, error)
	// Select returns the value of the choice that was picked, or with Other what the user wrote; ok
	// is false if the user wants none.
	Select(ctx context.Context, d *Dialog) (value string, ok bool, err error)
	// Many returns the values of all choices that were picked, in their order; ok is false if the
	// user wants to leave it.
	Many(ctx context.Context, d *Dialog) (values []string, ok bool, err error)
	// Edit returns a text of several lines that the user wrote; ok is false if the user does not
	// want to.
	Edit(ctx context.Context, d *Dialog) (text string, ok bool, err error)
	// Input returns a line that the user wrote; ok is false if the user does not want to.
	Input(ctx context.Context, d *Dialog) (text string, ok bool, err error)
}
