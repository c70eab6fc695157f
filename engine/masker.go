// This file masks a text that comes in pieces and is no event: what a tool writes down as it comes.

package engine

import "github.com/agentscripts/agent/engine/redact"

// Masker masks a text that comes in pieces, with the redactors that are registered as each piece
// comes. What may be the beginning of something that is masked is held back until that is decided.
// A nil Masker masks nothing. One goroutine at a time may use it, and none that holds the turn of a
// VM.
type Masker struct {
	e *Engine
	p redact.Pieces
}

// NewMasker returns a Masker for what the tool writes down while it runs, and after that.
func (u *Use) NewMasker() *Masker {
	if u.engine == nil {
		return nil
	}
	return &Masker{e: u.engine}
}

// Add returns what may be seen now that piece has come.
func (m *Masker) Add(piece string) string {
	if m == nil {
		return piece
	}
	red := m.e.current.Load().redaction
	if red == nil && !m.p.Holds() {
		m.p.Forget()
		return piece
	}
	return m.p.Add(red.Look(true), piece)
}

// End returns what was held back: nothing more comes.
func (m *Masker) End() string {
	if m == nil {
		return ""
	}
	return m.p.End(m.e.current.Load().redaction.Look(true))
}
