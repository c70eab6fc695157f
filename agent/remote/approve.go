// This file asks a client's user about tool calls.

package remote

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// The decisions about a tool call.
const (
	Once    = "once"
	ForRest = "session" // the same for the rest of the session
	Always  = "always"  // for as long as the rule that it stores
	Reject  = "reject"
)

// Approval is a question about a tool call, as the user may see it.
type Approval struct {
	CallID    string
	Tool      string
	Kind      string          // of the tool
	Args      map[string]any  // the final ones
	Env       *event.Envelope // of the caller; may be nil
	Asks      []Asked
	Preview   *ui.Preview     // nil = the effect of the call is unknown
	Rewritten *engine.Rewrite // nil = the call was not rewritten
	Risks     []string        // what the call does that is risky, as sentences
	Always    string          // the rule that Always stores; "" = not offered
	AnyEdit   bool            // ForRest applies to edits of any file
	Options   []string        // the possible decisions

	args      map[string]any          // not masked
	checkRule func(rule string) error // nil = the rule of Always cannot be edited
}

// Asked is one of the reasons for a question.
type Asked struct {
	Script, Rule string // if both are empty, the permission mode
	Line         int
	Text         string
	Reason       string
	Detail       map[string]any
	Failure      string // of a guard: all of it
	Rest         string // the part of Failure that is not in Text
}

// Approve implements engine.Approver.
func (a *asker) Approve(ctx context.Context, q *engine.Question) (engine.Answer, error) {
	got, err := a.askUser(ctx, &Question{Kind: "approve", Approval: a.approval(q)})
	if err != nil {
		return engine.Answer{}, err
	}
	return got.Approve, nil
}

func (a *asker) approval(q *engine.Question) *Approval {
	s := a.s
	m := &Approval{CallID: q.Call.ID, Tool: q.Call.Tool, Kind: q.Kind,
		Args: s.MaskTable(q.Call.Args), Env: q.Call.Env, Preview: q.Preview,
		Rewritten: q.Rewritten, AnyEdit: q.AnyEdit(),
		Options: []string{Once, ForRest, Always, Reject}, args: q.Call.Args,
		checkRule: q.CheckRule}
	if p := s.Program(); p != nil {
		m.Preview, m.Rewritten = q.Preview.Masked(p.Engine.Mask), q.Rewritten.Masked(p.Engine.Mask)
	}
	for _, risk := range q.Risks {
		m.Risks = append(m.Risks, s.Mask(risk))
	}
	failed := false
	for i := range q.Asks {
		failed = failed || q.Asks[i].Failure != nil
		m.Asks = append(m.Asks, a.asked(&q.Asks[i]))
	}
	switch {
	case failed: // it is asked each time
		m.Options = []string{Once, Reject}
	case q.Always == "":
		m.Options = []string{Once, ForRest, Reject}
	default:
		m.Always = s.Mask(q.Always)
	}
	return m
}

func (a *asker) asked(x *engine.Ask) Asked {
	mask := a.s.Mask
	m := Asked{Script: x.Script, Rule: mask(x.Rule), Line: x.Line, Text: mask(x.Text),
		Reason: mask(x.Reason), Detail: a.s.MaskTable(x.Detail), Rest: mask(x.FailureText())}
	if x.Failure != nil {
		m.Failure = mask(x.Failure.Detail())
	}
	return m
}

// Decision is how the user has decided.
type Decision struct {
	Option string         // one of the Options
	Reason string         // with Reject, for the model
	Rule   string         // with Always: the rule as the user edited it; "" = not edited
	Args   map[string]any // as the user edited them, masked parts unchanged; nil = not edited
}

// Decide returns the answer for a decision. It may wait for a disk.
func (a *Approval) Decide(d Decision) (Answer, error) {
	decision, reason, args := d.Option, d.Reason, d.Args
	given := "nothing"
	if decision != "" {
		given = strconv.Quote(plain.Line(decision, 80))
	}
	switch {
	case !slices.Contains(a.Options, decision):
		return Answer{}, fmt.Errorf("decision: got %s, want one of %s%s", given,
			strings.Join(a.Options, ", "), suggest.DidYouMean(decision, a.Options))
	case decision == Reject && args != nil:
		return Answer{}, fmt.Errorf("args: they do not run if the call is rejected")
	case decision != Reject && reason != "":
		return Answer{}, fmt.Errorf("reason: it goes with reject")
	case decision != Always && d.Rule != "":
		return Answer{}, fmt.Errorf("rule: it goes with always")
	case d.Rule != "" && a.checkRule == nil:
		return Answer{}, fmt.Errorf("rule: the rule of this call cannot be edited")
	case decision == Reject:
		return Answer{Approve: engine.Answer{Reason: reason}}, nil
	}
	out := engine.Answer{Allow: true, Session: decision == ForRest, Always: decision == Always}
	if d.Rule != "" && d.Rule != a.Always {
		if err := a.checkRule(d.Rule); err != nil {
			return Answer{}, fmt.Errorf("rule: %w", err)
		}
		out.Rule = d.Rule
	}
	if args == nil {
		return Answer{Approve: out}, nil
	}
	if _, err := value.Plain(args); err != nil {
		return Answer{}, fmt.Errorf("args: %w", err)
	}
	if err := value.CheckSize(args); err != nil {
		return Answer{}, fmt.Errorf("args: %w", err)
	}
	v, at := unmask(args, a.Args, a.args, "args")
	if at != "" {
		return Answer{}, fmt.Errorf(
			"%s: masked text in it was moved or changed: send it as it came, or write it out", at)
	}
	out.Args, _ = v.(map[string]any)
	return Answer{Approve: out}, nil
}

// maskMark begins the replacement of masked text.
const maskMark = "[redacted:"

// unmask restores unchanged masked parts. at names a place where one was changed.
func unmask(edited, masked, original any, at string) (v any, wrongAt string) {
	if reflect.DeepEqual(edited, masked) {
		return original, ""
	}
	switch e := edited.(type) {
	case string:
		was, _ := original.(string)
		if strings.Contains(e, maskMark) && !strings.Contains(was, maskMark) {
			return nil, at
		}
	case map[string]any:
		m, _ := masked.(map[string]any)
		o, _ := original.(map[string]any)
		out := make(map[string]any, len(e))
		for _, k := range value.SortedKeys(e) {
			if out[k], wrongAt = unmask(e[k], m[k], o[k], at+"."+k); wrongAt != "" {
				return nil, wrongAt
			}
		}
		return out, ""
	case []any:
		m, _ := masked.([]any)
		o, _ := original.([]any)
		out := make([]any, len(e))
		for i := range e {
			var mi, oi any
			if i < len(m) && i < len(o) {
				mi, oi = m[i], o[i]
			}
			if out[i], wrongAt = unmask(e[i], mi, oi, at+"[]"); wrongAt != "" {
				return nil, wrongAt
			}
		}
		return out, ""
	}
	return edited, ""
}
