package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// TestSubagentIsOneEntry checks that a call of the agent tool and its sub-agent are one entry:
// while it works, at its end, and in a session that goes on.
func TestSubagentIsOneEntry(t *testing.T) {
	t.Parallel()
	log := auditLog{"c1": "agent c1: ran", "s1": "bash s1: ran"}
	s := newStage(t, Backend{Why: log.why}, 80, 24)
	args := fields{"task": "look at it"}
	s.tool("tool_start", "c1", "agent", fields{"args": args})
	s.send("subagent_start", fields{"subagent_id": "a", "name": "reviewer", "task": "look at it",
		"call_id": "c1"})
	s.send("subagent_event", fields{"subagent_id": "a", "kind": "tool_start",
		"data": fields{"call_id": "s1", "tool": "bash", "args": fields{"command": "go vet"}}})
	s.has("◆ reviewer  look at it  works", "│ bash")
	s.lacks("● agent", "running")
	s.send("subagent_event", fields{"subagent_id": "a", "kind": "tool_end",
		"data": fields{"call_id": "s1", "tool": "bash"}})
	s.send("subagent_end", fields{"subagent_id": "a", "name": "reviewer", "status": "completed",
		"response": "It is fine.", "delivered": true, "cost": 0.25})
	s.runAll(s.send("tool_result", fields{"call_id": "c1", "tool": "agent", "args": args,
		"content":     []any{fields{"type": "text", "text": "It is fine."}},
		"display":     fields{"kind": "markdown", "title": "reviewer"},
		"duration_ms": 2500.0}))
	s.runAll(s.send("tool_end", fields{"call_id": "c1", "tool": "agent", "duration_ms": 2500.0}))
	s.has("◆ reviewer  look at it  done · 1 call · $0.25  2.5 s", "│ It is fine.")
	if n := strings.Count(s.text(), "reviewer"); n != 1 {
		t.Errorf("%d entries:\n%s", n, s.text())
	}
	s.press("shift+up")
	s.runAnswers(s.press("?"))
	s.has("? agent c1: ran", "bash s1: ran")

	s = newStage(t, Backend{}, 80, 24)
	s.Update(feed.Batch{loadMsg{{Kind: ItemTool, Call: "c1", Tool: "agent", Args: args,
		Took: 2500 * time.Millisecond, Content: []chat.Block{{Type: "text", Text: "It is fine."}},
		Details: fields{"subagent_id": "a", "status": "completed", "cost": 0.25, "calls": 4.0,
			"skipped": 1.0},
		Display: &ui.Display{Title: "reviewer", Kind: "markdown"}}}})
	s.has("◆ reviewer  look at it  done · 4 calls, 1 refused · $0.25  2.5 s", "│ It is fine.")
}

// TestCancelledSubagent checks the entry of a call that ends before its sub-agent does: both say
// why, and what follows is not held back.
func TestCancelledSubagent(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	s.tool("tool_start", "c1", "agent", fields{"args": fields{"task": "look"}})
	s.send("subagent_start", fields{"subagent_id": "a", "name": "reviewer", "task": "look",
		"call_id": "c1"})
	s.send("tool_skipped", fields{"call_id": "c1", "tool": "agent", "cause": "aborted",
		"reason": "cancelled by the user"})
	s.has("◆ reviewer  look  cancelled", "cancelled by the user")
	s.send("subagent_end", fields{"subagent_id": "a", "name": "reviewer", "status": "cancelled",
		"error": "it did not stop, and was abandoned", "delivered": false, "response": "Half"})
	s.has("it did not stop, and was abandoned", "│ Half", "cancelled by the user")
}

// TestSubagentCallsAreTitledByTheirTools checks that the line about a sub-agent's activity uses the
// titles of its tools, not a guess from the names of the arguments.
func TestSubagentCallsAreTitledByTheirTools(t *testing.T) {
	t.Parallel()
	ask := &engine.Tool{Name: "ask_db", Subject: &subject.Subject{
		Title: []subject.Phrase{{Arg: "sql"}, {Words: "in", Arg: "name"}}}}
	s := newStage(t, Backend{Tool: func(name string) *engine.Tool {
		if name == ask.Name {
			return ask
		}
		return nil
	}}, 80, 20)
	s.send("subagent_start", fields{"subagent_id": "s", "name": "general", "task": "count"})
	for _, tt := range []struct {
		tool string
		args fields
		want string
	}{
		{"ask_db", fields{"name": "shop", "sql": "select 1\nfrom t"}, "ask_db  select 1 … in shop"},
		{"other", fields{"name": "shop", "sql": "select 1"}, "other  shop"},
		{"nothing", fields{}, "nothing"},
	} {
		s.send("subagent_event", fields{"subagent_id": "s", "kind": "tool_start",
			"data": fields{"tool": tt.tool, "args": tt.args}})
		if got := s.text(); !strings.Contains(got, "│ "+tt.want+"\n") &&
			!strings.Contains(got, "│ "+tt.want+" ") {
			t.Errorf("%s: want %q:\n%s", tt.tool, tt.want, got)
		}
	}
}
