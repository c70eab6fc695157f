// Package peer runs the programs of extensions that were made for other hosts: they are found and
// started, get lines and answer with lines, and are started again when they end by themselves.
//
//	p, err := host.Start(api, peer.Command{Path: path, Dir: folder})
//	p.Talk(receive)
//	err = p.Send(line)
//	go func() { <-p.Dead(); host.Restart(api, turn, started, p.Err()) }()
//	p.Close(nil)
//
// It knows lines only. What they mean is the format's.
package peer

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/stdio"
	"github.com/agentscripts/agent/engine/vm"
)

// Host starts the programs of one format. Its exported fields are set before the first Start.
type Host struct {
	Options extapi.Options
	// EndGrace is how long a program may take to end after its last line and the end of its input.
	EndGrace time.Duration

	ending sync.WaitGroup // programs whose output is read, or that have been asked to end

	mu      sync.Mutex
	crashes map[string]crash // by the path of the manifest
}

// mostEnding is how long Wait waits.
const mostEnding = 5 * time.Second

// Wait waits until all programs have ended, and their last output is in the log, but not for ever.
// All extensions must have been unloaded.
func (h *Host) Wait() {
	ended := make(chan struct{})
	go func() {
		h.ending.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(mostEnding): // a process that cannot be killed
	}
}

// Command describes a program to start.
type Command struct {
	Path   string // see Find
	Args   []string
	Dir    string
	Env    []string // NAME=value, besides what each program gets
	Writes []string // folders that it may write to, besides what the sandbox permits
}

// Peer is a running program of an extension. Its methods are safe for concurrent use.
type Peer struct {
	program *stdio.Program // not embedded: the linker keeps every method
	host    *Host
	dead    chan struct{} // closed when the program is gone, or is no longer used
	once    sync.Once
	err     error // why; set before dead is closed

	receive  func(line []byte) bool
	messages *stdio.Messages
	token    chan struct{} // capacity 1; who has received from it may read the messages
	asked    atomic.Int64  // questions

	mu      sync.Mutex
	queue   [][]byte
	bytes   int           // in queue
	wake    chan struct{} // capacity 1: queue has lines
	closing bool          // Close was called: its end is expected, and the last line is queued
}

// Start starts a program in the sandbox, with a clean environment. What it writes to stderr goes to
// the extension's log.
func (h *Host) Start(api extapi.API, c Command) (*Peer, error) {
	o := &h.Options
	program, err := stdio.Start(stdio.Command{Path: c.Path, Args: c.Args, Dir: c.Dir,
		Env:    append(stdio.Environment(o.Lookup()), c.Env...),
		Family: o.Family, Log: api.LogWriter(),
		Confine: o.Fence.ConfineBut(fence.Lift{Writes: c.Writes})})
	if err != nil {
		return nil, err
	}
	return &Peer{program: program, host: h, dead: make(chan struct{}),
		wake: make(chan struct{}, 1), token: make(chan struct{}, 1)}, nil
}

// Dead is closed when the program is gone, or is no longer used.
func (p *Peer) Dead() <-chan struct{} { return p.dead }

// Err returns why the program is dead.
func (p *Peer) Err() error {
	<-p.dead
	return p.err
}

// Fail marks the program as dead; the first reason counts. It does not end the process.
func (p *Peer) Fail(err error) {
	p.once.Do(func() {
		p.err = err
		close(p.dead)
	})
}

// End ends the process, which is gone when it returns.
func (p *Peer) End() { p.program.End() }

// Use says that a call begins that the program answers.
func (p *Peer) Use() { p.program.Use() }

// Explain adds to an error what the program wrote last.
func (p *Peer) Explain(err error) error { return p.program.Explain(err, false) }

// Closing reports whether Close was called.
func (p *Peer) Closing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closing
}

// Close asks the program to end, with a last line if there is one and the end of its input, and
// ends it if it takes too long. It does not wait: calls of other scripts may go on meanwhile.
func (p *Peer) Close(last []byte) {
	if last != nil {
		_ = p.Send(last) // it may be gone
	}
	p.mu.Lock()
	p.closing = true
	drained := len(p.queue) == 0
	p.mu.Unlock()
	if drained { // else writeLines does it
		p.program.Close()
	}
	p.host.ending.Go(func() {
		select {
		case <-p.program.Ended():
		case <-time.After(p.host.EndGrace):
		}
		p.Fail(vm.ErrClosed)
		p.End()
	})
}
