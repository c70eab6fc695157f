// This file tests the life cycle of generations: they are pinned while they are used, closed once
// after the last use, and leave nothing behind.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/vm"
)

// closes returns how often the n-th VM has been closed.
func (w *world) closes(n int) int32 {
	w.rt.mu.Lock()
	defer w.rt.mu.Unlock()
	return w.rt.vms[n].closes.Load()
}

func TestGenerationClosesAfterItsLastUse(t *testing.T) {
	t.Parallel()
	uses := map[string]func(w *world, g *engine.Generation, hold fakeFn) (wait func()){
		"guard": func(w *world, _ *engine.Generation, _ fakeFn) func() {
			return start(func() { w.Dispatch(context.Background(), &engine.Call{Tool: "look"}) })
		},
		"command": func(w *world, _ *engine.Generation, _ fakeFn) func() {
			return start(func() {
				w.Commands.Run(context.Background(), &event.Envelope{}, "hold",
					"")
			})
		},
		"tool": func(w *world, _ *engine.Generation, _ fakeFn) func() {
			return start(func() {
				w.Dispatch(context.Background(), &engine.Call{Tool: "hold",
					Env: &event.Envelope{Permission: event.PermissionYolo}})
			})
		},
		"observer": func(w *world, _ *engine.Generation, _ fakeFn) func() {
			return start(func() {
				w.Emitter.Emit(w.Events.Named("agent_start", nil, nil))
				w.Emitter.Drain(context.Background())
			})
		},
	}
	for name, use := range uses {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, silent)
			entered, free := make(chan struct{}), make(chan struct{})
			// it holds the turn, so the reload does not cancel it
			hold := func(*fakeCall) (any, error) {
				close(entered)
				<-free
				return nil, nil
			}
			w.script("neighbour.fake", func(*fakeLoad) {})
			g := w.script("a.fake", func(l *fakeLoad) {
				switch fn := (&fakeFunc{l.vm, hold}); name {
				case "guard":
					l.on("guard", hold)
				case "observer":
					l.on("agent_start", hold)
				case "command":
					l.gen.Registry.AddCommand(&engine.Command{Name: "hold", Run: fn})
				case "tool":
					l.gen.Registry.AddTool(&engine.Tool{Name: "hold",
						Run: func(ctx context.Context, use *engine.Use) (*engine.Result, error) {
							return l.gen.RunTool(ctx, use, "hold", fn, nil)
						}})
				}
			})
			wait := use(w, g, hold)
			<-entered
			w.remove("a.fake")
			w.remove("neighbour.fake")
			if w.closes(1) != 0 {
				t.Error("closed while in use")
			}
			if name == "command" && w.closes(0) != 1 {
				t.Error("a command keeps generations of other scripts open")
			}
			close(free)
			within(t, "use", wait)
			eventually(t, "closed", func() bool { return w.closes(0) == 1 && w.closes(1) == 1 })
			w.Close()
			if w.closes(0) != 1 || w.closes(1) != 1 {
				t.Error("closed twice")
			}
		})
	}
}

// start runs f on a goroutine and returns a function that waits for it.
func start(f func()) (wait func()) {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	return func() { <-done }
}

func TestDiscardAndFailedLoadsClose(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, err := w.load("a.fake", func(*fakeLoad) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Run(engine.NewRun(context.Background(), g, vm.KindCommand, "test", nil, nil),
		&fakeFunc{w.rt.vms[0], returns(nil)}); err != nil {
		t.Errorf("a loaded generation cannot be run before it is in force: %v", err)
	}
	w.Scripts.Discard(g)
	w.Scripts.Discard(g)
	if w.closes(0) != 1 {
		t.Errorf("closed %d times, want once", w.closes(0))
	}
	if _, err := g.Run(engine.NewRun(context.Background(), g, vm.KindCommand, "test", nil, nil),
		nil); !errors.Is(err, vm.ErrClosed) {
		t.Errorf("run of a closed generation: %v", err)
	}
	_, err = w.load("b.fake", func(*fakeLoad) error { panic("boom") })
	var se *fault.ScriptError
	if !errors.As(err, &se) || se.Script != "b.fake" || !strings.Contains(se.Message, "boom") {
		t.Errorf("a top level that panics: %v", err)
	}
}

func TestRegistrationAfterTheLoadIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.script("a.fake", func(*fakeLoad) {})
	for _, err := range []error{g.Registry.AddHandler(&engine.Handler{}), g.Registry.AddTool(
		&engine.Tool{}),
		g.Registry.AddCommand(&engine.Command{}), g.Registry.AddProvider(&engine.Provider{})} {
		if err == nil || !strings.Contains(err.Error(), "registration is over") {
			t.Errorf("got %v", err)
		}
	}
}

func TestCloseDuringCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entered := make(chan string, 3)
	w.script("a.fake", func(l *fakeLoad) {
		l.on("guard", waiting(entered, "guard"))
		l.gen.Registry.AddCommand(&engine.Command{Name: "hold",
			Run: &fakeFunc{l.vm, waiting(entered, "command")}})
		l.on("agent_start", waiting(entered, "observer"))
	})
	within(t, "close", func() {
		var r *engine.Result
		var err error
		wait := []func(){
			start(func() { r = w.Dispatch(context.Background(), &engine.Call{Tool: "look"}) }),
			start(func() {
				_, err = w.Commands.Run(context.Background(), &event.Envelope{}, "hold",
					"")
			}),
			start(func() { w.Emitter.Emit(w.Events.Named("agent_start", nil, nil)) }),
		}
		for range wait {
			<-entered
		}
		w.Close()
		for _, f := range wait {
			f()
		}
		wantRun(t, w, r, 0)
		if !errors.Is(err, vm.ErrClosed) || r.Skipped != "aborted" {
			t.Errorf("command: %v; call skipped %q", err, r.Skipped)
		}
	})
	eventually(t, "closed", func() bool { return w.closes(0) == 1 })
	// Calls and loads after the close fail.
	wantRun(t, w, w.dispatch("look"), 0)
	if _, err := w.load("b.fake", func(*fakeLoad) error { return nil }); err == nil {
		t.Error("a script was loaded after the close")
	}
	w.swap() // a loader that does not know of the close
	if n := len(w.Scripts.Snapshot().Generations); n != 0 {
		t.Errorf("%d generations after the close", n)
	}
}

func TestLoadedWhileTheEngineCloses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, err := w.load("a.fake", func(*fakeLoad) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	w.Scripts.Swap([]*engine.Generation{g}, nil)
	if w.closes(0) != 1 {
		t.Error("the generation was not closed")
	}
}

// TestNothingIsLeft loads, swaps, calls, fails and closes a thousand times.
func TestNothingIsLeft(t *testing.T) { // not parallel: it checks all goroutines
	w := newWorld(t)
	within(t, "1,000 rounds", func() {
		for i := range 1000 {
			w.script("a.fake", func(l *fakeLoad) {
				l.on("guard", func(c *fakeCall) (any, error) {
					return nil,
						c.wait(c.run.Context().Done())
				}, func(h *engine.Handler) {
					soon := time.Nanosecond
					h.Timeout = &soon
				})
				l.on("tool_end", returns(nil))
				l.on("notification", returns(nil))
			})
			w.load("b.fake", nil)
			w.dispatch("look")
			if i%10 == 0 {
				other := newWorld(t)
				other.script("a.fake", func(l *fakeLoad) { l.on("guard", returns(nil)) })
				other.dispatch("look")
				other.Close()
			}
		}
	})
	w.Close()
	eventually(t, "all VMs closed", func() bool { return w.rt.unclosed() == 0 })
	nothingRuns(t)
}

func TestSwapsDuringCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	top := func(l *fakeLoad) {
		l.on("guard", returns(nil))
		l.on("tool_end", returns(nil))
		l.on("hook_finished", returns(nil))
		l.gen.Registry.AddCommand(&engine.Command{Name: "c", Run: &fakeFunc{l.vm, returns(nil)}})
	}
	w.script("a.fake", top)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				w.Dispatch(context.Background(), &engine.Call{ID: fmt.Sprint(i), Tool: "look"})
				w.Commands.Run(context.Background(), &event.Envelope{}, "c", "")
				w.Intercept(context.Background(), w.Events.Named("input", nil, nil))
			}
		}()
	}
	within(t, "300 swaps", func() {
		for range 300 {
			w.script("a.fake", top)
		}
		close(stop)
		wg.Wait()
		w.Emitter.Drain(context.Background())
	})
	w.Close()
	eventually(t, "all VMs closed", func() bool { return w.rt.unclosed() == 0 })
}
