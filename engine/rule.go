// This file asks the user's standing rules about a call.

package engine

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// ruling is what the rules say of a call with its final arguments; the zero value: nothing.
type ruling struct{ decision, rule string }

// ruled asks the rules; false: a rule denies the call, whatever the mode and whoever allows it.
func (d *dispatch) ruled() bool {
	d.ruling = ruling{}
	if d.e.opts.Rules == nil {
		return true
	}
	d.ruling = d.askRules()
	if d.ruling.decision != "deny" {
		return true
	}
	d.refuse("denied", "rule_deny", "refused by the rule "+d.ruling.rule+" of the user")
	return false
}

// askRules asks the rules. If they fail, the user is asked: what they would have said is not known.
func (d *dispatch) askRules() (r ruling) {
	defer func() {
		if p := recover(); p != nil {
			r = ruling{"ask", fmt.Sprintf("(the rules failed: %v)", p)}
		}
	}()
	r, ok := waitFor(d.ctx, func() ruling {
		decision, rule := d.e.opts.Rules.Decide(d.final(), d.found)
		return ruling{decision, rule}
	})
	if !ok {
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
func (d *dispatch) always(asks []Ask) (pattern string) {
	if d.e.opts.Rules == nil || len(asks) != 1 || !asks[0].routine ||
		asks[0].Text == planText(d.tool) {
		return ""
	}
	defer func() {
		if recover() != nil { // then it is asked again the next time
			pattern = ""
		}
	}()
	rule := d.e.opts.Rules.Pattern(d.final(), d.found)
	if d.e.Mask.Text(rule) != rule {
		return ""
	}
	return rule
}

// store keeps the rule that the user said yes to for ever; false, and the user is told why, if it
// could not be kept.
func (d *dispatch) store(pattern string) bool {
	err := d.e.opts.Rules.Allow(pattern)
	if err != nil {
		d.e.Notices.Notify(d.call.Env, "agent",
			Notice{Text: "the rule " + pattern + " could not be stored: " + plain.Error(err) +
				"; the call was allowed once", Level: "warn"})
	}
	return err == nil
}
