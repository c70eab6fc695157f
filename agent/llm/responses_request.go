// This file writes a request of OpenAI's responses API.

package llm

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/agentscripts/agent/engine"
)

// responsesOwn is the order of what came in a message, with the reasoning word for word: encrypted, and wanted back in its place. The server
// keeps nothing.
type responsesOwn struct {
	Items []ownItem `json:"items"`
}

// ownItem is one of reasoning, the message's text, and a call by its place among the calls.
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

// responsesParams writes req.
func responsesParams(s server, m engine.Model, req *engine.ModelRequest, skip skipped, warn func(string)) responses.ResponseNewParams {
	p := responses.ResponseNewParams{Model: req.Model, Store: openai.Bool(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responsesInput(s, req, skip.own)}}
	if req.System != "" {
		p.Instructions = openai.String(req.System)
	}
	for _, t := range req.Tools {
		f := &responses.FunctionToolParam{Name: t.Name, Parameters: schemaOf(t), Strict: openai.Bool(false)}
		if t.Description != "" {
			f.Description = openai.String(t.Description)
		}
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: f})
	}
	switch choice := req.ToolChoice; {
	case len(p.Tools) == 0 || choice == "" || choice == "auto":
	case choice == "none" || choice == "required":
		p.ToolChoice.OfToolChoiceMode = openai.Opt(responses.ToolChoiceOptions(choice))
	default:
		p.ToolChoice.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: choice}
	}
	if !known(m) || m.Thinking {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
		if !skip.summary {
			p.Reasoning.Summary = shared.ReasoningSummaryAuto
		}
	}
	if e := effort(m, req, warn); e != "" {
		p.Reasoning.Effort = shared.ReasoningEffort(e)
	}
	extra := wireOptions(s, req, responsesOptions, warn)
	if v, ok := extra["max_tokens"]; ok {
		delete(extra, "max_tokens")
		extra["max_output_tokens"] = v
	}
	if len(extra) > 0 {
		p.SetExtraFields(extra)
	}
	return p
}

// responsesInput writes the conversation.
func responsesInput(s server, req *engine.ModelRequest, skipOwn bool) (out responses.ResponseInputParam) {
	for _, m := range req.Messages {
		switch m.Role {
		case "assistant":
			var own responsesOwn
			if m.Own != nil && m.Own.Provider == s.name && !skipOwn {
				_ = json.Unmarshal(m.Own.Data, &own) // what is of another API says nothing here
			}
			out = append(out, assistantItems(m, own.Items)...)
		case "tool":
			out = append(out, toolOutput(m))
		case "system":
			out = append(out, responses.ResponseInputItemParamOfMessage(textOf(m.Content), responses.EasyInputMessageRoleDeveloper))
		default:
			out = append(out, userItem(m))
		}
	}
	return out
}

func userItem(m *engine.Message) responses.ResponseInputItemUnionParam {
	text := textOf(m.Content)
	var parts responses.ResponseInputMessageContentListParam
	for _, b := range m.Content {
		if b.Type == "image" {
			parts = append(parts, responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
				Detail: responses.ResponseInputImageDetailAuto, ImageURL: openai.String(dataURL(b))}})
		}
	}
	if len(parts) == 0 {
		return responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser)
	}
	if text != "" {
		first := responses.ResponseInputContentUnionParam{OfInputText: &responses.ResponseInputTextParam{Text: text}}
		parts = append(responses.ResponseInputMessageContentListParam{first}, parts...)
	}
	return responses.ResponseInputItemParamOfMessage(parts, responses.EasyInputMessageRoleUser)
}

func toolOutput(m *engine.Message) responses.ResponseInputItemUnionParam {
	text := textOf(m.Content)
	var parts responses.ResponseFunctionCallOutputItemListParam
	for _, b := range m.Content {
		if b.Type == "image" {
			parts = append(parts, responses.ResponseFunctionCallOutputItemUnionParam{OfInputImage: &responses.ResponseInputImageContentParam{
				ImageURL: openai.String(dataURL(b))}})
		}
	}
	out := &responses.ResponseInputItemFunctionCallOutputParam{CallID: openai.String(m.CallID)}
	if len(parts) == 0 {
		out.Output.OfString = openai.String(text)
	} else {
		if text != "" {
			first := responses.ResponseFunctionCallOutputItemUnionParam{OfInputText: &responses.ResponseInputTextContentParam{Text: text}}
			parts = append(responses.ResponseFunctionCallOutputItemListParam{first}, parts...)
		}
		out.Output.OfResponseFunctionCallOutputItemArray = parts
	}
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: out}
}

// assistantItems writes a message of the model in the order in which it came. Scripts may have changed it: reasoning without what it led to
// would be refused, and is left out.
func assistantItems(m *engine.Message, order []ownItem) (out []responses.ResponseInputItemUnionParam) {
	text := textOf(m.Content)
	sent := make([]bool, len(m.ToolCalls))
	var thoughts []responses.ResponseInputItemUnionParam
	add := func(item responses.ResponseInputItemUnionParam) {
		out = append(append(out, thoughts...), item)
		thoughts = nil
	}
	addText := func() {
		if text != "" {
			add(responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleAssistant))
		}
		text = ""
	}
	addCall := func(i int) {
		if i < len(sent) && !sent[i] {
			c := m.ToolCalls[i]
			add(responses.ResponseInputItemParamOfFunctionCall(argsText(c), c.ID, c.Tool))
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

func (o *ownReasoning) param() responses.ResponseInputItemUnionParam {
	r := &responses.ResponseReasoningItemParam{ID: o.ID, Summary: []responses.ResponseReasoningItemSummaryParam{}}
	for _, text := range o.Summary {
		r.Summary = append(r.Summary, responses.ResponseReasoningItemSummaryParam{Text: text})
	}
	for _, text := range o.Content {
		r.Content = append(r.Content, responses.ResponseReasoningItemContentParam{Text: text})
	}
	if o.Encrypted != "" {
		r.EncryptedContent = openai.String(o.Encrypted)
	}
	return responses.ResponseInputItemUnionParam{OfReasoning: r}
}
