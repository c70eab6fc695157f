package trial_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// benchScripts are the same handlers in both languages: of calls, of another event, one that fails,
// one that needs the world, and one that no event fits.
var benchScripts = map[string]string{
	"lua": `-- ==Agent==
-- @grant exec:git
-- ==/Agent==
ext.guard({ tool = "bash" }, function(ev) return ev.args.command:find("deploy") and "no" or nil end)
ext.on("tool_result", function(ev) return nil end)
ext.on("agent_end", function(ev) error("always") end)
ext.on("turn_end", function(ev) ext.exec({ "git", "status" }) end)
ext.on("input", { match = "forbidden" }, function(ev) return nil end)
`,
	"js": `// ==Agent==
// @grant exec:git
// ==/Agent==
ext.guard({ tool: "bash" }, (ev) => ev.args.command.includes("deploy") ? "no" : null);
ext.on("tool_result", (ev) => null);
ext.on("agent_end", (ev) => { throw new Error("always"); });
ext.on("turn_end", async (ev) => { await ext.exec(["git", "status"]); });
ext.on("input", { match: "forbidden" }, (ev) => null);
`}

// TestBench checks what is measured of each handler.
func TestBench(t *testing.T) {
	t.Parallel()
	for lang, text := range benchScripts {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "x."+lang)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			benchOptions := trial.Options{Runtimes: []engine.Runtime{lua.New(), js.New()}}
			m, err := trial.Bench(t.Context(), benchOptions, file, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Load <= 0 || m.Memory == 0 || len(m.Handlers) != 5 || len(m.Untried) != 1 {
				t.Fatalf("got %+v", m)
			}
			for i, want := range []struct {
				event        string
				runs, failed bool
			}{{"guard", true, false}, {"tool_result", true, false}, {"agent_end", true, true},
				{"turn_end", true, false}, {"input", false, false}} {
				h := m.Handlers[i]
				if h.Event != want.event || h.Line != i+4 || (h.Runs > 0) != want.runs ||
					(h.Errors > 0) != want.failed || (h.Error != "") != want.failed ||
					h.P50 > h.P99 || h.P99 > h.Max {
					t.Errorf("got %+v, want %+v in line %d", h, want, i+4)
				}
			}
			one := []trial.Canary{{Tool: "write", Args: map[string]any{"path": "a",
				"content": "b"}}}
			if m, err = trial.Bench(t.Context(), benchOptions, file, one); err != nil ||
				m.Handlers[0].Runs != 0 {
				t.Errorf("got %+v, %v: no call of bash was given", m, err)
			}
		})
	}
}

// TestRecordedCalls checks that the calls of a session are those that the model made.
func TestRecordedCalls(t *testing.T) {
	t.Parallel()
	calls := trial.RecordedCalls(recorded(t, &session.ToolRun{}, &session.ToolRun{}))
	if len(calls) != 2 || calls[1].String() != "look b" {
		t.Errorf("got %v", calls)
	}
}
