// This file holds the rows of the events of a prompt: input, agent, turn, streaming, sub-agents.

package spec

import (
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

var inputEvents = []*event.Row{
	filtered(intercept("input", "The user has entered input; fired when it takes effect.",
		[]string{"text", "images", "handled", "block", "context"},
		one("kind", "", "prompt", "steer", "follow_up"), f("text", "string", ""),
		having(f("images", "list?", "image blocks"), chat.BlockFields()),
		one("source", "", "interactive", "cli", "queue", "rpc", "script")), "text", "kind",
		"match"),
	filtered(observe("input_queued", "Input waits because the agent is busy.",
		one("kind", "", "steer", "follow_up"), f("waiting", "integer",
			"number of waiting inputs, including this one")), "", "kind"),
	observe("steering_injected", "Input was added to the current prompt.",
		f("count", "integer", ""), f("texts", "list", "")),
	filtered(observe("interrupt",
		"The prompt is interrupted: by input, after the tool batch, or at once.",
		one("kind", "", "steering", "graceful", "hard")), "", "kind"),
	observe("wait_input",
		"The program waits for the user; idle: no input is pending, and a new session can be "+
			"started.",
		one("cause", "", "idle", "approval", "question")),
	filtered(observe("user_shell", "The user has run a command with ! or !!.",
		f("command", "string", ""), f("in_context", "boolean", "the model will see it")), "command",
		"match"),
}

var agentEvents = []*event.Row{
	filtered(intercept("agent_before_start", "A prompt is about to start.",
		[]string{"prompt", "system_prompt", "context", "block"},
		f("prompt", "string", ""), f("system_prompt", "string", "")), "prompt", "match", "depth"),
	filtered(observe("agent_start", "A prompt has started.", f("prompt", "string", "")),
		"prompt", "match", "depth"),
	filtered(intercept("agent_before_end", "The model has finished; continue_with adds a "+
		"message to continue with.",
		[]string{"continue_with"},
		f("response", "string", ""), f("last_user_message", "string", ""),
		f("tool_calls", "integer", "of this prompt")), "response", "match", "depth"),
	last(filtered(observe("agent_end", "A prompt has ended.",
		f("response", "string", "the model's last text"),
		promptStatus,
		f("error", "string?", ""), f("turns", "integer", ""), f("tool_calls", "integer", ""),
		ref("tool_names", "list", ""),
		having(f("usage", "table", "{input, output, cache_read, cache_write}"),
			chat.UsageFields()), f("cost", "number?", "US dollars"),
		f("duration_ms", "number", "")), "response", "match", "depth")),
	observe("busy_change", "The agent has become busy or idle.",
		one("state", "", "working", "idle"), one("previous", "", "working", "idle")),
}

var turnEvents = []*event.Row{
	lasting(filtered(intercept("turn_start", "A model call is about to be made.",
		[]string{"block", "ask", "stop", "context"},
		f("turn", "integer", "1-based")), "", "depth"), event.ForTurn),
	withholding("the prompt ends with the status blocked",
		checked(filtered(intercept("context",
			"The messages that the model will see in this request; ids are stable, the list is "+
				"lazy.", []string{"messages"},
			unshown(unmasked(having(f("messages", "list", ""), chat.MessageFields())))), "",
			"depth"),
			"messages", checkMessages)),
	withholding("a notice replaces the message",
		checked(filtered(intercept("llm_message",
			"A message as the model will see it; fired once per message and content, then "+
				"remembered.", []string{"content"},
			unshown(having(f("message", "table", ""), chat.MessageFields())), purpose,
			unshown(having(f("content", "string|list", "of the message"), chat.BlockFields()))),
			"message", "match", "purpose", "depth"), "content", nil)),
	checked(checked(
		checked(answersModel(filtered(intercept("llm_request", "A model request is about to be "+
			"sent.",
			[]string{"model", "messages", "tools", "tool_choice", "options", "respond", "block",
				"abort"},
			purpose, ref("model", "string", "provider/id"),
			unshown(unmasked(having(f("messages", "list", "lazy"), chat.MessageFields()))),
			having(f("tools", "list", "names, or {name, description, schema}"),
				chat.ToolSpecFields()),
			ref("tool_choice", "string?", "auto, none, required, or a tool's name"),
			f("options", "table", "{temperature, max_tokens, ...}"),
			f("iteration", "integer", "turn of the prompt, 1-based"),
			f("last_turn", "boolean", "true: the model should not call more "+
				"tools")), "", "purpose", "depth")),
			"messages", checkMessages), "tools", checkTools), "model", checkModel),
	withholding("a notice replaces the answer, and its tool calls are dropped",
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
	filtered(observe("llm_retry", "A request has failed and is retried.",
		f("attempt", "integer", "the attempt that failed, 1-based"), f("max", "integer", ""),
		ref("cause", "string", "rate_limit, overloaded, network, timeout, overflow or other"),
		f("error", "string", ""), f("backoff_ms", "number", "until the next attempt")), "",
		"depth"),
	filtered(observe("llm_warning", "A provider has sent a "+
		"warning.", f("warnings", "list", "texts")), "",
		"depth"),
	filtered(observe("llm_source", "A model has named a source.", ref("kind", "string", ""),
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

// answersModel makes the type of respond a model's reply.
func answersModel(r *event.Row) *event.Row {
	r.Respond = func(v any) error {
		_, err := chat.DecodeReply(v)
		return err
	}
	return r
}

// spoken is the field for the kind of a model's text.
var spoken = one("kind", "", "text", "reasoning")

var streamEvents = []*event.Row{
	filtered(observe("message_start", "A message of the model has started.",
		ref("message_id", "string", "")), "", "depth"),
	filtered(observe("message_delta", "A piece of a message of the model has arrived.",
		piece(value.PieceOf, ref("message_id", "string", "")), piece(value.PieceKind, spoken),
		piece(value.PieceText, f("delta", "string", ""))), "delta", "kind", "match", "depth"),
	filtered(observe("message_end", "A message of the model is complete.",
		piece(value.PieceEnd, ref("message_id", "string", "")), f("text", "string", ""),
		f("reasoning", "string?", ""),
		f("rewritten", "table?",
			"if scripts changed it, or its display: {by = {{script, line, changed}}}"),
		f("hidden", "string?",
			"for the user: the script that hides the text or the reasoning, and its "+
				"reason")), "text",
		"match", "depth"),
	filtered(intercept("assistant_message",
		"A message of the model, complete or partial, is about to be displayed; scripts and the "+
			"model keep the original text.", []string{"text", "block"},
		ref("message_id", "string", ""), f("text", "string", ""), spoken,
		f("final", "boolean", "false: more of it will follow")), "text", "kind", "match", "depth"),
	filtered(observe("tool_input_start", "The model has started a tool call.",
		inputCall("")...), "", "tool", "kind", "depth"),
	filtered(observe("tool_input_delta", "A piece of a tool call's arguments has arrived, as "+
		"JSON text.",
		append(inputCall(value.PieceOf), piece(value.PieceText, f("delta", "string", "")))...),
		"", "tool", "kind", "depth"),
	filtered(observe("tool_input_end", "The model has completed a tool call.",
		inputCall(value.PieceEnd)...), "", "tool", "kind", "depth"),
}

// inputCall returns the fields that identify a tool call that the model is writing; part is the
// role of its id.
func inputCall(part value.PieceRole) []*value.Field {
	return []*value.Field{piece(part, ref("call_id", "string", "")), ref("tool", "string", ""),
		toolKind}
}

var subagentEvents = []*event.Row{
	filtered(intercept("subagent_start", "A sub-agent is about to start.",
		[]string{"task", "model", "tools", "block"},
		ref("subagent_id", "string", ""), ref("name", "string", ""), f("task", "string", ""),
		ref("model", "string", "provider/id"), ref("tools", "list", "names"),
		ref("call_id", "string?", "of the agent tool")), "task",
		"match",
		"depth"),
	filtered(observe("subagent_event", "A sub-agent has fired an event.",
		ref("subagent_id", "string", ""), one("kind", "", "text", "reasoning", "tool_start",
			"tool_end", "turn"),
		&value.Field{Name: "data", Type: "table", VerbatimKeys: []string{"call_id", "tool",
			"kind"}}), "", "kind", "depth"),
	withholding("a notice replaces the response",
		filtered(intercept("subagent_end", "A sub-agent has ended.", []string{"response"},
			ref("subagent_id", "string", ""), ref("name", "string", ""),
			ref("parent_session_id", "string", ""),
			promptStatus,
			f("response", "string", ""), f("error", "string?", ""),
			having(f("usage", "table", "{input, output, cache_read, cache_write}"),
				chat.UsageFields()), f("cost", "number?", "US dollars"),
			f("delivered", "boolean", "false: nothing uses the result")), "response",
			"match", "depth")),
	filtered(observe("agent_switch", "Another agent runs.", ref("from", "string", ""),
		ref("to", "string", ""), one("kind", "", "transfer", "handoff", "return"),
		ref("to_model", "string", ""),
		having(f("from_models", "list", "{provider, model, base_url, unload_api}"),
			list(ref("provider", "string", ""), ref("model", "string", ""),
				f("base_url", "string", ""), ref("unload_api", "string", "")))), "", "kind",
		"depth"),
}
