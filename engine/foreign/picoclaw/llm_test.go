package picoclaw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// llm changes requests and answers by the text of the last message, or of the answer. It passes
// through what it has decoded, as a script in Python does.
func llm(p *process) {
	p.greet()
	p.serve(func(method string, params map[string]any) string {
		modify := func(key string, v any) string {
			text, _ := json.Marshal(map[string]any{"action": "modify", key: v})
			return string(text)
		}
		messages, _ := params["messages"].([]any)
		switch {
		case method == "before_llm":
			last, _ := messages[len(messages)-1].(map[string]any)
			switch last["content"] {
			case "same":
				return modify("request", params)
			case "inject":
				tools, _ := params["tools"].([]any)
				var mine any
				_ = json.Unmarshal([]byte(`{"type":"function","function":{"name":"my_plugin_tool",`+
					`"description":"Plugin injected tool","parameters":{"properties":`+
					`{"query":{"type":"string"}}}}}`), &mine)
				tools = append(tools, mine)
				return modify("request", map[string]any{"tools": tools})
			case "change":
				last["content"] = "changed"
				return modify("request", map[string]any{"model": "maker/other",
					"messages": append(messages, map[string]any{"role": "user", "content": []any{
						map[string]any{"type": "text", "text": "more"}}}),
					"options": map[string]any{"max_tokens": 5}})
			case "drop":
				return modify("request", map[string]any{"messages": messages[1:]})
			case "report":
				text, _ := json.Marshal(params)
				return modify("request", map[string]any{"messages": []any{
					map[string]any{"role": "user", "content": string(text)}}})
			case "abort":
				return `{"action":"hard_abort","reason":"no budget"}`
			case "deny":
				return `{"action":"deny_tool"}`
			case "bad":
				return `{"action":"modify","request":{"tools":[{"name":"x"}]}}`
			}
		case method == "after_llm":
			response, _ := params["response"].(map[string]any)
			switch response["content"] {
			case "same":
				return modify("response", params)
			case "bare":
				return modify("response", map[string]any{"content": "[redacted]"})
			case "nested":
				response["content"], response["reasoning_content"] = "deep", "why"
				response["tool_calls"] = []any{map[string]any{"id": "tc-1", "type": "function",
					"function": map[string]any{"name": "echo", "arguments": `{"text":"hi"}`}}}
				return modify("response", params)
			case "abort":
				return `{"action":"abort_turn","reason":"over"}`
			case "bad":
				return `{"action":"modify","response":{"tool_calls":[{"function":` +
					`{"name":"echo","arguments":"{"}}]}}`
			}
		}
		return ""
	})
}

// conversation is what the model would see, with a text as the last message.
func conversation(text string) chat.MessageList {
	return chat.MessageList{
		{ID: "m1", Role: "user", Content: []chat.Block{{Type: "text", Text: "look <here> & there"},
			{Type: "image", MimeType: "image/png", Data: "AAAA"}}},
		{ID: "m2", Role: "assistant", Content: chat.Text("ok"), Reasoning: "hm",
			ToolCalls: []chat.ToolUse{{ID: "c1", Tool: "echo", Args: map[string]any{"n": 1.0}}}},
		{ID: "m3", Role: "tool", CallID: "c1", Tool: "echo", IsError: true,
			Content: chat.Text("no")},
		{ID: "m4", Role: "user", Content: chat.Text(text)}}
}

// before fires a request, and returns it as it would be sent.
func (w *world) before(purpose, text string) (*event.Event, *engine.Verdict) {
	return w.Engine.Intercept(context.Background(), w.Engine.Events.Named("llm_request",
		&event.Envelope{SessionID: "session-1"}, map[string]any{"purpose": purpose,
			"model": w.model, "messages": conversation(text),
			"tools": []any{map[string]any{"name": "echo", "description": "echo text",
				"schema": map[string]any{"type": "object"}, "kind": "read", "read_only": true,
				"source": "builtin"}},
			"options": map[string]any{"temperature": 0.7}, "last_turn": true}))
}

// after fires an answer of the model, and returns it as it would be used.
func (w *world) after(text string) (*event.Event, *engine.Verdict) {
	return w.Engine.Intercept(context.Background(), w.Engine.Events.Named("llm_response", nil,
		map[string]any{"purpose": "agent", "model": "maker/model-1", "text": text,
			"reasoning": "hm", "tool_calls": []any{map[string]any{"id": "c1", "tool": "bash",
				"args": map[string]any{"command": "ls > x"}}}}))
}

// texts returns a list as JSON.
func texts(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(chat.Plain(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestBeforeLLM: requests are changed; what an answer leaves out, or sends back as it was, stays,
// with what the hook does not see.
func TestBeforeLLM(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("llm", "before_llm").start()
	for _, text := range []string{"go on", "same"} {
		if _, v := w.before("agent", text); len(v.Changed) > 0 || v.Blocked {
			t.Errorf("%s: %+v", text, v)
		}
	}
	ev, v := w.before("agent", "inject")
	if got := texts(t, ev.Field("tools")); fmt.Sprint(v.Changed) != "[tools]" ||
		!strings.Contains(got, `"kind":"read"`) || !strings.Contains(got, `{"description":`+
		`"Plugin injected tool","name":"my_plugin_tool","schema":{"properties":{"query":`+
		`{"type":"string"}},"type":"object"}}`) {
		t.Errorf("changed %v, tools %s", v.Changed, got)
	}
	if _, v = w.before("compact", "inject"); len(v.Changed) > 0 {
		t.Errorf("a summary is asked for tool calls: %v", v.Changed)
	}
	ev, _ = w.before("agent", "change")
	messages, err := chat.DecodeMessages(ev.Field("messages"))
	if err != nil || len(messages) != 5 || len(messages[0].Content) != 2 ||
		messages[1].Reasoning != "hm" || !messages[2].IsError || messages[2].Tool != "echo" ||
		chat.PlainText(messages[3].Content) != "changed" || messages[3].ID != "m4" ||
		chat.PlainText(messages[4].Content) != "more" {
		t.Errorf("%v: messages %s", err, texts(t, ev.Field("messages")))
	}
	if options := texts(t, ev.Field("options")); ev.Text("model") != "maker/other" ||
		options != `{"max_tokens":5}` {
		t.Errorf("model %s, options %s", ev.Text("model"), options)
	}
	ev, _ = w.before("agent", "drop")
	if messages, _ = chat.DecodeMessages(ev.Field("messages")); len(messages) != 3 ||
		messages[0].Reasoning != "hm" {
		t.Errorf("messages %s", texts(t, ev.Field("messages")))
	}
	if _, v = w.before("agent", "abort"); v.Abort != "agent" || v.Reason != "no budget" {
		t.Errorf("hard_abort: %+v", v)
	}
	for _, text := range []string{"deny", "bad"} { // an answer that is none is not a consent
		if _, v = w.before("agent", text); !v.Blocked {
			t.Errorf("%s: the request goes on: %+v", text, v)
		}
	}
}

// TestRequestAsSent is what a hook gets of a request: the form of the founding document.
func TestRequestAsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("llm", "before_llm").start()
	ev, _ := w.before("agent", "report")
	messages, _ := chat.DecodeMessages(ev.Field("messages"))
	var got map[string]any
	if err := json.Unmarshal([]byte(chat.PlainText(messages[0].Content)), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"model":             `"maker/model-1"`,
		"options":           `{"temperature":0.7}`,
		"graceful_terminal": `true`,
		"chat_id":           `"session-1"`,
		"tools": `[{"function":{"description":"echo text","name":"echo","parameters":` +
			`{"type":"object"}},"type":"function"}]`,
		"messages": `[{"content":"look \u003chere\u003e \u0026 there","id":"m1","media":` +
			`["data:image/png;base64,AAAA"],"role":"user"},` +
			`{"content":"ok","id":"m2","reasoning_content":"hm","role":"assistant","tool_calls":` +
			`[{"function":{"arguments":"{\"n\":1}","name":"echo"},"id":"c1","type":"function"}]},` +
			`{"content":"no","id":"m3","role":"tool","tool_call_id":"c1"},` +
			`{"content":"report","id":"m4","role":"user"}]`,
	} {
		if text := texts(t, got[key]); text != want {
			t.Errorf("%s:\n got %s\nwant %s", key, text, want)
		}
	}
}

// TestAfterLLM: answers of the model are changed in both forms.
func TestAfterLLM(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("llm", "after_llm").start()
	for _, text := range []string{"go on", "same"} {
		if _, v := w.after(text); len(v.Changed) > 0 || v.Blocked {
			t.Errorf("%s: %+v", text, v)
		}
	}
	if ev, v := w.after("bare"); ev.Text("text") != "[redacted]" || ev.Text("reasoning") != "hm" {
		t.Errorf("bare: %+v", v)
	}
	ev, v := w.after("nested")
	if got := texts(t, ev.Field("tool_calls")); ev.Text("text") != "deep" ||
		ev.Text("reasoning") != "why" ||
		got != `[{"args":{"text":"hi"},"id":"tc-1","tool":"echo"}]` {
		t.Errorf("nested: %+v %s", v, got)
	}
	if _, v = w.after("abort"); v.Abort != "prompt" || v.Reason != "over" {
		t.Errorf("abort_turn: %+v", v)
	}
	if _, v = w.after("bad"); !v.Blocked || v.Failed() == nil ||
		!strings.Contains(v.Failed().Error(), "[0].function.arguments") {
		t.Errorf("bad: the answer goes on: %+v", v)
	}
}
