package terminal

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestTickerStops checks that the ticker stops when nothing changes, and not earlier: not while a
// terminal still accepts output, nor because time has passed in which the process did not run.
func TestTickerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		writing := false
		r := &Rest{writing: func() bool { return writing }, looked: true,
			ticker: time.NewTicker(restTick)}
		defer r.ticker.Stop()
		ticks := func(over time.Duration) (n int) {
			end := time.After(over)
			for {
				select {
				case <-r.ticker.C:
					n++
				case <-end:
					return n
				}
			}
		}
		r.Wake(false)
		if ticks(restLook) == 0 {
			t.Error("a change does not wake the ticker")
		}
		if ticks(10 * restLook * restLooks); ticks(restLook) == 0 {
			t.Error("the change is not drawn, and the ticker rests")
		}
		r.Drawn()
		if ticks(restLook * restLooks); ticks(time.Second) > 0 {
			t.Error("nothing changes, and the ticker ticks")
		}

		r.mu.Lock()
		writing = true
		r.mu.Unlock()
		r.Wake(true)
		r.Drawn()
		if ticks(5 * time.Second); ticks(restLook) == 0 {
			t.Error("the ticker rests while a frame is being written")
		}
		r.mu.Lock()
		writing = false
		r.mu.Unlock()
		if ticks(restLook); ticks(restLook) == 0 {
			t.Error("the ticker rests right after a frame was written")
		}
		if ticks(restLook * restLooks); ticks(time.Second) > 0 {
			t.Error("the frame is written, and the ticker ticks")
		}

		r.Wake(false)
		r.ticker.Stop()
		if r.Drawn(); ticks(2*restLook) == 0 {
			t.Error("the program has stopped the ticker, and no frame is drawn")
		}
		ticks(time.Second)

		r.Wake(false)
		r.Drawn()
		time.Sleep(restLook / 2)
		r.look() // the delay does not matter: it is the first check
		if ticks(restLook) == 0 {
			t.Error("one look, and the ticker rests")
		}
	})
}
