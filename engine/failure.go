// This file decides what a handler's failure means, and tells of it.

package engine

import (
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/vm"
)

// BrokenAfter is how many failures in a row mark a guard BROKEN: one may be an accident, three are
// a state.
const BrokenAfter = 3

// policy is what h's failure means.
func (h *Handler) policy(row *event.Row) event.Failure {
	if h.OnError != "" {
		return h.OnError
	}
	return row.Failure
}

// WithheldText stands in the place of what is withheld because a handler failed. It does not repeat
// the error, which may hold what the handler looked at.
func (v *Verdict) WithheldText(what string) string {
	where := v.By.ScriptName()
	if se := v.Failed(); se != nil && se.Line > 0 {
		where = se.Position.String()
	}
	return fmt.Sprintf("[%s is withheld: %s failed at %s]", what, v.By.Label(), where)
}

// cut withholds what the event is about if the user cancelled before a handler was done that says
// so.
func (h *Handler) cut(ev *event.Event, v *Verdict) bool {
	if ev.Row().Withhold == "" || h.policy(ev.Row()) != event.FailBlock {
		return false
	}
	v.Blocked, v.By, v.Reason = true, h, h.Label()+" was cancelled"
	return true
}

// scriptError is err with all that is known of where: the place in the script, or that of the
// registering call.
func (h *Handler) scriptError(err error) *ScriptError {
	if h.Gen == nil {
		return &ScriptError{Script: h.ScriptName(), Handler: h.Label(),
			Position: Position{File: h.ScriptName(), Line: h.Line}, Message: err.Error(), Err: err}
	}
	return h.Gen.scriptError(err, h.Label()).placed(h.Gen.Script, h.Line)
}

// retired reports whether err only says that h's script was reloaded or unloaded while h waited.
func (h *Handler) retired(err error) bool {
	return errors.Is(err, vm.ErrClosed) && h.Gen != nil && h.Gen.ctx.Err() != nil
}

// failed does what the policy of c.h says about its failure, and tells the user.
func (c *chain) failed(err error) *ScriptError {
	h, ev, v := c.h, c.ev, c.v
	se := h.scriptError(err)
	switch {
	case h.retired(err):
		v.retired = true
		return se
	case c.ctx.Err() != nil:
		h.cut(ev, v)
		return se // the user cancelled: nobody failed, and nothing runs
	}
	if h.policy(ev.Row()) != event.FailIgnore {
		c.e.Notices.reportError(se, ev.Env())
	}
	if n := h.failures.Add(1); n >= BrokenAfter && ev.Row().Failure == event.FailAsk &&
		!h.broken.Swap(true) {
		c.e.Notices.Notify(ev.Env(), "agent",
			Notice{fmt.Sprintf(
				"%s:%d: %s is BROKEN: it failed %d times in a row; each call it guards follows "+
					"on_error = %s", h.ScriptName(), h.Line, h.Label(), n, h.policy(ev.Row())),
				"error"})
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

// succeeded notes that c.h has answered, and tells if it was broken.
func (c *chain) succeeded() {
	h := c.h
	if h.failures.Load() == 0 {
		return
	}
	h.failures.Store(0)
	if h.broken.Swap(false) {
		c.e.Notices.Notify(c.ev.Env(), "agent",
			Notice{fmt.Sprintf("%s:%d: %s works again", h.ScriptName(), h.Line, h.Label()),
				"success"})
	}
}
