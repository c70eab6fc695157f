package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// wait is the time limit of a test.
const wait = 3 * time.Minute

// heard returns the outcome of one request, as text.
func heard(t *testing.T, p *engine.Provider, req *chat.Request) (string, []chat.Chunk,
	error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	var chunks []chat.Chunk
	var text, mind strings.Builder
	type call struct{ id, name, args string }
	var calls []call
	finish, err := p.Stream(ctx, req, func(c chat.Chunk) {
		chunks = append(chunks, c)
		text.WriteString(c.Text)
		mind.WriteString(c.Reasoning)
		if d := c.ToolCall; d != nil {
			for len(calls) <= d.Index {
				calls = append(calls, call{})
			}
			of := &calls[d.Index]
			of.id, of.name, of.args = of.id+d.ID, of.name+d.Name, of.args+d.ArgsDelta
		}
	})
	out := text.String()
	if mind.Len() > 0 {
		out = "(" + mind.String() + ") " + out
	}
	for _, c := range calls {
		out += fmt.Sprintf(" %s=%s%s", c.id, c.name, c.args)
	}
	if err == nil {
		out += " " + finish.Reason
		if u := finish.Usage; u != nil {
			out += fmt.Sprintf(" %d+%d+%d", u.Input, u.Output, u.CacheRead)
		}
	}
	return out, chunks, err
}

func ask(model string) *chat.Request {
	return &chat.Request{Model: model, System: "be kind",
		Messages: []*chat.Message{user("hi")}}
}

func user(text string) *chat.Message {
	return &chat.Message{Role: "user", Content: engine.TextResult(text).Content}
}

// fake is a running model server.
type fake struct {
	*llmtest.Server
	URL string
}

func serve(t *testing.T, replies ...llmtest.Reply) *fake {
	t.Helper()
	s := llmtest.New(replies...)
	web := httptest.NewServer(s.OpenAI())
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return &fake{s, web.URL}
}

// raw returns a reply whose stream is text.
func raw(text string) llmtest.Reply { return llmtest.Reply{Body: text, Kind: "text/event-stream"} }

// text returns the body of a request.
func text(r llmtest.Request) string {
	b, _ := json.Marshal(r.Body)
	return string(b)
}

// local returns a server of the user's settings.
func local(s *fake) server {
	return server{name: "local", baseURL: s.URL + "/v1",
		setting: "providers.local.base_url in config.toml", key: "sk-local", keyEnv: "LOCAL_KEY"}
}

func TestChatReply(t *testing.T) {
	two := []llmtest.Call{{ID: "a", Name: "read", Args: `{"path":"x.go"}`},
		{ID: "b", Name: "ls", Args: `{}`}}
	s := serve(t, llmtest.Reply{Thinking: "Let me see, a list.", Text: "Grüße, I look.", Calls: two,
		Usage: llmtest.Usage{Input: 10, Output: 5, CacheRead: 90}})
	got, chunks, err := heard(t, newChat(local(s), Options{}), ask("m"))
	if want := `(Let me see, a list.) Grüße, I look. a=read{"path":"x.go"} b=ls{} tool_calls ` +
		`10+5+90`; got != want || err != nil {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
	if len(chunks) < 8 {
		t.Errorf("got %d chunks, want a stream", len(chunks))
	}
	r := s.Requests()[0]
	if r.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer sk-local" ||
		r.Body["stream"] != true ||
		!strings.Contains(text(r), `"stream_options":{"include_usage":true}`) {
		t.Errorf("got %s %v %s", r.Path, r.Header, r.Body)
	}
}

// TestChatReplyOfOtherServers tests the reader with the variants of the format that other servers
// send.
func TestChatReplyOfOtherServers(t *testing.T) {
	frame := func(delta string) string {
		return `data: {"choices":[{"index":0,"delta":` + delta +
			`}]}` + "\n\n"
	}
	call := func(fields string) string { return frame(`{"tool_calls":[{` + fields + `}]}`) }
	end := func(reason string) string {
		return `data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}` +
			"\n\n"
	}
	const done = "data: [DONE]\n\n"
	tests := []struct{ name, stream, want string }{
		{"text and no usage", frame(`{"content":"hi"}`) + end("stop") + done, "hi stop"},
		{"no end mark", frame(`{"content":"hi"}`) + end("stop"), "hi stop"},
		{"no reason", frame(`{"content":"hi"}`) + done, "hi stop"},
		{"no space behind data:", "data:" + `{"choices":[{"delta":{"content":"hi"}}]}` +
			"\n\ndata:[DONE]\n\n", "hi stop"},
		{"carriage returns, comments, names",
			": ping\r\n\r\nevent: x\r\ndata: " +
				"{\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n",
			"hi stop"},
		{"a byte order mark", "\xef\xbb\xbf" + frame(`{"content":"h"}`) + frame(`{"content":"i"}`) +
			done, "hi stop"},
		{"another choice", frame(`{"content":"hi"}`) +
			`data: {"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"}]}` +
			"\n\n" + done, "hi stop"},
		{"null error", `data: {"error":null,"choices":[{"index":0,"delta":{"content":"hi"}}]}` +
			"\n\n" + done, "hi stop"},
		{"reasoning", frame(`{"reasoning":"hm","content":null}`) + frame(`{"content":"hi"}`) + done,
			"(hm) hi stop"},
		{"reasoning under both names", frame(`{"reasoning":"hm","reasoning_content":"hm"}`) + done,
			"(hm)  stop"},
		{"usage with every event",
			`data: {"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,` +
				`"completion_tokens":1}}` + "\n\n" +
				`data: {"choices":[{"index":0,"delta":{"content":"b"}}],` +
				`"usage":{"prompt_tokens":1,"completion_tokens":2}}` + "\n\n" + done,
			"ab stop 1+2+0"},
		{"whole call at once, stop",
			call(`"index":0,"id":"c1","type":"function","function":{"name":"ls",`+
				`"arguments":"{\"path\":\".\"}"}`) + end("stop") + done,
			` c1=ls{"path":"."} tool_calls`},
		{"object as arguments",
			call(`"index":0,"id":"c1","function":{"name":"ls","arguments":{"path":"."}}`) + done,
			` c1=ls{"path":"."} tool_calls`},
		{"null arguments", call(`"index":0,"id":"c1","function":{"name":"ls","arguments":null}`) +
			done, ` c1=ls tool_calls`},
		{"no index", call(`"id":"a","function":{"name":"ls","arguments":"{}"}`) +
			call(`"id":"b","function":{"name":"read","arguments":"{\"path\""}`) +
			call(`"function":{"arguments":":1}"}`) + done, ` a=ls{} b=read{"path":1} tool_calls`},
		{"index 0 for all", call(`"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}`) +
			call(`"index":0,"id":"b","function":{"name":"ls","arguments":"{}"}`) + done,
			` a=ls{} b=ls{} tool_calls`},
		{"index 0 for all, empty ids",
			call(`"index":0,"id":"","function":{"name":"ls","arguments":"{}"}`) +
				call(`"index":0,"id":"","function":{"name":"ls","arguments":"{}"}`) + done,
			` =ls{} =ls{} tool_calls`},
		{"name and id with each piece",
			call(`"index":0,"id":"a","function":{"name":"ls","arguments":"{\"pa"}`) +
				call(`"index":0,"id":"a","function":{"name":"ls","arguments":"th\":1}"}`) + done,
			` a=ls{"path":1} tool_calls`},
		{"another id with each piece",
			call(`"index":0,"id":"a","function":{"name":"ls","arguments":"{\"pa"}`) +
				call(`"index":0,"id":"x","function":{"arguments":"th\":1}"}`) + done,
			` a=ls{"path":1} tool_calls`},
		{"many in one event",
			frame(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}},`+
				`{"index":1,"id":"b","function":{"name":"ls","arguments":"{}"}}]}`) + done,
			` a=ls{} b=ls{} tool_calls`},
		{"cut off by length", frame(`{"content":"hi"}`) + end("length") + done, "hi length"},
		{"a list as content",
			frame(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},`+
				`{"type":"text","text":"hi"}]}`) + done, "(hm) hi stop"},
		{"wrong types", `data: {"choices":[{"index":"0","delta":{"content":["x"],` +
			`"tool_calls":"no"}}]}` + "\n\n" + `data: {"choices":"none"}` + "\n\n" + frame(
			`{"content":"hi"}`) + done, "hi stop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, raw(tt.stream))
			if got, _, err := heard(t, newChat(local(s), Options{}), ask("m")); got != tt.want ||
				err != nil {
				t.Errorf("got %q %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestChatRequest(t *testing.T) {
	s := serve(t, llmtest.Reply{Text: "ok"})
	image := chat.Block{Type: "image", MimeType: "image/png", Data: "AAAA"}
	seen := user("look")
	seen.Content = append(seen.Content, image)
	req := &chat.Request{Model: "m", System: "be kind", ToolChoice: "read", Thinking: "high",
		Options: map[string]any{"temperature": 0.5, "max_tokens": 100.0, "colour": "red",
			"top_p": "much"},
		Tools: []chat.ToolSpec{{Name: "read", Description: "reads",
			Schema: map[string]any{"type": "object"}}, {Name: "bare"}},
		Messages: []*chat.Message{seen,
			{Role: "assistant", Reasoning: "old", Own: &chat.ProviderData{Provider: "local",
				Data: []byte(`{"field":"reasoning_content"}`)},
				ToolCalls: []chat.ToolUse{{ID: "1", Tool: "read",
					Args: map[string]any{"path": "a"}}, {ID: "2", Tool: "read"}}},
			{Role: "tool", CallID: "1", Tool: "read",
				Content: []chat.Block{{Type: "text", Text: "an image"}, image}},
			{Role: "tool", CallID: "2", Tool: "read", Content: engine.TextResult("text").Content},
			{Role: "assistant", Reasoning: "only thought"},
			{Role: "assistant", Content: engine.TextResult("fine").Content, Reasoning: "theirs",
				Own: &chat.ProviderData{Provider: "other", Data: []byte(`{"field":"x"}`)}}}}
	_, chunks, err := heard(t, newChat(local(s), Options{}), req)
	if err != nil {
		t.Fatal(err)
	}
	var warned []string
	for _, c := range chunks {
		if c.Warning != "" {
			warned = append(warned, c.Warning)
		}
	}
	if got := strings.Join(warned, "\n"); strings.Count(got, "left out") != 2 ||
		!strings.Contains(got, "colour") || !strings.Contains(got, "top_p") {
		t.Errorf("warnings: got %s", got)
	}
	body := s.Requests()[0].Body
	b, _ := json.Marshal(body["messages"])
	const want = `[{"content":"be kind","role":"system"},` +
		`{"content":[{"text":"look","type":"text"},{"image_url":{"url":"data:image/png;base64,` +
		`AAAA"},"type":"image_url"}],"role":"user"},` +
		`{"reasoning_content":"old","role":"assistant",` +
		`"tool_calls":[{"function":{"arguments":"{\"path\":\"a\"}","name":"read"},` +
		`"id":"1","type":"function"},{"function":{"arguments":"{}","name":"read"},` +
		`"id":"2","type":"function"}]},` +
		`{"content":"an image\n(the image ` +
		`follows)","role":"tool","tool_call_id":"1"},{"content":"text","role":"tool",` +
		`"tool_call_id":"2"},` +
		`{"content":[{"text":"The image that read ` +
		`returned:","type":"text"},{"image_url":{"url":"data:image/png;base64,AAAA"},` +
		`"type":"image_url"}],"role":"user"},` +
		`{"content":"fine","role":"assistant"}]`
	if string(b) != want {
		t.Errorf("messages: got\n%s, want\n%s", b, want)
	}
	delete(body, "messages")
	b, _ = json.Marshal(body)
	const rest = `{"max_tokens":100,"model":"m","reasoning_effort":"high","stream":true,` +
		`"stream_options":{"include_usage":true},"temperature":0.5,` +
		`"tool_choice":{"function":{"name":"read"},"type":"function"},` +
		`"tools":[{"function":{"description":"reads","name":"read","parameters":{"type":"object"}` +
		`},"type":"function"},{"function":{"name":"bare","parameters":{"properties":{},` +
		`"type":"object"}},"type":"function"}]}`
	if string(b) != rest {
		t.Errorf("got\n%s, want\n%s", b, rest)
	}
}
