// This file tests VMs that cannot be stopped.

package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// wedge returns a function that hangs in a built-in function, which cannot be interrupted, until
// the test closes free.
func wedge(free <-chan struct{}) fakeFn {
	return func(*fakeCall) (any, error) {
		<-free
		return nil, nil // an answer after the budget
	}
}

func TestWedgedGuardRefuses(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"guard", "tool_call", "tool_permission"} {
		eachWay(t, func(t *testing.T, w *world) { wedgedRefuses(t, w, name) })
	}
}

func wedgedRefuses(t *testing.T, w *world, name string) {
	free := make(chan struct{})
	g := w.script("a.fake", func(l *fakeLoad) {
		l.on(name, wedge(free), func(h *engine.Handler) { h.OnError = event.FailAllow })
	})
	r := w.dispatch("work", mode(event.PermissionDefault))
	wantRun(t, w, r, 0)
	if !strings.Contains(text(r), "a.fake:1: stopped: used up its script time") ||
		len(w.seen("script_error")) != 1 || len(w.seen("tool_skipped")) != 1 {
		t.Errorf("%s: got %q, %d errors reported", name, text(r), len(w.seen("script_error")))
	}
	if d := w.Decisions(); len(d) != 1 || d[0].Allowed || d[0].Trail[0].Error == nil {
		t.Errorf("%s: decisions %+v", name, d)
	}
	eventually(t, "Wedged is called", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.wedged) == 1 && w.wedged[0] == g
	})
	// Other runs in the VM fail meanwhile, they do not hang.
	if r := w.dispatch("work", mode(event.PermissionDefault)); r.Trail[0].Error == nil {
		t.Errorf("%s: trail of the next call: %+v", name, r.Trail)
	}
	runs := w.runs()
	close(free) // the function returns
	eventually(t, "the function returns", func() bool { return w.rt.vms[0].inside.Load() == 0 })
	w.script("a.fake", func(*fakeLoad) {})
	eventually(t, "the VM is closed", func() bool { return w.rt.vms[0].closes.Load() == 1 })
	if w.runs() != runs {
		t.Errorf("%s: the tool ran after the function returned", name)
	}
	if len(w.Decisions()) != 2 {
		t.Errorf("%s: a call ended twice: %+v", name, w.Decisions())
	}
}

func TestWedgedVMIsClosedBeforeItsFunctionReturns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usualLimits)
	free := make(chan struct{})
	defer close(free)
	neighbour := w.script("b.fake", func(*fakeLoad) {})
	w.guard("a.fake", wedge(free))
	wantRun(t, w, w.dispatch("look"), 0)
	w.remove("a.fake")
	w.remove("b.fake")
	for i, vm := range w.rt.vms {
		// the watchdog may still use the snapshot that contains it
		eventually(t, fmt.Sprintf("VM %d is closed; neighbour: %s", i, neighbour.Name),
			func() bool { return vm.closes.Load() == 1 })
	}
}

func TestNothingIsLeftOfAWedge(t *testing.T) { // not parallel: it checks all goroutines
	w := newWorld(t, usualLimits)
	free := make(chan struct{})
	w.script("a.fake", func(l *fakeLoad) {
		l.on("input", wedge(free))
	})
	w.script("b.fake",
		func(l *fakeLoad) {
			l.gen.Registry.AddCommand(&engine.Command{Name: "d",
				Run: &fakeFunc{l.vm, wedge(free)}})
		})
	within(t, "both", func() {
		var input sync.WaitGroup
		defer input.Wait()
		input.Go(func() { w.Intercept(context.Background(), w.Events.Named("input", nil, nil)) })
		if _, err := w.Commands.Run(context.Background(), &event.Envelope{}, "d", ""); err == nil ||
			!strings.Contains(err.Error(), "script time of 2s") {
			t.Errorf("the command ended with %v", err)
		}
	})
	w.Close()
	if w.rt.unclosed() != 0 {
		t.Error("the VMs are not closed")
	}
	close(free)
	nothingRuns(t)
}

func TestOnErrorOfWedgedInterceptor(t *testing.T) {
	t.Parallel()
	for _, policy := range []event.Failure{"", event.FailBlock} {
		w := newWorld(t, usualLimits)
		free := make(chan struct{})
		w.script("a.fake",
			func(l *fakeLoad) { l.on("input", returns(map[string]any{"text": "one"})) })
		w.script("b.fake", func(l *fakeLoad) {
			l.on("input", wedge(free), func(h *engine.Handler) { h.OnError = policy })
		})
		w.script("c.fake", func(l *fakeLoad) {
			l.on("input", func(c *fakeCall) (any, error) {
				return map[string]any{"text": c.ev.Text("text") + " three"}, nil
			})
		})
		within(t, "input", func() {
			ev, v := w.Intercept(context.Background(),
				w.Events.Named("input", nil, map[string]any{"text": "zero"}))
			if policy == event.FailBlock && !v.Blocked || policy == "" &&
				(v.Blocked || ev.Text("text") != "one three") {
				t.Errorf("on_error %q: blocked %v, text %q", policy, v.Blocked, ev.Text("text"))
			}
		})
		close(free)
		eventually(t, "the function returns", func() bool { return w.rt.vms[1].inside.Load() == 0 })
	}
}

func TestResultIsRewrittenAndLoggedIfAHandlerHangs(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, w *world) {
		free := make(chan struct{})
		defer close(free)
		first := w.script("a.fake", func(l *fakeLoad) { l.on("tool_result", wedge(free)) })
		w.script("b.fake",
			func(l *fakeLoad) { l.on("tool_result", returns(map[string]any{"content": "masked"})) })
		r := w.dispatch("look")
		if text(r) != "masked" || r.Tool != "look" || len(r.Trail) != 2 ||
			len(w.Decisions()) != 1 || !w.Decisions()[0].Allowed || len(w.seen("tool_end")) != 1 {
			t.Errorf("got %q, tool %q, trail %+v, decisions %+v", text(r), r.Tool, r.Trail,
				w.Decisions())
		}
		w.remove("a.fake") // the ended call keeps no snapshot of it
		eventually(t, "the VM is closed", func() bool { return w.rt.vms[0].closes.Load() == 1 })
		if !first.Retired() {
			t.Error("it is still in force")
		}
	})
}

// TestPreviewIfAGuardHangs: the verdict of the preview is blocked, and no decision is logged.
func TestPreviewIfAGuardHangs(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, w *world) {
		free := make(chan struct{})
		defer close(free)
		w.guard("a.fake", wedge(free))
		r := w.dispatch("work", func(c *engine.Call) { c.Preview = true })
		if r.Verdict == nil || !r.Verdict.Blocked || len(w.Decisions()) != 0 {
			t.Errorf("got %+v, decisions %+v", r.Verdict, w.Decisions())
		}
	})
}

// TestWedgeInACallOfAGuard: a guard calls a tool, and the guard of this call hangs. Each call is
// refused once.
func TestWedgeInACallOfAGuard(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, w *world) {
		free := make(chan struct{})
		defer close(free)
		w.script("b.fake", func(l *fakeLoad) {
			l.on("guard", func(c *fakeCall) (any, error) {
				if c.ev.Text("tool") == "change" {
					return wedge(free)(c)
				}
				return nil, nil
			})
		})
		w.script("a.fake", func(l *fakeLoad) {
			l.on("guard", func(c *fakeCall) (any, error) {
				if c.ev.Text("tool") == "change" {
					return nil, nil
				}
				var inner *engine.Result
				err := c.vm.turn.Wait(&c.run.Run, func() {
					inner = w.Dispatch(c.run.Context(), &engine.Call{Tool: "change", Depth: 1})
				})
				if err != nil {
					return nil, err
				}
				return block(text(inner)), nil
			})
		})
		r := w.dispatch("work")
		wantRun(t, w, r, 0)
		if len(w.Decisions()) != 2 || !strings.Contains(text(r), "script time") {
			t.Errorf("got %q, decisions %+v", text(r), w.Decisions())
		}
	})
}

// TestWaitInAWedgedVM: one call waits in a VM while another call wedges it.
func TestWaitInAWedgedVM(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, w *world) {
		free, go2, entered := make(chan struct{}), make(chan struct{}), make(chan string, 1)
		w.guard("a.fake", func(c *fakeCall) (any, error) {
			if c.ev.Text("tool") == "change" {
				return wedge(free)(c)
			}
			entered <- ""
			return nil, c.wait(go2)
		})
		within(t, "both calls", func() {
			done := make(chan *engine.Result)
			go func() { done <- w.dispatchCall(context.Background(), &engine.Call{Tool: "look"}) }()
			<-entered
			wantRun(t, w, w.dispatch("change"), 0)
			close(go2) // the wait of the first call ends, but its VM is abandoned
			wantRun(t, w, <-done, 0)
		})
		close(free)
	})
}

func TestWedgedLoadFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usualLimits)
	free := make(chan struct{})
	within(t, "load", func() {
		_, err := w.load("a.fake", func(*fakeLoad) error { <-free; return nil })
		// its script time is over first, unless other processes had the processors meanwhile
		if err == nil || !strings.Contains(err.Error(), "script time of 1s") &&
			!strings.Contains(err.Error(), "wall time of 5s") ||
			!strings.Contains(err.Error(), "a built-in did not stop") {
			t.Errorf("got %v", err)
		}
	})
	close(free)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.wedged) != 0 {
		t.Error("Wedged was called with a generation that was never returned")
	}
}

func TestVMIsAbandonedIfAPanicKeepsTheTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usualLimits)
	g := w.guard("a.fake", returns(nil))
	g.Registry.Handlers[0].Fn = badFunc{w.rt.vms[0]}
	if r := w.dispatch("look"); r.Trail[0].Error == nil {
		t.Error("a panic was not a failure")
	}
	eventually(t, "the VM is given up",
		func() bool { w.mu.Lock(); defer w.mu.Unlock(); return len(w.wedged) == 1 })
}

// badFunc panics while it holds the turn, which runtimes must not do.
type badFunc struct{ vm *fakeVM }

func (badFunc) IsFunction() {}

func (f badFunc) Call(run *engine.Run, _ ...any) (any, error) {
	if err := f.vm.turn.Enter(&run.Run); err != nil {
		return nil, err
	}
	panic("boom")
}
