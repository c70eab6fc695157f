package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// fakeRules are rules that a test sets.
type fakeRules struct {
	decision string
	fails    bool
	pattern  string
	why      string
	stored   []string
	full     bool
	seen     []map[string]any
}

func (r *fakeRules) Decide(c *engine.Call, _ *engine.Tool,
	_ func() engine.Touched) (decision, rule, why string) {
	if r.fails {
		panic("broken")
	}
	r.seen = append(r.seen, c.Args)
	return r.decision, "r(x)", r.why
}

func (r *fakeRules) Pattern(*engine.Call, *engine.Tool) string { return r.pattern }

func (r *fakeRules) CheckAllow(rule string, _ *engine.Call, _ *engine.Tool) error {
	if !strings.HasPrefix(rule, "work(") {
		return errors.New("it is about another tool")
	}
	return nil
}

func (r *fakeRules) Allow(pattern string) error {
	if r.full {
		return errors.New("disk full")
	}
	r.stored = append(r.stored, pattern)
	return nil
}

func (r *fakeRules) AllowForSession(pattern string) error { return r.Allow(pattern) }

// TestRules combines each decision of the rules with modes, guards and answers.
func TestRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, decision string
		mode           event.Permission
		guard          string // "", "block" or "ask"
		tool           string
		absent, fails  bool
		runs           bool
		source         string
		asks           int // in the dialog
	}{
		{"deny under yolo", "deny", event.PermissionYolo, "", "work", false, false, false,
			"rule_deny", 0},
		{"deny a read-only tool", "deny", event.PermissionDefault, "", "look", false, false,
			false, "rule_deny", 0},
		{"deny before a guard's ask", "deny", event.PermissionDefault, "ask", "work", false, false,
			false, "rule_deny", 0},
		{"a guard's block before deny", "deny", event.PermissionDefault, "block", "work", false,
			false, false, "guard", 0},
		{"ask under yolo", "ask", event.PermissionYolo, "", "work", false, false, true,
			"user_once", 1},
		{"ask for a read-only tool", "ask", event.PermissionDefault, "", "look", false, false,
			true, "user_once", 1},
		{"ask without a user", "ask", event.PermissionYolo, "", "work", true, false, false,
			"headless", 0},
		{"allow", "allow", event.PermissionDefault, "", "work", true, false, true, "rule_allow",
			0},
		{"allow in plan mode", "allow", event.PermissionPlan, "", "work", false, false, false,
			"mode", 0},
		{"allow and a guard that blocks", "allow", event.PermissionDefault, "block", "work", false,
			false, false, "guard", 0},
		{"allow and a guard that asks", "allow", event.PermissionDefault, "ask", "work", false,
			false, true, "user_once", 1},
		{"allow and a guard that asks, without a user", "allow", event.PermissionDefault, "ask",
			"work", true,
			false, false, "headless", 0},
		{"nothing", "", event.PermissionDefault, "", "work", false, false, true, "user_once", 1},
		{"rules that panic", "", event.PermissionYolo, "", "work", false, true, true, "user_once",
			1},
		{"rules that panic, without a user", "", event.PermissionYolo, "", "work", true, true,
			false,
			"headless", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules, asked := &fakeRules{decision: tt.decision, fails: tt.fails}, 0
			w := newWorld(t, func(o *engine.Options) {
				o.Rules = rules
				if tt.absent {
					o.Approver = nil
				}
			})
			w.approve = func(_ context.Context, q *engine.Question) (engine.Answer, error) {
				asked = len(q.Asks)
				return engine.Answer{Allow: true}, nil
			}
			if tt.guard != "" {
				w.guard("g.fake", func(*fakeCall) (any, error) {
					return map[string]any{tt.guard: map[string]any{"block": true,
						"ask": "sure?"}[tt.guard]}, nil
				})
			}
			w.dispatch(tt.tool,
				func(c *engine.Call) { c.Env = &event.Envelope{Permission: tt.mode} })
			told := w.seen("tool_approval")
			if len(told) != 1 || told[0].Text("source") != tt.source ||
				(w.runs() == 1) != tt.runs || asked != tt.asks {
				t.Errorf("got %d events, the first %v; %d runs, %d asks; want %s, runs %v, %d asks",
					len(told), told, w.runs(), asked, tt.source, tt.runs, tt.asks)
			}
		})
	}
}

// asking sets a permission mode in which the call needs approval.
func asking(c *engine.Call) { c.Env = &event.Envelope{Permission: event.PermissionDefault} }

// TestAlways: only questions of the permission mode can be answered with "always", and the stored
// rule is the one that was shown.
func TestAlways(t *testing.T) {
	t.Parallel()
	rules := &fakeRules{pattern: "work(x *)"}
	var asked engine.Question
	w := newWorld(t, func(o *engine.Options) { o.Rules = rules })
	w.approve = func(_ context.Context, q *engine.Question) (engine.Answer, error) {
		asked = *q
		return engine.Answer{Allow: true, Always: true}, nil
	}
	source := func(want string, stored int) {
		t.Helper()
		w.dispatch("work", asking)
		told := w.seen("tool_approval")
		if got := told[len(told)-1].Text("source"); got != want || len(rules.stored) != stored {
			t.Errorf("got %s and %q stored, want %s and %d", got, rules.stored, want, stored)
		}
	}
	if source("user_always", 1); asked.Always != "work(x *)" || rules.stored[0] != "work(x *)" {
		t.Errorf("got %q shown and %q stored", asked.Always, rules.stored)
	}
	rules.full = true
	source("user_once", 1)
	if n := w.seen("notification"); len(n) != 1 ||
		!strings.Contains(n[0].Text("message"), "could not be stored: disk full") {
		t.Errorf("got %v, want a warning", n)
	}
	rules.full = false
	w.guard("g.fake", func(*fakeCall) (any, error) { return map[string]any{"ask": "sure?"}, nil })
	if source("user_once", 1); asked.Always != "" {
		t.Errorf("a guard also asks, but the rule %q was offered", asked.Always)
	}
}

// TestEditedRuleIsStored: the user may edit the rule before it is stored. One that would not let
// the call pass is not stored, whatever the front end says.
func TestEditedRuleIsStored(t *testing.T) {
	t.Parallel()
	const secret = "sk-0123456789abcdef"
	for rule, want := range map[string]string{"": "work(x *)", "work(x y)": "work(x y)",
		"other(x)": "", "work(" + secret + ")": ""} {
		rules := &fakeRules{pattern: "work(x *)"}
		w := newWorld(t, func(o *engine.Options) { o.Rules, o.Secrets = rules, []string{secret} })
		w.approve = func(_ context.Context, q *engine.Question) (engine.Answer, error) {
			if err := q.CheckRule(rule); rule != "" && (err == nil) != (want != "") {
				t.Errorf("%q: the question says %v", rule, err)
			}
			return engine.Answer{Allow: true, Always: true, Rule: rule}, nil
		}
		w.dispatch("work", asking)
		if got := strings.Join(rules.stored, "; "); got != want || w.runs() != 1 {
			t.Errorf("%q: got %q stored and %d runs, want %q", rule, got, w.runs(), want)
		}
		told := w.seen("tool_approval")
		if got := told[0].Text("source"); (got == "user_always") != (want != "") {
			t.Errorf("%q: decided by %s", rule, got)
		}
	}
}

// TestNoSecretIsStoredAsARule: the question shows a command that contains a secret unmasked, but
// does not offer to always allow it.
func TestNoSecretIsStoredAsARule(t *testing.T) {
	t.Parallel()
	const secret = "sk-0123456789abcdef"
	rules := &fakeRules{pattern: "work(send " + secret + ")"}
	w := newWorld(t, func(o *engine.Options) { o.Rules, o.Secrets = rules, []string{secret} })
	w.approve = func(_ context.Context, q *engine.Question) (engine.Answer, error) {
		if got := q.Call.Args["command"]; q.Always != "" || got != "send "+secret {
			t.Errorf("got the rule %q, the command %q", q.Always, got)
		}
		return engine.Answer{Allow: true, Always: true}, nil
	}
	w.dispatch("work",
		func(c *engine.Call) { asking(c); c.Args = map[string]any{"command": "send " + secret} })
	if len(rules.stored) != 0 || w.runs() != 1 {
		t.Errorf("got %q stored, %d runs", rules.stored, w.runs())
	}
}

// TestRulesCheckEditedArguments: the rules may deny arguments that the user edited.
func TestRulesCheckEditedArguments(t *testing.T) {
	t.Parallel()
	rules := &fakeRules{}
	w := newWorld(t, func(o *engine.Options) { o.Rules = rules })
	w.approve = func(context.Context, *engine.Question) (engine.Answer, error) {
		rules.decision = "deny"
		return engine.Answer{Allow: true, Args: map[string]any{"command": "other"}}, nil
	}
	w.dispatch("work", asking)
	if last := rules.seen[len(rules.seen)-1]; w.runs() != 0 || last["command"] != "other" {
		t.Errorf("got %d runs, rules saw %v last", w.runs(), last)
	}
}

// TestAbsentGuardInTheQuestion: the question says that a guard could not run.
func TestAbsentGuardInTheQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asks []engine.Ask
	w.approve = func(_ context.Context, q *engine.Question) (engine.Answer, error) {
		asks = append(asks, q.Asks...)
		return engine.Answer{}, nil
	}
	ask := func(context.Context, *event.Event) (any,
		error) {
		return map[string]any{"ask": "run it?"}, nil
	}
	w.Scripts.Swap(nil, []*engine.Handler{{Name: "gone.lua", Event: "guard", Absent: true,
		GoFn: ask}})
	w.dispatch("work")
	if len(asks) != 1 || !asks[0].Absent || asks[0].Script != "gone.lua" {
		t.Errorf("got %+v", asks)
	}
}

// TestRisksOfQuestion checks that a question says what is risky about the call. In a sandbox, it
// does not say that unknown files may be written.
func TestRisksOfQuestion(t *testing.T) {
	t.Parallel()
	for how, want := range map[engine.Confinement]string{
		engine.Unconfined: "writes /etc/x; unknown; network",
		engine.Outside:    "writes /etc/x; unknown; network",
		engine.Confined:   "writes /etc/x; network", engine.Sealed: "writes /etc/x; network",
	} {
		var counted atomic.Int32
		boxed := &engine.Tool{Name: "boxed", Kind: "execute", Sandbox: &engine.Sandbox{
			Confinement: func(map[string]any) engine.Confinement { return how }}}
		w := newWorld(t, withFakeTouch(&counted), func(o *engine.Options) {
			o.Tools = append(o.Tools, boxed)
		})
		got := "no question"
		w.approve = func(_ context.Context, q *engine.Question) (engine.Answer, error) {
			got = strings.Join(q.Risks, "; ")
			return engine.Answer{}, nil
		}
		w.dispatch("boxed", func(c *engine.Call) {
			asking(c)
			c.Args = map[string]any{"file": "/etc/x"}
		})
		if got != want {
			t.Errorf("confinement %v: got %q, want %q", how, got, want)
		}
	}
}
