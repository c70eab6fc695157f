// This file encodes a request of OpenAI's responses API.

package llm

import (
	"bytes"
	"encoding/json"

	"github.com/agentscripts/agent/engine/chat"
)

// responsesOwn is the order of a message's items, with the reasoning verbatim: encrypted, and
// required back in its place. The server stores nothing.
type responsesOwn struct {
	Items []ownItem `json:"items"`
}

// ownItem is reasoning, the message's text, or a call by its index among the calls.
type ownItem struct {
	Reasoning *ownReasoning `json:"reasoning,omitempty"`
	Text      bool          `json:"text,omitempty"`
	Call      *int          `json:"call,omitempty"`
}

type ownReasoning struct {
	ID        string   `json:"id"`
	Encrypted string   `json:"encrypted,omitempty"`
	Summary   []string `json:"summary,omitempty"`
	Content   []string `json:"content,omitempty"`
}

// responsesBody encodes req.
func responsesBody(s server, m chat.Model, req *chat.Request, skip skipped,
	warn func(string)) ([]byte, error) {
	p := &responsesRequest{Model: req.Model, Instructions: req.System, Stream: true}
	tools, err := s.memo.encodeTools(req.Tools, func(t chat.ToolSpec) any {
		return responsesTool{Type: "function", Name: t.Name, Description: t.Description,
			Parameters: schemaOf(t)}
	})
	if err != nil {
		return nil, err
	}
	switch choice := req.ToolChoice; {
	case len(tools) == 0 || choice == "" || choice == "auto":
	case choice == "none" || choice == "required":
		p.ToolChoice = choice
	default:
		p.ToolChoice = responsesChosenTool{Type: "function", Name: choice}
	}
	var r responsesReasoning
	if !known(m) || m.Thinking {
		p.Include = []string{"reasoning.encrypted_content"}
		if !skip.summary {
			r.Summary = "auto"
		}
	}
	if r.Effort = effort(m, req, warn); r != (responsesReasoning{}) {
		p.Reasoning = &r
	}
	options := wireOptions(s, req, responsesOptions, warn)
	if v, ok := options["max_tokens"]; ok {
		delete(options, "max_tokens")
		options["max_output_tokens"] = v
	}
	input, err := responsesInput(s, req, skip.own)
	if err != nil {
		return nil, err
	}
	object, err := encodeWith(p, options)
	return withList(withList(object, "tools", tools), "input", input), err
}

// responsesInput encodes the conversation as JSON, several items per element.
func responsesInput(s server, req *chat.Request, skipOwn bool) (out [][]byte, err error) {
	if s.memo != nil {
		s.memo.beginRequest()
		defer s.memo.endRequest()
	}
	for _, m := range req.Messages {
		items, err := remember(s.memo, m, skipOwn, func() ([]byte, error) {
			list, err := encodeJSON(responsesItems(s, m, skipOwn))
			return bytes.Trim(list, "[]"), err
		})
		if err != nil {
			return nil, err
		}
		if len(items) > 0 {
			out = append(out, items)
		}
	}
	return out, nil
}

// responsesItems returns the items of a message; there may be none.
func responsesItems(s server, m *chat.Message, skipOwn bool) []any {
	switch m.Role {
	case "assistant":
		var own responsesOwn
		if m.Own != nil && m.Own.Provider == s.name && !skipOwn {
			_ = json.Unmarshal(m.Own.Data, &own) // ignore the data of other APIs
		}
		return append([]any{}, assistantItems(m, own.Items)...)
	case "tool":
		return []any{toolOutput(m)}
	case "system":
		return []any{responsesMessage{Role: "developer", Content: textOf(m.Content)}}
	}
	return []any{userItem(m)}
}

func userItem(m *chat.Message) responsesMessage {
	parts := responsesParts(m, "auto")
	if parts == nil {
		return responsesMessage{Role: "user", Content: textOf(m.Content)}
	}
	return responsesMessage{Role: "user", Content: parts}
}

// responsesParts returns the parts of a message with images; nil if it has none.
func responsesParts(m *chat.Message, detail string) (parts []responsesPart) {
	for _, b := range m.Content {
		if b.Type == "image" {
			parts = append(parts, responsesPart{Type: "input_image", ImageURL: dataURL(b),
				Detail: detail})
		}
	}
	if text := textOf(m.Content); text != "" && len(parts) > 0 {
		parts = append([]responsesPart{{Type: "input_text", Text: text}}, parts...)
	}
	return parts
}

func toolOutput(m *chat.Message) responsesCallOutput {
	out := responsesCallOutput{Type: "function_call_output", CallID: m.CallID}
	if parts := responsesParts(m, ""); parts != nil {
		out.Output = parts
	} else {
		out.Output = textOf(m.Content)
	}
	return out
}

// assistantItems converts a message of the model in its original order. Scripts may have changed
// it: reasoning without the item that it led to would be refused, and is dropped.
func assistantItems(m *chat.Message, order []ownItem) (out []any) {
	text := textOf(m.Content)
	sent := make([]bool, len(m.ToolCalls))
	var thoughts []any
	add := func(item any) {
		out = append(append(out, thoughts...), item)
		thoughts = nil
	}
	addText := func() {
		if text != "" {
			add(responsesMessage{Role: "assistant", Content: text})
		}
		text = ""
	}
	addCall := func(i int) {
		if i < len(sent) && !sent[i] {
			c := m.ToolCalls[i]
			add(responsesCall{Type: "function_call", CallID: c.ID, Name: c.Tool,
				Arguments: argsText(c)})
			sent[i] = true
		}
	}
	for _, item := range order {
		switch {
		case item.Reasoning != nil:
			thoughts = append(thoughts, item.Reasoning.param())
		case item.Text:
			addText()
		case item.Call != nil && *item.Call >= 0:
			addCall(*item.Call)
		}
	}
	addText()
	for i := range sent {
		addCall(i)
	}
	return out
}

func (o *ownReasoning) param() responsesThought {
	r := responsesThought{Type: "reasoning", ID: o.ID, Summary: []responsesSay{},
		Encrypted: o.Encrypted}
	for _, text := range o.Summary {
		r.Summary = append(r.Summary, responsesSay{Type: "summary_text", Text: text})
	}
	for _, text := range o.Content {
		r.Content = append(r.Content, responsesSay{Type: "reasoning_text", Text: text})
	}
	return r
}
