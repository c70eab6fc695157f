package llm

import (
	"fmt"
	"testing"

	"github.com/agentscripts/agent/engine/chat"
)

// TestMessagesEvent checks that a field of an unexpected type affects only that field, and that an
// unpaired surrogate stays one.
func TestMessagesEvent(t *testing.T) {
	begun := []string{`{"type":"message_start","message":{"usage":{"input_tokens":25,` +
		`"output_tokens":1}}}`, `{"type":"content_block_start","index":0,` +
		`"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a",` +
			`"name":"read","input":{}}}`}
	for text, want := range map[string]string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta",` +
			`"text":"Gr\u00fc\n\ud83d\ude00e \"q\""}}`: "text \"Grü\\n😀e \\\"q\\\"\"",
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta",` +
			`"thinking":"hm"}}`: `thought "hm"`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta",` +
			`"signature":"c2ln"}}`: ``,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta",` +
			`"partial_json":"{\"a\":"}}`: `call 0 "" "" "{\"a\":"`,
		`{"type":"content_block_delta","index":1,` +
			`"delta":{"type":"text_delta","text":null}}`: ``,
		`{"type":"content_block_delta","index":"1","delta":{"type":"input_json_delta",` +
			`"partial_json":5}}`: `call 0 "" "" "5"`,
		`{"type":"content_block_delta","index":1.0,"delta":{"type":"input_json_delta",` +
			`"partial_json":"x"}}`: `call 0 "" "" "x"`,
		`{"type":"content_block_delta","index":[],` +
			`"delta":{"type":"text_delta","text":"x"}}`: `text "x"`,
		`{"type":"content_block_delta","index":1,"delta":"x"}`: ``,
		`{"type":"content_block_delta"}`:                       ``,
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\"," +
			"\"text\":\"half a letter: \xc3\"}}": `text "half a letter: \xc3"`,
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\"," +
			"\"text\":\"\xa4\\n\\u00fc\xc3\\t\xff\"}}": `text "\xa4\nü\xc3\t\xff"`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":7,` +
			`"name":"ls","input":{ "path" : "." }}}`: `call 1 "7" "ls" "{\"path\":\".\"}"`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"b",` +
			`"name":"ls","input":"x"}}`: `call 1 "b" "ls" ""`,
		`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},` +
			`"usage":{"output_tokens":"15","input_tokens":null}}`: `usage {25 15 0 0} ends length`,
		`{"type":"message_stop"}`: `whole`,
		`{"type":5}`:              ``, `{}`: ``, `[]`: ``, `null`: ``, `"x"`: ``, `5`: ``,
		`{"type":"message_stop"`: `the server sent invalid JSON: the JSON ends too early: ` +
			`{"type":"message_stop"`,
	} {
		heard := ""
		add := func(format string, args ...any) {
			if heard != "" {
				heard += " "
			}
			heard += fmt.Sprintf(format, args...)
		}
		r := &messagesReader{emit: func(chat.Chunk) {}}
		for _, text := range begun {
			if err := r.data([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		r.emit = func(c chat.Chunk) {
			switch {
			case c.Text != "":
				add("text %q", c.Text)
			case c.Reasoning != "":
				add("thought %q", c.Reasoning)
			case c.ToolCall != nil:
				add("call %d %q %q %q", c.ToolCall.Index, c.ToolCall.ID, c.ToolCall.Name,
					c.ToolCall.ArgsDelta)
			case c.Usage != nil:
				add("usage %v", *c.Usage)
			}
		}
		if err := r.data([]byte(text)); err != nil {
			add("%v", err)
		}
		if r.finish != "" {
			add("ends %s", r.finish)
		}
		if r.whole {
			add("whole")
		}
		if heard != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, heard, want)
		}
	}
}

// BenchmarkMessagesEvent decodes a piece of the text of a reply.
func BenchmarkMessagesEvent(b *testing.B) {
	data := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta",` +
		`"text":"tokens "}}`)
	r := &messagesReader{emit: func(chat.Chunk) {}}
	b.ReportAllocs()
	for b.Loop() {
		if err := r.data(data); err != nil {
			b.Fatal(err)
		}
	}
}
