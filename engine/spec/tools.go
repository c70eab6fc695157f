// This file holds the rows of the events of a tool call.

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
		"absolute paths, with links followed, that the call reads, as far as known; for a "+
			"command, according to its words"),
	f("writes", "list", "paths that it writes, creates or removes"),
	f("unknown_writes", "boolean", "there may be others: the command is opaque"),
	f("rewritten", "table?",
		"if scripts or the user changed the call: {by = {{script, line, changed}}, tool, args}: "+
			"who changed what, and the original; by the user if script is absent"))

// ofCall marks fields that the engine sets in each event of a tool call.
func ofCall(fields ...*value.Field) (marked []*value.Field) {
	for _, field := range fields {
		one := *field
		one.OfCall = true
		marked = append(marked, &one)
	}
	return marked
}

// original makes the field for the arguments of a tool call before any handler changed them.
func original(doc string) *value.Field { return ofCall(f("original", "table", doc))[0] }

// onTool adds the fields of every event about a tool call to a row, then more.
func onTool(r *event.Row, more ...*value.Field) *event.Row {
	r.Payload = append(list(callFields...), list(more...)...)
	return filtered(r, toolText, "tool", "kind", "match", "reads", "writes", "depth")
}

// ofPieces sets the roles of the fields in an event that streams a tool's output.
func ofPieces(r *event.Row) *event.Row {
	for i := range r.Payload {
		if r.Payload[i].Name == "call_id" {
			r.Payload[i].Piece = value.PieceOf
		}
	}
	return r
}

var toolKind = one("kind", "", "read", "edit", "execute", "search", "agent", "other")

// answers makes the type of respond a tool result, as a tool's run returns it.
func answers(r *event.Row) *event.Row {
	r.Respond = func(v any) error {
		_, err := engine.DecodeResult(v)
		return err
	}
	return r
}

var toolEvents = []*event.Row{
	onTool(answers(failing(intercept("tool_call", "The model has called a tool, which may not "+
		"exist.",
		[]string{"args", "tool", "block", "ask", "allow", "respond", "context", "abort"}),
		event.FailAsk)),
		original("the original arguments")),
	onTool(failing(intercept("guard", "Guards check a call's final arguments (ext.guard).",
		[]string{"block", "ask"}), event.FailAsk),
		original("")),
	onTool(failing(intercept("tool_permission", "The user is about to be asked for approval of "+
		"a call.",
		[]string{"allow", "block", "detail"}), event.FailAsk),
		original(""), having(f("asks", "list", "{who, why}"),
			list(ref("who", "string", ""), f("why", "string", ""))),
		f("rule", "string?", ""), f("detail", "table?", "shown in the dialog")),
	onTool(observe("tool_approval", "A call has been allowed or refused."),
		one("decision", "", "allow", "deny", "cancelled"),
		one("source", "", "yolo", "mode", "session_allow", "rule_allow", "rule_deny", "script",
			"guard", "read_only", "only_reads", "user_once", "user_session", "user_always",
			"user_rejected", "cancelled", "headless", "sandbox"),
		ref("script", "string?", "who decided"), f("line", "integer?",
			"where the handler was registered")),
	onTool(observe("tool_skipped", "A call has ended without running its tool."),
		one("cause", "", "denied", "aborted", "steered", "unknown", "invalid"),
		f("reason", "string", "the message for the model"), ref("script", "string?", "who refused"),
		f("line", "integer?", "where the handler was registered")),
	onTool(observe("tool_start", "A tool has started.")),
	ofPieces(onTool(observe("tool_output", "A running tool has printed output."),
		piece(value.PieceText, f("chunk", "string", "")),
		piece(value.PieceKind, f("stderr", "boolean", "")))),
	onTool(observe("tool_end", "A tool has finished."), f("duration_ms", "number", ""),
		f("is_error", "boolean", "")),
	withholding("a notice replaces the result, which counts as an error",
		onTool(intercept("tool_result", "A call's result is about to be sent to the model.",
			[]string{"content", "is_error", "details", "for_user", "silent", "context", "stop",
				"abort"}),
			having(f("content", "string|list", "blocks"), chat.BlockFields()),
			f("details", "table?", ""), f("is_error", "boolean", ""),
			f("duration_ms", "number", ""),
			f("for_user", "string?", ""), f("silent", "boolean", ""),
			ref("answered_by", "string?", "the script that answered instead of the tool"),
			f("answered_line", "integer?", "where the handler was registered"),
			f("result_rewritten", "table?",
				"for observers, if scripts changed the result: {by = {{script, line, changed}}, "+
					"content}: who changed it, and the original content, unless a handler with "+
					"scrub or "+
					"on_error = \"block\" changed that"),
			having(f("display", "table?", "{title, kind, lang, text}: how to draw it"),
				ui.DisplayFields()))),
	filtered(intercept("tool_batch_end", "All tool calls of one message have ended.",
		[]string{"stop", "context"},
		f("calls", "integer", ""), f("errors", "integer", "")), "", "depth"),
	filtered(intercept("loop_detected", "The model has made the same call several times.",
		[]string{"block", "ask"},
		ref("tool", "string", ""), f("count", "integer", "in a row, including this one"),
		ref("args_hash", "string", "")), "", "tool", "depth"),
}
