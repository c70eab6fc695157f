package engine_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentscripts/agent/engine/ui"
)

// TestPatience: the time limit is paused during the hold.
func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var over atomic.Bool
		p := ui.NewPatience(10*time.Second, func() { over.Store(true) })
		expect := func(left time.Duration, want bool) {
			t.Helper()
			synctest.Wait()
			if got, ok := p.Left(); over.Load() != want || !ok || got != left {
				t.Errorf("over %v, %v left; want %v, %v", over.Load(), got, want, left)
			}
		}
		time.Sleep(4 * time.Second)
		expect(6*time.Second, false)
		p.Hold()
		p.Hold()
		time.Sleep(time.Hour)
		expect(6*time.Second, false)
		p.Go()
		p.Go()
		time.Sleep(5 * time.Second)
		expect(time.Second, false)
		time.Sleep(time.Second)
		expect(0, true)
	})
	var none *ui.Patience
	none.Hold()
	none.Go()
	if _, ok := none.Left(); ok {
		t.Error("nil ends")
	}
}
