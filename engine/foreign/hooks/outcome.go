// This file turns the answers of hooks into what handlers return.

package hooks

import (
	"cmp"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
)

// outcome returns what a handler returns for an answer to an event of the row.
func (x *extension) outcome(r *row, ev *event.Event, a *answer) map[string]any {
	denied := a.decision == "deny"
	if (denied || a.stop) && r.refuses || a.stop && r.tells == "task" {
		return x.api.Refusal(cmp.Or(a.why, a.reason))
	}
	out, text := message{}, a.context
	if r.ours == "tool_permission" && len(a.metadata) > 0 {
		setField(out, "detail", a.metadata)
	}
	if r.decides && a.decision == "allow" {
		setField(out, "allow", true)
		setField(out, "reason", a.reason)
		return out
	}
	if a.messages != nil {
		if list, err := ownMessages(ev, a.messages); err != nil {
			a.err = err
		} else {
			setField(out, "messages", list)
		}
	}
	if a.summary != "" {
		setField(out, "summary", a.summary)
	}
	if denied {
		text = join(cmp.Or(a.reason, "a hook of "+x.api.Bind.Gen.Name+" refuses"), text)
	}
	switch {
	case text == "" || r.tells == "":
	case r.tells == "task", r.tells == "instructions":
		setField(out, r.tells, strings.TrimLeft(ev.Text(r.tells)+"\n\n"+text, "\n"))
	case r.tells != "continue_with":
		setField(out, r.tells, text)
	case !a.stop:
		x.setContinued(ev.Env())
		setField(out, r.tells, text)
		if denied {
			x.api.Tell("info", "the agent goes on: "+plain.Line(text, 500))
		}
	}
	if r.stops && a.result != nil {
		if content, ok := ownContent(ev.Text("tool"), a.result); ok {
			setField(out, "content", content)
		} else {
			x.api.Log("warn", "updatedToolOutput has not the shape of the results of this tool")
		}
	}
	if r.ends && denied || r.stops && a.stop {
		setField(out, "stop", true)
		setField(out, "reason", cmp.Or(a.why, a.reason, "a hook stops the agent"))
	}
	return out
}

// join joins two texts, one below the other.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
