// This file measures the engine's part of a call, without interpreters.

package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scripttest"
)

// benchWorld is an engine with a tool that does nothing, and without listeners and an audit log.
func benchWorld(b *testing.B) *world {
	w := newWorld(b, silent)
	nothing := engine.TextResult("")
	w.Engine.Close()
	w.Engine = scripttest.NewEngine(b, engine.Options{Runtimes: []engine.Runtime{w.rt},
		Tools: []*engine.Tool{{Name: "look", Kind: "read", ReadOnly: true,
			Run: func(context.Context, *engine.Use) (*engine.Result, error) {
				return nothing,
					nil
			}}}})
	return w
}

func benchDispatch(b *testing.B, w *world) {
	call := &engine.Call{ID: "call", Tool: "look", Args: map[string]any{"path": "x"},
		Origin: "model", Env: &event.Envelope{Permission: event.PermissionDefault}}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if r := w.Dispatch(ctx, call); r.Skipped != "" {
			b.Fatal(chat.PlainText(r.Content))
		}
	}
}

// BenchmarkDispatch dispatches a call of a read-only tool with guards written in Go.
func BenchmarkDispatch(b *testing.B) {
	for _, n := range []int{0, 1, 10} {
		b.Run(fmt.Sprintf("guards=%d", n), func(b *testing.B) {
			w := benchWorld(b)
			for range n {
				w.Scripts.AddGoHandler(&engine.Handler{Event: "guard",
					GoFn: func(context.Context, *event.Event) (any, error) { return nil, nil }})
			}
			benchDispatch(b, w)
		})
	}
}

// BenchmarkDispatchScript is BenchmarkDispatch with guards in a VM: with turns, budgets and a
// goroutine that can be abandoned.
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

// BenchmarkFilterMiss measures a handler whose filter does not match.
func BenchmarkFilterMiss(b *testing.B) {
	w := benchWorld(b)
	ev := w.Events.Named("guard", nil, map[string]any{"tool": "look", "kind": "read",
		"args": map[string]any{"path": "main.go"}})
	for _, opts := range []map[string]any{{"tool": "bash"}, {"tool": "bash|edit|mcp__*"},
		{"kind": "edit"}, {"match": "sudo"}} {
		b.Run(fmt.Sprint(opts), func(b *testing.B) {
			f, err := event.NewFilter(w.Events.Row("guard"), opts)
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

// BenchmarkUnread measures a request to a model with a handler that reads nothing: it takes the
// same time with 10 messages as with 10,000.
func BenchmarkUnread(b *testing.B) {
	for _, name := range []string{"context", "llm_request"} {
		for _, n := range []int{10, 10_000} {
			b.Run(fmt.Sprintf("%s/messages=%d", name, n), func(b *testing.B) {
				w := benchWorld(b)
				w.Scripts.AddGoHandler(&engine.Handler{Event: name,
					GoFn: func(context.Context, *event.Event) (any, error) { return nil, nil }})
				// in both cases: what the collector has to look at must not differ
				all := make(chat.MessageList, 10_000)
				for i := range all {
					all[i] = &chat.Message{ID: fmt.Sprint("m", i), Role: "user",
						Content: []chat.Block{{Type: "text", Text: "hello"}}}
				}
				list := all[:n]
				env, ctx := &event.Envelope{}, context.Background()
				b.ReportAllocs()
				for b.Loop() {
					ev, _ := w.Intercept(ctx, w.Events.Named(name, env,
						map[string]any{"messages": list}))
					if ev.Field("messages") == nil {
						b.Fatal("the messages are gone")
					}
				}
				runtime.KeepAlive(all)
			})
		}
	}
}

// secrets are typical patterns of redactors.
var secrets = []string{`sk-[A-Za-z0-9]{20,}`, `\bAKIA[0-9A-Z]{16}\b`,
	`(?i)(api[_-]?key|token|secret)\s*[:=]\s*\S+`,
	`-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----`, `\bghp_[A-Za-z0-9]{36}\b`}

// BenchmarkMask searches the output of a tool, without any secret, with five patterns.
func BenchmarkMask(b *testing.B) {
	const line = "2026-11-21 04:20:17 INFO  request handled in 17ms: GET /v1/items?id=4711 -> " +
		"200 (cache miss)\n"
	for _, size := range []int{1 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			w := benchWorld(b)
			w.script("a.fake", func(l *fakeLoad) { l.redact("secret", nil, secrets...) })
			texts := make([]string, 64) // more than are remembered, at the larger size
			for i := range texts {
				texts[i] = fmt.Sprint(i) + strings.Repeat(line, size/len(line))
			}
			b.SetBytes(int64(len(texts[0])))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s := texts[i%len(texts)] + fmt.Sprint(i)
				if w.Mask.Text(s) != s {
					b.Fatal("something was masked")
				}
			}
		})
	}
}

// BenchmarkEmit fires an event that only the stream gets.
func BenchmarkEmit(b *testing.B) {
	for name, top := range map[string]func(l *fakeLoad){"no-redactor": func(*fakeLoad) {},
		"patterns": func(l *fakeLoad) { l.redact("secret", nil, secrets...) }} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, func(o *engine.Options) { o.Emit = func(*event.Event) {} })
			w.script("a.fake", top)
			ev := w.Events.Named("say", nil, map[string]any{"source": "x",
				"markdown": "a text of some length, as people read it"})
			b.ReportAllocs()
			for b.Loop() {
				w.Emitter.Emit(ev)
			}
		})
	}
}

// BenchmarkMaskPieces masks a model's reply in pieces of 4 bytes.
func BenchmarkMaskPieces(b *testing.B) {
	w := newWorld(b,
		func(o *engine.Options) { o.Emit = func(ev *event.Event) { ev.Text("delta") } })
	w.script("a.fake", func(l *fakeLoad) { l.redact("secret", nil, secrets...) })
	b.ReportAllocs()
	for b.Loop() {
		w.Emitter.Emit(w.Events.Named("message_delta", nil, map[string]any{"message_id": "m",
			"kind":  "text",
			"delta": "abc\n"}))
	}
}
