// This file writes a request of the chat completions API.

package llm

import (
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/agentscripts/agent/engine"
)

// chatOwn is what a chat server added to a message: the name of the field in which its reasoning came, and what it hung on the calls, in their
// order.
type chatOwn struct {
	Field string            `json:"field,omitempty"`
	Extra []json.RawMessage `json:"extra,omitempty"`
	// Details are its reasoning_details, in the order in which they came.
	Details []detail `json:"details,omitempty"`
}

// chatParams writes req. What cannot be said in this API goes to warn.
func chatParams(s server, m engine.Model, req *engine.ModelRequest, warn func(string)) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: req.Model, Messages: chatMessages(s, req),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}}
	for _, t := range req.Tools {
		f := shared.FunctionDefinitionParam{Name: t.Name, Parameters: schemaOf(t)}
		if t.Description != "" {
			f.Description = openai.String(t.Description)
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(f))
	}
	if len(p.Tools) > 0 {
		p.ToolChoice = chatToolChoice(req.ToolChoice)
	}
	extra := wireOptions(s, req, chatOptions, warn)
	if v, ok := extra["max_tokens"]; ok && newerOpenAI(req.Model) {
		delete(extra, "max_tokens")
		extra["max_completion_tokens"] = v
	}
	if e := effort(m, req, warn); e != "" {
		p.ReasoningEffort = shared.ReasoningEffort(e)
	}
	if len(extra) > 0 {
		p.SetExtraFields(extra)
	}
	return p
}

// schemaOf is the schema of a tool's arguments; a tool without one takes none.
func schemaOf(t engine.ToolSpec) map[string]any {
	if t.Schema == nil {
		return map[string]any{"type": "object", "properties": map[string]any{}}
	}
	return t.Schema
}

func chatToolChoice(choice string) (u openai.ChatCompletionToolChoiceOptionUnionParam) {
	switch choice {
	case "", "auto":
	case "none", "required":
		u.OfAuto = openai.String(choice)
	default:
		u = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: choice})
	}
	return u
}

// chatMessages writes the conversation. The results of one batch of calls stand together: images in them follow as a message of the user, the
// results themselves can hold text only.
func chatMessages(s server, req *engine.ModelRequest) (out []openai.ChatCompletionMessageParamUnion) {
	if req.System != "" {
		out = append(out, openai.SystemMessage(req.System))
	}
	current := lastUser(req.Messages)
	var images []openai.ChatCompletionContentPartUnionParam
	for i, m := range req.Messages {
		if m.Role != "tool" && len(images) > 0 {
			out, images = append(out, openai.UserMessage(images)), nil
		}
		switch m.Role {
		case "system":
			out = append(out, openai.SystemMessage(textOf(m.Content)))
		case "assistant":
			if a, ok := chatAssistant(s, m, i > current); ok {
				out = append(out, a)
			}
		case "tool":
			parts := chatImages(m.Content)
			text := textOf(m.Content)
			if len(parts) > 0 {
				text = strings.TrimSpace(text + "\n(the image follows)")
				images = append(append(images, openai.TextContentPart("The image that "+toolOf(m)+" returned:")), parts...)
			}
			out = append(out, openai.ToolMessage(text, m.CallID))
		default:
			out = append(out, chatUser(m))
		}
	}
	if len(images) > 0 {
		out = append(out, openai.UserMessage(images))
	}
	return out
}

// lastUser is where the user spoke last, -1 if never.
func lastUser(messages []*engine.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "user" {
			return i
		}
	}
	return -1
}

func toolOf(m *engine.Message) string {
	if m.Tool == "" {
		return "the tool"
	}
	return m.Tool
}

// chatUser is a message of the user: plain text where it will do, some servers take nothing else.
func chatUser(m *engine.Message) openai.ChatCompletionMessageParamUnion {
	images := chatImages(m.Content)
	if len(images) == 0 {
		return openai.UserMessage(textOf(m.Content))
	}
	var parts []openai.ChatCompletionContentPartUnionParam
	if text := textOf(m.Content); text != "" {
		parts = append(parts, openai.TextContentPart(text))
	}
	return openai.UserMessage(append(parts, images...))
}

func chatImages(blocks []engine.Block) (parts []openai.ChatCompletionContentPartUnionParam) {
	for _, b := range blocks {
		if b.Type == "image" {
			parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: dataURL(b)}))
		}
	}
	return parts
}

// textOf is the text of a message, without its images.
func textOf(blocks []engine.Block) string {
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func dataURL(b engine.Block) string { return "data:" + b.MimeType + ";base64," + b.Data }

// chatAssistant is a message of the model; !ok if nothing of it can be sent. Its reasoning is only wanted back while the model
// works on the last thing that the user said, and only by servers that sent it.
func chatAssistant(s server, m *engine.Message, current bool) (u openai.ChatCompletionMessageParamUnion, ok bool) {
	var a openai.ChatCompletionAssistantMessageParam
	text := textOf(m.Content)
	if text == "" && len(m.ToolCalls) == 0 {
		return u, false
	}
	if text != "" {
		a.Content.OfString = openai.String(text)
	}
	var own chatOwn
	if m.Own != nil && m.Own.Provider == s.name {
		_ = json.Unmarshal(m.Own.Data, &own) // what is of another API says nothing here
	}
	for i, c := range m.ToolCalls {
		call := &openai.ChatCompletionMessageFunctionToolCallParam{ID: c.ID,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Tool, Arguments: argsText(c)}}
		if i < len(own.Extra) && len(own.Extra[i]) > 0 {
			call.SetExtraFields(map[string]any{extraField: own.Extra[i]})
		}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
	}
	switch details := detailsOf(own.Details, m); {
	case len(details) > 0:
		a.SetExtraFields(map[string]any{detailsField: details})
	case current && own.Field != "" && m.Reasoning != "":
		a.SetExtraFields(map[string]any{own.Field: m.Reasoning})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &a}, true
}

// argsText is the JSON text of a call's arguments.
func argsText(c engine.ToolUse) string {
	if len(c.Args) == 0 {
		return "{}"
	}
	b, err := json.Marshal(c.Args)
	if err != nil { // it was JSON when it came
		return "{}"
	}
	return string(b)
}
