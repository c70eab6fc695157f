// This file holds the watchdog: one goroutine that stops runs whose time or memory is used up.

package vm

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// dogTick is the interval of looks at the turns: it limits how late a run is stopped. 5 ms cost
	// nothing measurable and keep the stop of a loop well under 20 ms.
	dogTick = 5 * time.Millisecond
	// dogPark is how long the watchdog continues after the last turn, before it goes idle.
	dogPark = time.Second
	// dogWeigh is how often it looks whether scripts keep too much. A guard that keeps 30 MB at
	// each call would keep gigabytes in half a second.
	dogWeigh = 4 * dogTick
	// dogLate is how late a tick may be before the delay counts as a stall of the process.
	dogLate = 50 * time.Millisecond
	// wedgeAfter is how long an interpreter may take to stop when interrupted. One that takes
	// longer is stuck in a built-in that cannot be interrupted.
	wedgeAfter = 250 * time.Millisecond
	// heapAllowance is how much the heap may grow while scripts run, before the longest-running one
	// is stopped.
	heapAllowance = 128 << 20
	// heapCertain is growth that stops a run without finding out how much of it is garbage: a
	// script that doubles a text would allocate the next 128 MB meanwhile.
	heapCertain = heapAllowance * 3 / 2
	// heapLarge is a heap size at which the collector permits growth by more than a part of the
	// allowance: whether further growth is garbage must be found out.
	heapLarge = heapAllowance / 2
	// heapSteep is growth between two ticks that only single large allocations cause: no loop fills
	// memory so fast. Such growth is stopped at the allowance, even if it is garbage, because the
	// next allocation may be twice as large.
	heapSteep = heapAllowance / 4
)

// Watchdog stops runs. There is one per engine.
type Watchdog struct {
	parked atomic.Bool
	wakeup chan struct{}
	meters Meters
	crowd  crowd
	seen   atomic.Int64 // CPU time at the last scan
	scans  atomic.Uint64
	done   chan struct{}
	once   sync.Once

	mu    sync.Mutex
	turns map[*Turn]*uint64
	last  time.Time // of the last scan, once it has looked at all turns
	base  uint64    // heap when the longest-running holder became that; 0 = idle
	held  *Run      // that holder
	at    uint64    // heap at which garbage is collected next for that holder
	heap  uint64    // at the last scan

	keeps keeps
	weigh func(live uint64) // nil: VMs are not weighed

	collecting atomic.Bool // garbage is being collected, concurrently with the ticks
}

// NewWatchdog starts a watchdog. Close ends it. heap measures the heap; nil = that of the process.
// weigh, if not nil, is called to weigh the VMs, on a goroutine of its own, with the size of the
// live heap of the whole process.
func NewWatchdog(heap func() uint64, weigh func(live uint64)) *Watchdog {
	if heap == nil {
		heap = HeapBytes
	}
	return NewWatchdogWith(Meters{processCPU, heap}, weigh)
}

// Meters measure what the whole process uses.
type Meters struct {
	CPU  func() time.Duration // processor time so far
	Heap func() uint64        // bytes of the heap now, with garbage
}

// NewWatchdogWith is like NewWatchdog with other meters.
func NewWatchdogWith(m Meters, weigh func(live uint64)) *Watchdog {
	w := &Watchdog{meters: m, weigh: weigh, wakeup: make(chan struct{}, 1),
		done:  make(chan struct{}),
		turns: map[*Turn]*uint64{}}
	w.parked.Store(true)
	go w.loop()
	return w
}

// Close ends the watchdog, as soon as no run is left that it might have to stop.
func (w *Watchdog) Close() { w.once.Do(func() { close(w.done) }) }

// NewTurn makes the turn lock of a VM; see Binding.NewTurn. onWedge is called, on a goroutine of
// its own, when the VM is abandoned.
func (w *Watchdog) NewTurn(interrupt func(error), clear func(), onWedge func()) *Turn {
	t := &Turn{dog: w, interrupt: interrupt, clear: clear, onWedge: onWedge}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turns[t] = new(uint64)
	return t
}

// removeTurn is called under t's lock; check takes the locks one after the other, so there is no
// cycle.
func (w *Watchdog) removeTurn(t *Turn) {
	go func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.turns, t)
	}()
}

// wake is on the path of every run: one atomic load when the watchdog is awake.
func (w *Watchdog) wake() {
	if w.parked.Load() {
		select {
		case w.wakeup <- struct{}{}:
		default:
		}
	}
}

func (w *Watchdog) loop() {
	defer w.crowd.need(false)
	for {
		select {
		case <-w.done:
			w.watch()
			return
		case <-w.wakeup:
		}
		w.parked.Store(false)
		w.watch()
	}
}

// watch ticks until nothing has run for dogPark, or for one tick after Close.
func (w *Watchdog) watch() {
	tick := time.NewTicker(dogTick)
	defer tick.Stop()
	last := time.Now()
	w.scannedAt(last)
	weighed := last
	for now := range tick.C {
		if now.Sub(weighed) >= dogWeigh {
			weighed = now
			w.keeps.look(w.weigh)
		}
		if w.scan(now) {
			last = now
			continue
		}
		if w.closed() {
			return
		}
		if now.Sub(last) < dogPark {
			continue
		}
		w.parked.Store(true)
		// a run that entered before parked was set is seen here; a later one wakes us
		if !w.scan(now) {
			return
		}
		w.parked.Store(false)
		last = now
	}
}

func (w *Watchdog) closed() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

func (w *Watchdog) scannedAt(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = now
}

// stalled returns for how long the process has been stalled: the machine was asleep or overloaded.
// A scan that is late shows that.
func (w *Watchdog) stalled(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if late := now.Sub(w.last) - dogTick; !w.last.IsZero() && late > dogLate {
		return late
	}
	return 0
}

// scan looks at every turn once.
func (w *Watchdog) scan(now time.Time) (active bool) {
	stalled := w.stalled(now)
	w.seen.Store(int64(w.meters.CPU())) // for runs that take a turn from now on
	w.mu.Lock()
	passed := now.Sub(w.last)
	turns := make([]*Turn, 0, len(w.turns))
	lasts := make([]*uint64, 0, len(w.turns))
	for t, l := range w.turns {
		turns, lasts = append(turns, t), append(lasts, l)
	}
	w.mu.Unlock()
	var oldest *Run
	var where *Turn
	var first time.Time
	for i, t := range turns {
		a, r, since := t.checkTurn(now, stalled, lasts[i])
		active = active || a
		if r != nil && (oldest == nil || since.Before(first)) {
			oldest, where, first = r, t, since
		}
	}
	w.scannedAt(now) // not before: a holder that leaves meanwhile asks for the stall
	w.crowd.need(oldest != nil && now.Sub(first) >= crowdAfter)
	w.memory(oldest, where, now, passed)
	w.scans.Add(1)
	return active
}

// awaitLook waits until the watchdog has looked at the heap since it had looked so many times, and
// returns how often it has now. A holder that takes much memory at once is so stopped before it
// takes more: untouched memory costs no time, and between two ticks there is room for gigabytes of
// it.
func (t *Turn) awaitLook(looks uint64) uint64 {
	// the scan that was under way then had perhaps read the heap already
	for last := looks + 2; t.dog.scans.Load() < last && !t.dog.closed(); {
		t.dog.wake()
		time.Sleep(dogTick / 5)
	}
	return t.dog.scans.Load()
}

// memory stops the longest-running holder if the heap has grown too much during its turn.
// Uncollected garbage of the previous holder is not charged to it. passed is the time since the
// last scan.
func (w *Watchdog) memory(r *Run, t *Turn, now time.Time, passed time.Duration) {
	if r == nil {
		w.base, w.held = 0, nil
		return
	}
	heap := w.meters.Heap()
	steep := heap > w.heap &&
		(heap-w.heap)*uint64(dogTick) >= heapSteep*uint64(max(passed, dogTick))
	w.heap = heap
	if r != w.held || heap < w.base {
		w.base, w.held, w.at = heap, r, heap+heapAllowance/2
		return
	}
	switch grown := heap - w.base; {
	case grown >= heapCertain, steep && grown >= heapAllowance:
	// still alive after a collection
	case grown >= heapAllowance && (w.base <= heapLarge || !w.collecting.Load() && heap < w.at):
	case w.base > heapLarge && heap >= w.at && !steep:
		w.collect()
		return
	default:
		return
	}
	t.stopRun(r, now, &LimitError{What: "memory", Note: "more than 128 MB"})
}

// collect collects garbage concurrently with the ticks: a run continues meanwhile, and may have to
// be stopped before the collection is done.
func (w *Watchdog) collect() {
	if w.collecting.Swap(true) {
		return
	}
	w.at += heapAllowance / 4
	go func() {
		defer w.collecting.Store(false)
		runtime.GC()
	}()
}

// cpuSeen returns the CPU time of the process at the last scan, or now if that was long ago.
func (w *Watchdog) cpuSeen() time.Duration {
	if w.parked.Load() {
		return w.meters.CPU()
	}
	return time.Duration(w.seen.Load())
}

// HeapBytes returns the size of the heap and the stacks of the process, with garbage.
func HeapBytes() uint64 {
	// stacks too: a recursion in Go keeps its memory there
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() + s[1].Value.Uint64()
}
