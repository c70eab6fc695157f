package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

func TestResponsesReply(t *testing.T) {
	two := []llmtest.Call{{ID: "a", Name: "read", Args: `{"path":"x.go"}`},
		{ID: "b", Name: "ls", Args: `{}`}}
	s := serve(t, llmtest.Reply{Thinking: "Let me see, a list.", Signature: "sealed",
		Text: "Grüße, I look.", Calls: two,
		Usage: llmtest.Usage{Input: 10, Output: 5, CacheRead: 90}},
		llmtest.Reply{Text: "Done.", Uncounted: true})
	p := newResponses(local(s), Options{})
	got, chunks, err := heard(t, p, ask("gpt-5"))
	if want := `(Let me see, a list.) Grüße, I look. a=read{"path":"x.go"} b=ls{} tool_calls ` +
		`10+5+90`; got != want || err != nil {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
	var own []byte
	for _, c := range chunks {
		if c.Own != nil {
			own = c.Own
		}
	}
	image := chat.Block{Type: "image", MimeType: "image/png", Data: "AAAA"}
	req := ask("gpt-5")
	req.Tools = []chat.ToolSpec{{Name: "read", Description: "reads",
		Schema: map[string]any{"type": "object"}}}
	req.ToolChoice, req.Thinking = "read", "low"
	req.Options = map[string]any{"max_tokens": 100.0, "seed": 3.0}
	req.Messages = append(req.Messages,
		&chat.Message{Role: "assistant", Content: engine.TextResult("Grüße, I look.").Content,
			Own: &chat.ProviderData{Provider: "local", Data: own},
			ToolCalls: []chat.ToolUse{{ID: "a", Tool: "read",
				Args: map[string]any{"path": "x.go"}}, {ID: "b", Tool: "ls"}}},
		&chat.Message{Role: "tool", CallID: "a", Tool: "read",
			Content: []chat.Block{{Type: "text", Text: "seen"}, image}},
		&chat.Message{Role: "tool", CallID: "b", Tool: "ls",
			Content: engine.TextResult("x.go").Content},
		&chat.Message{Role: "user", Content: []chat.Block{{Type: "text", Text: "and this"},
			image}})
	if got, _, err := heard(t, p, req); got != "Done. stop" || err != nil {
		t.Fatalf("got %s %v", got, err)
	}
	body := s.Requests()[1].Body
	b, _ := json.Marshal(body["input"])
	const want = `[{"content":"hi","role":"user"},` +
		`{"encrypted_content":"sealed","id":"rs_0","summary":[{"text":"Let me see, a ` +
		`list.","type":"summary_text"}],"type":"reasoning"},` +
		`{"content":"Grüße, I look.","role":"assistant"},` +
		`{"arguments":"{\"path\":\"x.go\"}","call_id":"a","name":"read","type":"function_call"},` +
		`{"arguments":"{}","call_id":"b","name":"ls","type":"function_call"},` +
		`{"call_id":"a","output":[{"text":"seen","type":"input_text"},` +
		`{"image_url":"data:image/png;base64,AAAA","type":"input_image"}],` +
		`"type":"function_call_output"},` +
		`{"call_id":"b","output":"x.go","type":"function_call_output"},` +
		`{"content":[{"text":"and this","type":"input_text"},` +
		`{"detail":"auto","image_url":"data:image/png;base64,AAAA","type":"input_image"}],` +
		`"role":"user"}]`
	if string(b) != want {
		t.Errorf("input: got\n%s, want\n%s", b, want)
	}
	delete(body, "input")
	b, _ = json.Marshal(body)
	const rest = `{"include":["reasoning.encrypted_content"],"instructions":"be ` +
		`kind","max_output_tokens":100,"model":"gpt-5",` +
		`"reasoning":{"effort":"low","summary":"auto"},` +
		`"store":false,"stream":true,"tool_choice":{"name":"read","type":"function"},` +
		`"tools":[{"description":"reads","name":"read","parameters":{"type":"object"},` +
		`"strict":false,"type":"function"}]}`
	if string(b) != rest {
		t.Errorf("got\n%s, want\n%s", b, rest)
	}
}

// TestResponsesOwnAfterChanges checks that reasoning is sent back only before the item that it led
// to.
func TestResponsesOwnAfterChanges(t *testing.T) {
	zero, one := 0, 1
	order := []ownItem{{Reasoning: &ownReasoning{ID: "r0", Encrypted: "x"}}, {Call: &zero},
		{Reasoning: &ownReasoning{ID: "r1", Encrypted: "y"}}, {Call: &one}}
	m := &chat.Message{Role: "assistant", Content: engine.TextResult("hi").Content,
		ToolCalls: []chat.ToolUse{{ID: "a", Tool: "ls"}}}
	b, _ := json.Marshal(assistantItems(m, order))
	got := string(b)
	if strings.Index(got, `"r0"`) > strings.Index(got, `"a"`) || !strings.Contains(got, `"r0"`) {
		t.Errorf("got %s, want r0 before call a", got)
	}
	m.Content = nil
	if b, _ := json.Marshal(assistantItems(m, order)); strings.Contains(string(b), `"r1"`) {
		t.Errorf("got %s, want no r1: its call is gone", b)
	}
}

func TestResponsesOmitsRejectedFields(t *testing.T) {
	ok := llmtest.Reply{Text: "ok", Uncounted: true}
	no := func(code, param string) llmtest.Reply {
		return llmtest.Reply{Status: 400, Body: llmtest.OpenAIError("invalid_request_error", code,
			param, "This is not for you.")}
	}
	s := serve(t, no("unsupported_value", "reasoning.summary"), ok, ok,
		no("invalid_encrypted_content", ""), ok)
	p := newResponses(local(s), Options{})
	for range 2 {
		if got, _, err := heard(t, p, ask("gpt-5")); got != "ok stop" || err != nil {
			t.Errorf("got %s %v", got, err)
		}
	}
	req := ask("gpt-5")
	req.Messages = append(req.Messages, &chat.Message{Role: "assistant",
		Content: engine.TextResult("x").Content,
		Own: &chat.ProviderData{Provider: "local",
			Data: []byte(`{"items":[{"reasoning":{"id":"r",` +
				`"encrypted":"sealed"}},{"text":true}]}`)}}, user("go on"))
	if got, _, err := heard(t, p, req); got != "ok stop" || err != nil {
		t.Errorf("got %s %v", got, err)
	}
	var seen []string
	for _, r := range s.Requests() {
		what := ""
		if strings.Contains(text(r), `"summary":"auto"`) {
			what = "summary"
		}
		if strings.Contains(text(r), "sealed") {
			what += "sealed"
		}
		seen = append(seen, what)
	}
	if got := strings.Join(seen, ","); got != "summary,,,sealed," {
		t.Errorf("got %s, want one request with the summary, and one with encrypted reasoning", got)
	}
}

func TestResponsesReplyOfOtherServers(t *testing.T) {
	const completed = `data: {"type":"response.completed","response":{"status":"completed",` +
		`"usage":{"input_tokens":3,"output_tokens":2}}}` + "\n\n"
	tests := []struct{ name, stream, want string }{
		{"a call that comes whole",
			`data: {"type":"response.output_item.done","output_index":0,` +
				`"item":{"type":"function_call","call_id":"a","name":"ls","arguments":"{}"}}` +
				"\n\n" + completed,
			" a=ls{} tool_calls 3+2+0"},
		{"an object as arguments",
			`data: {"type":"response.output_item.done","output_index":0,` +
				`"item":{"type":"function_call","call_id":"a","name":"ls",` +
				`"arguments":{"path":"."}}}` + "\n\n" + completed,
			` a=ls{"path":"."} tool_calls 3+2+0`},
		{"open reasoning", `data: {"type":"response.reasoning_text.delta","delta":"hm"}` + "\n\n" +
			`data: {"type":"response.output_text.delta","delta":"hi"}` + "\n\n" + completed,
			"(hm) hi stop 3+2+0"},
		{"cut off by length", `data: {"type":"response.output_text.delta","delta":"hi"}` + "\n\n" +
			`data: {"type":"response.incomplete","response":{"status":"incomplete",` +
			`"incomplete_details":{"reason":"max_output_tokens"}}}` + "\n\n", "hi length"},
		{"events nobody knows", `data: {"type":"response.new_thing","delta":{"a":1}}` + "\n\n" +
			completed, " stop 3+2+0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, raw(tt.stream))
			if got, _, err := heard(t, newResponses(local(s), Options{}),
				ask("m")); got != tt.want || err != nil {
				t.Errorf("got %q %v, want %q", got, err, tt.want)
			}
		})
	}
}
