// This file writes to someone who may have stopped reading.

package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// readerWait is how long, once the program was told to end, what it writes may take to be read:
// longer than a reader that works needs, and nobody waits for ever at a prompt that Ctrl-C does not
// bring back.
const readerWait = 2 * time.Second

var errNotRead = errors.New("nobody reads what is written there")

// patient is a writer that waits for who reads for as long as it takes, until the program is to
// end: what is not read then is given up, and all that comes after it. It is safe for concurrent
// use. What it is given must not be changed after.
type patient struct {
	out   io.Writer
	until context.Context // ends with the signal

	mu     sync.Mutex
	failed error
}

func (p *patient) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil {
		return 0, p.failed
	}
	type written struct {
		n   int
		err error
	}
	done := make(chan written, 1)
	go func() {
		n, err := p.out.Write(b)
		done <- written{n, err}
	}()
	select {
	case w := <-done:
		return w.n, w.err
	case <-p.until.Done():
	}
	late := time.NewTimer(readerWait)
	defer late.Stop()
	select {
	case w := <-done:
		return w.n, w.err
	case <-late.C:
		p.failed = errNotRead
		return 0, p.failed
	}
}
