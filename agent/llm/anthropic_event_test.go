package llm

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/agentscripts/agent/engine"
)

// TestMessagesEvent: what is not left to the SDK is read as the SDK reads it.
func TestMessagesEvent(t *testing.T) {
	begun := []string{`{"type":"message_start","message":{"usage":{"input_tokens":25,"output_tokens":1}}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"read","input":{}}}`}
	for _, text := range []string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Gr\u00fc\n\ud83d\ude00e \"q\""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":null}}`,
		`{"type":"content_block_delta","index":"1","delta":{"type":"text_delta","text":5}}`,
		`{"type":"content_block_delta","index":1.0,"delta":{"type":"text_delta","text":"x"}}`,
		`{"type":"content_block_delta","index":1,"delta":"x"}`, `{"type":"content_block_delta"}`,
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"half a letter: \xc3\"}}",
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":15}}`, `{"type":"message_stop"}`, `{"type":5}`, `{}`, `[]`, `null`, `"x"`,
	} {
		hear := func(read func(*messagesReader, string) error) (heard string) {
			r := &messagesReader{emit: func(c engine.Chunk) { heard += fmt.Sprintf("%q %q %+v %+v;", c.Text, c.Reasoning, c.ToolCall, c.Usage) }}
			for _, text := range append(begun, text) {
				if err := read(r, text); err != nil {
					heard += "an error"
				}
			}
			return fmt.Sprint(heard, r.finish, r.whole, r.own.encode())
		}
		got := hear(func(r *messagesReader, text string) error { return r.data([]byte(text)) })
		want := hear(func(r *messagesReader, text string) error {
			var ev anthropic.MessageStreamEventUnion
			if err := json.Unmarshal([]byte(text), &ev); err != nil {
				return err
			}
			return r.event(&ev)
		})
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// BenchmarkMessagesEvent is a piece of text of a reply.
func BenchmarkMessagesEvent(b *testing.B) {
	data := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"tokens "}}`)
	r := &messagesReader{emit: func(engine.Chunk) {}}
	b.ReportAllocs()
	for b.Loop() {
		if err := r.data(data); err != nil {
			b.Fatal(err)
		}
	}
}
