package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
)

// claudeServer starts a server, and returns it with a provider for it.
func claudeServer(t *testing.T, replies ...llmtest.Reply) (*llmtest.Server, *engine.Provider) {
	t.Helper()
	s := llmtest.New(replies...)
	web := httptest.NewServer(s.Anthropic())
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	env := map[string]string{"ANTHROPIC_API_KEY": "sk-ant-secret",
		"ANTHROPIC_BASE_URL": web.URL + "/v1/"}
	return s, anthropicItself(Options{Env: func(name string) string { return env[name] }})
}

func TestAnthropicReply(t *testing.T) {
	s, p := claudeServer(t, llmtest.Reply{Thinking: "Let me see, a list.", Signature: "sig",
		Redacted: "xyz", Text: "Grüße, I look.",
		Calls: []llmtest.Call{{ID: "a", Name: "read", Args: `{"path":"x.go"}`},
			{ID: "b", Name: "ls", Args: `{}`}},
		Usage: llmtest.Usage{Input: 10, Output: 5, CacheRead: 90, CacheWrite: 7}})
	got, chunks, err := heard(t, p, ask("claude-sonnet-4-6"))
	if want := `(Let me see, a list.) Grüße, I look. a=read{"path":"x.go"} b=ls{} tool_calls ` +
		`10+5+90`; got != want || err != nil {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
	if len(chunks) < 10 {
		t.Errorf("got %d chunks, want a stream", len(chunks))
	}
	r := s.Requests()[0]
	if r.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != "sk-ant-secret" ||
		r.Header.Get("Anthropic-Version") == "" || r.Body["stream"] != true {
		t.Errorf("got %s %v %v", r.Path, r.Header, r.Body)
	}
}

// TestAnthropicReplyForms checks that an answer without a stream and split characters are
// understood, and that signed blocks are sent back unchanged.
func TestAnthropicReplyForms(t *testing.T) {
	delta := func(index int, delta string) string {
		return fmt.Sprintf(
			"event: content_block_delta\ndata: "+
				"{\"type\":\"content_block_delta\",\"index\":%d,\"delta\":%s}\n\n", index, delta)
	}
	block := func(index int, block string) string {
		return fmt.Sprintf(
			"event: content_block_start\ndata: "+
				"{\"type\":\"content_block_start\",\"index\":%d,\"content_block\":%s}\n\n", index,
			block)
	}
	const (
		start = "event: message_start\ndata: " +
			"{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3}}}\n\n"
		end = "event: message_delta\ndata: " +
			"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}," +
			"\"usage\":{\"output_tokens\":4}}\n\nevent: message_stop\n" +
			"data: {\"type\":\"message_stop\"}\n\n"
	)
	for _, r := range []llmtest.Reply{
		{Kind: "application/json",
			Body: `{"id":"m","type":"message","role":"assistant","content":[{"type":"thinking",` +
				`"thinking":"h😀","signature":"sig"},{"type":"text","text":"a😀b"},` +
				`{"type":"tool_use","id":"t","name":"ls","input":{"path":"😀"}}],"model":"m",` +
				`"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`},
		{Kind: "text/event-stream", Body: start + block(0,
			`{"type":"thinking","thinking":"","signature":""}`) + delta(0,
			`{"type":"thinking_delta","thinking":"h\ud83d"}`) + delta(0,
			`{"type":"thinking_delta","thinking":"\ude00"}`) +
			delta(0, `{"type":"signature_delta","signature":"sig"}`) + block(1,
			`{"type":"text","text":""}`) + delta(1, `{"type":"text_delta","text":"a\ud83d"}`) +
			delta(1, `{"type":"text_delta","text":"\ude00b"}`) +
			block(2, `{"type":"tool_use","id":"t","name":"ls","input":{}}`) + delta(2,
			`{"type":"input_json_delta","partial_json":"{\"path\":\"\ud83d"}`) + delta(2,
			`{"type":"input_json_delta","partial_json":"\ude00\"}"}`) + end},
	} {
		_, p := claudeServer(t, r)
		got, chunks, err := heard(t, p, ask("claude-sonnet-4-6"))
		if want := `(h😀) a😀b t=ls{"path":"😀"} tool_calls 3+4+0`; got != want || err != nil {
			t.Errorf("%s: got %s %v, want %s", r.Kind, got, err, want)
		}
		var own ownBlocks
		for _, c := range chunks {
			if c.Own != nil {
				_ = json.Unmarshal(c.Own, &own)
			}
		}
		if len(own) != 3 || own[0].Thinking != "h😀" || own[0].Signature != "sig" ||
			own[1].Size != len("a😀b") {
			t.Errorf("%s: sent back: %+v", r.Kind, own)
		}
	}
}

// TestAnthropicSignedThinking checks that signed thinking is sent back verbatim, at its place, only
// to the server that signed it, and only if it was not changed.
func TestAnthropicSignedThinking(t *testing.T) {
	_, p := claudeServer(t, llmtest.Reply{Thinking: "hm", Signature: "sig", Redacted: "xyz",
		Text: "I look.", Calls: []llmtest.Call{{ID: "a", Name: "ls", Args: "{}"}}})
	_, chunks, err := heard(t, p, ask("claude-sonnet-4-6"))
	if err != nil {
		t.Fatal(err)
	}
	var own []byte
	for _, c := range chunks {
		if c.Own != nil {
			own = c.Own
		}
	}
	said := func(change func(m *chat.Message)) string {
		m := &chat.Message{Role: "assistant", Reasoning: "hm",
			Content:   engine.TextResult("I look.").Content,
			ToolCalls: []chat.ToolUse{{ID: "a", Tool: "ls"}},
			Own:       &chat.ProviderData{Provider: "anthropic", Data: own}}
		change(m)
		params := messageParams(server{name: "anthropic"},
			[]*chat.Message{user("hi"), m, {Role: "tool", CallID: "a",
				Content: engine.TextResult("x.go").Content}})
		b, err := json.Marshal(params[1].Content)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const thinking = `{"signature":"sig","thinking":"hm","type":"thinking"},` +
		`{"data":"xyz","type":"redacted_thinking"},`
	const rest = `{"text":"I look.","type":"text"},{"id":"a","input":{},` +
		`"name":"ls","type":"tool_use"}]`
	tests := []struct {
		name   string
		change func(m *chat.Message)
		want   string
	}{
		{"as it was", func(*chat.Message) {}, "[" + thinking + rest},
		{"another provider", func(m *chat.Message) { m.Own.Provider = "openai" }, "[" + rest},
		{"other thoughts", func(m *chat.Message) { m.Reasoning = "***" }, "[" + rest},
		{"another text", func(m *chat.Message) { m.Content[0].Text = "I see." },
			"[" + thinking + strings.Replace(rest, "look", "see", 1)},
		{"a longer text", func(m *chat.Message) { m.Content[0].Text = "I will look." },
			"[" + thinking + strings.Replace(rest, "look", "will look", 1)},
		{"no call", func(m *chat.Message) { m.ToolCalls = nil },
			"[" + thinking + `{"text":"I look.","type":"text"}]`},
		{"garbage", func(m *chat.Message) { m.Own.Data = []byte(`[null, 3]`) }, "[" + rest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := said(tt.change); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestAnthropicRequest(t *testing.T) {
	image := chat.Block{Type: "image", MimeType: "image/png", Data: "aGk="}
	conversation := []*chat.Message{
		{Role: "assistant", Content: engine.TextResult("before").Content},
		user("hi"), user("  "), {Role: "user", Content: []chat.Block{image}},
		{Role: "assistant", ToolCalls: []chat.ToolUse{
			{ID: "a", Tool: "ls", Args: map[string]any{"path": "."}}, {ID: "b", Tool: "ls"}}},
		{Role: "tool", CallID: "b", Content: append(engine.TextResult("x.go").Content, image),
			IsError: true},
		{Role: "tool", CallID: "zzz", Content: engine.TextResult("nobody's").Content},
		user("and?"),
	}
	tests := []struct {
		name string
		req  chat.Request
		want []string // parts of the request
		not  string
		warn string
	}{
		{"conversation", chat.Request{Messages: conversation}, []string{
			`"messages":[{"content":[{"text":"[the conversation begins ` +
				`here]","type":"text"}],"role":"user"},` +
				`{"content":[{"text":"before","type":"text"}],"role":"assistant"}`,
			`{"text":"hi","type":"text"},{"cache_control":{"type":"ephemeral"},` +
				`"source":{"data":"aGk=","media_type":"image/png","type":"base64"},` +
				`"type":"image"}],"role":"user"}`,
			`{"content":[{"id":"a","input":{"path":"."},"name":"ls","type":"tool_use"},` +
				`{"id":"b","input":{},"name":"ls","type":"tool_use"}],"role":"assistant"}`,
			`{"content":[{"content":[{"text":"x.go","type":"text"},` +
				`{"source":{"data":"aGk=","media_type":"image/png","type":"base64"},` +
				`"type":"image"}],"is_error":true,"tool_use_id":"b","type":"tool_result"},` +
				`{"content":[{"text":"there is no ` +
				`result","type":"text"}],"is_error":true,"tool_use_id":"a","type":"tool_result"},` +
				`{"text":"nobody's","type":"text"},{"cache_control":{"type":"ephemeral"},` +
				`"text":"and?","type":"text"}],"role":"user"}`}, "", ""},
		{"tools", chat.Request{Tools: []chat.ToolSpec{
			{Name: "ls", Description: "lists", Schema: map[string]any{"type": "object",
				"properties": map[string]any{"path": map[string]any{"type": "string"}},
				"required":   []any{"path"}, "additionalProperties": false}}},
			ToolChoice: "required"},
			[]string{`"tools":[{"cache_control":{"type":"ephemeral"},` +
				`"description":"lists","input_schema":{"additionalProperties":false,` +
				`"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"},` +
				`"name":"ls"}]`,
				`"tool_choice":{"type":"any"}`}, "", ""},
		{"one tool", chat.Request{Tools: []chat.ToolSpec{{Name: "ls"}}, ToolChoice: "ls"},
			[]string{`"tool_choice":{"name":"ls","type":"tool"}`}, "", ""},
		{"system", chat.Request{System: "be kind"},
			[]string{`"system":[{"cache_control":{"type":"ephemeral"},"text":"be ` +
				`kind","type":"text"}]`}, "", ""},
		{"options", chat.Request{Options: map[string]any{"temperature": 0.5,
			"max_tokens": 100.0, "stop": []any{"END"}, "top_k": 3.0}},
			[]string{`"max_tokens":100`, `"temperature":0.5`, `"stop_sequences":["END"]`,
				`"top_k":3`}, "thinking", ""},
		{"unknown option", chat.Request{Options: map[string]any{"temprature": 0.5}}, nil,
			"temprature", `unknown key "temprature"; did you mean "temperature"?`},
		{"wrong option", chat.Request{Options: map[string]any{"max_tokens": "many"}},
			[]string{`"max_tokens":32000`}, "many", "got string, want integer"},
		{"usual", chat.Request{}, []string{`"max_tokens":32000`}, "thinking", ""},
		{"unknown model", chat.Request{Model: "m"}, []string{`"max_tokens":8192`}, "", ""},
		{"adaptive", chat.Request{Thinking: "high",
			Options: map[string]any{"temperature": 1.0}},
			[]string{`"thinking":{"display":"summarized","type":"adaptive"}`, `"effort":"high"`},
			"temperature", "temperature and top_k are left out"},
		{"later model", chat.Request{Model: "claude-opus-5-5-20260901", Thinking: "low"},
			[]string{`"type":"adaptive"`, `"effort":"low"`}, "budget", ""},
		{"off", chat.Request{Thinking: "off"}, []string{`"thinking":{"type":"disabled"}`},
			"", ""},
		{"budget", chat.Request{Model: "claude-haiku-4-5", Thinking: "high"},
			[]string{`"budget_tokens":32768`, `"max_tokens":40960`}, "effort", ""},
		{"small budget", chat.Request{Model: "claude-haiku-4-5", Thinking: "high",
			Options: map[string]any{"max_tokens": 3000.0}},
			[]string{`"budget_tokens":1976`, `"max_tokens":3000`}, "", ""},
		{"no budget", chat.Request{Model: "claude-haiku-4-5", Thinking: "high",
			Options: map[string]any{"max_tokens": 1000.0}}, []string{`"max_tokens":1000`}, "budget",
			"leaves no room to think"},
		{"does not think", chat.Request{Model: "claude-3-haiku-20240307", Thinking: "high"},
			[]string{`"max_tokens":4096`}, "thinking", "does not think"},
		{"thinking and a forced call", chat.Request{Thinking: "low",
			Tools: []chat.ToolSpec{{Name: "ls"}}, ToolChoice: "ls"}, nil, "tool_choice",
			"cannot be forced"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, p := claudeServer(t, llmtest.Reply{})
			if tt.req.Model == "" {
				tt.req.Model = "claude-sonnet-4-6"
			}
			if tt.req.Messages == nil {
				tt.req.Messages = []*chat.Message{user("hi")}
			}
			_, chunks, err := heard(t, p, &tt.req)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := json.Marshal(s.Requests()[0].Body)
			for _, want := range tt.want {
				if !strings.Contains(string(b), want) {
					t.Errorf("got %s\nwant in it %s", b, want)
				}
			}
			if tt.not != "" && strings.Contains(string(b), tt.not) {
				t.Errorf("got %s in %s", tt.not, b)
			}
			warned := ""
			for _, c := range chunks {
				warned += c.Warning
			}
			if !strings.Contains(warned, tt.warn) || tt.warn == "" && warned != "" {
				t.Errorf("got warning %q, want %q", warned, tt.warn)
			}
		})
	}
}

func TestAnthropicFailures(t *testing.T) {
	page := "<html><head><title>502 Bad Gateway</title></head><body>" + strings.Repeat("x",
		10_000) + "</body></html>"
	tests := []struct {
		name  string
		reply llmtest.Reply
		want  string          // part of the message
		fail  fault.FailError // without the message
	}{
		{"400", llmtest.Reply{Status: 400,
			Body: `{"type":"error","error":{"type":"invalid_request_error",` +
				`"message":"max_tokens: too many"}}`}, "400 Bad Request: max_tokens: too many",
			fault.FailError{Status: 400}},
		{"too long", llmtest.Reply{Status: 400,
			Body: `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is ` +
				`too long: 210000 tokens > 200000 maximum"}}`},
			"prompt is too long", fault.FailError{Status: 400, Overflow: true}},
		{"413", llmtest.Reply{Status: 413,
			Body: `{"error":{"type":"request_too_large","message":"Request exceeds the maximum ` +
				`size"}}`}, "413", fault.FailError{Status: 413}},
		{"401", llmtest.Reply{Status: 401,
			Body: `{"type":"error","error":{"type":"authentication_error","message":"invalid ` +
				`x-api-key"}}`},
			"401 Unauthorized: invalid x-api-key; is the key in ANTHROPIC_API_KEY right?",
			fault.FailError{Status: 401}},
		{"404 model", llmtest.Reply{Status: 404,
			Body: `{"error":{"type":"not_found_error","message":"model: claude-x"}}`},
			"404 Not Found: model: claude-x", fault.FailError{Status: 404}},
		{"404 page", llmtest.Reply{Status: 404, Body: "not here", Kind: "text/plain"},
			"ANTHROPIC_BASE_URL = http://127.0.0.1", fault.FailError{Status: 404}},
		{"429", llmtest.Reply{Status: 429, Header: map[string]string{"Retry-After": "7"},
			Body: `{"error":{"message":"slow down"}}`}, "slow down",
			fault.FailError{Status: 429, RetryAfter: 7}},
		{"500", llmtest.Reply{Status: 500, Body: `{"error":{"message":"oops"}}`},
			"500 Internal Server Error: oops", fault.FailError{Status: 500}},
		{"529", llmtest.Reply{Status: 529,
			Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
			"529 Overloaded: Overloaded", fault.FailError{Status: 529}},
		{"502 and a page", llmtest.Reply{Status: 502, Body: page, Kind: "text/html"},
			"502 Bad Gateway: 502 Bad Gateway", fault.FailError{Status: 502}},
		{"a page", llmtest.Reply{Body: page, Kind: "text/html"},
			"got a web page, want a reply (502 Bad Gateway); is ANTHROPIC_BASE_URL = ",
			fault.FailError{}},
		{"no stream", llmtest.Reply{Body: `{"hello": "world"}`},
			`got {"hello": "world"}, want a stream of events; is ANTHROPIC_BASE_URL`,
			fault.FailError{}},
		{"an error that is called none",
			llmtest.Reply{Body: `{"error": {"message": "the quota is used up"}}`},
			"the quota is used up", fault.FailError{}},
		{"a stream of nothing", llmtest.Reply{Body: "hello\n", Kind: "text/event-stream"},
			"no stream of events; is ANTHROPIC_BASE_URL", fault.FailError{}},
		{"error in the stream", llmtest.Reply{Text: "half", Error: "overloaded_error"},
			"it is overloaded_error", fault.FailError{Status: 529}},
		{"unknown error in the stream", llmtest.Reply{Text: "half", Error: "invalid_request_error"},
			"it is invalid_request_error", fault.FailError{}},
		{"no JSON", llmtest.Reply{Body: "event: message_start\ndata: {oops\n\n",
			Kind: "text/event-stream"}, "invalid JSON", fault.FailError{Retryable: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, p := claudeServer(t, tt.reply)
			_, _, err := heard(t, p, ask("claude-sonnet-4-6"))
			var f *fault.FailError
			if !errors.As(err, &f) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %T %v, want %s", err, err, tt.want)
			}
			if strings.Contains(err.Error(), "secret") || len(err.Error()) > 1000 ||
				strings.TrimRight(err.Error(), ": ") != err.Error() {
				t.Errorf("got %q", err)
			}
			got := *f
			if got.Message = ""; got != tt.fail {
				t.Errorf("got %+v, want %+v", got, tt.fail)
			}
		})
	}
}

// TestAnthropicBrokenOff cuts the stream everywhere: a part of it must never count as a complete
// reply.
func TestAnthropicBrokenOff(t *testing.T) {
	reply := llmtest.Reply{Thinking: "hm", Signature: "s", Text: "well",
		Calls: []llmtest.Call{{ID: "a", Name: "ls", Args: `{"path":"."}`}}}
	for cut := 1; ; cut += 97 {
		reply.Cut = cut
		_, p := claudeServer(t, reply)
		got, chunks, err := heard(t, p, ask("claude-sonnet-4-6"))
		if err == nil && cut > 1_500 { // that was the whole stream
			break
		}
		if err == nil || !strings.Contains(err.Error(), "broke off") {
			t.Errorf("cut after %d: got %s %v", cut, got, err)
		}
		for _, c := range chunks {
			if c.Own != nil {
				t.Errorf("cut after %d: got own data %s", cut, c.Own)
			}
		}
	}
}

func TestAnthropicUnreachable(t *testing.T) {
	for address, want := range map[string]string{
		"http://127.0.0.1:1": "is ANTHROPIC_BASE_URL = http://127.0.0.1:1 right, and does " +
			"the server run?",
		"http://me:pw@127.0.0.1:1": "//…@127",
	} {
		env := map[string]string{"ANTHROPIC_API_KEY": "sk-ant-secret",
			"ANTHROPIC_BASE_URL": address}
		p := anthropicItself(Options{Env: func(name string) string { return env[name] }})
		_, _, err := heard(t, p, ask("m"))
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "pw") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %s", address, err, want)
		}
	}
}

func TestUnusable(t *testing.T) {
	for _, tt := range []struct{ key, address, want string }{
		{"", "", "set ANTHROPIC_API_KEY"},
		{"sk-a\nsk-b", "", "ANTHROPIC_API_KEY contains a line break"},
		{" sk-a\n", "", ""},
		{"sk-a", "127.0.0.1:9", "ANTHROPIC_BASE_URL: got \"127.0.0.1:9\", want an address"},
		{"sk-a", "::nonsense", "ANTHROPIC_BASE_URL: got"},
		{"sk-a", "sk-ant-in-its-place",
			"ANTHROPIC_BASE_URL: got 19 characters that are not an address"},
		{"sk-a", "me:pw@host:80", `ANTHROPIC_BASE_URL: got "…@host:80", want`},
		{"sk-a", "ftp://host", "ANTHROPIC_BASE_URL: got"},
		{"sk-a", "https://host", ""},
	} {
		env := map[string]string{"ANTHROPIC_API_KEY": tt.key, "ANTHROPIC_BASE_URL": tt.address}
		got := anthropicItself(Options{Env: func(name string) string { return env[name] }}).Unusable
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q %q: got %q, want %q", tt.key, tt.address, got, tt.want)
		}
	}
}

// TestAnthropicCancelled checks that the request ends with its context while the server sends
// nothing, and that the server notices the end of the connection.
func TestAnthropicCancelled(t *testing.T) {
	s, p := claudeServer(t, llmtest.Reply{Thinking: "hm", Signature: "s", Text: "so far",
		Hang: true})
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	_, err := p.Stream(ctx, ask("m"), func(c chat.Chunk) {
		if c.Text != "" {
			cancel()
		}
		if c.Own != nil {
			t.Error("got own data of an incomplete reply")
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	select {
	case <-s.Gone():
	case <-time.After(wait):
		t.Error("the connection stayed open")
	}
}

func TestAnthropicModels(t *testing.T) {
	s, p := claudeServer(t)
	s.Models = []llmtest.Model{{ID: "claude-sonnet-4-6", Context: 300_000},
		{ID: "claude-new", Context: 5}}
	models, err := p.List(context.Background())
	if err != nil || len(models) != 2 || models[0].Context != 300_000 || models[0].Price == nil ||
		models[1].ID != "claude-new" || models[1].Price != nil {
		t.Errorf("got %+v %v", models, err)
	}
}

func TestDescribe(t *testing.T) {
	yes := true
	set := []config.Model{{Name: "anthropic/claude-sonnet-4-6", Context: 5, Thinking: &yes,
		Price: &chat.Price{Input: 1}}}
	for id, want := range map[string]float64{"claude-opus-4-5-20251101": 5,
		"claude-opus-4-20250514": 15, "claude-opus-4-1": 15, "claude-opus-4-99": -1,
		"claude-opus-4-5-turbo": -1,
		"claude-sonnet-4-0":     3, "claude-sonnet-4-6": 1, "gpt-5": -1, "": -1} {
		got := -1.0
		if p := describe("anthropic", id, set).Price; p != nil {
			got = p.Input
		}
		if got != want {
			t.Errorf("%s: got %v, want %v (-1 = unknown)", id, got, want)
		}
	}
	if m := describe("anthropic", "claude-sonnet-4-6", set); m.Context != 5 ||
		m.MaxOutput != 64_000 {
		t.Errorf("got %+v", m)
	}
}

// FuzzAnthropicMessages checks that the request for any conversation has alternating turns, and a
// result for each call.
func FuzzAnthropicMessages(f *testing.F) {
	f.Add([]byte("uatu"))
	f.Add([]byte("attaAtTuu"))
	f.Fuzz(func(t *testing.T, script []byte) {
		var list []*chat.Message
		for i, c := range script {
			m := &chat.Message{Role: "user",
				Content: engine.TextResult(string(script[i:])).Content}
			switch c % 5 {
			case 1:
				m.Role = "assistant"
			case 2:
				m.Role, m.ToolCalls = "assistant",
					[]chat.ToolUse{{ID: string(rune('a' + i%3)), Tool: "ls"}}
			case 3:
				m.Role, m.CallID = "tool", string(rune('a'+i%3))
			case 4:
				m.Content = nil
			}
			list = append(list, m)
		}
		open := map[string]bool{}
		for i, m := range messageParams(server{name: "anthropic"}, list) {
			if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
				t.Fatalf("message %d: got %s with %d blocks, want %s", i, m.Role, len(m.Content),
					want)
			}
			answered := map[string]bool{}
			for _, b := range m.Content {
				if b.Type == "tool_result" {
					if !open[b.ToolUseID] || answered[b.ToolUseID] {
						t.Fatalf("message %d: a result of %s, which is not open", i, b.ToolUseID)
					}
					answered[b.ToolUseID] = true
				}
			}
			if len(answered) != len(open) {
				t.Fatalf("message %d: %d results, want %d", i, len(answered), len(open))
			}
			open = map[string]bool{}
			for _, b := range m.Content {
				if b.Type == "tool_use" {
					open[b.ID] = true
				}
			}
		}
		if len(open) > 0 {
			t.Fatalf("%d calls are open at the end", len(open))
		}
	})
}
