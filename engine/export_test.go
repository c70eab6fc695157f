package engine

import "github.com/agentscripts/agent/engine/event"

// DecodeOutcome is decodeOutcome for tests. It returns the verb of the decision.
func DecodeOutcome(row *event.Row, v any) (verb string, err error) {
	o, err := decodeOutcome(row, v)
	return o.verb(), err
}
