// This file asks models for hooks of docker-agent.

package hooks

import (
	"fmt"

	"github.com/agentscripts/agent/engine/value"
)

// judged is the shape of answers of models that decide about calls.
const judged = "pre_tool_use_decision"

// shaped is what a model is told for a hook.
const shaped = "You answer for a hook of a coding agent. Answer only what is asked, without " +
	"anything around it."

// askShaped asks a model for a hook of the type model.
func (a *asked) askShaped(h *hook, in message) *answer {
	var schema message
	if h.shape == judged {
		schema = object("decision", "string", "reason", "string?")
	}
	text, m, err := a.x.askText(a.run, h, shaped, h.filled(in), schema)
	said := &answer{err: err}
	switch d := value.Text(m, "decision"); {
	case err != nil:
	case schema == nil:
		if h.row.text {
			said.context = short(text)
		}
	case d == "allow" && !h.row.supports(d):
	case firm(d) > 0:
		said.decision, said.reason = d, short(value.Text(m, "reason"))
	default:
		said.err = fmt.Errorf("the model has decided %.40q, want allow, ask or deny", d)
	}
	return said
}
