// This file defines the events in the lines of --json and in the notifications of rpc.

package spec

import (
	"slices"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// StreamVersion is the version of the stream's format. Within a version, events and fields are only
// added, and no field changes its type or meaning.
const StreamVersion = 1

// Streamed returns the events of the stream, with the payload fields that it carries, in the order
// of the reference. The event guard is not among them: tool_approval and tool_skipped report its
// result.
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
