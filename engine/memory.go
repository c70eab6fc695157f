// This file abandons VMs that keep too much memory.

package engine

import (
	"context"
	"time"

	"github.com/agentscripts/agent/engine/vm"
)

// weighWait is the maximal wait for the turn of a VM.
const weighWait = 5 * time.Second

// weigh abandons the VMs that keep too much: their guards fail, which asks, until the loader has
// loaded them again.
func (s *Scripts) weigh(live uint64) {
	snap := s.acquire()
	defer snap.release()
	var heaviest *Generation
	var most vm.Weight
	for _, g := range snap.Generations {
		w := g.Weigh()
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

// Weigh weighs g's VM, under its turn, so that it does not change meanwhile.
func (g *Generation) Weigh() (w vm.Weight) {
	if g.turn == nil || g.vm == nil {
		return w
	}
	g.alone(func(*Run) {
		g.turn.Aside(func() {
			if s, ok := g.vm.(Sweeper); ok {
				s.Sweep()
			}
			w = vm.Weigh(append(g.handed.All(), g.vm)...)
		})
	})
	return w
}

// Handed records the functions of g's script that the program holds.
func (g *Generation) Handed() *vm.Handed { return &g.handed }
