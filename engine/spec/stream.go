// This file says how events look outside of the program: in the lines of --json, and in the
// notifications of rpc.

package spec

import (
	"slices"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// StreamVersion is the version of what the stream carries. Within one, events and fields are only
// added, and no field changes its type or its meaning.
const StreamVersion = 1

// Streamed returns the events that the stream tells, with the payload fields that it carries, in
// the order of the reference. A guard is not told: tool_approval and tool_skipped say what came of
// it.
func Streamed() []event.Row {
	var rows []event.Row
	for _, r := range Events() {
		if r.Name == "guard" {
			continue
		}
		r.Payload = slices.DeleteFunc(slices.Clone(r.Payload),
			func(f value.Field) bool { return f.Unshown })
		rows = append(rows, r)
	}
	return rows
}

// Envelope returns the fields that every event has, in the order of event.EnvelopeKeys.
func Envelope() []value.Field { return event.EnvelopeFields() }
