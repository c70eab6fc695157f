// This file reads the server-sent events of an answer.

package llm

import (
	"io"

	sse "github.com/agentscripts/agent/engine/web"
)

// readBytes is how much of an answer is read at a time: events are small, and each is delivered as
// soon as it arrives.
const readBytes = 4 << 10

// eventReader reads the events of an answer.
type eventReader struct {
	from  io.Reader
	lines *sse.Lines
	ready []sse.Event // read, and not yet delivered
	buf   []byte
	err   error
}

func newEventReader(from io.Reader) *eventReader {
	r := &eventReader{from: from, buf: make([]byte, readBytes)}
	r.lines = sse.NewEvents(func(e sse.Event) error {
		r.ready = append(r.ready, e)
		return nil
	})
	// boundedBody ends an answer whose events are too large, with a better error message
	r.lines.Most = 2 * eventBytes
	return r
}

// nextEvent returns the next event; the error is io.EOF at the end of the answer. It drops an
// incomplete last event.
func (r *eventReader) nextEvent() (sse.Event, error) {
	for len(r.ready) == 0 {
		if r.err != nil {
			return sse.Event{}, r.err
		}
		n, err := r.from.Read(r.buf)
		r.err = r.lines.Add(string(r.buf[:n]))
		if r.err == nil {
			r.err = err
		}
	}
	e := r.ready[0]
	if r.ready = r.ready[1:]; len(r.ready) == 0 {
		r.ready = nil
	}
	return e, nil
}
