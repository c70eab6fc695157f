// This file tests all combinations of handlers' decisions against a model of docs/events.md.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// behaviours are the actions of a handler.
var behaviours = map[string]fakeFn{
	"pass": returns(nil),
	"rewrite": func(c *fakeCall) (any, error) {
		n, _ := value.Number(c.ev.Field("args").(map[string]any)["n"])
		return map[string]any{"args": map[string]any{"n": n + 1}}, nil
	},
	"block":   returns(block("no")),
	"ask":     returns(map[string]any{"ask": "really?"}),
	"allow":   returns(map[string]any{"allow": true}),
	"respond": returns(map[string]any{"respond": "answered"}),
	"error":   func(*fakeCall) (any, error) { return nil, errors.New("boom") },
	"timeout": func(c *fakeCall) (any, error) { return nil, c.wait(nil) },
	"shape":   returns("yes"),
	"panic":   func(*fakeCall) (any, error) { panic("boom") },
}

var (
	callBehaviours = []string{"pass", "rewrite", "block", "ask", "allow", "respond", "error",
		"timeout", "shape", "panic"}
	guardBehaviours = []string{"pass", "block", "ask", "rewrite", "allow", "respond", "error",
		"timeout", "shape", "panic"}
	approvers = []string{"yes", "no", "absent", "edit"}
)

// combination is a list of decisions, and the expected result.
type combination struct {
	calls, guards  []string
	mode           event.Permission
	approver       string
	asks, rewrites int
	blocked        bool
	allowed        bool
	answered       bool
}

// expect computes the result according to docs/events.md, "Order" and "Failure".
func (c *combination) expect() {
	for _, b := range c.calls {
		switch b {
		case "pass":
		case "rewrite":
			c.rewrites++
		case "block":
			c.blocked = true
			return
		case "allow":
			c.allowed = true
		case "respond":
			c.answered = true
		default: // ask, and all failures
			c.asks++
		}
	}
	for _, b := range c.guards {
		switch b {
		case "pass":
		case "block":
			c.blocked = true
			return
		default: // ask, and all failures: any other outcome of a guard is a failure
			c.asks++
		}
	}
}

// runs returns whether the call must run, the number of questions that the dialog must show (0: no
// dialog), and the source of the decision.
func (c *combination) runs() (runs bool, shown int, source string) {
	routine := c.mode != event.PermissionYolo && (!c.allowed || c.mode == event.PermissionPlan)
	asks := c.asks
	if routine {
		asks++
	}
	switch {
	case c.blocked:
		return false, 0, ""
	case asks == 0 && c.mode == event.PermissionYolo:
		return true, 0, "yolo"
	case asks == 0:
		return true, 0, "script"
	case c.mode == event.PermissionPlan:
		return false, 0, "mode"
	case c.approver == "absent":
		return false, 0, "headless"
	case c.approver == "no":
		return false, asks, "user_rejected"
	}
	return true, asks, "user_once"
}

func (c *combination) String() string {
	return fmt.Sprintf("tool_call %v, guards %v, %s, approver %s", c.calls, c.guards, c.mode,
		c.approver)
}

func (c *combination) check(t *testing.T, w *world) {
	t.Helper()
	w.ran, w.questions = nil, nil
	r := w.dispatchCall(context.Background(), &engine.Call{ID: "x", Tool: "work",
		Args: map[string]any{"n": 0.0}, Origin: "model", Env: &event.Envelope{Permission: c.mode}})
	runs, shown, source := c.runs()
	if got := r.Skipped == ""; got != runs {
		t.Fatalf("%v: allowed = %v, want %v: %s", c, got, runs, text(r))
	}
	if got := len(w.ran) == 1; got != (runs && !c.answered) {
		t.Fatalf("%v: the tool ran = %v", c, got)
	}
	if c.answered && runs && (text(r) != "answered" || r.AnsweredBy != "calls.fake") {
		t.Fatalf("%v: got %q by %q", c, text(r), r.AnsweredBy)
	}
	if shown == 0 && len(w.questions) > 0 || shown > 0 &&
		(len(w.questions) != 1 || len(w.questions[0].Asks) != shown) {
		t.Fatalf("%v: %d dialogs, want one that shows %d questions: %+v", c, len(w.questions),
			shown, w.questions)
	}
	n := float64(c.rewrites)
	if runs && shown > 0 && c.approver == "edit" {
		n = 99
	}
	if got, _ := value.Number(r.Args["n"]); runs && got != n {
		t.Fatalf("%v: final n = %v, want %v", c, got, n)
	}
	ds := w.Decisions()
	if d := ds[len(ds)-1]; d.Allowed != runs || source != "" && d.By != source ||
		len(d.Trail) == 0 {
		t.Fatalf("%v: logged %v by %q, want %v by %q (trail of %d)", c, d.Allowed, d.By, runs,
			source, len(d.Trail))
	}
}

// combinations returns all lists of one to n words.
func combinations(words []string, n int) [][]string {
	var out [][]string
	last := [][]string{nil}
	for range n {
		var next [][]string
		for _, l := range last {
			for _, w := range words {
				next = append(next, append(append([]string(nil), l...), w))
			}
		}
		out, last = append(out, next...), next
	}
	return out
}

func testCombinations(t *testing.T, calls, guards []string) {
	for _, headless := range []bool{false, true} {
		options := []worldOption{silent}
		if headless {
			options = append(options, headlessWorld)
		}
		w := openWorld(t, options...)
		soon := time.Nanosecond
		register := func(l *fakeLoad, event string, list []string) {
			for _, b := range list {
				l.on(event, behaviours[b], func(h *engine.Handler) {
					if b == "timeout" {
						h.Timeout = &soon
					}
				})
			}
		}
		w.script("calls.fake", func(l *fakeLoad) { register(l, "tool_call", calls) })
		w.script("guards.fake", func(l *fakeLoad) { register(l, "guard", guards) })
		for _, a := range approvers {
			if (a == "absent") != headless {
				continue
			}
			w.approve = func(context.Context, *engine.Question) (engine.Answer, error) {
				switch a {
				case "edit":
					return engine.Answer{Allow: true, Args: map[string]any{"n": 99.0}}, nil
				case "no":
					return engine.Answer{Reason: "not now"}, nil
				}
				return engine.Answer{Allow: true}, nil
			}
			for _, m := range event.Permissions() {
				c := &combination{calls: calls, guards: guards, mode: m, approver: a}
				c.expect()
				c.check(t, w)
			}
		}
		w.Close()
	}
}

func TestCombinationsOfToolCallHandlers(t *testing.T) {
	t.Parallel()
	for _, calls := range combinations(callBehaviours, 3) {
		testCombinations(t, calls, []string{"pass"})
	}
}

func TestCombinationsOfGuards(t *testing.T) {
	t.Parallel()
	for _, guards := range combinations(guardBehaviours, 3) {
		testCombinations(t, []string{"pass"}, guards)
	}
}

func TestCombinationsOfBoth(t *testing.T) {
	t.Parallel()
	for _, calls := range combinations(callBehaviours, 1) {
		for _, guards := range combinations(guardBehaviours, 2) {
			testCombinations(t, calls, guards)
		}
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool   string
		mode   event.Permission
		origin string
		source string // "" = refused
	}{
		{"look", event.PermissionDefault, "model", "read_only"},
		{"look", event.PermissionPlan, "model", "read_only"},
		{"look", "", "model", "read_only"},
		{"work", event.PermissionDefault, "model", ""},
		{"work", "", "model", ""},
		{"work", event.PermissionDefault, "user", "mode"},
		{"work", event.PermissionPlan, "model", ""},
		{"work", event.PermissionAcceptEdits, "model", ""},
		{"work", event.PermissionYolo, "subagent", "yolo"},
		{"change", event.PermissionDefault, "model", ""},
		{"change", event.PermissionAcceptEdits, "model", "mode"},
		{"change", event.PermissionPlan, "model", ""},
		{"change", event.PermissionYolo, "model", "yolo"},
	}
	for _, tt := range tests {
		w := newWorld(t, headlessWorld)
		r := w.dispatch(tt.tool, mode(tt.mode), func(c *engine.Call) { c.Origin = tt.origin })
		if d := w.Decisions()[0]; d.Allowed != (tt.source != "") || tt.source != "" &&
			d.By != tt.source {
			t.Errorf("%s of %s in mode %q: allowed %v by %q, want by %q: %s", tt.tool, tt.origin,
				tt.mode, d.Allowed, d.By, tt.source, text(r))
		}
		if tt.source == "" && (!strings.Contains(text(r), "refused") || !r.IsError ||
			r.Skipped != "denied") {
			t.Errorf("%s in mode %q: got %q", tt.tool, tt.mode, text(r))
		}
	}
}

// TestCallCancelledWhileWaitingNeverStarts cancels an approved call while it waits for the other
// calls of its message.
func TestCallCancelledWhileWaitingNeverStarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	r := w.dispatchCall(ctx, &engine.Call{ID: "c", Tool: "work", Origin: "model",
		Args: map[string]any{"n": 0}, Env: &event.Envelope{Permission: event.PermissionYolo},
		Together: func(_, _ bool) {
			cancel(&engine.SkipError{Cause: "steered", Text: "not run"})
		}})
	if wantRun(t, w, r, 0); r.Skipped != "steered" {
		t.Errorf("got %+v", r)
	}
	if n := len(w.seen("tool_start")); n != 0 {
		t.Errorf("got %d tool_start of a call that was skipped", n)
	}
	if told := w.seen("tool_approval"); len(told) != 1 || told[0].Text("decision") != "cancelled" {
		t.Errorf("got %v, want one tool_approval: cancelled", told)
	}
}
