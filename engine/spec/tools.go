// This file holds the rows of the event table that belong to a tool call.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

const toolText = "args.command|args.path|args.file_path|args.url|args.pattern"

// callFields are the fields of every event about a tool call.
var callFields = ofCall(
	ref("call_id", "string", ""), ref("tool", "string", "name"), toolKind,
	f("read_only", "boolean", ""), f("args", "table", ""),
	f("reads", "list",
		"absolute paths with links followed that the call reads, as far as can be known: of a "+
			"command, by its words"),
	f("writes", "list", "paths that it writes, makes or removes"),
	f("unknown_writes", "boolean", "there may be others: it runs what cannot be read"),
	f("rewritten", "table?",
		"if scripts, or the user, changed the call: {by = {{script, line, changed}}, tool, "+
			"args}: who, and what it was before; without script, the user"))

// ofCall marks fields that the engine fills in for each event of a tool call.
func ofCall(fields ...value.Field) []value.Field {
	for i := range fields {
		fields[i].OfCall = true
	}
	return fields
}

// original is the field with the arguments of a tool call before any handler saw them.
func original(doc string) value.Field { return ofCall(f("original", "table", doc))[0] }

// onTool makes a row of an event about a tool call: the fields every such event has, then more.
func onTool(r event.Row, more ...value.Field) event.Row {
	r.Payload = append(callFields[:len(callFields):len(callFields)], more...)
	return filtered(r, toolText, "tool", "kind", "match", "reads", "writes", "depth")
}

// ofPieces makes a row of an event that tells what a tool says, piece by piece.
func ofPieces(r event.Row) event.Row {
	for i := range r.Payload {
		if r.Payload[i].Name == "call_id" {
			r.Payload[i].Piece = value.PieceOf
		}
	}
	return r
}

var toolKind = one("kind", "", "read", "edit", "execute", "search", "agent", "other")

// answers makes respond a tool result, as a tool's run returns it.
func answers(r event.Row) event.Row {
	r.Respond = func(v any) error {
		_, err := engine.DecodeResult(v)
		return err
	}
	return r
}

var toolEvents = []event.Row{
	onTool(answers(failing(intercept("tool_call", "A tool call came in; any name.",
		[]string{"args", "tool", "block", "ask", "allow", "respond", "context", "abort"}),
		event.FailAsk)),
		original("the arguments as they came")),
	onTool(failing(intercept("guard", "The last word on a call's final arguments (ext.guard).",
		[]string{"block", "ask"}), event.FailAsk),
		original("")),
	onTool(failing(intercept("tool_permission", "Somebody asks for this call.",
		[]string{"allow", "block", "detail"}), event.FailAsk),
		original(""), having(f("asks", "list", "{who, why}"),
			[]value.Field{ref("who", "string", ""), f("why", "string", "")}),
		f("rule", "string?", ""), f("detail", "table?", "shown in the dialog")),
	onTool(observe("tool_approval", "It was decided whether a call may run."),
		one("decision", "", "allow", "deny", "cancelled"),
		one("source", "", "yolo", "mode", "session_allow", "rule_allow", "rule_deny", "script",
			"guard", "read_only", "user_once", "user_session", "user_always", "user_rejected",
			"cancelled", "headless"),
		ref("script", "string?", "who decided"), f("line", "integer?",
			"where its handler was registered")),
	onTool(observe("tool_skipped", "A call ended before its tool ran."),
		one("cause", "", "denied", "aborted", "steered", "unknown", "invalid"),
		f("reason", "string", "what the model is told"), ref("script", "string?", "who refused"),
		f("line", "integer?", "where its handler was registered")),
	onTool(observe("tool_start", "A tool runs.")),
	ofPieces(onTool(observe("tool_output", "A running tool said something."),
		piece(value.PieceText, f("chunk", "string", "")),
		piece(value.PieceKind, f("stderr", "boolean", "")))),
	onTool(observe("tool_end", "A tool has run."), f("duration_ms", "number", ""),
		f("is_error", "boolean", "")),
	withholding("a notice takes the place of the result, which counts as an error",
		onTool(intercept("tool_result", "A call's result is about to go to the model.",
			[]string{"content", "is_error", "details", "for_user", "silent", "context", "stop",
				"abort"}),
			having(f("content", "string|list", "blocks"), chat.BlockFields()),
			f("details", "table?", ""), f("is_error", "boolean", ""),
			f("duration_ms", "number", ""),
			f("for_user", "string?", ""), f("silent", "boolean", ""),
			ref("answered_by", "string?", "the script that answered instead of the tool"),
			f("answered_line", "integer?", "where its handler was registered"),
			f("result_rewritten", "table?",
				"to observers, if scripts changed the result: {by = {{script, line, changed}}, "+
					"content}: who, and what the tool said, unless a handler with scrub or "+
					"on_error = \"block\" changed that"),
			having(f("display", "table?", "{title, kind, lang, text}: how it is drawn"),
				ui.DisplayFields()))),
	filtered(intercept("tool_batch_end", "All tool calls of one message have ended.",
		[]string{"stop", "context"},
		f("calls", "integer", ""), f("errors", "integer", "")), "", "depth"),
	filtered(intercept("loop_detected", "The model makes the same call again and again.",
		[]string{"block", "ask"},
		ref("tool", "string", ""), f("count", "integer", "in a row, this one included"),
		ref("args_hash", "string", "")), "", "tool", "depth"),
}
