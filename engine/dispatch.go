package engine

import "context"

// Verdict is what the handlers of one event came to, together.
type Verdict struct {
	Blocked  bool
	Reason   string
	By       *Handler // who blocked, responded, handled, stopped or aborted
	Asks     []Ask
	Allowed  *Handler
	Respond  any
	Responds bool
	Handled  bool
	Stop     bool
	Abort    string
	Contexts []Context
	Changed  []string // payload fields that were rewritten
	Trail    Trail
}

func (e *Engine) Dispatch(ctx context.Context, call *Call) *Result { panic("soon") }

// Intercept takes an event through its handlers, in order, on the calling goroutine's path; it
// returns the event as rewritten and what they decided. Notices have been shown. The final event has
// been emitted to the stream.
func (e *Engine) Intercept(ctx context.Context, ev *Event) (*Event, *Verdict) { panic("soon") }

// Emit tells the stream and the observers of an event; it does not wait for observers.
func (e *Engine) Emit(ev *Event) { panic("soon") }

type observerQueue struct{}
