package engine

import (
	"fmt"

	"github.com/agentscripts/agent/engine/fault"
)

// Verdict is the combined result of the handlers of one event. Block overrides ask, and ask
// overrides allow.
type Verdict struct {
	Blocked  bool
	Reason   string   // of the block, stop or handled
	By       *Handler // the handler that blocked, handled, stopped or aborted
	Asks     []Ask
	Allowed  *Handler // the handler that skips the routine question
	Respond  any      // the first answer
	Answerer *Handler // the handler that gave it; nil = none
	Handled  bool
	Stop     bool
	Abort    string
	Contexts []Context
	Continue string   // the first one; "" = none
	Summary  *string  // the first one; nil = none
	Extend   float64  // the first one; 0 = none
	Changed  []string // payload fields that were rewritten
	Trail    Trail

	// retired: a handler's script was reloaded or unloaded while the handler waited. Its answer is
	// unknown, so the current handlers must be asked.
	retired bool
}

// Failed returns the first failure of a handler, nil if there was none.
func (v *Verdict) Failed() *fault.ScriptError {
	for _, s := range v.Trail {
		if s.Error != nil {
			return s.Error
		}
	}
	return nil
}

// interrupted names the handler that was running when the user pressed Esc, if any.
func (v *Verdict) interrupted() string {
	if n := len(v.Trail); n > 0 && v.Trail[n-1].Error != nil {
		last := v.Trail[n-1]
		return fmt.Sprintf(" while %s (%s) was at work",
			fault.Position{File: last.Script, Line: last.Line}, last.Event)
	}
	return ""
}

// addVerdict appends a later verdict of the same call to v; the questions of an earlier round are
// replaced.
func (v *Verdict) addVerdict(w *Verdict) {
	if v.Trail == nil {
		v.Trail = w.Trail
	} else {
		v.Trail = append(v.Trail, w.Trail...)
	}
	v.Contexts = append(v.Contexts, w.Contexts...)
	kept := v.Asks[:0:0]
	for _, a := range v.Asks {
		if !a.guard {
			kept = append(kept, a)
		}
	}
	for _, a := range w.Asks {
		a.guard = true
		kept = append(kept, a)
	}
	v.Asks = kept
}
