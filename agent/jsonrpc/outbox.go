package jsonrpc

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// writeBytes is how much is written at a time: after each piece it is known that the client still
// reads.
const writeBytes = 64 << 10

// outbox is what waits to be written. One goroutine writes; nobody else ever waits for the client
// but where too much waits.
type outbox struct {
	out      io.Writer
	most     int
	patience time.Duration
	wake     chan struct{} // capacity 1: a line waits, or it was closed
	broken   chan struct{} // closed when writing has failed
	written  chan struct{} // closed when nobody writes any more

	mu     sync.Mutex
	lines  [][]byte
	size   int           // bytes that wait
	space  chan struct{} // closed when a piece was written; nil while nobody waits for that
	closed bool
	err    error // why nothing can be written any more
}

func newOutbox(out io.Writer, most int, patience time.Duration) *outbox {
	o := &outbox{out: out, most: most, patience: patience, wake: make(chan struct{}, 1),
		broken:  make(chan struct{}),
		written: make(chan struct{})}
	go o.writeLines()
	return o
}

// pushLine puts a line behind those that wait. While they are too many it waits itself: for as long
// as the client reads at all.
func (o *outbox) pushLine(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > o.most && o.err == nil && !o.closed {
		if o.space == nil {
			o.space = make(chan struct{})
		}
		space := o.space
		o.mu.Unlock()
		patience := time.NewTimer(o.patience)
		select {
		case <-space:
		case <-o.broken:
		case <-patience.C:
			o.setFailure(fmt.Errorf(
				"the client does not read: %d MB wait for it, and it has taken nothing for %v",
				o.most>>20, o.patience))
		}
		patience.Stop()
		o.mu.Lock()
	}
	if o.err != nil || o.closed {
		return
	}
	o.lines = append(o.lines, line)
	o.size += len(line)
	o.poke()
}

func (o *outbox) poke() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// setFailure notes that nothing can be written any more.
func (o *outbox) setFailure(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	o.err, o.lines = err, nil
	close(o.broken)
	o.poke()
}

func (o *outbox) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// writeLines writes what waits, until it is closed or cannot.
func (o *outbox) writeLines() {
	defer close(o.written)
	for {
		line, more := o.takeLine()
		switch {
		case !more:
			return
		case line == nil:
			<-o.wake
			continue
		}
		for len(line) > 0 {
			n := min(len(line), writeBytes)
			if _, err := o.out.Write(line[:n]); err != nil {
				o.setFailure(fmt.Errorf("the client cannot be reached: %w", err))
				return
			}
			line = line[n:]
			o.wrote(n)
		}
	}
}

// takeLine takes the next line; nil if none waits. more is false if none ever will.
func (o *outbox) takeLine() (line []byte, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || o.closed && len(o.lines) == 0 {
		return nil, false
	}
	if len(o.lines) == 0 {
		o.lines = nil // what was long can be freed
		return nil, true
	}
	line = o.lines[0]
	o.lines[0] = nil
	o.lines = o.lines[1:]
	return line, true
}

func (o *outbox) wrote(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.size -= n
	if o.space != nil {
		close(o.space)
		o.space = nil
	}
}

// close takes nothing more, and waits until all was written or done is closed.
func (o *outbox) close(done <-chan struct{}) error {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.poke()
	select {
	case <-o.written:
	case <-o.broken:
	case <-done:
		o.setFailure(errors.New("the client does not read what is left to tell it"))
	}
	return o.failure()
}
