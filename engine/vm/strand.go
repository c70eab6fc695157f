// This file holds strands: goroutines that enter VMs and can be left behind in one that does not
// stop.

package vm

import (
	"sync"
	"sync/atomic"
)

// Strand is a goroutine that can be abandoned together with the VM that it is in. Then its waiter,
// or its heir, continues without it, and from then on owns the data that the two share.
type Strand struct {
	// the run whose VM the goroutine is in; nil = in none, or abandoned
	inside atomic.Pointer[Run]
	lost   chan error // at most one run is abandoned on it
	heir   Heir       // instead of lost
}

// Heir continues what a goroutine was doing.
type Heir interface {
	// TakeOver is called on a new goroutine when the strand is abandoned; err says why.
	TakeOver(err error)
}

// SetHeir makes s, a zero Strand, the calling goroutine. Nobody waits for it: if it is abandoned, h
// takes over. nil is for a goroutine that enters no VM any more.
func (s *Strand) SetHeir(h Heir) { s.heir = h }

func NewStrand() *Strand { return &Strand{lost: make(chan error, 1)} }

// Enter records that the goroutine is about to enter r's VM.
func (s *Strand) Enter(r *Run) {
	r.on = s
	s.inside.Store(r)
}

// Leave records that the goroutine is back. It returns false if it was abandoned meanwhile: the
// goroutine must then end without touching anything.
func (s *Strand) Leave(r *Run) bool { return s.inside.CompareAndSwap(r, nil) }

// Lost receives the reason when the goroutine is abandoned.
func (s *Strand) Lost() <-chan error { return s.lost }

// abandon abandons the goroutine if it is in r's VM. It does not block. s may be nil.
func (s *Strand) abandon(r *Run, err error) {
	switch {
	case s == nil || !s.inside.CompareAndSwap(r, nil):
	case s.heir != nil:
		go s.heir.TakeOver(err)
	default:
		s.lost <- err
	}
}

// idleStrands is how many strands are kept for the next handler: calls are frequent, and growing
// the stack to the size that an interpreter needs is half of the cost of entering it.
const idleStrands = 2

// Strands runs handlers on reusable strands.
type Strands struct {
	mu     sync.Mutex
	idle   []*worker
	closed bool
}

// Job is work for a strand. It is an interface because a function that captures variables would be
// an allocation for each call.
type Job interface{ RunOn(s *Strand) }

// JobFunc is a function as a Job.
type JobFunc func(s *Strand)

// RunOn implements Job.
func (f JobFunc) RunOn(s *Strand) { f(s) }

// worker is a reusable strand.
type worker struct {
	*Strand
	work chan Job
	// lost gets nil when the work is done; a worker that comes back after it was left behind finds
	// nobody.
}

// Do runs job on a strand and waits for it. An error says why the strand was abandoned in job; job
// must not touch data shared with the caller then.
func (p *Strands) Do(job Job) error {
	w := p.getStrand()
	w.work <- job
	err := <-w.lost
	if err != nil {
		close(w.work)
		return err
	}
	p.putStrand(w)
	return nil
}

func (w *worker) loop() {
	for job := range w.work {
		job.RunOn(w.Strand)
		w.lost <- nil
	}
}

func (p *Strands) getStrand() *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return w
	}
	w := &worker{Strand: &Strand{lost: make(chan error, 2)}, work: make(chan Job)}
	go w.loop()
	return w
}

func (p *Strands) putStrand(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= idleStrands {
		close(w.work)
		return
	}
	p.idle = append(p.idle, w)
}

// Close ends the idle strands; those at work end when they are done.
func (p *Strands) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, w := range p.idle {
		close(w.work)
	}
	p.idle = nil
}
