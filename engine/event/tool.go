// Code generated from the event table. DO NOT EDIT.

package event

// ToolInputStart is the event tool_input_start. The model begins to write a tool call.
type ToolInputStart struct {
	CallID string
	Tool   string
	Kind   string // read, edit, execute, search, agent, other
}

// Event returns the name of the event.
func (ToolInputStart) Event() string { return "tool_input_start" }

// Put hands over the fields that are there.
func (x ToolInputStart) Put(put func(field string, value any)) {
	put("call_id", x.CallID)
	put("tool", x.Tool)
	put("kind", x.Kind)
}

// ToolInputDelta is the event tool_input_delta. A piece of a tool call's arguments, as
// JSON text.
type ToolInputDelta struct {
	CallID string
	Tool   string
	Kind   string // read, edit, execute, search, agent, other
	Delta  string
}

// Event returns the name of the event.
func (ToolInputDelta) Event() string { return "tool_input_delta" }

// Put hands over the fields that are there.
func (x ToolInputDelta) Put(put func(field string, value any)) {
	put("call_id", x.CallID)
	put("tool", x.Tool)
	put("kind", x.Kind)
	put("delta", x.Delta)
}

// ToolInputEnd is the event tool_input_end. The model has written a tool call.
type ToolInputEnd struct {
	CallID string
	Tool   string
	Kind   string // read, edit, execute, search, agent, other
}

// Event returns the name of the event.
func (ToolInputEnd) Event() string { return "tool_input_end" }

// Put hands over the fields that are there.
func (x ToolInputEnd) Put(put func(field string, value any)) {
	put("call_id", x.CallID)
	put("tool", x.Tool)
	put("kind", x.Kind)
}

// ToolCall is the event tool_call. A tool call came in; any name.
type ToolCall struct {
}

// Event returns the name of the event.
func (ToolCall) Event() string { return "tool_call" }

// Put hands over the fields that are there.
func (ToolCall) Put(_ func(field string, value any)) {
}

// Guard is the event guard. The last word on a call's final arguments (ext.guard).
type Guard struct {
}

// Event returns the name of the event.
func (Guard) Event() string { return "guard" }

// Put hands over the fields that are there.
func (Guard) Put(_ func(field string, value any)) {
}

// ToolPermission is the event tool_permission. Somebody asks for this call.
type ToolPermission struct {
	Asks   any // {who, why}
	Rule   string
	Detail map[string]any // shown in the dialog
}

// Event returns the name of the event.
func (ToolPermission) Event() string { return "tool_permission" }

// Put hands over the fields that are there.
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

// ToolApproval is the event tool_approval. It was decided whether a call may run.
type ToolApproval struct {
	Decision string // allow, deny, cancelled
	// yolo, mode, session_allow, rule_allow, rule_deny, script, guard, read_only, user_once,
	// user_session, user_always, user_rejected, cancelled, headless
	Source string
	Script string // who decided
	Line   int    // where its handler was registered
}

// Event returns the name of the event.
func (ToolApproval) Event() string { return "tool_approval" }

// Put hands over the fields that are there.
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

// ToolSkipped is the event tool_skipped. A call ended before its tool ran.
type ToolSkipped struct {
	Cause  string // denied, aborted, steered, unknown, invalid
	Reason string // what the model is told
	Script string // who refused
	Line   int    // where its handler was registered
}

// Event returns the name of the event.
func (ToolSkipped) Event() string { return "tool_skipped" }

// Put hands over the fields that are there.
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

// ToolStart is the event tool_start. A tool runs.
type ToolStart struct {
}

// Event returns the name of the event.
func (ToolStart) Event() string { return "tool_start" }

// Put hands over the fields that are there.
func (ToolStart) Put(_ func(field string, value any)) {
}

// ToolOutput is the event tool_output. A running tool said something.
type ToolOutput struct {
	Chunk  string
	Stderr bool
}

// Event returns the name of the event.
func (ToolOutput) Event() string { return "tool_output" }

// Put hands over the fields that are there.
func (x ToolOutput) Put(put func(field string, value any)) {
	put("chunk", x.Chunk)
	put("stderr", x.Stderr)
}

// ToolEnd is the event tool_end. A tool has run.
type ToolEnd struct {
	DurationMS float64
	IsError    bool
}

// Event returns the name of the event.
func (ToolEnd) Event() string { return "tool_end" }

// Put hands over the fields that are there.
func (x ToolEnd) Put(put func(field string, value any)) {
	put("duration_ms", x.DurationMS)
	put("is_error", x.IsError)
}

// ToolResult is the event tool_result. A call's result is about to go to the model.
type ToolResult struct {
	Content      any // blocks
	Details      map[string]any
	IsError      bool
	DurationMS   float64
	ForUser      string
	Silent       bool
	AnsweredBy   string // the script that answered instead of the tool
	AnsweredLine int    // where its handler was registered
	// to observers, if scripts changed the result: {by = {{script, line, changed}}, content}:
	// who, and what the tool said, unless a handler with scrub or on_error = "block" changed
	// that
	ResultRewritten map[string]any
	Display         map[string]any // {title, kind, lang, text}: how it is drawn
}

// Event returns the name of the event.
func (ToolResult) Event() string { return "tool_result" }

// Put hands over the fields that are there.
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

// Put hands over the fields that are there.
func (x ToolBatchEnd) Put(put func(field string, value any)) {
	put("calls", x.Calls)
	put("errors", x.Errors)
}

// LoopDetected is the event loop_detected. The model makes the same call again and again.
type LoopDetected struct {
	Tool     string
	Count    int // in a row, this one included
	ArgsHash string
}

// Event returns the name of the event.
func (LoopDetected) Event() string { return "loop_detected" }

// Put hands over the fields that are there.
func (x LoopDetected) Put(put func(field string, value any)) {
	put("tool", x.Tool)
	put("count", x.Count)
	put("args_hash", x.ArgsHash)
}
