// This file tests the turn lock and the watchdog.
package engine_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
)

// run runs fn as a run of the given kind in g.
func run(ctx context.Context, g *engine.Generation, vm *fakeVM, kind engine.RunKind, fn fakeFn) error {
	_, err := g.Run(engine.NewRun(ctx, g, kind, string(kind), &engine.Envelope{}, nil), &fakeFunc{vm, fn})
	return err
}

func TestGuardsGoFirst(t *testing.T) {
	w := newWorld(t)
	g := w.script("a.fake", func(*fakeLoad) {})
	vm := w.rt.vms[0]
	var j journal
	free, entered := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	queue := func(kind engine.RunKind, name string) {
		wg.Add(1)
		queued := vm.turn.Queued()
		go func() {
			defer wg.Done()
			if err := run(context.Background(), g, vm, kind, func(*fakeCall) (any, error) { j.add(name); return nil, nil }); err != nil {
				t.Error(err)
			}
		}()
		eventually(t, "queued", func() bool { return vm.turn.Queued() > queued })
	}
	within(t, "all runs", func() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			run(context.Background(), g, vm, engine.KindTool, func(*fakeCall) (any, error) { close(entered); <-free; return nil, nil })
		}()
		<-entered
		queue(engine.KindTool, "tool")
		queue(engine.KindObserver, "observer")
		queue(engine.KindGuard, "guard 1")
		queue(engine.KindGuard, "guard 2")
		close(free)
		wg.Wait()
	})
	if got := strings.Join(j.all(), ", "); got != "guard 1, guard 2, tool, observer" {
		t.Errorf("the turn went to %s", got)
	}
}

func TestWaitingGuardShortensTheHolder(t *testing.T) {
	w := newWorld(t)
	g := w.script("a.fake", func(l *fakeLoad) { l.on("guard", returns(nil)) })
	entered := make(chan struct{})
	var err error
	tool := start(func() {
		err = run(context.Background(), g, w.rt.vms[0], engine.KindTool, func(c *fakeCall) (any, error) { close(entered); return nil, c.spin() })
	})
	<-entered
	wantRun(t, w, w.dispatch("look"), 1)
	within(t, "tool", tool)
	if err == nil || !strings.Contains(err.Error(), "script time of 250ms (a guard of the same script waited for it)") {
		t.Errorf("the tool ended with %v", err)
	}
}

func TestQueuedRunCanBeCancelled(t *testing.T) {
	w := newWorld(t)
	g := w.script("a.fake", func(*fakeLoad) {})
	free, entered := make(chan struct{}), make(chan struct{})
	holder := start(func() {
		run(context.Background(), g, w.rt.vms[0], engine.KindTool, func(*fakeCall) (any, error) { close(entered); <-free; return nil, nil })
	})
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	within(t, "queued run", func() {
		if err := run(ctx, g, w.rt.vms[0], engine.KindTool, returns(nil)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	close(free)
	within(t, "holder", holder)
}

// TestStrandsOfARunStopTogether has one strand of a run wait, and another one loop in the VM, when the run
// is cancelled.
func TestStrandsOfARunStopTogether(t *testing.T) {
	w := newWorld(t)
	g := w.script("a.fake", func(*fakeLoad) {})
	vm := w.rt.vms[0]
	ctx, cancel := context.WithCancel(context.Background())
	looping := make(chan struct{})
	within(t, "run", func() {
		err := run(ctx, g, vm, engine.KindTool, func(c *fakeCall) (any, error) { // as ext.all does
			var wg sync.WaitGroup
			strands := []fakeFn{
				func(c *fakeCall) (any, error) { close(looping); return nil, c.spin() },
				func(c *fakeCall) (any, error) {
					return nil, c.vm.turn.Wait(c.run, func() { <-looping; cancel() })
				},
			}
			return nil, vm.turn.Wait(c.run, func() {
				for i := len(strands) - 1; i >= 0; i-- {
					wg.Add(1)
					go func() {
						defer wg.Done()
						(&fakeFunc{vm, strands[i]}).Call(c.run)
					}()
					runtime.Gosched()
				}
				wg.Wait()
			})
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	if err := run(context.Background(), g, vm, engine.KindTool, returns(nil)); err != nil {
		t.Errorf("the VM is not well afterwards: %v", err)
	}
}

// TestWatchdogWakesUp lets the watchdog park between runs that have to be stopped.
func TestWatchdogWakesUp(t *testing.T) {
	w := newWorld(t)
	w.guard("a.fake", func(c *fakeCall) (any, error) { return nil, c.spin() })
	for range 2 {
		before := len(w.seen("script_error"))
		w.dispatch("look")
		if len(w.seen("script_error")) != before+1 {
			t.Fatal("the loop was not stopped")
		}
		time.Sleep(1200 * time.Millisecond) // it parks after a second; sooner or later makes no difference
	}
}

func TestLoopsAreStoppedAfterClose(t *testing.T) {
	w := newWorld(t)
	entered := make(chan struct{})
	w.guard("a.fake", func(c *fakeCall) (any, error) { close(entered); return nil, c.spin() })
	call := start(func() { w.Dispatch(context.Background(), &engine.Call{Tool: "look"}) })
	<-entered
	w.Close()
	within(t, "call", call)
	eventually(t, "the loop ends", func() bool { return w.rt.vms[0].inside.Load() == 0 })
}

func TestOffClock(t *testing.T) {
	w := newWorld(t)
	soon := 50 * time.Millisecond
	w.script("a.fake", func(l *fakeLoad) {
		l.on("guard", func(c *fakeCall) (any, error) { // a person thinks for longer than the wall time
			return nil, c.vm.turn.Wait(c.run, func() { c.run.OffClock(func() { time.Sleep(2 * soon) }) })
		}, func(h *engine.Handler) { h.Timeout = &soon })
	})
	if r := w.dispatch("look"); r.Trail[0].Error != nil {
		t.Errorf("the user's time counted: %v", r.Trail[0].Error)
	}
}

func TestEndedRunsContextIsOver(t *testing.T) {
	w := newWorld(t)
	g := w.script("a.fake", func(*fakeLoad) {})
	r := engine.NewRun(context.Background(), g, engine.KindGuard, "test", nil, nil)
	r.End()
	if r.Context().Err() == nil || !r.Ended() {
		t.Error("the context of an ended run lives")
	}
}
