// This file tests events and results of calls that end before their tool runs.

package engine_test

import (
	"go/ast"
	"go/types"
	"slices"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// TestSkipEqualsRefusal: Skip ends a call with the same event and result as Dispatch does for a
// refused call, and has no other effects.
func TestSkipEqualsRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	call := &engine.Call{ID: "c7", Tool: "work", Args: map[string]any{"n": 1.0}, Origin: "model",
		Env: &event.Envelope{AgentID: "main"}}
	r := w.Skip(call, "steered", "not run: the user has said something else")
	if !r.IsError || r.Skipped != "steered" || r.Tool != "work" || r.Args["n"] != 1.0 ||
		text(r) != "not run: the user has said something else" {
		t.Errorf("got %+v", r)
	}
	if len(w.events) != 1 || w.runs() != 0 {
		t.Fatalf("%d events, %d runs", len(w.events), w.runs())
	}
	skipped := w.events[0]
	for key, want := range map[string]string{"call_id": "c7", "tool": "work", "kind": "execute",
		"cause": "steered", "reason": text(r), "origin": "model", "agent_id": "main"} {
		if got := skipped.Text(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}

	// a call that a guard refuses
	w.guard("guard.fake", returns(block("no")))
	w.dispatchCall(t.Context(), call)
	refused := w.seen("tool_skipped")[1]
	own := []string{"script", "line"} // only for a guard
	keys := slices.DeleteFunc(refused.Keys(), func(k string) bool {
		return slices.Contains(own,
			k)
	})
	if !slices.Equal(keys, skipped.Keys()) {
		t.Errorf("the event of a skipped call has %v, of a refused call %v", skipped.Keys(), keys)
	}
}

func TestObserversGetSkippedCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, silent)
	heard := make(chan string, 1)
	w.script("a.fake", func(l *fakeLoad) {
		l.on("tool_skipped", func(c *fakeCall) (any, error) {
			heard <- c.ev.Text("cause")
			return nil, nil
		})
	})
	w.Skip(&engine.Call{ID: "c", Tool: "nothing", Args: map[string]any{}}, "aborted", "ended")
	within(t, "the observer's event", func() {
		if got := <-heard; got != "aborted" {
			t.Errorf("the observer got %q", got)
		}
	})
}

// TestOneFunctionMakesToolSkipped: only one function of the program makes the event tool_skipped.
func TestOneFunctionMakesToolSkipped(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, s := range sources {
		if s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				lit, ok := n.(*ast.CompositeLit)
				if ok && types.ExprString(lit.Type) == "event.ToolSkipped" && len(lit.Elts) > 0 {
					places = append(places, s.folder()+"."+f.Name.Name)
				}
				return true
			})
		}
	}
	if want := []string{"engine.skip"}; !slices.Equal(places, want) {
		t.Errorf("tool_skipped is made in %v, want %v", places, want)
	}
}
