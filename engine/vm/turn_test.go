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
