// This file lets time pass while a test waits and nothing else happens.

package trial

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine"
)

const (
	// pause is the interval of the checks whether something has happened.
	pause = time.Millisecond
	// pauseMost is the most time that one check counts for: if the machine was stopped for longer,
	// nothing could happen meanwhile.
	pauseMost = 20 * pause
	// stillness is how long nothing must happen before time passes by itself: internal hand-offs
	// take less, also on a busy machine. A test waits for it only if it waits for setTimeout.
	stillness = 300 * time.Millisecond
	// mostPassing is how much time passes by itself in one test: a test does not wait for a
	// repeating timer.
	mostPassing = time.Hour
	// mostSteps is how often time passes by itself in one test.
	mostSteps = 20
	// patience is how long nothing at all may happen.
	patience = 2 * time.Second
)

// errWaits is the error of a test that waits for something that does not happen.
var errWaits = errors.New(
	"the test waits for something that does not come: a key in a panel (t.key), or a promise " +
		"that is never settled")

// counted wraps f so that its running calls are counted.
func counted(calls *atomic.Int64, f engine.HostFunc) engine.HostFunc {
	return func(c *engine.HostCall) (any, error) {
		calls.Add(1)
		defer calls.Add(-1)
		return f(c)
	}
}

// during runs f. While nothing happens, it advances the time to the next timer, repeatedly, so that
// a test that waits with setTimeout continues. If f does not end, during returns errWaits without
// waiting for it.
func (w *world) during(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	var entries uint64
	looked, still, steps, passed := time.Now(), time.Duration(0), 0, time.Duration(0)
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
		}
		n, inside := w.gen.Pulse()
		n += w.beats.Load()
		still += min(time.Since(looked), pauseMost)
		looked = time.Now()
		switch {
		case inside || n != entries || w.calls.Load() > 0 || !w.table.Settled():
			entries, still = n, 0
		case still < stillness:
		case steps < mostSteps && passed < mostPassing && w.clock.waits():
			before := w.clock.Now()
			w.clock.stepClock(mostPassing)
			steps, passed, still = steps+1, passed+w.clock.Now().Sub(before), 0
		case still > patience:
			cancel(errWaits)
			return w.last(done)
		}
	}
}

// last returns the result of a function that was asked to end.
func (w *world) last(done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return errWaits
	}
}
