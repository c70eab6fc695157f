// This file declares the fields of the chat completions API that the program reads or writes.
// Source: OpenAI's API reference, "Chat Completions"; the fields of other servers are marked.

package llm

import "encoding/json"

// chatChunk is an event of a reply.
type chatChunk struct {
	Error   json.RawMessage      `json:"error"` // of other servers
	Usage   *chatUsage           `json:"usage"`
	Choices wireList[chatChoice] `json:"choices"`
}

type chatUsage struct {
	Prompt     wireNumber `json:"prompt_tokens"`
	Completion wireNumber `json:"completion_tokens"`
	Details    struct {
		Cached wireNumber `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

type chatChoice struct {
	Error        json.RawMessage `json:"error"` // of OpenRouter
	Index        wireNumber      `json:"index"`
	Delta        *chatDelta      `json:"delta"`
	Message      *chatDelta      `json:"message"` // of other servers, in place of Delta
	FinishReason wireText        `json:"finish_reason"`
}

type chatDelta struct {
	// a string or, from Mistral, a list of parts
	Content      json.RawMessage         `json:"content"`
	Refusal      wireText                `json:"refusal"`
	ToolCalls    wireList[chatCallPiece] `json:"tool_calls"`
	FunctionCall *chatFunction           `json:"function_call"` // of older servers

	// Of other servers: the model's reasoning, under one of these names.
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningText    json.RawMessage `json:"reasoning_text"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
}

// reasoning returns the reasoning in d, and the name of its field.
func (d *chatDelta) reasoning() (name, said string) {
	for i, field := range [...]json.RawMessage{d.ReasoningContent, d.Reasoning, d.ReasoningText} {
		if said, _ := quotedText(field); said != "" { // some send it under two names
			return reasoningFields[i], said
		}
	}
	return "", ""
}

type chatCallPiece struct {
	Index        *wireNumber     `json:"index"`
	ID           wireText        `json:"id"`
	Function     chatFunction    `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"` // of Gemini
}

type chatFunction struct {
	Name      wireText `json:"name"`
	Arguments wireText `json:"arguments"`
}

// chatRequest is a request without its messages, which are a list of chatMessage, and its tools, a
// list of chatTool. The options have the API's names.
type chatRequest struct {
	Model         string     `json:"model"`
	Stream        bool       `json:"stream"`
	StreamOptions chatStream `json:"stream_options"`
	// "none", "required" or a chatChosenTool
	ToolChoice      any    `json:"tool_choice,omitempty"`
	ReasoningEffort string `json:"reasoning_effort,omitempty"`
}

type chatStream struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatToolSpec `json:"function"`
}

type chatToolSpec struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters"`
}

type chatChosenTool struct {
	Type     string       `json:"type"`
	Function chatToolName `json:"function"`
}

type chatToolName struct {
	Name string `json:"name"`
}

type chatMessage struct {
	Role       string         `json:"role"`
	Content    any            `json:"content,omitempty"` // a string or a []chatPart
	ToolCalls  []chatToolCall `json:"tool_calls,omitempty"`
	ToolCallID *string        `json:"tool_call_id,omitempty"`

	// Sent back to other servers unchanged.
	ReasoningContent string   `json:"reasoning_content,omitempty"`
	Reasoning        string   `json:"reasoning,omitempty"`
	ReasoningText    string   `json:"reasoning_text,omitempty"`
	ReasoningDetails []detail `json:"reasoning_details,omitempty"`
}

// setReasoning sets the field with the name.
func (m *chatMessage) setReasoning(name, said string) {
	for i, field := range [...]*string{&m.ReasoningContent, &m.Reasoning, &m.ReasoningText} {
		if reasoningFields[i] == name {
			*field = said
		}
	}
}

type chatPart struct {
	Type     string        `json:"type"`
	Text     string        `json:"text,omitempty"`
	ImageURL *chatImageURL `json:"image_url,omitempty"`
}

type chatImageURL struct {
	URL string `json:"url"`
}

type chatToolCall struct {
	ID           string           `json:"id"`
	Type         string           `json:"type"`
	Function     chatCallFunction `json:"function"`
	ExtraContent json.RawMessage  `json:"extra_content,omitempty"` // unchanged
}

type chatCallFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}
