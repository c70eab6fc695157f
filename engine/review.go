// This file runs the tool_result handlers of a call.

package engine

import (
	"context"
	"time"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// resultGrace is how long tool_result handlers may run after the user has pressed Esc: long enough
// to mask secrets, and too short to notice.
const resultGrace = 50 * time.Millisecond

// review is the part of a call in which the tool_result handlers run.
type review struct {
	d      *dispatch // the call
	ctx    context.Context
	cancel context.CancelFunc
	snap   *Snapshot // acquired
}

// rewriteResult runs the current tool_result handlers. As in Engine.intercept, all of them run
// again if a script is reloaded while its handler waits.
func (w *review) rewriteResult() {
	if !w.d.e.Emitter.wants(w.d.e.Scripts.current.Load(), event.ToolResult{}) {
		w.endTool()
		return
	}
	w.ctx, w.cancel = outlive(w.d.ctx, resultGrace)
	w.snap = w.d.e.Scripts.acquire()
	v := &Verdict{}
	w.reviewed(w.d.askHandlers(w.ctx, w.snap, w.resultEvent(), v), v)
}

// reviewed continues with the result as the tool_result handlers have rewritten it.
func (w *review) reviewed(ev *event.Event, v *Verdict) {
	w.snap.release()
	if v.retired {
		ev, v = w.d.e.intercept(w.ctx, w.resultEvent())
	}
	w.cancel()
	r := w.d.result
	if rw := resultRewrite(v.Trail, r.Content); rw != nil {
		ev = ev.With("result_rewritten", rw.Value())
	}
	if v.Blocked {
		ev = withheldResult(r, ev, v)
	} else {
		readResult(r, ev, v.Changed)
	}
	w.d.e.Stream.Tell(ev)
	r.Contexts, r.Abort, r.Stopped = v.Contexts, v.Abort, v.Stop
	if v.Stop {
		r.Stop = because("stopped by", v.By, v.Reason)
	}
	if v.Abort != "" {
		r.AbortBy = v.By.ScriptName()
	}
	w.d.verdict.Trail = append(w.d.verdict.Trail, v.Trail...)
	w.endTool()
}

// endTool fires tool_end, if the tool has run.
func (w *review) endTool() {
	d, r := w.d, w.d.result
	if r.AnsweredBy == "" && d.e.Emitter.wants(d.e.Scripts.current.Load(), event.ToolEnd{}) {
		d.e.Emitter.Emit(d.event(event.ToolEnd{DurationMS: r.DurationMS, IsError: r.IsError}))
	}
}

// resultEvent returns the tool_result event of the call.
func (w *review) resultEvent() *event.Event {
	r := w.d.result
	content := r.Content // r may change; the event must not
	fired := event.ToolResult{
		Content: value.NewLazy(func() any { return chat.BlockValues(content) }),
		Details: r.Details, IsError: r.IsError,
		DurationMS: r.DurationMS, ForUser: r.ForUser, Silent: r.Silent, AnsweredBy: r.AnsweredBy}
	if r.AnsweredBy != "" {
		fired.AnsweredLine = w.d.verdict.Answerer.Line
	}
	if r.Display != nil {
		fired.Display = r.Display.Value()
	}
	return w.d.event(fired)
}

// readResult copies the rewritten fields to r.
func readResult(r *Result, ev *event.Event, changed []string) {
	for _, key := range changed {
		switch v := ev.Field(key); key {
		case "content":
			r.Content = chat.DecodeBlocks(v)
			r.Display = nil // it shows content that was replaced
		case "details":
			r.Details, _ = v.(map[string]any)
		case "is_error":
			r.IsError, _ = v.(bool)
		case "for_user":
			r.ForUser, _ = v.(string)
		case "silent":
			r.Silent, _ = v.(bool)
		}
	}
}

// withheldResult replaces a result with a notice if a handler could not examine it.
func withheldResult(r *Result, ev *event.Event, v *Verdict) *event.Event {
	*r = Result{Content: TextResult(v.WithheldText("the result")).Content, IsError: true,
		AnsweredBy: r.AnsweredBy, Silent: r.Silent, DurationMS: r.DurationMS}
	for key, value := range map[string]any{"content": chat.BlockValues(r.Content), "is_error": true,
		"details": nil, "display": nil, "for_user": nil, "result_rewritten": nil} {
		ev = ev.With(key, value)
	}
	return ev
}

// outlive returns a context that ends grace after ctx.
func outlive(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(grace, func() { cancel(context.Cause(ctx)) })
		context.AfterFunc(longer, func() { t.Stop() })
	})
	return longer, func() { stop(); cancel(nil) }
}
