// This file computes the expected result of a combination of handlers from the rules in
// docs/events.md, "What a handler may return", "Order", "One tool call" and "Failure".

package scripttest_test

import (
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// seen is the visible result of an event and its handlers.
type seen struct {
	Called string // handlers that were entered, in order
	Trail  string // the action of each
	Told   string // handlers whose failure was reported to the user

	// For a tool call.
	Asked    []string // the handlers that asked, in the one dialog; nil = none
	Source   string   // what made the decision
	Ran      string   // the tool's arguments; "" = it did not run
	Skipped  string
	Text     string // of the result; for other events the rewritten text
	Contexts string
	By       string // the handler that answered, blocked, handled, stopped or aborted

	// For other events.
	Blocked, Handled, Stop, Abort bool
	Reason, Respond               string
}

// payloads are the initial payloads of other events. Handlers rewrite the text "-".
var payloads = map[string]map[string]any{
	"tool_result": {"call_id": "1", "tool": "work", "kind": "execute", "read_only": false,
		"args": map[string]any{}, "is_error": false, "duration_ms": 1.0, "silent": false,
		"content": []any{map[string]any{"type": "text", "text": "-"}}},
	"input":      {"kind": "prompt", "text": "-", "source": "cli"},
	"turn_start": {"turn": 1},
	"llm_request": {"purpose": "agent", "model": "a/b", "options": map[string]any{"s": "-"},
		"messages": chat.MessageList{}, "tools": []any{}, "iteration": 1, "last_turn": false},
}

// intercepted records the result of an event other than a tool call.
func (s *seen) intercepted(ev *event.Event, v *engine.Verdict) {
	switch ev.Name() {
	case "tool_result":
		if b, ok := ev.Field("content").([]any); ok {
			s.Text = value.Text(b[0].(map[string]any), "text")
		}
	case "input":
		s.Text = ev.Text("text")
	case "llm_request":
		s.Text = value.Text(ev.Field("options").(map[string]any), "s")
	}
	for _, c := range v.Contexts {
		s.Contexts += letter(c.Script)
	}
	for _, a := range v.Asks {
		s.Asked = append(s.Asked, letter(a.Script)+": "+a.Text+" ("+a.Reason+")")
	}
	s.Blocked, s.Handled, s.Stop, s.Abort = v.Blocked, v.Handled, v.Stop, v.Abort != ""
	s.Reason = plainFailure(v.Reason)
	if v.By != nil {
		s.By = letter(v.By.ScriptName())
	}
	if s.Respond, _ = v.Respond.(string); v.Answerer != nil {
		s.Respond += " by " + letter(v.Answerer.ScriptName())
	}
}

// why is the error message of each kind of failure.
var why = map[string]string{"error": "boom", "timeout": "wall time of 20ms",
	"shape": `unknown key "blok"`}

// verdict is the combined result of handlers.
type verdict struct {
	seen
	text     string // "-" and the handlers that rewrote it
	asks     []string
	details  string
	allowed  bool
	answered string // the handler that answered
	over     bool   // no further handler runs
}

// expected returns the expected result of a combination. own is the default on_error of the event;
// answer is the user's answer: yes, no, or headless if no user is available.
func expected(c combo, own, answer string) seen {
	v := verdict{text: "-"}
	for i, act := range c.acts {
		if v.over {
			break
		}
		v.step(c.event, string(rune('a'+i)), act, own)
	}
	if rowOf(c.event).Failure == event.FailAsk {
		return v.call(c.event, answer)
	}
	return v.other(c.event)
}

// step adds the result of one more handler. Rewrites chain; the first block, abort or handled ends
// the event; asks and contexts are collected; the first respond wins; a failure keeps the previous
// value.
func (v *verdict) step(event, x, act, policy string) {
	kind, p, _ := strings.Cut(act, "/")
	if p != "" {
		policy = p
	}
	if kind != "timeout" { // it may time out before it reports that it was called
		v.Called += x
	}
	outcome := kind
	switch kind {
	case "rewrite":
		switch event {
		case "turn_start":
			outcome = "context"
		case "tool_permission":
			v.details += " +" + x
		default:
			v.text += x
		}
		if event != "tool_permission" && event != "llm_request" {
			v.Contexts += x
		}
	case "block":
		v.Blocked, v.Reason, v.By, v.over = true, "no of "+x, x, true
	case "ask":
		v.asks = append(v.asks, x+": question of "+x+" (reason of "+x+")")
	case "allow":
		v.allowed = true
	case "respond":
		if v.answered == "" {
			v.answered = x
		}
	case "handled":
		v.Handled, v.By, v.Reason, v.over = true, x, "", true
	case "stop":
		if !v.Stop {
			v.Stop, v.By, v.Reason = true, x, "stop of "+x
		}
	case "abort":
		v.Abort, v.By, v.Reason, v.over = true, x, "abort of "+x, true
	case "error", "timeout", "shape":
		outcome = "error"
		if policy != "ignore" {
			v.Told += x
		}
		switch policy {
		case "ask":
			v.asks = append(v.asks, x+": failed: "+why[kind])
		case "block":
			v.Blocked, v.Reason, v.By, v.over = true, "failed: "+why[kind], x, true
		}
	}
	v.Trail += x + ":" + outcome + " "
}

// other returns the result of an event other than a tool call.
func (v *verdict) other(event string) seen {
	s := v.seen
	if s.Text = v.text; event == "turn_start" {
		s.Text = ""
	}
	s.Asked = v.asks
	if v.answered != "" {
		s.Respond = "answer of " + v.answered + " by " + v.answered
	}
	return s
}

// call returns the result of a call of a tool for which the permission mode asks. Block beats ask,
// and ask beats allow. Allow only skips the mode's question. One dialog shows all questions; if no
// user is available, the call is refused.
func (v *verdict) call(event, answer string) seen {
	s := v.seen
	by, reason := v.By, v.Reason
	s.By, s.Blocked, s.Reason = "", false, ""
	if v.Blocked {
		s.Skipped, s.Text = "denied", "refused by "+by+": "+reason
		if s.Source = "script"; event == "guard" {
			s.Source = "guard"
		}
		return s
	}
	asks := v.asks
	if !v.allowed {
		// the mode asked before the handlers of permission_request ran
		if event == "tool_permission" {
			asks = append([]string{"mode" + v.details}, asks...)
		} else {
			asks = append(asks, "mode")
		}
	}
	switch {
	case len(asks) == 0:
		s.Source = "script"
	case answer == "headless":
		s.Skipped, s.Source = "denied", "headless"
		s.Text = "refused: no one can approve this in a non-interactive run: " + strings.Replace(
			strings.Join(asks, "; "),
			"mode"+v.details, "mode", 1)
		if len(asks) == 1 && !v.hasAsk() {
			s.Text += " (--yolo)"
		}
		return s
	case answer == "no":
		s.Asked, s.Skipped, s.Source, s.Text = asks, "denied", "user_rejected",
			"refused by the user"
		return s
	default:
		s.Asked, s.Source = asks, "user_once"
	}
	if v.answered != "" { // instead of the tool
		s.Text, s.By = "answer of "+v.answered, v.answered
		return s
	}
	s.Ran, s.Text = v.text, "done"
	return s
}

// hasAsk reports whether a handler asks; the mode does not count.
func (v *verdict) hasAsk() bool { return len(v.asks) > 0 }
