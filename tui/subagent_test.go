package tui

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/subject"
)

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
