package picoclaw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// hooks are programs of extensions.
var hooks = map[string]func(p *process){
	"gate":   gate,
	"report": report,
	"llm":    llm,
	"before": func(p *process) { // knows before_tool only
		p.greet()
		p.serve(func(method string, params map[string]any) string {
			if method == "before_tool" {
				return decideCall(commandOf(params))
			}
			return `{"code":-32601,"message":"method not found"}`
		})
	},
}

// gate decides by the command of a call.
func gate(p *process) {
	p.greet()
	p.serve(func(method string, params map[string]any) string {
		command := commandOf(params)
		switch {
		case method == "before_tool":
			return decideCall(command)
		case method == "approve_tool":
			switch command {
			case "danger":
				return `{"approved":false,"reason":"Dangerous command, execution denied"}`
			case "unsure":
				return `{"action":"continue"}`
			}
		case method == "after_tool":
			switch command {
			case "bare answer":
				return `{"action":"modify","result":{"for_llm":"deep"}}`
			case "bare":
				return `{"action":"modify","result":{"for_llm":"[redacted]"}}`
			case "nested":
				return `{"action":"modify","result":{"tool":"bash","result":{"for_llm":"deep",` +
					`"for_user":"look","silent":true,"is_error":true}}}`
			case "picture":
				return `{"action":"modify","result":{"media":["data:image/png;base64,AAAA",` +
					`"media://7"]}}`
			case "stop":
				return `{"action":"abort_turn","reason":"enough"}`
			case "bad result":
				return `{"action":"modify","result":{"for_llm":7}}`
			case "deny result":
				return `{"action":"deny_tool"}`
			}
		}
		return ""
	})
}

// decideCall returns the answer to hook.before_tool.
func decideCall(command string) string {
	switch {
	case strings.HasPrefix(command, "rm"):
		return `{"action":"deny_tool","reason":"Invalid arguments"}`
	case command == "exit":
		os.Exit(9)
	}
	return map[string]string{
		"no reason": `{"action":"deny_tool"}`,
		"ls":        `{"action":"modify","call":{"arguments":{"command":"ls -l"}}}`,
		"drop":      `{"action":"modify","call":{"tool":"bash","arguments":{}}}`,
		"rename":    `{"action":"modify","call":{"tool":"look"}}`,
		"tell":      `{"action":"continue","call":{"arguments":{"command":"told"}}}`,
		"empty":     `{}`,
		"null":      `null`,
		"deny true": `{"deny":true}`,
		"half":      `{"action":"continue","approved":false}`,
		"abort":     `{"action":"abort_turn","reason":"over"}`,
		"hard":      `{"action":"hard_abort"}`,
		"answer": `{"action":"respond","call":{"tool":"bash"},"result":{"for_llm":"cached",` +
			`"for_user":"from the cache","silent":true,"is_error":true,` +
			`"media":["data:image/png;base64,AAAA"]}}`,
		"bare answer": `{"action":"respond","result":{"for_llm":"bare"}}`,
		// none of these may be treated as consent
		"say deny":    `{"action":"deny","reason":"no"}`,
		"block":       `{"action":"block"}`,
		"say no":      `{"approved":false}`,
		"only reason": `{"reason":"no"}`,
		"only result": `{"result":{"for_llm":"x"}}`,
		"continue it": `{"action":"continue","result":{"for_llm":"x"}}`,
		"list":        `{"action":"modify","call":{"arguments":[1]}}`,
		"number":      `{"action":7}`,
		"text":        `"deny_tool"`,
		"error":       `{"code":-32000,"message":"no database"}`,
		"unknown":     `{"code":-32601,"message":"no such method"}`,
		"no result":   `{"action":"respond"}`,
	}[command]
}

// report answers calls with what it has got.
func report(p *process) {
	hello, _ := json.Marshal(p.greet())
	env, _ := json.Marshal(os.Environ())
	var told []string
	p.serve(func(method string, params map[string]any) string {
		got, _ := json.Marshal(params)
		switch {
		case method == "event" || method == "runtime_event":
			told = append(told, method+" "+string(got))
		case method != "before_tool":
		case commandOf(params) == "hello":
			got = hello
			fallthrough
		case commandOf(params) == "params":
			return respond(string(got))
		case commandOf(params) == "env":
			return respond(string(env))
		case commandOf(params) == "told":
			return respond(strings.Join(told, "\n"))
		}
		return ""
	})
}

func respond(text string) string {
	result, _ := json.Marshal(map[string]any{"for_llm": text})
	return `{"action":"respond","result":` + string(result) + `}`
}

// TestBeforeTool: calls are refused, changed and answered. What an answer leaves out stays.
func TestBeforeTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("gate", "before_tool").start()
	w.Answers = true
	for command, want := range map[string]string{
		"rm -rf /":    "Invalid arguments",
		"no reason":   "refused by the hook gate",
		"ls":          "ran ls -l",
		"drop":        "ran <nil>",
		"rename":      "seen",
		"tell":        "ran told",
		"empty":       "ran empty",
		"pwd":         "ran pwd",
		"bare answer": "bare",
		"abort":       "over",
	} {
		if got := w.Bash(command); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
	if asked := w.Asked(); len(asked) > 0 {
		t.Errorf("the user was asked: %q", asked)
	}
	ctx := context.Background()
	call := func(command string) *engine.Result {
		return w.Call(ctx, "bash", map[string]any{"command": command})
	}
	if r := call("abort"); r.Abort != "prompt" {
		t.Errorf("abort_turn: %+v", r)
	}
	if r := call("hard"); r.Abort != "agent" {
		t.Errorf("hard_abort: %+v", r)
	}
	r := call("answer")
	if text := chat.PlainText(r.Content); text != "cached[image]" || !r.IsError || !r.Silent ||
		r.ForUser != "from the cache" || r.AnsweredBy != "x/picoclaw.json" {
		t.Errorf("respond: %q %+v", text, r)
	}
	// tools that do not exist can be answered
	r = w.Call(ctx, "my_plugin_tool", map[string]any{"command": "bare answer"})
	if text := chat.PlainText(r.Content); text != "bare" {
		t.Errorf("an injected tool: %q", text)
	}
}

// TestAnswersThatFail: an answer that is not one of those of the stage is a failure, and the policy
// of failures answers: it is never treated as consent.
func TestAnswersThatFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("gate", "before_tool", "approve_tool").start()
	for command, want := range map[string]string{
		"say deny":    `unknown action "deny"`,
		"block":       "want one of continue, modify, abort_turn, hard_abort, respond",
		"say no":      `unknown action ""`,
		"only reason": `unknown action ""`,
		"only result": "a result needs the action respond",
		"continue it": "a result needs the action respond",
		"list":        "call.arguments",
		"number":      "action",
		"null":        "got null, which is not an answer",
		"deny true":   `got {"deny":true}, which is not an answer`,
		"half":        `got {"action":"continue","approved":false}, which is not an answer`,
		"text":        "answer",
		"error":       "gate: hook.before_tool: it answered with the error -32000: no database",
		"unknown":     "no such method",
		"no result":   "respond",
		"unsure":      `want {"approved": true}`,
	} {
		if got := w.Bash(command); strings.Contains(got, "ran") {
			t.Errorf("%s: the call ran: %q", command, got)
		}
		if asked := w.Asked(); len(asked) == 0 || !strings.Contains(asked[len(asked)-1], want) {
			t.Errorf("%s: asked %q, want %q", command, asked, want)
		}
	}
}

// TestApproval: an approver sees the final arguments of each call.
func TestApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("gate", "approve_tool").start()
	w.Answers = true
	late := &engine.Handler{Event: "tool_call", Priority: 99, Name: "late",
		GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			if args, _ := ev.Field("args").(map[string]any); args["command"] == "date" {
				return map[string]any{"args": map[string]any{"command": "danger"}}, nil
			}
			return nil, nil
		}}
	defer w.Engine.Scripts.AddGoHandler(late)()
	for command, want := range map[string]string{"danger": "Dangerous command, execution denied",
		"date": "Dangerous command", "pwd": "ran pwd", "rm": "ran rm"} {
		if got := w.Bash(command); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}

// TestFinalArguments: a call that others have changed since is asked about again. A hook that would
// change, answer or end it then cannot: the user decides, or it is refused.
func TestFinalArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("gate", "before_tool").start()
	late := &engine.Handler{Event: "tool_call", Priority: 99, Name: "late",
		GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			args, _ := ev.Field("args").(map[string]any)
			command, _ := args["command"].(string)
			if real, ok := strings.CutPrefix(command, "date "); ok {
				return map[string]any{"args": map[string]any{"command": real}}, nil
			}
			return nil, nil
		}}
	defer w.Engine.Scripts.AddGoHandler(late)()
	for command, want := range map[string]string{"date rm x": "Invalid arguments",
		"date abort": "over", "date pwd": "ran pwd", "date ls": "not approved",
		"date answer": "not approved", "date rename": "not approved"} {
		w.Answers = want == "ran pwd"
		if got := w.Bash(command); want != "not approved" && !strings.Contains(got, want) ||
			want == "not approved" && strings.Contains(got, "ran") {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
	if asked := strings.Join(w.Asked(), "\n"); strings.Count(asked, "\n") != 2 ||
		!strings.Contains(asked, "would answer this call") ||
		!strings.Contains(asked, "would run this call with other arguments") {
		t.Errorf("asked %s", asked)
	}
}

// TestAfterTool: results are changed in both forms, and what an answer leaves out stays.
func TestAfterTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("gate", "after_tool").start()
	w.Answers = true
	call := func(command string) *engine.Result {
		return w.Call(context.Background(), "bash", map[string]any{"command": command})
	}
	if r := call("bare"); chat.PlainText(r.Content) != "[redacted]" || r.IsError || r.Silent {
		t.Errorf("bare: %+v", r)
	}
	r := call("nested")
	if chat.PlainText(r.Content) != "deep" || !r.IsError || !r.Silent || r.ForUser != "look" {
		t.Errorf("nested: %+v", r)
	}
	r = call("picture")
	if text := chat.PlainText(r.Content); text != "ran picture[image][media: media://7]" {
		t.Errorf("picture: %q", text)
	}
	if r := call("stop"); r.Abort != "prompt" {
		t.Errorf("abort_turn: %+v", r)
	}
	for _, command := range []string{"bad result", "deny result"} {
		if r := call(command); !r.IsError || strings.Contains(chat.PlainText(r.Content), "ran") {
			t.Errorf("%s: the result was shown: %+v", command, r)
		}
	}
	// answered by the hook itself: after_tool is not sent, which would make it "deep"
	if r := call("bare answer"); chat.PlainText(r.Content) != "bare" {
		t.Errorf("answered: %+v", r)
	}
}

// TestStagesNotNamed: if one stage of a tool call is named, the hook is asked at the other too, as
// picoclaw does; an error that says that it does not know it is not a failure.
func TestStagesNotNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20).install("before", "before_tool").start()
	w.Answers = true
	for range 2 {
		if got := w.Bash("pwd"); got != "ran pwd" {
			t.Errorf("got %q", got)
		}
	}
	if got := w.Recorded(); got != "" {
		t.Errorf("a failure: %s", got)
	}
	w = newWorld(t, 20).install("gate", "before_tool").start()
	w.Answers = true
	if got := w.Bash("bare"); got != "[redacted]" {
		t.Errorf("got %q", got)
	}
}

// TestParameters: what a hook is told.
func TestParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20)
	w.Write("x/picoclaw.json", file(settings(t, "report",
		`"env":{"MODE":"strict"},"observe":["*"],"intercept":["before_tool","approve_tool"]`)))
	w.Start()
	w.Answers = true
	var got map[string]any
	if err := json.Unmarshal([]byte(w.Bash("params")), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"tool": "bash", "arguments": map[string]any{"command": "params"},
		"channel": "cli", "chat_id": "session-1",
		"meta": map[string]any{"AgentID": "main", "TurnID": "turn-1", "ParentTurnID": "",
			"SessionKey": "session-1", "Iteration": 2.0, "TracePath": "runTurn",
			"Source": "turn.tool.before"},
		"context": map[string]any{
			"inbound": map[string]any{"channel": "cli", "chat_id": "session-1",
				"chat_type": "direct", "sender_id": "user", "message_id": "turn-1"},
			"route": map[string]any{"agent_id": "main", "channel": "cli"},
			"scope": map[string]any{"agent_id": "main", "channel": "cli"}}}
	if g, wa := fmt.Sprint(got), fmt.Sprint(want); g != wa {
		t.Errorf("got  %s\nwant %s", g, wa)
	}
	if got := w.Bash("hello"); got != `{"modes":["observe","tool","approve"],"name":"report",`+
		`"version":1}` {
		t.Errorf("hook.hello: %s", got)
	}
	var env []string
	if err := json.Unmarshal([]byte(w.Bash("env")), &env); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(env, "MODE=strict") || !slices.Contains(env, "HOME=/somewhere") ||
		slices.Contains(env, "SECRET_KEY=x") {
		t.Errorf("the environment is %q", env)
	}
}
