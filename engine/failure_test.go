// This file tests the effects of failing handlers.

package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/vm"
)

func TestBrokenAfterThreeFailuresUntilSuccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fail := true
	g := w.guard("guard.fake", func(*fakeCall) (any, error) {
		if fail {
			return nil, errors.New("boom")
		}
		return nil, nil
	})
	notices := func(part string) (n int) {
		for _, ev := range w.seen("notification") {
			if strings.Contains(ev.Text("message"), part) {
				n++
			}
		}
		return n
	}
	for i := 1; i <= engine.BrokenAfter+1; i++ {
		wantRun(t, w, w.dispatch("look"), i) // the user is asked each time, and allows the call
		if len(w.questions) != i || w.questions[i-1].Asks[0].Failure == nil {
			t.Fatalf("failure %d: questions %+v", i, w.questions)
		}
		if want := i >= engine.BrokenAfter; g.Registry.Handlers[0].Broken() != want ||
			len(w.Scripts.Snapshot().Broken()) == 1 != want {
			t.Fatalf("after %d failures broken = %v", i, !want)
		}
	}
	if n := notices("BROKEN"); n != 1 {
		t.Errorf("BROKEN was reported %d times, want once", n)
	}
	fail = false
	w.dispatch("look")
	if g.Registry.Handlers[0].Broken() || notices("works again") != 1 {
		t.Error("still broken after a success")
	}
	if ev := w.seen("script_error"); len(ev) != engine.BrokenAfter+1 || ev[0].Field("line") != 1 ||
		ev[0].Text("message") != "boom" {
		t.Errorf("script_error: %v", ev)
	}
}

func TestGoHandlersRecoverFromBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fail := true
	h := &engine.Handler{Event: "guard", GoFn: func(context.Context, *event.Event) (any, error) {
		if fail {
			panic("boom")
		}
		return nil, nil
	}}
	remove := w.Scripts.AddGoHandler(h)
	for range engine.BrokenAfter {
		w.dispatch("look")
	}
	if !h.Broken() {
		t.Error("not broken")
	}
	fail = false
	w.dispatch("look")
	if h.Broken() {
		t.Error("still broken")
	}
	remove()
	if n := len(w.Scripts.Snapshot().Handlers("guard")); n != 0 {
		t.Errorf("%d guards are left", n)
	}
}

func TestOnError(t *testing.T) {
	t.Parallel()
	boom := func(*fakeCall) (any, error) { return nil, errors.New("boom") }
	tests := []struct {
		event   string
		onError event.Failure
		runs    int
		dialogs int
		told    int
	}{
		{"guard", "", 1, 1, 1},
		{"guard", event.FailAsk, 1, 1, 1},
		{"guard", event.FailBlock, 0, 0, 1},
		{"guard", event.FailAllow, 1, 0, 1},
		{"tool_call", event.FailBlock, 0, 0, 1},
		{"tool_call", event.FailAllow, 1, 0, 1},
		{"tool_result", "", 1, 0, 1},
		{"tool_result", event.FailIgnore, 1, 0, 0},
	}
	for _, tt := range tests {
		w := newWorld(t)
		w.script("a.fake",
			func(l *fakeLoad) {
				l.on(tt.event, boom,
					func(h *engine.Handler) { h.OnError = tt.onError })
			})
		r := w.dispatch("work")
		wantRun(t, w, r, tt.runs)
		if len(w.questions) != tt.dialogs || len(w.seen("script_error")) != tt.told {
			t.Errorf("%s, on_error %q: %d dialogs, %d errors reported; want %d, %d", tt.event,
				tt.onError, len(w.questions), len(w.seen("script_error")), tt.dialogs, tt.told)
		}
	}
}

func TestOnErrorOfInterceptors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		onError event.Failure
		blocked bool
	}{{"", false}, {event.FailBlock, true}, {event.FailIgnore, false}} {
		w := newWorld(t)
		w.script("a.fake", func(l *fakeLoad) {
			l.on("input", returns(map[string]any{"text": "rewritten"}))
			l.on("input", returns(42.0), func(h *engine.Handler) { h.OnError = tt.onError })
		})
		ev, v := w.Intercept(context.Background(),
			w.Events.Named("input", nil, map[string]any{"text": "raw", "kind": "prompt"}))
		if v.Blocked != tt.blocked || ev.Text("text") != "rewritten" || v.Failed() == nil {
			t.Errorf("on_error %q: blocked %v, text %q, failed %v", tt.onError, v.Blocked,
				ev.Text("text"), v.Failed())
		}
	}
}

func TestAllowNeedsItsGrant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, headlessWorld)
	w.rt.tops["a.fake"] = func(l *fakeLoad) error {
		l.on("tool_call", returns(map[string]any{"allow": true}))
		return nil
	}
	g, err := w.Scripts.Load(context.Background(), &scriptfile.Script{Name: "a.fake", Bytes: []byte(
		"a.fake")})
	if err != nil {
		t.Fatal(err)
	}
	w.Scripts.Swap([]*engine.Generation{g}, nil)
	r := w.dispatch("work", mode(event.PermissionYolo))
	wantRun(t, w, r, 0)
	if !strings.Contains(text(r), "permission.allow") {
		t.Errorf("got %q", text(r))
	}
}

func TestFailedGuardRefusesCallsOfSubagents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.guard("guard.fake", func(*fakeCall) (any, error) { return nil, errors.New("boom") })
	r := w.dispatch("look", func(c *engine.Call) { c.Env = &event.Envelope{Depth: 1} })
	wantRun(t, w, r, 0)
	if len(w.questions) != 0 {
		t.Error("the user was asked")
	}
}

func TestOutcomeAfterTheBudgetIsAFailure(t *testing.T) {
	t.Parallel()
	soon := time.Nanosecond
	tests := map[string]fakeFn{
		"infinite loop": func(c *fakeCall) (any, error) {
			c.spin() // the interpreter stops, but the script returns an outcome anyway
			return nil, nil
		},
		"wall time": func(c *fakeCall) (any, error) {
			c.wait(nil)
			return nil, nil
		},
	}
	for name, fn := range tests {
		w := newWorld(t, headlessWorld, usualLimits)
		w.script("guard.fake", func(l *fakeLoad) {
			l.on("guard", fn, func(h *engine.Handler) {
				if name == "wall time" {
					h.Timeout = &soon
				}
			})
		})
		r := w.dispatch("look")
		wantRun(t, w, r, 0)
		var limit *vm.LimitError
		if !errors.As(r.Trail[0].Error, &limit) {
			t.Errorf("%s: got %v", name, r.Trail[0].Error)
		}
	}
}

func TestCancelledCallRunsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	w.guard("guard.fake", func(c *fakeCall) (any, error) {
		cancel()
		return nil, c.wait(nil)
	})
	r := w.dispatchCall(ctx, &engine.Call{Tool: "look"})
	wantRun(t, w, r, 0)
	if r.Skipped != "aborted" || len(w.seen("script_error")) != 0 || len(w.questions) != 0 {
		t.Errorf("skipped %q, %d errors, %d dialogs", r.Skipped, len(w.seen("script_error")),
			len(w.questions))
	}
	if ev := w.seen("tool_approval"); len(ev) != 1 || ev[0].Text("decision") != "cancelled" {
		t.Errorf("tool_approval: %v", ev)
	}
}

func TestEscDoesNotSkipRewritesOfResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("mask.fake", func(l *fakeLoad) {
		l.on("tool_result", returns(map[string]any{"content": "masked"}))
		// this handler is cancelled
		l.on("tool_result", func(c *fakeCall) (any, error) { return nil, c.wait(nil) })
	})
	// after the cancellation, handlers have little time, which may be too short on a busy machine
	eventually(t, "masked", func() bool {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		w.running = cancel
		return text(w.dispatchCall(ctx, &engine.Call{Tool: "look"})) == "masked"
	})
}

// TestEscWithholdsUncheckedResult: if a handler that fails closed is cancelled, or is not called
// because the call was cancelled, the result is withheld.
func TestEscWithholdsUncheckedResult(t *testing.T) {
	t.Parallel()
	for _, handlers := range []func(l *fakeLoad){
		func(l *fakeLoad) {
			l.on("tool_result", func(c *fakeCall) (any, error) {
				return nil,
					c.wait(nil)
			})
		},
		func(l *fakeLoad) {
			l.on("tool_result", func(c *fakeCall) (any, error) { return nil, c.wait(nil) })
			l.on("tool_result", returns(nil))
		},
	} {
		w := newWorld(t)
		w.script("mask.fake", func(l *fakeLoad) {
			handlers(l)
			l.gen.Registry.Handlers[len(l.gen.Registry.Handlers)-1].OnError = event.FailBlock
		})
		ctx, cancel := context.WithCancel(context.Background())
		w.running = cancel
		r := w.dispatchCall(ctx, &engine.Call{Tool: "look"})
		cancel()
		if !r.IsError || !strings.Contains(text(r), "[the result is withheld: ") {
			t.Errorf("got %q", text(r))
		}
	}
}

// TestGoHandlerTimeout: a handler written in Go has a timeout too. Its context ends, and a later
// outcome is ignored.
func TestGoHandlerTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, headlessWorld)
	limit := time.Millisecond
	w.Scripts.AddGoHandler(&engine.Handler{Event: "guard", Name: "slow", Timeout: &limit,
		GoFn: func(ctx context.Context, _ *event.Event) (any, error) {
			<-ctx.Done()
			return nil, nil // too late: it does not count as a pass
		}})
	r := w.dispatch("work")
	wantRun(t, w, r, 0)
	if !strings.Contains(text(r), "wall time of 1ms") {
		t.Fatal(text(r))
	}
}

// TestObserverOfScriptErrorFails: a failing observer of script_error is reported once, and not to
// itself.
func TestObserverOfScriptErrorFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) {
		l.on("script_error", func(*fakeCall) (any, error) { return nil, errors.New("me too") })
		l.on("input", func(*fakeCall) (any, error) { return nil, errors.New("oh") })
	})
	for range 3 {
		w.Intercept(context.Background(), w.Events.Named("input", nil,
			map[string]any{"kind": "prompt", "text": "x", "source": "cli"}))
	}
	w.drain()
	if got := w.shown("notification",
		"message"); got != "on script_error failed: a.fake:1: me too" {
		t.Fatalf("got %q", got)
	}
	if got := len(w.seen("script_error")); got != 3 {
		t.Fatalf("%d errors were reported, want 3", got)
	}
}
