// Code generated from the event table. DO NOT EDIT.

package event

// TurnStart is the event turn_start. A model call is about to be made.
type TurnStart struct {
	Turn int // 1-based
}

// Event returns the name of the event.
func (TurnStart) Event() string { return "turn_start" }

// Put calls field for each field that is present.
func (x TurnStart) Put(put func(field string, value any)) {
	put("turn", x.Turn)
}

// Context is the event context. The messages that the model will see in this request; ids
// are stable, the list is lazy.
type Context struct {
	Messages any
}

// Event returns the name of the event.
func (Context) Event() string { return "context" }

// Put calls field for each field that is present.
func (x Context) Put(put func(field string, value any)) {
	if x.Messages != nil {
		put("messages", x.Messages)
	}
}

// LLMMessage is the event llm_message. A message as the model will see it; fired once per
// message and content, then remembered.
type LLMMessage struct {
	Message any
	Purpose string // agent, subagent, compact, script
	Content any    // of the message
}

// Event returns the name of the event.
func (LLMMessage) Event() string { return "llm_message" }

// Put calls field for each field that is present.
func (x LLMMessage) Put(put func(field string, value any)) {
	if x.Message != nil {
		put("message", x.Message)
	}
	put("purpose", x.Purpose)
	if x.Content != nil {
		put("content", x.Content)
	}
}

// LLMRequest is the event llm_request. A model request is about to be sent.
type LLMRequest struct {
	Purpose    string         // agent, subagent, compact, script
	Model      string         // provider/id
	Messages   any            // lazy
	Tools      any            // names, or {name, description, schema}
	ToolChoice string         // auto, none, required, or a tool's name
	Options    map[string]any // {temperature, max_tokens, ...}
	Iteration  int            // turn of the prompt, 1-based
	LastTurn   bool           // true: the model should not call more tools
}

// Event returns the name of the event.
func (LLMRequest) Event() string { return "llm_request" }

// Put calls field for each field that is present.
func (x LLMRequest) Put(put func(field string, value any)) {
	put("purpose", x.Purpose)
	put("model", x.Model)
	if x.Messages != nil {
		put("messages", x.Messages)
	}
	if x.Tools != nil {
		put("tools", x.Tools)
	}
	if x.ToolChoice != "" {
		put("tool_choice", x.ToolChoice)
	}
	if x.Options != nil {
		put("options", x.Options)
	}
	put("iteration", x.Iteration)
	put("last_turn", x.LastTurn)
}

// LLMResponse is the event llm_response. A model has answered.
type LLMResponse struct {
	Purpose         string // agent, subagent, compact, script
	Model           string // provider/id
	Text            any
	Reasoning       any
	ToolCalls       any            // {id, tool, args}
	Usage           map[string]any // {input, output, cache_read, cache_write}
	Cost            *float64       // US dollars; nil = unknown price
	FinishReason    string
	LastUserMessage any
	DurationMS      float64
}

// Event returns the name of the event.
func (LLMResponse) Event() string { return "llm_response" }

// Put calls field for each field that is present.
func (x LLMResponse) Put(put func(field string, value any)) {
	put("purpose", x.Purpose)
	put("model", x.Model)
	if x.Text != nil {
		put("text", x.Text)
	}
	if x.Reasoning != nil {
		put("reasoning", x.Reasoning)
	}
	if x.ToolCalls != nil {
		put("tool_calls", x.ToolCalls)
	}
	if x.Usage != nil {
		put("usage", x.Usage)
	}
	if x.Cost != nil {
		put("cost", *x.Cost)
	}
	if x.FinishReason != "" {
		put("finish_reason", x.FinishReason)
	}
	if x.LastUserMessage != nil {
		put("last_user_message", x.LastUserMessage)
	}
	put("duration_ms", x.DurationMS)
}

// LLMRetry is the event llm_retry. A request has failed and is retried.
type LLMRetry struct {
	Attempt   int // the attempt that failed, 1-based
	Max       int
	Cause     string // rate_limit, overloaded, network, timeout, overflow or other
	Error     string
	BackoffMS float64 // until the next attempt
}

// Event returns the name of the event.
func (LLMRetry) Event() string { return "llm_retry" }

// Put calls field for each field that is present.
func (x LLMRetry) Put(put func(field string, value any)) {
	put("attempt", x.Attempt)
	put("max", x.Max)
	put("cause", x.Cause)
	put("error", x.Error)
	put("backoff_ms", x.BackoffMS)
}

// LLMWarning is the event llm_warning. A provider has sent a warning.
type LLMWarning struct {
	Warnings any // texts
}

// Event returns the name of the event.
func (LLMWarning) Event() string { return "llm_warning" }

// Put calls field for each field that is present.
func (x LLMWarning) Put(put func(field string, value any)) {
	if x.Warnings != nil {
		put("warnings", x.Warnings)
	}
}

// LLMSource is the event llm_source. A model has named a source.
type LLMSource struct {
	Kind     string
	SourceID string
	URL      string
	Title    string
}

// Event returns the name of the event.
func (LLMSource) Event() string { return "llm_source" }

// Put calls field for each field that is present.
func (x LLMSource) Put(put func(field string, value any)) {
	put("kind", x.Kind)
	if x.SourceID != "" {
		put("source_id", x.SourceID)
	}
	if x.URL != "" {
		put("url", x.URL)
	}
	if x.Title != "" {
		put("title", x.Title)
	}
}

// TurnEnd is the event turn_end. A model call and its tool batch have ended.
type TurnEnd struct {
	// normal, continue, steered, error, cancelled, blocked, loop_detected, stopped, limit
	Cause        string
	Error        string
	FinishReason string
	Usage        map[string]any // {input, output, cache_read, cache_write}
	HasToolCalls bool
}

// Event returns the name of the event.
func (TurnEnd) Event() string { return "turn_end" }

// Put calls field for each field that is present.
func (x TurnEnd) Put(put func(field string, value any)) {
	put("cause", x.Cause)
	if x.Error != "" {
		put("error", x.Error)
	}
	if x.FinishReason != "" {
		put("finish_reason", x.FinishReason)
	}
	if x.Usage != nil {
		put("usage", x.Usage)
	}
	put("has_tool_calls", x.HasToolCalls)
}

// MessageStart is the event message_start. A message of the model has started.
type MessageStart struct {
	MessageID string
}

// Event returns the name of the event.
func (MessageStart) Event() string { return "message_start" }

// Put calls field for each field that is present.
func (x MessageStart) Put(put func(field string, value any)) {
	put("message_id", x.MessageID)
}

// MessageDelta is the event message_delta. A piece of a message of the model has arrived.
type MessageDelta struct {
	MessageID string
	Kind      string // text, reasoning
	Delta     string
}

// Event returns the name of the event.
func (MessageDelta) Event() string { return "message_delta" }

// Put calls field for each field that is present.
func (x MessageDelta) Put(put func(field string, value any)) {
	put("message_id", x.MessageID)
	put("kind", x.Kind)
	put("delta", x.Delta)
}

// MessageEnd is the event message_end. A message of the model is complete.
type MessageEnd struct {
	MessageID string
	Text      string
	Reasoning string
	// if scripts changed it, or its display: {by = {{script, line, changed}}}
	Rewritten map[string]any
	// for the user: the script that hides the text or the reasoning, and its reason
	Hidden string
}

// Event returns the name of the event.
func (MessageEnd) Event() string { return "message_end" }

// Put calls field for each field that is present.
func (x MessageEnd) Put(put func(field string, value any)) {
	put("message_id", x.MessageID)
	put("text", x.Text)
	if x.Reasoning != "" {
		put("reasoning", x.Reasoning)
	}
	if x.Rewritten != nil {
		put("rewritten", x.Rewritten)
	}
	if x.Hidden != "" {
		put("hidden", x.Hidden)
	}
}

// AssistantMessage is the event assistant_message. A message of the model, complete or
// partial, is about to be displayed; scripts and the model keep the original text.
type AssistantMessage struct {
	MessageID string
	Text      string
	Kind      string // text, reasoning
	Final     bool   // false: more of it will follow
}

// Event returns the name of the event.
func (AssistantMessage) Event() string { return "assistant_message" }

// Put calls field for each field that is present.
func (x AssistantMessage) Put(put func(field string, value any)) {
	put("message_id", x.MessageID)
	put("text", x.Text)
	put("kind", x.Kind)
	put("final", x.Final)
}
