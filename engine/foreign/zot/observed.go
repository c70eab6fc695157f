// This file has the events of the protocol, with the fields of their frames.

package zot

import (
	"cmp"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// observation is an event of the protocol: its name, the event here, and the fields of its frame.
type observation struct {
	name, ours string
	fields     func(ev *event.Event) message
}

// observed are all of them. Some have two events here: a call that does not run has no other event
// than tool_skipped.
var observed = []observation{
	{"session_start", "session_start", nothing},
	{"session_end", "session_end", func(ev *event.Event) message {
		return message{"reason": ev.Text("cause")}
	}},
	{"user_prompt_submit", "input", promptSubmit},
	{"turn_start", "turn_start", step},
	{"turn_end", "turn_end", turnEnd},
	{"tool_call", "tool_start", originalCall},
	{"tool_call", "tool_skipped", originalCall},
	{"tool_confirmation_requested", "tool_permission", confirmation},
	{"permission_decision", "tool_approval", permission},
	{"tool_result", "tool_result", toolResult},
	{"tool_result", "tool_skipped", skippedResult},
	{"assistant_message", "assistant_message", saidText},
	{"pre_compact", "session_before_compact", func(ev *event.Event) message {
		messages, _ := plainField(ev, "messages").([]any)
		return message{"message_count": len(messages), "token_estimate": ev.Field("input_tokens")}
	}},
	{"post_compact", "session_compact", func(ev *event.Event) message {
		return message{"status": "completed", "message_count": ev.Field("kept"),
			"token_estimate": ev.Field("tokens_after")}
	}},
	{"subagent_start", "subagent_start", subagent},
	{"subagent_stop", "subagent_end", subagent},
}

// about returns the fields that all frames about events have.
func about(ev *event.Event) message {
	return message{"session_id": ev.Env().SessionID, "cwd": ev.Env().CWD}
}

// plainField returns a field of an event as plain data.
func plainField(ev *event.Event, name string) any {
	v, _ := value.Plain(ev.Field(name))
	return v
}

func nothing(*event.Event) message { return message{} }

func saidText(ev *event.Event) message { return message{"text": ev.Text("text")} }

func step(ev *event.Event) message { return message{"step": ev.Field("turn")} }

func promptSubmit(ev *event.Event) message {
	images, _ := plainField(ev, "images").([]any)
	return message{"text": ev.Text("text"), "image_count": len(images),
		"queued": ev.Text("source") == "queue" || ev.Text("kind") != "prompt"}
}

// stops are what the protocol calls the ends of a turn: by the cause, else by the reason why the
// model has finished.
var stops = map[string]string{"cancelled": "aborted", "error": "error", "blocked": "error",
	"stop": "end_turn", "tool_calls": "tool_use"}

func turnEnd(ev *event.Event) message {
	stop := stops[ev.Text("cause")]
	if stop == "" {
		finish := ev.Text("finish_reason")
		stop = cmp.Or(stops[finish], finish)
	}
	return withError(ev, message{"stop": stop})
}

// withError adds the error of an event, if it has one.
func withError(ev *event.Event, m message) message {
	if text := ev.Text("error"); text != "" {
		m["error"] = text
	}
	return m
}

// toolCall returns a call as it is now.
func toolCall(ev *event.Event) message {
	return message{"tool_id": ev.Text("call_id"), "tool_name": ev.Text("tool"),
		"tool_args": ev.Field("args")}
}

// originalCall returns a call as the model has made it.
func originalCall(ev *event.Event) message {
	m := toolCall(ev)
	rewritten, _ := plainField(ev, "rewritten").(map[string]any)
	if was, ok := rewritten["args"].(map[string]any); ok {
		m["tool_args"] = was
	}
	if was, ok := rewritten["tool"].(string); ok {
		m["tool_name"] = was
	}
	return m
}

// mostPreview limits the text that says what the user is asked about, in bytes.
const mostPreview = 2000

func confirmation(ev *event.Event) message {
	args, _ := plainField(ev, "args").(map[string]any)
	preview, ok := args["command"].(string)
	if !ok {
		text, _ := plain.JSON(args, "") // it is plain data
		preview = string(text)
	}
	return message{"tool_id": ev.Text("call_id"), "tool_name": ev.Text("tool"),
		"tool_preview": plain.Head(strings.TrimSpace(preview), mostPreview)}
}

// decisions are what the protocol calls the decisions about a call.
var decisions = map[string]string{"allow": "approved", "deny": "denied"}

func permission(ev *event.Event) message {
	decision := ev.Text("decision")
	return message{"tool_id": ev.Text("call_id"), "tool_name": ev.Text("tool"),
		"decision": cmp.Or(decisions[decision], decision), "source": ev.Text("source"),
		"stage": "pre_execution"}
}

// toolResult returns the result that the model is about to get.
func toolResult(ev *event.Event) message {
	m := toolCall(ev)
	failed := ev.Field("is_error") == true
	m["status"] = "completed"
	if failed {
		m["status"] = "failed"
	}
	m["executed"] = ev.Text("answered_by") == ""
	m["result"] = shortened(chat.DecodeBlocks(chat.Plain(ev.Field("content"))), failed)
	return m
}

// skippedResult returns the result of a call whose tool has not run.
func skippedResult(ev *event.Event) message {
	m := toolCall(ev)
	switch ev.Text("cause") {
	case "denied":
		m["status"] = "blocked"
	case "aborted", "steered":
		m["status"] = "cancelled"
	default:
		m["status"] = "failed"
	}
	m["executed"] = false
	m["result"] = shortened(chat.Text(ev.Text("reason")), true)
	return m
}

const (
	// mostResult limits the content of a result that is told, in bytes.
	mostResult = 256 << 10
	mostBlocks = 128
)

// shortened returns a result for a frame: images that are too large are left out.
func shortened(blocks []chat.Block, failed bool) map[string]any {
	left, content, truncated := mostResult, []any{}, false
	for _, b := range blocks {
		size := len(b.MimeType) + len(b.Data)
		switch {
		case len(content) == mostBlocks, b.Type != "text" && b.Type != "image",
			b.Type == "image" && size > left:
			truncated = true
		case b.Type == "image":
			left -= size
			content = append(content, map[string]any{"type": "image", "mime_type": b.MimeType,
				"data": b.Data})
		default:
			text := plain.Head(b.Text, left)
			left, truncated = left-len(text), truncated || len(text) < len(b.Text)
			content = append(content, map[string]any{"type": "text", "text": text})
		}
	}
	m := map[string]any{"content": content, "is_error": failed}
	if truncated {
		m["truncated"] = true
	}
	return m
}

func subagent(ev *event.Event) message {
	m := message{"agent_id": ev.Text("subagent_id"), "name": ev.Text("name")}
	if status := ev.Text("status"); status != "" {
		m["status"] = status
	}
	return withError(ev, m)
}
