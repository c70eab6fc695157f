// Code generated from the event table. DO NOT EDIT.

package hook

import (
	"context"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// SessionStart is what session_start tells. A session starts.
type SessionStart struct {
	*event.Event
	Cause string // startup, resume, new, clear, fork, compact, reload
}

// SessionStartOutcome is what a hook of session_start decides; the zero one means: go on.
type SessionStartOutcome struct {
	// an additional text for the model, with the script's name; it stays in the session
	Context string
	Notify  string // shown to the user: text, or {text, level}
}

func (o SessionStartOutcome) value() any {
	t := outcome{}
	t.text("context", o.Context)
	t.text("notify", o.Notify)
	return t.value()
}

// OnSessionStart adds a hook of session_start. It runs until off is called.
func OnSessionStart(e *engine.Engine,
	f func(ctx context.Context, ev SessionStart) (SessionStartOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "session_start", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, SessionStart{Event: ev,
				Cause: text(ev, "cause"),
			})
			return out.value(), err
		}, options)
}

// SessionBeforeSwitch is what session_before_switch tells. The user is about to switch to
// another session.
type SessionBeforeSwitch struct {
	*event.Event
	Cause  string // new, clear, resume
	Prompt string // first prompt of the new session
}

// SessionBeforeSwitchOutcome is what a hook of session_before_switch decides; the zero
// one means: go on.
type SessionBeforeSwitchOutcome struct {
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o SessionBeforeSwitchOutcome) value() any {
	t := outcome{}
	t.flag("block", o.Block)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnSessionBeforeSwitch adds a hook of session_before_switch. It runs until off is called.
func OnSessionBeforeSwitch(e *engine.Engine,
	f func(ctx context.Context, ev SessionBeforeSwitch) (SessionBeforeSwitchOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "session_before_switch", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, SessionBeforeSwitch{Event: ev,
				Cause:  text(ev, "cause"),
				Prompt: text(ev, "prompt"),
			})
			return out.value(), err
		}, options)
}

// SessionBeforeFork is what session_before_fork tells. The conversation is about to
// continue from an earlier entry.
type SessionBeforeFork struct {
	*event.Event
	EntryID       string
	IsUserMessage bool
	Text          string // of the entry
}

// SessionBeforeForkOutcome is what a hook of session_before_fork decides; the zero one
// means: go on.
type SessionBeforeForkOutcome struct {
	// true: refuse it; then all other keys except notify are ignored
	Block bool
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o SessionBeforeForkOutcome) value() any {
	t := outcome{}
	t.flag("block", o.Block)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnSessionBeforeFork adds a hook of session_before_fork. It runs until off is called.
func OnSessionBeforeFork(e *engine.Engine,
	f func(ctx context.Context, ev SessionBeforeFork) (SessionBeforeForkOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "session_before_fork", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, SessionBeforeFork{Event: ev,
				EntryID:       text(ev, "entry_id"),
				IsUserMessage: truth(ev, "is_user_message"),
				Text:          text(ev, "text"),
			})
			return out.value(), err
		}, options)
}

// SessionBeforeCompact is what session_before_compact tells. Earlier messages are about
// to be replaced by a summary.
type SessionBeforeCompact struct {
	*event.Event
	Cause           string                 // manual, threshold, overflow
	Messages        func() []*chat.Message // to be summarised
	PreviousSummary string
	KeepFrom        string // id of the first message that stays; "" = none
	Instructions    string // of the user
	InputTokens     int
	OutputTokens    int
	Limit           int // tokens, 0 = unknown
}

// SessionBeforeCompactOutcome is what a hook of session_before_compact decides; the zero
// one means: go on.
type SessionBeforeCompactOutcome struct {
	// true: refuse it; then all other keys except notify are ignored
	Block        bool
	Summary      *string // nil = a model writes it
	Instructions *string // nil = as it is
	KeepFrom     *string // nil = as it is
	// the reason, for the model, or for the user if no tool is called
	Reason string
	Notify string // shown to the user: text, or {text, level}
}

func (o SessionBeforeCompactOutcome) value() any {
	t := outcome{}
	t.flag("block", o.Block)
	pointer(t, "summary", o.Summary)
	pointer(t, "instructions", o.Instructions)
	pointer(t, "keep_from", o.KeepFrom)
	t.text("reason", o.Reason)
	t.text("notify", o.Notify)
	return t.value()
}

// OnSessionBeforeCompact adds a hook of session_before_compact. It runs until off is called.
func OnSessionBeforeCompact(e *engine.Engine,
	f func(ctx context.Context, ev SessionBeforeCompact) (SessionBeforeCompactOutcome, error),
	options ...Option) (off func(), err error) {
	return on(e, "session_before_compact", f == nil,
		func(ctx context.Context, ev *event.Event) (any, error) {
			out, err := f(ctx, SessionBeforeCompact{Event: ev,
				Cause:           text(ev, "cause"),
				Messages:        messages(ev, "messages"),
				PreviousSummary: text(ev, "previous_summary"),
				KeepFrom:        text(ev, "keep_from"),
				Instructions:    text(ev, "instructions"),
				InputTokens:     integer(ev, "input_tokens"),
				OutputTokens:    integer(ev, "output_tokens"),
				Limit:           integer(ev, "limit"),
			})
			return out.value(), err
		}, options)
}
