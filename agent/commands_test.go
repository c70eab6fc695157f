package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/service"
)

func TestSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{Permission: event.PermissionDefault})
	for _, tt := range []struct {
		set  service.Settings
		want string // error, or ""
	}{
		{service.Settings{Model: "fake/m", Thinking: "high", Permission: event.PermissionYolo}, ""},
		{service.Settings{Thinking: "high"}, ""}, // no change
		{service.Settings{Model: "fakee/m"}, `did you mean "fake"?`},
		{service.Settings{Model: "fake/n"}, `fake has no model "n"`},
		{service.Settings{Thinking: "hihg"}, `did you mean "high"?`},
		{service.Settings{Thinking: "low", Permission: "yollo"}, `did you mean "yolo"?`},
	} {
		err := w.agent.Set(tt.set, "script:h.lua")
		if (err == nil) != (tt.want == "") || err != nil &&
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want %s", tt.set, err, tt.want)
		}
	}
	equal(t, "events", w.tell("model_change:new", "thinking_change:new,previous,source",
		"permission_change:new,previous,source"),
		"thinking_change high  script\npermission_change yolo default script")
	w.prompt("go")
	if got := w.requests[0].Thinking; got != "high" {
		t.Errorf("thinking: got %q", got)
	}
	if got := w.last("agent_end").Env().Permission; got != event.PermissionYolo {
		t.Errorf("permission: got %q", got)
	}
}

func TestModelOfRemovedProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.prompt("go")
	w.agent.settings.mu.Lock()
	w.agent.settings.asked = "gone/m" // of a script's provider that has been removed
	w.agent.settings.mu.Unlock()
	w.prompt("go on")
	equal(t, "events", w.tell("model_change:new,previous,source"),
		"model_change fake/m gone/m fallback")
}

func TestPermissionChangeAppliesToSubAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{Permission: event.PermissionDefault})
	child := newAgent(w.agent.o, w.agent)
	if err := w.agent.Set(service.Settings{Permission: event.PermissionPlan}, "user"); err != nil {
		t.Fatal(err)
	}
	if got := child.Envelope().Permission; got != event.PermissionPlan {
		t.Errorf("got %s", got)
	}
}

func TestOwnCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{Scripts: Scripts{Reserved: []string{"help"}}})
	w.prompt("hello")
	entry := w.agent.Session().Entries()[0].ID
	for _, tt := range []struct{ line, want string }{
		{"/model", "fake/m"},
		{"/model fake/m", "fake/m"},
		{"/model fak/m",
			`error /model: model fak/m: no model provider "fak"; did you mean "fake"?`},
		{"/thinking", "the model's default"},
		{"/thinking low", ""}, {"/thinking low", "Thinking: low"},
		{"/thinking lo", `did you mean "low"?`},
		{"/permission plan", ""}, {"/permission plan", "Permission mode: plan"},
		{"/permission a b", "too many words; usage: /permission [MODE]"},
		{"/name", "usage: /name TEXT"},
		{"/name my work", "Session name: my work"},
		{"/label " + entry, "usage: /label ENTRY TEXT"},
		{"/label " + entry + " good  place", ""},
		{"/label nosuch x", `no entry "nosuch"`},
		{"/session", "Name: my work"},
		{"/export out.txt", "want a name that ends in .md or .json"},
		{"/export out.md", "was written to"},
		{"/export out.md", "exists already"},
		{"/fork", entry},
		{"/fork " + entry + " befor", `did you mean "before"?`},
		{"/stop", "nothing is worked on"},
		{"/hepl", `unknown command /hepl; did you mean "help"?`},
		{"/sesion", `unknown command /sesion; did you mean "session"?`},
	} {
		w.mu.Lock()
		w.events = nil
		w.mu.Unlock()
		end := w.prompt(tt.line)
		got := w.tell("say:markdown", "error:message")
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: got %s, want %s", tt.line, got, tt.want)
		}
		if failed := strings.HasPrefix(w.tell("say:markdown", "error:message"),
			"error"); failed != (end.Status == Failed) {
			t.Errorf("%s: got %+v", tt.line, end)
		}
	}
	if got := w.agent.Session().Label(entry); got != "good place" {
		t.Errorf("label: got %q", got)
	}
	b, err := os.ReadFile(filepath.Join(w.agent.o.Dir, "out.md"))
	if err != nil || !strings.Contains(string(b), "hello") {
		t.Errorf("export: got %s, %v", b, err)
	}
	if len(w.requests) != 1 {
		t.Errorf("got %d requests", len(w.requests))
	}
}

func TestCommandsDuringPrompt(t *testing.T) {
	t.Parallel()
	a, reached, open := gate(answer{text: "one"})
	w := newWorld(t, Options{}, a)
	d := w.desk()
	d.send(Input{Text: "go"})
	w.wait(reached)
	id := w.agent.Session().ID()
	for _, line := range []string{"/new", "/clear", "/compact", "/resume x", "/fork x",
		"/name in the middle"} {
		d.send(Input{Text: line})
	}
	until(t, "the commands", func() bool { return strings.Count(d.got(), "\n") == 5 })
	if got := w.tell("error:message"); strings.Count(got, "busy: the agent is at work") != 5 {
		t.Errorf("got %s", got)
	}
	close(open)
	d.idle()
	if w.agent.Session().ID() != id || w.agent.Session().Name() != "in the middle" {
		t.Errorf("got session %s %q", w.agent.Session().ID(), w.agent.Session().Name())
	}
	d.send(Input{Text: "/new"})
	until(t, "another session", func() bool { return w.agent.Session().ID() != id })
	d.send(Input{Text: "fresh"})
	until(t, "its prompt", func() bool { return len(w.saidBy("user:fresh")) == 1 })
}

// saidBy returns the requests whose conversation contains text.
func (w *world) saidBy(text string) (found []*chat.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.requests {
		if talk(r.Messages) == text {
			found = append(found, r)
		}
	}
	return found
}

func TestCommandsHaveUsages(t *testing.T) {
	t.Parallel()
	for _, c := range Commands() {
		if c.Name == "" || !strings.HasPrefix(c.Usage(), "/"+c.Name) || c.Description == "" {
			t.Errorf("got %+v", c)
		}
	}
}

func TestServices(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	s, env := w.agent.Services(), w.agent.Envelope()
	if !s.Idle() || len(s.Models()) != 1 {
		t.Error("idle, models")
	}
	if err := s.Set(env, service.Settings{Model: "x/y"}, "script"); err == nil {
		t.Error("set: got no error")
	}
	gone := *env
	gone.AgentID, gone.Depth = "sub-9", 1
	for what, err := range map[string]error{"send": s.Send(&gone, "x", "steer", "script:h.lua", 1),
		"new": s.New(w.ctx, &gone, ""), "fork": s.Fork(w.ctx, &gone, "x", false)} {
		if _, ok := err.(*fault.WorldError); !ok {
			t.Errorf("%s: got %v", what, err)
		}
	}
	w.prompt("go")
	id, err := s.Append(env, "mine", map[string]any{"a": 1.0})
	if err != nil || id == "" || len(s.Messages(env)) != 2 || len(s.Tree(env)) < 3 {
		t.Errorf("got %q, %v, %d, %d", id, err, len(s.Messages(env)), len(s.Tree(env)))
	}
}

func TestExitWaitsForPrompt(t *testing.T) {
	t.Parallel()
	left := make(chan struct{}, 9)
	a, reached, open := gate(answer{text: "one"})
	w := newWorld(t, Options{Exit: func() { left <- struct{}{} }}, a)
	d := w.desk()
	d.send(Input{Text: "go"})
	w.wait(reached)
	w.agent.Services().Exit()
	if len(left) != 0 {
		t.Error("the program ended during the prompt")
	}
	close(open)
	w.wait(left)
	equal(t, "ends", d.got(), "go: completed")
}

func TestInputRewrittenToCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.on("input", func(ev *event.Event) any {
		if ev.Text("text") == "afresh" {
			return map[string]any{"text": "/new"}
		}
		return nil
	})
	w.prompt("go")
	id := w.agent.Session().ID()
	if end := w.prompt("afresh"); end.Status != Handled || w.agent.Session().ID() == id {
		t.Errorf("got %+v", end)
	}
}

// TestUserHome: ~ is the home directory that the options name.
func TestUserHome(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := newWorld(t, Options{User: home})
	w.prompt("hello")
	if end := w.prompt("/export ~/out.md"); end.Status == Failed {
		t.Fatalf("got %+v", end)
	}
	if b, err := os.ReadFile(filepath.Join(home, "out.md")); err != nil || len(b) == 0 {
		t.Errorf("got %q, %v", b, err)
	}
}
