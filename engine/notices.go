// This file defines Notices: what the program and scripts tell the user beside their work.

package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/internal/queue"
	"github.com/agentscripts/agent/engine/stream"
	"github.com/agentscripts/agent/engine/value"
)

// Notices tells the user what has happened: notices, failures, texts in the transcript. Its methods
// are safe for concurrent use.
type Notices struct {
	events  *event.Table
	emitter *Emitter
	stream  *stream.Stream
	scripts *Scripts
	// intercept asks the handlers of an event
	intercept func(ctx context.Context, ev *event.Event) (*event.Event, *Verdict)
	queue     queue.Queue // of notices that handlers look at: they are shown in order
}

// Waiting tells that the program waits for the user: cause is idle, approval or question.
func (ns *Notices) Waiting(env *event.Envelope, cause string) {
	ns.emitter.Emit(ns.events.New(env, event.WaitInput{Cause: cause}))
}

// Notify shows a notice to the user, through the handlers of notification. It does not wait for
// them: they must not hold up what the notice is about.
func (ns *Notices) Notify(env *event.Envelope, source string, n Notice) {
	ns.show(ns.notice(env, source, n))
}

// NotifyAbout is Notify for what other events tell as well, to programs: that something has failed
// at stage, or that a limit is reached ("limit").
func (ns *Notices) NotifyAbout(env *event.Envelope, stage string, n Notice) {
	ns.show(ns.events.New(env, event.Notification{Level: n.Level, Message: n.Text,
		Source: "agent", Stage: stage}))
}

// Fail tells that something has failed that is no script's doing: programs by the event error,
// people by a notice.
func (ns *Notices) Fail(env *event.Envelope, stage, message string, retryable bool) {
	ns.emitter.Emit(ns.events.New(env,
		event.Error{Stage: stage, Message: message, Retryable: retryable}))
	ns.NotifyAbout(env, stage, Notice{failureText(stage, message), "error"})
}

// notifyBare is Notify for what is to be said of redactors.
func (ns *Notices) notifyBare(n Notice) {
	ns.show(ns.notice(nil, "agent", n).Bare())
}

// show shows the event of a notice.
func (ns *Notices) show(ev *event.Event) {
	if len(ns.scripts.current.Load().handlers["notification"]) == 0 {
		ns.stream.Tell(ev)
		return
	}
	ok, _ := ns.queue.Add(func(*queue.Work) {
		if out, v := ns.intercept(context.Background(), ev); !v.Blocked {
			ns.stream.Tell(out)
		}
	})
	if !ok {
		ns.stream.Tell(ev)
	}
}

// notice makes the event of a notice.
func (ns *Notices) notice(env *event.Envelope, source string, n Notice) *event.Event {
	return ns.events.New(env, event.Notification{Level: n.Level, Message: n.Text,
		Source: source})
}

// failureText is what failed, and how. What failed is left out if the message begins with it, as in
// "model x: no answer".
func failureText(stage, message string) string {
	if strings.HasPrefix(message, stage+" ") || strings.HasPrefix(message, stage+":") {
		return message
	}
	return stage + ": " + message
}

// NotifyFrom is Notify for a script's run. What a handler of notification or hook_finished says
// goes straight to the stream: it would call itself for ever.
func (ns *Notices) NotifyFrom(r *Run, source string, n Notice) {
	if r.Label == onEvent("notification") || r.Label == onEvent("hook_finished") {
		ns.stream.Tell(ns.notice(r.Env, source, n))
		return
	}
	ns.Notify(r.Env, source, n)
}

// notify shows a handler's notice.
func (ns *Notices) notify(ev *event.Event, h *Handler, n Notice) {
	if ev.Name() == "notification" {
		ns.stream.Tell(ns.notice(ev.Env(), h.ScriptName(), n))
		return
	}
	ns.Notify(ev.Env(), h.ScriptName(), n)
}

// SayFrom is Say for a script's run. What a handler of say or hook_finished says goes straight to
// the stream: it would call itself for ever.
func (ns *Notices) SayFrom(r *Run, source, markdown string) {
	if r.Label == onEvent("say") || r.Label == onEvent("hook_finished") {
		ns.stream.Tell(ns.said(r.Env, source, markdown))
		return
	}
	ns.Say(r.Env, source, markdown)
}

// Say shows Markdown in the transcript.
func (ns *Notices) Say(env *event.Envelope, source, markdown string) {
	ns.emitter.Emit(ns.said(env, source, markdown))
}

// said makes the event of a text in the transcript.
func (ns *Notices) said(env *event.Envelope, source, markdown string) *event.Event {
	return ns.events.New(env, event.Say{Source: source, Markdown: markdown})
}

// reportError tells of the failure of a script that is loaded.
func (ns *Notices) reportError(se *ScriptError, env *event.Envelope) {
	ns.emitter.Emit(ns.errorEvent(se, env, false))
}

// errorEvent makes the event of an error.
func (ns *Notices) errorEvent(se *ScriptError, env *event.Envelope, kept bool) *event.Event {
	return ns.events.New(env, event.ScriptError{Script: se.Script, Path: se.Path,
		Generation: se.Generation, Handler: se.Handler, File: se.File, Line: max(se.Line, 0),
		Column: max(se.Column, 0), Message: se.Message, Excerpt: se.Excerpt, Stack: se.Stack,
		Hint: se.Hint, KeptPrevious: kept})
}

// ScriptErrorOf is the error that a script_error event tells of. kept says that the last good
// version stays in force.
func ScriptErrorOf(ev *event.Event) (se *ScriptError, kept bool) {
	se = &ScriptError{Script: ev.Text("script"), Path: ev.Text("path"), Handler: ev.Text("handler"),
		Position: Position{File: ev.Text("file")},
		Message:  ev.Text("message"), Excerpt: ev.Text("excerpt"), Hint: ev.Text("hint")}
	for key, n := range map[string]*int{"generation": &se.Generation, "line": &se.Line,
		"column": &se.Column} {
		if x, ok := value.Number(ev.Field(key)); ok {
			*n = int(x)
		}
	}
	kept, _ = ev.Field("kept_previous").(bool)
	return se, kept
}

// ReportError emits script_error for a failure that the caller met: a load. kept says that the last
// good version stays in force.
func (ns *Notices) ReportError(se *ScriptError, kept bool) {
	ns.emitter.Emit(ns.errorEvent(se, nil, kept))
}

// internalError tells of a panic in our own code that was met at a boundary.
func (ns *Notices) internalError(what string, p any) {
	ns.Fail(nil, what, fmt.Sprintf("internal error: %v", p), false)
}
