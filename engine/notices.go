// This file defines Notices, which shows messages of the program and of scripts to the user.

package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/internal/queue"
	"github.com/agentscripts/agent/engine/stream"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// Notices shows notices, failures and texts in the transcript. Its methods are safe for concurrent
// use.
type Notices struct {
	events  *event.Table
	emitter *Emitter
	stream  *stream.Stream
	scripts *Scripts
	// intercept asks the handlers of an event
	intercept func(ctx context.Context, ev *event.Event) (*event.Event, *Verdict)
	queue     queue.Queue // of notices with handlers, which are shown in order
}

// Waiting reports that the program waits for the user: cause is idle, approval or question.
func (ns *Notices) Waiting(env *event.Envelope, cause string) {
	ns.emitter.Emit(ns.events.New(env, event.WaitInput{Cause: cause}))
}

// Notify shows a notice to the user, after the handlers of notification. It does not wait for them,
// so that they do not delay its cause.
func (ns *Notices) Notify(env *event.Envelope, source string, n ui.Notice) {
	ns.show(ns.notice(env, source, n))
}

// NotifyAbout is like Notify, for a notice that other events also report to programs: a failure at
// stage, or a reached limit ("limit").
func (ns *Notices) NotifyAbout(env *event.Envelope, stage string, n ui.Notice) {
	ns.show(ns.events.New(env, event.Notification{Level: n.Level, Message: n.Text,
		Source: "agent", Stage: stage}))
}

// Fail reports a failure outside of scripts: to programs with the event error, to users with a
// notice.
func (ns *Notices) Fail(env *event.Envelope, stage, message string, retryable bool) {
	ns.emitter.Emit(ns.events.New(env,
		event.Error{Stage: stage, Message: message, Retryable: retryable}))
	ns.NotifyAbout(env, stage, ui.Notice{Text: failureText(stage, message), Level: "error"})
}

// notifyBare is like Notify, for notices about redactors.
func (ns *Notices) notifyBare(n ui.Notice) {
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
func (ns *Notices) notice(env *event.Envelope, source string, n ui.Notice) *event.Event {
	return ns.events.New(env, event.Notification{Level: n.Level, Message: n.Text,
		Source: source})
}

// failureText describes what failed, and how. The first part is left out if the message begins with
// it, as in "model x: no answer".
func failureText(stage, message string) string {
	if strings.HasPrefix(message, stage+" ") || strings.HasPrefix(message, stage+":") ||
		stage == "command" { // the message names the command
		return message
	}
	return stage + ": " + message
}

// NotifyFrom is like Notify, for a script's run. Notices of handlers of notification or
// hook_finished go directly to the stream: they would call themselves endlessly.
func (ns *Notices) NotifyFrom(r *Run, source string, n ui.Notice) {
	if r.Label == onEvent("notification") || r.Label == onEvent("hook_finished") {
		ns.stream.Tell(ns.notice(r.Env, source, n))
		return
	}
	ns.Notify(r.Env, source, n)
}

// notify shows a handler's notice.
func (ns *Notices) notify(ev *event.Event, h *Handler, n ui.Notice) {
	if ev.Name() == "notification" {
		ns.stream.Tell(ns.notice(ev.Env(), h.ScriptName(), n))
		return
	}
	ns.Notify(ev.Env(), h.ScriptName(), n)
}

// SayFrom is like Say, for a script's run. Texts of handlers of say or hook_finished go directly to
// the stream: they would call themselves endlessly.
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

// reportError reports the failure of a loaded script.
func (ns *Notices) reportError(se *fault.ScriptError, env *event.Envelope) {
	ns.emitter.Emit(ns.errorEvent(se, env, false))
}

// errorEvent makes the event of an error.
func (ns *Notices) errorEvent(se *fault.ScriptError, env *event.Envelope, kept bool) *event.Event {
	return ns.events.New(env, event.ScriptError{Script: se.Script, Path: se.Path,
		Generation: se.Generation, Handler: se.Handler, File: se.File, Line: max(se.Line, 0),
		Column: max(se.Column, 0), Message: se.Message, Excerpt: se.Excerpt, Stack: se.Stack,
		Hint: se.Hint, KeptPrevious: kept, Waits: se.Waits})
}

// ScriptErrorOf returns the error in a script_error event. kept reports that the last good version
// stays in force.
func ScriptErrorOf(ev *event.Event) (se *fault.ScriptError, kept bool) {
	se = &fault.ScriptError{Script: ev.Text("script"), Path: ev.Text("path"),
		Handler: ev.Text("handler"), Position: fault.Position{File: ev.Text("file")},
		Message: ev.Text("message"), Excerpt: ev.Text("excerpt"), Hint: ev.Text("hint")}
	for key, n := range map[string]*int{"generation": &se.Generation, "line": &se.Line,
		"column": &se.Column} {
		if x, ok := value.Number(ev.Field(key)); ok {
			*n = int(x)
		}
	}
	kept, _ = ev.Field("kept_previous").(bool)
	se.Waits, _ = ev.Field("waits").(bool)
	return se, kept
}

// ReportError emits script_error for a failure that the caller found, such as a load. kept means
// that the last good version stays in force.
func (ns *Notices) ReportError(se *fault.ScriptError, kept bool) {
	ns.emitter.Emit(ns.errorEvent(se, nil, kept))
}

// internalError reports a panic in our own code that was recovered at a boundary.
func (ns *Notices) internalError(what string, p any) {
	ns.Fail(nil, what, fmt.Sprintf("internal error: %v", p), false)
}
