package hooks_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// write writes a file.
func write(t testing.TB, dir, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// keep is a command that writes what it reads to the file "in".
const keep = "cat >in"

// TestToolInput: hooks read the calls of built-in tools in the shapes of Claude Code, and those of
// others as they are.
func TestToolInput(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	tests := []struct {
		what, tool string
		args       m
		name       string
		in         m
	}{
		{"a command", "bash", m{"command": "ls", "timeout": 2.5, "background": true, "cwd": "/x"},
			"Bash", m{"command": "ls", "timeout": 2500.0, "run_in_background": true, "cwd": "/x"}},
		{"a file", "write", m{"path": "a.go", "content": "x<&>"}, "Write",
			m{"file_path": "DIR/a.go", "content": "x<&>"}},
		{"a file by its whole path", "read", m{"path": "/a/b", "offset": 3.0}, "Read",
			m{"file_path": "/a/b", "offset": 3.0}},
		{"an edit", "edit", m{"path": "sub/../a", "edits": []any{m{"old": "a", "new": "b",
			"all": true}}}, "Edit", m{"file_path": "DIR/a", "old_string": "a", "new_string": "b",
			"replace_all": true}},
		{"two edits", "edit", m{"path": "a", "edits": []any{m{"old": "a", "new": "b"},
			m{"old": "c", "new": "d"}}}, "Edit", m{"file_path": "DIR/a", "old_string": "a\nc",
			"new_string": "b\nd", "edits": []any{m{"old_string": "a", "new_string": "b"},
				m{"old_string": "c", "new_string": "d"}}}},
		{"another tool", "mine", m{"path": "a"}, "mine", m{"path": "a"}},
		{"no such tool", "nope", m{"x": 1.0}, "nope", m{"x": 1.0}},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).hooked("PreToolUse", "", keep).begin()
			w.calls(test.tool, test.args)
			got := w.input()
			for key, v := range test.in {
				if s, ok := v.(string); ok {
					test.in[key] = strings.Replace(s, "DIR", w.dir, 1)
				}
			}
			if got["tool_name"] != test.name || !reflect.DeepEqual(got["tool_input"], test.in) {
				t.Errorf("got %v %v, want %s %v", got["tool_name"], got["tool_input"], test.name,
					test.in)
			}
			for key, want := range map[string]any{"session_id": "s1", "cwd": w.dir,
				"transcript_path": "/s/s1.jsonl", "hook_event_name": "PreToolUse",
				"permission_mode": "acceptEdits", "prompt_id": "p1", "tool_use_id": "c1"} {
				if got[key] != want {
					t.Errorf("%s: got %v, want %v", key, got[key], want)
				}
			}
		})
	}
}

// TestOlderNames: a matcher with an older name of a tool gets calls under this name.
func TestOlderNames(t *testing.T) {
	t.Parallel()
	w := newRig(t).hooked("PreToolUse", "MultiEdit|Task", keep).begin()
	w.calls("edit", map[string]any{"path": "a"})
	if got := w.input(); got["tool_name"] != "MultiEdit" {
		t.Errorf("got %v", got["tool_name"])
	}
}

// firing is an event, what a matcher of hooks must match, what they read and what their answer
// does.
type firing struct {
	name    string
	fire    event.Fired
	depth   int
	matcher string // "-" = the hooks of the event have none
	in      map[string]any
	answer  string // a command
	out     string // of the verdict: see verdict
}

// fired are events of Claude Code.
func fired() []firing {
	type m = map[string]any
	block := `echo '{"decision":"block","reason":"because"}'`
	context := `echo '{"hookSpecificOutput":{"additionalContext":"fact"}}'`
	return []firing{
		{"UserPromptSubmit", event.Input{Kind: "prompt", Text: "hello"}, 0, "ignored",
			m{"prompt": "hello"}, block, "blocked because"},
		{"UserPromptSubmit", event.Input{Kind: "prompt"}, 0, "", m{}, "echo plain; echo text",
			"context plain\ntext"},
		{"UserPromptSubmit", event.Input{Kind: "prompt"}, 0, "", m{}, "echo '{plain}'",
			"context {plain}"},
		{"UserPromptSubmit", event.Input{Kind: "prompt"}, 0, "", m{}, "echo no >&2; exit 2",
			"blocked no"},
		{"UserPromptSubmit", event.Input{Kind: "prompt"}, 0, "", m{},
			`echo '{"continue":false,"stopReason":"enough"}'`, "blocked enough"},
		{"SessionStart", event.SessionStart{Cause: "startup"}, 0, "startup|resume",
			m{"source": "startup"}, context, "context fact"},
		{"SessionStart", event.SessionStart{Cause: "new"}, 0, "clear", m{"source": "clear"},
			"echo text", "context text"},
		{"SessionStart", event.SessionStart{Cause: "resume"}, 0, "^re.ume$",
			m{"source": "resume"}, "exit 1", ""},
		{"Stop", event.AgentBeforeEnd{Response: "done"}, 0, "ignored",
			m{"last_assistant_message": "done", "stop_hook_active": false,
				"background_tasks": []any{}, "session_crons": []any{}}, block,
			"continue because"},
		{"Stop", event.AgentBeforeEnd{}, 0, "", m{}, context, "continue fact"},
		{"Stop", event.AgentBeforeEnd{}, 0, "", m{},
			`echo '{"decision":"block","reason":"x","continue":false}'`, ""},
		{"SubagentStop", event.AgentBeforeEnd{Response: "done"}, 1, "helper",
			m{"agent_type": "helper", "agent_id": "a7", "stop_hook_active": false,
				"agent_transcript_path": "/s/s1.jsonl"},
			"echo more >&2; exit 2", "continue more"},
		{"SubagentStart", event.SubagentStart{SubagentID: "a7", Name: "helper", Task: "look"}, 0,
			"helper", m{"agent_type": "helper", "agent_id": "a7"}, context,
			"task look\n\nfact"},
		{"PreCompact", event.SessionBeforeCompact{Cause: "manual", Instructions: "all"}, 0,
			"manual", m{"trigger": "manual", "custom_instructions": "all"}, block,
			"blocked because"},
		{"PreCompact", event.SessionBeforeCompact{Cause: "overflow"}, 0, "auto",
			m{"trigger": "auto", "custom_instructions": ""}, "exit 0", ""},
	}
}

// verdict says what handlers decided about an event.
func verdict(ev *event.Event, v *engine.Verdict) string {
	switch {
	case v.Blocked:
		return "blocked " + v.Reason
	case v.Continue != "":
		return "continue " + v.Continue
	case len(v.Contexts) > 0:
		return "context " + v.Contexts[0].Text
	case len(v.Changed) > 0 && v.Changed[0] == "messages":
		list, _ := chat.DecodeMessages(ev.Field("messages"))
		return "messages " + list[0].MainText()
	case len(v.Changed) > 0:
		return v.Changed[0] + " " + ev.Text(v.Changed[0])
	case v.Summary != nil:
		return "summary " + *v.Summary
	}
	return ""
}

// TestEvents: events reach the hooks of their names, with their fields, and answers have an effect.
func TestEvents(t *testing.T) {
	t.Parallel()
	for _, test := range append(fired(), dockerFired()...) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).hooking(test.name, test.matcher, keep+"; "+test.answer).begin()
			if test.depth > 0 {
				w.env.Depth, w.env.Agent, w.env.AgentID = test.depth, "helper", "a7"
			}
			ev, v := w.fires(test.fire)
			if got := verdict(ev, v); got != test.out {
				t.Errorf("%s: got %q, want %q; %s", test.answer, got, test.out, w.told())
			}
			got := w.input()
			for key, want := range test.in {
				if !reflect.DeepEqual(got[key], want) {
					t.Errorf("%s: got %v, want %v", key, got[key], want)
				}
			}
		})
	}
}

// TestOtherEvents: a hook does not hear events that its matcher, or its own event, is not about.
func TestOtherEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, matcher string
		fire          event.Fired
		depth         int
	}{
		{"SessionStart", "", event.SessionStart{Cause: "reload"}, 0},
		{"SessionStart", "resume", event.SessionStart{Cause: "startup"}, 0},
		{"SessionStart", "start", event.SessionStart{Cause: "startup"}, 0},
		{"Stop", "", event.AgentBeforeEnd{}, 1},
		{"SubagentStop", "", event.AgentBeforeEnd{}, 0},
		{"PreCompact", "manual", event.SessionBeforeCompact{Cause: "threshold"}, 0},
		{"session_start", "-", event.SessionStart{Cause: "reload"}, 0},
		{"user_prompt_submit", "-", event.Input{Kind: "steer"}, 0},
		{"user_steering_messages_submit", "-", event.Input{Kind: "prompt"}, 0},
		{"before_llm_call", "-", event.LLMRequest{Purpose: "compact"}, 0},
		{"stop", "-", event.AgentBeforeEnd{}, 1},
		{"notification", "-", event.Notification{Level: "info"}, 0},
		{"notification", "-", event.Notification{Level: "warn", Source: "x/agent.yaml"}, 0},
		{"on_max_iterations", "-", event.LimitReached{Kind: "cost"}, 0},
	} {
		w := newRig(t).hooking(test.name, test.matcher, keep).begin()
		w.env.Depth = test.depth
		if w.fires(test.fire); w.heard("in") != "" {
			t.Errorf("%s %q heard %v", test.name, test.matcher, test.fire)
		}
	}
}

// TestObserved: events that can only be observed.
func TestObserved(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for _, test := range []struct {
		name, matcher string
		fire          event.Fired
		in            m
	}{
		{"SessionEnd", "clear", event.SessionEnd{Cause: "clear"}, m{"reason": "clear"}},
		{"SessionEnd", "", event.SessionEnd{Cause: "signal"}, m{"reason": "other"}},
		{"Notification", "permission_prompt", event.WaitInput{Cause: "approval"},
			m{"notification_type": "permission_prompt",
				"message": "The agent needs your permission"}},
		{"PostCompact", "auto", event.SessionCompact{Cause: "threshold", Summary: "short"},
			m{"trigger": "auto", "compact_summary": "short"}},
		{"StopFailure", "", event.AgentEnd{Status: "error", Error: "no credit"},
			m{"error": "unknown", "error_details": "no credit"}},
		{"session_end", "-", event.SessionEnd{Cause: "exit"}, m{"reason": "prompt_input_exit",
			"hook_event_name": "session_end", "session_id": "s1"}},
		{"on_user_input", "-", event.WaitInput{Cause: "idle"}, m{"cwd": "DIR"}},
		{"after_compaction", "-", event.SessionCompact{Cause: "manual", Summary: "short",
			TokensBefore: 7}, m{"compaction_reason": "manual", "summary": "short",
			"input_tokens": 7.0}},
		{"turn_end", "-", event.TurnEnd{Cause: "cancelled"}, m{"reason": "canceled"}},
		{"turn_end", "-", event.TurnEnd{Cause: "loop_detected"}, m{"reason": "loop_detected"}},
		{"on_error", "-", event.Error{Message: "no disk"}, m{"notification_level": "error",
			"notification_message": "no disk"}},
		{"on_session_resume", "-", event.LimitExtended{Kind: "turns", Previous: 5, New: 9},
			m{"previous_max_iterations": 5.0, "new_max_iterations": 9.0}},
		{"on_agent_switch", "-", event.AgentSwitch{From: "a", To: "b", Kind: "transfer"},
			m{"from_agent": "a", "to_agent": "b", "agent_switch_kind": "transfer_task"}},
	} {
		w := newRig(t).hooking(test.name, test.matcher, keep).begin()
		w.engine.Emitter.Emit(w.engine.Events.New(w.env, test.fire))
		w.engine.Emitter.Drain(context.Background())
		got := w.input()
		for key, want := range test.in {
			if want == "DIR" {
				want = w.dir
			}
			if got[key] != want {
				t.Errorf("%s: %s: got %v, want %v", test.name, key, got[key], want)
			}
		}
	}
}

// TestResults: hooks read the result of a call in the shape of Claude Code, and change what the
// model sees.
func TestResults(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for _, test := range []struct {
		name, tool string
		args       m
		in         m
		answer     string
		result     string
	}{
		{"PostToolUse", "bash", m{"command": "ls"}, m{"tool_response": m{
			"stdout": `ran {"command":"ls"}`, "stderr": "", "interrupted": false,
			"isImage": false}}, "exit 0", `ran {"command":"ls"}`},
		{"PostToolUse", "bash", m{"command": "ls"}, m{}, `echo '{"hookSpecificOutput":` +
			`{"updatedToolOutput":{"stdout":"other","stderr":""}}}'`, "other"},
		{"PostToolUse", "bash", m{"command": "ls"}, m{}, `echo '{"hookSpecificOutput":` +
			`{"updatedToolOutput":{"films":[]}}}'`, `ran {"command":"ls"}`},
		{"PostToolUse", "mine", m{"a": 1.0}, m{"tool_response": []any{m{"type": "text",
			"text": `ran {"a":1}`}}}, "exit 0",
			`ran {"a":1}`},
		{"PostToolUseFailure", "bash", m{"command": "false"}, m{
			"error": `ran {"command":"false"}`, "is_interrupt": false}, "exit 0",
			`ran {"command":"false"}`},
		{"tool_response_transform", "bash", m{"command": "ls"}, m{"tool_name": "shell",
			"tool_response": `ran {"command":"ls"}`, "tool_error": false,
			"tool_input": m{"cmd": "ls"}}, own(`"updated_tool_response":""`), ""},
		{"tool_response_transform", "read", m{"path": "a"}, m{"tool_name": "read_file"},
			own(`"updated_tool_response":"other"`), "other"},
		{"post_tool_use", "bash", m{"command": "false"}, m{"tool_error": true,
			"tool_response": `ran {"command":"false"}`}, own(`"updated_tool_response":"other"`),
			`ran {"command":"false"}`},
		{"post_tool_use", "mine", m{}, m{"tool_name": "mine"}, own(`"additional_context":"x"`),
			`ran {}`},
	} {
		w := newRig(t).hooking(test.name, "", keep+"; "+test.answer).begin()
		w.answers = true
		if got := w.calls(test.tool, test.args); got != test.result {
			t.Errorf("%s: got %q, want %q", test.answer, got, test.result)
		}
		got := w.input()
		for key, want := range test.in {
			if !reflect.DeepEqual(got[key], want) {
				t.Errorf("%s: got %v, want %v", key, got[key], want)
			}
		}
	}
}

// TestStopHookActive: a hook that makes the agent go on is told so when it is asked again.
func TestStopHookActive(t *testing.T) {
	t.Parallel()
	w := newRig(t).hooked("Stop", "", keep+"; grep -q true in || { echo more >&2; exit 2; }").
		begin()
	for i, want := range []string{"continue more", "", "continue more"} {
		if i == 2 {
			w.env.PromptID = "p2"
		}
		if got := verdict(w.fires(event.AgentBeforeEnd{})); got != want {
			t.Errorf("%d: got %q, want %q; %s", i, got, want, w.heard("in"))
		}
	}
}
