// This file compares the requests with the types of the SDKs.

package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// TestRequests checks that an SDK decodes each request and encodes it without a change.
func TestRequests(t *testing.T) {
	const requests = 400
	for _, api := range apis {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			var body []byte
			web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
				r *http.Request) {
				body, _ = io.ReadAll(r.Body)
			}))
			t.Cleanup(web.Close)
			p := provider(t, api, web.URL)
			for seed := range uint64(requests) {
				body = nil
				ctx, cancel := context.WithTimeout(context.Background(), wait)
				// ignore the error of the empty answer
				_, _ = p.Stream(ctx,
					(&generator{Rand: rand.New(rand.NewPCG(seed, 9)), api: api}).request(),
					func(chat.Chunk) {})
				cancel()
				if err := roundTrip(api, body); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

// roundTrip decodes a request into the SDK's type, and encodes that.
func roundTrip(api string, body []byte) error {
	var request map[string]any
	if err := json.Unmarshal(body, &request); err != nil {
		return fmt.Errorf("%q: %w", body, err)
	}
	delete(request, "stream") // the SDKs add it themselves
	// When OpenAI's SDK decodes a whole request, it mistakes the choice of one tool for another
	// kind of choice.
	named := map[string]any{"chat": &openai.ChatCompletionNamedToolChoiceParam{},
		"responses": &responses.ToolChoiceFunctionParam{}}[api]
	if choice, ok := request["tool_choice"].(map[string]any); ok && named != nil {
		delete(request, "tool_choice")
		if err := convert(named, choice); err != nil {
			return err
		}
	}
	switch api {
	case "chat":
		return convert(&openai.ChatCompletionNewParams{}, request)
	case "responses":
		// The API allows messages without a type; the SDK does not decode them.
		for _, item := range request["input"].([]any) {
			if item := item.(map[string]any); item["type"] == nil {
				item["type"] = "message"
			}
		}
		return convert(&responses.ResponseNewParams{}, request)
	}
	return convert(&anthropic.MessageNewParams{}, request)
}

// convert decodes value into params, a pointer to a type of an SDK, and encodes it again.
func convert(params, value any) error {
	want, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(want, params); err != nil {
		return fmt.Errorf("the SDK does not decode %s: %w", want, err)
	}
	again, err := json.Marshal(params)
	if err != nil {
		return err
	}
	var back any
	if err := json.Unmarshal(again, &back); err != nil {
		return err
	}
	got, err := json.Marshal(back) // with sorted keys
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("got\n%s, want\n%s", got, want)
	}
	return nil
}

func (g *generator) content() []chat.Block {
	content := []chat.Block{{Type: "text", Text: g.text()}}
	if g.IntN(4) == 0 {
		content = append(content, chat.Block{Type: "image", MimeType: "image/png", Data: "AAAA"})
	}
	return content
}

// own returns the data that the API's servers want back with a message that has one call.
func (g *generator) own() []byte {
	switch g.api {
	case "responses":
		return []byte(`{"items":[{"reasoning":{"id":"r","encrypted":"e","summary":["s"],` +
			`"content":["c"]}},{"text":true},{"call":0}]}`)
	case "anthropic":
		return []byte(`[{"type":"thinking","thinking":"hm","signature":"sig"},` +
			`{"type":"redacted_thinking","data":"d"},{"type":"text","size":1},{"type":"tool_use"}]`)
	}
	return nil
}

// request returns a conversation with everything that a request may have and that the API's maker
// documents.
func (g *generator) request() *chat.Request {
	one := func(of ...string) string { return of[g.IntN(len(of))] }
	req := &chat.Request{Model: one("m", "gpt-5", "o3", "claude-sonnet-4-6",
		"claude-haiku-4-5"), System: one("", g.text()),
		ToolChoice: one("", "none", "required", "ls"),
		Thinking:   one("", "off", "low", "high"), Options: map[string]any{}}
	for _, o := range []struct {
		name  string
		value any
	}{{"temperature", 0.0}, {"top_p", 0.5}, {"max_tokens", 3000.0}, {"stop", []any{"x", "y"}},
		{"service_tier", "auto"}} {
		if g.IntN(3) == 0 {
			req.Options[o.name] = o.value
		}
	}
	for i := range g.IntN(3) {
		schema := map[string]any{"type": "object",
			"properties": map[string]any{"p": map[string]any{"type": "string",
				"description": g.text()}}}
		if g.IntN(2) == 0 {
			schema["required"], schema["additionalProperties"] = []any{"p"}, false
		}
		req.Tools = append(req.Tools, chat.ToolSpec{Name: []string{"ls", "read"}[i],
			Description: one("", g.text()), Schema: schema})
	}
	for i := range 1 + g.IntN(4) {
		id := fmt.Sprint("call_", i)
		req.Messages = append(req.Messages, &chat.Message{Role: "user", Content: g.content()})
		if g.IntN(3) == 0 {
			continue
		}
		m := &chat.Message{Role: "assistant", Content: engine.TextResult("t").Content,
			Reasoning: "hm", ToolCalls: []chat.ToolUse{
				{ID: id, Tool: "ls", Args: map[string]any{"path": g.text(), "n": 1.5,
					"l": []any{nil, true}}}}}
		if own := g.own(); own != nil && g.IntN(2) == 0 {
			m.Own = &chat.ProviderData{Provider: "local", Data: own}
		}
		if g.IntN(4) == 0 {
			m.ToolCalls[0].Args = nil
		}
		req.Messages = append(req.Messages, m, &chat.Message{Role: "tool", CallID: id, Tool: "ls",
			Content: g.content(), IsError: g.IntN(3) == 0})
	}
	return req
}
