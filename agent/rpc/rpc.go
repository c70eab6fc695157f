// Package rpc lets another program drive the agent: JSON-RPC 2.0 on two streams, one message per
// line.
//
//	err := rpc.Serve(ctx, rpc.Options{In: os.Stdin, Out: os.Stdout, Version: version, Open: open})
//
// Methods lists the requests, Notifications the notifications; tests compare docs/rpc.md with both.
// The agent is opened after the client's initialize, which says whether a user can answer
// questions.
//
// It promises: the output is masked for the user; prompts take effect in the order in which they
// were sent; the end of each is reported once, after all its events; if a client disconnects or
// stops reading, its session ends normally.
package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
)

// Protocol is the version of the methods. Within a version, fields and methods are only added.
const Protocol = 1

const (
	// settleWait is how long, after the client's last message, its requests may take to be
	// answered.
	settleWait = 15 * time.Second
	// laneMost is how many requests may wait for earlier ones: more than a person sends.
	laneMost = 1000
	// besideMost is how many requests run concurrently: each may hold a script's goroutine.
	besideMost = 1000
)

// Options configures Serve. All fields except Log are required.
type Options struct {
	In      io.Reader
	Out     io.Writer
	Version string // of the program
	// EventNames are the names of all events, and EventVersion is the version of their fields.
	EventNames   []string
	EventVersion int
	// Open creates the agent. It is called once, by the first request.
	Open func(remote.User) (*remote.Program, error)
	// Log receives messages that cannot be sent to the client. May be nil.
	Log func(text string)
	// Limits are for tests.
	Limits jsonrpc.Options
}

// server is one client, from its first line to its last.
type server struct {
	o     Options
	conn  *jsonrpc.Conn
	desk  *desk
	pane  *pane
	table map[string]*Method
	names []string // of the methods

	remote *remote.Session
	lane   chan job
	side   chan struct{} // holds a token for each request that runs beside

	greeted atomic.Bool // initialize has succeeded
	leaving atomic.Bool // shutdown when idle: no more requests are accepted
	once    sync.Once
	over    chan struct{} // closed when the session must end
	err     error         // the failure that ends it, if any; set before over is closed

	started chan struct{}   // closed when p is set and its session has begun
	p       *remote.Program // set before started is closed
	filter  *filter
	runsMu  sync.Mutex
	runs    map[int]context.CancelFunc // of the requests that abort cancels
	runID   int
}

// Serve serves one client. It returns when the session has ended: nil if the client requested that
// or sends no more, or if ctx has ended, as on a signal. A pending read of In may outlive it.
func Serve(ctx context.Context, o Options) error {
	s := &server{o: o, table: map[string]*Method{}, lane: make(chan job, laneMost),
		side: make(chan struct{}, besideMost), over: make(chan struct{}),
		started: make(chan struct{}), runs: map[int]context.CancelFunc{}}
	for _, m := range Methods() {
		s.table[m.Name] = &m
		s.names = append(s.names, m.Name)
	}
	limits := o.Limits
	limits.In, limits.Out, limits.Handle, limits.Log = o.In, o.Out, s.takeRequest, o.Log
	s.conn = jsonrpc.New(limits)
	s.desk, s.pane = newDesk(s), &pane{s: s, panels: map[string]*frame{}}
	s.remote = remote.New(context.WithoutCancel(ctx))
	defer s.remote.Cancel()
	s.remote.Go(s.runLane)
	go s.readRequests()
	cause := "exit"
	select {
	case <-ctx.Done():
		cause = "signal"
	case <-s.conn.Broken():
	case <-s.over:
	}
	s.remote.Cancel()
	s.desk.close()
	s.remote.Close(cause)
	late := make(chan struct{})
	defer time.AfterFunc(remote.TellWait, func() { close(late) }).Stop()
	select {
	case <-s.conn.Settled():
	case <-s.conn.Broken():
	case <-late:
	}
	err := s.conn.Close(late)
	if ctx.Err() != nil { // the client may be gone, too
		return nil
	}
	select {
	case <-s.over:
		return errors.Join(s.err, err)
	default:
		return err
	}
}

// readRequests reads requests until there are no more, and waits for their answers.
func (s *server) readRequests() {
	err := s.conn.Serve()
	if s.leaving.Load() && err == nil {
		s.desk.close() // nobody can answer any more
		return
	}
	select {
	case <-s.conn.Settled():
	case <-time.After(settleWait):
	case <-s.remote.Life().Done():
	}
	s.endSession(err)
}

// endSession makes the session end. It may be called from any goroutine.
func (s *server) endSession(err error) {
	s.once.Do(func() {
		s.err = err
		close(s.over)
	})
}

// openSession creates the agent and begins its session.
func (s *server) openSession(capabilities params) error {
	w := remote.Wire{Emit: s.emitEvent, Wants: s.filter.interest(s.o.EventNames),
		Exit: func() { s.endSession(nil) }}
	if capabilities.truth("surface") {
		w.Surface = s.pane.surface(capabilities.truth("panels"))
	}
	if capabilities.truth("ui") {
		w.Ask = s.desk.Ask
	}
	if err := s.remote.Open(w, s.o.Open); err != nil {
		return err
	}
	s.p = s.remote.Program()
	if err := s.p.Start(s.remote.Life()); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	close(s.started)
	s.remote.Go(func() {
		if s.remote.Work() {
			s.endSession(nil)
		}
	})
	return nil
}
