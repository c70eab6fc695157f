// This file loads an extension again when a program of it has ended by itself.

package peer

import (
	"context"
	"time"

	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// mostPause is the longest wait before a program that has ended is started again.
	mostPause = time.Minute
	// steady is how long a program must have worked for its earlier ends to be forgotten.
	steady = time.Minute
)

// crash says how often an extension's programs have ended by themselves, and when one did last.
type crash struct {
	times int
	at    time.Time
}

// pause counts an end of a program, and returns how long to wait before it is started again: 0 for
// the first, then 1, 2, 4, ... seconds.
func (h *Host) pause(name string, started time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.crashes == nil {
		h.crashes = map[string]crash{}
	}
	c := h.crashes[name]
	if time.Since(started) > steady {
		c.times = 0
	}
	c.times, c.at = c.times+1, time.Now()
	h.crashes[name] = c
	if c.times == 1 {
		return 0
	}
	return min(time.Second<<min(c.times-2, 10), mostPause)
}

// Restart gives an extension up whose program has ended by itself, so that it is loaded again,
// until that succeeds or the extension is replaced or removed. Meanwhile its handlers fail, and
// their policies answer. turn is the extension's, which began at started.
func (h *Host) Restart(api extapi.API, turn *vm.Turn, started time.Time, err error) {
	g := api.Bind.Gen
	g.Failed(err, "process", 0)
	gone := make(chan struct{}) // replaced, by the user or by a program that works
	stop := g.Gone(func() { close(gone) })
	defer stop()
	replace := func() {}
	for first := true; ; first = false {
		pause := time.NewTimer(h.pause(g.Path, started))
		select {
		case <-pause.C:
		case <-gone:
			pause.Stop()
			return
		}
		if started = time.Now(); first {
			var ok bool
			if replace, ok = giveUp(api, turn, err); !ok {
				return
			}
		}
		replace()
	}
}

// giveUp ends the use of an extension. replace loads it again, and returns when that has succeeded
// or failed.
func giveUp(api extapi.API, turn *vm.Turn, err error) (replace func(), ok bool) {
	run := api.NewRun(context.Background(), "restart")
	defer run.End()
	if turn.Enter(&run.Run) != nil {
		return nil, false
	}
	return turn.GiveUp(&run.Run, err)
}
