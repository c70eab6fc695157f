package vm

import (
	"context"
	"testing"
	"time"
)

// TestLeavesBeforeTheWatchdog: after a stall of the process, the holder may get a processor before
// the watchdog does. The stall is not charged to it; time in which the watchdog ran is.
func TestLeavesBeforeTheWatchdog(t *testing.T) {
	t.Parallel()
	const took = 10 * time.Second
	for name, c := range map[string]struct {
		scanned time.Duration // before the holder leaves
		stopped bool
	}{"stalled": {took, false}, "at work": {0, true}} {
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

// TestIsNotDeaf: a holder that was told to stop and gets no processor among the goroutines of the
// process is not abandoned before the watchdog, which waits as it does, has looked often enough.
func TestIsNotDeaf(t *testing.T) {
	t.Parallel()
	var cpu time.Duration // other goroutines use it
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
		t.Errorf("abandoned after %d looks", looks)
	}
}
