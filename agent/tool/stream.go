// This file takes what a command writes on its two streams.

package tool

import (
	"sync"

	"github.com/agentscripts/agent/engine"
)

// streams take what a command writes: they report it as it comes, and keep it, masked.
type streams struct {
	report func(chunk string, stderr bool) // may be nil
	keep   func(text string)               // masked; safe for concurrent use
	two    [2]stream
}

// stream is one of the two.
type stream struct {
	mu     sync.Mutex
	mask   *engine.Masker
	closed bool
}

func newStreams(use *engine.Use, report func(string, bool), keep func(string)) *streams {
	s := &streams{report: report, keep: keep}
	for i := range s.two {
		s.two[i].mask = use.NewMasker()
	}
	return s
}

// take reports a chunk on no lock: who is told may be slow, and then the command is too.
func (s *streams) take(chunk string, stderr bool) {
	one := &s.two[0]
	if stderr {
		one = &s.two[1]
	}
	one.mu.Lock()
	if one.closed {
		one.mu.Unlock()
		return
	}
	s.keep(one.mask.Add(chunk))
	one.mu.Unlock()
	if s.report != nil {
		s.report(chunk, stderr)
	}
}

// close keeps what redactors have held back; what comes later is not taken any more.
func (s *streams) close() {
	for i := range s.two {
		one := &s.two[i]
		one.mu.Lock()
		if !one.closed {
			one.closed = true
			s.keep(one.mask.End())
		}
		one.mu.Unlock()
	}
}
