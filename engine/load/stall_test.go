package load

import (
	"testing"
	"time"
)

// TestScanAfterAStall: if the process was stopped while a file was empty or missing, the first scan
// afterwards is ignored, because the writer may have been stopped too.
func TestScanAfterAStall(t *testing.T) {
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
