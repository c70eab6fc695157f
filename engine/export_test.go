package engine

import "github.com/agentscripts/agent/engine/event"

// DecodeOutcome is decodeOutcome for tests: the verb of what was decided.
func DecodeOutcome(row *event.Row, v any) (verb string, err error) {
	o, err := decodeOutcome(row, v)
	return o.verb(), err
}
