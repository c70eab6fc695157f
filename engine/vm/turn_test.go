package vm

import (
	"context"
	"testing"
	"time"
)

// TestLeavesBeforeTheWatchdog: after a stall of the process, the holder may run before the watchdog
// does. The stall does not count as its script time; time in which the watchdog ran does.
func TestLeavesBeforeTheWatchdog(t *testing.T) {
	t.Parallel()
	const took = 10 * time.Second
	for name, c := range map[string]struct {
		scanned time.Duration // before the holder leaves
		stopped bool
	}{"stalled": {took, false}, "running": {0, true}} {
		t.Run(name, func(t *testing.T) {
			w := &Watchdog{wakeup: make(chan struct{}, 1), turns: map[*Turn]*uint64{},
				meters: Meters{CPU: func() time.Duration { return 0 }}}
			turn := w.NewTurn(func(error) {}, func() {}, nil)
			var r Run
			r.Init(context.Background(), nil, KindGuard, "guard",
				Limits{Script: 250 * time.Millisecond})
			if err := turn.Enter(&r); err != nil {
				t.Fatal(err)
			}
			r.since, r.cut = r.since.Add(-took), r.cut.Add(-took)
			w.scannedAt(time.Now().Add(-c.scanned))
			if err := turn.Leave(&r); (err != nil) != c.stopped {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestStarvedHolderIsNotAbandoned: a stopped holder that gets no CPU time, because other goroutines
// use it, is not abandoned before the watchdog, which has to wait too, has checked often enough.
func TestStarvedHolderIsNotAbandoned(t *testing.T) {
	t.Parallel()
	var cpu time.Duration // used by other goroutines
	w := &Watchdog{wakeup: make(chan struct{}, 1), turns: map[*Turn]*uint64{},
		meters: Meters{CPU: func() time.Duration { return cpu }}}
	turn := w.NewTurn(func(error) {}, func() {}, nil)
	var r Run
	r.Init(context.Background(), nil, KindGuard, "guard", Limits{Script: 250 * time.Millisecond})
	if err := turn.Enter(&r); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	turn.stopRun(&r, now, ErrClosed)
	const every = 40 * time.Millisecond
	looks := 0
	for ; turn.Dead() == nil; looks++ {
		now, cpu = now.Add(every), cpu+2*every
		turn.checkTurn(now, 0, new(uint64))
	}
	if looks < wedgeLooks || looks > wedgeLooks+1 {
		t.Errorf("abandoned after %d checks", looks)
	}
}
