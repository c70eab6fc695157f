// This file has the events of the protocol, with the fields of their frames.

package zot

import (
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

// framed adds to a frame about an event what all of them have.
func framed(kind, name string, ev *event.Event, m message) message {
	m["type"], m["event"] = kind, name
	m["session_id"], m["cwd"] = ev.Env().SessionID, ev.Env().CWD
	return m
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

// turnEnd: the protocol has names of its own for the ends of a turn.
func turnEnd(ev *event.Event) message {
	stop := ev.Text("finish_reason")
	switch stop {
	case "stop":
		stop = "end_turn"
	case "tool_calls":
		stop = "tool_use"
	}
	switch ev.Text("cause") {
	case "cancelled":
		stop = "aborted"
	case "error", "blocked":
		stop = "error"
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

func permission(ev *event.Event) message {
	decision := ev.Text("decision")
	switch decision {
	case "allow":
		decision = "approved"
	case "deny":
		decision = "denied"
	}
	return message{"tool_id": ev.Text("call_id"), "tool_name": ev.Text("tool"),
		"decision": decision, "source": ev.Text("source"),
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
	left, content := mostResult, make([]chat.Block, 0, len(blocks))
	truncated := len(blocks) > mostBlocks
	for _, b := range blocks[:min(len(blocks), mostBlocks)] {
		text := plain.Head(b.Text, left)
		if b.Type == "image" && len(b.MimeType)+len(b.Data) > left || len(text) < len(b.Text) {
			truncated = true
		}
		if b.Text = text; b.Type == "text" || len(b.MimeType)+len(b.Data) <= left {
			left -= len(b.Text) + len(b.MimeType) + len(b.Data)
			content = append(content, b)
		}
	}
	return map[string]any{"content": chat.BlockValues(content), "is_error": failed,
		"truncated": truncated}
}

func subagent(ev *event.Event) message {
	m := message{"agent_id": ev.Text("subagent_id"), "name": ev.Text("name")}
	if status := ev.Text("status"); status != "" {
		m["status"] = status
	}
	return withError(ev, m)
}
