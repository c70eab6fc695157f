// This file defines User, who answers questions, and the questions.

package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/ui"
)

// User is the person who can be asked through the front end. It counts how long the program waits
// for answers, and remembers what was allowed for the session. Its methods are safe for concurrent
// use.
type User struct {
	approver Approver   // nil: calls that would ask are refused
	dialogs  ui.Dialogs // nil: there are none
	watch    ui.Stopwatch
	grant    func(rule string) error // see AllowForSession

	mu      sync.Mutex
	allowed map[string]bool // what the user allowed for this session
}

// init sets the functions of the front end, which may be nil.
func (u *User) init(a Approver, d ui.Dialogs) {
	if a != nil {
		u.approver = timedApprover{a, &u.watch}
	}
	if d != nil {
		u.dialogs = ui.Timed(d, &u.watch)
	}
}

// Dialogs returns the dialogs of the front end, nil if there is no one to ask.
func (u *User) Dialogs() ui.Dialogs { return u.dialogs }

// Time returns how long the program has waited for the user so far, in dialogs: time limits exclude
// it.
func (u *User) Time() time.Duration { return u.watch.Total() }

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

// AllowForSession adds a rule that allows calls without the routine question, for the session: as
// Rules.Allow, but it is not stored. A rule that contains a secret is not added, as it is listed
// unmasked.
func (u *User) AllowForSession(rule string) error {
	if u.grant == nil {
		return errors.New("there are no rules here")
	}
	return u.grant(rule)
}

// timedApprover measures the time of the front end's dialogs.
type timedApprover struct {
	Approver
	watch *ui.Stopwatch
}

func (a timedApprover) Approve(ctx context.Context, q *Question) (Answer, error) {
	a.watch.Begin()
	defer a.watch.End()
	return a.Approver.Approve(ctx, q)
}

// Ask is one question about a tool call: of a handler, a failed guard, or the permission mode.
type Ask struct {
	Script  string // "" = the permission mode, or a rule
	Rule    string // the user's standing rule that asks, RuleSandbox or RuleProtected
	Path    string
	Line    int
	Text    string // the question
	Short   string // the question beside the call and who asks; "" = Text
	Reason  string
	Detail  map[string]any
	Failure *fault.ScriptError // the user is asked because the handler failed
	Absent  bool               // the user is asked because the guard has no working version

	guard   bool // asked by a guard: asked again in each round
	routine bool // the permission mode's
	lifts   bool // about what the sandbox would refuse: see lift
}

// What asks instead of a rule of the user, as Ask.Rule.
const (
	RuleSandbox   = "sandbox"   // the call needs what the sandbox refuses
	RuleProtected = "protected" // the call changes a protected file
)

// FailureText returns the part of the failure that Text does not contain; "" if there is none.
func (a Ask) FailureText() string {
	switch {
	case a.Failure == nil:
		return ""
	case strings.Contains(a.Text, a.Failure.Error()):
		return a.Failure.Around()
	}
	return a.Failure.Detail()
}

// Question is the content of one dialog: the final arguments, and all questions.
type Question struct {
	Call *Call // Tool and Args are final
	Kind string
	Asks []Ask
	// Preview is shown instead of the arguments of the call; nil = the arguments are shown.
	Preview *ui.Preview
	// Rewritten describes the call before scripts or the user changed it; nil = unchanged.
	Rewritten *Rewrite
	// Risks are sentences about what the call does: it writes outside of the project, may write
	// files that are not known, or uses the network.
	Risks []string
	// Always is the rule that the answer "always" would store, for display: bash(git status *). ""
	// = the answer cannot be remembered beyond this session, as always for questions of guards and
	// scripts.
	Always string
	// CheckRule reports why a rule cannot be stored instead of Always: it is invalid, or would not
	// let this call pass. It may wait for a disk. nil if Always is "".
	CheckRule func(rule string) error
}

// AnyEdit reports whether an answer for the session covers edits of any file, as for the permission
// mode's own question about an edit. All other answers are remembered for the same arguments only.
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
	Always  bool           // store the rule that the question named, or Rule
	Rule    string         // the rule as the user edited it; "" = not edited
	Args    map[string]any // nil, or the edited arguments
	Reason  string         // why not, for the model
}

// Rules are the user's rules about tool calls: deny before ask before allow. A deny or an ask
// applies in every mode; an allow skips the routine question only.
type Rules interface {
	// Decide returns "deny", "ask", "allow" or, if no rule fits, "", the rule that decided as the
	// user wrote it, and why it matches or may match, "" if that is plain. The arguments are final;
	// t is nil if a script answers for a tool that does not exist. touched returns the files that
	// the call touches: a built-in tool opens only these.
	Decide(c *Call, t *Tool, touched func() Touched) (decision, rule, why string)
	// Pattern returns the rule that would let calls like c pass; "" if none is narrow enough.
	Pattern(c *Call, t *Tool) string
	// CheckAllow reports why a rule would not let c pass: it is invalid, or does not match.
	CheckAllow(rule string, c *Call, t *Tool) error
	// Allow stores such a rule. It is in force when Allow returns.
	Allow(pattern string) error
	// AllowForSession is Allow for a rule that is not stored.
	AllowForSession(pattern string) error
}

// Approver asks the user about tool calls. It may be called by several goroutines at a time, and
// shows one dialog after the other. Any error refuses the call; it is ctx's error if the user
// cancelled.
type Approver interface {
	Approve(ctx context.Context, q *Question) (Answer, error)
}
