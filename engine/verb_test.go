package engine

import (
	"reflect"
	"testing"

	"github.com/agentscripts/agent/engine/event"
)

// TestVerdictHasEveryVerb: the value that a handler returns under a verb is in the table of the
// verdict under the same key.
func TestVerdictHasEveryVerb(t *testing.T) {
	t.Parallel()
	samples := map[string]any{"boolean": true, "number": 2.0, "string": "text", "any": "an answer",
		"table": map[string]any{"a": "b"}}
	row := &event.Row{Name: "test"}
	for i := range verbs {
		verb := &verbs[i]
		if verb.Name == "" || verb.Name == "notify" { // notices are already shown
			continue
		}
		want := samples[verb.Type]
		if verb.Name == "abort" {
			want = "prompt"
		}
		o := Outcome{decided: true}
		if verb.Name == "reason" || verb.Name == "detail" { // they need a decision
			o.Ask = "may it?"
		}
		if err := verb.set(&o, row, want); err != nil {
			t.Fatal(err)
		}
		v := &Verdict{}
		v.addVerbs(&Handler{Name: "a"}, &o)
		if got := v.Table()[verb.Name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the table has %v, want %v", verb.Name, got, want)
		}
	}
	if got := (&Verdict{}).Table(); len(got) > 0 {
		t.Errorf("nothing is decided, but the table has %v", got)
	}
}

func TestVerdictTableOfSeveralHandlers(t *testing.T) {
	t.Parallel()
	v := &Verdict{}
	for _, o := range []Outcome{
		{Ask: "first?", Reason: "a", Detail: map[string]any{"n": 1}, Context: "one"},
		{Ask: "second?", Detail: map[string]any{"n": 2}, Context: "two"},
		{Ask: "third?", Reason: "c"}} {
		v.addVerbs(&Handler{Name: "a"}, &o)
	}
	want := map[string]any{"ask": "first?\nsecond?\nthird?", "reason": "a\nc",
		"context": "one\ntwo",
		"detail":  []any{map[string]any{"n": 1}, map[string]any{"n": 2}}}
	if got := v.Table(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	block := Outcome{Block: true, Reason: "no"}
	v.addVerbs(&Handler{Name: "b"}, &block)
	if got := v.Table()["reason"]; got != "no" {
		t.Errorf("the reason of a block is %v, want its own", got)
	}
}
