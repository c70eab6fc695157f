package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/vm"
)

// TestTally checks that quantiles are upper bounds, at most a quarter too high, and that a call
// that a reload ended is no error.
func TestTally(t *testing.T) {
	t.Parallel()
	var c tally
	if got := c.quantile(0.99); got != 0 {
		t.Errorf("no calls: got %v, want 0", got)
	}
	for i := 1; i <= 1000; i++ {
		c.addCall(time.Duration(i)*10*time.Microsecond, nil)
	}
	for share, exact := range map[float64]time.Duration{0.5: 5 * time.Millisecond,
		0.99: 9900 * time.Microsecond} {
		if got := c.quantile(share); got < exact || got > exact*5/4 {
			t.Errorf("p%.0f: got %v, want %v or at most a quarter more", share*100, got, exact)
		}
	}
	c.addCall(0, errors.New("failed"))
	c.addCall(1000*time.Hour, vm.ErrClosed)
	c.addCall(-time.Hour, nil)
	if calls, failed := c.calls.Load(), c.errors.Load(); calls != 1003 || failed != 1 {
		t.Errorf("got %d calls and %d errors, want 1003 and 1", calls, failed)
	}
}
