// Code generated from the event table. DO NOT EDIT.

package event

// ScriptLoad is the event script_load. A script was loaded or reloaded.
type ScriptLoad struct {
	Script     string // file name
	Path       string
	Generation int
	Cause      string  // start, save or manual
	Handlers   int     // how many
	MS         float64 // milliseconds
	Version    string  // SHA-256
	Grants     any
}

// Event returns the name of the event.
func (ScriptLoad) Event() string { return "script_load" }

// Put calls field for each field that is present.
func (x ScriptLoad) Put(put func(field string, value any)) {
	put("script", x.Script)
	put("path", x.Path)
	put("generation", x.Generation)
	put("cause", x.Cause)
	put("handlers", x.Handlers)
	put("ms", x.MS)
	put("version", x.Version)
	if x.Grants != nil {
		put("grants", x.Grants)
	}
}

// ScriptUnload is the event script_unload. A version of a script is unloaded; it gets
// this event too.
type ScriptUnload struct {
	Script     string
	Path       string
	Generation int
	Cause      string // save, manual, removed, disabled or off
	Handlers   int
	MS         float64
	Version    string
}

// Event returns the name of the event.
func (ScriptUnload) Event() string { return "script_unload" }

// Put calls field for each field that is present.
func (x ScriptUnload) Put(put func(field string, value any)) {
	put("script", x.Script)
	put("path", x.Path)
	put("generation", x.Generation)
	put("cause", x.Cause)
	put("handlers", x.Handlers)
	put("ms", x.MS)
	put("version", x.Version)
}

// ScriptError is the event script_error. A script failed: while loading, or in a handler.
type ScriptError struct {
	Script       string
	Path         string
	Generation   int
	Handler      string
	File         string
	Line         int // 1-based
	Column       int // 1-based
	Message      string
	Excerpt      string // the line and its neighbours, with a caret
	Stack        string // innermost call first
	Hint         string // what to do
	KeptPrevious bool   // the last good version stays
	Waits        bool   // a new version waits
}

// Event returns the name of the event.
func (ScriptError) Event() string { return "script_error" }

// Put calls field for each field that is present.
func (x ScriptError) Put(put func(field string, value any)) {
	put("script", x.Script)
	put("path", x.Path)
	put("generation", x.Generation)
	put("handler", x.Handler)
	put("file", x.File)
	if x.Line != 0 {
		put("line", x.Line)
	}
	if x.Column != 0 {
		put("column", x.Column)
	}
	put("message", x.Message)
	if x.Excerpt != "" {
		put("excerpt", x.Excerpt)
	}
	if x.Stack != "" {
		put("stack", x.Stack)
	}
	if x.Hint != "" {
		put("hint", x.Hint)
	}
	put("kept_previous", x.KeptPrevious)
	put("waits", x.Waits)
}
