// This file implements ext.every and ext.after: functions of a script that run at times.

package host

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// leastEvery is the shortest interval, in seconds: people do not notice faster changes.
	leastEvery = 0.1
	// maxTimers is how many timers of one script may run: more come from a loop that does not stop
	// them.
	maxTimers = 100
)

// timers implements ext.every and ext.after.
type timers struct{ running counter }

func (t *timers) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"every": t.starter("every", true, leastEvery),
		"after": t.starter("after", false, 0),
	}
}

// timer is one timer. Its function never runs concurrently with itself: the clock is set again when
// it has ended.
type timer struct {
	gen   *engine.Generation
	fn    engine.Func
	label string // "every", "after"
	line  int    // of the call that made it
	wait  time.Duration
	again bool
	free  func() // releases its place, once

	mu      sync.Mutex
	due     time.Time
	clock   vm.Timer // nil: not in force yet
	stopped bool
	failure string // the last one, while it persists: it is reported once
}

// starter returns ext.every or ext.after.
func (t *timers) starter(label string, again bool, least float64) engine.HostFunc {
	return func(c *engine.HostCall) (any, error) {
		seconds := number(c.Args[0])
		if !(seconds >= least && seconds <= maxSleep) {
			return nil, fmt.Errorf("ext.%s: seconds: got %v, want %v to %d", label, seconds, least,
				maxSleep)
		}
		if !t.running.addCount(c.Gen, 1, maxTimers) {
			return nil, fmt.Errorf(
				"ext.%s: the script already has %d timers: stop some with the functions that "+
					"ext.every and ext.after returned", label, maxTimers)
		}
		x := &timer{gen: c.Gen, fn: c.Args[1].(engine.Func), label: label, line: c.Pos.Line,
			wait: time.Duration(seconds * float64(time.Second)), again: again,
			free: sync.OnceFunc(func() { t.running.addCount(c.Gen, -1, maxTimers) })}
		c.Gen.Live(x.start)
		c.Gen.Gone(x.stop)
		return &engine.Builtin{Bare: true, Row: &engine.APIRow{Name: "stop"},
			Func: func(*engine.HostCall) (any, error) {
				x.stop()
				return nil, nil
			}}, nil
	}
}

// start sets the clock; the interval begins when the script comes into force.
func (x *timer) start() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.stopped {
		clock := x.gen.Engine().Clock()
		x.due = clock.Now().Add(x.wait)
		x.clock = clock.AfterFunc(x.wait, x.fire)
	}
}

// stop stops the timer; a running call continues.
func (x *timer) stop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stopped = true
	if x.clock != nil {
		x.clock.Stop()
	}
	x.free()
}

// fire calls the function and sets the clock for the next time. Intervals stay aligned with the
// first one; missed ones are skipped.
func (x *timer) fire() {
	x.mu.Lock()
	stopped := x.stopped
	x.mu.Unlock()
	if stopped {
		return
	}
	if !x.again {
		x.free() // its function may make the next one
	}
	run := engine.NewRun(context.Background(), x.gen, vm.KindCommand, x.label,
		x.gen.Engine().Events.Envelope(), nil)
	_, err := x.gen.Run(run, x.fn, x.gen.NewCall(run, func(text string) {
		x.gen.Engine().Notices.NotifyFrom(run, x.gen.Name, ui.Notice{Text: text, Level: "info"})
	}))
	x.tellFailure(err)
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.again || x.stopped {
		return
	}
	now := x.gen.Engine().Clock().Now()
	x.due = x.due.Add(x.wait)
	if late := now.Sub(x.due); late > 0 {
		x.due = x.due.Add(late.Truncate(x.wait) + x.wait)
	}
	x.clock.Reset(x.due.Sub(now))
}

// tellFailure reports a failure, unless it is the same as the previous one.
func (x *timer) tellFailure(err error) {
	text := ""
	if err != nil {
		text = plain.Error(err)
	}
	if text != "" && text != x.failure {
		x.gen.Failed(err, x.label, x.line)
	}
	x.failure = text
}

// counter counts the open objects of each script. Its zero value is ready.
type counter struct {
	mu   sync.Mutex
	open map[*engine.Generation]int
}

// addCount changes the count of g by n; it returns false, and changes nothing, if that would exceed
// most.
func (c *counter) addCount(g *engine.Generation, n, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[*engine.Generation]int{}
	}
	if n > 0 && c.open[g]+n > most {
		return false
	}
	if c.open[g] += n; c.open[g] == 0 {
		delete(c.open, g)
	}
	return true
}
