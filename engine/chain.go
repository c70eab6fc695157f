// This file runs the handlers of one event, in order, and adds up what they decide.
package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// BrokenAfter is how many failures in a row mark a guard BROKEN: one may be an accident, three are a state.
const BrokenAfter = 3

// Verdict is what the handlers of one event came to, together. Block beats ask beats allow.
type Verdict struct {
	Blocked  bool
	Reason   string   // of the block, stop or handled
	By       *Handler // who blocked, handled, stopped or aborted
	Asks     []Ask
	Allowed  *Handler // who spares the routine prompt
	Respond  any      // the first answer
	Answerer *Handler // who gave it; nil = nobody
	Handled  bool
	Stop     bool
	Abort    string
	Detail   map[string]any
	Contexts []Context
	Changed  []string // payload fields that were rewritten
	Trail    Trail

	closed bool // a handler was cancelled by the reload of its script: ask the current ones
}

// Failed returns the first failure of a handler, nil if there was none.
func (v *Verdict) Failed() *ScriptError {
	for _, s := range v.Trail {
		if s.Error != nil {
			return s.Error
		}
	}
	return nil
}

// Intercept takes an event through its handlers, in order; it returns the event as rewritten and what
// they decided. Notices have been shown, failures reported; the final event has gone to the stream.
func (e *Engine) Intercept(ctx context.Context, ev *Event) (*Event, *Verdict) {
	snap := e.acquire()
	if len(snap.handlers[ev.row.Name]) == 0 {
		snap.release()
		e.stream(ev)
		return ev, &Verdict{}
	}
	type end struct {
		ev *Event
		v  *Verdict
	}
	s := newStrand()
	done := make(chan end, 1)
	go func() {
		defer snap.release()
		v := &Verdict{}
		done <- end{e.chain(ctx, s, snap, ev, v), v}
	}()
	select {
	case x := <-done:
		e.stream(x.ev)
		return x.ev, x.v
	case err := <-s.abandoned:
		e.Emit(e.NewEvent("error", ev.env, map[string]any{"stage": ev.row.Name, "message": err.Error(), "retryable": false}))
		e.stream(ev)
		return ev, &Verdict{}
	}
}

// chain runs the handlers of ev's row that match; each sees the one before's rewrite. A block, an abort
// or handled input ends it.
func (e *Engine) chain(ctx context.Context, s *strand, snap *Snapshot, ev *Event, v *Verdict) *Event {
	for _, h := range snap.handlers[ev.row.Name] {
		if !h.Filter.Matches(ev) {
			continue
		}
		ev = e.step(ctx, s, h, ev, v)
		if v.Blocked || v.Abort != "" || v.Handled || ctx.Err() != nil {
			break
		}
	}
	return ev
}

// step runs one handler and adds what it decided to v.
func (e *Engine) step(ctx context.Context, s *strand, h *Handler, ev *Event, v *Verdict) *Event {
	start := time.Now()
	o, err := e.ask(ctx, s, h, ev)
	took := time.Since(start)
	t := Step{Script: h.ScriptName(), Line: h.Line, Event: ev.row.Name, Duration: took}
	if h.Gen != nil {
		t.Path, t.Hash = h.Gen.Path, h.Gen.Hash
	}
	if err != nil {
		t.Outcome, t.Reason = "error", err.Error()
		t.Error = e.failed(ctx, h, ev, err, v)
	} else {
		if h.Gen != nil {
			e.succeeded(h, ev)
		}
		t.Outcome, t.Reason = o.verb(), o.Reason
		ev = e.apply(h, ev, o, v)
	}
	v.Trail = append(v.Trail, t)
	e.hookFinished(h, ev, t)
	return ev
}

// ask enters the handler under its budgets and reads its answer.
func (e *Engine) ask(ctx context.Context, s *strand, h *Handler, ev *Event) (o Outcome, err error) {
	var v any
	if h.GoFn != nil {
		v, err = callGo(ctx, h, ev)
	} else {
		r := NewRun(ctx, h.Gen, ev.row.Kind, h.Label(), ev.env, h.Timeout)
		r.strand = s
		v, err = h.Fn.Call(r, ev)
		r.End()
	}
	if err != nil || v == nil {
		return o, err
	}
	o, err = decodeOutcome(ev.row, v)
	if err == nil && o.Allow && h.Gen != nil && !h.Gen.Header.Grants.Has("permission.allow") {
		err = errors.New(`returned allow, which needs "@grant permission.allow" in the script's header`)
	}
	return o, err
}

func callGo(ctx context.Context, h *Handler, ev *Event) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return h.GoFn(ctx, ev)
}

// verb names an outcome for the trail.
func (o *Outcome) verb() string {
	switch {
	case o.Block:
		return "block"
	case o.Ask != "":
		return "ask"
	case o.Abort != "":
		return "abort"
	case o.Responds:
		return "respond"
	case o.Handled:
		return "handled"
	case o.Stop:
		return "stop"
	case len(o.Changes) > 0:
		return "rewrite"
	case o.Allow:
		return "allow"
	case o.Context != "":
		return "context"
	}
	return "pass"
}

// apply adds a good answer to the verdict and returns the event as the next handler sees it.
func (e *Engine) apply(h *Handler, ev *Event, o Outcome, v *Verdict) *Event {
	if o.Notify != nil {
		e.notify(ev, h, *o.Notify)
	}
	if o.Block {
		v.Blocked, v.Reason, v.By = true, o.Reason, h
		return ev
	}
	for _, c := range o.Changes {
		if c.Key == "content" {
			c.Value = blocksOf(c.Value)
		}
		ev = ev.with(c.Key, merge(ev.fields[ev.index(c.Key)], c.Value))
		if !contains(v.Changed, c.Key) {
			v.Changed = append(v.Changed, c.Key)
		}
	}
	if o.Ask != "" {
		v.Asks = append(v.Asks, h.asks(o))
	}
	if o.Allow && v.Allowed == nil {
		v.Allowed = h
	}
	if o.Responds && v.Answerer == nil {
		v.Respond, v.Answerer = o.Respond, h
	}
	if o.Context != "" {
		v.Contexts = append(v.Contexts, Context{h.ScriptName(), o.Context})
	}
	if o.Detail != nil && o.Ask == "" {
		v.Detail, _ = merge(v.Detail, o.Detail).(map[string]any)
	}
	if o.Handled || o.Stop && !v.Stop || o.Abort != "" {
		v.Handled, v.Stop, v.Abort = v.Handled || o.Handled, v.Stop || o.Stop, o.Abort
		v.Reason, v.By = o.Reason, h
	}
	return ev
}

func (h *Handler) asks(o Outcome) Ask {
	a := Ask{Script: h.ScriptName(), Line: h.Line, Text: o.Ask, Reason: o.Reason, Detail: o.Detail}
	if h.Gen != nil {
		a.Path = h.Gen.Path
	}
	return a
}

// policy is what h's failure means.
func (h *Handler) policy(row *EventRow) Failure {
	if h.OnError != "" {
		return h.OnError
	}
	return row.Failure
}

// OnErrorChoices lists what on_error may say for handlers of the row.
func OnErrorChoices(row *EventRow) []string {
	switch {
	case row.Failure == FailAsk:
		return []string{string(FailAsk), string(FailBlock), string(FailAllow)}
	case row.Phase == Observe:
		return []string{string(FailWarn), string(FailIgnore)}
	case contains(row.Returns, "block"):
		return []string{string(FailWarn), string(FailBlock), string(FailIgnore)}
	}
	return []string{string(FailWarn), string(FailIgnore)}
}

// failed does what the handler's policy says about its failure, and tells the user.
func (e *Engine) failed(ctx context.Context, h *Handler, ev *Event, err error, v *Verdict) *ScriptError {
	se := &ScriptError{Script: h.ScriptName(), Handler: h.Label(), Position: Position{File: h.ScriptName(), Line: h.Line}, Message: err.Error(), Err: err}
	if h.Gen != nil {
		se = e.scriptError(err, h.Gen, h.Label())
		if se.Line == 0 {
			se.Line = h.Line
			se.Excerpt = Excerpt(h.Gen.Bytes, h.Line, 0)
		}
	}
	switch {
	case errors.Is(err, ErrClosed) && h.Gen != nil && h.Gen.ctx.Err() != nil:
		v.closed = true
		return se
	case ctx.Err() != nil:
		return se // the user cancelled: nobody failed, and nothing runs
	}
	if h.policy(ev.row) != FailIgnore {
		e.reportError(se, ev.env, true)
	}
	if n := h.failures.Add(1); n >= BrokenAfter && ev.row.Failure == FailAsk && !h.broken.Swap(true) {
		e.Notify(ev.env, "agent", Notice{fmt.Sprintf("%s:%d: %s is BROKEN: it failed %d times in a row; each call it guards follows on_error = %s", h.ScriptName(), h.Line, h.Label(), n, h.policy(ev.row)), "error"})
	}
	switch h.policy(ev.row) {
	case FailAsk:
		a := h.asks(Outcome{Ask: h.Label() + " failed: " + se.Error() + "; run this call all the same?"})
		a.Failure = se
		v.Asks = append(v.Asks, a)
	case FailBlock:
		v.Blocked, v.By, v.Reason = true, h, h.Label()+" failed: "+se.Error()
	}
	return se
}

func (e *Engine) succeeded(h *Handler, ev *Event) {
	if h.failures.Load() == 0 {
		return
	}
	h.failures.Store(0)
	if h.broken.Swap(false) {
		e.Notify(ev.env, "agent", Notice{fmt.Sprintf("%s:%d: %s works again", h.ScriptName(), h.Line, h.Label()), "success"})
	}
}

// reportError tells of a script's failure. kept says that the version in force stays in force.
func (e *Engine) reportError(se *ScriptError, env *Envelope, kept bool) {
	f := map[string]any{"script": se.Script, "path": se.Path, "generation": se.Generation, "handler": se.Handler,
		"file": se.File, "message": se.Message, "kept_previous": kept}
	if se.Line > 0 {
		f["line"] = se.Line
	}
	if se.Column > 0 {
		f["column"] = se.Column
	}
	if se.Excerpt != "" {
		f["excerpt"] = se.Excerpt
	}
	if se.Hint != "" {
		f["hint"] = se.Hint
	}
	e.Emit(e.NewEvent("script_error", env, f))
}

// ReportError emits script_error for a failure that the caller met: a load, a command.
func (e *Engine) ReportError(se *ScriptError, kept bool) { e.reportError(se, nil, kept) }

// wrapContext is how a script's context reaches the model.
func (c Context) Wrap() string {
	name := strings.NewReplacer(`"`, "", "<", "", ">", "").Replace(c.Script)
	return "<context from=\"" + name + "\">\n" + c.Text + "\n</context>"
}
