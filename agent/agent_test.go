package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scripttest"
)

func TestPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, answer{text: "I look.",
		chunks: use("bash", `{"command":"echo hi"}`).chunks,
		finish: chat.Finish{Reason: "tool_calls", Usage: &chat.Usage{Input: 10, Output: 5}}},
		answer{text: "It says hi.", finish: chat.Finish{Reason: "stop",
			Usage: &chat.Usage{Input: 20, Output: 10}}})
	w.agent.Start(w.ctx, "startup")
	end := w.prompt("say hi")
	if end.Status != Completed || end.Response != "It says hi." || end.Refused != 0 {
		t.Errorf("got %+v", end)
	}
	w.agent.Close(w.ctx, "exit")
	w.agent.Close(w.ctx, "exit") // only the first Close has an effect
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
	equal(t, "second request", w.request(1),
		"user:say hi\nassistant:I look. [t-bash]\ntool>t-bash:hi\n")
	ev := w.last("agent_end")
	b, _ := json.Marshal([]any{ev.Field("response"), ev.Field("turns"), ev.Field("tool_calls"),
		ev.Field("tool_names"), ev.Field("usage")})
	equal(t, "agent_end", string(b),
		`["It says hi.",2,1,["bash"],{"cache_read":0,"cache_write":0,"input":30,"output":15}]`)
	if cost, _ := ev.Field("cost").(float64); math.Abs(cost-0.00006) > 1e-9 {
		t.Errorf("cost: got %v, want 0.00006", cost)
	}
	if env := ev.Env(); env.Turn != 2 || env.Model != "fake/m" || env.PromptID == "" ||
		env.Window()["percent"] != 0.03 || env.Cost() == 0 {
		t.Errorf("envelope: got %+v, window %v", env, env.Window())
	}
	if req := w.requests[0]; len(req.Tools) != len(tool.Builtin(tool.Options{})) ||
		req.Model != "m" || req.Purpose != "agent" || !strings.Contains(req.System, w.agent.o.Dir) {
		t.Errorf("request: got %+v", req)
	}
	s := w.saved()
	if es := s.Entries(); len(es) != 7 || es[0].ID != ev.Env().PromptID ||
		es[1].Usage.Tokens.Input != 10 || es[6].Event.Name != "agent_end" ||
		es[6].Event.Data["status"] != "completed" {
		t.Errorf("session: got %d entries", len(es))
	}
}

func TestNextPromptHasConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.prompt("one")
	w.prompt("two")
	equal(t, "request", w.request(1), "user:one\nassistant:done\nuser:two")
}

func TestDenialsAreCountedAndReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("bash", `{"command":"rm x"}`), use("nosuch", `{}`))
	w.on("guard", func(*event.Event) any { return block("no rm") })
	end := w.prompt("go")
	if end.Status != Completed || end.Refused != 1 {
		t.Errorf("got %+v, want 1 refused (an unknown tool does not count)", end)
	}
	equal(t, "second request", w.request(1),
		"user:go\nassistant: [t-bash]\ntool>t-bash:refused by h.lua: no rm")
	for _, e := range w.saved().Entries() {
		if e.Tool != nil && e.Message.CallID == "t-bash" &&
			(e.Tool.Skipped != "denied" || len(e.Tool.Trail) != 1 ||
				e.Tool.Trail[0].Script != "h.lua") {
			t.Errorf("session: got %+v", e.Tool)
		}
	}
}

func TestSessionHasRewrittenCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("bash", `{"command":"echo a"}`))
	w.on("tool_call",
		func(
			*event.Event) any {
			return map[string]any{"args": map[string]any{"command": "echo b"}}
		})
	w.prompt("go")
	for _, e := range w.saved().Entries() {
		if e.Tool != nil && (e.Tool.Args["command"] != "echo b" ||
			chat.PlainText(e.Message.Content) != "b\n") {
			t.Errorf("got %+v %+v", e.Tool, e.Message)
		}
	}
}

func TestTurnWithApproval(t *testing.T) {
	t.Parallel()
	for _, yes := range []bool{true, false} {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		w := &world{t: t, ctx: ctx, home: t.TempDir(),
			confirm: func() (bool, error) { return yes, nil }}
		w.start(Options{}, cancel)
		w.on("turn_start", func(*event.Event) any { return map[string]any{"ask": "really?"} })
		if end := w.prompt("go"); (end.Status == Completed) != yes || (end.Refused == 0) != yes {
			t.Errorf("answer %v: got %+v", yes, end)
		}
	}
}

func TestContextsAndRewrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("ls", ""))
	ctx := func(text string) func(*event.Event) any {
		return func(*event.Event) any { return map[string]any{"context": text} }
	}
	w.on("session_start", ctx("S"))
	w.on("input", func(ev *event.Event) any {
		return map[string]any{"text": ev.Text("text") + "!", "context": "I"}
	})
	w.on("agent_before_start", func(ev *event.Event) any {
		return map[string]any{"prompt": ev.Text("prompt") + "?", "system_prompt": "be brief",
			"context": "B"}
	})
	w.on("turn_start", func(ev *event.Event) any {
		return map[string]any{"context": fmt.Sprintf("T%d", ev.Env().Turn)}
	})
	w.on("tool_result", ctx("R"))
	w.agent.Start(w.ctx, "startup")
	w.prompt("go")
	wrap := func(s string) string {
		return "user:<context from=\"h.lua\">\n" + s +
			"\n</context>\n"
	}
	equal(t, "first request", w.request(0)+"\n", wrap("S")+"user:go!?\n"+wrap("I")+wrap("B")+
		wrap("T1"))
	equal(t, "second request", w.request(1)+"\n", wrap("S")+"user:go!?\n"+wrap("I")+wrap("B")+
		"assistant: [t-ls]\ntool>t-ls:[empty directory]\n\n"+wrap("R")+wrap("T2"))
	if w.requests[0].System != "be brief" {
		t.Errorf("system: got %q", w.requests[0].System)
	}
	w.prompt("next")
	if got := w.request(2); strings.Contains(got, "R\n<") || strings.Count(got, "T1") != 1 ||
		!strings.Contains(got, "\nS\n") {
		t.Errorf("third request: got %s", got)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	for text, want := range map[string]string{"/nosuch": "unknown command /nosuch",
		"/nosuch with more": "unknown command /nosuch", "/a-b_c\nline": "unknown command /a-b_c"} {
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

func TestClearStartsNewSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.agent.Start(w.ctx, "startup")
	w.prompt("one")
	before := w.agent.Envelope()
	if err := w.agent.NewSession(w.ctx, "clear", ""); err != nil {
		t.Fatal(err)
	}
	w.prompt("two")
	after := w.agent.Envelope()
	equal(t, "request", w.request(1), "user:two")
	if before.SessionID == after.SessionID || before.SessionPath == after.SessionPath {
		t.Errorf("got the same session %s", after.SessionPath)
	}
	if !strings.Contains(w.trace(), "session_end clear\nsession_start clear\n") {
		t.Errorf("got %s", w.trace())
	}
	if files, _ := filepath.Glob(filepath.Join(w.home, "sessions", "*",
		"*.jsonl")); len(files) != 2 {
		t.Errorf("got %v, want two files", files)
	}
}

func TestUnwritableSessionIsReportedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	os.WriteFile(filepath.Join(w.home, "sessions"), nil, 0o600) // a file instead of the folder
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
	t.Parallel()
	provider := func(name string, ids ...string) *engine.Provider {
		p := &engine.Provider{Name: name}
		for _, id := range ids {
			p.Models = append(p.Models, chat.Model{ID: id})
		}
		return p
	}
	all := []*engine.Provider{provider("offline", "offline"), provider("empty"),
		provider("acme", "big/one", "small")}
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
		e := scripttest.NewEngine(t, engine.Options{Providers: tt.providers})
		a, err := New(Options{Engine: e, Model: tt.set})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = a.settings.Resolve("")
		if got := a.Model(); got != tt.want || (err == nil) != (tt.err == "") || err != nil &&
			!strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: got %q, %v; want %q, %q", tt.set, got, err, tt.want, tt.err)
		}
	}
}
