// This file tests that no call runs unguarded while scripts are swapped.

package engine_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

func TestNewGuardRunsAfterTheDialog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.guard("guard.fake", returns(map[string]any{"ask": "sure?"}))
	w.approve = func(context.Context, *engine.Question) (engine.Answer, error) {
		w.guard("guard.fake", returns(block("the new rule")))
		return engine.Answer{Allow: true}, nil
	}
	r := w.dispatch("work")
	wantRun(t, w, r, 0)
	if !strings.Contains(text(r), "the new rule") {
		t.Errorf("got %q", text(r))
	}
}

func TestSameQuestionIsNotAskedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.guard("guard.fake", returns(map[string]any{"ask": "sure?"}))
	w.approve = func(context.Context, *engine.Question) (engine.Answer, error) {
		w.guard("guard.fake", returns(map[string]any{"ask": "sure?"}))
		return engine.Answer{Allow: true}, nil
	}
	wantRun(t, w, w.dispatch("work", mode(event.PermissionDefault)), 1)
	if len(w.questions) != 1 {
		t.Errorf("%d dialogs, want 1", len(w.questions))
	}
}

func TestNewQuestionIsAskedAfterTheDialog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.guard("guard.fake", returns(map[string]any{"ask": "sure?"}))
	w.approve = func(_ context.Context, q *engine.Question) (engine.Answer, error) {
		if len(w.questions) == 1 {
			w.guard("guard.fake", returns(map[string]any{"ask": "and this?"}))
			return engine.Answer{Allow: true}, nil
		}
		return engine.Answer{Allow: len(q.Asks) != 1 || q.Asks[0].Text != "and this?"}, nil
	}
	wantRun(t, w, w.dispatch("work", mode(event.PermissionDefault)), 0)
}

func TestSwapBetweenGuardsAndRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	once := true
	w.Scripts.AddGoHandler(&engine.Handler{Event: "guard", Priority: 100,
		GoFn: func(context.Context, *event.Event) (any, error) {
			if once { // the last guard
				once = false
				w.guard("late.fake", returns(block("late")))
			}
			return nil, nil
		}})
	wantRun(t, w, w.dispatch("work", mode(event.PermissionDefault)), 0)
	if len(w.questions) != 0 {
		t.Error("the user was asked about a call that the new guard refuses")
	}

	// The same while a tool_permission handler decides, which runs after all guards.
	w = newWorld(t)
	w.Scripts.AddGoHandler(&engine.Handler{Event: "tool_permission",
		GoFn: func(context.Context, *event.Event) (any, error) {
			w.guard("late.fake", returns(block("late")))
			return map[string]any{"allow": true}, nil
		}})
	wantRun(t, w, w.dispatch("work", mode(event.PermissionDefault)), 0)
}

// TestSwapDuringApprovalEvents: a guard that is saved while the events of an approved call are
// emitted can still refuse the call.
func TestSwapDuringApprovalEvents(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tool_approval", "tool_start"} {
		var w *world
		var once sync.Once
		w = newWorld(t, func(o *engine.Options) {
			o.Emit = func(ev *event.Event) {
				if ev.Name() == name {
					once.Do(func() {
						w.guard("late.fake", returns(block("late")))
					})
				}
			}
		})
		r := w.dispatch("work")
		wantRun(t, w, r, 0)
		if !strings.Contains(text(r), "late") {
			t.Errorf("%s: got %q", name, text(r))
		}
	}
}

func TestEditedArgumentsAreGuarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.guard("guard.fake", func(c *fakeCall) (any, error) {
		if c.ev.Field("args").(map[string]any)["n"] == 13.0 {
			return block("13"), nil
		}
		return nil, nil
	})
	for _, tt := range []struct {
		args    map[string]any
		skipped string
	}{{map[string]any{"n": 13.0}, "denied"}, {map[string]any{"n": "x"}, "invalid"},
		{map[string]any{"n": 1.0}, ""}} {
		w.approve = func(context.Context, *engine.Question) (engine.Answer, error) {
			return engine.Answer{Allow: true, Args: tt.args}, nil
		}
		if r := w.dispatch("work", mode(event.PermissionDefault)); r.Skipped != tt.skipped {
			t.Errorf("edited to %v: skipped %q, want %q", tt.args, r.Skipped, tt.skipped)
		}
	}
}

func TestSessionApprovalCoversTheEditedArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve = func(context.Context, *engine.Question) (engine.Answer, error) {
		return engine.Answer{Allow: true, Session: true, Args: map[string]any{"n": 1.0}}, nil
	}
	args := func(n float64) func(*engine.Call) {
		return func(c *engine.Call) { c.Args = map[string]any{"n": n} }
	}
	m := mode(event.PermissionDefault)
	w.dispatch("work", m, args(666)) // the user edits 666 to 1, and allows that
	if w.dispatch("work", m, args(1)); len(w.questions) != 1 {
		t.Error("the user is asked again about arguments allowed for the session")
	}
	if w.dispatch("work", m, args(666)); len(w.questions) != 2 {
		t.Error("the original arguments, which the user edited, are allowed for the session")
	}
	w.dispatch("change", m, args(2))
	if w.dispatch("change", m, args(3)); len(w.questions) != 3 {
		t.Error("the user is asked about each edit")
	}
}

// waiting returns a handler that sends name and then waits until it is stopped.
func waiting(entered chan<- string, name string) fakeFn {
	return func(c *fakeCall) (any, error) {
		entered <- name
		return nil, c.wait(nil)
	}
}

func TestReloadDuringAWaitCallsTheNewVersion(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"guard", "tool_call", "tool_permission", "tool_result",
		"input"} {
		w := newWorld(t)
		entered := make(chan string, 1)
		w.script("a.fake", func(l *fakeLoad) { l.on(event, waiting(entered, "old")) })
		var asked atomic.Int32
		within(t, event, func() {
			done := make(chan struct{})
			go func() {
				defer close(done)
				if event == "input" {
					w.Intercept(context.Background(), w.Events.Named("input", nil, nil))
				} else {
					w.Dispatch(context.Background(), &engine.Call{Tool: "work"})
				}
			}()
			<-entered
			w.script("a.fake", func(l *fakeLoad) {
				l.on(event, func(*fakeCall) (any, error) { asked.Add(1); return nil, nil })
			})
			<-done
		})
		if asked.Load() != 1 || len(w.seen("script_error")) != 0 {
			t.Errorf("%s: the new version was called %d times, want once; errors: %v", event,
				asked.Load(), w.seen("script_error"))
		}
		if event != "input" && w.runs() != 1 {
			t.Errorf("%s: %d runs", event, w.runs())
		}
	}
}

func TestCallIsRefusedAfterTooManyReloads(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"guard", "tool_call"} {
		w := newWorld(t, silent)
		var guard fakeFn
		guard = func(c *fakeCall) (any, error) {
			go w.script("a.fake", func(l *fakeLoad) { l.on(event, guard) })
			return nil, c.wait(nil)
		}
		w.script("a.fake", func(l *fakeLoad) { l.on(event, guard) })
		wantRun(t, w, w.dispatch("look"), 0)
	}
}

func TestCallContinuesWithoutRemovedGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entered := make(chan string, 1)
	w.guard("a.fake", waiting(entered, "old"))
	within(t, "dispatch", func() {
		done := make(chan *engine.Result)
		go func() { done <- w.Dispatch(context.Background(), &engine.Call{Tool: "look"}) }()
		<-entered
		w.remove("a.fake")
		wantRun(t, w, <-done, 1) // no guard is left
	})
}

// TestNoUnguardedCallDuringSwaps repeats a refused call during 1,000 swaps. Half of the loads fail.
func TestNoUnguardedCallDuringSwaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, silent)
	guard := func(l *fakeLoad) { l.on("guard", returns(block("never"))) }
	slow := func(l *fakeLoad) { // a version that waits, so that it may be reloaded meanwhile
		l.on("guard", func(c *fakeCall) (any, error) {
			never := make(chan struct{})
			go func() { defer close(never) }()
			if err := c.wait(never); err != nil {
				return nil, err
			}
			return block("never"), nil
		})
	}
	w.script("guard.fake", guard)
	stop := make(chan struct{})
	polled := make(chan int)
	for range 2 {
		go func() {
			n := 0
			for {
				select {
				case <-stop:
					polled <- n
					return
				default:
					w.Dispatch(context.Background(),
						&engine.Call{Tool: "look",
							Env: &event.Envelope{Permission: event.PermissionYolo}})
					n++
				}
			}
		}()
	}
	within(t, "1,000 swaps", func() {
		for i := range 1000 {
			switch i % 4 {
			case 0:
				w.script("guard.fake", guard)
			case 1:
				w.script("guard.fake", slow)
			default:
				if _, err := w.load("guard.fake", nil); err == nil {
					t.Error("a broken script loaded")
				}
				w.script("neighbour.fake", func(l *fakeLoad) { l.on("guard", returns(nil)) })
			}
		}
	})
	close(stop)
	n := <-polled + <-polled
	for _, d := range w.Decisions() {
		if d.Allowed {
			t.Fatalf("allowed: %+v", d)
		}
	}
	if w.runs() > 0 || n == 0 {
		t.Errorf("%d runs, %d calls", w.runs(), n)
	}
}
