// This file connects events with the files that their tool calls touch.

package event

import "github.com/agentscripts/agent/engine/value"

// Touches tells what the tool call of an event reads and writes. It is computed on demand: few
// handlers ask.
type Touches interface {
	// Fields are the payload fields reads, writes and unknown_writes.
	Fields() (reads, writes, unknown *value.Lazy)
	// Fits reports whether one of the paths that are read ("reads") or written ("writes") matches a
	// glob, and, if none does, whether that is certain.
	Fits(what, glob string) (fits, sure bool)
	// Perhaps describes, for a person, who may read or write a path that matches a glob; "" if no
	// one may.
	Perhaps(what, glob string) string
	// Why says, for a person, why a path that matches a glob is touched or may be; "" if none is.
	Why(what, glob string) string
}

// HasTouches reports whether the event is one of a tool call.
func (ev *Event) HasTouches() bool { return ev.touches != nil }

// WithTouches returns ev with the fields that describe what its call touches.
func (ev *Event) WithTouches(t Touches) *Event {
	c := ev.copy()
	c.setTouches(t)
	return c
}

func (ev *Event) setTouches(t Touches) {
	ev.touches = t
	at := &ev.row.at
	ev.fields[at.reads], ev.fields[at.writes], ev.fields[at.unknown] = t.Fields()
}

// paths are the globs of a filter for paths that are read and written; "" = any.
type paths struct{ reads, writes string }

// wanted returns the kinds of access with the glob of each, "" = any.
func (p *paths) wanted() [2][2]string {
	return [2][2]string{{"reads", p.reads}, {"writes", p.writes}}
}

// fit reports whether the paths that an event's call touches pass; sure: if not, whether that is
// certain.
func (p *paths) fit(ev *Event) (fits, sure bool) {
	if ev.touches == nil {
		return false, false
	}
	fits, sure = true, true
	for _, want := range p.wanted() {
		if want[1] == "" {
			continue
		}
		one, known := ev.touches.Fits(want[0], want[1])
		fits = fits && one
		if !one && known {
			return false, true
		}
		sure = sure && (one || known)
	}
	return fits, sure
}

// first returns the first answer about a glob of p, if ask has one; otherwise "".
func (p *paths) first(ask func(what, glob string) string) string {
	for _, want := range p.wanted() {
		if want[1] == "" {
			continue
		}
		if text := ask(want[0], want[1]); text != "" {
			return text
		}
	}
	return ""
}
