package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
)

// deadline bounds every wait of these tests.
const deadline = 20 * time.Second

// answer is one reply of the fake model.
type answer struct {
	text   string
	chunks []engine.Chunk // besides the text
	finish engine.Finish
	err    error
	before func(ctx context.Context) // runs first
	after  func(ctx context.Context) // runs when the chunks are out
}

// use makes an answer that calls a tool.
func use(name, args string) answer {
	return answer{chunks: []engine.Chunk{{ToolCall: &engine.ToolCallDelta{ID: "t-" + name, Name: name, ArgsDelta: args}}}}
}

// world is an agent with a fake model and what came of it.
type world struct {
	t       *testing.T
	ctx     context.Context
	home    string
	engine  *engine.Engine
	agent   *Agent
	answers []answer
	tap     func(emit func(engine.Chunk)) // sees each request's emit; may be nil

	mu       sync.Mutex
	requests []*engine.ModelRequest
	events   []*engine.Event
	confirm  func() (bool, error)
	tools    []*engine.Tool
}

func (w *world) stream(ctx context.Context, req *engine.ModelRequest, emit func(engine.Chunk)) (engine.Finish, error) {
	w.mu.Lock()
	a := answer{text: "done", finish: engine.Finish{Reason: "stop"}}
	if n := len(w.requests); n < len(w.answers) {
		a = w.answers[n]
	}
	w.requests = append(w.requests, req)
	w.mu.Unlock()
	if w.tap != nil {
		w.tap(emit)
	}
	if a.before != nil {
		a.before(ctx)
	}
	if a.text != "" {
		emit(engine.Chunk{Text: a.text})
	}
	for _, c := range a.chunks {
		emit(c)
	}
	if a.after != nil {
		a.after(ctx)
	}
	return a.finish, a.err
}

// forget lets the model say "done" from now on.
func (w *world) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = nil
}

func (w *world) Confirm(context.Context, *engine.Dialog) (bool, error) { return w.confirm() }

func host() map[string]engine.HostFunc {
	m := map[string]engine.HostFunc{}
	for _, row := range spec.API() {
		if !row.Fact {
			m[row.Name] = func(*engine.HostCall) (any, error) { return nil, nil }
		}
	}
	return m
}

// newWorld makes an agent in yolo mode whose model gives the answers one after the other, then says "done".
func newWorld(t *testing.T, o Options, answers ...answer) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	w := &world{t: t, ctx: ctx, answers: answers, home: t.TempDir()}
	return w.start(o, cancel)
}

func (w *world) start(o Options, cancel func()) *world {
	eo := engine.Options{Events: spec.Events(), API: spec.API(), Host: host(), Tools: append(tool.Builtin(), w.tools...),
		Providers: []*engine.Provider{{Name: "fake", Models: []engine.Model{{ID: "m", Context: 1000, Price: &engine.Price{Input: 1, Output: 2}}}, Stream: w.stream}},
		Emit: func(ev *engine.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, ev)
		}}
	if w.confirm != nil {
		eo.Dialogs = w
	}
	e, err := engine.New(eo)
	if err != nil {
		w.t.Fatal(err)
	}
	o.Engine, o.Home = e, w.home
	if o.Dir == "" {
		o.Dir = w.t.TempDir()
	}
	if o.Permission == "" {
		o.Permission = engine.PermissionYolo
	}
	w.engine = e
	if w.agent, err = New(o); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		w.agent.Close(w.ctx, "exit")
		e.Close()
		cancel()
	})
	return w
}

// on adds a handler written in Go.
func (w *world) on(event string, f func(ev *engine.Event) any) {
	w.engine.AddGoHandler(&engine.Handler{Name: "h.lua", Event: event, Line: 1,
		GoFn: func(_ context.Context, ev *engine.Event) (any, error) { return f(ev), nil }})
}

func (w *world) prompt(text string) End {
	w.t.Helper()
	return w.agent.Prompt(w.ctx, Input{Text: text, Source: "cli"})
}

// trace lists the events told so far, but for those of the given names, with the fields that matter.
func (w *world) trace() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, ev := range w.events {
		s := ev.Name()
		for _, f := range []string{"cause", "status", "text", "delta", "kind", "error"} {
			if v, ok := ev.Field(f).(string); ok && strings.Contains(fields[ev.Name()], f) {
				s += " " + v
			}
		}
		if strings.Contains(fields["-"], ev.Name()) {
			continue
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

var fields = map[string]string{"-": "tool_approval tool_output tool_call hook_finished", "session_start": "cause", "session_end": "cause",
	"turn_end": "cause error", "agent_end": "status error", "message_delta": "kind delta", "message_end": "text", "tool_skipped": "cause"}

func (w *world) last(event string) *engine.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.events) - 1; i >= 0; i-- {
		if w.events[i].Name() == event {
			return w.events[i]
		}
	}
	w.t.Fatalf("no event %s", event)
	return nil
}

// talk is the conversation of a request: role:text, role>call for results.
func talk(ms []engine.Message) string {
	var out []string
	for _, m := range ms {
		s := m.Role + ":" + engine.PlainText(m.Content)
		if m.Role == "tool" {
			s = "tool>" + m.CallID + ":" + engine.PlainText(m.Content)
		}
		for _, u := range m.ToolCalls {
			s += " [" + u.ID + "]"
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func (w *world) request(n int) string {
	w.t.Helper()
	if n >= len(w.requests) {
		w.t.Fatalf("got %d requests, want number %d", len(w.requests), n)
	}
	return talk(w.requests[n].Messages)
}

// saved reads the session back from its file and checks that it is a valid conversation by itself.
func (w *world) saved() *session.Session {
	w.t.Helper()
	s, err := session.Load(w.agent.Envelope().SessionPath)
	if err != nil {
		w.t.Fatal(err)
	}
	open := map[string]bool{}
	for _, e := range s.Entries() {
		if e.Message == nil {
			continue
		}
		if e.Message.Role != "tool" && len(open) > 0 {
			w.t.Errorf("calls without a result in the file: %v", open)
		}
		for _, u := range e.Message.ToolCalls {
			if open[u.ID] {
				w.t.Errorf("call id %s twice", u.ID)
			}
			open[u.ID] = true
		}
		if e.Message.Role == "tool" {
			if !open[e.Message.CallID] {
				w.t.Errorf("a result of nothing: %s", e.Message.CallID)
			}
			delete(open, e.Message.CallID)
		}
	}
	if len(open) > 0 {
		w.t.Errorf("calls without a result in the file: %v", open)
	}
	return s
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
	}
}

func block(reason string) any { return map[string]any{"block": true, "reason": reason} }

func TestAPromptFromStartToEnd(t *testing.T) {
	w := newWorld(t, Options{}, answer{text: "I look.", chunks: use("bash", `{"command":"echo hi"}`).chunks,
		finish: engine.Finish{Reason: "tool_calls", Usage: &engine.Usage{Input: 10, Output: 5}}},
		answer{text: "It says hi.", finish: engine.Finish{Reason: "stop", Usage: &engine.Usage{Input: 20, Output: 10}}})
	w.agent.Start(w.ctx, "startup")
	end := w.prompt("say hi")
	if end.Status != Completed || end.Response != "It says hi." || end.Refused != 0 {
		t.Errorf("got %+v", end)
	}
	w.agent.Close(w.ctx, "exit")
	w.agent.Close(w.ctx, "exit") // only the first counts
	equal(t, "events", w.trace(), `session_start startup
input
agent_before_start
agent_start
turn_start
message_start
message_delta I look. text
message_end I look.
tool_start
tool_result
tool_end
turn_end continue
turn_start
message_start
message_delta It says hi. text
message_end It says hi.
turn_end normal
agent_end completed
session_end exit`)
	equal(t, "second request", w.request(1), "user:say hi\nassistant:I look. [t-bash]\ntool>t-bash:hi\n")
	ev := w.last("agent_end")
	b, _ := json.Marshal([]any{ev.Field("response"), ev.Field("turns"), ev.Field("tool_calls"), ev.Field("tool_names"), ev.Field("usage")})
	equal(t, "agent_end", string(b), `["It says hi.",2,1,["bash"],{"cache_read":0,"cache_write":0,"input":30,"output":15}]`)
	if cost, _ := ev.Field("cost").(float64); math.Abs(cost-0.00006) > 1e-9 {
		t.Errorf("cost: got %v, want 0.00006", cost)
	}
	if env := ev.Env(); env.Turn != 2 || env.Model != "fake/m" || env.PromptID == "" || env.Window()["percent"] != 3.0 || env.Cost() == 0 {
		t.Errorf("envelope: got %+v, window %v", env, env.Window())
	}
	if req := w.requests[0]; len(req.Tools) != 5 || req.Model != "m" || req.Purpose != "agent" || !strings.Contains(req.System, w.agent.o.Dir) {
		t.Errorf("request: got %+v", req)
	}
	s := w.saved()
	if es := s.Entries(); len(es) != 5 || es[0].ID != ev.Env().PromptID || es[4].Event.Name != "agent_end" || es[4].Event.Data["status"] != "completed" {
		t.Errorf("session: got %d entries", len(es))
	}
}

func TestTheNextPromptHasTheConversation(t *testing.T) {
	w := newWorld(t, Options{})
	w.prompt("one")
	w.prompt("two")
	equal(t, "request", w.request(1), "user:one\nassistant:done\nuser:two")
}

func TestDenialsAreCountedAndToldToTheModel(t *testing.T) {
	w := newWorld(t, Options{}, use("bash", `{"command":"rm x"}`), use("nosuch", `{}`))
	w.on("guard", func(*engine.Event) any { return block("no rm") })
	end := w.prompt("go")
	if end.Status != Completed || end.Refused != 1 {
		t.Errorf("got %+v, want 1 refused (an unknown tool is none)", end)
	}
	equal(t, "second request", w.request(1), "user:go\nassistant: [t-bash]\ntool>t-bash:refused by h.lua: no rm")
	for _, e := range w.saved().Entries() {
		if e.Tool != nil && e.Message.CallID == "t-bash" && (e.Tool.Skipped != "denied" || len(e.Tool.Trail) != 1 || e.Tool.Trail[0].Script != "h.lua") {
			t.Errorf("session: got %+v", e.Tool)
		}
	}
}

func TestWhatReallyRanIsInTheSession(t *testing.T) {
	w := newWorld(t, Options{}, use("bash", `{"command":"echo a"}`))
	w.on("tool_call", func(*engine.Event) any { return map[string]any{"args": map[string]any{"command": "echo b"}} })
	w.prompt("go")
	for _, e := range w.saved().Entries() {
		if e.Tool != nil && (e.Tool.Args["command"] != "echo b" || engine.PlainText(e.Message.Content) != "b\n") {
			t.Errorf("got %+v %+v", e.Tool, e.Message)
		}
	}
}

func TestStrangeToolCalls(t *testing.T) {
	piece := func(i int, id, name, args string) engine.Chunk {
		return engine.Chunk{ToolCall: &engine.ToolCallDelta{Index: i, ID: id, Name: name, ArgsDelta: args}}
	}
	tests := []struct {
		name   string
		chunks []engine.Chunk
		want   string // the results; # stands for a made-up id
	}{
		{"in pieces, mixed", []engine.Chunk{piece(1, "b", "bash", `{"comm`), piece(0, "a", "bash", ""), piece(1, "", "", `and":"echo B"}`), piece(0, "", "", `{"command":"echo A"}`)},
			"tool>a:A\n\ntool>b:B\n"},
		{"no ids", []engine.Chunk{piece(0, "", "bash", `{"command":"echo A"}`), piece(1, "", "bash", `{"command":"echo B"}`)}, "tool>#:A\n\ntool>#:B\n"},
		{"the same id twice", []engine.Chunk{piece(0, "x", "bash", `{"command":"echo A"}`), piece(1, "x", "bash", `{"command":"echo B"}`)}, "tool>x:A\n\ntool>x-2:B\n"},
		{"not JSON", []engine.Chunk{piece(0, "x", "bash", `{"command":"echo`)},
			`tool>x:invalid arguments for bash: not JSON: unexpected end of JSON input in "{\"command\":\"echo"`},
		{"a list", []engine.Chunk{piece(0, "x", "bash", `["echo"]`)}, "tool>x:invalid arguments for bash: got list, want an object"},
		{"too deep", []engine.Chunk{piece(0, "x", "bash", strings.Repeat(`{"a":`, 100)+"1"+strings.Repeat("}", 100))}, "tool>x:invalid arguments for bash: nested deeper than 64 levels"},
		{"no arguments", []engine.Chunk{piece(0, "x", "ls", "")}, "tool>x:[empty directory]\n"},
		{"null", []engine.Chunk{piece(0, "x", "ls", "null")}, "tool>x:[empty directory]\n"},
		{"no name", []engine.Chunk{piece(0, "x", "", "{}")}, "tool>x:a tool call without the name of a tool"},
		{"unknown", []engine.Chunk{piece(0, "x", "bush", "{}")}, `tool>x:unknown tool "bush"; did you mean "bash"?`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, Options{}, answer{chunks: tt.chunks})
			if end := w.prompt("go"); end.Status != Completed {
				t.Errorf("got %+v", end)
			}
			var got []string
			for _, m := range w.requests[1].Messages[2:] {
				s := talk([]engine.Message{m})
				if id, ok := strings.CutPrefix(m.CallID, "call_"); ok {
					s = strings.Replace(s, "call_"+id, "#", 1)
				}
				got = append(got, s)
			}
			equal(t, "results", strings.Join(got, "\n"), tt.want)
			w.saved()
		})
	}
}

func TestIdsAreUniqueOverPromptsAndResumedSessions(t *testing.T) {
	w := newWorld(t, Options{}, use("ls", ""), use("ls", ""))
	w.prompt("go")
	s := w.saved()
	v := newWorld(t, Options{Session: s}, use("ls", ""))
	v.prompt("again")
	equal(t, "request", v.request(1), "user:go\nassistant: [t-ls]\ntool>t-ls:[empty directory]\n\nassistant: [t-ls-2]\ntool>t-ls-2:[empty directory]\n\n"+
		"assistant:done\nuser:again\nassistant: [t-ls-3]\ntool>t-ls-3:[empty directory]\n")
}

func TestEveryWayToEnd(t *testing.T) {
	abort := map[string]any{"abort": "prompt"}
	tests := []struct {
		name    string
		o       Options
		answers []answer
		event   string
		returns any
		want    string // status reason | refused | turn_end causes
		told    string // the end of the trace
	}{
		{"input blocked", Options{}, nil, "input", block("not today"), "blocked refused by h.lua: not today | 1 |", "input"},
		{"input handled", Options{}, nil, "input", map[string]any{"handled": true}, "handled  | 0 |", "input"},
		{"prompt blocked", Options{}, nil, "agent_before_start", block("no"), "blocked refused by h.lua: no | 1 |", "agent_end blocked refused by h.lua: no"},
		{"turn blocked", Options{}, nil, "turn_start", block("no"), "blocked refused by h.lua: no | 1 | blocked", "agent_end blocked refused by h.lua: no"},
		{"turn stopped", Options{}, nil, "turn_start", map[string]any{"stop": true, "reason": "enough"}, "stopped stopped by h.lua: enough | 0 | normal", "agent_end stopped stopped by h.lua: enough"},
		{"turn asks, nobody there", Options{}, nil, "turn_start", map[string]any{"ask": "really?", "reason": "r"},
			"blocked refused: nobody can be asked here: h.lua:1 asks: really? (r) | 1 | blocked", ""},
		{"result stops", Options{}, []answer{use("ls", "")}, "tool_result", map[string]any{"stop": true, "reason": "seen"}, "stopped stopped by h.lua: seen | 0 | normal", ""},
		{"call aborts", Options{}, []answer{use("ls", "")}, "tool_call", map[string]any{"abort": "prompt", "reason": "bad"}, "error h.lua ended the prompt: bad | 0 | error", "agent_end error h.lua ended the prompt: bad"},
		{"result aborts", Options{}, []answer{use("ls", "")}, "tool_result", abort, "error h.lua ended the prompt | 0 | error", ""},
		{"limit", Options{MaxTurns: 2}, []answer{use("ls", ""), use("ls", ""), use("ls", "")}, "", nil, "limit ended after 2 turns: go on with another prompt | 0 | continue continue", ""},
		{"provider fails", Options{}, []answer{{text: "half", err: errors.New("no credit")}}, "", nil, "error model fake/m: no credit | 0 | error", "agent_end error model fake/m: no credit"},
		{"provider panics", Options{}, []answer{{before: func(context.Context) { panic("oh") }}}, "", nil, "error model fake/m: internal error: oh | 0 | error", ""},
		{"unknown provider", Options{Model: "fkae/m"}, nil, "", nil, `error model fkae/m: no model provider "fkae"; did you mean "fake"? | 0 | error`, ""},
		{"a message of nothing", Options{}, []answer{{}}, "", nil, "completed  | 0 | normal", "agent_end completed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.o, tt.answers...)
			if tt.event != "" {
				w.on(tt.event, func(*engine.Event) any { return tt.returns })
			}
			end := w.prompt("go")
			var causes []string
			for _, l := range strings.Split(w.trace(), "\n") {
				if f := strings.Fields(l); f[0] == "turn_end" {
					causes = append(causes, f[1])
				}
			}
			equal(t, "end", strings.TrimSpace(fmt.Sprintf("%s %s | %d | %s", end.Status, end.Reason, end.Refused, strings.Join(causes, " "))), tt.want)
			if (end.Status == Failed) != (end.Error != "") {
				t.Errorf("error: got %q for status %s", end.Error, end.Status)
			}
			if !strings.HasSuffix(w.trace(), tt.told) {
				t.Errorf("got\n%s\nwant at the end\n%s", w.trace(), tt.told)
			}
			if strings.HasPrefix(tt.name, "provider") && !strings.Contains(w.trace(), "\nerror") {
				t.Error("no error event")
			}
			if len(w.requests) > 0 {
				w.saved()
			}
			// Whatever came, the next prompt goes on.
			if tt.event == "" && tt.o.Model == "" {
				w.forget()
				if end := w.prompt("next"); end.Status != Completed || end.Response != "done" {
					t.Errorf("next: got %+v", end)
				}
			}
		})
	}
}

func TestStopLetsTheBatchFinishAndAbortDoesNot(t *testing.T) {
	two := answer{chunks: []engine.Chunk{{ToolCall: &engine.ToolCallDelta{ID: "a", Name: "ls"}}, {ToolCall: &engine.ToolCallDelta{Index: 1, ID: "b", Name: "ls"}}}}
	for returns, want := range map[string]string{"stop": "[empty directory]\n", "abort": "not run: h.lua ended the prompt: r"} {
		w := newWorld(t, Options{}, two)
		w.on("tool_result", func(ev *engine.Event) any {
			if ev.Text("call_id") != "a" {
				return nil
			}
			if returns == "stop" {
				return map[string]any{"stop": true}
			}
			return map[string]any{"abort": "prompt", "reason": "r"}
		})
		w.prompt("go")
		ms := w.saved().Messages("", 0)
		equal(t, returns, talk(ms[len(ms)-1:]), "tool>b:"+want)
		if len(w.requests) != 1 {
			t.Errorf("%s: got %d requests, want 1", returns, len(w.requests))
		}
	}
}

func TestTurnMayBeAskedFor(t *testing.T) {
	for _, yes := range []bool{true, false} {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		w := &world{t: t, ctx: ctx, home: t.TempDir(), confirm: func() (bool, error) { return yes, nil }}
		w.start(Options{}, cancel)
		w.on("turn_start", func(*engine.Event) any { return map[string]any{"ask": "really?"} })
		if end := w.prompt("go"); (end.Status == Completed) != yes || (end.Refused == 0) != yes {
			t.Errorf("answer %v: got %+v", yes, end)
		}
	}
}

func TestContextsAndRewrites(t *testing.T) {
	w := newWorld(t, Options{}, use("ls", ""))
	ctx := func(text string) func(*engine.Event) any {
		return func(*engine.Event) any { return map[string]any{"context": text} }
	}
	w.on("session_start", ctx("S"))
	w.on("input", func(ev *engine.Event) any {
		return map[string]any{"text": ev.Text("text") + "!", "context": "I"}
	})
	w.on("agent_before_start", func(ev *engine.Event) any {
		return map[string]any{"prompt": ev.Text("prompt") + "?", "system_prompt": "be brief", "context": "B"}
	})
	w.on("turn_start", func(ev *engine.Event) any {
		return map[string]any{"context": fmt.Sprintf("T%d", ev.Env().Turn)}
	})
	w.on("tool_result", ctx("R"))
	w.agent.Start(w.ctx, "startup")
	w.prompt("go")
	wrap := func(s string) string { return "user:<context from=\"h.lua\">\n" + s + "\n</context>\n" }
	equal(t, "first request", w.request(0)+"\n", wrap("S")+"user:go!?\n"+wrap("I")+wrap("B")+wrap("T1"))
	equal(t, "second request", w.request(1)+"\n", wrap("S")+"user:go!?\n"+wrap("I")+wrap("B")+"assistant: [t-ls]\ntool>t-ls:[empty directory]\n\n"+wrap("R")+wrap("T2"))
	if w.requests[0].System != "be brief" {
		t.Errorf("system: got %q", w.requests[0].System)
	}
	w.prompt("next")
	if got := w.request(2); strings.Contains(got, "R\n<") || strings.Count(got, "T1") != 1 || !strings.Contains(got, "\nS\n") {
		t.Errorf("third request: got %s", got)
	}
}

func TestCommands(t *testing.T) {
	w := newWorld(t, Options{})
	for text, want := range map[string]string{"/nosuch": "unknown command /nosuch", "/nosuch with more": "unknown command /nosuch", "/a-b_c\nline": "unknown command /a-b_c"} {
		if end := w.prompt(text); end.Status != Failed || end.Error != want {
			t.Errorf("%q: got %+v", text, end)
		}
	}
	for _, text := range []string{"/usr/bin is a path", "/Users", "/ x", " /nosuch", "//"} {
		if end := w.prompt(text); end.Status != Completed {
			t.Errorf("%q: got %+v, want a prompt", text, end)
		}
	}
}

func TestClearBeginsANewSession(t *testing.T) {
	w := newWorld(t, Options{})
	w.agent.Start(w.ctx, "startup")
	w.prompt("one")
	before := w.agent.Envelope()
	w.agent.Clear(w.ctx)
	w.prompt("two")
	after := w.agent.Envelope()
	equal(t, "request", w.request(1), "user:two")
	if before.SessionID == after.SessionID || before.SessionPath == after.SessionPath {
		t.Errorf("got the same session %s", after.SessionPath)
	}
	if !strings.Contains(w.trace(), "session_end clear\nsession_start clear\n") {
		t.Errorf("got %s", w.trace())
	}
	if files, _ := filepath.Glob(filepath.Join(w.home, "sessions", "*", "*.jsonl")); len(files) != 2 {
		t.Errorf("got %v, want two files", files)
	}
}

func TestASessionThatCannotBeWrittenIsSaidOnce(t *testing.T) {
	w := newWorld(t, Options{})
	os.WriteFile(filepath.Join(w.home, "sessions"), nil, 0o600) // where the folder should be
	w.prompt("one")
	w.prompt("two")
	equal(t, "request", w.request(1), "user:one\nassistant:done\nuser:two")
	if n := strings.Count(w.trace(), "\nerror"); n != 1 {
		t.Errorf("got %d errors, want 1", n)
	}
	if got := w.last("error").Text("message"); !strings.Contains(got, "not saved") {
		t.Errorf("got %q", got)
	}
}

func TestModels(t *testing.T) {
	provider := func(name string, ids ...string) *engine.Provider {
		p := &engine.Provider{Name: name}
		for _, id := range ids {
			p.Models = append(p.Models, engine.Model{ID: id})
		}
		return p
	}
	all := []*engine.Provider{provider("offline", "offline"), provider("empty"), provider("acme", "big/one", "small")}
	tests := []struct {
		providers []*engine.Provider
		set, want string
		err       string
	}{
		{all, "", "acme/big/one", ""},
		{all[:2], "", "offline/offline", ""},
		{all, "acme/small", "acme/small", ""},
		{all, "acme/big/one", "acme/big/one", ""},
		{all, "acme/newer", "acme/newer", ""},
		{all, "acme", "acme/big/one", ""},
		{all, "acne/x", "acne/x", `did you mean "acme"?`},
		{all, "empty", "empty", "write empty/ID"},
		{nil, "", "", "no model provider: none is configured"},
		{nil, "x/y", "x/y", "there is none"},
	}
	for _, tt := range tests {
		e, err := engine.New(engine.Options{Events: spec.Events(), Providers: tt.providers})
		if err != nil {
			t.Fatal(err)
		}
		a, err := New(Options{Engine: e, Model: tt.set})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = a.resolve()
		if got := a.Model(); got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: got %q, %v; want %q, %q", tt.set, got, err, tt.want, tt.err)
		}
		e.Close()
	}
}

func TestBranch(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "a", "b")
	os.MkdirAll(sub, 0o755)
	os.MkdirAll(filepath.Join(dir, ".git", "worktrees", "w"), 0o755)
	os.MkdirAll(filepath.Join(dir, "w"), 0o755)
	write := func(name, content string) { os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644) }
	write(".git/HEAD", "ref: refs/heads/feature/x\n")
	write("w/.git", "gitdir: ../.git/worktrees/w\n")
	write(".git/worktrees/w/HEAD", "0123456789abcdef0123\n")
	if got := branch(sub); got != "feature/x" {
		t.Errorf("got %q", got)
	}
	if got := branch(filepath.Join(dir, "w")); got != "0123456789ab" {
		t.Errorf("work tree: got %q", got)
	}
	if got := branch(""); got != "" {
		t.Errorf("nowhere: got %q", got)
	}
}
