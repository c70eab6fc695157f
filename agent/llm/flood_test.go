package llm

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

const (
	// floodBytes is how much a server of these tests sends, at least, until the client closes the
	// connection.
	floodBytes = 100 << 20
	// throughBytes is how much it sends in the cases without a limit.
	throughBytes = 8 << 20
	// floodTime is the time limit of one case. With the race detector on a busy machine, seconds
	// become minutes.
	floodTime = 5 * time.Minute
)

// floods are streams that begin with head and repeat unit, with the wanted error. "" means that all
// of it is passed on piece by piece and not kept.
var floods = []struct{ api, name, head, unit, want string }{
	{"anthropic", "text", claudeBlock(`{"type":"text","text":""}`),
		claudeDelta(`"text_delta","text":"` + much), ""},
	{"anthropic", "thinking", claudeBlock(`{"type":"thinking","thinking":"","signature":""}`),
		claudeDelta(`"thinking_delta","thinking":"` + much), "is larger than 16 MB"},
	{"anthropic", "signature", claudeBlock(`{"type":"thinking","thinking":"","signature":""}`),
		claudeDelta(`"signature_delta","signature":"` + much), "is larger than 16 MB"},
	{"anthropic", "small signatures",
		claudeBlock(`{"type":"thinking","thinking":"","signature":""}`),
		strings.Repeat(claudeDelta(`"signature_delta","signature":"`+much[:8000]), 10),
		"is larger than 16 MB"},
	{"anthropic", "tool input", claudeBlock(`{"type":"tool_use","id":"a","name":"ls","input":{}}`),
		claudeDelta(`"input_json_delta","partial_json":"` + much), ""},
	{"anthropic", "blocks", claudeBlock(`{"type":"text","text":""}`),
		"event: content_block_start\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use",` +
			`"id":"a","name":"ls","input":{}}}` + "\n\n", "10000 parts"},
	{"chat", "text", "", `data: {"choices":[{"index":0,"delta":{"content":"` + much + `"}}]}` +
		"\n\n", ""},
	{"chat", "thinking", "", `data: {"choices":[{"index":0,"delta":{"reasoning_content":"` + much +
		`"}}]}` + "\n\n", ""},
	{"chat", "calls", "",
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"id":"","function":{"name":"ls",` +
			`"arguments":"{}"}}]}}]}` + "\n\n", "10000 parts"},
	{"chat", "extra", "",
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,` +
			`"id":"a","extra_content":"` + much +
			`","function":{"name":"ls","arguments":""}}]}}]}` + "\n\n", "is larger than 16 MB"},
	{"responses", "text", "",
		`data: {"type":"response.output_text.delta","output_index":0,"delta":"` + much + `"}` +
			"\n\n", ""},
	{"responses", "thinking", "",
		`data: {"type":"response.output_item.done","output_index":0,"item":{"id":"a",` +
			`"type":"reasoning","summary":[],"encrypted_content":"` + much + `"}}` + "\n\n",
		"is larger than 16 MB"},
	{"responses", "items", "",
		`data: {"type":"response.output_item.done","output_index":0,"item":{"id":"a",` +
			`"type":"message","content":[]}}` + "\n\n", "10000 parts"},
	{"anthropic", "an event without end", "event: x\n", "data: " + much + "\n",
		"an event of the answer is larger than 16 MB"},
	{"chat", "a line without end", "data: ", much, "an event of the answer is larger than 16 MB"},
	{"responses", "comments", "", ": " + much + "\n\n", "broke off"},
}

var much = strings.Repeat("0123456789abcdef", 4096)

// claudeBlock returns the beginning of a reply of Anthropic's, with the beginning of a block.
func claudeBlock(block string) string {
	return "event: message_start\n" +
		`data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant",` +
		`"content":[],"usage":{"input_tokens":1,"output_tokens":1}}}` + "\n\n" +
		"event: content_block_start\n" +
		`data: {"type":"content_block_start","index":0,"content_block":` + block + "}\n\n"
}

// claudeDelta returns a piece of that block: its type, and an open string.
func claudeDelta(rest string) string {
	return "event: content_block_delta\n" +
		`data: {"type":"content_block_delta","index":0,"delta":{"type":` + rest + `"}}` + "\n\n"
}

// TestFlood checks that a server that sends without end neither fills the memory nor blocks the
// agent, and that the error names the limit.
func TestFlood(t *testing.T) {
	makes := map[string]func(server, Options) *engine.Provider{"anthropic": newAnthropic,
		"chat": newChat, "responses": newResponses}
	for _, f := range floods {
		t.Run(f.api+" "+f.name, func(t *testing.T) {
			var held atomic.Uint64
			var heard atomic.Int64
			unit, size := []byte(f.unit), floodBytes
			if f.want == "" {
				size = throughBytes
			}
			at := web(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, f.head)
				for sent, looked := 0, 0; sent < size; sent += len(unit) {
					if _, err := w.Write(unit); err != nil {
						return
					}
					if sent-looked > size/10 {
						looked = sent
						// Wait until nothing is under way: what is decoded during a collection
						// counts as live.
						w.(http.Flusher).Flush()
						for until := time.Now().Add(time.Minute); f.want == "" &&
							heard.Load() < int64(sent)*99/100 && time.Now().Before(until); {
							time.Sleep(time.Millisecond)
						}
						held.Store(max(held.Load(), live()))
					}
				}
			}))
			before := live()
			ctx, cancel := context.WithTimeout(context.Background(), floodTime)
			defer cancel()
			_, err := makes[f.api](local(&fake{nil, at}), Options{}).Stream(ctx, ask("m"),
				func(c chat.Chunk) {
					heard.Add(int64(len(c.Text) + len(c.Reasoning)))
					if c.ToolCall != nil {
						heard.Add(int64(len(c.ToolCall.ArgsDelta)))
					}
				})
			want := f.want
			if want == "" {
				want = "broke off" // the server stopped sending
			}
			if err == nil || !strings.Contains(err.Error(), want) || f.want == "" &&
				heard.Load() < int64(size)*9/10 {
				t.Errorf("got %d bytes, %v, want %s", heard.Load(), err, want)
			}
			if n := held.Load(); n > before+uint64(size)*4/5 {
				t.Errorf("got %d MB held of %d", (n-before)>>20, size>>20)
			}
		})
	}
}

// live returns the size of the live heap.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
