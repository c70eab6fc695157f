// Code generated from the event table. DO NOT EDIT.

package event

// Input is the event input. The user has entered input; fired when it takes effect.
type Input struct {
	Kind   string // prompt, steer, follow_up
	Text   string
	Images any    // image blocks
	Source string // interactive, cli, queue, rpc, script
}

// Event returns the name of the event.
func (Input) Event() string { return "input" }

// Put calls field for each field that is present.
func (x Input) Put(put func(field string, value any)) {
	put("kind", x.Kind)
	put("text", x.Text)
	if x.Images != nil {
		put("images", x.Images)
	}
	put("source", x.Source)
}

// InputQueued is the event input_queued. Input waits because the agent is busy.
type InputQueued struct {
	Kind    string // steer, follow_up
	Waiting int    // number of waiting inputs, including this one
}

// Event returns the name of the event.
func (InputQueued) Event() string { return "input_queued" }

// Put calls field for each field that is present.
func (x InputQueued) Put(put func(field string, value any)) {
	put("kind", x.Kind)
	put("waiting", x.Waiting)
}

// SteeringInjected is the event steering_injected. Input was added to the current prompt.
type SteeringInjected struct {
	Count int
	Texts any
}

// Event returns the name of the event.
func (SteeringInjected) Event() string { return "steering_injected" }

// Put calls field for each field that is present.
func (x SteeringInjected) Put(put func(field string, value any)) {
	put("count", x.Count)
	if x.Texts != nil {
		put("texts", x.Texts)
	}
}

// Interrupt is the event interrupt. The prompt is interrupted: by input, after the tool
// batch, or at once.
type Interrupt struct {
	Kind string // steering, graceful, hard
}

// Event returns the name of the event.
func (Interrupt) Event() string { return "interrupt" }

// Put calls field for each field that is present.
func (x Interrupt) Put(put func(field string, value any)) {
	put("kind", x.Kind)
}

// WaitInput is the event wait_input. The program waits for the user; idle: no input is
// pending, and a new session can be started.
type WaitInput struct {
	Cause string // idle, approval, question
}

// Event returns the name of the event.
func (WaitInput) Event() string { return "wait_input" }

// Put calls field for each field that is present.
func (x WaitInput) Put(put func(field string, value any)) {
	put("cause", x.Cause)
}

// UserShell is the event user_shell. The user has run a command with ! or !!.
type UserShell struct {
	Command   string
	InContext bool // the model will see it
}

// Event returns the name of the event.
func (UserShell) Event() string { return "user_shell" }

// Put calls field for each field that is present.
func (x UserShell) Put(put func(field string, value any)) {
	put("command", x.Command)
	put("in_context", x.InContext)
}

// AgentBeforeStart is the event agent_before_start. A prompt is about to start.
type AgentBeforeStart struct {
	Prompt       string
	SystemPrompt string
}

// Event returns the name of the event.
func (AgentBeforeStart) Event() string { return "agent_before_start" }

// Put calls field for each field that is present.
func (x AgentBeforeStart) Put(put func(field string, value any)) {
	put("prompt", x.Prompt)
	put("system_prompt", x.SystemPrompt)
}

// AgentStart is the event agent_start. A prompt has started.
type AgentStart struct {
	Prompt string
}

// Event returns the name of the event.
func (AgentStart) Event() string { return "agent_start" }

// Put calls field for each field that is present.
func (x AgentStart) Put(put func(field string, value any)) {
	put("prompt", x.Prompt)
}

// AgentBeforeEnd is the event agent_before_end. The model has finished; continue_with
// adds a message to continue with.
type AgentBeforeEnd struct {
	Response        string
	LastUserMessage string
	ToolCalls       int // of this prompt
}

// Event returns the name of the event.
func (AgentBeforeEnd) Event() string { return "agent_before_end" }

// Put calls field for each field that is present.
func (x AgentBeforeEnd) Put(put func(field string, value any)) {
	put("response", x.Response)
	put("last_user_message", x.LastUserMessage)
	put("tool_calls", x.ToolCalls)
}

// AgentEnd is the event agent_end. A prompt has ended.
type AgentEnd struct {
	Response   string // the model's last text
	Status     string // completed, cancelled, blocked, stopped, limit, error
	Error      string
	Turns      int
	ToolCalls  int
	ToolNames  any
	Usage      map[string]any // {input, output, cache_read, cache_write}
	Cost       *float64       // US dollars
	DurationMS float64
}

// Event returns the name of the event.
func (AgentEnd) Event() string { return "agent_end" }

// Put calls field for each field that is present.
func (x AgentEnd) Put(put func(field string, value any)) {
	put("response", x.Response)
	put("status", x.Status)
	if x.Error != "" {
		put("error", x.Error)
	}
	put("turns", x.Turns)
	put("tool_calls", x.ToolCalls)
	if x.ToolNames != nil {
		put("tool_names", x.ToolNames)
	}
	if x.Usage != nil {
		put("usage", x.Usage)
	}
	if x.Cost != nil {
		put("cost", *x.Cost)
	}
	put("duration_ms", x.DurationMS)
}

// BusyChange is the event busy_change. The agent has become busy or idle.
type BusyChange struct {
	State    string // working, idle
	Previous string // working, idle
}

// Event returns the name of the event.
func (BusyChange) Event() string { return "busy_change" }

// Put calls field for each field that is present.
func (x BusyChange) Put(put func(field string, value any)) {
	put("state", x.State)
	put("previous", x.Previous)
}

// AgentSwitch is the event agent_switch. Another agent runs.
type AgentSwitch struct {
	From       string
	To         string
	Kind       string // transfer, handoff, return
	ToModel    string
	FromModels any // {provider, model, base_url, unload_api}
}

// Event returns the name of the event.
func (AgentSwitch) Event() string { return "agent_switch" }

// Put calls field for each field that is present.
func (x AgentSwitch) Put(put func(field string, value any)) {
	put("from", x.From)
	put("to", x.To)
	put("kind", x.Kind)
	put("to_model", x.ToModel)
	if x.FromModels != nil {
		put("from_models", x.FromModels)
	}
}
