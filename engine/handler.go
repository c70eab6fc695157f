// This file defines a Handler: a function that a script, or Go code, registered for an event.

package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/internal/queue"
	"github.com/agentscripts/agent/engine/scriptfile"
)

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
	Absent   bool           // it replaces a file without a working version
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

// DefaultPriority is the priority of a handler without one, in the middle of the range.
const DefaultPriority = 50

// callName returns the API function that registered h.
func (h *Handler) callName() string {
	if h.Event == "guard" {
		return "ext.guard"
	}
	return "ext.on"
}

// registered returns the script of h and the line where it was registered, for events; h may be
// nil.
func (h *Handler) registered() (script string, line int) {
	if h == nil {
		return "", 0
	}
	return h.ScriptName(), h.Line
}

// queueOf returns the queue of h's events, nil for a guard that replaces a file that never loaded.
func (h *Handler) queueOf() *queue.Queue {
	if h.Gen != nil {
		return &h.Gen.observed
	}
	return h.queue
}

func (h *Handler) place() (scriptfile.Source, string) {
	if h.Gen != nil {
		return h.Gen.Source, h.Gen.Path
	}
	return scriptfile.SourceGo, h.Name
}
