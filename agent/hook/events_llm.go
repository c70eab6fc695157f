// Code generated from the event table. DO NOT EDIT.

package hook

import (
	"context"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// Context is what context tells. The messages that the model will see in this request;
// ids are stable, the list is lazy.
type Context struct {
	*event.Event
	Messages func() []*chat.Message
}

// ContextOutcome is what a hook of context decides; the zero one means: go on.
type ContextOutcome struct {
	Messages []*chat.Message // nil = as it is
	Notify   string          // shown to the user: text, or {text, level}
}

func (o ContextOutcome) value() any {
	t := outcome{}
	t.messages("messages", o.Messages)
	t.text("notify", o.Notify)
	return t.value()
}

// OnContext adds a hook of context. It runs until off is called.
func OnContext(e *engine.Engine,
	f func(ctx context.Context, ev Context) (ContextOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "context", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, Context{Event: ev,
				Messages: messages(ev, "messages"),
			})
			return out.value(), err
		}, options)
}

// LLMMessage is what llm_message tells. A message as the model will see it; fired once
// per message and content, then remembered.
type LLMMessage struct {
	*event.Event
	Message func() *chat.Message
	Purpose string              // agent, subagent, compact, script
	Content func() []chat.Block // of the message
}

// LLMMessageOutcome is what a hook of llm_message decides; the zero one means: go on.
type LLMMessageOutcome struct {
	Content []chat.Block // nil = as it is
	Notify  string       // shown to the user: text, or {text, level}
}

func (o LLMMessageOutcome) value() any {
	t := outcome{}
	t.blocks("content", o.Content)
	t.text("notify", o.Notify)
	return t.value()
}

// OnLLMMessage adds a hook of llm_message. It runs until off is called.
func OnLLMMessage(e *engine.Engine,
	f func(ctx context.Context, ev LLMMessage) (LLMMessageOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "llm_message", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, LLMMessage{Event: ev,
				Message: message(ev, "message"),
				Purpose: text(ev, "purpose"),
				Content: blocks(ev, "content"),
			})
			return out.value(), err
		}, options)
}

// LLMRequest is what llm_request tells. A model request is about to be sent.
type LLMRequest struct {
	*event.Event
	Purpose    string                 // agent, subagent, compact, script
	Model      string                 // provider/id
	Messages   func() []*chat.Message // lazy
	Tools      func() []any           // names, or {name, description, schema}
	ToolChoice string                 // auto, none, required, or a tool's name
	Options    map[string]any         // {temperature, max_tokens, ...}
	Iteration  int                    // turn of the prompt, 1-based
	LastTurn   bool                   // true: the model should not call more tools
}

// LLMRequestOutcome is what a hook of llm_request decides; the zero one means: go on.
type LLMRequestOutcome struct {
	Model      *string         // nil = as it is
	Messages   []*chat.Message // nil = as it is
	Tools      []any           // nil = as it is
	ToolChoice *string         // nil = as it is
	Options    map[string]any  // merged one level; nil = as it is
	// the result instead of the event's; for a tool call, as a tool's run returns it
	Respond any
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// "prompt" ends the prompt with an error at once; "agent" also forgets what waits, and
	// ends sub-agents
	Abort string
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o LLMRequestOutcome) value() any {
	t := outcome{}
	pointer(t, "model", o.Model)
	t.messages("messages", o.Messages)
	t.list("tools", o.Tools)
	pointer(t, "tool_choice", o.ToolChoice)
	t.table("options", o.Options)
	t.any("respond", o.Respond)
	t.flag("block", o.Block)
	t.text("abort", o.Abort)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnLLMRequest adds a hook of llm_request. It runs until off is called.
func OnLLMRequest(e *engine.Engine,
	f func(ctx context.Context, ev LLMRequest) (LLMRequestOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "llm_request", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, LLMRequest{Event: ev,
				Purpose:    text(ev, "purpose"),
				Model:      text(ev, "model"),
				Messages:   messages(ev, "messages"),
				Tools:      list(ev, "tools"),
				ToolChoice: text(ev, "tool_choice"),
				Options:    table(ev, "options"),
				Iteration:  integer(ev, "iteration"),
				LastTurn:   truth(ev, "last_turn"),
			})
			return out.value(), err
		}, options)
}

// LLMResponse is what llm_response tells. A model has answered.
type LLMResponse struct {
	*event.Event
	Purpose         string // agent, subagent, compact, script
	Model           string // provider/id
	Text            string
	Reasoning       string
	ToolCalls       func() []chat.ToolUse // {id, tool, args}
	Usage           map[string]any        // {input, output, cache_read, cache_write}
	Cost            *float64              // US dollars; nil = unknown price
	FinishReason    string
	LastUserMessage string
	DurationMS      float64
}

// LLMResponseOutcome is what a hook of llm_response decides; the zero one means: go on.
type LLMResponseOutcome struct {
	Text      *string        // nil = as it is
	Reasoning *string        // nil = as it is
	ToolCalls []chat.ToolUse // nil = as it is
	// true: running calls end, and no further model request is made
	Stop bool
	// "prompt" ends the prompt with an error at once; "agent" also forgets what waits, and
	// ends sub-agents
	Abort string
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o LLMResponseOutcome) value() any {
	t := outcome{}
	pointer(t, "text", o.Text)
	pointer(t, "reasoning", o.Reasoning)
	t.uses("tool_calls", o.ToolCalls)
	t.flag("stop", o.Stop)
	t.text("abort", o.Abort)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnLLMResponse adds a hook of llm_response. It runs until off is called.
func OnLLMResponse(e *engine.Engine,
	f func(ctx context.Context, ev LLMResponse) (LLMResponseOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "llm_response", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, LLMResponse{Event: ev,
				Purpose:         text(ev, "purpose"),
				Model:           text(ev, "model"),
				Text:            text(ev, "text"),
				Reasoning:       text(ev, "reasoning"),
				ToolCalls:       uses(ev, "tool_calls"),
				Usage:           table(ev, "usage"),
				Cost:            known(ev, "cost"),
				FinishReason:    text(ev, "finish_reason"),
				LastUserMessage: text(ev, "last_user_message"),
				DurationMS:      number(ev, "duration_ms"),
			})
			return out.value(), err
		}, options)
}

// AssistantMessage is what assistant_message tells. A message of the model, complete or
// partial, is about to be displayed; scripts and the model keep the original text.
type AssistantMessage struct {
	*event.Event
	MessageID string
	Text      string
	Kind      string // text, reasoning
	Final     bool   // false: more of it will follow
}

// AssistantMessageOutcome is what a hook of assistant_message decides; the zero one
// means: go on.
type AssistantMessageOutcome struct {
	Text *string // nil = as it is
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o AssistantMessageOutcome) value() any {
	t := outcome{}
	pointer(t, "text", o.Text)
	t.flag("block", o.Block)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnAssistantMessage adds a hook of assistant_message. It runs until off is called.
func OnAssistantMessage(e *engine.Engine,
	f func(ctx context.Context, ev AssistantMessage) (AssistantMessageOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "assistant_message", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, AssistantMessage{Event: ev,
				MessageID: text(ev, "message_id"),
				Text:      text(ev, "text"),
				Kind:      text(ev, "kind"),
				Final:     truth(ev, "final"),
			})
			return out.value(), err
		}, options)
}
