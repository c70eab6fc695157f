// Code generated from the event table. DO NOT EDIT.

package event

// ToolInputStart is the event tool_input_start. The model has started a tool call.
type ToolInputStart struct {
	CallID string
	Tool   string
	Kind   string // read, edit, execute, search, agent, other
}

// Event returns the name of the event.
func (ToolInputStart) Event() string { return "tool_input_start" }

// Put calls field for each field that is present.
func (x ToolInputStart) Put(put func(field string, value any)) {
	put("call_id", x.CallID)
	put("tool", x.Tool)
	put("kind", x.Kind)
}

// ToolInputDelta is the event tool_input_delta. A piece of a tool call's arguments has
// arrived, as JSON text.
type ToolInputDelta struct {
	CallID string
	Tool   string
	Kind   string // read, edit, execute, search, agent, other
	Delta  string
}

// Event returns the name of the event.
func (ToolInputDelta) Event() string { return "tool_input_delta" }

// Put calls field for each field that is present.
func (x ToolInputDelta) Put(put func(field string, value any)) {
	put("call_id", x.CallID)
	put("tool", x.Tool)
	put("kind", x.Kind)
	put("delta", x.Delta)
}

// ToolInputEnd is the event tool_input_end. The model has completed a tool call.
type ToolInputEnd struct {
	CallID string
	Tool   string
	Kind   string // read, edit, execute, search, agent, other
}

// Event returns the name of the event.
func (ToolInputEnd) Event() string { return "tool_input_end" }

// Put calls field for each field that is present.
func (x ToolInputEnd) Put(put func(field string, value any)) {
	put("call_id", x.CallID)
	put("tool", x.Tool)
	put("kind", x.Kind)
}

// ToolCall is the event tool_call. The model has called a tool, which may not exist.
type ToolCall struct {
}

// Event returns the name of the event.
func (ToolCall) Event() string { return "tool_call" }

// Put calls field for each field that is present.
func (ToolCall) Put(_ func(field string, value any)) {
}

// Guard is the event guard. Guards check a call's final arguments (ext.guard).
type Guard struct {
}

// Event returns the name of the event.
func (Guard) Event() string { return "guard" }

// Put calls field for each field that is present.
func (Guard) Put(_ func(field string, value any)) {
}

// ToolPermission is the event tool_permission. The user is about to be asked for approval
// of a call.
type ToolPermission struct {
	Asks   any // {who, why}
	Rule   string
	Detail map[string]any // shown in the dialog
}

// Event returns the name of the event.
func (ToolPermission) Event() string { return "tool_permission" }

// Put calls field for each field that is present.
func (x ToolPermission) Put(put func(field string, value any)) {
	if x.Asks != nil {
		put("asks", x.Asks)
	}
	if x.Rule != "" {
		put("rule", x.Rule)
	}
	if x.Detail != nil {
		put("detail", x.Detail)
	}
}

// ToolApproval is the event tool_approval. A call has been allowed or refused.
type ToolApproval struct {
	Decision string // allow, deny, cancelled
	// yolo, mode, session_allow, rule_allow, rule_deny, script, guard, read_only, only_reads,
	// user_once, user_session, user_always, user_rejected, cancelled, headless, sandbox
	Source string
	Script string // who decided
	Line   int    // where the handler was registered
}

// Event returns the name of the event.
func (ToolApproval) Event() string { return "tool_approval" }

// Put calls field for each field that is present.
func (x ToolApproval) Put(put func(field string, value any)) {
	put("decision", x.Decision)
	put("source", x.Source)
	if x.Script != "" {
		put("script", x.Script)
	}
	if x.Line != 0 {
		put("line", x.Line)
	}
}

// ToolSkipped is the event tool_skipped. A call has ended without running its tool.
type ToolSkipped struct {
	Cause  string // denied, aborted, steered, unknown, invalid
	Reason string // the message for the model
	Script string // who refused
	Line   int    // where the handler was registered
}

// Event returns the name of the event.
func (ToolSkipped) Event() string { return "tool_skipped" }

// Put calls field for each field that is present.
func (x ToolSkipped) Put(put func(field string, value any)) {
	put("cause", x.Cause)
	put("reason", x.Reason)
	if x.Script != "" {
		put("script", x.Script)
	}
	if x.Line != 0 {
		put("line", x.Line)
	}
}

// ToolStart is the event tool_start. A tool has started.
type ToolStart struct {
}

// Event returns the name of the event.
func (ToolStart) Event() string { return "tool_start" }

// Put calls field for each field that is present.
func (ToolStart) Put(_ func(field string, value any)) {
}

// ToolOutput is the event tool_output. A running tool has printed output.
type ToolOutput struct {
	Chunk  string
	Stderr bool
}

// Event returns the name of the event.
func (ToolOutput) Event() string { return "tool_output" }

// Put calls field for each field that is present.
func (x ToolOutput) Put(put func(field string, value any)) {
	put("chunk", x.Chunk)
	put("stderr", x.Stderr)
}

// ToolEnd is the event tool_end. A tool has finished.
type ToolEnd struct {
	DurationMS float64
	IsError    bool
}

// Event returns the name of the event.
func (ToolEnd) Event() string { return "tool_end" }

// Put calls field for each field that is present.
func (x ToolEnd) Put(put func(field string, value any)) {
	put("duration_ms", x.DurationMS)
	put("is_error", x.IsError)
}

// ToolResult is the event tool_result. A call's result is about to be sent to the model.
type ToolResult struct {
	Content      any // blocks
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

// Event returns the name of the event.
func (ToolResult) Event() string { return "tool_result" }

// Put calls field for each field that is present.
func (x ToolResult) Put(put func(field string, value any)) {
	if x.Content != nil {
		put("content", x.Content)
	}
	if x.Details != nil {
		put("details", x.Details)
	}
	put("is_error", x.IsError)
	put("duration_ms", x.DurationMS)
	if x.ForUser != "" {
		put("for_user", x.ForUser)
	}
	put("silent", x.Silent)
	if x.AnsweredBy != "" {
		put("answered_by", x.AnsweredBy)
	}
	if x.AnsweredLine != 0 {
		put("answered_line", x.AnsweredLine)
	}
	if x.ResultRewritten != nil {
		put("result_rewritten", x.ResultRewritten)
	}
	if x.Display != nil {
		put("display", x.Display)
	}
}

// ToolBatchEnd is the event tool_batch_end. All tool calls of one message have ended.
type ToolBatchEnd struct {
	Calls  int
	Errors int
}

// Event returns the name of the event.
func (ToolBatchEnd) Event() string { return "tool_batch_end" }

// Put calls field for each field that is present.
func (x ToolBatchEnd) Put(put func(field string, value any)) {
	put("calls", x.Calls)
	put("errors", x.Errors)
}

// LoopDetected is the event loop_detected. The model has made the same call several
// times.
type LoopDetected struct {
	Tool     string
	Count    int // in a row, including this one
	ArgsHash string
}

// Event returns the name of the event.
func (LoopDetected) Event() string { return "loop_detected" }

// Put calls field for each field that is present.
func (x LoopDetected) Put(put func(field string, value any)) {
	put("tool", x.Tool)
	put("count", x.Count)
	put("args_hash", x.ArgsHash)
}
