// This file tests which script is stopped when memory runs out.

package engine_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestGarbageOfAnotherScript runs two guards one after the other, each of which stays below the
// memory limit. The garbage of the first one is not collected, and the second one is not stopped
// because of it.
func TestGarbageOfAnotherScript(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	w := newWorld(t)
	use := func(size int) fakeFn {
		return func(c *fakeCall) (any, error) {
			// until the watchdog has noticed the run
			for end := time.Now().Add(40 * time.Millisecond); time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			b := make([]byte, size)
			for end := time.Now().Add(40 * time.Millisecond); time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			runtime.KeepAlive(b)
			return nil, nil
		}
	}
	w.guard("a.fake", use(100<<20))
	w.guard("b.fake", use(60<<20))
	r := w.dispatch("look")
	for _, s := range r.Trail {
		if s.Error != nil {
			t.Errorf("%s: %v", s.Script, s.Error)
		}
	}
	if len(r.Trail) != 2 {
		t.Errorf("trail %+v", r.Trail)
	}
}
