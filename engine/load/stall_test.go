package load

import (
	"testing"
	"time"
)

// TestAStallDecidesNothing lets the process stand still while a file is empty or away: the first
// look after that is not believed, whatever the clock says, because the writer stood still as well.
func TestAStallDecidesNothing(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(d time.Duration) *batch { return &batch{now: start.Add(d)} }
	sure := false
	for _, step := range []struct {
		now  time.Duration
		want bool
	}{{0, true}, {time.Hour, true}, {time.Hour + debounceQuiet, false}, {2 * time.Hour, true}} {
		if got := at(step.now).wait(start.Add(goneAfter), &sure); got != step.want {
			t.Errorf("after %v: got wait = %v, want %v", step.now, got, step.want)
		}
	}
}
