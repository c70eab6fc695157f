// This file handles signals: the program ends normally after one, and output waits for its reader
// until one has arrived.

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// signalBase is what a shell adds to the number of the signal that ended a program: 130 is SIGINT,
// 143 SIGTERM.
const signalBase = 128

// signalNames names the signals that end the program.
var signalNames = map[os.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM",
	syscall.SIGHUP: "SIGHUP", syscall.SIGQUIT: "SIGQUIT"}

// signals waits for the signals that end the program.
type signals struct {
	got  atomic.Int64 // the number of the first one; 0 = none yet
	stop func()
}

// endOnSignals returns a context that ends when SIGINT, SIGTERM, SIGHUP or one of more arrives; its
// cause names the signal. The caller must defer done.
func endOnSignals(more ...os.Signal) (context.Context, *signals) {
	return endOn(append(more, os.Interrupt)...)
}

// endOn is endOnSignals for SIGTERM, SIGHUP and those of more.
func endOn(more ...os.Signal) (context.Context, *signals) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s, arrived := &signals{}, make(chan os.Signal, 1)
	signal.Notify(arrived, append([]os.Signal{syscall.SIGTERM, syscall.SIGHUP}, more...)...)
	go func() {
		select {
		case sig := <-arrived:
			if n, ok := sig.(syscall.Signal); ok {
				s.got.Store(int64(n))
			}
			cancel(errors.New("received " + signalNames[sig]))
		case <-ctx.Done():
		}
	}()
	s.stop = sync.OnceFunc(func() {
		signal.Stop(arrived)
		cancel(nil)
	})
	return ctx, s
}

// done stops waiting. If a signal has arrived, it sets *code to the matching exit code.
func (s *signals) done(code *int) {
	s.stop()
	if n := s.got.Load(); n != 0 {
		*code = signalBase + int(n)
	}
}

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
