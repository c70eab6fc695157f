package zot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

func init() {
	extensions["watcher"] = watcher
	extensions["caller"] = caller
	extensions["crossed"] = crossed
	extensions["shelf"] = shelf
}

// everything are the events of the protocol.
const everything = `"session_start","session_end","user_prompt_submit","turn_start","turn_end",` +
	`"tool_result","tool_call","tool_confirmation_requested","permission_decision",` +
	`"assistant_message","pre_compact","post_compact","subagent_start","subagent_stop"`

// watcher displays the events that it has heard.
func watcher(x *extension) {
	var heard []string
	x.begin(`{"type":"register_command","name":"Zot"}`,
		`{"type":"subscribe","events":[`+everything+`]}`)
	x.serve(func(f map[string]any) string {
		switch f["type"] {
		case "event":
			for _, key := range []string{"type", "sequence", "session_id", "cwd", "tool_id"} {
				if f[key] == nil {
					heard = append(heard, "no "+key)
				}
				delete(f, key)
			}
			line, _ := json.Marshal(f)
			heard = append(heard, string(line))
		case "command_invoked":
			text, _ := json.Marshal(fmt.Sprint(f["name"], "\n", strings.Join(heard, "\n")))
			return `{"type":"command_response","id":"ID","action":"display","display":` +
				string(text) + `}`
		}
		return ""
	})
}

// TestWatching: the events of calls that run, that are refused, and that fail, with the fields that
// the protocol gives them, in order.
func TestWatching(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("a", "watcher").install("b", "guard").start()
	w.Routine = true
	w.Bash("ls") // which the guard changes
	w.Bash("rm x")
	var got string
	w.Until("the events", func() bool {
		got = w.command("")
		return strings.Count(got, `"event":"tool_result"`) == 2
	})
	at := 0
	for _, want := range []string{
		"Zot\n",
		`{"event":"tool_confirmation_requested","tool_name":"bash","tool_preview":"ls -l"}`,
		`{"decision":"approved","event":"permission_decision","source":"`,
		`"stage":"pre_execution","tool_name":"bash"}`,
		`{"event":"tool_call","tool_args":{"command":"ls"},"tool_name":"bash"}`,
		`{"event":"tool_result","executed":true,"result":{"content":[{"text":"ran ls -l",` +
			`"type":"text"}],"is_error":false,"truncated":false},"status":"completed",` +
			`"tool_args":{"command":"ls -l"},"tool_name":"bash"}`,
		`{"decision":"denied","event":"permission_decision","source":"`,
		`{"event":"tool_call","tool_args":{"command":"rm x"},"tool_name":"bash"}`,
		`{"event":"tool_result","executed":false,"result":{"content":[{"text":"refused by `,
		`"is_error":true,"truncated":false},"status":"blocked","tool_args":{"command":"rm x"},` +
			`"tool_name":"bash"}`,
	} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("got\n%s\nwant %s after %.60q", got, want, got[:at])
		}
		at += i + len(want)
	}
	if strings.Contains(got, "no sequence") || strings.Contains(got, "no cwd") {
		t.Errorf("got %s", got)
	}
}

// TestTurnEnds: the reasons why turns end have the names of the protocol.
func TestTurnEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("a", "watcher").start()
	for _, end := range []event.TurnEnd{{Cause: "normal", FinishReason: "stop"},
		{Cause: "continue", FinishReason: "tool_calls"}, {Cause: "normal", FinishReason: "length"},
		{Cause: "cancelled", FinishReason: "stop"}, {Cause: "blocked", Error: "after hours"}} {
		w.Engine.Emitter.Emit(w.Engine.Events.New(&event.Envelope{}, end))
	}
	var got string
	w.Until("the events", func() bool {
		got = w.command("")
		return strings.Count(got, "turn_end") == 5
	})
	for _, want := range []string{`"stop":"end_turn"`, `"stop":"tool_use"`, `"stop":"length"`,
		`"stop":"aborted"`, `{"error":"after hours","event":"turn_end","stop":"error"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// caller has the tool relay, which calls a tool of the agent with an id of its own and returns what
// that has returned.
func caller(x *extension) {
	ack := x.begin(`{"type":"register_tool","name":"relay","schema":{"type":"object",` +
		`"properties":{"cancel":{"type":"boolean"}}}}`)
	if fmt.Sprint(ack["capabilities"]) != "[call_tool]" {
		return
	}
	parent := ""
	x.serve(func(f map[string]any) string {
		switch f["type"] {
		case "tool_call":
			parent = f["id"].(string)
			call := `{"type":"call_tool","id":"c1","parent_id":"` + parent + `","name":"bash",` +
				`"args":{"command":"wait"}}`
			if f["args"].(map[string]any)["cancel"] == true {
				x.send(call)
				x.send(call) // the same id again: it is not another call
				return `{"type":"call_tool_cancel","id":"c1"}`
			}
			return strings.Replace(call, "wait", "pwd", 1)
		case "tool_result":
			text, _ := json.Marshal(fmt.Sprint(f["id"], " ", f["name"], " ", f["is_error"], " ",
				f["content"]))
			return `{"type":"tool_result","id":"` + parent + `","content":[{"type":"text","text":` +
				string(text) + `}],"structured_content":{"n":1}}`
		}
		return ""
	})
}

// TestCallTool: a program calls a tool of the agent, and can cancel the call.
func TestCallTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1000).install("x", "caller").start()
	w.Answers = true
	r := w.Call(context.Background(), "relay", map[string]any{})
	if got := chat.PlainText(r.Content); got != "c1 bash false [map[text:ran pwd type:text]]" {
		t.Errorf("got %q; %s", got, w.Recorded())
	}
	if details := fmt.Sprint(r.Details); details != "map[structured_content:map[n:1]]" {
		t.Errorf("got the details %s", details)
	}
	waits := &engine.Handler{Event: "tool_call", Name: "waits",
		GoFn: func(ctx context.Context, ev *event.Event) (any, error) {
			if args, _ := ev.Field("args").(map[string]any); args["command"] == "wait" {
				<-ctx.Done()
			}
			return nil, nil
		}}
	defer w.Engine.Scripts.AddGoHandler(waits)()
	got := chat.PlainText(w.Call(context.Background(), "relay",
		map[string]any{"cancel": true}).Content)
	if !strings.HasPrefix(got, "c1 bash true ") {
		t.Errorf("got %q; %s", got, w.Recorded())
	}
}

// crossed answers each question with the frame that answers another kind.
func crossed(x *extension) {
	x.begin(`{"type":"register_tool","name":"weather"}`,
		`{"type":"subscribe","intercept":["tool_call"]}`)
	x.serve(func(f map[string]any) string {
		switch {
		case f["type"] == "tool_call":
			return `{"type":"event_intercept_response","id":"ID"}`
		case f["tool_name"] == "bash":
			return `{"type":"tool_result","id":"ID","content":[]}`
		}
		return `{"type":"event_intercept_response","id":"ID"}`
	})
}

// TestCrossedAnswers: an answer of another kind is a failure, not consent and not an empty result.
func TestCrossedAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "crossed").start()
	w.Routine = true
	if got := w.Bash("ls"); strings.Contains(got, "ran") {
		t.Errorf("the call ran: %q", got)
	}
	const want = "it answered event_intercept with tool_result, want event_intercept_response"
	if asked := strings.Join(w.Asked(), "\n"); !strings.Contains(asked, want) {
		t.Errorf("asked %q", asked)
	}
	r := w.Call(context.Background(), "weather", map[string]any{})
	if got := chat.PlainText(r.Content); !r.IsError || !strings.Contains(got, "want tool_result") {
		t.Errorf("got %q", got)
	}
}

// shelf has deferred tools, one that activates one of them, and one that asks the user.
func shelf(x *extension) {
	x.begin(`{"type":"register_tool","name":"find"}`,
		`{"type":"register_tool","name":"rare","deferred":true}`,
		`{"type":"register_tool","name":"rarer","exposure":"deferred"}`,
		`{"type":"register_tool","name":"odd","exposure":"public"}`,
		`{"type":"register_tool","name":"asks","interactive":true}`,
		`{"type":"subscribe","intercept":["before_agent_start"]}`)
	x.serve(func(f map[string]any) string {
		switch f["type"] {
		case "tool_call":
			return `{"type":"tool_result","id":"ID","content":[],"activate_tools":["rare"]}`
		case "event_intercept":
			if f["provider"] != "maker" || f["model"] != "model-1" || f["session_id"] == nil {
				return `{"type":"event_intercept_response","id":"ID","block":true}`
			}
			if f["system_prompt"] == "keep" {
				return `{"type":"event_intercept_response","id":"ID"}`
			}
			return `{"type":"event_intercept_response","id":"ID","system_prompt":""}`
		}
		return ""
	})
}

// TestDeferredTools: a deferred tool is offered to models once a result has activated it. A tool
// that asks the user fails where there is no screen.
func TestDeferredTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "shelf").start()
	w.Answers = true
	offered := func() string {
		all := []chat.ToolSpec{{Name: "find"}, {Name: "rare"}, {Name: "rarer"}, {Name: "bash"}}
		var names []string
		for _, tool := range w.Engine.Scripts.Offered(context.Background(), &event.Envelope{},
			all) {
			names = append(names, tool.Name)
		}
		return strings.Join(names, " ")
	}
	if got := offered(); got != "find bash" {
		t.Errorf("offered are %q", got)
	}
	w.Call(context.Background(), "find", map[string]any{})
	if got := offered(); got != "find rare bash" {
		t.Errorf("offered are %q", got)
	}
	w.WantEvents(`register_tool odd has no effect: unknown exposure "public", want one of direct`)
	r := w.Call(context.Background(), "asks", map[string]any{})
	if got := chat.PlainText(r.Content); !r.IsError || !strings.Contains(got, "no screen") {
		t.Errorf("got %q", got)
	}
}

// TestSystemPrompt: an empty text removes the system prompt, and an answer without one keeps it.
func TestSystemPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("x", "shelf").start()
	for before, want := range map[string]string{"keep": "keep", "other": ""} {
		ev, v := w.Engine.Intercept(context.Background(), w.Engine.Events.New(
			&event.Envelope{}, event.AgentBeforeStart{Prompt: "p", SystemPrompt: before}))
		if got := ev.Text("system_prompt"); got != want || v.Blocked {
			t.Errorf("%s: got %q, blocked %v", before, got, v.Blocked)
		}
	}
}
