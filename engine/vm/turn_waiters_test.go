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

// TestStopWhileAside checks that a VM is not touched while its holder waits aside, because the
// holder may be reading it, and is interrupted when the wait ends.
func TestStopWhileAside(t *testing.T) {
	dog := NewWatchdogWith(Meters{CPU: func() time.Duration { return 0 },
		Heap: func() uint64 { return 1 }}, nil)
	defer dog.Close()
	interrupts := 0
	turn := dog.NewTurn(func(error) { interrupts++ }, func() {}, func() {})
	run := &Run{}
	turn.holder = run
	turn.Aside(func() {
		turn.stopRun(run, time.Now(), ErrWedged)
		if interrupts > 0 {
			t.Error("it was interrupted while it waited aside")
		}
	})
	if interrupts != 1 {
		t.Errorf("it was interrupted %d times after the wait", interrupts)
	}
	turn.holder = nil
}
