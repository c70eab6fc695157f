// This file defines events: immutable, lazily read.

package event

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/agentscripts/agent/engine/value"
)

// Event is one moment that scripts may observe or change. It is an Object and never changes: a
// rewrite makes a new Event, so that a late reader or an observer sees what was.
type Event struct {
	row    *Row
	env    *Envelope
	seq    uint64
	time   time.Time
	origin string
	hops   int // how many things that scripts did led to this one: see Run.Cause
	// it tells of a redactor: masked by patterns alone, or it would follow from itself for ever
	bare   bool
	fields []any // in the order of row.Payload; nil = absent
	// touches are among the fields of an event of a tool call; nil = it is none.
	touches Touches
	// args and original are the shapes of the arguments in an event of a tool call, nil = not
	// known.
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

// With returns a copy in which a payload field is v. A field that the event does not have is a
// mistake in the program, and panics.
func (ev *Event) With(name string, v any) *Event {
	return ev.withAt(ev.mustIndex(name), v)
}

// Merged is With for what a handler returned: tables are merged one level deep, and nil removes a
// key.
func (ev *Event) Merged(name string, v any) *Event {
	i := ev.mustIndex(name)
	return ev.withAt(i, value.Merge(ev.fields[i], v))
}

// withAt is With for the field at a place.
func (ev *Event) withAt(place int, v any) *Event {
	c := ev.copy()
	c.fields[place] = v
	return c
}

// Origin is who caused the event, as in Envelope.
func (ev *Event) Origin() string {
	if ev.origin != "" {
		return ev.origin
	}
	return ev.env.Origin
}

// Hops is how many things that scripts did led to the event, one from another.
func (ev *Event) Hops() int { return ev.hops }

// WithHops returns a copy with so many Hops.
func (ev *Event) WithHops(n int) *Event {
	c := *ev
	c.hops = n
	return &c
}

// Bare returns a copy that is masked by patterns alone: it tells of a redactor's function, and
// would follow from itself for ever.
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

// Name is the event's name in the table.
func (ev *Event) Name() string { return ev.row.Name }

// Row is the event's row in the table.
func (ev *Event) Row() *Row { return ev.row }

// Env is the event's envelope.
func (ev *Event) Env() *Envelope { return ev.env }

// Time is when it happened.
func (ev *Event) Time() time.Time { return ev.time }

// Field returns a payload field, computed if it is lazy.
func (ev *Event) Field(name string) any {
	v, _ := ev.Get(name)
	return v
}

// Text returns a payload field if it is a string, else "".
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
