// Code generated from the event table. DO NOT EDIT.

package event

// SubagentStart is the event subagent_start. A sub-agent is about to start.
type SubagentStart struct {
	SubagentID string
	Name       string
	Task       string
	Model      string // provider/id
	Tools      any    // names
	CallID     string // of the agent tool
}

// Event returns the name of the event.
func (SubagentStart) Event() string { return "subagent_start" }

// Put calls field for each field that is present.
func (x SubagentStart) Put(put func(field string, value any)) {
	put("subagent_id", x.SubagentID)
	put("name", x.Name)
	put("task", x.Task)
	put("model", x.Model)
	if x.Tools != nil {
		put("tools", x.Tools)
	}
	if x.CallID != "" {
		put("call_id", x.CallID)
	}
}

// SubagentEvent is the event subagent_event. A sub-agent has fired an event.
type SubagentEvent struct {
	SubagentID string
	Kind       string // text, reasoning, tool_start, tool_end, turn
	Data       map[string]any
}

// Event returns the name of the event.
func (SubagentEvent) Event() string { return "subagent_event" }

// Put calls field for each field that is present.
func (x SubagentEvent) Put(put func(field string, value any)) {
	put("subagent_id", x.SubagentID)
	put("kind", x.Kind)
	if x.Data != nil {
		put("data", x.Data)
	}
}

// SubagentEnd is the event subagent_end. A sub-agent has ended.
type SubagentEnd struct {
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

// Event returns the name of the event.
func (SubagentEnd) Event() string { return "subagent_end" }

// Put calls field for each field that is present.
func (x SubagentEnd) Put(put func(field string, value any)) {
	put("subagent_id", x.SubagentID)
	put("name", x.Name)
	put("parent_session_id", x.ParentSessionID)
	put("status", x.Status)
	put("response", x.Response)
	if x.Error != "" {
		put("error", x.Error)
	}
	if x.Usage != nil {
		put("usage", x.Usage)
	}
	if x.Cost != nil {
		put("cost", *x.Cost)
	}
	put("delivered", x.Delivered)
}
