package picoclaw_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/chat"
)

// exchanges are the requests of picoclaw's documentation, each with the answer to it.
//
//go:embed testdata/exchanges.jsonl
var exchanges string

// sample is a line of exchanges.
type sample struct {
	Method string
	Params map[string]any
	Result json.RawMessage
}

// sampleOf returns the documented request that is most like r, and the answer to it.
func sampleOf(r *request) (asked, answer sample) {
	var all []sample
	for line := range strings.Lines(exchanges) {
		var s sample
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			panic(err)
		}
		all = append(all, s)
	}
	at := slices.IndexFunc(all, func(s sample) bool {
		return s.Method == r.Method && s.Params["tool"] == r.Params["tool"]
	})
	if at < 0 {
		return sample{}, sample{Result: []byte(`{"approved":true,"action":"continue"}`)}
	}
	return all[at], all[at+1]
}

// missing returns the places at which got has not what the sample has, or has it in another type.
func missing(place string, want, got any) (places []string) {
	switch want := want.(type) {
	case map[string]any:
		m, ok := got.(map[string]any)
		if !ok {
			return []string{place}
		}
		for key, v := range want {
			places = append(places, missing(place+"."+key, v, m[key])...)
		}
	case []any:
		l, ok := got.([]any)
		if !ok || len(want) > 0 && len(l) == 0 {
			return []string{place}
		}
		for i := range min(len(want), len(l)) {
			places = append(places, missing(fmt.Sprint(place, "[", i, "]"), want[i], l[i])...)
		}
	default:
		if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
			return []string{place}
		}
	}
	return places
}

func init() {
	// document answers as documented, if it is asked as documented
	hooks["document"] = func(p *process) {
		for r := p.receive(); r != nil; r = p.receive() {
			asked, answer := sampleOf(r)
			if gone := missing("params", asked.Params, r.Params); asked.Params != nil &&
				len(gone) > 0 {
				text, _ := json.Marshal(fmt.Sprint(r.Method, " has no ", gone))
				p.send(fmt.Sprintf(`{"id":%v,"error":{"code":1,"message":%s}}`, r.ID, text))
				continue
			}
			p.answer(r, string(answer.Result))
		}
	}
}

// TestDocumentation: each request has the fields that picoclaw's documentation shows, and the
// answers that it shows have their effect.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("document", "before_llm", "after_llm", "before_tool", "after_tool",
		"approve_tool").start()
	w.Answers, w.model = true, "claude-sonnet" // the answer has the model of the request
	for _, c := range []struct{ tool, arg, text, want string }{
		{"echo_text", "text", "hello", "echoed: modified hello"},
		{"invalid_text", "text", "hello", "Invalid arguments"},
		{"my_plugin_tool", "text", "hello", "Plugin tool executed successfully"},
		{"bash", "command", "rm -rf /", "Dangerous command, execution denied"},
	} {
		r := w.Call(context.Background(), c.tool, map[string]any{c.arg: c.text})
		if got := chat.PlainText(r.Content); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.tool, got, c.want)
		}
	}
	if asked := w.Asked(); len(asked) > 0 {
		t.Errorf("asked %q", asked)
	}
	ev, v := w.before("agent", "hello")
	if got := texts(t, ev.Field("tools")); v.Failed() != nil ||
		!strings.Contains(got, `"description":"echo"`) || !strings.Contains(got, "my_plugin_tool") {
		t.Errorf("before_llm: %v, tools %s", v.Failed(), got)
	}
	if _, v := w.after("Hi!"); v.Failed() != nil || len(v.Changed) > 0 {
		t.Errorf("after_llm: %+v", v)
	}
}
