// This file abandons VMs that keep too much memory.

package engine

import (
	"context"
	"sync"
	"time"
	"weak"

	"github.com/agentscripts/agent/engine/vm"
)

// weighWait is how long to wait for the turn of a VM.
const weighWait = 5 * time.Second

// weigh abandons the VMs that keep too much: their guards fail, which asks, until the loader has
// loaded them again.
func (s *Scripts) weigh(live uint64) {
	snap := s.acquire()
	defer snap.release()
	var heaviest *Generation
	var most vm.Weight
	for _, g := range snap.Generations {
		w := g.weigh()
		if w.Bytes >= vm.KeepMost {
			s.tooHeavy(g)
			continue
		}
		if w.Bytes > most.Bytes {
			heaviest, most = g, w
		}
	}
	// a VM had too many values to count, and the process keeps very much
	if heaviest != nil && most.Cut && live >= 2*vm.KeepMost {
		s.tooHeavy(heaviest)
	}
}

// tooHeavy abandons g's VM, and reports it.
func (s *Scripts) tooHeavy(g *Generation) {
	err := &vm.LimitError{What: "memory",
		Note: "the script keeps more than 128 MB in its variables; it is being replaced"}
	g.alone(func(run *Run) {
		if replace, ok := g.turn.GiveUp(&run.Run, err); ok {
			// the reason is reported before the consequences
			s.engine.Notices.reportError(g.scriptError(err, "memory"), s.engine.Events.Envelope())
			go replace()
		}
	})
}

// alone runs f with the turn of g's VM held, so that the VM is idle. It does not run f if it cannot
// get the turn.
func (g *Generation) alone(f func(run *Run)) {
	ctx, cancel := context.WithTimeout(g.ctx, weighWait)
	defer cancel()
	run := NewRun(ctx, g, vm.KindCommand, "memory", nil, nil)
	defer run.End()
	if g.turn.Enter(&run.Run) != nil {
		return
	}
	f(run)
	_ = g.turn.Leave(&run.Run) // its budget does not matter
}

// GivenUp returns why g's VM was abandoned, nil if it was not.
func (g *Generation) GivenUp() error {
	if g.turn == nil {
		return nil
	}
	return g.turn.Dead()
}

// Pulse reports whether g is in use: see Turn.Pulse.
func (g *Generation) Pulse() (entries uint64, busy bool) { return g.turn.Pulse() }

// weigh weighs g's VM, under its turn, so that it does not change meanwhile.
func (g *Generation) weigh() (w vm.Weight) {
	if g.turn == nil || g.vm == nil {
		return w
	}
	g.alone(func(*Run) {
		g.turn.Aside(func() {
			w = vm.Weigh(append(g.handed.all(), g.vm)...)
		})
	})
	return w
}

// handedOut are the functions of a script that the program holds: values that they refer to stay
// alive.
type handedOut struct {
	mu    sync.Mutex
	list  []func() any // returns nil if it was collected
	prune int          // the length at which collected ones are removed
}

// HandOut records that the program gets f, a pointer, which implements Func for a function of g's
// script.
func HandOut[F any](g *Generation, f *F) *F {
	w := weak.Make(f)
	h := &g.handed
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) >= max(h.prune, 64) {
		live := h.list[:0:0]
		for _, get := range h.list {
			if get() != nil {
				live = append(live, get)
			}
		}
		h.list, h.prune = live, 2*len(live)
	}
	h.list = append(h.list, func() any {
		if p := w.Value(); p != nil {
			return p
		}
		return nil
	})
	return f
}

func (h *handedOut) all() (funcs []any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, get := range h.list {
		if f := get(); f != nil {
			funcs = append(funcs, f)
		}
	}
	return funcs
}
