package llm

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// TestMemo checks that a request does not depend on which of its messages were sent before, and on
// how they have changed since.
func TestMemo(t *testing.T) {
	for api, make := range map[string]func(server,
		Options) *engine.Provider{"anthropic": newAnthropic, "chat": newChat,
		"responses": newResponses} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			var body []byte
			s := local(&fake{nil,
				web(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					body, _ = io.ReadAll(r.Body)
				}))})
			sent := func(p *engine.Provider, list []*chat.Message) []byte {
				req := ask("m")
				req.Messages = list
				body = nil
				// ignore the error of the empty answer
				_, _ = p.Stream(context.Background(), req, func(chat.Chunk) {})
				return body
			}
			for seed := range uint64(30) {
				p, rnd := make(s, Options{}), rand.New(rand.NewPCG(seed, 1))
				list := talk(rnd)
				for range 12 {
					part := list[:1+rnd.IntN(len(list))]
					if got, want := sent(p, part),
						sent(make(s, Options{}), part); !bytes.Equal(got, want) || len(got) == 0 {
						t.Fatalf("seed %d: got\n%s, want\n%s", seed, got, want)
					}
					change(rnd, list[rnd.IntN(len(list))])
				}
			}
		})
	}
}

// talk returns a random conversation with every kind of content.
func talk(rnd *rand.Rand) (list []*chat.Message) {
	own := []string{`{"field":"reasoning_content"}`,
		`{"items":[{"reasoning":{"id":"r","encrypted":"e"}},{"text":true},{"call":0}]}`,
		`[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"text","size":4},` +
			`{"type":"tool_use"}]`}
	image := chat.Block{Type: "image", MimeType: "image/png", Data: "AAAA"}
	for i := range 1 + rnd.IntN(8) {
		id := fmt.Sprint([]string{"c", "a b", ""}[rnd.IntN(3)], i)
		list = append(list, user(fmt.Sprint("say ", i)))
		if rnd.IntN(4) == 0 {
			continue
		}
		list = append(list, &chat.Message{Role: "assistant", Reasoning: "hm",
			Content:   engine.TextResult("text").Content,
			ToolCalls: []chat.ToolUse{{ID: id, Tool: "ls", Args: map[string]any{"path": "<x>"}}},
			Own: &chat.ProviderData{Provider: "local",
				Data: []byte(own[rnd.IntN(len(own))])}})
		if rnd.IntN(4) > 0 {
			list = append(list, &chat.Message{Role: "tool", CallID: id, Tool: "ls",
				Content: append(engine.TextResult("ran").Content, image)[:1+rnd.IntN(2)],
				IsError: rnd.IntN(2) == 0})
		}
	}
	return list
}

// change replaces m with another message.
func change(rnd *rand.Rand, m *chat.Message) {
	switch rnd.IntN(6) {
	case 0:
		m.Reasoning += "."
	case 1:
		m.Content[0].Text += "."
	case 2:
		m.Own = nil
	case 3:
		m.Content = append(m.Content, chat.Block{Type: "text", Text: "more"})
	case 4:
		for i := range m.ToolCalls {
			m.ToolCalls[i].Args = map[string]any{"path": rnd.IntN(9)}
		}
	case 5:
		m.IsError = !m.IsError
	}
}

// TestMemoForgets checks that the cache drops messages that are in no request any more.
func TestMemoForgets(t *testing.T) {
	s := server{name: "local", memo: &memo{}}
	messages := longConversation(5 * spareMessages)
	messageParams(s, messages)
	if n := len(s.memo.of); n != len(messages) {
		t.Errorf("got %d, want %d", n, len(messages))
	}
	messageParams(s, messages[:10])
	if n := len(s.memo.of); n != 10 {
		t.Errorf("got %d, want 10", n)
	}
}

// TestMemoOfTools checks that a request has the tools as they are now, whatever was sent before.
func TestMemoOfTools(t *testing.T) {
	for api, make := range map[string]func(server,
		Options) *engine.Provider{"anthropic": newAnthropic, "chat": newChat,
		"responses": newResponses} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			var body []byte
			s := local(&fake{nil,
				web(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					body, _ = io.ReadAll(r.Body)
				}))})
			sent := func(p *engine.Provider, tools ...chat.ToolSpec) []byte {
				req := ask("m")
				req.Tools, body = tools, nil
				// the answer is empty
				_, _ = p.Stream(context.Background(), req, func(chat.Chunk) {})
				return body
			}
			schema := func(name string) map[string]any {
				return map[string]any{"type": "object",
					"properties": map[string]any{name: map[string]any{"type": "string"}}}
			}
			a := chat.ToolSpec{Name: "a", Description: "does <a>", Schema: schema("x")}
			b := chat.ToolSpec{Name: "b", Description: "does b"}
			described, shaped := a, a
			described.Description, shaped.Schema = "does more", schema("y")
			p, seen := make(s, Options{}), map[string]bool{}
			for i, tools := range [][]chat.ToolSpec{{a, b}, {a, b}, {b, a}, {a}, {described, b},
				{shaped, b}, {b}, {a, b}} {
				got, want := sent(p, tools...), sent(make(s, Options{}), tools...)
				if !bytes.Equal(got, want) || len(got) == 0 {
					t.Errorf("request %d: got\n%s, want\n%s", i, got, want)
				}
				seen[string(got)] = true
			}
			if len(seen) != 6 {
				t.Errorf("got %d different requests, want 6", len(seen))
			}
			many := &memo{}
			for i := range 3 * spareTools {
				one := chat.ToolSpec{Name: fmt.Sprint("t", i)}
				if _, err := many.encodeTools([]chat.ToolSpec{one},
					func(t chat.ToolSpec) any { return t.Name }); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(many.tools); n > spareTools+3 {
				t.Errorf("%d tools are cached", n)
			}
		})
	}
}
