// This file tests the results that handlers may return: every event, every key.

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
)

// samples has values of each type.
var samples = map[string][]any{
	"nil": {nil}, "boolean": {true, false}, "string": {"x", ""}, "number": {1.0, 0.5, 3},
	"list":  {[]any{1.0}},
	"table": {map[string]any{"k": "v"}}, "function": {engine.Func(&fakeFunc{})},
}

// keyTypes are the types of the outcome keys that are not payload fields, and their good values.
var keyTypes = map[string]struct {
	types []string
	good  any
}{
	"block": {[]string{"boolean"}, true}, "allow": {[]string{"boolean"}, true},
	"handled": {[]string{"boolean"}, true},
	"stop":    {[]string{"boolean"}, true}, "reason": {[]string{"string"}, "why"},
	"ask":     {[]string{"string"}, "sure?"},
	"context": {[]string{"string"}, "text"}, "abort": {[]string{"string"}, "prompt"},
	"detail": {[]string{"table"}, map[string]any{"a": 1.0}},
	"notify": {[]string{"string", "table"}, map[string]any{"text": "t", "level": "warn"}},
	"respond": {[]string{"boolean", "string", "number", "list", "table", "function"},
		"answer"},
	"continue_with": {[]string{"string"}, "go on"}, "summary": {[]string{"string"}, ""},
	"extend": {[]string{"number"}, 2.0},
}

func TestOutcomesOfEveryRowAndKey(t *testing.T) {
	t.Parallel()
	for _, row := range spec.Events() {
		permitted := engine.OutcomeKeys(&row)
		for _, v := range []any{nil, false, map[string]any{}, []any{}} {
			if verb, err := engine.DecodeOutcome(&row, v); err != nil || verb != "pass" {
				t.Errorf("%s: %v is %s, %v", row.Name, v, verb, err)
			}
		}
		for _, v := range []any{true, "x", 1.0, []any{1.0}} {
			if _, err := engine.DecodeOutcome(&row, v); err == nil ||
				!strings.Contains(err.Error(), "want nil or a table") {
				t.Errorf("%s: %v: got %v", row.Name, v, err)
			}
		}
		if permitted == nil {
			if _, err := engine.DecodeOutcome(&row, map[string]any{"block": true}); err == nil ||
				!strings.Contains(err.Error(), "can only be observed") {
				t.Errorf("%s: %v", row.Name, err)
			}
			continue
		}
		for _, key := range permitted {
			testKey(t, &row, key)
		}
		for key := range keyTypes {
			if _, err := engine.DecodeOutcome(&row, map[string]any{key: true}); !has(permitted,
				key) && (err == nil || !strings.Contains(err.Error(), "does not permit") &&
				!strings.Contains(err.Error(), "cannot be changed")) {
				t.Errorf("%s: %s: got %v", row.Name, key, err)
			}
		}
	}
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// testKey returns values of all types for a key, and misspells the key.
func testKey(t *testing.T, row *event.Row, key string) {
	types, good := keyTypes[key].types, keyTypes[key].good
	for _, f := range row.Payload {
		if f.Name == key && key != "reason" {
			types, good = strings.Split(strings.TrimSuffix(f.Type, "?"), "|"), nil
		}
	}
	if types == nil {
		t.Fatalf("%s permits %q, which is neither a verb nor a field", row.Name, key)
	}
	with := func(v any) map[string]any {
		m := map[string]any{key: v}
		switch {
		case key == "reason" && has(row.Returns, "block"):
			m["block"] = true
		case key == "reason":
			m["stop"] = true
		case key == "detail" && good != nil:
			m["ask"] = "sure?"
		}
		return m
	}
	for typ, values := range samples {
		if has(types, typ) || typ == "nil" {
			continue
		}
		for _, v := range values {
			_, err := engine.DecodeOutcome(row, with(v))
			if want := fmt.Sprintf("returned %s: got %s, want ", key, typ); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s = %v: got %v, want %q", row.Name, key, v, err, want)
			}
		}
	}
	if good != nil {
		if _, err := engine.DecodeOutcome(row, with(good)); err != nil {
			t.Errorf("%s: %s = %v: %v", row.Name, key, good, err)
		}
	}
	misspelt := key[:1] + key[2:]
	_, err := engine.DecodeOutcome(row, map[string]any{misspelt: true})
	if err == nil || !strings.Contains(err.Error(),
		fmt.Sprintf("unknown key %q; did you mean %q?", misspelt, key)) {
		t.Errorf("%s: %s: got %v", row.Name, misspelt, err)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	rows := map[string]*event.Row{}
	for _, r := range spec.Events() {
		rows[r.Name] = &r
	}
	m := func(kv ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			out[kv[i].(string)] = kv[i+1]
		}
		return out
	}
	tests := []struct {
		event string
		v     any
		want  string // verb, or part of the error
	}{
		{"guard", m("block", true, "reason", "x"), "block"},
		{"guard", m("block", false, "reason", "x"), "pass"},
		{"guard", m("block", nil), "pass"},
		{"guard", m("reason", "x"), "reason without a decision"},
		{"guard", m("detail", m()), "detail without ask"},
		{"guard", m("ask", ""), `got "", want the question`},
		{"guard", m("blocked", true), `did you mean "block"?`},
		{"tool_call", m("abort", "prompt", "reason", "x"), "abort"},
		{"tool_call", m("abort", "all"), `want "prompt" or "agent"`},
		{"tool_call", m("respond", nil), "got null, want an answer"},
		{"tool_call", m("call_id", "x"), "cannot be changed in tool_call"},
		{"tool_call", m("args", m("n", nil)), "rewrite"},
		{"tool_call", m("args", []any{}), "got list, want table"},
		{"tool_permission", m("detail", m("a", 1.0)), "rewrite"},
		{"tool_result", m("isError", true), `did you mean "is_error"?`},
		{"tool_result", m("content", []any{m("type", "txt")}),
			`content[1].type: got "txt", want one of text, image; did you mean "text"?`},
		{"tool_result", m("for_user", nil), "rewrite"},
		{"input", m("text", nil), "got nil, want string"},
		{"input", m("notify", m("text", "x", "level", "loud")), `got "loud"`},
		{"input", m("notify", m("level", "info")), "text: got nil"},
	}
	for _, tt := range tests {
		verb, err := engine.DecodeOutcome(rows[tt.event], tt.v)
		if err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && verb != tt.want {
			t.Errorf("%s: %v: got %s, %v; want %s", tt.event, tt.v, verb, err, tt.want)
		}
	}
}
