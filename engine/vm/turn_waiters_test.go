package vm

import (
	"testing"
	"time"
)

// TestWaiterOfAStarvedWatchdog checks that the time counts for a waiter that the watchdog will
// credit to the holder when it gets a processor.
func TestWaiterOfAStarvedWatchdog(t *testing.T) {
	now := time.Now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, test := range map[string]struct {
		scanned, entered, cut time.Time
		cpu                   time.Duration
		waits                 bool
	}{
		"late scan":    {ago(2 * time.Second), ago(2 * time.Second), time.Time{}, 0, true},
		"scan in time": {now, ago(2 * time.Second), time.Time{}, 0, false},
		"new holder":   {ago(2 * time.Second), now, time.Time{}, 0, false},
		"no processor": {now, ago(time.Second), ago(time.Millisecond), 0, true},
		"a processor":  {now, ago(time.Second), ago(time.Millisecond), time.Second, false},
	} {
		dog := &Watchdog{last: test.scanned, done: make(chan struct{}),
			meters: Meters{CPU: func() time.Duration { return test.cpu }}}
		turn := &Turn{dog: dog, holder: &Run{since: test.entered, cut: test.cut}}
		left := turn.left(&waiter{since: ago(time.Second)}, time.Second, now)
		if (left > 0) != test.waits {
			t.Errorf("%s: %v are left", name, left)
		}
	}
}
