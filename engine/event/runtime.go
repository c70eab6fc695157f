// Code generated from the event table. DO NOT EDIT.

package event

// ModelChange is the event model_change. The model has changed.
type ModelChange struct {
	New      string
	Previous string
	Source   string // user, script, fallback
}

// Event returns the name of the event.
func (ModelChange) Event() string { return "model_change" }

// Put calls field for each field that is present.
func (x ModelChange) Put(put func(field string, value any)) {
	put("new", x.New)
	put("previous", x.Previous)
	put("source", x.Source)
}

// ThinkingChange is the event thinking_change. The thinking level has changed.
type ThinkingChange struct {
	New      string
	Previous string
	Source   string // user, script, fallback
}

// Event returns the name of the event.
func (ThinkingChange) Event() string { return "thinking_change" }

// Put calls field for each field that is present.
func (x ThinkingChange) Put(put func(field string, value any)) {
	put("new", x.New)
	put("previous", x.Previous)
	put("source", x.Source)
}

// PermissionChange is the event permission_change. The permission mode has changed.
type PermissionChange struct {
	New      string
	Previous string
	Source   string // user, script, fallback
}

// Event returns the name of the event.
func (PermissionChange) Event() string { return "permission_change" }

// Put calls field for each field that is present.
func (x PermissionChange) Put(put func(field string, value any)) {
	put("new", x.New)
	put("previous", x.Previous)
	put("source", x.Source)
}

// LimitReached is the event limit_reached. A limit of the prompt is reached; extend
// raises it by that much.
type LimitReached struct {
	Kind  string // turns, cost, tokens, time
	Value float64
	Limit float64 // turns, US dollars, tokens, seconds
}

// Event returns the name of the event.
func (LimitReached) Event() string { return "limit_reached" }

// Put calls field for each field that is present.
func (x LimitReached) Put(put func(field string, value any)) {
	put("kind", x.Kind)
	put("value", x.Value)
	put("limit", x.Limit)
}

// LimitExtended is the event limit_extended. A limit has been raised.
type LimitExtended struct {
	Kind     string // turns, cost, tokens, time
	Previous float64
	New      float64
	By       string // user, script
}

// Event returns the name of the event.
func (LimitExtended) Event() string { return "limit_extended" }

// Put calls field for each field that is present.
func (x LimitExtended) Put(put func(field string, value any)) {
	put("kind", x.Kind)
	put("previous", x.Previous)
	put("new", x.New)
	put("by", x.By)
}

// Notification is the event notification. A notice is shown to the user.
type Notification struct {
	Level   string // info, success, warn, error
	Message string
	Source  string // a script's name, or "agent"
	// what failed, if an error event reports the same; limit: a limit has ended the prompt
	Stage string
}

// Event returns the name of the event.
func (Notification) Event() string { return "notification" }

// Put calls field for each field that is present.
func (x Notification) Put(put func(field string, value any)) {
	put("level", x.Level)
	put("message", x.Message)
	put("source", x.Source)
	if x.Stage != "" {
		put("stage", x.Stage)
	}
}

// Say is the event say. Markdown is shown in the transcript; the model does not get it
// (ext.say, a command's display).
type Say struct {
	Source   string // a script's name, or "agent"
	Markdown string
}

// Event returns the name of the event.
func (Say) Event() string { return "say" }

// Put calls field for each field that is present.
func (x Say) Put(put func(field string, value any)) {
	put("source", x.Source)
	put("markdown", x.Markdown)
}

// Error is the event error. Something failed outside of scripts. The user is shown a
// notification.
type Error struct {
	Stage     string // where
	Message   string
	Retryable bool
}

// Event returns the name of the event.
func (Error) Event() string { return "error" }

// Put calls field for each field that is present.
func (x Error) Put(put func(field string, value any)) {
	put("stage", x.Stage)
	put("message", x.Message)
	put("retryable", x.Retryable)
}

// TerminalResize is the event terminal_resize. The size of the terminal has changed.
type TerminalResize struct {
	Width  int // columns
	Height int // rows
}

// Event returns the name of the event.
func (TerminalResize) Event() string { return "terminal_resize" }

// Put calls field for each field that is present.
func (x TerminalResize) Put(put func(field string, value any)) {
	put("width", x.Width)
	put("height", x.Height)
}

// HookFinished is the event hook_finished. A handler has run (for traces; never fired for
// its own handlers).
type HookFinished struct {
	Hook       string // the event that was handled
	Script     string
	Line       int // where the handler was registered
	Handler    string
	DurationUS float64
	Outcome    string // pass, rewrite, block, ask, allow, respond, error, ...
	ExitCode   int    // of a command hook
	Stderr     string // of a command hook
}

// Event returns the name of the event.
func (HookFinished) Event() string { return "hook_finished" }

// Put calls field for each field that is present.
func (x HookFinished) Put(put func(field string, value any)) {
	put("hook", x.Hook)
	put("script", x.Script)
	if x.Line != 0 {
		put("line", x.Line)
	}
	put("handler", x.Handler)
	put("duration_us", x.DurationUS)
	put("outcome", x.Outcome)
	if x.ExitCode != 0 {
		put("exit_code", x.ExitCode)
	}
	if x.Stderr != "" {
		put("stderr", x.Stderr)
	}
}
