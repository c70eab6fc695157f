// This file evaluates the user's rules about a call, and checks whether it would change protected
// files.

package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
)

// ruling is the decision of the rules about a call with its final arguments; zero: no rule matches.
type ruling struct{ decision, rule, why string }

// ruled evaluates the rules; it returns false if a rule denies the call, in any mode and despite
// any allow.
func (c *decision) ruled() bool {
	c.ruling = ruling{}
	if c.d.e.opts.Rules == nil {
		return true
	}
	c.ruling = c.askRules()
	if c.ruling.decision != "deny" {
		return true
	}
	text := "refused by the user's rule " + c.ruling.rule
	if c.ruling.why != "" {
		text += ": " + c.ruling.why
	}
	c.d.refuse("denied", "rule_deny", text)
	return false
}

// askRules evaluates the rules. If that fails, the user is asked, because the result is unknown.
func (c *decision) askRules() ruling {
	rules, call, tool := c.d.e.opts.Rules, c.d.final(), c.d.found // the call may outlive d
	touched := c.d.touches().whole
	r, err := within(c.d.ctx, func() ruling {
		decision, rule, why := rules.Decide(call, tool, touched)
		return ruling{decision, rule, why}
	})
	var panicked *apart.PanicError
	switch {
	case errors.As(err, &panicked):
		return ruling{decision: "ask", rule: fmt.Sprintf("(the rules failed: %v)", panicked.Value)}
	case err != nil:
		return ruling{decision: "ask", rule: "(the evaluation of the rules did not finish)"}
	}
	return r
}

// final returns the call with its final name and arguments, for users and rules.
func (d *dispatch) final() *Call {
	return &Call{ID: d.call.ID, Tool: d.tool, Args: d.args, Origin: d.call.Origin, Env: d.call.Env,
		Number: d.call.Number, Of: d.call.Of}
}

// ask returns the question of an ask rule; nil if there is none.
func (r ruling) ask() *Ask {
	if r.decision != "ask" {
		return nil
	}
	if text, ok := strings.CutPrefix(r.rule, "("); ok { // the reason why no rule can be evaluated
		return &Ask{Rule: r.rule, Text: strings.TrimSuffix(text, ")"), Reason: r.why}
	}
	return &Ask{Rule: r.rule, Text: "the rule " + r.rule + " wants you to be asked",
		Reason: r.why}
}

// always returns the rule that would let similar calls pass, if only the routine question applies;
// otherwise "". A rule that contains a secret is not offered: it would be stored and listed
// unmasked.
func (c *decision) always(asks []Ask) string {
	if c.d.e.opts.Rules == nil || len(asks) != 1 || !asks[0].routine ||
		asks[0].Text == planText(c.d.tool) {
		return ""
	}
	var rule string
	err := apart.Call(func() error {
		rule = c.d.e.opts.Rules.Pattern(c.d.final(), c.d.found)
		return nil
	})
	if err != nil || c.d.e.Mask.Text(rule) != rule {
		return "" // the user is asked again next time
	}
	return rule
}

// ruleChecker returns Question.CheckRule for the call as it is now.
func (c *decision) ruleChecker() func(rule string) error {
	e, call, tool := c.d.e, c.d.final(), c.d.found // the dialog may outlive d
	return func(rule string) error {
		if e.Mask.Text(rule) != rule {
			return errSecretRule
		}
		return apart.Call(func() error { return e.opts.Rules.CheckAllow(rule, call, tool) })
	}
}

var errSecretRule = errors.New(
	"it contains a secret, and rules are stored and listed unmasked")

// allowForSession implements User.AllowForSession.
func (e *Engine) allowForSession(rule string) error {
	if e.Mask.Text(rule) != rule {
		return errSecretRule
	}
	return apart.Call(func() error { return e.opts.Rules.AllowForSession(rule) })
}

// store stores the rule that the user approved with "always": edited, or, if that is "", the one
// that the question named. If that fails it notifies the user and returns false.
func (c *decision) store(q *Question, edited string) bool {
	rule, err := q.Always, error(nil)
	if edited != "" && edited != rule {
		rule, err = edited, q.CheckRule(edited)
	}
	if err == nil {
		err = c.d.e.opts.Rules.Allow(rule)
	}
	if err != nil {
		c.d.e.Notices.Notify(c.d.call.Env, "agent",
			ui.Notice{Text: "the rule " + rule + " could not be stored: " + plain.Error(err) +
				"; the call was allowed once", Level: "warn"})
	}
	return err == nil
}

// Protection describes which protected files a call would change.
type Protection struct {
	Asks string // why the call asks in every mode; "" = it does not
	// Perhaps are the protected files about which it asks, if it is unknown whether the call
	// changes them.
	Perhaps []string
	// why the mode accept-edits does not cover the call, if it is an edit; "" = it does
	Edits string
}

// protection returns which protected files the call would change; nothing for calls of the user.
func (c *decision) protection() Protection {
	d := c.d
	if d.e.opts.Protect == nil || d.call.Origin == "user" || d.found != nil && d.found.ReadOnly {
		return Protection{}
	}
	t := c.d.touches()
	t.guard.Do(func() { t.protection = c.protect(t) })
	return t.protection
}

// protect calls Options.Protect. If that fails, the result is unknown.
func (c *decision) protect(t *touches) Protection {
	whole, files := t.whole(), c.d.snap.Files()
	protect, call := c.d.e.opts.Protect, c.d.final()
	out, err := within(c.d.ctx, func() Protection { return protect(call, whole, files) })
	var panicked *apart.PanicError
	switch {
	case errors.As(err, &panicked):
		text := fmt.Sprintf("it is unknown whether this changes protected files: %v",
			panicked.Value)
		return Protection{Asks: text, Edits: text}
	case err != nil:
		return Protection{Edits: "the check did not finish"}
	}
	return out
}

// leaves returns the question about a call whose program would run outside of the sandbox; nil if
// it would not, or if a rule of the user allows the call.
func (c *decision) leaves() *Ask {
	if c.confinement() != Outside || c.d.call.Origin == "user" || c.ruling.decision == "allow" {
		return nil
	}
	return &Ask{Rule: RuleSandbox, Text: "the command would run outside of the sandbox"}
}

// confinement returns where the program of the call would run.
func (c *decision) confinement() Confinement {
	return c.d.found.confinement(c.d.args)
}

// confinement returns how the program of a call of t is confined; t may be nil.
func (t *Tool) confinement(args map[string]any) Confinement {
	if t == nil || t.Sandbox == nil || t.Sandbox.Confinement == nil {
		return Unconfined
	}
	return t.Sandbox.Confinement(args)
}

// protected returns the question about a call that would change protected files; nil if it would
// not.
func (c *decision) protected() *Ask {
	p := c.protection()
	if why := p.Asks; why != "" && (len(p.Perhaps) == 0 || !c.d.found.keeps(c.d.args, p.Perhaps)) {
		return &Ask{Rule: RuleProtected, Text: why}
	}
	return nil
}
