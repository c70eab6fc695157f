package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/value"
)

// newFamily returns an agent with the agent tool, whose model answers by the script: see
// world.script.
func newFamily(t *testing.T, o Options, script map[string][]answer,
	prepare ...func(*world)) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	w := &world{t: t, ctx: ctx, home: t.TempDir(), script: script}
	w.tools = []*engine.Tool{Tool(func() *Agent { return w.agent })}
	for _, f := range prepare {
		f(w)
	}
	return w.start(o, cancel)
}

// uses returns an answer that calls tools, each given as name and arguments.
func uses(calls ...string) answer {
	var a answer
	for i := 0; i < len(calls); i += 2 {
		a.chunks = append(a.chunks,
			chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: i, ID: fmt.Sprintf("c%d", i/2),
				Name: calls[i], ArgsDelta: calls[i+1]}})
	}
	return a
}

// counted returns an answer of a server that counts tokens: one.
func counted(a answer) answer {
	a.finish.Usage = &chat.Usage{Output: 1}
	return a
}

func says(text string) answer {
	return answer{text: text, finish: chat.Finish{Reason: "stop",
		Usage: &chat.Usage{Input: 10, Output: 5}}}
}

// results returns the results of tools in the conversation that begins with task, as the model last
// got it.
func (w *world) results(task string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for i := len(w.requests) - 1; i >= 0; i-- {
		if ms := w.requests[i].Messages; chat.PlainText(ms[0].Content) == task {
			for _, m := range ms {
				if m.Role == "tool" {
					out = append(out, chat.PlainText(m.Content))
				}
			}
			break
		}
	}
	return strings.Join(out, "\n")
}

// all returns the events of a name, in order.
func (w *world) all(name string) []*event.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []*event.Event
	for _, ev := range w.events {
		if ev.Name() == name {
			out = append(out, ev)
		}
	}
	return out
}

// until polls until ok returns true.
func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	for ; w.ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if ok() {
			return
		}
	}
	w.t.Fatalf("timed out: %s", what)
}

func (w *world) spawn(spec *service.SpawnSpec) *service.Spawned {
	w.t.Helper()
	s, err := w.agent.Services().Spawn(w.ctx, w.agent.Envelope(), spec)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func TestSubAgentResult(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{
		"go":   {uses("agent", `{"task":"look"}`)},
		"look": {counted(uses("bash", `{"command":"echo hi"}`)), says("it says hi")},
	})
	if end := w.prompt("go"); end.Status != Completed || end.Response != "done" {
		t.Errorf("got %+v", end)
	}
	equal(t, "result of the call", w.results("go"), "it says hi")
	equal(t, "result in the sub-agent", w.results("look"), "hi\n")
	start, end := w.last("subagent_start"), w.last("subagent_end")
	id := start.Text("subagent_id")
	env := end.Env()
	if env.AgentID != id || env.ParentAgentID != "main" || env.Depth != 1 ||
		env.Agent != "general" || env.Origin != "subagent" {
		t.Errorf("envelope: got %+v", env)
	}
	if start.Text("task") != "look" || start.Text("name") != "general" ||
		start.Text("model") != "fake/m" || end.Text("status") != "completed" ||
		end.Text("parent_session_id") != w.agent.Envelope().SessionID ||
		end.Field("delivered") != true || end.Field("cost") == nil {
		t.Errorf("got %v, %v", start, end)
	}
	call := w.all("tool_call")[1]
	if v, _ := call.Get("origin"); call.Env().AgentID != id || v != "subagent" ||
		call.Env().SessionID == w.agent.Envelope().SessionID {
		t.Errorf("the sub-agent's call: got %+v, origin %v", call.Env(), v)
	}
	if req := w.requests[1]; req.Purpose != "subagent" || req.Env.AgentID != id ||
		!strings.Contains(req.System, "You work for another agent") {
		t.Errorf("request: got purpose %s, %+v", req.Purpose, req.Env)
	}
	switches := w.all("agent_switch")
	if len(switches) != 2 || switches[0].Text("kind") != "transfer" ||
		switches[0].Text("to") != "general" || switches[1].Text("kind") != "return" ||
		switches[1].Text("to") != "main" {
		t.Errorf("agent_switch: got %v", switches)
	}
	child, err := session.Load(env.SessionPath)
	if err != nil || child.Parent() != w.agent.Envelope().SessionID ||
		filepath.Dir(env.SessionPath) != strings.TrimSuffix(w.agent.Envelope().SessionPath,
			".jsonl") {
		t.Errorf("session %s: %v", env.SessionPath, err)
	}
	for _, e := range w.saved().Entries() {
		if e.Tool != nil && (e.Tool.Details["subagent_id"] != id ||
			e.Tool.Details["status"] != "completed" || e.Tool.Details["cost"] == nil) {
			t.Errorf("details: got %v", e.Tool.Details)
		}
	}
	if got := w.agent.shared.subagents.below(w.agent); len(got) != 0 {
		t.Errorf("got %d sub-agents left", len(got))
	}
	// of the sub-agent alone, because the main agent's model does not count
	used := w.agent.Session().Used(false)
	if used.Tokens.Input != 10 || used.Tokens.Output != 6 || used.Requests != 4 ||
		used.Unpriced != 2 || used.Cost != end.Field("cost") || end.Env().Cost() != used.Cost {
		t.Errorf("the session's usage: got %+v, cost %v", used, end.Env().Cost())
	}
}

func TestSubAgentsRunConcurrently(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	both.Add(2)
	meet := func(ctx context.Context) {
		both.Done()
		met := make(chan struct{})
		go func() { both.Wait(); close(met) }()
		select {
		case <-met:
		case <-ctx.Done():
		}
	}
	one, two := says("1"), says("2")
	one.before, two.before = meet, meet
	w := newFamily(t, Options{}, map[string][]answer{
		"go":  {uses("agent", `{"task":"one"}`, "agent", `{"task":"two"}`)},
		"one": {one}, "two": {two},
	})
	if end := w.prompt("go"); end.Status != Completed {
		t.Errorf("got %+v", end)
	}
	equal(t, "results", w.results("go"), "1\n2")
}

func TestGuardsApplyToSubAgents(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{
		"go":   {uses("bash", `{"command":"echo main"}`), uses("agent", `{"task":"look"}`)},
		"look": {uses("bash", `{"command":"echo sub"}`)},
	})
	w.on("guard", func(ev *event.Event) any {
		if ev.Env().Depth > 0 && ev.Text("tool") == "bash" {
			return block(ev.Env().AgentID + " below " + ev.Env().ParentAgentID)
		}
		return nil
	})
	if end := w.prompt("go"); end.Refused != 1 {
		t.Errorf("got %d refused, want that of the sub-agent", end.Refused)
	}
	begun, call := w.last("subagent_start"), w.last("tool_result")
	id := begun.Text("subagent_id")
	equal(t, "its call", begun.Text("call_id"), call.Text("call_id"))
	details, err := value.Plain(call.Field("details"))
	if err != nil {
		t.Fatal(err)
	}
	calls := details.(map[string]any)
	equal(t, "calls", fmt.Sprint(calls["calls"], " ", calls["skipped"]), "1 1")
	equal(t, "in the sub-agent", w.results("look"), "refused by h.lua: "+id+" below main")
	equal(t, "in the main agent", w.results("go"), "main\n\ndone")
}

func TestFailingGuardInSubAgentRefuses(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{"go": {uses("agent", `{"task":"look"}`)},
		"look": {uses("bash", `{"command":"echo sub"}`)}},
		func(w *world) {
			w.approver = approver(
				func(*engine.Question) engine.Answer { return engine.Answer{Allow: true} })
		})
	w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "bad.lua", Event: "guard", Line: 1,
		GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			if ev.Env().Depth > 0 {
				return nil, errors.New("oops")
			}
			return nil, nil
		}})
	w.prompt("go")
	if got := w.results("look"); !strings.HasPrefix(got, "refused") {
		t.Errorf("got %s", got)
	}
}

// approver answers in place of a user.
type approver func(q *engine.Question) engine.Answer

func (f approver) Approve(_ context.Context, q *engine.Question) (engine.Answer, error) {
	return f(q), nil
}

func TestSubAgentsUseCurrentPermissionMode(t *testing.T) {
	t.Parallel()
	var asked []*engine.Question
	w := newFamily(t, Options{Permission: event.PermissionDefault}, nil, func(w *world) {
		w.approver = approver(func(q *engine.Question) engine.Answer {
			asked = append(asked, q)
			return engine.Answer{Reason: "not now"}
		})
	})
	yolo := uses("bash", `{"command":"echo 2"}`)
	yolo.before = func(context.Context) {
		if err := w.agent.Set(service.Settings{Permission: event.PermissionYolo},
			"user"); err != nil {
			t.Error(err)
		}
	}
	plan := uses("bash", `{"command":"echo 3"}`)
	plan.before = func(context.Context) {
		w.agent.Set(
			service.Settings{Permission: event.PermissionPlan}, "user")
	}
	w.script = map[string][]answer{"go": {uses("agent", `{"task":"look"}`)},
		"look": {uses("bash", `{"command":"echo 1"}`), yolo, plan}}
	w.prompt("go")
	equal(t, "results", w.results("look"),
		"refused by the user: not now\n2\n\nrefused: permission mode plan is read only: bash may "+
			"change things")
	if len(asked) != 1 || asked[0].Call.Env.Agent != "general" || asked[0].Call.Env.Depth != 1 {
		t.Errorf("asked: got %v", asked)
	}
}

func TestRecursiveSubAgentEnds(t *testing.T) {
	t.Parallel()
	bomb := uses("agent", `{"task":"bomb"}`)
	w := newFamily(t, Options{}, map[string][]answer{"bomb": {bomb}})
	w.prompt("bomb")
	if n := len(w.all("subagent_start")); n != maxDepth {
		t.Errorf("got %d sub-agents, want %d", n, maxDepth)
	}
	found := false
	for _, req := range w.requests {
		offered := false
		for _, tool := range req.Tools {
			offered = offered || tool.Name == "agent"
		}
		if offered != (req.Env.Depth < maxDepth) {
			t.Errorf("depth %d: agent tool offered: %v", req.Env.Depth, offered)
		}
		found = found || strings.Contains(talk(req.Messages), "sub-agents nest at most 3 deep")
	}
	if !found {
		t.Error("the reason was not reported")
	}
}

func TestNumberOfSubAgentsIsLimited(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	wait := says("ok")
	wait.before = func(ctx context.Context) {
		select {
		case <-release:
		case <-ctx.Done():
		}
	}
	w := newFamily(t, Options{}, map[string][]answer{"wait": {wait}})
	var running []*service.Spawned
	for range maxLive {
		running = append(running, w.spawn(&service.SpawnSpec{Prompt: "wait"}))
	}
	_, err := w.agent.Services().Spawn(w.ctx, w.agent.Envelope(),
		&service.SpawnSpec{Prompt: "wait"})
	var we *fault.WorldError
	if !errors.As(err, &we) || we.Code != "busy" {
		t.Errorf("got %v", err)
	}
	close(release)
	for _, s := range running {
		if end, err := s.Wait(w.ctx); err != nil || end.Response != "ok" {
			t.Errorf("got %+v, %v", end, err)
		}
	}
	w.spawn(&service.SpawnSpec{Prompt: "more"})
}

// hang returns an answer that never ends; begun is closed when the request arrives.
func hang(begun chan struct{}) answer {
	return answer{before: func(ctx context.Context) { close(begun); <-ctx.Done() }}
}

func TestEscEndsSubAgents(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	w := newFamily(t, Options{}, map[string][]answer{"go": {uses("agent", `{"task":"hang"}`)},
		"hang": {hang(begun)}})
	ctx, cancel := context.WithCancel(w.ctx)
	go func() { <-begun; cancel() }()
	if end := w.agent.Prompt(ctx, Input{Text: "go"}); end.Status != Cancelled {
		t.Errorf("got %+v", end)
	}
	if ev := w.last("subagent_end"); ev.Text("status") != "cancelled" ||
		ev.Field("delivered") != false {
		t.Errorf("got %v", ev)
	}
	w.saved()
	if len(w.agent.shared.subagents.below(w.agent)) != 0 || len(w.all("notification")) != 0 {
		t.Errorf("got %d left, %v", len(w.agent.shared.subagents.below(w.agent)),
			w.all("notification"))
	}
}

func TestHangingSubAgentIsAbandoned(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	stubborn := &engine.Tool{Name: "stubborn", Kind: "other", ReadOnly: true, Source: "builtin",
		Run: func(context.Context, *engine.Use) (*engine.Result, error) {
			close(begun)
			<-release
			return nil, nil
		}}
	w := newFamily(t, Options{}, map[string][]answer{"go": {uses("agent", `{"task":"look"}`)},
		"look": {uses("stubborn", `{}`)}},
		func(w *world) { w.tools = append(w.tools, stubborn) })
	ctx, cancel := context.WithCancel(w.ctx)
	go func() { <-begun; cancel() }()
	if end := w.agent.Prompt(ctx, Input{Text: "go"}); end.Status != Cancelled {
		t.Errorf("got %+v", end)
	}
	if ev := w.last("subagent_end"); !strings.Contains(ev.Text("error"), "abandoned") {
		t.Errorf("got %v", ev)
	}
}

func TestSubAgentStatuses(t *testing.T) {
	t.Parallel()
	fails := answer{err: errors.New("no such luck")}
	stops := uses("bash", `{"command":"echo stop"}`)
	stops.text = "so far"
	circles := uses("ls", `{}`)
	circles.text = "still"
	w := newFamily(t, Options{Limits: Limits{Turns: 4}}, map[string][]answer{
		"go": {uses("agent", `{"task":"fail"}`, "agent", `{"task":"stop"}`, "agent",
			`{"task":"circle"}`, "agent", `{"task":"block"}`, "agent", `{"task":"mute"}`,
			"agent", `{"task":" "}`, "agent", `{"task":"x","agent":"generel"}`, "agent",
			`{"task":"x","model":"fakke/m"}`, "agent", `{"task":"x","tools":["bsh"]}`)},
		"fail": {fails}, "stop": {stops}, "circle": {circles, circles, circles, circles, circles},
		"mute": {{}},
	})
	w.on("tool_result", func(ev *event.Event) any {
		if ev.Env().Depth > 0 && ev.Text("tool") == "bash" {
			return map[string]any{"stop": true, "reason": "enough"}
		}
		return nil
	})
	w.on("agent_before_start", func(ev *event.Event) any {
		if ev.Text("prompt") == "block" {
			return block("not this")
		}
		return nil
	})
	w.prompt("go")
	errs := map[string]bool{}
	for _, ev := range w.all("tool_result") {
		if args, _ := ev.Field("args").(map[string]any); ev.Text("tool") == "agent" {
			blocks, _ := value.Plain(ev.Field("content"))
			text := fmt.Sprint(blocks)
			errs[fmt.Sprint(args["task"], args["agent"], args["model"], args["tools"])] =
				ev.Field("is_error") == true
			t.Log(args, text)
		}
	}
	want := []string{"[the sub-agent failed: model fake/m: no such luck]",
		"[the sub-agent was stopped; this is what it had so far: stopped by h.lua: enough]\nso far",
		"[the sub-agent reached a limit; this is what it had so far: ended after 4 turns: " +
			"continue with another prompt]\nstill",
		"the sub-agent was not allowed to continue: refused by h.lua: not this",
		"(the sub-agent ended without a word)", "a sub-agent needs a task",
		`unknown agent "generel"; did you mean "general"?; there is general`,
		`no model provider "fakke"; did you mean "fake"?`,
		`tools: unknown tool "bsh"; did you mean "bash"?`}
	got := w.results("go")
	for _, text := range want {
		if !strings.Contains(got, strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")) {
			t.Errorf("got\n%s\nwant %s", got, text)
		}
	}
	for key, isError := range errs {
		if want := !strings.HasPrefix(key, "stop") && !strings.HasPrefix(key, "circle") &&
			!strings.HasPrefix(key, "mute"); isError != want {
			t.Errorf("%s: got an error: %v", key, isError)
		}
	}
	if len(w.agent.shared.subagents.below(w.agent)) != 0 {
		t.Error("some sub-agents are left")
	}
}

func TestAbortInSubAgentEndsMainAgent(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{"go": {uses("agent", `{"task":"look"}`)},
		"look": {uses("bash", `{"command":"echo"}`)}})
	w.on("tool_call", func(ev *event.Event) any {
		if ev.Env().Depth > 0 {
			return map[string]any{"abort": "agent"}
		}
		return nil
	})
	if end := w.prompt("go"); end.Status != Failed || !strings.Contains(end.Error, "h.lua") {
		t.Errorf("got %+v", end)
	}
	w.saved()
}

func TestHandlersRewriteSubAgent(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{
		"go":     {uses("agent", `{"task":"look","tools":["bash"]}`)},
		"search": {uses("bash", `{"command":"echo"}`, "ls", `{}`), says("secret")},
		"again":  {uses("agent", `{"task":"no"}`)},
	})
	w.on("subagent_start", func(ev *event.Event) any {
		if ev.Text("task") == "no" {
			return block("too dear")
		}
		return map[string]any{"task": "search", "model": "fake/other", "tools": []any{"l*"}}
	})
	w.on("subagent_end", func(ev *event.Event) any {
		return map[string]any{"response": strings.ReplaceAll(ev.Text("response"), "secret", "***")}
	})
	w.prompt("go")
	equal(t, "result", w.results("go"), "***")
	equal(t, "in the sub-agent", w.results("search"),
		"refused: agent general may not call bash; it may call ls\n[empty directory]\n")
	if req := w.requests[1]; req.Model != "other" || len(req.Tools) != 1 ||
		req.Tools[0].Name != "ls" {
		t.Errorf("got %s, %v", req.Model, req.Tools)
	}
	w.agent.NewSession(w.ctx, "clear", "")
	w.prompt("again")
	equal(t, "blocked", w.results("again"), "the sub-agent was refused by h.lua: too dear")
	if n := len(w.all("subagent_end")); n != 1 {
		t.Errorf("got %d ends, want none of sub-agents that did not begin", n)
	}
}

func TestToolsOfSubAgent(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{
		"go": {uses("agent", `{"task":"look","tools":["r*","agent"]}`)},
		"look": {uses("bash", `{"command":"touch made"}`, "Bash", `{"command":"touch made"}`,
			"read", `{"path":"x"}`, "agent", `{"task":"below","tools":["bash","read"]}`)},
		"below": {uses("bash", `{"command":"touch made"}`, "read", `{"path":"x"}`)},
	})
	w.on("tool_call", func(ev *event.Event) any { // a name that some models use
		if ev.Text("tool") == "Bash" {
			return map[string]any{"tool": "bash"}
		}
		return nil
	})
	w.on("tool_call", func(ev *event.Event) any { return map[string]any{"allow": true} })
	os.WriteFile(filepath.Join(w.agent.o.Dir, "x"), []byte("text"), 0o600)
	w.prompt("go")
	if _, err := os.Stat(filepath.Join(w.agent.o.Dir, "made")); err == nil {
		t.Fatal("bash has run")
	}
	look, below := w.results("look"), w.results("below")
	if !strings.HasPrefix(look,
		"refused: agent general may not call bash; it may call read, agent\n"+
			"unknown tool \"Bash\"\n") || !strings.Contains(look, "text") {
		t.Errorf("got %s", look)
	}
	if !strings.HasPrefix(below, "refused: agent general may not call bash; it may call read\n") ||
		!strings.Contains(below, "text") {
		t.Errorf("in the sub-agent: got %s", below)
	}
	if got := w.all("tool_skipped"); len(got) != 3 || got[0].Text("cause") != "denied" ||
		got[1].Text("cause") != "unknown" || got[2].Env().Depth != 2 {
		t.Errorf("tool_skipped: got %v", got)
	}
}
