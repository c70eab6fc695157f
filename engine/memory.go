// This file gives up VMs that keep too much.

package engine

import (
	"context"
	"sync"
	"time"
	"weak"

	"github.com/agentscripts/agent/engine/vm"
)

// weighWait is how long the turn of a VM is waited for.
const weighWait = 5 * time.Second

// weigh gives up the VMs that keep too much: their guards fail, which asks, until whoever loaded
// them has loaded them anew.
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
	// it has more values than can be counted, and somebody has very many
	if heaviest != nil && most.Cut && live >= 2*vm.KeepMost {
		s.tooHeavy(heaviest)
	}
}

// tooHeavy gives g's VM up, and says so.
func (s *Scripts) tooHeavy(g *Generation) {
	err := &vm.LimitError{What: "memory",
		Note: "the script keeps more than 128 MB in its variables; it is being replaced"}
	g.alone(func(run *Run) {
		if replace, ok := g.turn.GiveUp(&run.Run, err); ok {
			// why comes before what is done about it
			s.engine.Notices.reportError(g.scriptError(err, "memory"), s.engine.Events.Envelope())
			go replace()
		}
	})
}

// alone runs f with the turn of g's VM held: nobody is in the VM meanwhile. It does not if the turn
// cannot be had.
func (g *Generation) alone(f func(run *Run)) {
	ctx, cancel := context.WithTimeout(g.ctx, weighWait)
	defer cancel()
	run := NewRun(ctx, g, vm.KindCommand, "memory", nil, nil)
	defer run.End()
	if g.turn.Enter(&run.Run) != nil {
		return
	}
	f(run)
	_ = g.turn.Leave(&run.Run) // its budget is of no interest
}

// GivenUp says why g's VM was given up, nil if it was not.
func (g *Generation) GivenUp() error {
	if g.turn == nil {
		return nil
	}
	return g.turn.Dead()
}

// Pulse tells whether g is at work: see Turn.Pulse.
func (g *Generation) Pulse() (entries uint64, busy bool) { return g.turn.Pulse() }

// weigh weighs g's VM, under its turn: nobody changes it meanwhile.
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

// handedOut are the functions of a script that were given to the program: what they hold is kept as
// long as they are.
type handedOut struct {
	mu    sync.Mutex
	list  []func() any // nil: it is not there any more
	prune int          // the length at which those are left out
}

// HandOut notes that the program gets f, a pointer, which implements Func and stands for a function
// of g's script.
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
