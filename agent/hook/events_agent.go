// Code generated from the event table. DO NOT EDIT.

package hook

import (
	"context"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// Input is what input tells. The user has entered input; fired when it takes effect.
type Input struct {
	*event.Event
	Kind   string // prompt, steer, follow_up
	Text   string
	Images func() []chat.Block // image blocks
	Source string              // interactive, cli, queue, rpc, script
}

// InputOutcome is what a hook of input decides; the zero one means: go on.
type InputOutcome struct {
	Text   *string      // nil = as it is
	Images []chat.Block // nil = as it is
	// true: the handler has handled it, and no model request is made
	Handled bool
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// an additional text for the model, with the script's name; it stays until the prompt
	// ends
	Context string
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o InputOutcome) value() any {
	t := outcome{}
	pointer(t, "text", o.Text)
	t.blocks("images", o.Images)
	t.flag("handled", o.Handled)
	t.flag("block", o.Block)
	t.text("context", o.Context)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnInput adds a hook of input. It runs until off is called.
func OnInput(e *engine.Engine,
	f func(ctx context.Context, ev Input) (InputOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "input", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, Input{Event: ev,
				Kind:   text(ev, "kind"),
				Text:   text(ev, "text"),
				Images: blocks(ev, "images"),
				Source: text(ev, "source"),
			})
			return out.value(), err
		}, options)
}

// AgentBeforeStart is what agent_before_start tells. A prompt is about to start.
type AgentBeforeStart struct {
	*event.Event
	Prompt       string
	SystemPrompt string
}

// AgentBeforeStartOutcome is what a hook of agent_before_start decides; the zero one
// means: go on.
type AgentBeforeStartOutcome struct {
	Prompt       *string // nil = as it is
	SystemPrompt *string // nil = as it is
	// an additional text for the model, with the script's name; it stays until the prompt
	// ends
	Context string
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o AgentBeforeStartOutcome) value() any {
	t := outcome{}
	pointer(t, "prompt", o.Prompt)
	pointer(t, "system_prompt", o.SystemPrompt)
	t.text("context", o.Context)
	t.flag("block", o.Block)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnAgentBeforeStart adds a hook of agent_before_start. It runs until off is called.
func OnAgentBeforeStart(e *engine.Engine,
	f func(ctx context.Context, ev AgentBeforeStart) (AgentBeforeStartOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "agent_before_start", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, AgentBeforeStart{Event: ev,
				Prompt:       text(ev, "prompt"),
				SystemPrompt: text(ev, "system_prompt"),
			})
			return out.value(), err
		}, options)
}

// AgentBeforeEnd is what agent_before_end tells. The model has finished; continue_with
// adds a message to continue with.
type AgentBeforeEnd struct {
	*event.Event
	Response        string
	LastUserMessage string
	ToolCalls       int // of this prompt
}

// AgentBeforeEndOutcome is what a hook of agent_before_end decides; the zero one means:
// go on.
type AgentBeforeEndOutcome struct {
	// a message with which the model continues, at most 8 times in a row
	ContinueWith string
	Notify       string // shown to the user: text, or {text, level}
}

func (o AgentBeforeEndOutcome) value() any {
	t := outcome{}
	t.text("continue_with", o.ContinueWith)
	t.text("notify", o.Notify)
	return t.value()
}

// OnAgentBeforeEnd adds a hook of agent_before_end. It runs until off is called.
func OnAgentBeforeEnd(e *engine.Engine,
	f func(ctx context.Context, ev AgentBeforeEnd) (AgentBeforeEndOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "agent_before_end", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, AgentBeforeEnd{Event: ev,
				Response:        text(ev, "response"),
				LastUserMessage: text(ev, "last_user_message"),
				ToolCalls:       integer(ev, "tool_calls"),
			})
			return out.value(), err
		}, options)
}

// TurnStart is what turn_start tells. A model call is about to be made.
type TurnStart struct {
	*event.Event
	Turn int // 1-based
}

// TurnStartOutcome is what a hook of turn_start decides; the zero one means: go on.
type TurnStartOutcome struct {
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// a question to the user, in every permission mode; if no one can answer, the call is
	// refused
	Ask string
	// true: running calls end, and no further model request is made
	Stop bool
	// an additional text for the model, with the script's name; it applies to this model call
	// only
	Context string
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Detail map[string]any // shown in the dialog of ask
	Notify string         // shown to the user: text, or {text, level}
}

func (o TurnStartOutcome) value() any {
	t := outcome{}
	t.flag("block", o.Block)
	t.text("ask", o.Ask)
	t.flag("stop", o.Stop)
	t.text("context", o.Context)
	t.text("reason", o.Reason)
	t.table("detail", o.Detail)
	t.text("notify", o.Notify)
	return t.value()
}

// OnTurnStart adds a hook of turn_start. It runs until off is called.
func OnTurnStart(e *engine.Engine,
	f func(ctx context.Context, ev TurnStart) (TurnStartOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "turn_start", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, TurnStart{Event: ev,
				Turn: integer(ev, "turn"),
			})
			return out.value(), err
		}, options)
}

// SubagentStart is what subagent_start tells. A sub-agent is about to start.
type SubagentStart struct {
	*event.Event
	SubagentID string
	Name       string
	Task       string
	Model      string       // provider/id
	Tools      func() []any // names
	CallID     string       // of the agent tool
}

// SubagentStartOutcome is what a hook of subagent_start decides; the zero one means: go
// on.
type SubagentStartOutcome struct {
	Task  *string // nil = as it is
	Model *string // nil = as it is
	Tools []any   // nil = as it is
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o SubagentStartOutcome) value() any {
	t := outcome{}
	pointer(t, "task", o.Task)
	pointer(t, "model", o.Model)
	t.list("tools", o.Tools)
	t.flag("block", o.Block)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnSubagentStart adds a hook of subagent_start. It runs until off is called.
func OnSubagentStart(e *engine.Engine,
	f func(ctx context.Context, ev SubagentStart) (SubagentStartOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "subagent_start", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, SubagentStart{Event: ev,
				SubagentID: text(ev, "subagent_id"),
				Name:       text(ev, "name"),
				Task:       text(ev, "task"),
				Model:      text(ev, "model"),
				Tools:      list(ev, "tools"),
				CallID:     text(ev, "call_id"),
			})
			return out.value(), err
		}, options)
}

// SubagentEnd is what subagent_end tells. A sub-agent has ended.
type SubagentEnd struct {
	*event.Event
	SubagentID      string
	Name            string
	ParentSessionID string
	Status          string // completed, cancelled, blocked, stopped, limit, error
	Response        string
	Error           string
	Usage           map[string]any // {input, output, cache_read, cache_write}
	Cost            *float64       // US dollars
	Delivered       bool           // false: nothing uses the result
}

// SubagentEndOutcome is what a hook of subagent_end decides; the zero one means: go on.
type SubagentEndOutcome struct {
	Response *string // nil = as it is
	Notify   string  // shown to the user: text, or {text, level}
}

func (o SubagentEndOutcome) value() any {
	t := outcome{}
	pointer(t, "response", o.Response)
	t.text("notify", o.Notify)
	return t.value()
}

// OnSubagentEnd adds a hook of subagent_end. It runs until off is called.
func OnSubagentEnd(e *engine.Engine,
	f func(ctx context.Context, ev SubagentEnd) (SubagentEndOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "subagent_end", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, SubagentEnd{Event: ev,
				SubagentID:      text(ev, "subagent_id"),
				Name:            text(ev, "name"),
				ParentSessionID: text(ev, "parent_session_id"),
				Status:          text(ev, "status"),
				Response:        text(ev, "response"),
				Error:           text(ev, "error"),
				Usage:           table(ev, "usage"),
				Cost:            known(ev, "cost"),
				Delivered:       truth(ev, "delivered"),
			})
			return out.value(), err
		}, options)
}

// LimitReached is what limit_reached tells. A limit of the prompt is reached; extend
// raises it by that much.
type LimitReached struct {
	*event.Event
	Kind  string // turns, cost, tokens, time
	Value float64
	Limit float64 // turns, US dollars, tokens, seconds
}

// LimitReachedOutcome is what a hook of limit_reached decides; the zero one means: go on.
type LimitReachedOutcome struct {
	Extend float64 // the amount by which the limit is raised
	Notify string  // shown to the user: text, or {text, level}
}

func (o LimitReachedOutcome) value() any {
	t := outcome{}
	t.number("extend", o.Extend)
	t.text("notify", o.Notify)
	return t.value()
}

// OnLimitReached adds a hook of limit_reached. It runs until off is called.
func OnLimitReached(e *engine.Engine,
	f func(ctx context.Context, ev LimitReached) (LimitReachedOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "limit_reached", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, LimitReached{Event: ev,
				Kind:  text(ev, "kind"),
				Value: number(ev, "value"),
				Limit: number(ev, "limit"),
			})
			return out.value(), err
		}, options)
}

// Notification is what notification tells. A notice is shown to the user.
type Notification struct {
	*event.Event
	Level   string // info, success, warn, error
	Message string
	Source  string // a script's name, or "agent"
	// what failed, if an error event reports the same; limit: a limit has ended the prompt
	Stage string
}

// NotificationOutcome is what a hook of notification decides; the zero one means: go on.
type NotificationOutcome struct {
	Message *string // nil = as it is
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o NotificationOutcome) value() any {
	t := outcome{}
	pointer(t, "message", o.Message)
	t.flag("block", o.Block)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnNotification adds a hook of notification. It runs until off is called.
func OnNotification(e *engine.Engine,
	f func(ctx context.Context, ev Notification) (NotificationOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "notification", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, Notification{Event: ev,
				Level:   text(ev, "level"),
				Message: text(ev, "message"),
				Source:  text(ev, "source"),
				Stage:   text(ev, "stage"),
			})
			return out.value(), err
		}, options)
}
