// Code generated from the event table. DO NOT EDIT.

package hook

import (
	"context"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// ToolCall is what tool_call tells. The model has called a tool, which may not exist.
type ToolCall struct {
	*event.Event
	CallID   string
	Tool     string // name
	Kind     string // read, edit, execute, search, agent, other
	ReadOnly bool
	Args     map[string]any
	// absolute paths, with links followed, that the call reads, as far as known; for a
	// command, according to its words
	Reads         func() []any
	Writes        func() []any // paths that it writes, creates or removes
	UnknownWrites bool         // there may be others: the command is opaque
	// if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}:
	// who changed what, and the original; by the user if script is absent
	Rewritten map[string]any
	Original  map[string]any // the original arguments
}

// ToolCallOutcome is what a hook of tool_call decides; the zero one means: go on.
type ToolCallOutcome struct {
	Args map[string]any // merged one level; nil = as it is
	Tool *string        // nil = as it is
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// a question to the user, in every permission mode; if no one can answer, the call is
	// refused
	Ask string
	// true: skips the permission mode's question (needs the grant permission.allow); guards,
	// rules and questions of handlers still apply
	Allow bool
	// the result instead of the event's; for a tool call, as a tool's run returns it
	Respond any
	// an additional text for the model, with the script's name; it stays until the prompt
	// ends
	Context string
	// "prompt" ends the prompt with an error at once; "agent" also forgets what waits, and
	// ends sub-agents
	Abort string
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Detail map[string]any // shown in the dialog of ask
	Notify string         // shown to the user: text, or {text, level}
}

func (o ToolCallOutcome) value() any {
	t := outcome{}
	t.table("args", o.Args)
	pointer(t, "tool", o.Tool)
	t.flag("block", o.Block)
	t.text("ask", o.Ask)
	t.flag("allow", o.Allow)
	t.any("respond", o.Respond)
	t.text("context", o.Context)
	t.text("abort", o.Abort)
	t.text("reason", o.Reason)
	t.table("detail", o.Detail)
	t.text("notify", o.Notify)
	return t.value()
}

// OnToolCall adds a hook of tool_call. It runs until off is called.
func OnToolCall(e *engine.Engine,
	f func(ctx context.Context, ev ToolCall) (ToolCallOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "tool_call", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, ToolCall{Event: ev,
				CallID:        text(ev, "call_id"),
				Tool:          text(ev, "tool"),
				Kind:          text(ev, "kind"),
				ReadOnly:      truth(ev, "read_only"),
				Args:          table(ev, "args"),
				Reads:         list(ev, "reads"),
				Writes:        list(ev, "writes"),
				UnknownWrites: truth(ev, "unknown_writes"),
				Rewritten:     table(ev, "rewritten"),
				Original:      table(ev, "original"),
			})
			return out.value(), err
		}, options)
}

// Guard is what guard tells. Guards check a call's final arguments (ext.guard).
type Guard struct {
	*event.Event
	CallID   string
	Tool     string // name
	Kind     string // read, edit, execute, search, agent, other
	ReadOnly bool
	Args     map[string]any
	// absolute paths, with links followed, that the call reads, as far as known; for a
	// command, according to its words
	Reads         func() []any
	Writes        func() []any // paths that it writes, creates or removes
	UnknownWrites bool         // there may be others: the command is opaque
	// if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}:
	// who changed what, and the original; by the user if script is absent
	Rewritten map[string]any
	Original  map[string]any
}

// GuardOutcome is what a hook of guard decides; the zero one means: go on.
type GuardOutcome struct {
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// a question to the user, in every permission mode; if no one can answer, the call is
	// refused
	Ask string
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Detail map[string]any // shown in the dialog of ask
	Notify string         // shown to the user: text, or {text, level}
}

func (o GuardOutcome) value() any {
	t := outcome{}
	t.flag("block", o.Block)
	t.text("ask", o.Ask)
	t.text("reason", o.Reason)
	t.table("detail", o.Detail)
	t.text("notify", o.Notify)
	return t.value()
}

// OnGuard adds a hook of guard. It runs until off is called.
func OnGuard(e *engine.Engine,
	f func(ctx context.Context, ev Guard) (GuardOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "guard", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, Guard{Event: ev,
				CallID:        text(ev, "call_id"),
				Tool:          text(ev, "tool"),
				Kind:          text(ev, "kind"),
				ReadOnly:      truth(ev, "read_only"),
				Args:          table(ev, "args"),
				Reads:         list(ev, "reads"),
				Writes:        list(ev, "writes"),
				UnknownWrites: truth(ev, "unknown_writes"),
				Rewritten:     table(ev, "rewritten"),
				Original:      table(ev, "original"),
			})
			return out.value(), err
		}, options)
}

// ToolPermission is what tool_permission tells. The user is about to be asked for
// approval of a call.
type ToolPermission struct {
	*event.Event
	CallID   string
	Tool     string // name
	Kind     string // read, edit, execute, search, agent, other
	ReadOnly bool
	Args     map[string]any
	// absolute paths, with links followed, that the call reads, as far as known; for a
	// command, according to its words
	Reads         func() []any
	Writes        func() []any // paths that it writes, creates or removes
	UnknownWrites bool         // there may be others: the command is opaque
	// if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}:
	// who changed what, and the original; by the user if script is absent
	Rewritten map[string]any
	Original  map[string]any
	Asks      func() []any // {who, why}
	Rule      string
	Detail    map[string]any // shown in the dialog
}

// ToolPermissionOutcome is what a hook of tool_permission decides; the zero one means: go
// on.
type ToolPermissionOutcome struct {
	// true: skips the permission mode's question (needs the grant permission.allow); guards,
	// rules and questions of handlers still apply
	Allow bool
	// true: refuse it; then all other keys except notify are ignored
	Block  bool
	Detail map[string]any // merged one level; nil = as it is
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o ToolPermissionOutcome) value() any {
	t := outcome{}
	t.flag("allow", o.Allow)
	t.flag("block", o.Block)
	t.table("detail", o.Detail)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnToolPermission adds a hook of tool_permission. It runs until off is called.
func OnToolPermission(e *engine.Engine,
	f func(ctx context.Context, ev ToolPermission) (ToolPermissionOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "tool_permission", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, ToolPermission{Event: ev,
				CallID:        text(ev, "call_id"),
				Tool:          text(ev, "tool"),
				Kind:          text(ev, "kind"),
				ReadOnly:      truth(ev, "read_only"),
				Args:          table(ev, "args"),
				Reads:         list(ev, "reads"),
				Writes:        list(ev, "writes"),
				UnknownWrites: truth(ev, "unknown_writes"),
				Rewritten:     table(ev, "rewritten"),
				Original:      table(ev, "original"),
				Asks:          list(ev, "asks"),
				Rule:          text(ev, "rule"),
				Detail:        table(ev, "detail"),
			})
			return out.value(), err
		}, options)
}

// ToolResult is what tool_result tells. A call's result is about to be sent to the model.
type ToolResult struct {
	*event.Event
	CallID   string
	Tool     string // name
	Kind     string // read, edit, execute, search, agent, other
	ReadOnly bool
	Args     map[string]any
	// absolute paths, with links followed, that the call reads, as far as known; for a
	// command, according to its words
	Reads         func() []any
	Writes        func() []any // paths that it writes, creates or removes
	UnknownWrites bool         // there may be others: the command is opaque
	// if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}:
	// who changed what, and the original; by the user if script is absent
	Rewritten    map[string]any
	Content      func() []chat.Block // blocks
	Details      map[string]any
	IsError      bool
	DurationMS   float64
	ForUser      string
	Silent       bool
	AnsweredBy   string // the script that answered instead of the tool
	AnsweredLine int    // where the handler was registered
	// for observers, if scripts changed the result: {by = {{script, line, changed}},
	// content}: who changed it, and the original content, unless a handler with scrub or
	// on_error = "block" changed that
	ResultRewritten map[string]any
	Display         map[string]any // {title, kind, lang, text}: how to draw it
}

// ToolResultOutcome is what a hook of tool_result decides; the zero one means: go on.
type ToolResultOutcome struct {
	Content []chat.Block   // nil = as it is
	IsError *bool          // nil = as it is
	Details map[string]any // merged one level; nil = as it is
	ForUser *string        // nil = as it is
	Silent  *bool          // nil = as it is
	// an additional text for the model, with the script's name; it stays until the prompt
	// ends
	Context string
	// true: running calls end, and no further model request is made
	Stop bool
	// "prompt" ends the prompt with an error at once; "agent" also forgets what waits, and
	// ends sub-agents
	Abort string
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o ToolResultOutcome) value() any {
	t := outcome{}
	t.blocks("content", o.Content)
	pointer(t, "is_error", o.IsError)
	t.table("details", o.Details)
	pointer(t, "for_user", o.ForUser)
	pointer(t, "silent", o.Silent)
	t.text("context", o.Context)
	t.flag("stop", o.Stop)
	t.text("abort", o.Abort)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnToolResult adds a hook of tool_result. It runs until off is called.
func OnToolResult(e *engine.Engine,
	f func(ctx context.Context, ev ToolResult) (ToolResultOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "tool_result", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, ToolResult{Event: ev,
				CallID:          text(ev, "call_id"),
				Tool:            text(ev, "tool"),
				Kind:            text(ev, "kind"),
				ReadOnly:        truth(ev, "read_only"),
				Args:            table(ev, "args"),
				Reads:           list(ev, "reads"),
				Writes:          list(ev, "writes"),
				UnknownWrites:   truth(ev, "unknown_writes"),
				Rewritten:       table(ev, "rewritten"),
				Content:         blocks(ev, "content"),
				Details:         table(ev, "details"),
				IsError:         truth(ev, "is_error"),
				DurationMS:      number(ev, "duration_ms"),
				ForUser:         text(ev, "for_user"),
				Silent:          truth(ev, "silent"),
				AnsweredBy:      text(ev, "answered_by"),
				AnsweredLine:    integer(ev, "answered_line"),
				ResultRewritten: table(ev, "result_rewritten"),
				Display:         table(ev, "display"),
			})
			return out.value(), err
		}, options)
}

// ToolBatchEnd is what tool_batch_end tells. All tool calls of one message have ended.
type ToolBatchEnd struct {
	*event.Event
	Calls  int
	Errors int
}

// ToolBatchEndOutcome is what a hook of tool_batch_end decides; the zero one means: go
// on.
type ToolBatchEndOutcome struct {
	// true: running calls end, and no further model request is made
	Stop bool
	// an additional text for the model, with the script's name; it stays until the prompt
	// ends
	Context string
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o ToolBatchEndOutcome) value() any {
	t := outcome{}
	t.flag("stop", o.Stop)
	t.text("context", o.Context)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnToolBatchEnd adds a hook of tool_batch_end. It runs until off is called.
func OnToolBatchEnd(e *engine.Engine,
	f func(ctx context.Context, ev ToolBatchEnd) (ToolBatchEndOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "tool_batch_end", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, ToolBatchEnd{Event: ev,
				Calls:  integer(ev, "calls"),
				Errors: integer(ev, "errors"),
			})
			return out.value(), err
		}, options)
}

// LoopDetected is what loop_detected tells. The model has made the same call several
// times.
type LoopDetected struct {
	*event.Event
	Tool     string
	Count    int // in a row, including this one
	ArgsHash string
}

// LoopDetectedOutcome is what a hook of loop_detected decides; the zero one means: go on.
type LoopDetectedOutcome struct {
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// a question to the user, in every permission mode; if no one can answer, the call is
	// refused
	Ask string
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Detail map[string]any // shown in the dialog of ask
	Notify string         // shown to the user: text, or {text, level}
}

func (o LoopDetectedOutcome) value() any {
	t := outcome{}
	t.flag("block", o.Block)
	t.text("ask", o.Ask)
	t.text("reason", o.Reason)
	t.table("detail", o.Detail)
	t.text("notify", o.Notify)
	return t.value()
}

// OnLoopDetected adds a hook of loop_detected. It runs until off is called.
func OnLoopDetected(e *engine.Engine,
	f func(ctx context.Context, ev LoopDetected) (LoopDetectedOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "loop_detected", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, LoopDetected{Event: ev,
				Tool:     text(ev, "tool"),
				Count:    integer(ev, "count"),
				ArgsHash: text(ev, "args_hash"),
			})
			return out.value(), err
		}, options)
}
