// This file turns the answers of hooks into what handlers return.

package hooks

import (
	"cmp"

	"github.com/agentscripts/agent/engine/event"
)

// outcome returns what a handler returns for an answer to an event of the row.
func (x *extension) outcome(r *row, ev *event.Event, a *answer) map[string]any {
	denied := a.decision == "deny"
	if (denied || a.stop) && r.refuses || a.stop && r.tells == "task" {
		return x.api.Refusal(cmp.Or(a.why, a.reason))
	}
	if r.decides && a.decision == "allow" {
		return object("allow", true, "reason", a.reason)
	}
	out, text := message{}, a.context
	if denied {
		text = join(cmp.Or(a.reason, "a hook of "+x.api.Bind.Gen.Name+" refuses"), text)
	}
	switch {
	case text == "" || r.tells == "":
	case r.tells == "task":
		out["task"] = ev.Text("task") + "\n\n" + text
	case r.tells != "continue_with":
		out[r.tells] = text
	case !a.stop:
		x.setContinued(ev.Env())
		out[r.tells] = text
	}
	if r.stops && a.result != nil {
		if content, ok := ownContent(ev.Text("tool"), a.result); ok {
			out["content"] = content
		} else {
			x.api.Log("warn", "updatedToolOutput has not the shape of the results of this tool")
		}
	}
	if r.stops && a.stop {
		out["stop"], out["reason"] = true, cmp.Or(a.why, "a hook stops the agent")
	}
	return out
}

// join joins two texts, one below the other.
//
//go:noinline
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
