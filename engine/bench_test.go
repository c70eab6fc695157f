// This file measures the engine's own share of a call: no interpreter runs.
package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
)

// benchWorld is an engine whose tool does nothing, and nobody listens to the stream: the audit is off the path.
func benchWorld(b *testing.B) *world {
	w := newWorld(b, silent)
	nothing := engine.TextResult("")
	w.Engine.Close()
	e, err := engine.New(engine.Options{Events: spec.Events(), Runtimes: []engine.Runtime{w.rt}, Tools: []*engine.Tool{{Name: "look", Kind: "read", ReadOnly: true,
		Run: func(context.Context, *engine.Use) (*engine.Result, error) { return nothing, nil }}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(e.Close)
	w.Engine = e
	return w
}

func benchDispatch(b *testing.B, w *world) {
	call := &engine.Call{ID: "call", Tool: "look", Args: map[string]any{"path": "x"}, Origin: "model", Env: &engine.Envelope{Permission: engine.PermissionDefault}}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if r := w.Dispatch(ctx, call); r.Skipped != "" {
			b.Fatal(engine.PlainText(r.Content))
		}
	}
}

// BenchmarkDispatch is the whole road of a read-only tool with guards written in Go.
func BenchmarkDispatch(b *testing.B) {
	for _, n := range []int{0, 1, 10} {
		b.Run(fmt.Sprintf("guards=%d", n), func(b *testing.B) {
			w := benchWorld(b)
			for range n {
				w.AddGoHandler(&engine.Handler{Event: "guard", GoFn: func(context.Context, *engine.Event) (any, error) { return nil, nil }})
			}
			benchDispatch(b, w)
		})
	}
}

// BenchmarkDispatchScript is the same with guards in a VM: turn, budgets and the goroutine that can be left behind.
func BenchmarkDispatchScript(b *testing.B) {
	for _, n := range []int{1, 10} {
		b.Run(fmt.Sprintf("guards=%d", n), func(b *testing.B) {
			w := benchWorld(b)
			w.script("a.fake", func(l *fakeLoad) {
				for range n {
					l.on("guard", returns(nil))
				}
			})
			benchDispatch(b, w)
		})
	}
}

// BenchmarkFilterMiss is a handler that is not entered.
func BenchmarkFilterMiss(b *testing.B) {
	w := benchWorld(b)
	ev := w.NewEvent("guard", nil, map[string]any{"tool": "look", "kind": "read", "args": map[string]any{"path": "main.go"}})
	for _, opts := range []map[string]any{{"tool": "bash"}, {"tool": "bash|edit|mcp__*"}, {"kind": "edit"}, {"match": "sudo"}} {
		b.Run(fmt.Sprint(opts), func(b *testing.B) {
			f, err := engine.NewFilter(w.Row("guard"), opts)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if f.Matches(ev) {
					b.Fatal("it matches")
				}
			}
		})
	}
}
