// This file reads the output of a command.

package tool

import (
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/redact"
)

// streams handle the output of a command: they report it as it arrives, and keep it, masked, in the
// form that a terminal would show. They remove escape sequences before masking, because one could
// be in the middle of a secret.
type streams struct {
	report func(chunk string, stderr bool) // may be nil
	keep   func(text string)               // masked, whole lines; safe for concurrent use
	two    [2]stream

	mu    sync.Mutex
	lines plain.Lines // of both streams: they share one terminal
	open  int         // how many of the two are open
}

// stream is one of the two streams.
type stream struct {
	mu      sync.Mutex
	escapes plain.Escapes
	mask    *redact.Masker
	closed  bool
}

func newStreams(use *engine.Use, report func(string, bool), keep func(string)) *streams {
	s := &streams{report: report, keep: keep, open: 2}
	for i := range s.two {
		s.two[i].mask = use.NewMasker()
	}
	return s
}

// takeChunk reports a chunk without a lock: the listener may block, and then the command does too.
func (s *streams) takeChunk(chunk string, stderr bool) {
	one := &s.two[0]
	if stderr {
		one = &s.two[1]
	}
	one.mu.Lock()
	if one.closed {
		one.mu.Unlock()
		return
	}
	text := one.escapes.Write(chunk)
	s.addText(one.mask.Add(text))
	one.mu.Unlock()
	if shown := plain.Shown(text); s.report != nil && shown != "" {
		s.report(shown, stderr)
	}
}

// addText keeps the complete lines of a text.
func (s *streams) addText(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lines := s.lines.Write(text); lines != "" {
		s.keep(lines)
	}
}

// unfinished returns the line that has not ended yet.
func (s *streams) unfinished() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines.Unfinished()
}

// close keeps the text that redactors have held back, and the unfinished line. It ignores later
// output.
func (s *streams) close() {
	for i := range s.two {
		one := &s.two[i]
		one.mu.Lock()
		if !one.closed {
			one.closed = true
			s.addText(one.mask.Add(one.escapes.Flush()) + one.mask.End())
			s.endStreams()
		}
		one.mu.Unlock()
	}
}

// endStreams keeps the last line when both streams have ended.
func (s *streams) endStreams() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open--; s.open == 0 {
		if last := s.lines.Flush(); last != "" {
			s.keep(last)
		}
	}
}
