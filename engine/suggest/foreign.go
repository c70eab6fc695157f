// This file holds the names that other hosts use, for error messages: a script that was written for
// another host fails with a message that has the right name.

package suggest

import (
	"slices"
	"strings"
	"sync"
)

// ForeignKind says what sort of thing a name is used for.
type ForeignKind string

const (
	ForeignEvent    ForeignKind = "event"    // the name of an event
	ForeignField    ForeignKind = "field"    // a field of an event
	ForeignArg      ForeignKind = "argument" // an argument of a tool
	ForeignCall     ForeignKind = "call"     // a field of the call of a tool or command
	ForeignFunction ForeignKind = "function" // a function of ext
	ForeignKey      ForeignKind = "key"      // a key of a table that is registered
	ForeignReturn   ForeignKind = "return"   // a key of what a handler returns
	ForeignTool     ForeignKind = "tool"     // the name of a tool
)

// Foreign is a name of another host.
type Foreign struct {
	Kind ForeignKind
	Name string
	Ours []string // our names for it, the likeliest first; empty: see Note
	Note string   // what to do instead, if we have no such name
	From string   // the host
}

// hosts of the table.
const (
	claude   = "Claude Code"
	pi       = "pi"
	opencode = "opencode"
	kit      = "kit"
	zot      = "zot"
	picoclaw = "picoclaw"
	docker   = "docker-agent"
	node     = "Node.js and browsers"
)

// vocabulary is the names of one kind of one host: "theirs ours", "theirs ours|ours" or
// "theirs: what to do".
type vocabulary struct {
	kind  ForeignKind
	from  string
	lines []string
}

// appendNames appends the names of v.
func (v vocabulary) appendNames(names []Foreign) []Foreign {
	for _, line := range v.lines {
		f := Foreign{Kind: v.kind, From: v.from}
		if name, note, ok := strings.Cut(line, ": "); ok {
			f.Name, f.Note = name, note
		} else {
			name, ours, _ := strings.Cut(line, " ")
			f.Name, f.Ours = name, strings.Split(ours, "|")
		}
		names = append(names, f)
	}
	return names
}

// ForeignNames returns the table of other hosts' names.
func ForeignNames() []Foreign { return append([]Foreign(nil), foreignNames()...) }

var foreignNames = sync.OnceValue(func() (all []Foreign) {
	for _, list := range [...][]vocabulary{foreignEvents, foreignFields, foreignFunctions,
		foreignKeys, foreignReturns, foreignTools} {
		for _, v := range list {
			all = v.appendNames(all)
		}
	}
	return all
})

var foreignEvents = []vocabulary{
	{ForeignEvent, claude, []string{"PreToolUse tool_call", "PostToolUse tool_result",
		"PostToolUseFailure tool_result",
		"PostToolBatch tool_batch_end", "PermissionRequest tool_permission",
		"PermissionDenied tool_approval",
		"UserPromptSubmit input", "SessionStart session_start", "SessionEnd session_end",
		"Stop agent_before_end",
		"StopFailure agent_end", "SubagentStart subagent_start", "SubagentStop subagent_end",
		"PreCompact session_before_compact", "PostCompact session_compact",
		"Notification notification",
		"MessageDisplay assistant_message"}},
	{ForeignEvent, pi, []string{"before_agent_start agent_before_start",
		"tool_execution_start tool_start",
		"tool_execution_update tool_output", "tool_execution_end tool_end",
		"session_shutdown session_end",
		"session_switch session_start", "session_fork session_start",
		"before_provider_request llm_request",
		"after_provider_response llm_response", "model_select model_change",
		"message_update message_delta",
		"thinking_level_select thinking_change", "user_bash user_shell", "user_input input"}},
	{ForeignEvent, opencode, []string{"tool.execute.before tool_call",
		"tool.execute.after tool_result",
		"permission.ask tool_permission", "permission.asked tool_permission", "chat.message input",
		"chat.params llm_request", "session.idle agent_end", "session.created session_start",
		"session.error error", "session.compacted session_compact",
		"experimental.session.compacting session_before_compact",
		"message.updated message_end", "message.part.updated message_delta"}},
	{ForeignEvent, kit, []string{"OnBeforeToolCall tool_call", "OnAfterToolResult tool_result",
		"OnToolCall tool_call",
		"OnToolResult tool_result", "OnBeforeTurn agent_before_start", "OnAfterTurn agent_end",
		"OnContextPrepare context", "OnPrepareStep llm_request",
		"OnBeforeCompact session_before_compact",
		"OnInput input", "OnSessionStart session_start", "OnSessionShutdown session_end",
		"before_compact session_before_compact", "before_fork session_before_fork",
		"before_session_switch session_before_switch", "context_prepare context",
		"prepare_step llm_request",
		"step_start turn_start", "step_finish turn_end", "turn_state_change busy_change",
		"llm_usage llm_response"}},
	{ForeignEvent, zot, []string{"ready script_load", "shutdown session_end",
		"user_prompt_submit input",
		"pre_compact session_before_compact", "post_compact session_compact",
		"subagent_stop subagent_end",
		"permission_decision tool_approval", "tool_confirmation_requested tool_permission"}},
	{ForeignEvent, picoclaw, []string{"before_tool tool_call", "after_tool tool_result",
		"before_llm llm_request",
		"after_llm llm_response", "approve_tool: guards are registered with ext.guard",
		"tool_exec_start tool_start", "tool_exec_end tool_end", "tool_exec_skipped tool_skipped",
		"subturn_spawn subagent_start", "subturn_end subagent_end",
		"context_compress session_compact"}},
	{ForeignEvent, node, []string{
		"*: each event is heard by its own name, with a call of ext.on for each"}},
	{ForeignEvent, docker, []string{"pre_tool_use tool_call", "post_tool_use tool_result",
		"tool_guard: guards are registered with ext.guard", "tool_input_transform tool_call",
		"tool_response_transform tool_result", "permission_request tool_permission",
		"on_tool_approval_decision tool_approval", "before_llm_call llm_request",
		"after_llm_call llm_response",
		"before_compaction session_before_compact", "after_compaction session_compact",
		"stop agent_before_end",
		"on_agent_switch agent_switch", "on_user_input wait_input", "on_error error",
		"on_max_iterations limit_reached", "on_session_resume limit_extended"}},
}

var foreignFields = []vocabulary{
	{ForeignField, pi, []string{"toolName tool", "toolCallId call_id", "input args|text",
		"result content",
		"isError is_error", "systemPrompt system_prompt",
		"sessionManager: ext.session has the session",
		"signal: a handler is stopped by the program, and its answer does not count then",
		"ui: ext.ui has it", "hasUI interactive", "assistantMessageEvent delta",
		"entryId entry_id"}},
	{ForeignField, claude, []string{"tool_name tool", "tool_input args", "tool_use_id call_id",
		"tool_response content",
		"hook_event_name event", "transcript_path session_path", "permission_mode permission",
		"agent_type agent",
		"trigger cause", "source cause", "custom_instructions instructions",
		"last_assistant_message response",
		"notification_type level"}},
	{ForeignField, opencode, []string{"callID call_id", "sessionID session_id", "output content",
		"directory cwd", "worktree project"}},
	{ForeignField, kit, []string{"ToolName tool", "ToolArgs args", "ToolCallID call_id",
		"Input args|text", "Prompt prompt",
		"SystemPrompt system_prompt", "Result content", "IsError is_error", "StepNumber turn"}},
	{ForeignField, zot, []string{"tool_args args", "tool_id call_id", "step turn", "name tool"}},
	{ForeignField, picoclaw, []string{"arguments args", "for_llm content"}},
	{ForeignField, docker, []string{"tool_category kind", "tool_read_only read_only",
		"tool_error is_error",
		"model_id model", "stop_response response", "approval_decision decision",
		"approval_source source",
		"context_limit limit", "compaction_reason cause", "notification_message message",
		"notification_level level",
		"agent_name agent|name"}},
	{ForeignField, claude, []string{
		"command args", "file_path args", "path args", "parameters args",
		"params args", "reason cause",
		"text delta|response|content", "message text|response"}},
	{ForeignArg, claude, []string{"file_path path", "filePath path", "file path", "filename path",
		"cmd command", "script command",
		"old_string edits", "new_string edits", "old_str edits", "new_str edits",
		"oldText old|edits", "newText new|edits",
		"oldString edits", "newString edits", "replace_all all|edits", "replaceAll all|edits",
		"run_in_background background", "query pattern", "regex pattern", "prompt task",
		"description task",
		"subagent_type agent", "contents content", "text content", "directory path|cwd",
		"workdir cwd",
		"include glob", "-i ignore_case", "skill name", "link url", "uri url"}},
	{ForeignCall, pi, []string{"ui: ext.ui has it (needs @grant ui)", "hasUI interactive",
		"sessionManager: ext.session has the session",
		"signal: ask call.cancelled()", "abort: ext.agent.abort() ends the work",
		"onUpdate progress", "modelRegistry: ext.agent.models() has them",
		"isIdle: ext.agent.idle() tells", "newSession: ext.session.new{...}",
		"fork: ext.session.fork(id)",
		"compact: ext.agent.compact()", "shutdown: ext.agent.exit()"}},
	{ForeignCall, claude, []string{"sessionID session_id", "sessionId session_id",
		"workspace project", "directory cwd", "worktree project"}},
}

var foreignFunctions = []vocabulary{
	{ForeignFunction, pi, []string{"registerTool tool", "registerCommand command",
		"registerShortcut shortcut",
		"registerFlag option", "getFlag: ext.option{...} returns the value",
		"registerProvider provider",
		"unregisterProvider: a reload replaces all that a script registered",
		"registerMessageRenderer render",
		"registerEntryRenderer render", "sendMessage agent.send|send",
		"sendUserMessage agent.send|send",
		"appendEntry session.append|append", "setSessionName session.name|name",
		"getSessionName session.name|name",
		"setLabel session.label|label", "getActiveTools tools.list|list",
		"getAllTools tools.list|list",
		"setActiveTools tools.only|only", "getCommands: /help lists them", "setModel agent.set|set",
		"setThinkingLevel agent.set|set",
		"getThinkingLevel: the fields of events tell", "events emit", "setStatus ui.status|status",
		"setWidget ui.widget|widget",
		"setFooter ui.footer|footer", "setTitle ui.title|title",
		"setEditorText ui.set_editor_text|set_editor_text",
		"getEditorText ui.editor_text|editor_text",
		"editor ui.edit|edit",
		"custom ui.panel|panel", "addAutocompleteProvider: complete of ext.command offers words"}},
	{ForeignFunction, kit, []string{"OnToolCall on", "OnToolResult on", "OnSessionStart on",
		"RegisterTool tool", "RegisterCommand command",
		"RegisterShortcut shortcut", "RegisterOption option", "PrintInfo notify",
		"PrintError notify", "Print say",
		"SetWidget ui.widget|widget", "SetStatus ui.status|status", "SetFooter ui.footer|footer",
		"PromptSelect ui.select|select",
		"PromptConfirm ui.confirm|confirm", "PromptInput ui.input|input",
		"SendMessage agent.send|send"}},
	{ForeignFunction, zot, []string{
		"register_tool tool", "register_command command", "subscribe on",
		"intercept guard|on",
		"Command command", "Tool tool", "On on", "Intercept guard|on", "Notify notify",
		"Run: ext is there when the file is loaded"}},
	{ForeignFunction, opencode, []string{"addEventListener on", "hook on", "client llm.complete",
		"$ sh", "toast notify"}},
	{ForeignFunction, node, []string{"addHook on", "addCommand command", "addTool tool",
		"readFile fs.read|read", "writeFile fs.write|write",
		"spawn exec|agent.spawn", "run exec", "fetch http.request|request",
		"alert ui.confirm|confirm", "prompt ui.input|input",
		"print log.info|info", "setTimeout after", "setInterval every"}},
}

var foreignKeys = []vocabulary{
	{ForeignKey, pi, []string{"execute run", "handler run", "parameters schema", "params schema",
		"inputSchema schema", "input_schema schema",
		"label: leave it out: a tool is shown by its name", "promptSnippet description",
		"promptGuidelines description",
		"renderCall: ext.render{tool = NAME, call = ...} draws it",
		"renderResult: ext.render{tool = NAME, result = ...} draws it",
		"executionMode read_only", "shortcut key", "getArgumentCompletions complete"}},
	{ForeignKey, claude, []string{
		"matcher tool|match", "command run", "onError on_error", "if match",
		"toolName tool", "tools tool",
		"hooks: one call of ext.on or ext.guard registers one function"}},
	{ForeignKey, opencode, []string{"args schema|args", "fn run", "func run", "callback run",
		"action run"}},
	{ForeignKey, kit, []string{"Name name", "Description description", "Parameters schema",
		"Execute run", "Complete complete"}},
	{ForeignKey, docker, []string{"preempt_yolo: a guard runs in every mode", "usage args",
		"readOnly read_only",
		"readonly read_only", "requiresApproval approve", "pattern patterns|match"}},
}

var foreignReturns = []vocabulary{
	{ForeignReturn, pi, []string{"cancel block", "action handled|block", "message context|text",
		"systemPrompt system_prompt",
		"result respond|content", "isError is_error", "customInstructions instructions",
		"compaction summary", "transform text"}},
	{ForeignReturn, claude, []string{"decision block", "permissionDecision block|ask",
		"permissionDecisionReason reason",
		"hookSpecificOutput block", "continue block|stop", "stopReason reason",
		"systemMessage notify", "suppressOutput silent",
		"updatedInput args", "additionalContext context", "updatedToolOutput content",
		"behavior block|allow"}},
	{ForeignReturn, docker, []string{"hook_specific_output block", "permission_decision block|ask",
		"permission_decision_reason reason",
		"updated_input args", "additional_context context", "stop_reason reason",
		"system_message notify",
		"updated_messages messages", "updated_tool_response content"}},
	{ForeignReturn, kit, []string{"Block block", "Reason reason", "Cancel block", "Result content",
		"InjectText context",
		"SystemPrompt system_prompt", "Messages messages", "ToolChoice tool_choice"}},
	{ForeignReturn, zot, []string{"modified_args args", "replace_text text", "blocked block"}},
	{ForeignReturn, picoclaw, []string{"deny block", "denied block", "denyTool block",
		"deny_tool block", "approved block|allow",
		"abort_turn abort", "hard_abort abort", "modify args", "call args", "request messages",
		"response text|respond"}},
	{ForeignReturn, opencode, []string{"status block", "output content", "refuse block",
		"reject block", "prevent block", "skip block",
		"approve allow", "approval allow|ask", "confirm ask", "question ask", "why reason",
		"error reason", "input args|text",
		"parameters args", "arguments args", "text content", "prompt prompt|text"}},
}

var foreignTools = []vocabulary{
	{ForeignTool, claude, []string{
		"Bash bash", "Read read", "Write write", "Edit edit", "Grep grep",
		"Glob glob", "MultiEdit edit", "NotebookEdit edit", "WebFetch fetch",
		"WebSearch: there is no such tool here",
		"Task agent", "Agent agent", "LS ls", "BashOutput job", "TaskOutput job", "KillShell job",
		"KillBash job", "Skill skill",
		"TodoWrite: there is no such tool here", "AskUserQuestion: there is no such tool here",
		"ExitPlanMode: there is no such tool here"}},
	{ForeignTool, pi, []string{"find glob"}},
	{ForeignTool, docker, []string{"shell bash", "edit_file edit", "read_file read",
		"write_file write", "read_multiple_files read",
		"list_directory ls", "directory_tree ls", "search_files glob", "search_files_content grep",
		"transfer_task agent"}},
	{ForeignTool, picoclaw, []string{"exec bash", "append_file write", "list_dir ls",
		"web_fetch fetch", "subagent agent"}},
	{ForeignTool, opencode, []string{"patch edit", "apply_patch edit", "list ls", "webfetch fetch",
		"task agent"}},
	{ForeignTool, kit, []string{"run_terminal_cmd bash", "run_shell_command bash",
		"execute_command bash", "run_command bash",
		"terminal bash", "sh bash", "replace edit", "str_replace edit", "str_replace_editor edit",
		"str_replace_based_edit_tool edit",
		"search_replace edit", "replace_in_file edit", "write_to_file write", "create_file write",
		"save_file write", "view read",
		"view_file read", "open_file read", "cat read", "codebase_search grep", "grep_search grep",
		"search_file_content grep",
		"rg grep", "file_search glob", "list_files ls", "fetch_url fetch", "http_request fetch",
		"spawn_agent agent"}},
}

// FindForeign looks up another host's name: it returns our name for it, which is one of names, or
// what to do instead. Both are "" if the table does not have it.
func FindForeign(kind ForeignKind, got string, names []string) (ours, note string) {
	all := foreignNames()
	for i := range all {
		f := &all[i]
		if f.Kind != kind || f.Name != got {
			continue
		}
		if f.Note != "" {
			return "", f.Note
		}
		for _, ours := range f.Ours {
			if slices.Contains(names, ours) {
				return ours, ""
			}
		}
	}
	return "", ""
}

// ForeignName returns our name, one of names, for another host's name; "" if there is none.
func ForeignName(kind ForeignKind, got string, names []string) string {
	ours, _ := FindForeign(kind, got, names)
	return ours
}

// ForeignHint returns the end of a message about an unknown name, if another host uses the name:
// `; did you mean "tool"?`. "" if none does.
func ForeignHint(kind ForeignKind, got string, names []string) string {
	switch ours, note := FindForeign(kind, got, names); {
	case ours != "":
		return Meant(ours)
	case note != "":
		return "; " + note
	}
	return ""
}

// DidYouMeanFor is DidYouMean that also knows other hosts' names.
func DidYouMeanFor(kind ForeignKind, got string, names []string) string {
	if hint := ForeignHint(kind, got, names); hint != "" {
		return hint
	}
	return DidYouMean(got, names)
}

// OrAll is DidYouMeanFor, except that where no name is near it lists them all.
func OrAll(kind ForeignKind, got string, names []string) string {
	if hint := DidYouMeanFor(kind, got, names); hint != "" {
		return hint
	}
	if len(names) == 0 {
		return "; it has none"
	}
	return "; it has: " + strings.Join(names, ", ")
}

// InsteadOf ends a message about a name that ext, or a group of it such as "ui", does not have.
// functions are the names of all functions: "tool", "ui.confirm".
func InsteadOf(functions []string, group, got string) string {
	var children, below []string
	for _, f := range functions {
		rest, ok := f, true
		if group != "" {
			rest, ok = strings.CutPrefix(f, group+".")
		}
		if !ok {
			continue
		}
		child, _, _ := strings.Cut(rest, ".")
		below = append(below, rest)
		if !slices.Contains(children, child) {
			children = append(children, child)
		}
	}
	switch ours, note := FindForeign(ForeignFunction, got, below); {
	case strings.Contains(ours, "."):
		return Meant("ext." + ours)
	case ours != "":
		return Meant(ours)
	case note != "":
		return "; " + note
	}
	if hint := DidYouMean(got, children); hint != "" || group == "" {
		return hint
	}
	if slices.Contains(functions, got) {
		return Meant("ext." + got)
	}
	return ""
}
