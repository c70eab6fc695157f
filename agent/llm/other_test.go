// This file tests unusual replies of servers with either of OpenAI's APIs.

package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

func frames(deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		b.WriteString(`data: {"id":"gen-1","object":"chat.completion.chunk",` +
			`"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}` + "\n\n")
	}
	return b.String()
}

const doneFrame = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` +
	"\n\ndata: [DONE]\n\n"

func TestChatReplyForms(t *testing.T) {
	for name, tt := range map[string]struct{ stream, want string }{
		"reasoning_text": {frames(`{"reasoning_text":"hm"}`, `{"content":"hi"}`),
			"(hm) hi stop"},
		"details alone": {frames(
			`{"reasoning_details":[{"type":"reasoning.text","text":"h","index":0}]}`,
			`{"reasoning_details":[{"type":"reasoning.text","text":"m","index":0}]}`,
			`{"content":"hi"}`), "(hm) hi stop"},
		"details of a summary": {frames(
			`{"reasoning_details":[{"type":"reasoning.summary","summary":"hm","index":0}]}`,
			`{"content":"hi"}`), "(hm) hi stop"},
		"details beside": {frames(
			`{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`,
			`{"content":"hi"}`), "(hm) hi stop"},
		"think": {frames(`{"content":"<think>hm</think>\n\nhi"}`),
			"(hm) hi stop"},
		"think in pieces": {frames(`{"content":"\n<th"}`, `{"content":"ink>\nh"}`,
			`{"content":"m </th"}`, `{"content":"ere></thi"}`, `{"content":"nk>"}`,
			`{"content":"\n\n"}`, `{"content":"hi"}`), "(\nhm </there>) hi stop"},
		"think that has no end": {frames(`{"content":"<think>hm </thi"}`),
			"(hm </thi)  stop"},
		"think further on": {frames(`{"content":"use "}`,
			`{"content":"<think>x</think>"}`), "use <think>x</think> stop"},
		"almost think": {frames(`{"content":"<thi"}`, `{"content":"s is"}`),
			"<this is stop"},
		"only the beginning": {frames(`{"content":"<thi"}`), "<thi stop"},
		"function_call": {frames(
			`{"function_call":{"name":"ls","arguments":""}}`,
			`{"function_call":{"arguments":"{\"path\""}}`,
			`{"function_call":{"arguments":":\".\"}"}}`), ` =ls{"path":"."} tool_calls`},
		"a character in halves": {frames(`{"content":"a\ud83d"}`,
			`{"content":"\ude00b"}`), "a😀b stop"},
		"halves with another event between": {frames(`{"content":"a\uD83D"}`, `{"reasoning":"x"}`,
			`{"content":"\uDE00b"}`), "(x) a😀b stop"},
		"a whole pair": {frames(`{"content":"a\ud83d\ude00b"}`), "a😀b stop"},
		"a half alone": {frames(`{"content":"a\ud83d"}`,
			`{"content":"b\ude00c"}`, `{"content":"d\ud83d"}`), "a\uFFFDb\uFFFDcd\uFFFD stop"},
		"what is no escape": {frames(`{"content":"a\\ud83d"}`, `{"content":"b"}`),
			`a\ud83db stop`},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, raw(tt.stream+doneFrame))
			if got, _, err := heard(t, newChat(local(s), Options{}), ask("m")); got != tt.want ||
				err != nil {
				t.Errorf("got %q %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestAnswersInOnePiece(t *testing.T) {
	for name, tt := range map[string]struct {
		responses  bool
		body, want string
	}{
		"text": {false, `{"id":"x","object":"chat.completion","choices":[{"index":0,` +
			`"message":{"role":"assistant","content":"hi","reasoning":"hm"},` +
			`"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`,
			"(hm) hi stop 3+4+0"},
		"calls": {false,
			`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function",` +
				`"function":{"name":"ls","arguments":"{}"}},` +
				`{"id":"b","type":"function","function":{"name":"read","arguments":"{\"path\":1}` +
				`"}}]},"finish_reason":"tool_calls"}]}`,
			` a=ls{} b=read{"path":1} tool_calls`},
		"function_call": {false,
			`{"choices":[{"message":{"content":null,"function_call":{"name":"ls","arguments":"{}` +
				`"}},"finish_reason":"function_call"}]}`, ` =ls{} tool_calls`},
		"JSON that is called text": {false, "\n " +
			`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, "hi stop"},
		"JSON that is called a stream": {false,
			`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, "hi stop"},
		"a stream that is called JSON": {false, ": hello\n\n" + frames(`{"content":"hi"}`) +
			doneFrame, "hi stop"},
		"a message in a stream": {false,
			`data: {"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}` +
				"\n\ndata: [DONE]\n\n", "hi stop"},
		"a response": {true,
			`{"id":"r","object":"response","status":"completed","output":[{"type":"reasoning",` +
				`"id":"rs","summary":[{"type":"summary_text","text":"hm"}]},` +
				`{"type":"message","role":"assistant","content":[{"type":"output_text",` +
				`"text":"hi"}]},{"type":"function_call","call_id":"a","name":"ls","arguments":"{}` +
				`"}],"usage":{"input_tokens":3,"output_tokens":4}}`,
			"(hm) hi a=ls{} tool_calls 3+4+0"},
	} {
		t.Run(name, func(t *testing.T) {
			kind := "application/json"
			if _, called, ok := strings.Cut(name, "that is called "); ok {
				kind = map[string]string{"text": "text/plain", "a stream": "text/event-stream",
					"JSON": kind}[called]
			}
			s := serve(t, llmtest.Reply{Body: tt.body, Kind: kind})
			p := newChat(local(s), Options{})
			if tt.responses {
				p = newResponses(local(s), Options{})
			}
			if got, _, err := heard(t, p, ask("m")); got != tt.want || err != nil {
				t.Errorf("got %q %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestResponsesTextThatComesLate(t *testing.T) {
	const (
		message = `{"type":"message","id":"m","role":"assistant","status":"completed",` +
			`"content":[{"type":"output_text","text":"hi","annotations":[]}]}`
		delta = `data: {"type":"response.output_text.delta","output_index":0,` +
			`"content_index":0,"item_id":"m","delta":"hi"}` + "\n\n"
		some = `data: {"type":"response.output_text.delta","output_index":0,` +
			`"content_index":0,"item_id":"m","delta":"h"}` + "\n\n"
		text = `data: {"type":"response.output_text.done","output_index":0,"content_index":0,` +
			`"item_id":"m","text":"hi"}` + "\n\n"
		unplaced = `data: {"type":"response.output_text.delta","delta":"hi"}` + "\n\n"
		done     = `data: {"type":"response.output_item.done","output_index":0,"item":` + message +
			"}\n\n"
		completed = `data: {"type":"response.completed","response":{"id":"r","object":"response",` +
			`"status":"completed","output":[` + message + "]}}\n\n"
		thought = `data: {"type":"response.completed","response":{"id":"r","object":"response",` +
			`"status":"completed","output":[{"type":"reasoning","id":"q","summary":[]},` + message +
			"]}}\n\n"
		bare = `data: {"type":"response.completed","response":{"id":"r","object":"response",` +
			`"status":"completed","output":[]}}` + "\n\n"
	)
	for name, stream := range map[string]string{"done": done + bare, "completed": completed,
		"both": done + completed, "all": delta + text + done + completed,
		"the whole text": text + bare, "some and the whole text": some + text + bare,
		"some and done": some + done + bare, "some and completed": some + completed,
		"deltas and completed": delta + completed, "deltas without a place": unplaced + thought,
		"behind a thought": thought} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, raw(stream))
			if got, _, err := heard(t, newResponses(local(s), Options{}),
				ask("m")); got != "hi stop" || err != nil {
				t.Errorf("got %q %v", got, err)
			}
		})
	}
}

func TestChatEndsWithAnError(t *testing.T) {
	for name, tt := range map[string]struct{ stream, want string }{
		"the reason alone": {frames(`{"content":"hal"}`) +
			`data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}` +
			"\n\ndata: [DONE]\n\n", "ended the reply with an error"},
		"said of all": {frames(`{"content":"hal"}`) +
			`data: {"id":"g","error":{"code":502,"message":"Provider ` +
			`disconnected"},"choices":[{"index":0,"delta":{"content":""},` +
			`"finish_reason":"error"}]}` + "\n\n",
			"Provider disconnected"},
		"said of the choice": {`data: ` +
			`{"choices":[{"index":0,"delta":{},"error":{"code":502,"message":"Provider ` +
			`disconnected"},"finish_reason":"error"}]}` + "\n\n", "Provider disconnected"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, raw(tt.stream))
			_, _, err := heard(t, newChat(local(s), Options{}), ask("m"))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestReasoningDetailsGoBack is a turn with a tool call, as OpenRouter streams it for Gemini and
// TestReasoningDetailsGoBack is a turn with a tool call, as OpenRouter streams it for Gemini and
// Claude. Details must be sent back unchanged, also after the session was saved.
func TestReasoningDetailsGoBack(t *testing.T) {
	stream := frames(
		`{"role":"assistant","content":"","reasoning":"I `+
			`","reasoning_details":[{"type":"reasoning.text","text":"I `+
			`","format":"anthropic-claude-v1","index":0}]}`,
		`{"content":"","reasoning":"look","reasoning_details":[{"type":"reasoning.text",`+
			`"text":"look","format":"anthropic-claude-v1","index":0}]}`,
		`{"content":"","reasoning_details":[{"type":"reasoning.text","signature":"c2lnbmVk",`+
			`"format":"anthropic-claude-v1","index":0}]}`,
		`{"content":"","reasoning_details":[{"type":"reasoning.encrypted","data":"c2VhbGVk",`+
			`"id":"tool_1","format":"google-gemini-v1","index":1}]}`,
		`{"tool_calls":[{"index":0,"id":"tool_1","type":"function","function":{"name":"ls",`+
			`"arguments":"{}"}}]}`) + doneFrame
	s := serve(t, raw(stream), raw(frames(`{"content":"ok"}`)+doneFrame),
		raw(frames(`{"content":"ok"}`)+doneFrame))
	p := newChat(local(s), Options{})
	_, chunks, err := heard(t, p, ask("m"))
	if err != nil {
		t.Fatal(err)
	}
	m := &chat.Message{Role: "assistant", Reasoning: "I look",
		ToolCalls: []chat.ToolUse{{ID: "tool_1", Tool: "ls"}}}
	for _, c := range chunks {
		if c.Own != nil {
			m.Own = &chat.ProviderData{Provider: "local", Data: c.Own}
		}
	}
	const sealed = `{"data":"c2VhbGVk","format":"google-gemini-v1","id":"tool_1","index":1,` +
		`"type":"reasoning.encrypted"}`
	for _, tt := range []struct{ reasoning, want string }{
		{"I look", `[{"format":"anthropic-claude-v1","index":0,"signature":"c2lnbmVk","text":"I ` +
			`look","type":"reasoning.text"},` + sealed + `]`},
		{"I ***", `[` + sealed + `]`}, // a mask has changed the signed text
	} {
		m.Reasoning = tt.reasoning
		req := ask("m")
		req.Messages = append(req.Messages, m, &chat.Message{Role: "tool", CallID: "tool_1",
			Tool: "ls", Content: engine.TextResult("a.txt").Content})
		if _, _, err := heard(t, p, req); err != nil {
			t.Fatal(err)
		}
		requests := s.Requests()
		messages := requests[len(requests)-1].Body["messages"].([]any)
		got, _ := json.Marshal(messages[2].(map[string]any)["reasoning_details"])
		if string(got) != tt.want {
			t.Errorf("%s: got %s, want %s", tt.reasoning, got, tt.want)
		}
	}
}
