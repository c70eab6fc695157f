package vm

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
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

// spinBeside starts goroutines that use all processors, so many for each, and returns what ends
// them.
func spinBeside(each int) (end func()) {
	var over atomic.Bool
	var begun sync.WaitGroup
	for range each * runtime.GOMAXPROCS(0) {
		begun.Add(1)
		go func() {
			begun.Done()
			for !over.Load() {
			}
		}()
	}
	begun.Wait()
	return func() { over.Store(true) }
}

// TestStarvedHolderIsNotAbandoned: a stopped holder that waits for a processor among goroutines
// that use them all is not abandoned before it has had one for long enough. It is not parallel: it
// uses all processors itself.
func TestStarvedHolderIsNotAbandoned(t *testing.T) {
	defer spinBeside(12)()
	w := NewWatchdog(nil, nil)
	defer w.Close()
	turn := w.NewTurn(func(error) {}, func() {}, nil)
	var r Run
	r.Init(context.Background(), nil, KindGuard, "guard", Limits{})
	if err := turn.Enter(&r); err != nil {
		t.Fatal(err)
	}
	turn.stopRun(&r, time.Now(), ErrClosed)
	for range wedgeAfter / crowdSlice / 3 { // it needs a processor so often to stop
		runtime.Gosched()
	}
	if err := turn.Leave(&r); err != ErrClosed {
		t.Errorf("got %v", err)
	}
	if turn.Dead() != nil {
		t.Error("it was abandoned")
	}
}

// TestWaitAmongOthers: who waits for a goroutine that needs a processor several times does not give
// up before that goroutine has had one as often as on an idle machine, and gives up then. It is not
// parallel: it uses all processors itself.
func TestWaitAmongOthers(t *testing.T) {
	defer spinBeside(12)()
	w := NewWatchdog(nil, nil)
	defer w.Close()
	turn := w.NewTurn(func(error) {}, func() {}, nil)
	const limit = 250 * time.Millisecond
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range limit / crowdSlice / 3 {
			runtime.Gosched()
		}
	}()
	if !turn.WaitFor(context.Background(), done, limit) {
		t.Error("it gave up too early")
	}
	if turn.WaitFor(context.Background(), nil, limit/5) {
		t.Error("what is never done was done")
	}
}

// TestCrowdedHolder: time in which other goroutines of the process have the processors is not
// script time, and a script that never ends is stopped among them too. It is not parallel: it uses
// all processors itself.
func TestCrowdedHolder(t *testing.T) {
	defer spinBeside(4)()
	w := NewWatchdog(nil, nil)
	defer w.Close()
	for name, c := range map[string]struct {
		rounds  int  // how often it gets a processor
		spins   bool // and uses it
		stopped bool
	}{"waits": {rounds: 8}, "spins": {rounds: 1000, spins: true, stopped: true}} {
		t.Run(name, func(t *testing.T) {
			var told atomic.Bool
			turn := w.NewTurn(func(error) { told.Store(true) }, func() {}, nil)
			var r Run
			r.Init(context.Background(), nil, KindGuard, "guard",
				Limits{Script: 250 * time.Millisecond})
			if err := turn.Enter(&r); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			for i := 0; i < c.rounds && !told.Load(); i++ {
				for end := time.Now().Add(crowdSlice); c.spins && time.Now().Before(end); {
				}
				runtime.Gosched()
			}
			took := time.Since(began)
			if err := turn.Leave(&r); (err != nil) != c.stopped || told.Load() != c.stopped {
				t.Errorf("got %v after %v, told to stop: %v", err, took, told.Load())
			}
		})
	}
}

// TestDelayOfAWaiterCounts: a waiter whose goroutine runs late, because the process was stalled,
// has waited meanwhile. Only the stall itself is given back.
func TestDelayOfAWaiterCounts(t *testing.T) {
	t.Parallel()
	const limit, stall = 200 * time.Millisecond, time.Second
	turn := &Turn{stalled: time.Hour} // before it began to wait
	w := &waiter{since: time.Now(), stalled: turn.stalled}
	turn.stalled += stall
	for late, want := range map[time.Duration]time.Duration{
		limit:         stall,           // its timer fires while the process is stalled
		limit + stall: 0,               // it fires late by all of the stall
		stall:         limit,           // the rest of the time
		stall / 2:     limit + stall/2, // the credit is known before the stall is over
	} {
		if got := turn.left(w, limit, w.since.Add(late)); got != want {
			t.Errorf("after %v: %v are left, want %v", late, got, want)
		}
	}
}

// TestWhyAbandoned: the error of an abandoned run names the limit for which it was stopped.
func TestWhyAbandoned(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"stopped: used up its memory (more than 128 MB; a built-in did not stop; the script is " +
			"being replaced)": &LimitError{What: "memory", Note: "more than 128 MB"},
		"stopped: used up its script time of 250ms (a built-in did not stop; the script is being " +
			"replaced)": &LimitError{What: "script time", Limit: 250 * time.Millisecond},
		ErrClosed.Error() + " (a built-in did not stop; the script is being replaced)": ErrClosed,
	} {
		w := &Watchdog{wakeup: make(chan struct{}, 1), turns: map[*Turn]*uint64{},
			meters: Meters{CPU: func() time.Duration { return 0 }}}
		turn := w.NewTurn(func(error) {}, func() {}, nil)
		var r Run
		r.Init(context.Background(), nil, KindGuard, "guard",
			Limits{Script: 250 * time.Millisecond})
		on := NewStrand()
		on.Enter(&r)
		if err := turn.Enter(&r); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		turn.stopRun(&r, now, err)
		for turn.Dead() == nil {
			now = now.Add(time.Second)
			turn.checkTurn(now, 0, new(uint64))
		}
		got := <-on.Lost()
		if got.Error() != want || !errors.Is(got, err) && !errors.As(got, new(*LimitError)) {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}
