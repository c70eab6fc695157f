// This file holds setTimeout and setInterval. A call of a timer's function is a run of its own. It
// may start after the handler that set the timer has ended. Timers end with their script.

package js

import (
	"context"
	"sync"
	"time"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// mostTimers is how many timers a script may have. A script with more has a bug.
	mostTimers = 1000
	// leastInterval is the shortest interval. A shorter one would leave no time for anything else.
	leastInterval = 10 * time.Millisecond
	// longestTimer is the longest delay, as in browsers: 2^31-1 ms.
	longestTimer = (1<<31 - 1) * time.Millisecond
)

// timers are the timers of one VM. Any goroutine may call close.
type timers struct {
	mu   sync.Mutex
	last int64
	set  map[int64]*timer
	over bool
}

type timer struct {
	clock vm.Timer
	fn    goja.Callable
	args  []goja.Value
	env   *event.Envelope
	line  int           // line of the call that set it
	again time.Duration // 0 = once
}

// setTimers sets the globals.
func (v *VM) setTimers() {
	for name, again := range map[string]bool{"setTimeout": false, "setInterval": true} {
		v.realm.global(name, v.realm.native(name,
			func(call goja.FunctionCall) goja.Value { return v.setTimer(name, again, call) }))
	}
	for _, name := range []string{"clearTimeout", "clearInterval"} {
		v.realm.global(name, v.realm.native(name, func(call goja.FunctionCall) goja.Value {
			v.timers.takeTimer(call.Argument(0).ToInteger())
			return nil
		}))
	}
}

func (v *VM) setTimer(name string, again bool, call goja.FunctionCall) goja.Value {
	fn, ok := goja.AssertFunction(call.Argument(0))
	if !ok {
		panic(v.rt.NewTypeError("%s: got %s, want a function", name, call.Argument(0)))
	}
	wait := time.Duration(0)
	if ms := call.Argument(1).ToFloat(); ms > 0 { // false for NaN
		wait = longestTimer
		if ms < float64(longestTimer/time.Millisecond) {
			wait = time.Duration(ms * float64(time.Millisecond))
		}
	}
	t := &timer{fn: fn, env: v.current.run.Env, line: v.failures.position().Line}
	if len(call.Arguments) > 2 {
		t.args = append(t.args, call.Arguments[2:]...)
	}
	if again {
		wait = max(wait, leastInterval)
		t.again = wait
	}
	id := v.timers.addTimer(t)
	if id == 0 {
		v.realm.throwRange(name + ": too many timers")
	}
	v.timers.startTimer(v.bind.Gen.Engine().Clock(), t, wait, func() { v.fire(id, name) })
	return v.rt.ToValue(id)
}

// addTimer adds a timer and returns its ID, 0 if there are too many.
func (ts *timers) addTimer(t *timer) int64 {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.over || len(ts.set) >= mostTimers {
		return 0
	}
	if ts.set == nil {
		ts.set = map[int64]*timer{}
	}
	ts.last++
	ts.set[ts.last] = t
	return ts.last
}

func (ts *timers) startTimer(clock vm.Clock, t *timer, wait time.Duration, fire func()) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.clock = clock.AfterFunc(wait, fire)
}

// getTimer returns a timer, nil if it has ended.
func (ts *timers) getTimer(id int64) *timer {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.set[id]
}

// takeTimer removes and stops a timer.
func (ts *timers) takeTimer(id int64) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.set[id]; t != nil {
		if t.clock != nil {
			t.clock.Stop()
		}
		delete(ts.set, id)
	}
}

// nextTick restarts the clock of an interval that has not been removed.
func (ts *timers) nextTick(id int64) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.set[id]; t != nil && t.clock != nil {
		t.clock.Reset(t.again)
	}
}

func (ts *timers) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.over = true
	for _, t := range ts.set {
		if t.clock != nil {
			t.clock.Stop()
		}
	}
	ts.set = nil
}

// fire calls a timer's function, on a goroutine of the clock. Calls of one timer never overlap.
func (v *VM) fire(id int64, name string) {
	t := v.timers.getTimer(id)
	if t == nil {
		return
	}
	g := v.bind.Gen
	_, err := g.Run(engine.NewRun(context.Background(), g, vm.KindCommand, name, t.env, nil),
		&timerFunc{v, id})
	if err != nil && !v.closed.Load() {
		g.Failed(err, name, t.line)
	}
	if t.again > 0 {
		v.timers.nextTick(id)
	}
}

// timerFunc is a timer's function. It implements engine.Func.
type timerFunc struct {
	v  *VM
	id int64
}

// IsFunction implements engine.Func.
func (*timerFunc) IsFunction() {}

// Call implements engine.Func. It does not call a timer that was removed while Call waited for the
// turn.
func (f *timerFunc) Call(run *engine.Run, _ ...any) (any, error) {
	return f.v.perform(&activation{run: run, silent: true}, func() (goja.Value, error) {
		t := f.v.timers.getTimer(f.id)
		if t == nil {
			return nil, nil
		}
		if t.again == 0 {
			f.v.timers.takeTimer(f.id)
		}
		return t.fn(goja.Undefined(), t.args...)
	})
}
