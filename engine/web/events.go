// This file splits streams: into lines, and into server-sent events.

package web

import (
	"cmp"
	"fmt"
	"strings"
)

// PartBytes is the default limit for a line, and for the data of an event: far more than most
// servers send at once.
const PartBytes = 4 << 20

// Lines splits a text that arrives in pieces into lines, which end with \n, \r\n or, as in
// server-sent events, \r.
type Lines struct {
	Line   func(line string) error // its error ends the stream
	Return bool                    // \r alone ends a line too
	Most   int                     // bytes of a line, and of the data of an event; 0 = PartBytes
	part   strings.Builder
	after  bool // the previous line ended with \r: a following \n belongs to it
}

// Add adds a piece of the text.
func (l *Lines) Add(piece string) error {
	for piece != "" {
		if l.after && piece[0] == '\n' {
			piece = piece[1:]
		}
		l.after = false
		ends := "\n"
		if l.Return {
			ends = "\r\n"
		}
		i := strings.IndexAny(piece, ends)
		if i < 0 {
			i = len(piece)
		}
		if l.part.Len()+i > l.most() {
			return fmt.Errorf("a line of more than %d bytes", l.most())
		}
		l.part.WriteString(piece[:i])
		if i == len(piece) {
			return nil
		}
		l.after = piece[i] == '\r'
		piece = piece[i+1:]
		if err := l.flushLine(); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lines) most() int { return cmp.Or(l.Most, PartBytes) }

func (l *Lines) flushLine() error {
	line := l.part.String()
	l.part.Reset()
	if !l.Return {
		line = strings.TrimSuffix(line, "\r")
	}
	return l.Line(line)
}

// End passes on the rest after the last end of a line.
func (l *Lines) End() error {
	if l.part.Len() == 0 {
		return nil
	}
	return l.flushLine()
}

// Event is a server-sent event.
type Event struct{ Name, Data, ID string }

// NewEvents returns Lines that parse a stream into events, and call f for each. An incomplete event
// at the end is dropped, as the format requires. Source: HTML Standard, "Server-sent events".
func NewEvents(f func(Event) error) *Lines {
	l := &Lines{Return: true}
	l.Line = (&events{f: f, most: l.most}).line
	return l
}

type events struct {
	f     func(Event) error
	most  func() int
	begun bool // the first line may begin with a byte order mark
	now   Event
	data  strings.Builder
	any   bool // there was a data field
}

func (e *events) line(line string) error {
	if !e.begun {
		line, e.begun = strings.TrimPrefix(line, "\uFEFF"), true
	}
	if line == "" {
		return e.dispatch()
	}
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "event":
		e.now.Name = value
	case "data":
		if e.data.Len()+len(value) > e.most() {
			return fmt.Errorf("an event of more than %d bytes", e.most())
		}
		if e.any {
			e.data.WriteByte('\n')
		}
		e.any = true
		e.data.WriteString(value)
	case "id":
		if !strings.Contains(value, "\x00") {
			e.now.ID = value
		}
	}
	return nil
}

func (e *events) dispatch() error {
	ev := e.now
	ev.Data = e.data.String()
	had := e.any
	e.now.Name, e.any = "", false // the id stays
	e.data.Reset()
	if !had {
		return nil
	}
	if ev.Name == "" {
		ev.Name = "message"
	}
	return e.f(ev)
}
