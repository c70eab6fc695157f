// This file compares the readers of streams with those of the SDKs.

package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/llm/llmtest"
)

const (
	// wait is how long a test may take.
	wait = 5 * time.Minute
	// streams is how many streams are generated for each API.
	streams = 400
)

// recorded returns replies of llmtest.
func recorded() map[string]llmtest.Reply {
	two := []llmtest.Call{{ID: "a", Name: "read", Args: `{"path":"x.go"}`},
		{ID: "b", Name: "ls", Args: `{}`}}
	usage := llmtest.Usage{Input: 10, Output: 5, CacheRead: 90}
	return map[string]llmtest.Reply{
		"text":  {Text: "Grüße, \"I\" look.\n😀", Usage: usage},
		"calls": {Calls: two, Usage: usage},
		"all": {Thinking: "Let me see, a list.", Signature: "sig", Text: "Grüße, I look.",
			Calls: two, Usage: usage},
		"nothing":     {Usage: usage},
		"not counted": {Text: "hi", Uncounted: true},
		"an error":    {Text: "half", Error: "overloaded_error"},
		"wrong": {Calls: []llmtest.Call{{ID: "a", Name: "ls", Args: `{"path": oops`}},
			Usage: usage},
		"large":        {Text: strings.Repeat("many words ", 2_000), Usage: usage},
		"another name": {Text: "hi", Usage: usage, Finish: "refusal"},
	}
}

// record returns the stream of a reply.
func record(api string, reply llmtest.Reply) []byte {
	s := llmtest.New(reply)
	handler, path := s.OpenAI(), map[string]string{"chat": "/v1/chat/completions",
		"responses": "/v1/responses", "anthropic": "/v1/messages"}[api]
	if api == "anthropic" {
		handler = s.Anthropic()
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader("{}")))
	return w.Body.Bytes()
}

// player is a server that answers every request with the same stream, in pieces.
type player struct {
	stream atomic.Pointer[[]byte]
	seed   atomic.Uint64
	url    string
}

func play(t *testing.T) *player {
	p := &player{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		rest, rnd := *p.stream.Load(), rand.New(rand.NewPCG(p.seed.Load(), 0))
		for most := 1 + rnd.IntN(200); len(rest) > 0; {
			n := min(len(rest), 1+rnd.IntN(most))
			if len(rest) > 20_000 {
				n = 10_000
			}
			_, _ = w.Write(rest[:n])
			_ = http.NewResponseController(w).Flush()
			rest = rest[n:]
		}
	}))
	t.Cleanup(web.Close)
	p.url = web.URL
	return p
}

// compare reads a stream with both and compares the results.
func (p *player) compare(t *testing.T, api, what string, stream []byte, seed uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	p.stream.Store(&stream)
	p.seed.Store(seed)
	compareMeanings(t, fmt.Sprintf("%s %s\n%.3000s", api, what, stream),
		readOurs(ctx, t, api, p.url), readTheirs(ctx, api, p.url))
}

func TestRecorded(t *testing.T) {
	for _, api := range apis {
		p := play(t)
		for name, reply := range recorded() {
			stream := record(api, reply)
			p.compare(t, api, name, stream, 1)
			p.compare(t, api, name+", CRLF", bytes.ReplaceAll(stream, []byte("\n"), []byte("\r\n")),
				2)
			p.compare(t, api, name+", without its end", stream[:len(stream)-min(len(stream), 5)], 3)
		}
	}
}

func TestGenerated(t *testing.T) {
	for _, api := range apis {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			p := play(t)
			for seed := range uint64(streams) {
				g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), api: api}
				p.compare(t, api, fmt.Sprintf("seed %d", seed), g.stream(), seed)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// generator generates streams that are more or less compatible with an API.
type generator struct {
	*rand.Rand
	api string
}

func (g *generator) text() string {
	words := []string{"a", "Grüße ", "\n", "\"x\"", "<b>&", "😀", "\\n", "{", "[1]", "data: ",
		"\u2028", "\t"}
	var b strings.Builder
	for range 1 + g.IntN(4) {
		b.WriteString(words[g.IntN(len(words))])
	}
	return "t" + b.String()
}

// stream returns a reply with odd fields, in one of the forms that the format of events allows.
func (g *generator) stream() []byte {
	reply := llmtest.Reply{Usage: llmtest.Usage{Input: g.IntN(100), Output: 1 + g.IntN(100),
		CacheRead: g.IntN(50)}, Uncounted: g.IntN(5) == 0}
	if g.IntN(2) == 0 {
		reply.Thinking, reply.Signature = g.text(), "sig"
	}
	if g.IntN(4) > 0 {
		reply.Text = g.text()
	}
	for i := range g.IntN(4) {
		reply.Calls = append(reply.Calls, llmtest.Call{ID: fmt.Sprintf("call_%d", i), Name: "ls",
			Args: fmt.Sprintf(`{"path":%q}`, g.text())})
	}
	stream := strings.TrimSuffix(string(record(g.api, reply)), "\n\n")
	if g.IntN(6) == 0 {
		stream = strings.ReplaceAll(stream, `"content":"`, `"refusal":"`)
	}
	var out bytes.Buffer
	end := []string{"\n", "\r\n"}[g.IntN(2)]
	for event := range strings.SplitSeq(stream, "\n\n") {
		if g.IntN(8) == 0 {
			out.WriteString(": comment" + end + end)
		}
		for line := range strings.SplitSeq(event, "\n") {
			g.line(&out, line, end)
		}
		out.WriteString(end)
	}
	if g.IntN(5) == 0 {
		out.Truncate(g.IntN(out.Len() + 1))
	}
	return out.Bytes()
}

// line writes a line of an event, which may split data into several lines.
func (g *generator) line(out *bytes.Buffer, line, end string) {
	data, ok := strings.CutPrefix(line, "data: ")
	var event map[string]any
	if ok && json.Unmarshal([]byte(data), &event) == nil {
		for range g.IntN(3) {
			g.changeField(event, true)
		}
		b, _ := json.Marshal(event)
		if g.IntN(6) == 0 {
			b, _ = json.MarshalIndent(event, "", " ")
		}
		data = string(b)
	}
	if !ok {
		out.WriteString(line + end)
		return
	}
	if g.IntN(10) == 0 {
		out.WriteString("id: 5" + end + "retry: 7" + end)
	}
	for part := range strings.SplitSeq(data, "\n") {
		out.WriteString([]string{"data: ", "data:"}[g.IntN(2)] + part + end)
	}
}

// fixedKeys are the keys that connect the pieces of a reply, and those of its content. The
// generator does not change them.
var fixedKeys = map[string]bool{"type": true, "index": true, "output_index": true,
	"content_index": true, "summary_index": true, "delta": true, "choices": true,
	"tool_calls": true,
	"function":   true, "content_block": true, "item": true, "response": true, "message": true,
	"output": true, "content": true, "summary": true, "arguments": true, "part": true,
	"text": true, "thinking": true, "partial_json": true, "name": true, "call_id": true, "id": true,
	"input": true, "stop_reason": true, "finish_reason": true, "incomplete_details": true,
	"error": true}

// changeField changes a field somewhere in object: it changes the type, removes the field, or adds
// an unknown one.
func (g *generator) changeField(object map[string]any, top bool) {
	keys := slices.Sorted(maps.Keys(object))
	if len(keys) == 0 {
		return
	}
	odd := []any{nil, "", "x", "7", 7, -1, 1.5, false, map[string]any{"a": 1}, []any{},
		"null"}[g.IntN(11)]
	key := keys[g.IntN(len(keys))]
	switch inner := object[key].(type) {
	case map[string]any:
		if g.IntN(8) > 0 || fixedKeys[key] {
			g.changeField(inner, false)
			return
		}
	case []any:
		if len(inner) > 0 {
			if m, ok := inner[g.IntN(len(inner))].(map[string]any); ok {
				g.changeField(m, false)
			}
			return
		}
	case float64: // positions may be text
		if fixedKeys[key] && g.IntN(2) == 0 {
			object[key] = fmt.Sprint(inner)
			return
		}
	}
	switch {
	case fixedKeys[key] || g.IntN(3) == 0:
		object[fmt.Sprint("x_", g.IntN(10))] = odd
	case g.IntN(4) == 0 && !top:
		delete(object, key)
	default:
		object[key] = odd
	}
}
