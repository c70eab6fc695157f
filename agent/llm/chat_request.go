// This file encodes a request of the chat completions API.

package llm

import (
	"encoding/json"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
)

// chatOwn is what a chat server added to a message: the name of the field in which its reasoning
// came, and the extra content of the calls, in their order.
type chatOwn struct {
	Field string            `json:"field,omitempty"`
	Extra []json.RawMessage `json:"extra,omitempty"`
	// Details are its reasoning_details, in their order.
	Details []detail `json:"details,omitempty"`
}

// chatBody encodes req. It passes to warn what this API does not support.
func chatBody(s server, m chat.Model, req *chat.Request, warn func(string)) ([]byte,
	error) {
	p := &chatRequest{Model: req.Model, Stream: true, StreamOptions: chatStream{IncludeUsage: true}}
	tools, err := s.memo.encodeTools(req.Tools, func(t chat.ToolSpec) any {
		return chatTool{Type: "function", Function: chatToolSpec{Name: t.Name,
			Description: t.Description, Parameters: schemaOf(t)}}
	})
	if err != nil {
		return nil, err
	}
	if len(tools) > 0 {
		p.ToolChoice = chatToolChoice(req.ToolChoice)
	}
	options := wireOptions(s, req, chatOptions, warn)
	if v, ok := options["max_tokens"]; ok && newerOpenAI(req.Model) {
		delete(options, "max_tokens")
		options["max_completion_tokens"] = v
	}
	p.ReasoningEffort = effort(m, req, warn)
	if options["reasoning_effort"] != nil { // set by the user
		p.ReasoningEffort = ""
	}
	messages, err := chatMessages(s, req)
	if err != nil {
		return nil, err
	}
	object, err := encodeWith(p, options)
	return withList(withList(object, "tools", tools), "messages", messages), err
}

// schemaOf returns the schema of a tool's arguments; a tool without one takes none.
func schemaOf(t chat.ToolSpec) map[string]any {
	if t.Schema == nil {
		return map[string]any{"type": "object", "properties": map[string]any{}}
	}
	return t.Schema
}

func chatToolChoice(choice string) any {
	switch choice {
	case "", "auto":
		return nil
	case "none", "required":
		return choice
	}
	return chatChosenTool{Type: "function", Function: chatToolName{Name: choice}}
}

// chatMessages encodes the conversation. The results of a batch of calls are adjacent: their images
// follow in a message of the user, because results can only contain text.
func chatMessages(s server, req *chat.Request) (out [][]byte, err error) {
	if s.memo != nil {
		s.memo.beginRequest()
		defer s.memo.endRequest()
	}
	add := func(json []byte, failed error) {
		if err == nil {
			err = failed
		}
		if json != nil {
			out = append(out, json)
		}
	}
	if req.System != "" {
		add(encodeJSON(chatMessage{Role: "system", Content: req.System}))
	}
	current := lastUser(req.Messages)
	var images []chatPart
	for i, m := range req.Messages {
		if m.Role != "tool" && len(images) > 0 {
			add(encodeJSON(chatMessage{Role: "user", Content: images}))
			images = nil
		}
		add(remember(s.memo, m, i > current, func() ([]byte,
			error) {
			return encodeChat(s, m, i > current)
		}))
		if parts := chatImages(m.Content); m.Role == "tool" && len(parts) > 0 {
			images = append(append(images, textPart("The image that "+toolOf(m)+" returned:")),
				parts...)
		}
	}
	if len(images) > 0 {
		add(encodeJSON(chatMessage{Role: "user", Content: images}))
	}
	return out, err
}

// encodeChat encodes a message as JSON; nil if none of it can be sent.
func encodeChat(s server, m *chat.Message, current bool) ([]byte, error) {
	switch m.Role {
	case "system":
		return encodeJSON(chatMessage{Role: "system", Content: textOf(m.Content)})
	case "assistant":
		a, ok := chatAssistant(s, m, current)
		if !ok {
			return nil, nil
		}
		return encodeJSON(a)
	case "tool":
		text := textOf(m.Content)
		if len(chatImages(m.Content)) > 0 {
			text = strings.TrimSpace(text + "\n(the image follows)")
		}
		return encodeJSON(chatMessage{Role: "tool", Content: text, ToolCallID: &m.CallID})
	}
	return encodeJSON(chatUser(m))
}

// lastUser returns the index of the user's last message, -1 if there is none.
func lastUser(messages []*chat.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "user" {
			return i
		}
	}
	return -1
}

func toolOf(m *chat.Message) string {
	if m.Tool == "" {
		return "the tool"
	}
	return m.Tool
}

// chatUser converts a message of the user: to plain text if possible, because some servers accept
// nothing else.
func chatUser(m *chat.Message) chatMessage {
	images := chatImages(m.Content)
	if len(images) == 0 {
		return chatMessage{Role: "user", Content: textOf(m.Content)}
	}
	var parts []chatPart
	if text := textOf(m.Content); text != "" {
		parts = append(parts, textPart(text))
	}
	return chatMessage{Role: "user", Content: append(parts, images...)}
}

func textPart(text string) chatPart { return chatPart{Type: "text", Text: text} }

func chatImages(blocks []chat.Block) (parts []chatPart) {
	for _, b := range blocks {
		if b.Type == "image" {
			parts = append(parts, chatPart{Type: "image_url",
				ImageURL: &chatImageURL{URL: dataURL(b)}})
		}
	}
	return parts
}

// textOf returns the text of a message, without its images.
func textOf(blocks []chat.Block) string {
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func dataURL(b chat.Block) string { return "data:" + b.MimeType + ";base64," + b.Data }

// chatAssistant converts a message of the model; ok is false if none of it can be sent. Its
// reasoning is sent back only while the model works on the user's last message, and only to servers
// that sent it.
func chatAssistant(s server, m *chat.Message, current bool) (a chatMessage, ok bool) {
	text := textOf(m.Content)
	if text == "" && len(m.ToolCalls) == 0 {
		return a, false
	}
	a.Role = "assistant"
	if text != "" {
		a.Content = text
	}
	var own chatOwn
	if m.Own != nil && m.Own.Provider == s.name {
		_ = json.Unmarshal(m.Own.Data, &own) // ignore the data of other APIs
	}
	for i, c := range m.ToolCalls {
		call := chatToolCall{ID: c.ID, Type: "function",
			Function: chatCallFunction{Name: c.Tool, Arguments: argsText(c)}}
		if i < len(own.Extra) {
			call.ExtraContent = own.Extra[i]
		}
		a.ToolCalls = append(a.ToolCalls, call)
	}
	if a.ReasoningDetails = detailsOf(own.Details, m); len(a.ReasoningDetails) == 0 && current {
		a.setReasoning(own.Field, m.Reasoning)
	}
	return a, true
}

// argsText returns a call's arguments as JSON text.
func argsText(c chat.ToolUse) string {
	if len(c.Args) == 0 {
		return "{}"
	}
	b, err := json.Marshal(c.Args)
	if err != nil { // cannot happen: it was decoded from JSON
		return "{}"
	}
	return string(b)
}
