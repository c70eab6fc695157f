// This file limits what scripts send to the agent without input from the user.

package agent

import (
	"cmp"
	"fmt"

	"github.com/agentscripts/agent/engine/fault"
)

// admit counts an input that is being sent. The error says that scripts have sent enough for now.
// Steering of the current prompt is part of that prompt, whose own limits apply.
func (q *queue) admit(in *Input) error {
	defer q.tellExcess()
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case in.Source != sourceScript:
		q.row, q.over = 0, false
	case q.working > 0 && in.Kind != kindFollowUp && !atOnce(*in):
	case !q.counts(*in):
		return &fault.WorldError{Code: "limit",
			Message: fmt.Sprintf("scripts sent %d inputs in a row, with none from the user",
				q.most)}
	default:
		in.counted = true
	}
	return nil
}

// counts counts a script's input and reports whether it is within the limit. Called under q.mu; see
// tellExcess.
func (q *queue) counts(in Input) bool {
	if q.row < q.most {
		q.row++
		return true
	}
	if !q.over {
		q.over, q.excess = true, &in
	}
	return false
}

// tellExcess reports once that an input exceeded the limit.
func (q *queue) tellExcess() {
	q.mu.Lock()
	in := q.excess
	q.excess = nil
	q.mu.Unlock()
	if in == nil {
		return
	}
	name := cmp.Or(in.script(), "a script")
	if in.line > 0 {
		name = fmt.Sprintf("%s:%d", name, in.line)
	}
	q.report.Notify("warn",
		fmt.Sprintf("%s sent an input after %d in a row from scripts: no more are taken until "+
			"you send a prompt; to allow more, set script_inputs under [limits] in config.toml",
			name, q.most))
}
