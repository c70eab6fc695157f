package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/value"
)

// never is longer than any test runs.
const never = time.Hour

func TestWaitForSubAgent(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{},
		map[string][]answer{"look": {counted(uses("ls", `{}`)), says("found")}})
	var mu sync.Mutex
	var heard []string
	s := w.spawn(&service.SpawnSpec{Prompt: "look", System: "You look.", Tools: []string{"ls"},
		OnEvent: func(kind string, data map[string]any) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, kind+" "+value.Text(data, "tool")+value.Text(data, "text"))
		}})
	results := make(chan service.SpawnEnd, 2)
	for range 2 { // several callers may wait
		go func() {
			end, err := s.Wait(w.ctx)
			if err != nil {
				t.Error(err)
			}
			results <- end
		}()
	}
	for range 2 {
		if end := <-results; end.Status != "completed" || end.Response != "found" ||
			end.Usage.Input != 10 || end.Cost == nil {
			t.Errorf("got %+v", end)
		}
	}
	if ev := w.last("subagent_end"); ev.Field("delivered") != true ||
		ev.Text("subagent_id") != s.ID {
		t.Errorf("got %v", ev)
	}
	mu.Lock()
	equal(t, "heard", strings.Join(heard, "\n"),
		"tool_start ls\ntool_end ls\nturn \ntext found\nturn ")
	mu.Unlock()
	var told []string
	for _, ev := range w.all("subagent_event") {
		told = append(told, ev.Text("kind"))
	}
	equal(t, "subagent_event", strings.Join(told, " "), "tool_start tool_end turn text turn")
	if !strings.HasPrefix(w.requests[0].System, "You look.\n") {
		t.Errorf("system prompt: got %s", w.requests[0].System)
	}
	if len(w.all("agent_switch")) != 0 {
		t.Error("agent_switch fired although the main agent continued")
	}
}

func TestResultIsKeptForLaterCaller(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{"look": {says("found")}})
	w.agent.shared.subagents.claim = never
	s := w.spawn(&service.SpawnSpec{Prompt: "look"})
	w.until("it has ended", func() bool {
		return len(w.agent.shared.subagents.below(
			w.agent)) == 0
	})
	if n := len(w.all("subagent_end")); n != 0 {
		t.Errorf("subagent_end fired before it was decided who gets the result")
	}
	if end, err := s.Wait(w.ctx); err != nil || end.Response != "found" {
		t.Errorf("got %+v, %v", end, err)
	}
	if ev := w.last("subagent_end"); ev.Field("delivered") != true {
		t.Errorf("got %v", ev)
	}
}

func TestOrphanedResultIsShown(t *testing.T) {
	t.Parallel()
	orphaned := map[string]func(w *world, drop func()){
		"after a while":           func(w *world, _ func()) {},
		"when the script is gone": func(w *world, drop func()) { drop() },
		"when the session ends":   func(w *world, _ func()) { w.agent.Close(w.ctx, "exit") },
		"when another one is begun": func(w *world,
			_ func()) {
			w.agent.NewSession(w.ctx, "clear", "")
		},
	}
	for when, end := range orphaned {
		w := newFamily(t, Options{}, map[string][]answer{"look": {says("found\nmore")}})
		w.agent.shared.subagents.claim = never
		if when == "after a while" {
			w.agent.shared.subagents.claim = time.Millisecond
		}
		holder, drop := context.WithCancel(w.ctx)
		s, err := w.agent.Services().Spawn(holder, w.agent.Envelope(),
			&service.SpawnSpec{Prompt: "look"})
		if err != nil {
			t.Fatal(err)
		}
		w.until("it has ended", func() bool {
			return len(w.agent.shared.subagents.below(
				w.agent)) == 0
		})
		end(w, drop)
		w.until(when, func() bool { return len(w.all("notification")) > 0 })
		if ev := w.last("subagent_end"); ev.Field("delivered") != false ||
			ev.Text("status") != "completed" {
			t.Errorf("%s: got %v", when, ev)
		}
		equal(t, when, w.last("notification").Text("message"),
			"sub-agent general finished (completed), but its result was not collected: found "+
				"(all of it: "+w.last("subagent_end").Env().SessionPath+")")
		if got, err := s.Wait(w.ctx); err != nil || got.Response != "found\nmore" {
			t.Errorf("%s: a later caller: got %+v, %v", when, got, err)
		}
		drop()
	}
}

func TestSubAgentOfScriptEnds(t *testing.T) {
	t.Parallel()
	ends := map[string]func(w *world, s *service.Spawned, drop func()){
		"kill":               func(_ *world, s *service.Spawned, _ func()) { s.Kill() },
		"its script is gone": func(_ *world, _ *service.Spawned, drop func()) { drop() },
		"the session ends": func(w *world, _ *service.Spawned,
			_ func()) {
			w.agent.Close(w.ctx, "exit")
		},
		"another session begins": func(w *world, _ *service.Spawned,
			_ func()) {
			w.agent.NewSession(w.ctx, "clear", "")
		},
		"the agent's abort": func(w *world, _ *service.Spawned,
			_ func()) {
			w.agent.shared.endAll("enough")
		},
		"abort of its own script": func(w *world, s *service.Spawned,
			_ func()) {
			w.agent.Services().Abort(&event.Envelope{AgentID: s.ID})
		},
	}
	for what, end := range ends {
		begun := make(chan struct{})
		w := newFamily(t, Options{}, map[string][]answer{"hang": {hang(begun)}})
		holder, drop := context.WithCancel(w.ctx)
		s, err := w.agent.Services().Spawn(holder, w.agent.Envelope(),
			&service.SpawnSpec{Prompt: "hang"})
		if err != nil {
			t.Fatal(err)
		}
		<-begun
		want := "cancelled"
		if what == "the agent's abort" {
			want = "error"
		}
		end(w, s, drop)
		if got, err := s.Wait(w.ctx); err != nil || got.Status != want {
			t.Errorf("%s: got %+v, %v", what, got, err)
		}
		if what != "the agent's abort" && len(w.all("notification")) != 0 {
			t.Errorf("%s: got %v", what, w.last("notification"))
		}
		drop()
	}
}

func TestEscDoesNotEndSubAgentOfScript(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	slow := says("found")
	slow.before = func(ctx context.Context) {
		select {
		case <-release:
		case <-ctx.Done():
		}
	}
	w := newFamily(t, Options{}, map[string][]answer{"go": {hang(begun)}, "look": {slow}})
	s := w.spawn(&service.SpawnSpec{Prompt: "look"})
	ctx, cancel := context.WithCancel(w.ctx)
	go func() { <-begun; cancel() }()
	w.agent.Prompt(ctx, Input{Text: "go"})
	close(release)
	if end, err := s.Wait(w.ctx); err != nil || end.Response != "found" {
		t.Errorf("got %+v, %v", end, err)
	}
}

func TestNoSubAgentAfterSessionEnd(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{})
	w.agent.Close(w.ctx, "exit")
	if _, err := w.agent.Services().Spawn(w.ctx, w.agent.Envelope(),
		&service.SpawnSpec{Prompt: "look"}); err == nil {
		t.Error("it started")
	}
}

func TestChainOfSubAgentsEnds(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{})
	var mu sync.Mutex
	var started []*service.Spawned
	w.on("subagent_end", func(ev *event.Event) any { // each end starts another sub-agent
		if s, err := w.agent.Services().Spawn(w.ctx, ev.Env(),
			&service.SpawnSpec{Prompt: "next"}); err == nil {
			mu.Lock()
			started = append(started, s)
			mu.Unlock()
			go s.Wait(w.ctx)
		}
		return nil
	})
	w.spawn(&service.SpawnSpec{Prompt: "first"}).Wait(w.ctx)
	w.until("the chain ends", func() bool { return len(w.all("subagent_end")) == maxDepth })
	mu.Lock()
	defer mu.Unlock()
	if len(started) != maxDepth-1 {
		t.Errorf("got %d more, want %d", len(started), maxDepth-1)
	}
}

func TestHiddenTextIsNotInResult(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{"go": {uses("agent", `{"task":"look"}`)},
		"look": {says("the secret\nof it")}})
	w.on("assistant_message", func(ev *event.Event) any {
		return map[string]any{"text": strings.ReplaceAll(ev.Text("text"), "secret", "***")}
	})
	w.prompt("go")
	equal(t, "result", w.results("go"), "the ***\nof it")
	seen := ""
	for _, ev := range w.all("subagent_event") {
		if data, _ := ev.Field("data").(map[string]any); ev.Text("kind") == "text" {
			seen += value.Text(data, "text")
		}
	}
	equal(t, "subagent_event", seen, "the ***\nof it")
	equal(t, "subagent_end", w.last("subagent_end").Text("response"), "the ***\nof it")
}

func TestPromptLimitsIncludeSubAgents(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{Limits: Limits{Tokens: 12}},
		map[string][]answer{"go": {uses("agent", `{"task":"look"}`)}, "look": {says("found")}})
	if end := w.prompt("go"); end.Status != Limit {
		t.Errorf("got %+v", end)
	}
	// a sub-agent started outside of prompts has its own limits
	if end, err := w.spawn(&service.SpawnSpec{Prompt: "look"}).Wait(w.ctx); err != nil ||
		end.Status != "completed" {
		t.Errorf("got %+v, %v", end, err)
	}
}

// scout adds a kind of agent.
func scout(w *world) {
	dir := filepath.Join(w.home, "agents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	for name, text := range map[string]string{"scout.md": "---\ndescription: finds things\n" +
		"model: fake/m\ntools: ls, agent\n---\nYou search.", "bad.md": "---\ncolour: red\n---\nx"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
}

func toolNames(req *chat.Request) string {
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

func TestSubAgentOfKind(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{Model: "fake/big"},
		map[string][]answer{"go": {uses("agent", `{"task":"look","agent":"scout"}`)}}, scout)
	w.prompt("go")
	main, req := w.requests[0], w.requests[1]
	if i := slices.IndexFunc(main.Tools,
		func(s chat.ToolSpec) bool { return s.Name == "agent" }); i < 0 ||
		!strings.HasSuffix(main.Tools[i].Description, "scout: finds things") {
		t.Errorf("got %v", main.Tools)
	}
	if req.Model != "m" || toolNames(req) != "ls agent" ||
		!strings.HasPrefix(req.System, "You search.\n") || req.Env.Agent != "scout" ||
		req.Env.Model != "fake/m" {
		t.Errorf("got %s, %s, %+v, %s", req.Model, toolNames(req), req.Env, req.System)
	}
	if got := w.all("notification"); len(got) != 1 ||
		!strings.Contains(got[0].Text("message"), `bad.md:2: unknown key "colour"`) {
		t.Errorf("got %v", got)
	}
}

func TestMainAgentChangesKind(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{Model: "fake/big"}, map[string][]answer{}, scout)
	w.prompt("/agent scoot")
	if got := w.last("error").Text("message"); !strings.Contains(got,
		`unknown agent "scoot"; did you mean "scout"?; there is general, scout`) {
		t.Errorf("got %s", got)
	}
	w.prompt("/agent scout")
	w.prompt("one")
	w.prompt("/agent general")
	w.prompt("two")
	w.prompt("/agent main")
	w.prompt("/agent main")
	w.prompt("three")
	one, two, three := w.requests[0], w.requests[1], w.requests[2]
	if one.Model != "m" || toolNames(one) != "ls agent" ||
		!strings.HasPrefix(one.System, "You search.") || one.Env.Agent != "scout" ||
		one.Env.AgentID != "main" || one.Purpose != "agent" {
		t.Errorf("scout: got %s, %s, %+v", one.Model, toolNames(one), one.Env)
	}
	if two.Model != "big" || !strings.Contains(toolNames(two), "bash") ||
		strings.HasPrefix(two.System, "You search.") || len(two.Messages) != 3 {
		t.Errorf("general: got %s, %s, %s", two.Model, toolNames(two), talk(two.Messages))
	}
	if three.Model != "big" || three.Env.Agent != "main" {
		t.Errorf("main: got %s, %+v", three.Model, three.Env)
	}
	var got []string
	for _, ev := range w.all("agent_switch") {
		got = append(got, ev.Text("kind")+" "+ev.Text("from")+" "+ev.Text("to"))
	}
	equal(t, "agent_switch", strings.Join(got, "\n"),
		"handoff main scout\nhandoff scout general\nhandoff general main")
	w.prompt("/agent")
	if got := w.last("say").Text("markdown"); !strings.Contains(got,
		"- `main`: the usual agent (now)") || !strings.Contains(got, "- `scout`: finds things\n") {
		t.Errorf("got %s", got)
	}
}

func TestSpawnDoesNotWaitForHandlers(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, map[string][]answer{"yes": {says("ok")}})
	asked := make(chan struct{})
	w.on("subagent_start", func(ev *event.Event) any {
		<-asked
		if ev.Text("task") == "no" {
			return block("too dear")
		}
		return nil
	})
	no, yes := w.spawn(&service.SpawnSpec{Prompt: "no"}), w.spawn(&service.SpawnSpec{Prompt: "yes"})
	if no.ID == "" || no.ID == yes.ID {
		t.Errorf("got ids %q, %q", no.ID, yes.ID)
	}
	var we *fault.WorldError
	for _, spec := range []*service.SpawnSpec{{Prompt: " "}, {Prompt: "x", Agent: "none"},
		{Prompt: "x", Model: "none/m"}, {Prompt: "x", Tools: []string{"none"}}} {
		if _, err := w.agent.Services().Spawn(w.ctx, w.agent.Envelope(), spec); !errors.As(err,
			&we) {
			t.Errorf("%+v: got %v, want an error at once", spec, err)
		}
	}
	close(asked)
	if end, err := no.Wait(w.ctx); err != nil || end.Status != "blocked" ||
		!strings.Contains(end.Error, "refused by h.lua: too dear") {
		t.Errorf("got %+v, %v", end, err)
	}
	if end, err := yes.Wait(w.ctx); err != nil || end.Status != "completed" ||
		end.Response != "ok" {
		t.Errorf("got %+v, %v", end, err)
	}
	if n := len(w.all("subagent_end")); n != 1 {
		t.Errorf("got %d ends, want none of sub-agents that did not begin", n)
	}
	if len(w.agent.shared.subagents.below(w.agent)) != 0 {
		t.Error("some sub-agents are left")
	}
}

func TestUnknownSettings(t *testing.T) {
	t.Parallel()
	w := newFamily(t, Options{}, nil)
	for _, s := range []service.Settings{{Model: "fakke/m"}, {Thinking: "hihg"},
		{Permission: "plam"}} {
		var we *fault.WorldError
		if err := w.agent.Set(s, "script"); !errors.As(err, &we) || we.Code != "not_found" ||
			!strings.Contains(we.Message, "did you mean") {
			t.Errorf("%+v: got %v", s, err)
		}
	}
}
