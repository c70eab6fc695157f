// This file lets time pass where nothing else would go on.

package trial

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine"
)

const (
	// pause is how often it is looked whether something has happened.
	pause = time.Millisecond
	// pauseMost is how much one look counts for: on a machine that stood still for longer, nothing
	// could happen meanwhile.
	pauseMost = 20 * pause
	// stillness is how long nothing happens before time passes by itself: what goes from hand to
	// hand takes less, on a busy machine too. A test waits for it only where it waits for
	// setTimeout.
	stillness = 300 * time.Millisecond
	// mostPassing is how much time passes by itself in one test: a timer that comes again and again
	// is not what a test waits for.
	mostPassing = time.Hour
	// mostSteps is how often it does.
	mostSteps = 20
	// patience is how long nothing at all may happen.
	patience = 2 * time.Second
)

// errWaits is why a test ends that waits for what does not come.
var errWaits = errors.New(
	"the test waits for something that does not come: a key in a panel (t.key), or a promise " +
		"that nobody settles")

// counted is f, its calls counted while they are under way.
func counted(calls *atomic.Int64, f engine.HostFunc) engine.HostFunc {
	return func(c *engine.HostCall) (any, error) {
		calls.Add(1)
		defer calls.Add(-1)
		return f(c)
	}
}

// during runs f. While nothing happens, time passes: up to what is due next, again and again. So
// who waits with setTimeout need not be told when it is over. What does not come to an end is left
// behind, with errWaits.
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

// last is what a function comes to that was told to end.
func (w *world) last(done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return errWaits
	}
}
