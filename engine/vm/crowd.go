// This file measures how long goroutines of the process wait for one another, and how often they
// get a processor.

package vm

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// crowdAfter is how long a holder has the turn before waits are measured: the runs of good
	// scripts are over by then, and cost nothing.
	crowdAfter = 4 * dogTick
	// crowdSlice is how long a goroutine for whose processor others wait keeps it.
	crowdSlice = 10 * time.Millisecond
	// crowdedMost is the most of that time that is credited to a holder.
	crowdedMost = 3 * time.Second
)

// crowd measures the waits with a goroutine that yields its processor again and again. It comes
// back when all that were ready to run have had one, as a holder does that always has something to
// do; but the holder ran for a slice in that time.
type crowd struct {
	needed  atomic.Bool  // a holder has had its turn for long
	running atomic.Bool  // the goroutine runs
	total   atomic.Int64 // ns waited so far, without the wait that is under way
	since   atomic.Int64 // when that wait began, in ns of Unix time, 0 = there is none
}

// need starts the measurement, or lets it end.
func (c *crowd) need(is bool) {
	c.needed.Store(is)
	if is && c.running.CompareAndSwap(false, true) {
		c.since.Store(time.Now().UnixNano()) // it waits from now on
		go c.measure()
	}
}

func (c *crowd) measure() {
	defer c.running.Store(false)
	for {
		if !c.came() {
			time.Sleep(crowdSlice)
		}
		if !c.needed.Load() {
			return
		}
		c.since.Store(time.Now().UnixNano())
		runtime.Gosched()
	}
}

// came notes that the goroutine got a processor. It reports whether it had to wait.
func (c *crowd) came() bool {
	waited := c.waiting(time.Now())
	c.since.Store(0)
	c.total.Add(int64(waited))
	return waited > 0
}

// waiting returns how long the goroutine has waited since it was last ready to run.
func (c *crowd) waiting(now time.Time) time.Duration {
	since := c.since.Load()
	if since == 0 {
		return 0
	}
	return max(0, time.Duration(now.UnixNano()-since)-crowdSlice)
}

// waited returns how long the goroutine has waited so far.
func (c *crowd) waited(now time.Time) time.Duration {
	return time.Duration(c.total.Load()) + c.waiting(now)
}

// rounds counts how often a goroutine that waits for a processor as all others do has got one. On a
// busy machine, time alone does not show what the others could do in it.
type rounds struct{ n atomic.Int32 }

// enough reports whether there were as many rounds as a limit needs: a goroutine that others wait
// for keeps its processor for a slice.
func (r *rounds) enough(limit time.Duration) bool {
	return r.n.Load() >= int32(limit/crowdSlice)
}

// count counts until there were enough rounds for limit, or until needed returns false. On an idle
// machine that takes half of limit.
func (r *rounds) count(limit time.Duration, needed func() bool) {
	go func() { // the watchdog itself would not do: its timer puts it in front of all that wait
		for !r.enough(limit) && needed() {
			time.Sleep(dogTick)
			runtime.Gosched() // behind all that wait for a processor
			r.n.Add(1)
		}
	}()
}
