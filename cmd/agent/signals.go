// This file ends the program normally after a signal.

package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
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
