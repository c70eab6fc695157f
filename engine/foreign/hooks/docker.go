// This file has the events and tools of docker-agent.

package hooks

import (
	"time"

	"github.com/agentscripts/agent/engine/event"
)

var docker = dialect{rows: dockerRows, tools: &dockerTools, read: readDocker,
	strict: true, common: func(env *event.Envelope) message {
		return object("session_id", env.SessionID, "cwd", env.CWD, "agent_name", env.Agent)
	}}

const (
	dockerLimit = time.Minute
	dockerCall  = "tool_use_id=call_id tool_category=kind tool_read_only=read_only"
	dockerSize  = "input_tokens=input_tokens output_tokens=output_tokens context_limit=limit " +
		"compaction_reason=cause"
)

// dockerRows are all events of docker-agent.
var dockerRows = []row{
	{name: "tool_input_transform", ours: ofCall, ofTool: true, about: "tool", in: dockerCall,
		blocks: true, may: "updated_input"},
	{name: "tool_guard", ours: ofCall, ofTool: true, about: "tool", in: dockerCall,
		decides: true, blocks: true, may: "metadata"},
	{name: "pre_tool_use", ours: ofCall, ofTool: true, about: "tool", in: dockerCall,
		decides: true, blocks: true, may: "updated_input metadata allow"},
	{name: "permission_request", ours: "tool_permission", ofTool: true, about: "tool",
		in: dockerCall, decides: true, blocks: true, refuses: true, may: "metadata allow"},
	{name: "on_tool_approval_decision", ours: "tool_approval", ofTool: true,
		in: dockerCall + " approval_decision=@approval approval_source=@approver"},
	{name: "tool_response_transform", ours: "tool_result", ofTool: true, about: "tool",
		in:    "tool_use_id=call_id tool_response=@text tool_error=is_error",
		stops: true, may: "updated_tool_response"},
	{name: "post_tool_use", ours: "tool_result", ofTool: true, about: "tool",
		in: "tool_use_id=call_id tool_response=@text tool_error=is_error", blocks: true,
		ends: true},
	{name: "session_start", ours: "session_start", when: "@joined=false", in: "source=@source",
		tells: "context", text: true},
	{name: "user_prompt_submit", ours: "input", when: "kind=prompt", in: "prompt=text",
		tells: "context", blocks: true, refuses: true, text: true},
	{name: "user_steering_messages_submit", ours: "input", when: "kind=steer",
		in: "steering_messages=@texts", tells: "context", blocks: true, refuses: true, text: true},
	{name: "user_followup_submit", ours: "input", when: "kind=follow_up", in: "prompt=text",
		tells: "context", blocks: true, refuses: true, text: true},
	{name: "turn_start", ours: "turn_start", tells: "context", text: true},
	{name: "before_llm_call", ours: "llm_request", when: "@agent_call=true",
		in:     "iteration=iteration model_id=model messages=@messages",
		blocks: true, refuses: true, may: "updated_messages"},
	{name: "after_llm_call", ours: "llm_response", when: "@agent_call=true",
		in: "model_id=model stop_response=text last_user_message=last_user_message usage=usage " +
			"cost=cost"},
	{name: "turn_end", ours: "turn_end", in: "reason=@ended"},
	{name: "stop", ours: "agent_before_end", when: "@main=true",
		in: "stop_response=response last_user_message=last_user_message"},
	{name: "pre_compact", ours: "session_before_compact", in: "source=@compaction",
		tells: "instructions", blocks: true, refuses: true, text: true},
	{name: "before_compaction", ours: "session_before_compact", in: dockerSize, blocks: true,
		refuses: true, may: "summary"},
	{name: "after_compaction", ours: "session_compact",
		in: "input_tokens=tokens_before compaction_reason=cause summary=summary"},
	{name: "subagent_stop", ours: "subagent_end",
		in: "agent_name=name parent_session_id=parent_session_id stop_response=response"},
	{name: "on_user_input", ours: "wait_input"},
	{name: "notification", ours: "notification", when: "@serious=true",
		in: "notification_level=@level notification_message=message"},
	{name: "on_error", ours: "error",
		in: "notification_level=@error notification_message=message"},
	{name: "on_max_iterations", ours: "limit_reached", when: "kind=turns",
		in: "notification_level=@warning notification_message=@limit"},
	{name: "on_session_resume", ours: "limit_extended", when: "kind=turns",
		in: "previous_max_iterations=previous new_max_iterations=new"},
	{name: "on_agent_switch", ours: "agent_switch",
		in: "from_agent=from to_agent=to agent_switch_kind=@switch from_agent_models=from_models"},
	{name: "session_end", ours: "session_end", in: "reason=@reason"},
	{name: "worktree_create"},
}

var dockerTools = toolset{shapes: []shape{
	{"bash", []string{"shell", "run_background_job"}, []arg{{"command", "cmd", same},
		{"cwd", "cwd", same}, {"timeout", "timeout", same}}, nil},
	{"write", []string{"write_file"}, []arg{{"path", "path", same}, {"content", "content", same}},
		nil},
	{"edit", []string{"edit_file"}, []arg{{"path", "path", same}}, nil},
	{"read", []string{"read_file"}, []arg{{"path", "path", same}, {"offset", "offset", same},
		{"limit", "limit", same}}, nil},
	{"glob", []string{"search_files"}, []arg{{"pattern", "pattern", same}, {"path", "path", same}},
		[]string{"excludePatterns"}},
	{"grep", []string{"search_files_content"}, []arg{{"pattern", "query", same},
		{"path", "path", same}}, []string{"is_regex", "excludePatterns"}},
	{"ls", []string{"list_directory"}, []arg{{"path", "path", same}}, nil},
	{"fetch", []string{"fetch"}, []arg{{"url", "urls", listed}}, []string{"format", "timeout"}},
	{"agent", []string{"transfer_task"}, []arg{{"task", "task", same}, {"agent", "agent", same}},
		[]string{"expected_output"}},
}, edits: []arg{{"old", "oldText", same}, {"new", "newText", same}, {"all", "all", same}}}
