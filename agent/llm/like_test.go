package llm

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine/chat"
)

// TestLike checks that a server that a script names gets requests in its API with the script's key,
// and that the script's description of a model applies.
func TestLike(t *testing.T) {
	for _, api := range chat.APIs() {
		t.Run(api, func(t *testing.T) {
			s := llmtest.New(llmtest.Reply{Text: "hello"})
			s.Models = []llmtest.Model{{ID: "other"}}
			handler, header, want := s.OpenAI(), "Authorization", "Bearer k-123456789"
			if api == "anthropic" {
				handler, header, want = s.Anthropic(), "X-Api-Key", "k-123456789"
			}
			web := httptest.NewServer(handler)
			t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			like := Like(Options{})
			p := like(chat.Server{Name: "near", Like: api, BaseURL: web.URL + "/v1",
				Key: "k-123456789", Models: []chat.Model{{ID: "m", Context: 7000}}})
			if p.Unusable != "" || len(p.Models) != 1 || p.Models[0].Context != 7000 {
				t.Fatalf("got %+v", p)
			}
			text := ""
			if _, err := p.Stream(ctx, &chat.Request{Model: "m",
				Messages: []*chat.Message{{Role: "user",
					Content: []chat.Block{{Type: "text", Text: "hi"}}}}},
				func(c chat.Chunk) { text += c.Text }); err != nil || text != "hello" {
				t.Fatalf("got %q, %v", text, err)
			}
			if got := s.Requests()[0].Header.Get(header); got != want {
				t.Errorf("%s: got %q", header, got)
			}
			if asked := like(chat.Server{Name: "near", Like: api,
				BaseURL: web.URL + "/v1"}); asked.List == nil || len(asked.Models) != 0 {
				t.Errorf("unknown models: got %+v, want a List", asked)
			}
			if bad := like(chat.Server{Name: "near", Like: api, BaseURL: web.URL,
				Key: "two words"}); bad.Unusable == "" {
				t.Error("a key with a space in it is usable")
			}
		})
	}
}
