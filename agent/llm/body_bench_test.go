package llm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/scripttest"
)

// longConversation returns a long conversation: a question, then calls and their results.
func longConversation(n int) []*chat.Message {
	list := []*chat.Message{user("What is wrong here?")}
	for i := len(list); i < n; i += 2 {
		id := fmt.Sprint("call_", i)
		list = append(list, &chat.Message{Role: "assistant",
			Content: engine.TextResult("I look at the file.").Content,
			ToolCalls: []chat.ToolUse{{ID: id, Tool: "read",
				Args: map[string]any{"path": fmt.Sprint("dir/file", i, ".go"), "limit": 100.0}}}},
			&chat.Message{Role: "tool", CallID: id, Tool: "read",
				Content: engine.TextResult(strings.Repeat(
					"	if err != nil { return \"<none>\" } // & so on\n", 8)).Content})
	}
	return list
}

// TestLongConversationsAllocateNoMore encodes a conversation again and checks that the messages of
// the last request are not encoded again, and not copied more than once.
func TestLongConversationsAllocateNoMore(t *testing.T) {
	allocs := func(n int) float64 {
		s, req := server{memo: &memo{}}, ask("m")
		req.Messages = longConversation(n)
		return scripttest.Allocations(20, func() {
			p := messagesBody(s, callable(req, true), chat.Model{}, func(string) {})
			if _, err := p.encodeRequest(); err != nil {
				t.Error(err)
			}
		})
	}
	if few, many := allocs(11), allocs(2001); many > few+5 {
		t.Errorf("got %v allocations with 11 messages and %v with 2,001", few, many)
	}
}

// BenchmarkRequestBody sends requests of a conversation that grows by two messages to a server.
func BenchmarkRequestBody(b *testing.B) {
	for api, make := range map[string]func(server,
		Options) *engine.Provider{"anthropic": newAnthropic, "chat": newChat,
		"responses": newResponses} {
		for _, n := range []int{10, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", api, n), func(b *testing.B) {
				at := web(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Type", "text/event-stream")
				}))
				p := make(local(&fake{nil, at}), Options{})
				messages := longConversation(n + 2)
				req := ask("m")
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					req.Messages = messages[:n+i%2*2]
					if _, err := p.Stream(context.Background(), req,
						func(chat.Chunk) {}); err == nil {
						b.Fatal("an answer without events is an error")
					}
				}
			})
		}
	}
}
