// This file holds the rows of the event table that belong to a prompt: input, agent, turn,
// streaming, sub-agents.

package spec

import (
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

var inputEvents = []event.Row{
	filtered(intercept("input", "The user gave input; fired when it takes effect.",
		[]string{"text", "images", "handled", "block", "context"},
		one("kind", "", "prompt", "steer", "follow_up"), f("text", "string", ""),
		having(f("images", "list?", "image blocks"), chat.BlockFields()),
		one("source", "", "interactive", "cli", "queue", "rpc", "script")), "text", "kind",
		"match"),
	filtered(observe("input_queued", "Input waits: the agent is at work.",
		one("kind", "", "steer", "follow_up"), f("waiting", "integer",
			"how many inputs wait, this one included")), "", "kind"),
	observe("steering_injected", "Input reached the model in the middle of its work.",
		f("count", "integer", ""), f("texts", "list", "")),
	filtered(observe("interrupt",
		"The work is interrupted: by input, after the tool batch, or at once.",
		one("kind", "", "steering", "graceful", "hard")), "", "kind"),
	observe("wait_input",
		"The program waits for the user; idle: nothing is pending, a new session may be started.",
		one("cause", "", "idle", "approval", "question")),
	filtered(observe("user_shell", "The user runs a command with ! or !!.",
		f("command", "string", ""), f("in_context", "boolean", "the model will see it")), "command",
		"match"),
}

var agentEvents = []event.Row{
	filtered(intercept("agent_before_start", "A prompt is about to be worked on.",
		[]string{"prompt", "system_prompt", "context", "block"},
		f("prompt", "string", ""), f("system_prompt", "string", "")), "prompt", "match", "depth"),
	filtered(observe("agent_start", "Work on a prompt begins.", f("prompt", "string", "")),
		"prompt", "match", "depth"),
	filtered(intercept("agent_before_end", "The model is done; continue_with gives it more to do.",
		[]string{"continue_with"},
		f("response", "string", ""), f("last_user_message", "string", ""),
		f("tool_calls", "integer", "of this prompt")), "response", "match", "depth"),
	last(filtered(observe("agent_end", "Work on a prompt has ended.",
		f("response", "string", "the last text of the model"),
		promptStatus,
		f("error", "string?", ""), f("turns", "integer", ""), f("tool_calls", "integer", ""),
		ref("tool_names", "list", ""),
		having(f("usage", "table", "{input, output, cache_read, cache_write}"),
			chat.UsageFields()), f("cost", "number?", "US dollars"),
		f("duration_ms", "number", "")), "response", "match", "depth")),
	observe("busy_change", "The agent begins or ends its work.",
		one("state", "", "working", "idle"), one("previous", "", "working", "idle")),
}

var turnEvents = []event.Row{
	lasting(filtered(intercept("turn_start", "A model call is about to be made.",
		[]string{"block", "ask", "stop", "context"},
		f("turn", "integer", "1-based")), "", "depth"), event.ForTurn),
	withholding("the prompt ends, blocked",
		checked(filtered(intercept("context",
			"The messages that the model will see in this request; ids are stable, the list is "+
				"lazy.", []string{"messages"},
			unshown(unmasked(having(f("messages", "list", ""), chat.MessageFields())))), "",
			"depth"),
			"messages", checkMessages)),
	withholding("a notice takes the place of the message",
		checked(filtered(intercept("llm_message",
			"A message as the model will see it; asked once per message and content, then "+
				"remembered.", []string{"content"},
			unshown(having(f("message", "table", ""), chat.MessageFields())), purpose,
			unshown(having(f("content", "string|list", "of the message"), chat.BlockFields()))),
			"message", "match", "purpose", "depth"), "content", nil)),
	checked(checked(
		checked(answersModel(filtered(intercept("llm_request", "A model is about to be asked.",
			[]string{"model", "messages", "tools", "tool_choice", "options", "respond", "block",
				"abort"},
			purpose, ref("model", "string", "provider/id"),
			unshown(unmasked(having(f("messages", "list", "lazy"), chat.MessageFields()))),
			having(f("tools", "list", "names, or {name, description, schema}"),
				chat.ToolSpecFields()),
			ref("tool_choice", "string?", "auto, none, required, or a tool's name"),
			f("options", "table", "{temperature, max_tokens, ...}"),
			f("iteration", "integer", "turn of the prompt, 1-based"),
			f("last_turn", "boolean", "no more tools wanted")), "", "purpose", "depth")),
			"messages", checkMessages), "tools", checkTools), "model", checkModel),
	withholding("a notice takes the place of the answer, and its tool calls are dropped",
		checked(filtered(intercept("llm_response", "A model has answered.",
			[]string{"text", "reasoning", "tool_calls", "stop", "abort"},
			purpose, ref("model", "string", "provider/id"), unshown(f("text", "string", "")),
			unshown(f("reasoning", "string", "")),
			unshown(unmasked(having(f("tool_calls", "list", "{id, tool, args}"),
				chat.ToolUseFields()))),
			having(f("usage", "table", "{input, output, cache_read, cache_write}"),
				chat.UsageFields()), f("cost", "number?", "US dollars; nil = unknown price"),
			ref("finish_reason", "string?", ""),
			unshown(f("last_user_message", "string", "")), f("duration_ms", "number", "")), "text",
			"match", "purpose", "depth"), "tool_calls", checkToolCalls)),
	filtered(observe("llm_retry", "A request failed and is made again.",
		f("attempt", "integer", "the one that failed, 1-based"), f("max", "integer", ""),
		ref("cause", "string", "rate_limit, overloaded, network, timeout, overflow or other"),
		f("error", "string", ""), f("backoff_ms", "number", "until the next attempt")), "",
		"depth"),
	filtered(observe("llm_warning", "A provider warns.", f("warnings", "list", "texts")), "",
		"depth"),
	filtered(observe("llm_source", "A model names a source.", ref("kind", "string", ""),
		ref("source_id", "string?", ""), f("url", "string?", ""), f("title", "string?", "")), "",
		"depth"),
	last(filtered(observe("turn_end", "A model call and its tool batch have ended.",
		one("cause", "", "normal", "continue", "steered", "error", "cancelled", "blocked",
			"loop_detected", "stopped", "limit"), f("error", "string?", ""),
		ref("finish_reason", "string?", ""),
		having(f("usage", "table", "{input, output, cache_read, cache_write}"),
			chat.UsageFields()), f("has_tool_calls", "boolean", "")), "", "depth")),
}

var purpose = one("purpose", "", chat.Purposes()...)

// promptStatus is how the work on a prompt ended.
var promptStatus = one("status", "", "completed", "cancelled", "blocked", "stopped", "limit",
	"error")

func checkMessages(v any) error {
	_, err := chat.DecodeMessages(v)
	return err
}

func checkTools(v any) error {
	_, err := chat.DecodeToolSpecs(v, nil)
	return err
}

func checkModel(v any) error { return chat.CheckModelName(v) }

func checkToolCalls(v any) error {
	_, err := chat.DecodeToolUses(v)
	return err
}

// answersModel makes respond a model's reply.
func answersModel(r event.Row) event.Row {
	r.Respond = func(v any) error {
		_, err := chat.DecodeReply(v)
		return err
	}
	return r
}

// spoken is the kind of text that a model says.
var spoken = one("kind", "", "text", "reasoning")

var streamEvents = []event.Row{
	filtered(observe("message_start", "A message of the model begins.",
		ref("message_id", "string", "")), "", "depth"),
	filtered(observe("message_delta", "A piece of a message of the model.",
		piece(value.PieceOf, ref("message_id", "string", "")), piece(value.PieceKind, spoken),
		piece(value.PieceText, f("delta", "string", ""))), "delta", "kind", "match", "depth"),
	filtered(observe("message_end", "A message of the model is complete.",
		piece(value.PieceEnd, ref("message_id", "string", "")), f("text", "string", ""),
		f("reasoning", "string?", ""),
		f("rewritten", "table?",
			"if scripts changed it, or what is seen of it: {by = {{script, line, changed}}}"),
		f("hidden", "string?",
			"for the user: which script hides the text or the reasoning, and why")), "text",
		"match", "depth"),
	filtered(intercept("assistant_message",
		"What the user sees of a message of the model, whole or as far as it has come; scripts "+
			"and the model keep the model's words.", []string{"text", "block"},
		ref("message_id", "string", ""), f("text", "string", ""), spoken,
		f("final", "boolean", "false: more of it comes")), "text", "kind", "match", "depth"),
	filtered(observe("tool_input_start", "The model begins to write a tool call.",
		inputCall("")...), "", "tool", "kind", "depth"),
	filtered(observe("tool_input_delta", "A piece of a tool call's arguments, as JSON text.",
		append(inputCall(value.PieceOf), piece(value.PieceText, f("delta", "string", "")))...),
		"", "tool", "kind", "depth"),
	filtered(observe("tool_input_end", "The model has written a tool call.",
		inputCall(value.PieceEnd)...), "", "tool", "kind", "depth"),
}

// inputCall names a tool call that the model is writing; part is what its id says of the pieces.
func inputCall(part value.PieceRole) []value.Field {
	return []value.Field{piece(part, ref("call_id", "string", "")), ref("tool", "string", ""),
		toolKind}
}

var subagentEvents = []event.Row{
	filtered(intercept("subagent_start", "A sub-agent is about to begin.",
		[]string{"task", "model", "tools", "block"},
		ref("subagent_id", "string", ""), ref("name", "string", ""), f("task", "string", ""),
		ref("model", "string", "provider/id"), ref("tools", "list", "names")), "task", "match",
		"depth"),
	filtered(observe("subagent_event", "A sub-agent does something.",
		ref("subagent_id", "string", ""), one("kind", "", "text", "reasoning", "tool_start",
			"tool_end", "turn"),
		value.Field{Name: "data", Type: "table", VerbatimKeys: []string{"call_id", "tool",
			"kind"}}), "", "kind", "depth"),
	withholding("a notice takes the place of the response",
		filtered(intercept("subagent_end", "A sub-agent has ended.", []string{"response"},
			ref("subagent_id", "string", ""), ref("name", "string", ""),
			ref("parent_session_id", "string", ""),
			promptStatus,
			f("response", "string", ""), f("error", "string?", ""),
			having(f("usage", "table", "{input, output, cache_read, cache_write}"),
				chat.UsageFields()), f("cost", "number?", "US dollars"),
			f("delivered", "boolean", "somebody takes the result; false: orphaned")), "response",
			"match", "depth")),
	filtered(observe("agent_switch", "Another agent works.", ref("from", "string", "name"),
		ref("to", "string", "name"), one("kind", "", "transfer", "handoff", "return"),
		having(f("from_models", "list", "{provider, model, base_url, unload_api}"),
			[]value.Field{ref("provider", "string", ""), ref("model", "string", ""),
				f("base_url", "string", ""), ref("unload_api", "string", "")})), "", "kind",
		"depth"),
}
