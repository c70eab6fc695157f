// This file defines a script, the modules that scripts of a folder share, and what a script
// registers.

package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/internal/queue"
	"github.com/agentscripts/agent/engine/slash"
)

// Runtime is a script language.
type Runtime interface {
	Language() string     // "lua", "js"
	Extensions() []string // ".lua"
	// Load compiles the script's bytes and runs the top level in a new VM under run's budgets.
	// Functions of bind are the script's ext. Failure is a *ScriptError; then nothing of the VM is
	// left.
	Load(run *Run, bind *Binding) (VM, error)
}

// VM is the interpreter of one generation.
type VM interface {
	// Close frees the VM. It is called once, when no run is in it (or when it is wedged: then Close
	// must not wait for the turn).
	Close()
}

// Handler is a registered function with the data that the engine needs before it enters the VM.
type Handler struct {
	Gen   *Generation // nil for Go handlers
	Name  string      // of a Go handler: used as the script's name
	Event string
	Fn    Func
	// Always is the outcome that Fn returns for each event; nil = it decides.
	Always   map[string]any
	GoFn     func(ctx context.Context, ev *event.Event) (any, error) // instead of Fn
	Priority float64
	Timeout  *time.Duration // wall time, 0 = none; nil = the kind's default
	OnError  event.Failure  // "" = the row's default
	Scrub    bool           // it removes secrets: the original of its changes is hidden
	Absent   bool           // it stands in for a file without a working version
	Filter   event.Filter
	Line     int // of the registering call
	seq      int

	failures atomic.Int32 // in a row
	broken   atomic.Bool
	queue    *queue.Queue // of a Go handler: its plugin hears events in order
}

// ScriptName returns the name for logs and dialogs.
func (h *Handler) ScriptName() string {
	if h.Gen != nil {
		return h.Gen.Name
	}
	return h.Name
}

// Label names the handler in errors: "guard", "on tool_call".
func (h *Handler) Label() string {
	if h.Event == "guard" {
		return "guard"
	}
	return onEvent(h.Event)
}

func onEvent(name string) string { return "on " + name }

// Failures returns how often the handler has failed: in a row for guards and interceptors, in total
// for observers.
func (h *Handler) Failures() int { return int(h.failures.Load()) }

// Broken reports whether the handler has failed BrokenAfter times in a row.
func (h *Handler) Broken() bool { return h.broken.Load() }

// Command is a slash command.
type Command struct {
	Name        string
	Description string
	Args        []slash.Param // nil: the raw rest of the line as text
	Hint        string        // describes that rest: "[file] [line]"
	Source      string        // "plugin:NAME", or a file's path; "" = a script's
	Gen         *Generation   // of a script; nil = written in Go
	Line        int
	Run         Func
	Complete    Func
	// GoRun and GoComplete are Run and Complete of a command written in Go. args is text, or a map
	// by Args. An error is for the user; a Display is shown.
	GoRun      func(ctx context.Context, env *event.Envelope, args any) (CommandResult, error)
	GoComplete func(ctx context.Context, env *event.Envelope, prefix string) ([]slash.Completion,
		error)
}

// Usage returns the command's usage line: /greet NAME [TIMES].
func (c *Command) Usage() string { return slash.Usage(c.Name, c.Hint, c.Args) }

// Owner returns the name of the script that registered the command, or its source.
func (c *Command) Owner() string {
	if c.Gen != nil {
		return c.Gen.Name
	}
	return c.Source
}

// Shortcut is a key chord with its function.
type Shortcut struct {
	Key         string // normalized: see chord.Parse
	Description string
	Gen         *Generation
	Line        int // of the registering call
	Run         Func
}

// Provider is a model provider: built in, or a script's.
type Provider struct {
	Name   string
	Models []chat.Model // those known without asking
	// List asks the server for its models. It is only called when models are listed or looked up.
	// nil = Models is complete.
	List func(ctx context.Context) ([]chat.Model, error)
	// Unusable says why the provider cannot be used, and what to do: "set ANTHROPIC_API_KEY". "" =
	// it can.
	Unusable string
	// SetUp reports that the user has configured a key or an address: if the provider is then
	// Unusable, that is an error, and no other model silently replaces it.
	SetUp  bool
	Source string      // "builtin", "plugin:NAME" or "script:NAME"
	Gen    *Generation // of a script
	Line   int
	// Stream sends a request; emit is called for every piece, from one goroutine at a time. A
	// failure that the caller can act on is a *FailError.
	Stream func(ctx context.Context, req *chat.Request, emit func(chat.Chunk)) (chat.Finish, error)
}

// DefaultPriority is the priority of a handler without one, in the middle of the range.
const DefaultPriority = 50
