// This file tests that a script gets events in order, by handlers of different kinds.

package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/vm"
)

// recordTo returns a script that records events in j: deltas, which it observes, and calls, which
// it guards.
func recordTo(j *journal, observe fakeFn, set ...func(h *engine.Handler)) func(l *fakeLoad) {
	return func(l *fakeLoad) {
		l.on("message_delta", func(c *fakeCall) (any, error) {
			j.add(c.ev.Text("delta"))
			if observe == nil {
				return nil, nil
			}
			return observe(c)
		}, set...)
		l.on("guard", func(c *fakeCall) (any, error) { j.add("guard"); return nil, nil })
	}
}

func (w *world) deltas(n int) {
	for i := range n {
		w.Emitter.Emit(w.Events.Named("message_delta", nil, map[string]any{"delta": fmt.Sprint(i)}))
	}
}

// numbered returns "0 1 2 ... last".
func numbered(n int, last string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprint(&b, i, " ")
	}
	return b.String() + last
}

func TestObserversRunBeforeALaterGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	w.script("a.fake", recordTo(&j, nil))
	for range 100 {
		w.deltas(20)
		w.dispatch("look")
		if got := strings.Join(j.all(), " "); got != numbered(20, "guard") {
			t.Fatalf("the script got %s", got)
		}
		j.lines = nil
	}
}

func TestWaitingObserverDoesNotDelayGuards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	free := make(chan struct{})
	w.script("a.fake", recordTo(&j, func(c *fakeCall) (any, error) {
		if c.ev.Text("delta") != "0" {
			return nil, nil
		}
		err := c.wait(free)
		j.add("waited")
		return nil, err
	}))
	w.deltas(5)
	wantRun(t, w, w.dispatch("look"), 1)
	if got := strings.Join(j.all(), " "); got != numbered(5, "guard") {
		t.Errorf("the script got %s", got)
	}
	drained := make(chan struct{})
	go func() { w.Emitter.Drain(context.Background()); close(drained) }()
	select {
	case <-drained:
		t.Error("Drain did not wait for the observer that was overtaken")
	default:
	}
	close(free)
	within(t, "drain", func() { <-drained })
	if got := strings.Join(j.all(), " "); got != numbered(5, "guard waited") {
		t.Errorf("the script got %s", got)
	}
}

func TestObserversOfAnUnguardedScriptRunInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	free := make(chan struct{})
	w.script("a.fake", func(l *fakeLoad) {
		l.on("message_delta", func(c *fakeCall) (any,
			error) {
			j.add(c.ev.Text("delta"))
			return nil, c.wait(free)
		})
	})
	w.guard("other.fake", returns(nil))
	w.deltas(5)
	eventually(t, "heard", func() bool { return len(j.all()) > 0 })
	wantRun(t, w, w.dispatch("look"), 1)
	if got := strings.Join(j.all(), " "); got != "0" {
		t.Errorf("the script got %s", got)
	}
	close(free)
	drain(t, w)
}

func TestGuardAnswersDespiteSlowObservers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *engine.Options) { o.Patience = 0.2 })
	var j journal
	// the observers start their work when the guard is asked
	asked, once := make(chan struct{}), sync.Once{}
	w.script("first.fake", func(l *fakeLoad) {
		l.on("guard", func(*fakeCall) (any, error) {
			once.Do(func() { close(asked) })
			return nil, nil
		}, func(h *engine.Handler) { h.Priority = 1 })
	})
	w.script("a.fake", recordTo(&j, func(c *fakeCall) (any, error) {
		if err := c.wait(asked); err != nil {
			return nil, err
		}
		return nil, c.spin()
	}, func(h *engine.Handler) { // many of them wait for the turn, on a busy machine for long
		long := deadline
		h.Timeout = &long
	}))
	const deltas = 20 // each uses up its time limit, in total five times as long as the guard waits
	w.deltas(deltas)
	for n := range 2 {
		wantRun(t, w, w.dispatch("look"), n+1)
	}
	drain(t, w)
	late := 0
	for _, ev := range w.seen("notification") {
		if strings.Contains(ev.Text("message"), "too slow") {
			late++
		}
	}
	// on a busy machine a guard may exceed its own time limit: then the user is asked
	all, questions := j.all(), len(w.questions)
	if late != 1 || len(all)+questions != deltas+2 || questions > 1 {
		t.Errorf("got %d warnings that it is slow and %d questions; the script got %q", late,
			questions, all)
	}
}

func TestObserversGoFirstWhenAGuardWaitsForThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	g := w.script("a.fake", recordTo(&j, nil))
	machine := w.rt.vms[0]
	entered, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- run(context.Background(), g, machine, vm.KindTool,
			func(c *fakeCall) (any, error) { close(entered); return nil, c.spin() })
	}()
	<-entered
	w.deltas(5)
	eventually(t, "an observer waits for the turn",
		func() bool { return machine.turn.Queued() > 0 })
	wantRun(t, w, w.dispatch("look"), 1)
	if err := <-ended; err == nil || !strings.Contains(err.Error(),
		"a guard of the same script waited") {
		t.Errorf("the tool ended with %v", err)
	}
	if got := strings.Join(j.all(), " "); got != numbered(5, "guard") {
		t.Errorf("the script got %s", got)
	}
}

func TestObserverCallsAToolThatItsScriptGuards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	w.script("a.fake", recordTo(&j, func(c *fakeCall) (any, error) {
		if c.ev.Text("delta") != "1" {
			return nil, nil
		}
		return nil, c.vm.turn.Wait(&c.run.Run, func() { w.dispatch("look") })
	}))
	w.deltas(5)
	drain(t, w)
	if got := strings.Join(j.all(), " "); got != "0 1 2 3 4 guard" {
		t.Errorf("the script got %s", got)
	}
}

func TestObserversAndTheStreamHaveOneOrder(t *testing.T) {
	t.Parallel()
	for name, redact := range map[string]bool{"plain": false, "masked": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var j journal
			w.script("a.fake", recordTo(&j, nil))
			if redact {
				w.script("r.fake", func(l *fakeLoad) { l.redact("secret", nil, "hush") })
			}
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					for n := range 200 {
						w.Emitter.Emit(w.Events.Named("message_delta", nil,
							map[string]any{"message_id": fmt.Sprint(i),
								"delta": fmt.Sprint(i, "-", n, "\n")}))
					}
				})
			}
			within(t, "emitting", wg.Wait)
			drain(t, w)
			var stream []string
			for _, ev := range w.seen("message_delta") {
				stream = append(stream, ev.Text("delta"))
			}
			if heard := j.all(); len(heard) != 1600 || sprint(heard) != sprint(stream) {
				t.Errorf("the observer got %d events, the stream has %d, in another order", len(
					heard),
					len(stream))
			}
		})
	}
}
