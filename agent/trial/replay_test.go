package trial_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/standard"
)

// recorded returns a session with one call for each run.
func recorded(t *testing.T, runs ...*session.ToolRun) *session.Session {
	t.Helper()
	s := session.New(session.Options{Dir: filepath.Join(t.TempDir(), "s"), CWD: t.TempDir()})
	t.Cleanup(func() { s.Close() })
	for i, run := range runs {
		id := string(rune('a' + i))
		for _, e := range []session.Entry{
			{Message: &chat.Message{Role: "assistant", ToolCalls: []chat.ToolUse{
				{ID: id, Tool: "look", Args: map[string]any{"path": id}}}}},
			{Message: &chat.Message{Role: "tool", CallID: id,
				Content: engine.TextResult("x").Content}, Tool: run}} {
			if _, err := s.Append(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

func step(event, outcome string) engine.Step {
	return engine.Step{Script: "old.lua", Line: 3, Event: event, Outcome: outcome, Reason: "why"}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	args := func(path string) map[string]any { return map[string]any{"path": path} }
	edit := engine.Step{Event: "approval", Outcome: "rewrite", Changed: []string{"args"}}
	for name, tt := range map[string]struct {
		run     *session.ToolRun
		then    string
		changed bool
	}{
		"passed": {&session.ToolRun{}, "pass", false},
		"passed handlers": {&session.ToolRun{Trail: engine.Trail{step("tool_call",
			"pass")}}, "pass", false},
		"blocked": {&session.ToolRun{Skipped: "denied", Trail: engine.Trail{step(
			"guard", "block")}}, "block", true},
		"asked, and blocked": {&session.ToolRun{Trail: engine.Trail{step("tool_call", "ask"),
			step("guard", "block")}}, "block", true},
		"blocked, and asked": {&session.ToolRun{Trail: engine.Trail{step("tool_call",
			"block"), step("guard", "ask")}}, "block", true},
		"allowed": {&session.ToolRun{Trail: engine.Trail{step("tool_call",
			"allow")}}, "allow", true},
		"rewritten": {&session.ToolRun{Args: args("other")}, "pass", true},
		"the result was refused": {&session.ToolRun{Trail: engine.Trail{step("tool_result",
			"block")}}, "pass", false},
		"edited by the user": {&session.ToolRun{Args: args("other"),
			Trail: engine.Trail{edit}}, "pass", false},
		"it was another tool": {&session.ToolRun{Tool: "see"}, "pass", true},
		"a guard asked, user edits": {&session.ToolRun{Args: args("other"),
			Trail: engine.Trail{step("guard", "ask"), edit}}, "ask", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := false
			e := scripttest.NewStandard(t, standard.Options{Engine: engine.Options{
				Tools: []*engine.Tool{{Name: "look", ReadOnly: true,
					Run: func(context.Context, *engine.Use) (*engine.Result, error) {
						ran = true
						return engine.TextResult("x"), nil
					}}}}})
			list := trial.Replay(t.Context(), e, event.Envelope{}, recorded(t, tt.run))
			if len(list) != 1 || ran {
				t.Fatal(len(list), ran)
			}
			r := list[0]
			if r.Then.Outcome != tt.then || r.Now.Outcome != "pass" || r.Changed() != tt.changed {
				t.Fatalf("%+v, changed %v", r, r.Changed())
			}
		})
	}
	s := recorded(t, &session.ToolRun{Skipped: "unknown"}, &session.ToolRun{Skipped: "invalid"},
		nil)
	if list := trial.Replay(t.Context(), nil, event.Envelope{}, s); len(list) != 0 {
		t.Fatal(list)
	}
}
