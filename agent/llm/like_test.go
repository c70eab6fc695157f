package llm

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine"
)

// TestLike: a server that a script names is asked with the script's key, in the API that it speaks,
// and what the script says of a model holds.
func TestLike(t *testing.T) {
	for _, api := range engine.ModelAPIs() {
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
			p := like(engine.ModelServer{Name: "near", Like: api, BaseURL: web.URL + "/v1",
				Key: "k-123456789", Models: []engine.Model{{ID: "m", Context: 7000}}})
			if p.Unusable != "" || len(p.Models) != 1 || p.Models[0].Context != 7000 {
				t.Fatalf("got %+v", p)
			}
			text := ""
			if _, err := p.Stream(ctx, &engine.ModelRequest{Model: "m",
				Messages: []*engine.Message{{Role: "user",
					Content: []engine.Block{{Type: "text", Text: "hi"}}}}},
				func(c engine.Chunk) { text += c.Text }); err != nil || text != "hello" {
				t.Fatalf("got %q, %v", text, err)
			}
			if got := s.Requests()[0].Header.Get(header); got != want {
				t.Errorf("%s: got %q", header, got)
			}
			if asked := like(engine.ModelServer{Name: "near", Like: api,
				BaseURL: web.URL + "/v1"}); asked.List == nil || len(asked.Models) != 0 {
				t.Errorf("a server that nobody knows the models of is asked: %+v", asked)
			}
			if bad := like(engine.ModelServer{Name: "near", Like: api, BaseURL: web.URL,
				Key: "two words"}); bad.Unusable == "" {
				t.Error("a key with a space in it is told")
			}
		})
	}
}
