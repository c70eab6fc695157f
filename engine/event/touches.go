// This file defines what an event knows of the files that its tool call touches.

package event

import "github.com/agentscripts/agent/engine/value"

// Touches is what the tool call of an event reads and writes. It is found out when it is asked for:
// few calls are asked.
type Touches interface {
	// Fields are the payload fields reads, writes and unknown_writes.
	Fields() (reads, writes, unknown *value.Lazy)
	// Fits reports whether one of the paths that are read ("reads") or written ("writes") fits a
	// glob, and if none does whether that is sure.
	Fits(what, glob string) (fits, sure bool)
	// Perhaps says, for a person, who may read or write a path that fits a glob; "" = nobody.
	Perhaps(what, glob string) string
}

// HasTouches reports whether the event is one of a tool call.
func (ev *Event) HasTouches() bool { return ev.touches != nil }

// WithTouches returns ev with the fields that tell what its call touches.
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

// paths are what a filter wants to see read or written; "" = anything.
type paths struct{ reads, writes string }

// wanted are the kinds of access and the glob of each, "" = any.
func (p *paths) wanted() [2][2]string {
	return [2][2]string{{"reads", p.reads}, {"writes", p.writes}}
}

// fit reports whether what an event's call touches passes; sure: if not, that is known.
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

// perhaps says who may touch what passes, where that is all that is known; "" = nobody.
func (p *paths) perhaps(ev *Event) string {
	if ev.touches == nil {
		return ""
	}
	for _, want := range p.wanted() {
		if want[1] == "" {
			continue
		}
		if text := ev.touches.Perhaps(want[0], want[1]); text != "" {
			return text
		}
	}
	return ""
}
