// This file is the table of events.

package hooks

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// row is an event of Claude Code.
type row struct {
	name string
	ours string // the event here; "" = it has none
	when string // "NAME=VALUE": one of ours is this event only if it has this; see valueOf
	// about is what matchers look at, a name for valueOf; "" = they are ignored
	about string
	in    string // "FIELD=NAME ...": what hooks read, by names for valueOf
	// tells is the key under which a handler of ours returns context for the model: task has it at
	// its end; "" = none
	tells string
	limit time.Duration // of commands without a timeout

	ofTool  bool // it is about a tool call
	decides bool // allow and ask are answers; without one, the user is asked
	blocks  bool // exit code 2 refuses
	refuses bool // a refusal blocks ours; otherwise its reason is told as context is
	stops   bool // ours may return stop
	text    bool // output that is not JSON is context
}

const (
	commandLimit = 10 * time.Minute
	promptLimit  = 30 * time.Second
	inputLimit   = 30 * time.Second        // of UserPromptSubmit
	endLimit     = 1500 * time.Millisecond // of SessionEnd
)

// rows are all events of Claude Code.
var rows = []row{
	{name: "PreToolUse", ours: "tool_call", ofTool: true, about: "tool", limit: commandLimit,
		in: "tool_use_id=call_id", decides: true, blocks: true},
	{name: "PermissionRequest", ours: "tool_permission", ofTool: true, about: "tool",
		limit: commandLimit, decides: true, refuses: true},
	{name: "PermissionDenied", ours: "tool_skipped", when: "cause=denied", ofTool: true,
		about: "tool", in: "tool_use_id=call_id reason=reason", limit: commandLimit},
	{name: "PostToolUse", ours: "tool_result", when: "is_error=false", ofTool: true,
		about: "tool", limit: commandLimit, tells: "context", blocks: true, stops: true,
		in: "tool_use_id=call_id duration_ms=duration_ms tool_response=@response"},
	{name: "PostToolUseFailure", ours: "tool_result", when: "is_error=true", ofTool: true,
		about: "tool", limit: commandLimit, tells: "context", blocks: true, stops: true,
		in: "tool_use_id=call_id duration_ms=duration_ms error=@text is_interrupt=@false"},
	{name: "UserPromptSubmit", ours: "input", in: "prompt=text", tells: "context",
		limit: inputLimit, blocks: true, refuses: true, text: true},
	{name: "SessionStart", ours: "session_start", when: "@joined=false", about: "@source",
		in: "source=@source model=@model", tells: "context", limit: commandLimit, text: true},
	{name: "SessionEnd", ours: "session_end", about: "@reason", in: "reason=@reason",
		limit: endLimit},
	{name: "Stop", ours: "agent_before_end", when: "@main=true",
		in: "last_assistant_message=response stop_hook_active=@again", tells: "continue_with",
		limit: commandLimit, blocks: true},
	{name: "StopFailure", ours: "agent_end", when: "status=error", about: "@cause",
		in:    "error=@cause error_details=error last_assistant_message=response",
		limit: commandLimit},
	{name: "SubagentStart", ours: "subagent_start", about: "name",
		in: "agent_id=subagent_id agent_type=name", tells: "task", limit: commandLimit},
	{name: "SubagentStop", ours: "agent_before_end", when: "@main=false", about: "@agent",
		in: "last_assistant_message=response stop_hook_active=@again", tells: "continue_with",
		limit: commandLimit, blocks: true},
	{name: "Notification", ours: "wait_input", about: "@type",
		in: "notification_type=@type message=@message", limit: commandLimit},
	{name: "PreCompact", ours: "session_before_compact", about: "@trigger",
		in:    "trigger=@trigger custom_instructions=instructions",
		limit: commandLimit, blocks: true, refuses: true},
	{name: "PostCompact", ours: "session_compact", about: "@trigger",
		in: "trigger=@trigger compact_summary=summary", limit: commandLimit},
	{name: "Setup"}, {name: "UserPromptExpansion"}, {name: "PostToolBatch"},
	{name: "MessageDisplay"}, {name: "TaskCreated"}, {name: "TaskCompleted"},
	{name: "TeammateIdle"}, {name: "InstructionsLoaded"}, {name: "ConfigChange"},
	{name: "CwdChanged"}, {name: "DirectoryAdded"}, {name: "FileChanged"},
	{name: "WorktreeCreate"}, {name: "WorktreeRemove"}, {name: "Elicitation"},
	{name: "ElicitationResult"},
}

//go:noinline
func rowNamed(name string) *row {
	for i := range rows {
		if rows[i].name == name {
			return &rows[i]
		}
	}
	return nil
}

func eventNames() (names []string) {
	for i := range rows {
		names = append(names, rows[i].name)
	}
	return names
}

// valueOf returns a field of an event, or what a name with @ stands for.
func valueOf(ev *event.Event, name string) any {
	switch name {
	case "@main":
		return ev.Env().Depth == 0
	case "@agent":
		return ev.Env().Agent
	case "@model":
		return ev.Env().Model
	case "@joined": // hooks that were changed during a session do not hear its start again
		return ev.Text("cause") == "reload"
	case "@text":
		return plainText(plainField(ev, "content"))
	case "@cause": // it is not known
		return "unknown"
	case "@source", "@reason", "@trigger", "@type", "@message":
		cause := ev.Text("cause")
		return cmp.Or(words[name+"="+cause], words[name], cause)
	case "@false":
		return false
	}
	return plainField(ev, name)
}

// words are the values there for causes here, where they differ: without a cause, for all others.
var words = map[string]string{
	"@reason": "other", "@trigger": "auto", "@type": "idle_prompt",
	"@message":    "The agent is waiting for your input",
	"@source=new": "clear", "@reason=clear": "clear", "@reason=switch": "resume",
	"@reason=exit": "prompt_input_exit", "@trigger=manual": "manual",
	"@type=approval": "permission_prompt", "@type=question": "elicitation_dialog",
	"@message=approval": "The agent needs your permission",
	"@message=question": "The agent asks you something",
}

// plainField returns a field of an event as plain data.
func plainField(ev *event.Event, name string) any {
	v, _ := value.Plain(ev.Field(name))
	return v
}

// is reports whether an event here is one of the row.
func (r *row) is(ev *event.Event) bool {
	name, want, some := strings.Cut(r.when, "=")
	return !some || fmt.Sprint(valueOf(ev, name)) == want
}

// names returns what matchers look at.
func (r *row) names(ev *event.Event) []string {
	name, _ := valueOf(ev, r.about).(string)
	if r.ofTool {
		return toolNames(name)
	}
	return []string{name}
}

// addFields adds to in what hooks read of an event.
func (x *extension) addFields(r *row, ev *event.Event, in message) {
	tool := ""
	var args message
	if r.ofTool {
		tool = ev.Text("tool")
		args = toolInput(tool, plainArgs(ev), ev.Env().CWD)
		in["tool_name"], in["tool_input"] = toolNames(tool)[0], args
	}
	for _, field := range strings.Fields(r.in) {
		to, from, _ := strings.Cut(field, "=")
		switch from {
		case "@response":
			in[to] = toolResponse(tool, args, plainField(ev, "content"))
		case "@again":
			in[to] = x.continued(ev.Env())
		default:
			in[to] = valueOf(ev, from)
		}
	}
}

// plainArgs returns the arguments of a call as plain data.
func plainArgs(ev *event.Event) message {
	m, _ := plainField(ev, "args").(message)
	if m == nil {
		m = message{}
	}
	return m
}
