// This file tests the stream with redactors: a redactor's function can neither block it nor be
// bypassed.

package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
)

// findPins is a redactor's function that finds every "pin-N".
func findPins(c *fakeCall) (any, error) {
	var found []any
	for _, w := range strings.Fields(c.args[0].(string)) {
		if strings.HasPrefix(w, "pin-") {
			found = append(found, w)
		}
	}
	return found, nil
}

func (w *world) drain() {
	w.t.Helper()
	within(w.t, "drain", func() { w.Emitter.Drain(context.Background()) })
}

// all returns all events of the stream as JSON.
func (w *world) all() string {
	w.mu.Lock()
	events := append([]*event.Event(nil), w.events...)
	w.mu.Unlock()
	var b strings.Builder
	for _, ev := range events {
		j, err := json.Marshal(ev)
		if err != nil {
			w.t.Error(err)
		}
		b.Write(j)
		b.WriteByte('\n')
	}
	return b.String()
}

// redactions are two ways to find the same texts: patterns and a function.
var redactions = map[string]func(l *fakeLoad){
	"pattern": func(l *fakeLoad) { l.redact("pin", nil, `pin-\d+`) },
	"find":    func(l *fakeLoad) { l.redact("pin", findPins) },
}

func eachRedaction(t *testing.T, f func(t *testing.T, w *world)) {
	for name, top := range redactions {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.script("a.fake", top)
			f(t, w)
		})
	}
}

func TestStreamIsMasked(t *testing.T) {
	t.Parallel()
	eachRedaction(t, func(t *testing.T, w *world) {
		var heard sync.Map
		w.Scripts.AddGoHandler(&engine.Handler{Event: "message_end",
			GoFn: func(_ context.Context, ev *event.Event) (any, error) {
				heard.Store("text", ev.Text("text"))
				return nil, nil
			}})
		env := &event.Envelope{SessionID: "pin-1", Model: "pin-2"}
		content := []any{map[string]any{"type": "image", "mime_type": "pin-3", "data": "pin-4"},
			map[string]any{"type": "text", "text": "a pin-5"}}
		w.Emitter.Emit(w.Events.Named("message_end", env, map[string]any{"message_id": "pin-6",
			"text": "x pin-7 y"}))
		w.Emitter.Emit(w.Events.Named("llm_response", env, map[string]any{"text": "t",
			"purpose": "agent",
			"model":   "pin-8", "tool_calls": []any{map[string]any{
				"id": "pin-9", "tool": "pin-10", "args": map[string]any{"pin-11": "pin-12",
					"id": "pin-13"}}}}))
		messages := chat.MessageList{{ID: "pin-14", Role: "user",
			Content: []chat.Block{{Type: "text", Text: "b pin-15"}}}}
		w.Emitter.Emit(w.Events.Named("context", env, map[string]any{"messages": messages}))
		w.Emitter.Emit(w.Events.Named("input", env, map[string]any{"kind": "prompt",
			"text":   "pin-16",
			"images": content}))
		w.Emitter.EmitShown(w.Events.Named("say", env, nil), w.Events.Named("say", env,
			map[string]any{"source": "x", "markdown": "# pin-17"}))
		w.drain()
		all := w.all()
		for _, n := range []int{5, 7, 12, 13, 15, 16, 17} {
			if strings.Contains(all, fmt.Sprintf("pin-%d\"", n)) ||
				strings.Contains(all, fmt.Sprintf("pin-%d ", n)) {
				t.Errorf("pin-%d is not masked:\n%s", n, all)
			}
		}
		for _, n := range []int{1, 2, 3, 4, 6, 8, 9, 10, 11, 14} {
			if !strings.Contains(all, fmt.Sprintf("pin-%d\"", n)) {
				t.Errorf("pin-%d is an identifier, but it is masked:\n%s", n, all)
			}
		}
		if text, _ := heard.Load("text"); text != "x [redacted:pin] y" {
			t.Errorf("the observer got %q, want it masked", text)
		}
		if messages[0].Content[0].Text != "b pin-15" {
			t.Error("the message itself was changed")
		}
	})
}

// TestToolResultIsMasked: the output of a tool is masked for handlers too.
func TestToolResultIsMasked(t *testing.T) {
	t.Parallel()
	eachRedaction(t, func(t *testing.T, w *world) {
		w.result = &engine.Result{Content: []chat.Block{{Type: "text", Text: "c pin-1"}},
			Details: map[string]any{"k": []any{"pin-2"}}, ForUser: "pin-3",
			Display: &ui.Display{Title: "pin-4", Kind: "text", Text: "pin-5"}}
		var seen string
		w.Scripts.AddGoHandler(&engine.Handler{Event: "tool_result",
			GoFn: func(_ context.Context, ev *event.Event) (any, error) {
				j, err := json.Marshal(ev)
				seen = string(j)
				return map[string]any{"for_user": "late pin-6",
					"details": map[string]any{"x": "pin-7"}}, err
			}})
		r := w.dispatch("work")
		if strings.Contains(seen, "pin-") {
			t.Errorf("the handler sees %s", seen)
		}
		if text(r) != "c [redacted:pin]" || r.ForUser != "late [redacted:pin]" ||
			r.Details["x"] != "[redacted:pin]" || r.Details["k"] != nil &&
			sprint(r.Details["k"]) != "[[redacted:pin]]" {
			t.Errorf("got %+v", r)
		}
		if w.result.Details["k"].([]any)[0] != "pin-2" {
			t.Error("the tool's own value was changed")
		}
		w.guard("b.fake", returns(block("not pin-8 here")))
		if r := w.dispatch("work"); strings.Contains(text(r), "pin-8") {
			t.Errorf("the refusal is %q", text(r))
		}
		w.drain()
		if all := w.all(); strings.Contains(all, "pin-") {
			t.Error(all)
		}
	})
}

func TestToolOutputIsMasked(t *testing.T) {
	t.Parallel()
	for name, top := range redactions {
		t.Run(name, func(t *testing.T) {
			chunks := []string{"one pin", "-1 two\nthree ", "pin-2"}
			speak := &engine.Tool{Name: "speak", Kind: "read", ReadOnly: true,
				Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
					for _, c := range chunks {
						use.Output(c, false)
					}
					return engine.TextResult("done"), nil
				}}
			w := newWorld(t, func(o *engine.Options) { o.Tools = append(o.Tools, speak) })
			w.script("a.fake", top)
			var mu sync.Mutex
			var heard []string
			for _, ev := range []string{"tool_output", "tool_end"} {
				w.Scripts.AddGoHandler(&engine.Handler{Event: ev,
					GoFn: func(_ context.Context, ev *event.Event) (any, error) {
						mu.Lock()
						defer mu.Unlock()
						heard = append(heard, ev.Text("chunk"))
						return nil, nil
					}})
			}
			w.dispatch("speak")
			w.drain()
			const want = "one [redacted:pin] two\nthree [redacted:pin]"
			if got := strings.ReplaceAll(w.shown("tool_output", "chunk"), "|", ""); got != want {
				t.Errorf("the stream has %q, want %q", got, want)
			}
			eventually(t, "the observers have heard", func() bool {
				mu.Lock()
				defer mu.Unlock()
				return strings.Join(heard, "") == want
			})
			var order []string
			for _, ev := range w.events {
				if n := ev.Name(); strings.HasPrefix(n, "tool_") &&
					(len(order) == 0 || order[len(order)-1] != n) {
					order = append(order, n)
				}
			}
			if got := strings.Join(order,
				" "); got != "tool_call tool_approval tool_start tool_output tool_result tool_end" {
				t.Errorf("the order is %s", got)
			}
		})
	}
}

// TestFindDuringAHandlerOfItsScript: a handler that emits texts holds the turn of the VM that the
// redactor's function needs.
func TestFindDuringAHandlerOfItsScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("pin", findPins)
		l.on("guard", func(c *fakeCall) (any, error) {
			for i := range 100 {
				w.Notices.Notify(nil, "a.fake", ui.Notice{Text: fmt.Sprintf("at pin-%d", i),
					Level: "info"})
			}
			w.Stream.MaskThen("a log of pin-7",
				func(s string) { w.Notices.Notify(nil, "log", ui.Notice{Text: s, Level: "info"}) })
			return nil, nil
		})
	})
	wantRun(t, w, w.dispatch("work"), 1)
	w.drain()
	if all := w.all(); strings.Contains(all, "pin-") || len(w.seen("notification")) != 101 ||
		strings.Contains(all, "withheld") {
		t.Fatal(all)
	}
}

func TestFindThatFails(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) })
	for name, find := range map[string]fakeFn{
		"error": func(*fakeCall) (any, error) { return nil, errors.New("oh") },
		"error, telling": func(c *fakeCall) (any, error) {
			return nil,
				fmt.Errorf("what is %v", c.args[0])
		},
		"panic":    func(*fakeCall) (any, error) { panic("oh") },
		"number":   returns(1.0),
		"true":     returns(true),
		"list":     returns([]any{"x", 1.0}),
		"table":    returns(map[string]any{"x": "y"}),
		"too many": returns(make([]any, 1001)),
		"loop":     func(c *fakeCall) (any, error) { return nil, c.spin() },
		"wedge":    func(c *fakeCall) (any, error) { <-stuck; return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, usualLimits)
			w.script("a.fake", func(l *fakeLoad) { l.redact("pin", find) })
			const withheld = "[withheld: redactor pin failed]"
			within(t, "mask", func() {
				if got := w.Mask.Text("a pin-1"); got != withheld {
					t.Errorf("got %q", got)
				}
			})
			w.Emitter.Emit(w.Events.Named("say", nil, map[string]any{"source": "x",
				"markdown": "a pin-2"}))
			w.Emitter.Emit(w.Events.Named("message_delta", nil,
				map[string]any{"message_id": "m", "kind": "text", "delta": "a pin-3"}))
			w.Emitter.Emit(w.Events.Named("message_end", nil, map[string]any{"message_id": "m",
				"text": "a pin-3"}))
			m := w.Mask.Value(map[string]any{"a": "pin-4", "b": []any{"pin-5"}})
			w.drain()
			if all := w.all() + sprint(m); strings.Contains(all, "pin-") {
				t.Error(all)
			}
			if w.shown("say", "markdown") != withheld ||
				w.shown("message_delta", "delta") != withheld {
				t.Error(w.all())
			}
			if errs := w.seen("script_error"); len(errs) != 1 || errs[0].Field("line") == nil {
				t.Errorf("%d errors were reported:\n%s", len(errs), w.all())
			}
			if name != "wedge" && !w.Scripts.Snapshot().Redactors()[0].Broken() {
				t.Error("the redactor is not BROKEN")
			}
		})
	}
}

func TestFindRecoversFromBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bad := true
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("pin", func(c *fakeCall) (any, error) {
			if bad {
				return nil, errors.New("oh")
			}
			return findPins(c)
		})
	})
	for range 3 {
		w.Mask.Text("a pin-1")
	}
	bad = false
	if got := w.Mask.Text("a pin-1"); got != "a [redacted:pin]" {
		t.Fatal(got)
	}
	w.drain()
	if got := w.shown("notification", "message"); !strings.Contains(got, "BROKEN") ||
		!strings.Contains(got, "works again") {
		t.Fatal(got)
	}
}

// TestRedactorReload: a new redactor applies to the next text. Events that wait while a redactor is
// removed are withheld.
func TestRedactorReload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entered, open := make(chan struct{}, 10), make(chan struct{})
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("pin", func(c *fakeCall) (any, error) {
			entered <- struct{}{}
			if err := c.wait(open); err != nil {
				return nil, err
			}
			return findPins(c)
		})
	})
	say := func(s string) {
		w.Emitter.Emit(w.Events.Named("say", nil, map[string]any{"source": "x", "markdown": s}))
	}
	say("one pin-1")
	<-entered
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("pin", findPins)
		l.redact("other", nil,
			"new")
	})
	say("new pin-2")
	w.drain()
	if got := w.shown("say",
		"markdown"); got != "one [redacted:pin]|[redacted:other] [redacted:pin]" {
		t.Fatalf("after the reload: %q", got)
	}
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("pin", func(c *fakeCall) (any, error) {
			entered <- struct{}{}
			return nil,
				c.wait(make(chan struct{}))
		})
	})
	say("three pin-3")
	<-entered
	w.remove("a.fake")
	say("four pin-4")
	w.drain()
	if got := w.shown("say", "markdown"); !strings.HasSuffix(got,
		"|[withheld: redactor pin failed]|four pin-4") {
		t.Fatalf("after the redactor was removed: %q", got)
	}
	close(open)
}

func TestCloseDeliversWaitingEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("pin", findPins)
		l.redact("key", nil,
			`sk-\d+`)
	})
	for i := range 100 {
		w.Emitter.Emit(w.Events.Named("say", nil, map[string]any{"source": "x",
			"markdown": fmt.Sprintf("n pin-%d", i)}))
	}
	w.Close()
	if got := len(w.seen("say")); got != 100 || strings.Contains(w.all(), "pin-") ||
		strings.Contains(w.all(), "withheld") {
		t.Fatalf("%d events: %s", got, w.all())
	}
	w.Emitter.Emit(w.Events.Named("say", nil, map[string]any{"source": "x",
		"markdown": "late pin-1 sk-1"}))
	eventually(t, "the last event is delivered", func() bool { return len(w.seen("say")) == 101 })
	if strings.Contains(w.all(), "pin-") || strings.Contains(w.all(), "sk-") {
		t.Fatal(w.all())
	}
}

// TestStreamOverflow: a slow redactor does not block senders, and the queue is bounded.
func TestStreamOverflow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	open := make(chan struct{})
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("pin", func(c *fakeCall) (any, error) {
			if err := c.wait(open); err != nil {
				return nil, err
			}
			return findPins(c)
		})
	})
	const n = 10_100
	for i := range n {
		w.Emitter.Emit(w.Events.Named("say", nil, map[string]any{"source": "x",
			"markdown": fmt.Sprintf("n pin-%d", i)}))
	}
	time.AfterFunc(time.Millisecond, func() { close(open) })
	w.drain()
	got := w.seen("say")
	if len(got) != n || strings.Contains(w.all(), "pin-") {
		t.Fatalf("%d events, want %d", len(got), n)
	}
	if last := got[n-1].Text("markdown"); last != "[withheld: redactor pin failed]" {
		t.Fatalf("the last event is %q, want that it is withheld", last)
	}
}
