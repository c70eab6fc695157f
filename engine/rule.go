// This file asks the user's standing rules about a call, and whether it would change what decides
// what runs.

package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/plain"
)

// ruling is what the rules say of a call with its final arguments; the zero value: nothing.
type ruling struct{ decision, rule string }

// ruled asks the rules; false: a rule denies the call, whatever the mode and whoever allows it.
func (c *decision) ruled() bool {
	c.ruling = ruling{}
	if c.d.e.opts.Rules == nil {
		return true
	}
	c.ruling = c.askRules()
	if c.ruling.decision != "deny" {
		return true
	}
	c.d.refuse("denied", "rule_deny", "refused by the rule "+c.ruling.rule+" of the user")
	return false
}

// askRules asks the rules. If they fail, the user is asked: what they would have said is not known.
func (c *decision) askRules() ruling {
	rules, call, tool := c.d.e.opts.Rules, c.d.final(), c.d.found // for what may be left behind
	r, err := within(c.d.ctx, func() ruling {
		decision, rule := rules.Decide(call, tool)
		return ruling{decision, rule}
	})
	var panicked *apart.PanicError
	switch {
	case errors.As(err, &panicked):
		return ruling{"ask", fmt.Sprintf("(the rules failed: %v)", panicked.Value)}
	case err != nil:
		return ruling{"ask", "(the rules were not asked to the end)"}
	}
	return r
}

// final is the call with its final name and arguments, as users and rules see it.
func (d *dispatch) final() *Call {
	return &Call{ID: d.call.ID, Tool: d.tool, Args: d.args, Origin: d.call.Origin, Env: d.call.Env}
}

// ask is the question of a rule that wants the user to be asked; nil if there is none.
func (r ruling) ask() *Ask {
	if r.decision != "ask" {
		return nil
	}
	if text, ok := strings.CutPrefix(r.rule, "("); ok { // no rule, but why none can be held to
		return &Ask{Rule: r.rule, Text: strings.TrimSuffix(text, ")")}
	}
	return &Ask{Rule: r.rule, Text: "the rule " + r.rule + " wants you to be asked"}
}

// always is the rule that would let calls like this one pass, if nothing but the routine stands in
// the way; else "". A rule with a secret in it is none: it would be stored and listed as it is.
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
		return "" // then it is asked again the next time
	}
	return rule
}

// store keeps the rule that the user said yes to for ever; false, and the user is told why, if it
// could not be kept.
func (c *decision) store(pattern string) bool {
	err := c.d.e.opts.Rules.Allow(pattern)
	if err != nil {
		c.d.e.Notices.Notify(c.d.call.Env, "agent",
			Notice{Text: "the rule " + pattern + " could not be stored: " + plain.Error(err) +
				"; the call was allowed once", Level: "warn"})
	}
	return err == nil
}

// Protection says what a call would change that is protected.
type Protection struct {
	Asks string // why the call is asked about in every mode; "" = it is not
	// why the mode accept-edits does not cover the call, if it is an edit; "" = it does
	Edits string
}

// protection is what the call would change that is protected. What the user asks for himself is
// not.
func (c *decision) protection() Protection {
	d := c.d
	if d.e.opts.Protect == nil || d.call.Origin == "user" || d.found != nil && d.found.ReadOnly {
		return Protection{}
	}
	t := c.d.touches()
	t.guard.Do(func() { t.protection = c.protect(t) })
	return t.protection
}

// protect asks who knows. If that fails, nothing is known.
func (c *decision) protect(t *touches) Protection {
	whole, files := t.whole(), c.d.snap.files()
	protect, call := c.d.e.opts.Protect, c.d.final()
	out, err := within(c.d.ctx, func() Protection { return protect(call, whole, files) })
	var panicked *apart.PanicError
	switch {
	case errors.As(err, &panicked):
		text := fmt.Sprintf("it cannot be known whether this changes what is protected: %v",
			panicked.Value)
		return Protection{text, text}
	case err != nil:
		return Protection{Edits: "it was not looked at to the end"}
	}
	return out
}

// files are those of the scripts that are loaded, and of their modules.
func (s *Snapshot) files() (out []string) {
	for _, g := range s.Generations {
		if g.Script == nil || g.Source == SourceBuiltin { // that is part of the program
			continue
		}
		if g.Path != "" {
			out = append(out, g.Path)
		}
		if g.Library == nil {
			continue
		}
		for _, m := range g.Library.Modules {
			if m.Path != "" {
				out = append(out, m.Path)
			}
		}
	}
	return out
}

// protected is the question about a call that would change what is protected; nil if it would not.
func (c *decision) protected() *Ask {
	if why := c.protection().Asks; why != "" {
		return &Ask{Rule: "protected", Text: why}
	}
	return nil
}
