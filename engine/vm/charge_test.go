package vm

import (
	"context"
	"testing"
	"time"
)

// TestChargeWaitsForALook: after much memory was taken, the watchdog looks at the heap before more
// is.
func TestChargeWaitsForALook(t *testing.T) {
	t.Parallel()
	w := NewWatchdogWith(Meters{CPU: processCPU, Heap: func() uint64 { return 0 }}, nil)
	defer w.Close()
	turn := w.NewTurn(func(error) {}, func() {}, nil)
	var r Run
	r.Init(context.Background(), nil, KindTool, "tool", Limits{Wall: time.Minute})
	if err := turn.Enter(&r); err != nil {
		t.Fatal(err)
	}
	defer turn.Leave(&r)
	c := turn.NewCharge()
	for _, bytes := range []int{1 << 10, chargeLarge} {
		before, taken := w.scans.Load(), 0
		looks := 0
		for ; looks < 3; taken += bytes {
			if c.Take(bytes) {
				looks++
			}
		}
		if least := 3 * chargeMost; taken < least || taken > least+4*chargeLarge {
			t.Errorf("%d bytes each: 3 looks after %d bytes", bytes, taken)
		}
		// the first one may be due to looks before
		if looked := w.scans.Load() - before; looked < 4 {
			t.Errorf("%d bytes each: the watchdog has looked %d times", bytes, looked)
		}
	}
}
