package scripttest

import (
	"math"
	"runtime/debug"
	"testing"
)

// Allocations returns how often f allocates memory, on average of so many runs. The collector is
// off meanwhile because it empties pools, and what other goroutines allocate is left out as far as
// possible: it is the least of three averages.
func Allocations(runs int, f func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	n := math.Inf(1)
	for range 3 {
		n = min(n, testing.AllocsPerRun(runs, f))
	}
	return n
}
