// This file defines events: immutable, lazily read.

package event

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/agentscripts/agent/engine/value"
)

// Event is something that scripts may observe or change. It is an Object and immutable: a rewrite
// makes a new Event, so that late readers and observers see the original.
type Event struct {
	row    *Row
	env    *Envelope
	seq    uint64
	time   time.Time
	origin string
	hops   int // length of the chain of script actions that led to this event: see Run.Cause
	// about a redactor: masked by patterns only, or reporting it would cause itself endlessly
	bare   bool
	fields []any // in the order of row.Payload; nil = absent
	// touches provides some fields of an event of a tool call; nil for other events.
	touches Touches
	// args and original are the shapes of the arguments in an event of a tool call, nil = unknown.
	args, original *value.Shape
}

// Fired is an event with its fields. Package event has a type for each row of the table.
type Fired interface {
	Event() string
	Put(put func(field string, value any))
}

func (ev *Event) setKey(name string, v any) {
	ev.fields[ev.mustIndex(name)] = v
}

// copy returns an event whose fields can be set.
func (ev *Event) copy() *Event {
	c := *ev
	c.fields = append([]any(nil), ev.fields...)
	return &c
}

// With returns a copy in which a payload field is v. It panics if the event has no such field,
// which is a bug of the program.
func (ev *Event) With(name string, v any) *Event {
	return ev.withAt(ev.mustIndex(name), v)
}

// Merged is like With, for a value that a handler returned: tables are merged one level deep, and
// nil removes a key.
func (ev *Event) Merged(name string, v any) *Event {
	i := ev.mustIndex(name)
	return ev.withAt(i, value.Merge(ev.fields[i], v))
}

// withAt is like With, for the field at an index.
func (ev *Event) withAt(place int, v any) *Event {
	c := ev.copy()
	c.fields[place] = v
	return c
}

// Origin returns who caused the event, as in Envelope.
func (ev *Event) Origin() string {
	if ev.origin != "" {
		return ev.origin
	}
	return ev.env.Origin
}

// Hops returns the length of the chain of script actions that led to the event.
func (ev *Event) Hops() int { return ev.hops }

// WithHops returns a copy with the given Hops.
func (ev *Event) WithHops(n int) *Event {
	c := *ev
	c.hops = n
	return &c
}

// Bare returns a copy that is masked by patterns only: it is about a redactor's function, and would
// otherwise cause itself endlessly.
func (ev *Event) Bare() *Event {
	c := *ev
	c.bare = true
	return &c
}

func (ev *Event) index(name string) int { return fieldAt(ev.row, name) }

func (ev *Event) mustIndex(name string) int {
	i := ev.index(name)
	if i < 0 {
		panic("engine: event " + ev.row.Name + " has no field " + name)
	}
	return i
}

// Name returns the event's name in the table.
func (ev *Event) Name() string { return ev.row.Name }

// Row returns the event's row in the table.
func (ev *Event) Row() *Row { return ev.row }

// Env returns the event's envelope.
func (ev *Event) Env() *Envelope { return ev.env }

// Time returns when the event happened.
func (ev *Event) Time() time.Time { return ev.time }

// Field returns a payload field, computed if it is lazy.
func (ev *Event) Field(name string) any {
	v, _ := ev.Get(name)
	return v
}

// Text returns a payload field if it is a string, otherwise "".
func (ev *Event) Text(name string) string {
	s, _ := ev.Field(name).(string)
	return s
}

// Get implements Object.
func (ev *Event) Get(key string) (any, bool) {
	if i := ev.index(key); i >= 0 {
		v := ev.fields[i]
		if l, ok := v.(*value.Lazy); ok {
			v = l.Value()
		}
		return v, v != nil
	}
	return ev.envGet(key)
}

func (ev *Event) envGet(key string) (any, bool) {
	if row := envelopeRow[key]; row != nil && row.ofEvent != nil {
		return row.ofEvent(ev)
	}
	return ev.env.Get(key)
}

// Keys implements Object: the envelope, then the payload.
func (ev *Event) Keys() []string {
	keys := make([]string, 0, len(envelopeRows)+len(ev.fields))
	for i := range envelopeRows {
		if row := &envelopeRows[i]; row.inEvent(ev) && ev.index(row.Name) < 0 {
			keys = append(keys, row.Name)
		}
	}
	for i, f := range ev.row.Payload {
		if ev.fields[i] != nil {
			keys = append(keys, f.Name)
		}
	}
	return keys
}

// MarshalJSON writes the event as one JSON object, envelope first.
func (ev *Event) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for _, k := range ev.Keys() {
		v, ok := ev.Get(k)
		if !ok {
			continue
		}
		p, err := value.Plain(v)
		if err != nil {
			p = "(" + err.Error() + ")"
		}
		j, err := json.Marshal(p)
		if err != nil { // NaN or an infinity
			j, _ = json.Marshal("(" + err.Error() + ")")
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, k)
		b = append(append(b, ':'), j...)
	}
	return append(b, '}'), nil
}
