// This file masks the payload of events.

package event

import (
	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/value"
)

// ForHandler returns ev as a handler reads it: with its text masked, because a script may pass it
// on to a program, a file or a server. The events of a tool call stay as they are: handlers judge
// the arguments that will run, and output and results were masked before. Custom events of scripts
// also stay as they are. See redact.Mask for where it must not be called.
func (ev *Event) ForHandler(k *redact.Mask) *Event {
	red := k.Set()
	if red == nil || ev.touches != nil || ev.row.Name == "tool_output" || IsCustom(ev.row.Name) {
		return ev
	}
	return maskFields(red.Look(!ev.bare), ev, true)
}

// Masked returns ev with the text of its payload masked, as a user may see it: lazily, or at once
// if scripts have to be called. m is nil if nothing is masked.
func (ev *Event) Masked(m *redact.Look) *Event {
	if m == nil {
		return ev
	}
	return maskFields(m, ev, false)
}

// Look returns the redact.Look at the event with the redactors in red, which may be nil.
func (ev *Event) Look(red *redact.Set) *redact.Look { return red.Look(!ev.bare) }

// maskFields returns ev with its payload masked according to the flags of the fields; for handlers,
// fields with Unmasked stay as they are.
func maskFields(m *redact.Look, ev *Event, handlers bool) *Event {
	c := *ev
	c.fields = append([]any(nil), ev.fields...)
	for i := range ev.row.Payload {
		f, v := &ev.row.Payload[i], ev.fields[i]
		switch v.(type) {
		case nil, bool, float64, int:
			continue
		}
		if f.Verbatim || f.Unmasked && handlers {
			continue
		}
		keys := ev.row.at.verbatim[i]
		if m.Finds() {
			c.fields[i], _ = m.Masked(v, keys)
			continue
		}
		c.fields[i] = value.NewLazy(func() any { x, _ := m.Masked(v, keys); return x })
	}
	return &c
}

// Size estimates the bytes of text in the payload, without computing lazy fields.
func (ev *Event) Size() (n int) {
	for _, v := range ev.fields {
		n += sizeOf(v)
	}
	return n
}

// sizeOf estimates the bytes of text in v, without computing lazy values.
func sizeOf(v any) (n int) {
	switch v := v.(type) {
	case string:
		return len(v)
	case map[string]any:
		for _, e := range v {
			n += sizeOf(e)
		}
	case []any:
		for _, e := range v {
			n += sizeOf(e)
		}
	}
	return n
}

// Piece is a piece of a streamed text.
type Piece struct {
	Text string
	Of   string // the id of the text
	Kind any    // distinguishes texts with the same id
}

// Piece returns the piece in the event; ok is false if there is none.
func (ev *Event) Piece() (p Piece, ok bool) {
	at := &ev.row.at
	if at.pieceText < 0 {
		return p, false
	}
	return Piece{ev.textAt(at.pieceText), ev.textAt(at.pieceOf), ev.valueAt(at.pieceKind)}, true
}

// WithPiece returns a copy with another piece.
func (ev *Event) WithPiece(text string) *Event { return ev.withAt(ev.row.at.pieceText, text) }

// EndsText returns the id of the text that ends with the event; ok is false if there is none.
func (ev *Event) EndsText() (id string, ok bool) {
	at := ev.row.at.pieceEnd
	return ev.textAt(at), at >= 0
}
