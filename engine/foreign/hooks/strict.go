// This file reads what only hooks of docker-agent answer.

package hooks

import (
	"cmp"
	"strings"

	"github.com/agentscripts/agent/engine/value"
)

// supports reports whether an answer to the event may have a field.
func (r *row) supports(field string) bool {
	may := r.may + " hook_specific_output hook_event_name system_message "
	if r.blocks {
		may += "continue stop_reason decision reason "
	}
	if r.decides {
		may += "permission_decision permission_decision_reason "
	}
	if r.text {
		may += "additional_context "
	}
	return strings.Contains(" "+may, " "+field+" ")
}

// readMore reads the other fields of an answer, and leaves out what has no effect on the event.
func (a *answer) readMore(h *hook, f, own *fields) {
	r := h.row
	a.summary, a.metadata = own.text("summary"), own.table("metadata")
	if list := own.list("updated_messages"); r.supports("updated_messages") {
		a.messages = list
	}
	if a.stop {
		a.decision, a.reason = "deny", cmp.Or(a.why, a.reason)
	}
	a.stop = false
	if a.decision == "deny" && !r.blocks || a.decision == "allow" && !r.supports("allow") {
		a.decision, a.reason = "", ""
	}
	if !r.supports("additional_context") {
		a.context = ""
	}
	if !r.supports("updated_input") {
		a.update = nil
	}
	_ = own.text("updated_tool_response") // an error if it is something else
	if !h.strict {
		return
	}
	for _, in := range []*fields{f, own} {
		for _, name := range value.SortedKeys(in.m) {
			if !r.supports(name) {
				in.wrong(name, "it has no effect on "+r.name+" (strict_output)")
			}
		}
	}
}
