// This file defines what the failure of a handler does to a call.

package engine

import (
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/vm"
)

// scriptError adds the engine's information to a runtime's error.
func (g *Generation) scriptError(err error, handler string) *fault.ScriptError {
	c := *fault.Of(err)
	c.Script, c.Path, c.Generation, c.Handler = g.Name, g.Path, g.Number, handler
	if c.File == "" {
		c.File = g.Name
	}
	if src, ok := g.File(c.File); ok && c.Excerpt == "" {
		c.Excerpt = fault.Excerpt(src, c.Line, c.Column)
	}
	return &c
}

// BrokenAfter is how many failures in a row mark a guard BROKEN: one may be accidental, three are
// persistent.
const BrokenAfter = 3

// policy returns the effect of h's failure.
func (h *Handler) policy(row *event.Row) event.Failure {
	if h.OnError != "" {
		return h.OnError
	}
	return row.Failure
}

// WithheldText replaces text that is withheld because a handler failed. It does not repeat the
// error, which may contain that text.
func (v *Verdict) WithheldText(what string) string {
	where := v.By.ScriptName()
	if se := v.Failed(); se != nil && se.Line > 0 {
		where = se.Position.String()
	}
	return fmt.Sprintf("[%s is withheld: %s failed at %s]", what, v.By.Label(), where)
}

// cut withholds the event's text if the user cancelled before a scrubbing handler had finished.
func (h *Handler) cut(ev *event.Event, v *Verdict) bool {
	if ev.Row().Withhold == "" || h.policy(ev.Row()) != event.FailBlock {
		return false
	}
	v.Blocked, v.By, v.Reason = true, h, h.Label()+" was cancelled"
	return true
}

// scriptError returns err with its position: the place in the script, or the registering call.
func (h *Handler) scriptError(err error) *fault.ScriptError {
	if h.Gen == nil {
		return &fault.ScriptError{Script: h.ScriptName(), Handler: h.Label(),
			Position: fault.Position{File: h.ScriptName(), Line: h.Line},
			Message:  err.Error(), Err: err}
	}
	return h.Gen.scriptError(err, h.Label()).Placed(h.Gen.Bytes, h.Line)
}

// retired reports whether err only says that h's script was reloaded or unloaded while h waited.
func (h *Handler) retired(err error) bool {
	return errors.Is(err, vm.ErrClosed) && h.Gen != nil && h.Gen.ctx.Err() != nil
}

// failed applies the policy for c.h's failure, and notifies the user.
func (c *chain) failed(err error) *fault.ScriptError {
	h, ev, v := c.h, c.ev, c.v
	se := h.scriptError(err)
	switch {
	case h.retired(err):
		v.retired = true
		return se
	case c.ctx.Err() != nil:
		h.cut(ev, v)
		return se // the user cancelled: this is not a failure, and nothing runs
	}
	if h.policy(ev.Row()) != event.FailIgnore {
		c.e.Notices.reportError(se, ev.Env())
	}
	if n := h.failures.Add(1); n >= BrokenAfter && ev.Row().Failure == event.FailAsk &&
		!h.broken.Swap(true) {
		c.e.Notices.Notify(ev.Env(), "agent",
			ui.Notice{Text: fmt.Sprintf(
				"%s: %s is BROKEN: it failed %d times in a row; each call it guards follows "+
					"on_error = %s", h.position(), h.Label(), n, h.policy(ev.Row())),
				Level: "error"})
	}
	switch h.policy(ev.Row()) {
	case event.FailAsk:
		a := h.asks(Outcome{Ask: h.Label() + " failed: " + se.Error() +
			"; run this call all the same?"})
		a.Failure = se
		v.Asks = append(v.Asks, a)
	case event.FailBlock:
		v.Blocked, v.By, v.Reason = true, h, h.Label()+" failed: "+se.Error()
	}
	return se
}

// position returns where the handler was registered.
func (h *Handler) position() fault.Position {
	return fault.Position{File: h.ScriptName(), Line: h.Line}
}

// succeeded records that c.h has answered, and reports it if it was broken.
func (c *chain) succeeded() {
	h := c.h
	if h.failures.Load() == 0 {
		return
	}
	h.failures.Store(0)
	if h.broken.Swap(false) {
		c.e.Notices.Notify(c.ev.Env(), "agent",
			ui.Notice{Text: fmt.Sprintf("%s: %s works again", h.position(), h.Label()),
				Level: "success"})
	}
}
