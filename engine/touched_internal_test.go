package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimeLimitOfLooks: if looking for the files of a call takes too long, they are unknown.
func TestTimeLimitOfLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan bool)
		e := &Engine{opts: Options{Touch: func(context.Context, *Call, *Tool) Touched {
			<-hang
			return nil
		}}}
		var c touches
		start := time.Now() // of the bubble
		c.init(e, t.Context(), Call{}, nil)
		if !c.whole().Unknown() || time.Since(start) != lookTime {
			t.Errorf("after %s: got %v", time.Since(start), c.whole())
		}
		close(hang)
		synctest.Wait()
	})
}
