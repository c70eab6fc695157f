// This file says how events look outside of the program: in the lines of --json, and in the notifications of rpc.

package spec

import (
	"slices"

	"github.com/agentscripts/agent/engine"
)

// StreamVersion is the version of what the stream carries. Within one, events and fields are only added, and no field changes its
// type or its meaning.
const StreamVersion = 1

// Streamed returns the events that the stream tells, with the payload fields that it carries, in the order of the reference. A
// guard is not told: tool_approval and tool_skipped say what came of it.
func Streamed() []engine.EventRow {
	var rows []engine.EventRow
	for _, r := range Events() {
		if r.Name == "guard" {
			continue
		}
		r.Payload = slices.DeleteFunc(slices.Clone(r.Payload), func(f engine.Field) bool { return f.Unshown })
		rows = append(rows, r)
	}
	return rows
}

// Envelope returns the fields that every event has, in the order of engine.EnvelopeKeys.
func Envelope() []engine.Field {
	return []engine.Field{
		f("event", "string", "its name"), f("id", "string", "of the event, unique in this run of the program"), f("time", "number", "seconds since 1970"),
		f("session_id", "string?", ""), f("session_path", "string?", "the file; left out if it is not written down"), f("cwd", "string", "working directory"),
		f("project", "string", "its root"), f("branch", "string?", "of git"), f("agent", "string", "name: main, or that of a sub-agent's kind"),
		f("agent_id", "string", "main, or the id of the sub-agent"), f("parent_agent_id", "string?", "of a sub-agent"), f("depth", "integer", "0 = the main agent"),
		f("model", "string?", "provider/id"), f("prompt_id", "string?", "the entry of the prompt that is worked on"), f("turn", "integer?", "of the prompt, 1-based"),
		one("mode", "", "tui", "print", "json", "rpc", "acp"), f("interactive", "boolean", "somebody can be asked"),
		f("permission", "string", "the permission mode"), f("origin", "string?", "model, user, script:NAME, command:NAME, mcp:SERVER or subagent"),
		having(f("window", "table?", "{tokens, limit, percent, estimated} of the model's window"), engine.WindowFields()), f("cost", "number?", "US dollars, whole session, as far as prices are known; nil = none is"),
	}
}
