// This file writes to a reader that may have stopped reading.

package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// readerWait is how long output waits for its reader after the program was told to end: longer than
// a working reader needs, and short enough that Ctrl-C soon returns to the shell.
const readerWait = 2 * time.Second

var errNotRead = errors.New("the output is no longer read")

// patient is a writer that waits for its reader without limit until the program is to end. Then it
// discards the output that has not been read, and all later output. It is safe for concurrent use.
// The caller must not change the bytes after Write.
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
