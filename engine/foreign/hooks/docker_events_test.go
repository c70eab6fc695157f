package hooks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// dockerFired are events of docker-agent.
func dockerFired() []firing {
	type m = map[string]any
	block := `echo '{"decision":"block","reason":"because"}'`
	context := own(`"additional_context":"fact"`)
	talk := chat.MessageList{{ID: "m1", Role: "user", Content: []chat.Block{{Type: "text",
		Text: "hello"}}}, {ID: "m2", Role: "assistant", ToolCalls: []chat.ToolUse{{ID: "c1",
		Tool: "bash", Args: m{"command": "ls"}}}}}
	sent := []any{m{"role": "user", "content": "hello"}, m{"role": "assistant", "content": "",
		"tool_calls": []any{m{"id": "c1", "type": "function", "function": m{"name": "shell",
			"arguments": `{"cmd":"ls"}`}}}}}
	return []firing{
		{"session_start", event.SessionStart{Cause: "new"}, 0, "-", m{"source": "clear",
			"session_id": "s1", "agent_name": "main", "hook_event_name": "session_start"},
			"echo a fact", "context a fact"},
		{"session_start", event.SessionStart{Cause: "resume"}, 0, "-", m{"source": "resume"},
			context, "context fact"},
		{"user_prompt_submit", event.Input{Kind: "prompt", Text: "hello"}, 0, "-",
			m{"prompt": "hello"}, block, "blocked because"},
		{"user_prompt_submit", event.Input{Kind: "prompt"}, 0, "-", m{}, context, "context fact"},
		{"user_prompt_submit", event.Input{Kind: "prompt"}, 0, "-", m{},
			`echo '{"continue":false,"stop_reason":"enough"}'`, "blocked enough"},
		{"user_steering_messages_submit", event.Input{Kind: "steer", Text: "left"}, 0, "-",
			m{"steering_messages": []any{"left"}}, "echo no >&2; exit 2", "blocked no"},
		{"user_followup_submit", event.Input{Kind: "follow_up", Text: "more"}, 0, "-",
			m{"prompt": "more"}, context, "context fact"},
		{"turn_start", event.TurnStart{Turn: 2}, 0, "-", m{}, "echo plain", "context plain"},
		{"turn_start", event.TurnStart{Turn: 2}, 0, "-", m{}, block, ""},
		{"turn_start", event.TurnStart{Turn: 2}, 0, "-", m{}, "echo '{x'", ""},
		{"before_llm_call", event.LLMRequest{Purpose: "agent", Model: "p/m", Iteration: 3,
			Messages: talk}, 0, "-", m{"iteration": 3.0, "model_id": "p/m", "messages": sent},
			block,
			"blocked because"},
		{"before_llm_call", event.LLMRequest{Purpose: "subagent", Messages: talk}, 1, "-", m{},
			own(`"updated_messages":[{"role":"user","content":"bye"}]`), "messages bye"},
		{"after_llm_call", event.LLMResponse{Purpose: "agent", Model: "p/m", Text: "done",
			LastUserMessage: "do"}, 0, "-", m{"model_id": "p/m", "stop_response": "done",
			"last_user_message": "do"}, block, ""},
		{"stop", event.AgentBeforeEnd{Response: "done", LastUserMessage: "do"}, 0, "-",
			m{"stop_response": "done", "last_user_message": "do"}, block, ""},
		{"pre_compact", event.SessionBeforeCompact{Cause: "threshold"}, 0, "-",
			m{"source": "auto"}, block, "blocked because"},
		{"pre_compact", event.SessionBeforeCompact{Cause: "overflow", Instructions: "all"}, 0, "-",
			m{"source": "overflow"}, context, "instructions all\n\nfact"},
		{"before_compaction", event.SessionBeforeCompact{Cause: "threshold", InputTokens: 9,
			OutputTokens: 2, Limit: 10}, 0, "-", m{"input_tokens": 9.0, "output_tokens": 2.0,
			"context_limit": 10.0, "compaction_reason": "threshold"}, block, "blocked because"},
		{"before_compaction", event.SessionBeforeCompact{Cause: "manual"}, 0, "-", m{},
			own(`"summary":"short"`), "summary short"},
		{"subagent_stop", event.SubagentEnd{Name: "helper", ParentSessionID: "s0",
			Response: "done"}, 0, "-", m{"agent_name": "helper", "parent_session_id": "s0",
			"stop_response": "done"}, block, ""},
		{"notification", event.Notification{Level: "warn", Message: "hm", Source: "agent"}, 0, "-",
			m{"notification_level": "warning", "notification_message": "hm"}, block, ""},
		{"on_max_iterations", event.LimitReached{Kind: "turns", Value: 9, Limit: 9}, 0, "-",
			m{"notification_level": "warning",
				"notification_message": "the limit of turns is reached"}, block, ""},
	}
}

// TestDockerStops: post_tool_use stops the prompt after these calls.
func TestDockerStops(t *testing.T) {
	t.Parallel()
	w := newRig(t).docker("post_tool_use", "shell", "echo enough >&2; exit 2").begin()
	w.answers = true
	r := w.engine.Dispatch(context.Background(), &engine.Call{ID: "c1", Tool: "bash",
		Args: map[string]any{"command": "ls"}, Origin: "model", Env: w.env})
	if r.Stop != "stopped by x/agent.yaml: enough" || r.IsError {
		t.Errorf("got %+v; %s", r, w.told())
	}
}

// TestDockerApproval: who has decided about a call.
func TestDockerApproval(t *testing.T) {
	t.Parallel()
	w := newRig(t).docker("on_tool_approval_decision", "-", keep).begin()
	w.answers = true
	w.bash("ls")
	w.engine.Emitter.Drain(context.Background())
	if got := w.input(); got["approval_decision"] != "allow" ||
		got["approval_source"] != "user_approved" || got["tool_name"] != "shell" {
		t.Errorf("got %v", got)
	}
	for decision, source := range map[string]string{"allow": "pre_tool_use_hook_allow",
		"deny": "pre_tool_use_hook_deny"} {
		w.fires(event.ToolApproval{Decision: decision, Source: "script", Script: "other.lua"})
		w.engine.Emitter.Drain(context.Background())
		if got := w.input(); got["approval_source"] != source {
			t.Errorf("%s: got %v", decision, got)
		}
	}
}

// TestDockerMessages: messages that a hook does not change stay as they are, with what only this
// program knows of them.
func TestDockerMessages(t *testing.T) {
	t.Parallel()
	text := func(s string) []chat.Block { return []chat.Block{{Type: "text", Text: s}} }
	talk := chat.MessageList{{ID: "m1", Role: "user", Content: append(text("hello"),
		chat.Block{Type: "image", MimeType: "image/png", Data: "eA=="})},
		{ID: "m2", Role: "assistant", Content: text("I look"), Reasoning: "hm"},
		{ID: "m3", Role: "user", Content: text("go on")}}
	w := newRig(t).docker("before_llm_call", "-", `sed -e 's/.*"messages":\(\[.*\]\),"model_id.*/`+
		`{"hook_specific_output":{"updated_messages":\1}}/' -e 's/go on/stop/' -e `+
		`'s/\]}}$/,{"role":"user","content":"new"}]}}/'`).begin()
	ev, v := w.fires(event.LLMRequest{Purpose: "agent", Messages: talk})
	list, err := chat.DecodeMessages(ev.Field("messages"))
	if err != nil || len(list) != 4 || len(v.Changed) != 1 {
		t.Fatalf("got %v, %v, %v; %s", list, err, v.Changed, w.told())
	}
	var got []string
	for _, m := range list {
		got = append(got, m.ID+" "+m.Role+" "+m.MainText())
	}
	want := "m1 user hello[image], m2 assistant I look, m3 user stop,  user new"
	if s := strings.Join(got, ", "); s != want || len(list[0].Content) != 2 ||
		list[1].Reasoning != "hm" {
		t.Errorf("got %s, want %s; %+v", s, want, list)
	}
}
