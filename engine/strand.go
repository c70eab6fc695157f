// This file holds strands: goroutines that enter VMs and can be left behind in one that does not stop.
package engine

import "sync/atomic"

// strand is a goroutine that somebody waits for. When the VM it is in is given up, it is left behind: who
// waits goes on without it, and what the two share belongs to the waiter from then on.
type strand struct {
	inside atomic.Pointer[Run] // the run whose VM the goroutine is in; nil = in none, or left behind
	lost   chan error          // capacity 1: at most one run is the one that it is left behind in
}

func newStrand() *strand { return &strand{lost: make(chan error, 1)} }

// enter says that the goroutine is about to enter r's VM.
func (s *strand) enter(r *Run) {
	r.strand = s
	s.inside.Store(r)
}

// leave says that the goroutine is back. False: it was left behind meanwhile, and must end without
// touching anything.
func (s *strand) leave(r *Run) bool { return s.inside.CompareAndSwap(r, nil) }

// abandon leaves the goroutine behind if it is in r's VM. It does not block. s may be nil.
func (s *strand) abandon(r *Run, err error) {
	if s != nil && s.inside.CompareAndSwap(r, nil) {
		s.lost <- err
	}
}
