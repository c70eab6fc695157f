// This file tests the turn lock and the watchdog.

package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/vm"
)

// run runs fn as a run of the given kind in g.
func run(ctx context.Context, g *engine.Generation, vm *fakeVM, kind vm.Kind,
	fn fakeFn) error {
	_, err := g.Run(engine.NewRun(ctx, g, kind, string(kind), &event.Envelope{}, nil),
		&fakeFunc{vm, fn})
	return err
}

func TestGuardsGoFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.script("a.fake", func(*fakeLoad) {})
	machine := w.rt.vms[0]
	var j journal
	free, entered := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	queue := func(kind vm.Kind, name string) {
		wg.Add(1)
		queued := machine.turn.Queued()
		go func() {
			defer wg.Done()
			if err := run(context.Background(), g, machine, kind,
				func(*fakeCall) (any, error) { j.add(name); return nil, nil }); err != nil {
				t.Error(err)
			}
		}()
		eventually(t, "queued", func() bool { return machine.turn.Queued() > queued })
	}
	within(t, "all runs", func() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			run(context.Background(), g, machine, vm.KindTool,
				func(*fakeCall) (any, error) { close(entered); <-free; return nil, nil })
		}()
		<-entered
		queue(vm.KindTool, "tool")
		queue(vm.KindObserver, "observer")
		queue(vm.KindGuard, "guard 1")
		queue(vm.KindGuard, "guard 2")
		close(free)
		wg.Wait()
	})
	if got := strings.Join(j.all(), ", "); got != "guard 1, guard 2, tool, observer" {
		t.Errorf("the turn went to %s", got)
	}
}

func TestWaitingGuardShortensTheHolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.script("a.fake", func(l *fakeLoad) { l.on("guard", returns(nil)) })
	entered := make(chan struct{})
	var err error
	tool := start(func() {
		err = run(context.Background(), g, w.rt.vms[0], vm.KindTool,
			func(c *fakeCall) (any, error) { close(entered); return nil, c.spin() })
	})
	<-entered
	wantRun(t, w, w.dispatch("look"), 1)
	within(t, "tool", tool)
	if err == nil || !strings.Contains(err.Error(),
		"script time of 250ms (a guard of the same script waited for it)") {
		t.Errorf("the tool ended with %v", err)
	}
}

func TestQueuedRunCanBeCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.script("a.fake", func(*fakeLoad) {})
	free, entered := make(chan struct{}), make(chan struct{})
	holder := start(func() {
		run(context.Background(), g, w.rt.vms[0], vm.KindTool,
			func(*fakeCall) (any, error) { close(entered); <-free; return nil, nil })
	})
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	within(t, "queued run", func() {
		if err := run(ctx, g, w.rt.vms[0], vm.KindTool, returns(nil)); !errors.Is(err,
			context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	close(free)
	within(t, "holder", holder)
}

// TestStrandsOfARunStopTogether has one strand of a run wait, and another one loop in the VM, when
// the run is cancelled.
func TestStrandsOfARunStopTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.script("a.fake", func(*fakeLoad) {})
	machine := w.rt.vms[0]
	ctx, cancel := context.WithCancel(context.Background())
	waiting, looping := make(chan struct{}), make(chan struct{})
	within(t, "run", func() {
		err := run(ctx, g, machine, vm.KindTool, func(c *fakeCall) (any, error) { // as ext.all does
			var wg sync.WaitGroup
			start := func(f fakeFn) { wg.Go(func() { (&fakeFunc{machine, f}).Call(c.run) }) }
			return nil, machine.turn.Wait(&c.run.Run, func() {
				start(func(c *fakeCall) (any, error) {
					return nil, c.vm.turn.Wait(&c.run.Run, func() {
						close(waiting)
						<-looping
						cancel()
					})
				})
				<-waiting // while the other one loops, this one cannot begin
				start(func(c *fakeCall) (any, error) { close(looping); return nil, c.spin() })
				wg.Wait()
			})
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	if err := run(context.Background(), g, machine, vm.KindTool, returns(nil)); err != nil {
		t.Errorf("the VM is not well afterwards: %v", err)
	}
}

// TestWatchdogWakesUp lets the watchdog park between runs that have to be stopped.
func TestWatchdogWakesUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.guard("a.fake", func(c *fakeCall) (any, error) { return nil, c.spin() })
	for range 2 {
		before := len(w.seen("script_error"))
		w.dispatch("look")
		if len(w.seen("script_error")) != before+1 {
			t.Fatal("the loop was not stopped")
		}
		// it parks after a second; sooner or later makes no difference
		time.Sleep(1200 * time.Millisecond)
	}
}

func TestLoopsAreStoppedAfterClose(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	w := newWorld(t)
	var failed error
	// a busy machine takes part of it
	for soon := 50 * time.Millisecond; soon < deadline/8; soon *= 2 {
		w.script("a.fake", func(l *fakeLoad) {
			// a person thinks for longer than the wall time
			l.on("guard", func(c *fakeCall) (any, error) {
				return nil, c.vm.turn.Wait(&c.run.Run,
					func() { c.run.OffClock(func() { time.Sleep(2 * soon) }) })
			}, func(h *engine.Handler) { h.Timeout = &soon })
		})
		r := w.dispatch("look")
		if r.Trail[0].Error == nil {
			return
		}
		failed = r.Trail[0].Error
	}
	t.Errorf("the user's time counted: %v", failed)
}

func TestEndedRunsContextIsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.script("a.fake", func(*fakeLoad) {})
	r := engine.NewRun(context.Background(), g, vm.KindGuard, "test", nil, nil)
	r.End()
	if r.Context().Err() == nil || !r.Ended() {
		t.Error("the context of an ended run lives")
	}
}

func TestTimeWithoutAProcessorIsNoScriptTime(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for _, tt := range []struct {
		name string
		cpu  func() time.Duration
		want string
	}{
		{"the process stands still", func() time.Duration { return time.Second }, ""},
		{"it works", func() time.Duration { return time.Since(began) }, "script time of 50ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dog := vm.NewWatchdogWith(quiet(tt.cpu), nil)
			defer dog.Close()
			stopped := make(chan error, 1)
			turn := dog.NewTurn(func(err error) { stopped <- err }, func() {},
				func() { t.Error("the VM was given up") })
			r := engine.NewRun(context.Background(), nil, vm.KindGuard, "guard",
				&event.Envelope{}, nil)
			r.Limits.Script = 50 * time.Millisecond
			if err := turn.Enter(&r.Run); err != nil {
				t.Fatal(err)
			}
			entered := time.Now()
			if tt.want == "" {
				time.Sleep(150 * time.Millisecond)
			} else { // sooner or later: a machine that stands still is no doing of the script, here neither
				within(t, "the stop", start(func() { stopped <- <-stopped }))
			}
			err := turn.Leave(&r.Run)
			if tt.want == "" && time.Since(entered) > time.Second {
				t.Skip("this machine stands still itself, for longer than is forgiven")
			}
			if tt.want == "" && (err != nil || len(stopped) > 0) {
				t.Errorf("it was stopped: %v", err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// What uses no processor for long is stuck, and stopped all the same.
func TestStuckWithoutAProcessorIsStopped(t *testing.T) {
	t.Parallel()
	dog := vm.NewWatchdogWith(quiet(func() time.Duration { return time.Second }), nil)
	defer dog.Close()
	stopped := make(chan error, 1)
	turn := dog.NewTurn(func(err error) { stopped <- err }, func() {}, func() {})
	r := engine.NewRun(context.Background(), nil, vm.KindGuard, "guard", &event.Envelope{},
		nil)
	r.Limits.Script = 50 * time.Millisecond
	if err := turn.Enter(&r.Run); err != nil {
		t.Fatal(err)
	}
	within(t, "the stop", start(func() { <-stopped }))
	if err := turn.Leave(&r.Run); err == nil {
		t.Error("it is as if nothing had been")
	}
}

// What a disk takes that stands still is no doing of the script; a loop of waits for one ends all
// the same.
func TestWaitsForADiskCountLittle(t *testing.T) {
	t.Parallel()
	began := time.Now()
	// others of the process are at work
	dog := vm.NewWatchdogWith(quiet(func() time.Duration { return time.Since(began) }), nil)
	defer dog.Close()
	turn := dog.NewTurn(func(error) {}, func() {}, func() { t.Error("the VM was given up") })
	r := engine.NewRun(context.Background(), nil, vm.KindGuard, "guard", &event.Envelope{},
		nil)
	r.Limits.Script = 150 * time.Millisecond
	wait := func(d time.Duration) error {
		if err := turn.Enter(&r.Run); err != nil {
			return err
		}
		turn.Aside(func() { time.Sleep(d) })
		return turn.Leave(&r.Run)
	}
	for range 4 { // two seconds
		if err := wait(500 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	within(t, "a loop of waits", func() {
		for wait(10*time.Millisecond) == nil {
		}
	})
}

// A guard that waits for its turn is not refused for time that the machine took from the holder.
func TestAGuardWaitsForAHolderWithoutAProcessor(t *testing.T) {
	t.Parallel()
	dog := vm.NewWatchdogWith(quiet(func() time.Duration { return time.Second }), nil)
	defer dog.Close()
	stopped := make(chan error, 1)
	turn := dog.NewTurn(func(err error) { stopped <- err }, func() {}, func() {})
	run := func(kind vm.Kind) *engine.Run {
		return engine.NewRun(context.Background(), nil, kind, string(kind), &event.Envelope{}, nil)
	}
	tool, guard := run(vm.KindTool), run(vm.KindGuard)
	if err := turn.Enter(&tool.Run); err != nil {
		t.Fatal(err)
	}
	left := start(func() { <-stopped; turn.Leave(&tool.Run) })
	within(t, "the guard's turn", func() {
		if err := turn.Enter(&guard.Run); err != nil {
			t.Errorf("the guard was refused: %v", err)
			return
		}
		turn.Leave(&guard.Run)
	})
	within(t, "the tool's end", left)
}

// quiet are meters of a process whose heap does not grow: other tests allocate beside this one.
func quiet(cpu func() time.Duration) vm.Meters {
	return vm.Meters{CPU: cpu, Heap: func() uint64 { return 1 }}
}
