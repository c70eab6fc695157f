// This file implements the clock of a world, which only moves when the test moves it.

package trial

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// begin is the time at which every test begins, in seconds since 1970: a constant, so that tests
// can contain expected times.
const begin = 1_000_000_000

// clock is a clock with timers. It implements vm.Clock.
type clock struct {
	mu     sync.Mutex
	at     time.Time
	timers []*timer // the active ones, in the order in which they were set
	firing int      // running functions
}

// timer is a function that is due at a time. It implements vm.Timer.
type timer struct {
	clock *clock
	at    time.Time
	fire  func()
}

func newClock() *clock { return &clock{at: time.Unix(begin, 0)} }

// Now implements vm.Clock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// AfterFunc implements vm.Clock.
func (c *clock) AfterFunc(d time.Duration, f func()) vm.Timer {
	t := &timer{clock: c, fire: f}
	t.Reset(d)
	return t
}

// Stop implements vm.Timer.
func (t *timer) Stop() bool {
	c := t.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropTimer(t)
}

// Reset implements vm.Timer. A function that is due at once runs without the time moving.
func (t *timer) Reset(d time.Duration) bool {
	c := t.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.dropTimer(t)
	if d > 0 {
		t.at = c.at.Add(d)
		c.timers = append(c.timers, t)
		return was
	}
	c.firing++
	go func() {
		defer c.fired()
		t.fire()
	}()
	return was
}

func (c *clock) fired() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.firing--
}

// dropTimer removes t; it reports whether t was active. Called under mu.
func (c *clock) dropTimer(t *timer) bool {
	n := len(c.timers)
	c.timers = slices.DeleteFunc(c.timers, func(x *timer) bool { return x == t })
	return len(c.timers) < n
}

// quiet reports whether no function is running or due now.
func (c *clock) quiet() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.firing == 0
}

// move advances the time by d: the functions that are due run in order, each at its time, and
// settle waits for their effects.
func (c *clock) move(ctx context.Context, d time.Duration, settle func(context.Context)) {
	end := c.Now().Add(d)
	for ctx.Err() == nil {
		t := c.nextTimer(end)
		if t == nil {
			break
		}
		t.fire()
		settle(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.Before(end) {
		c.at = end
	}
}

// waits reports whether a timer is active.
func (c *clock) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers) > 0
}

// stepClock advances the time to the next timer, by at most d, and runs its function.
func (c *clock) stepClock(d time.Duration) {
	end := c.Now().Add(d)
	if t := c.nextTimer(end); t != nil {
		go t.fire()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = end
}

// nextTimer removes the timer that is due first, up to end, and sets the clock to its time.
func (c *clock) nextTimer(end time.Time) *timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first *timer
	for _, t := range c.timers {
		if !t.at.After(end) && (first == nil || t.at.Before(first.at)) {
			first = t
		}
	}
	if first == nil {
		return nil
	}
	if c.at.Before(first.at) {
		c.at = first.at
	}
	c.dropTimer(first)
	return first
}

// sleep implements ext.sleep without waiting: the time advances, and functions that are due run.
func (c *clock) sleep(h *engine.HostCall) (any, error) {
	s, _ := value.Number(h.Args[0])
	if !(s >= 0 && s <= longest) {
		return nil, fmt.Errorf("ext.sleep: seconds: got %v, want 0 to %d", s, int(longest))
	}
	ctx := h.Context()
	c.move(ctx, seconds(s), func(context.Context) {})
	return nil, context.Cause(ctx)
}

// longest is how many seconds can pass at once: some thirty years.
const longest = 1e9

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
