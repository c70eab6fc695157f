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

// outbox holds the output that waits to be written. One goroutine writes it; other goroutines wait
// for the client only if too much output waits.
type outbox struct {
	out      io.Writer
	most     int
	patience time.Duration
	wake     chan struct{} // capacity 1: signals a new line or the end
	broken   chan struct{} // closed when writing has failed
	written  chan struct{} // closed when the writer has ended

	mu     sync.Mutex
	lines  [][]byte
	size   int           // bytes that wait
	space  chan struct{} // closed when a piece was written; nil while nothing waits for it
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

// pushLine appends a line. If too much output waits, it blocks for as long as the client reads at
// all.
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

// setFailure records why nothing can be written any more.
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

// writeLines writes the waiting lines until the outbox is closed or writing fails.
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

// takeLine removes and returns the next line; nil if none waits. more is false if none will follow.
func (o *outbox) takeLine() (line []byte, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || o.closed && len(o.lines) == 0 {
		return nil, false
	}
	if len(o.lines) == 0 {
		o.lines = nil // frees a long list
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

// close accepts no more lines, and waits until all were written or done is closed.
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
