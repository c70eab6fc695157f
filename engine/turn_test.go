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

func TestWaitingGuardShortensTheTimeOfTheHolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usualLimits)
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

// TestStrandsOfARunStopTogether cancels a run while one of its strands waits and another one loops
// in the VM.
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
				<-waiting // it could not enter the VM while the other strand loops
				start(func(c *fakeCall) (any, error) { close(looping); return nil, c.spin() })
				wg.Wait()
			})
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	if err := run(context.Background(), g, machine, vm.KindTool, returns(nil)); err != nil {
		t.Errorf("a later run in the VM fails: %v", err)
	}
}

// TestWatchdogWakesUp lets the watchdog park between runs that have to be stopped.
func TestWatchdogWakesUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usualLimits)
	w.guard("a.fake", func(c *fakeCall) (any, error) { return nil, c.spin() })
	for range 2 {
		before := len(w.seen("script_error"))
		w.dispatch("look")
		if len(w.seen("script_error")) != before+1 {
			t.Fatal("the loop was not stopped")
		}
		// the watchdog parks after a second; the exact time does not matter
		time.Sleep(1200 * time.Millisecond)
	}
}

func TestLoopsAreStoppedAfterClose(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usualLimits)
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
	// a busy machine may use up a short wall time
	for soon := 50 * time.Millisecond; soon < deadline/8; soon *= 2 {
		w.script("a.fake", func(l *fakeLoad) {
			// the user takes longer than the wall time to answer
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

func TestContextOfAnEndedRunIsDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.script("a.fake", func(*fakeLoad) {})
	r := engine.NewRun(context.Background(), g, vm.KindGuard, "test", nil, nil)
	r.End()
	if r.Context().Err() == nil || !r.Ended() {
		t.Error("the context of an ended run is not done")
	}
}

func TestTimeWithoutCPUIsNotScriptTime(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for _, tt := range []struct {
		name string
		cpu  func() time.Duration
		want string
	}{
		{"the process gets no CPU time", func() time.Duration { return time.Second }, ""},
		{"the process uses the CPU", func() time.Duration { return time.Since(began) },
			"script time of 50ms"},
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
			} else { // at any time before the deadline: the machine may be busy
				within(t, "the stop", start(func() { stopped <- <-stopped }))
			}
			err := turn.Leave(&r.Run)
			if tt.want == "" && time.Since(entered) > time.Second {
				t.Skip("the machine is too busy for this test")
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

// TestStuckRunWithoutCPUIsStopped: a run that uses no CPU time for long is stuck, and is stopped
// too.
func TestStuckRunWithoutCPUIsStopped(t *testing.T) {
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
		t.Error("Leave returned no error for a stopped run")
	}
}

// TestDiskWaitsCountLittle: time in which a script waits for a slow disk counts little as script
// time, but an infinite loop of such waits is stopped.
func TestDiskWaitsCountLittle(t *testing.T) {
	t.Parallel()
	began := time.Now()
	// other goroutines of the process use the CPU
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
	for range 4 { // two seconds in total
		if err := wait(500 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	within(t, "a loop of waits", func() {
		for wait(10*time.Millisecond) == nil {
		}
	})
}

// TestGuardWaitsForAHolderWithoutCPU: a guard that waits for its turn is not refused because the
// holder of the turn gets no CPU time.
func TestGuardWaitsForAHolderWithoutCPU(t *testing.T) {
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

// quiet returns meters of a process whose heap does not grow, because other tests allocate memory
// at the same time.
func quiet(cpu func() time.Duration) vm.Meters {
	return vm.Meters{CPU: cpu, Heap: func() uint64 { return 1 }}
}
