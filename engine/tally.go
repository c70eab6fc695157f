// This file counts the calls of a script's functions, and how long they take.

package engine

import (
	"errors"
	"math"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/vm"
)

const (
	// tallyParts is the number of buckets for the durations from one power of two, in microseconds,
	// to the next: a quantile is at most a quarter too high.
	tallyParts = 4
	// tallyBuckets is enough for two minutes, which no handler may take; the last one holds the
	// longer runs.
	tallyBuckets = 27 * tallyParts
)

// tally counts the calls of one generation. Adding a call takes some atomic additions.
type tally struct {
	calls, errors atomic.Int64
	took          [tallyBuckets]atomic.Uint32
}

// addCall counts a call. One that was ended by a reload is no error.
func (t *tally) addCall(took time.Duration, err error) {
	t.calls.Add(1)
	if err != nil && !errors.Is(err, vm.ErrClosed) {
		t.errors.Add(1)
	}
	t.took[bucketOf(took)].Add(1)
}

func bucketOf(took time.Duration) int {
	us := max(uint64(took.Microseconds()), 1)
	power := bits.Len64(us) - 1
	part := (us - 1<<power) * tallyParts >> power
	return min(power*tallyParts+int(part), tallyBuckets-1)
}

// bucketEnd returns the upper bound of the durations in bucket i.
func bucketEnd(i int) time.Duration {
	return time.Duration(1<<(i/tallyParts)*(tallyParts+i%tallyParts+1)) * time.Microsecond /
		tallyParts
}

// quantile returns an upper bound of the durations of the given share of the calls.
func (t *tally) quantile(share float64) time.Duration {
	total := uint64(0)
	var counts [tallyBuckets]uint64
	for i := range t.took {
		counts[i] = uint64(t.took[i].Load())
		total += counts[i]
	}
	rank := uint64(math.Ceil(share * float64(total)))
	for i, n := range counts {
		if n >= rank && rank > 0 {
			return bucketEnd(i)
		}
		rank -= n
	}
	return 0
}

// Usage says how often functions of a script were called since it was loaded: handlers, tools,
// commands. P50 and P99 are upper bounds of the durations of half and of 99 % of the calls.
type Usage struct {
	Calls, Errors int
	P50, P99      time.Duration
}

// Usage returns how often g's functions were called.
func (g *Generation) Usage() Usage {
	return Usage{int(g.tally.calls.Load()), int(g.tally.errors.Load()), g.tally.quantile(0.5),
		g.tally.quantile(0.99)}
}
