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

// row is an event of another program.
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
	stops   bool // ours may return stop, and another result
	text    bool // output that is not JSON is context

	ends   bool // a refusal ends the prompt after these calls
	setsUp bool // commands get CLAUDE_ENV_FILE
	// needs are the grants for what else an answer may ask for: to name the session, and to send
	// a prompt
	needs string
	// may are the fields, besides those that follow from the above, that answers may have: of
	// strict dialects
	may string
}

const (
	commandLimit = 10 * time.Minute
	promptLimit  = 30 * time.Second
	inputLimit   = 30 * time.Second        // of UserPromptSubmit
	endLimit     = 1500 * time.Millisecond // of SessionEnd
)

// stopFields are what hooks read when an agent is about to end.
const stopFields = "last_assistant_message=response stop_hook_active=@again " +
	"background_tasks=@none session_crons=@none"

// claudeRows are all events of Claude Code.
var claudeRows = []row{
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
		limit: inputLimit, blocks: true, refuses: true, text: true, needs: "session"},
	{name: "SessionStart", ours: "session_start", when: "@joined=false", about: "@source",
		in: "source=@source model=@model", tells: "context", limit: commandLimit, text: true,
		setsUp: true, needs: "agent session"},
	{name: "SessionEnd", ours: "session_end", about: "@reason", in: "reason=@reason",
		limit: endLimit},
	{name: "Stop", ours: "agent_before_end", when: "@main=true",
		in: stopFields, tells: "continue_with", limit: commandLimit, blocks: true},
	{name: "StopFailure", ours: "agent_end", when: "status=error", about: "@cause",
		in:    "error=@cause error_details=error last_assistant_message=response",
		limit: commandLimit},
	{name: "SubagentStart", ours: "subagent_start", about: "name",
		in: "agent_id=subagent_id agent_type=name", tells: "task", limit: commandLimit},
	{name: "SubagentStop", ours: "agent_before_end", when: "@main=false", about: "@agent",
		in:    stopFields + " agent_transcript_path=session_path",
		tells: "continue_with", limit: commandLimit, blocks: true},
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
	case "@false":
		return false
	case "@none":
		return []any{}
	case "@agent_call": // not one that summarises, or of a script
		purpose := ev.Text("purpose")
		return purpose == "agent" || purpose == "subagent"
	case "@serious":
		level := ev.Text("level")
		return level == "error" || level == "warn"
	case "@texts":
		return []any{ev.Text("text")}
	case "@messages":
		_, there := messagesOf(ev)
		return there
	case "@error", "@warning":
		return name[1:]
	case "@limit":
		return "the limit of turns is reached"
	}
	if name == "@approver" && ev.Text("source") == "script" {
		return "pre_tool_use_hook_" + ev.Text("decision")
	}
	if strings.HasPrefix(name, "@") {
		text := ev.Text(cmp.Or(wordFor(name+"."), "cause"))
		return cmp.Or(wordFor(name+"="+text), wordFor(name), text)
	}
	return plainField(ev, name)
}

// wordFor returns what words has for a key; "" if it has nothing.
func wordFor(key string) string {
	_, rest, _ := strings.Cut(words, "\n"+key+" ")
	word, _, _ := strings.Cut(rest, "\n")
	return word
}

// words are the values there for values here, where they differ: NAME=VALUE, or NAME for all others
// and none. They are those of the cause of an event, or of the field that "NAME." has.
const words = `
@reason other
@reason=clear clear
@reason=switch resume
@reason=exit prompt_input_exit
@trigger auto
@trigger=manual manual
@type idle_prompt
@type=approval permission_prompt
@type=question elicitation_dialog
@message The agent is waiting for your input
@message=approval The agent needs your permission
@message=question The agent asks you something
@source=new clear
@ended=cancelled canceled
@ended=blocked hook_blocked
@ended=stopped hook_blocked
@compaction=threshold auto
@level. level
@level=warn warning
@switch. kind
@switch=transfer transfer_task
@switch=return transfer_task_return
@approval. decision
@approval=cancelled canceled
@approver. source
@approver=session_allow session_permissions_allow
@approver=rule_allow team_permissions_allow
@approver=rule_deny team_permissions_deny
@approver=read_only readonly_hint
@approver=only_reads readonly_hint
@approver=user_once user_approved
@approver=user_session user_approved_session
@approver=user_always user_approved_tool
@approver=cancelled context_canceled
@approver=headless non_interactive_deny
@approver=guard pre_tool_use_hook_deny
`

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
func (r *row) names(d *dialect, ev *event.Event) []string {
	name, _ := valueOf(ev, r.about).(string)
	if r.ofTool {
		return d.tools.names(name)
	}
	return []string{name}
}

// addFields adds to in what hooks read of an event.
func (x *extension) addFields(r *row, ev *event.Event, in message) {
	tool := ""
	var args message
	if r.ofTool {
		tool = ev.Text("tool")
		t := x.s.dialect.tools
		args = t.toolInput(tool, plainArgs(ev), ev.Env().CWD)
		in["tool_name"], in["tool_input"] = t.names(tool)[0], args
	}
	for _, field := range strings.Fields(r.in) {
		to, from, _ := strings.Cut(field, "=")
		switch from {
		case "@response":
			in[to] = toolResponse(tool, args, plainField(ev, "content"))
		case "@again":
			in[to] = x.continued(ev.Env())
		default:
			v := valueOf(ev, from)
			switch {
			case v != nil:
				in[to] = v
			case !x.s.strict: // a text that the event does not have; docker-agent leaves it out
				in[to] = ""
			}
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
