package picoclaw

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
)

// FuzzMessages passes any output of a process to what receives it, and any answer to what decides
// by it. Nothing may panic or block, and no answer may be treated as consent that is none.
func FuzzMessages(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"action":"deny_tool","reason":"Invalid arguments"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"action":"respond","result":{"for_llm":"x",` +
			`"media":["data:image/png;base64,AA"]}}}`,
		`{"id":"1","result":{"action":"modify","call":{"tool":"x","arguments":{"a":[1]}}}}`,
		`{"id":1,"result":{"action":"modify","request":{"messages":[{"role":"user",` +
			`"content":[{"type":"text","text":"x"}]}],"tools":[{"function":{"name":"x"}}]}}}`,
		`{"id":1,"result":{"approved":false}}`, `{"id":1,"error":{"code":-32601}}`,
		`{"id":1,"result":{"response":{"tool_calls":[{"function":{"arguments":"{}"}}]}}}`,
		`{"id":{}}`, `{`, `null`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m := &message{}
		m.wrong = json.Unmarshal(line, m)
		if m.number() != 1 {
			return // it is logged
		}
		h := &hook{ext: &extension{}, conf: &processConfig{name: "x"}}
		_, answer := h.waiting.Expect(nil)
		h.receive(line)
		if got := <-answer; string(got.Result) != string(m.Result) {
			t.Errorf("%s: got %s", line, got.Result)
		}
		for _, stage := range stages {
			a, err := readAnswer(stage, m.Result)
			if err != nil {
				continue
			}
			if stage != "approve_tool" && a.Action != "" &&
				!slices.Contains(toolActions, a.Action) {
				t.Errorf("%s: %s: the action %q is known", line, stage, a.Action)
			}
			checkChanges(t, a)
		}
	})
}

// checkChanges makes of an answer what the engine gets.
func checkChanges(t *testing.T, a *answer) {
	if r, err := changedResult(nil, nil, a.Result); err == nil {
		_, _ = engine.DecodeResult(r) // data that is not of an image is an error of the answer
	}
	messages, err := sendMessages(chat.MessageList{
		{ID: "1", Role: "user", Content: chat.Text("x")}})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := sendTools([]any{"x"})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	_ = messages.changed(out, "messages", a.Request)
	_ = tools.changed(out, "tools", a.Request)
	_, _ = receiveCalls(inside(a.Response, "response")["tool_calls"])
}

// FuzzManifest reads any bytes as a manifest.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"hooks":{"processes":{"x":{"command":["./x","a.py","../b"],"dir":"sub"}}}}`))
	f.Add([]byte(`{"hooks":{"enabled":false,"processes":{"x":null}}}`))
	f.Add([]byte(`{"hooks":{"processes":{"x":{"command":["sh"],"intercept":["before_tool"]}}}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, src []byte) {
		format := New("picoclaw.json", extapi.Options{})
		h, err := format.Header(src)
		s, again := format.readSettings(src)
		if (err == nil) != (again == nil) || err == nil && h.Off != (len(s.processes) == 0) ||
			err == nil && !h.Off && len(h.Grants) < 2 {
			t.Errorf("%q: got %+v, %v", src, h, err)
		}
		for _, file := range format.Files(src, engine.ExtensionFolder{Path: "/w",
			Exists: func(string) bool { return true }}) {
			if err != nil || file.Name == "" || file.Name[0] == '/' {
				t.Errorf("%q: the file %q", src, file.Name)
			}
		}
		unknownKey(src)
	})
}
