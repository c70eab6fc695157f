// This file bounds what scripts give the agent to do while no user says anything.

package agent

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// bound counts an input that is being sent. The error says that scripts have given the agent enough
// for now; what steers the prompt that is worked on is part of that, and bounded with it.
func (a *Agent) bound(in *Input) error {
	if a.parent != nil {
		return nil
	}
	defer a.tellExcess()
	q := &a.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case in.Source != sourceScript:
		q.row, q.over = 0, false
	case q.working > 0 && in.Kind != kindFollowUp && !atOnce(*in):
	case !a.counts(*in):
		return &engine.WorldError{Code: "limit",
			Message: fmt.Sprintf("scripts gave the agent %d inputs in a row, and the user none",
				a.mostInputs())}
	default:
		in.counted = true
	}
	return nil
}

// counts counts an input of a script, and reports whether it is within the bound. Under a.queue.mu;
// see tellExcess.
func (a *Agent) counts(in Input) bool {
	q := &a.queue
	if q.row < a.mostInputs() {
		q.row++
		return true
	}
	if !q.over {
		q.over, q.excess = true, &in
	}
	return false
}

// tellExcess tells, once in a row, that an input was beyond the bound.
func (a *Agent) tellExcess() {
	a.queue.mu.Lock()
	in := a.queue.excess
	a.queue.excess = nil
	a.queue.mu.Unlock()
	if in == nil {
		return
	}
	name := cmp.Or(strings.TrimPrefix(in.by, sourceScript+":"), "a script")
	if in.line > 0 {
		name = fmt.Sprintf("%s:%d", name, in.line)
	}
	a.report.Notify("warn",
		fmt.Sprintf("%s gave the agent input again after %d in a row from scripts and none from "+
			"you: it is not taken until you say something; script_inputs = N under [limits] in "+
			"config.toml allows more",
			name, a.mostInputs()))
}

func (a *Agent) mostInputs() int { return a.o.Limits.ScriptInputs }
