// This file reads a stream in two ways: with the program, and with the SDKs.

package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/llm"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// apis are the three APIs, as config.toml names them.
var apis = [...]string{"chat", "responses", "anthropic"}

// meaning is the content of a reply.
type meaning struct {
	Text, Thinking string
	Calls          []call
	Usage          chat.Usage
	Finish         string // "" if the reply broke off
}

type call struct{ ID, Name, Args string }

// call returns the call with the index. It adds the call if there is none.
func (m *meaning) call(index int) *call {
	for len(m.Calls) <= index {
		m.Calls = append(m.Calls, call{})
	}
	return &m.Calls[index]
}

// provider returns the program's provider for a server that speaks the API.
func provider(t *testing.T, api, address string) *engine.Provider {
	t.Helper()
	providers, _ := llm.Providers(llm.Options{Config: &config.Config{Providers: []config.Provider{
		{Name: "local", API: api, BaseURL: address + "/v1"}}}})
	for _, p := range providers {
		if p.Name == "local" {
			return p
		}
	}
	t.Fatal("no provider")
	return nil
}

func prompt() *chat.Request {
	return &chat.Request{Model: "m", Messages: []*chat.Message{
		{Role: "user", Content: engine.TextResult("hi").Content}}}
}

// readOurs reads a reply with the program.
func readOurs(ctx context.Context, t *testing.T, api, address string) (m meaning) {
	finish, err := provider(t, api, address).Stream(ctx, prompt(), func(c chat.Chunk) {
		m.Text, m.Thinking = m.Text+c.Text, m.Thinking+c.Reasoning
		if c.Usage != nil {
			m.Usage = *c.Usage
		}
		if d := c.ToolCall; d != nil {
			to := m.call(d.Index)
			to.ID, to.Name, to.Args = to.ID+d.ID, to.Name+d.Name, to.Args+d.ArgsDelta
		}
	})
	if err == nil {
		m.Finish = finish.Reason
	}
	return m
}

// readTheirs reads a reply with an SDK.
func readTheirs(ctx context.Context, api, address string) meaning {
	switch api {
	case "chat":
		return theirChat(ctx, address)
	case "responses":
		return theirResponse(ctx, address)
	}
	return theirMessage(ctx, address)
}

func openAIClient(address string) openai.Client {
	return openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("k"),
		option.WithMaxRetries(0))
}

func theirChat(ctx context.Context, address string) (m meaning) {
	client := openAIClient(address)
	stream := client.Chat.Completions.NewStreaming(ctx,
		openai.ChatCompletionNewParams{Model: "m",
			Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")}})
	finish := ""
	for stream.Next() {
		chunk := stream.Current()
		if raw := chunk.JSON.Usage.Raw(); raw != "" && raw != "null" {
			u := chunk.Usage
			cached := int(u.PromptTokensDetails.CachedTokens)
			m.Usage = chat.Usage{Input: max(int(u.PromptTokens)-cached, 0),
				Output: int(u.CompletionTokens), CacheRead: cached}
		}
		for _, choice := range chunk.Choices {
			if choice.Index != 0 {
				continue
			}
			d := choice.Delta
			m.Text += d.Content + d.Refusal
			var said string
			if f, ok := d.JSON.ExtraFields["reasoning_content"]; ok &&
				json.Unmarshal([]byte(f.Raw()), &said) == nil {
				m.Thinking += said
			}
			for _, piece := range d.ToolCalls {
				to := m.call(int(piece.Index))
				if to.ID == "" {
					to.ID = piece.ID
				}
				if to.Name == "" {
					to.Name = piece.Function.Name
				}
				to.Args += piece.Function.Arguments
			}
			if choice.FinishReason != "" {
				finish = choice.FinishReason
			}
		}
	}
	if stream.Err() == nil {
		m.Finish = finish
	}
	return m
}

func theirResponse(ctx context.Context, address string) (m meaning) {
	client := openAIClient(address)
	stream := client.Responses.NewStreaming(ctx, responses.ResponseNewParams{Model: "m"})
	calls, part := map[int64]int{}, false
	for stream.Next() {
		e := stream.Current()
		switch e.Type {
		case "response.output_text.delta", "response.refusal.delta":
			m.Text += e.Delta
		case "response.reasoning_summary_part.added":
			part = part || e.SummaryIndex > 0
		case "response.reasoning_summary_text.delta":
			if part {
				m.Thinking += "\n\n"
			}
			part = false
			m.Thinking += e.Delta
		case "response.output_item.added":
			if e.Item.Type == "function_call" {
				calls[e.OutputIndex] = len(calls)
				*m.call(calls[e.OutputIndex]) = call{ID: e.Item.CallID, Name: e.Item.Name}
			}
		case "response.function_call_arguments.delta":
			if i, ok := calls[e.OutputIndex]; ok {
				m.call(i).Args += e.Delta
			}
		case "response.output_item.done":
			part = part || e.Item.Type == "reasoning"
		case "response.completed", "response.incomplete":
			u := e.Response.Usage
			cached, written := int(u.InputTokensDetails.CachedTokens),
				int(u.InputTokensDetails.CacheWriteTokens)
			if raw := e.Response.JSON.Usage.Raw(); raw != "" && raw != "null" {
				m.Usage = chat.Usage{Input: max(int(u.InputTokens)-cached-written, 0),
					Output: int(u.OutputTokens), CacheRead: cached, CacheWrite: written}
			}
			m.Finish = "stop"
			if len(calls) > 0 {
				m.Finish = "tool_calls"
			}
			if reason := e.Response.IncompleteDetails.Reason; reason == "max_output_tokens" {
				m.Finish = "length"
			} else if reason != "" {
				m.Finish = reason
			}
			return m
		}
	}
	return m
}

func theirMessage(ctx context.Context, address string) (m meaning) {
	client := anthropic.NewClient(anthropicoption.WithoutEnvironmentDefaults(),
		anthropicoption.WithBaseURL(address+"/"), anthropicoption.WithAPIKey("k"),
		anthropicoption.WithMaxRetries(0))
	stream := client.Messages.NewStreaming(ctx, anthropic.MessageNewParams{Model: "m",
		MaxTokens: 100, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(
			anthropic.NewTextBlock("hi"))}})
	calls := map[int64]int{}
	count := func(input, output, read, written int64) {
		m.Usage = chat.Usage{Input: max(m.Usage.Input, int(input)),
			Output:     max(m.Usage.Output, int(output)),
			CacheRead:  max(m.Usage.CacheRead, int(read)),
			CacheWrite: max(m.Usage.CacheWrite, int(written))}
	}
	finish := ""
	for stream.Next() {
		e := stream.Current()
		switch e.Type {
		case "message_start":
			u := e.Message.Usage
			count(u.InputTokens, u.OutputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
		case "content_block_start":
			if e.ContentBlock.Type == "tool_use" {
				calls[e.Index] = len(calls)
				*m.call(calls[e.Index]) = call{ID: e.ContentBlock.ID, Name: e.ContentBlock.Name}
			}
		case "content_block_delta":
			switch e.Delta.Type {
			case "text_delta":
				m.Text += e.Delta.Text
			case "thinking_delta":
				m.Thinking += e.Delta.Thinking
			case "input_json_delta":
				if i, ok := calls[e.Index]; ok {
					m.call(i).Args += e.Delta.PartialJSON
				}
			}
		case "message_delta":
			u := e.Usage
			count(u.InputTokens, u.OutputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
			finish = map[string]string{"end_turn": "stop", "tool_use": "tool_calls",
				"max_tokens": "length"}[string(e.Delta.StopReason)]
			if finish == "" {
				finish = string(e.Delta.StopReason)
			}
		case "message_stop":
			m.Finish = finish
			return m
		}
	}
	return m
}

// compareMeanings compares two meanings, as text.
func compareMeanings(t *testing.T, what string, got, want meaning) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s:\nours   %s\ntheirs %s", strings.TrimSpace(what), g, w)
	}
}
