// This file finds, once for each row, the indexes of the payload fields that the engine sets or
// reads.

package event

import (
	"sync"

	"github.com/agentscripts/agent/engine/value"
)

// places are indexes into Row.Payload, -1 if the row has no such field.
type places struct {
	// of a tool call
	callID, tool, kind, readOnly, args, reads, writes, unknown, original, rewritten int

	own bool // an event of a tool call has fields besides the shared ones

	pieceText, pieceOf, pieceKind, pieceEnd int // by Field.Piece

	// by field: the keys below it whose strings are not masked, see Field.Verbatim
	verbatim [][]string
}

// prepare computes the derived data of a row, when it is registered.
func (row *Row) prepare() {
	row.shape = sync.OnceValue(func() *value.Shape { return eventShape(row) })
	at := func(name string) int { return fieldAt(row, name) }
	row.at = places{
		callID: at("call_id"), tool: at("tool"), kind: at("kind"), readOnly: at("read_only"),
		args:  at("args"),
		reads: at("reads"), writes: at("writes"), unknown: at("unknown_writes"),
		original: at("original"), rewritten: at("rewritten"),
		pieceText: pieceAt(row, value.PieceText), pieceOf: pieceAt(row, value.PieceOf),
		pieceKind: pieceAt(row, value.PieceKind), pieceEnd: pieceAt(row, value.PieceEnd),
		verbatim: make([][]string, len(row.Payload)),
	}
	for i := range row.Payload {
		f := &row.Payload[i]
		row.at.own = row.at.own || !f.OfCall
		row.at.verbatim[i] = append(row.at.verbatim[i], f.VerbatimKeys...)
		for _, below := range f.Fields {
			if below.Verbatim {
				row.at.verbatim[i] = append(row.at.verbatim[i], below.Name)
			}
		}
	}
}

// fieldAt returns the index of the payload field name.
func fieldAt(row *Row, name string) int {
	for i := range row.Payload {
		if row.Payload[i].Name == name {
			return i
		}
	}
	return -1
}

// pieceAt returns the index of the payload field with the given role.
func pieceAt(row *Row, part value.PieceRole) int {
	for i := range row.Payload {
		if row.Payload[i].Piece == part {
			return i
		}
	}
	return -1
}

// valueAt returns the payload field at an index, computed if it is lazy; nil if the index is -1.
func (ev *Event) valueAt(place int) any {
	if place < 0 {
		return nil
	}
	v := ev.fields[place]
	if l, ok := v.(*value.Lazy); ok {
		v = l.Value()
	}
	return v
}

// textAt returns the payload field at an index if it is a string, otherwise "".
func (ev *Event) textAt(place int) string {
	s, _ := ev.valueAt(place).(string)
	return s
}
