package hooks_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/service"
)

// wantAsked checks what scripts have asked the user since the last call; "" = nothing.
func (w *rig) wantAsked(want string) {
	w.t.Helper()
	asked := strings.ReplaceAll(w.questions(), "routine", "")
	if !strings.Contains(asked, want) || (asked != "") != (want != "") {
		w.t.Errorf("asked %q, want %q", asked, want)
	}
}

// TestToolHooks: the text of a tool of an MCP server counts as what a command writes.
func TestToolHooks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		about, server, says string
		fails               bool
		asked, got          string
	}{
		{"it says nothing", "police", "", false, "", "ran"},
		{"it says no", "police", `{"decision": "block", "reason": "not ${that}"}`, false, "",
			"not ${that}"},
		{"it fails", "police", "out of order", true, "out of order", "refused"},
		{"no such server", "fire", "", false, "mcp__fire__judge", "refused"},
	} {
		t.Run(test.about, func(t *testing.T) {
			t.Parallel()
			w := newRig(t)
			w.routine = true
			var got atomic.Value
			judge := tool("mcp__police__judge", "other")
			judge.ReadOnly = true
			judge.Run = func(_ context.Context, use *engine.Use) (*engine.Result, error) {
				got.Store(use.Args)
				r := engine.TextResult(test.says)
				r.IsError = test.fails
				return r, nil
			}
			if _, err := w.engine.Scripts.Install(engine.Plugin{Name: "mcp",
				Tools: []*engine.Tool{judge}}); err != nil {
				t.Fatal(err)
			}
			w.manifest("PreToolUse", "", map[string]any{"type": "mcp_tool", "server": test.server,
				"tool": "judge", "input": map[string]any{"line": "$ ${tool_input.command}",
					"list": []any{"${nope}", 1.5, "${"}}}).begin()
			if result := w.bash("ls -l"); !strings.Contains(result, test.got) {
				t.Errorf("got %q, want %q", result, test.got)
			}
			w.wantAsked(test.asked)
			args, _ := got.Load().(map[string]any)
			list, _ := args["list"].([]any)
			if test.server == "police" && (args["line"] != "$ ls -l" || len(list) != 3 ||
				list[0] != "" || list[1] != 1.5 || list[2] != "${") {
				t.Errorf("the tool got %v", args)
			}
		})
	}
}

// TestAgentHooks: a sub-agent decides whether the agent may go on. Its own calls are not judged by
// another one, and those of others are.
func TestAgentHooks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		about, says, status, asked, got string
	}{
		{"it agrees", `I have looked. {"ok": true}`, "completed", "", "ran"},
		{"it does not", `{"ok": true} no: {"ok": false, "reason": "a trap"}`, "completed", "",
			"a trap"},
		{"no answer", "fine", "completed", "has not answered", "refused"},
		{"it has failed", "", "error", "its agent ended as error: overloaded", "refused"},
	} {
		t.Run(test.about, func(t *testing.T) {
			t.Parallel()
			w := newRig(t)
			w.routine = true
			var begun, killed atomic.Int32
			w.services.Spawn = func(_ context.Context, env *event.Envelope,
				spec *service.SpawnSpec) (*service.Spawned, error) {
				begun.Add(1)
				if !strings.HasPrefix(spec.Prompt, `Is {"`) || !strings.Contains(spec.Prompt,
					`"command":"ls"`) || strings.Join(spec.Tools, " ") != "read grep glob ls" {
					t.Errorf("got %+v", spec)
				}
				return &service.Spawned{ID: "judge1", Kill: func() { killed.Add(1) },
					Wait: func(context.Context) (service.SpawnEnd, error) {
						of := *w.env
						of.AgentID, of.ParentAgentID, of.Depth = "judge1", "main", 1
						r := w.engine.Dispatch(context.Background(), &engine.Call{ID: "c2",
							Tool: "look", Args: map[string]any{}, Origin: "model", Env: &of})
						if r.IsError {
							t.Errorf("its call: %v", r.Content)
						}
						end := service.SpawnEnd{Status: test.status, Response: test.says}
						if test.status != "completed" {
							end.Error = "overloaded"
						}
						return end, nil
					}}, nil
			}
			w.manifest("PreToolUse", "*", map[string]any{"type": "agent",
				"prompt": "Is $ARGUMENTS a trap?"}).begin()
			for range 2 {
				if result := w.bash("ls"); !strings.Contains(result, test.got) {
					t.Errorf("got %q, want %q", result, test.got)
				}
				w.wantAsked(test.asked)
			}
			if begun.Load() != 2 || killed.Load() != 2 {
				t.Errorf("%d agents begun, %d killed", begun.Load(), killed.Load())
			}
		})
	}
}
