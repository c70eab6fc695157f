// Package rpc lets another program drive the agent: JSON-RPC 2.0 on two streams, one message per
// line.
//
//	err := rpc.Serve(ctx, rpc.Options{In: os.Stdin, Out: os.Stdout, Version: version, Open: open})
//
// What can be asked is the table of Methods, what is told by itself that of Notifications;
// docs/rpc.md is held against both. The agent is opened when the client has said who it is: only
// then it is known whether somebody can be asked.
//
// It promises: what a user may not see does not leave; prompts take effect in the order in which
// they were sent; each one's end is told once, behind all its events; a client that goes away, or
// does not read, ends the session in order.
package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/engine"
)

// Protocol is the version of the methods. Within one, fields and methods are only added.
const Protocol = 1

const (
	// settleWait is how long, when the client sends no more, what it has asked for may take to be
	// answered.
	settleWait = 15 * time.Second
	// workWait is how long a cancelled prompt may take to end before the session ends without it.
	workWait = 3 * time.Second
	// tellWait is how long, at the very end, the client may take to read what is left.
	tellWait = 2 * time.Second
	// laneMost is how many requests wait for those before them: more than anybody sends by hand.
	laneMost = 1000
	// besideMost is how many requests are answered side by side: each may hold a script's
	// goroutine.
	besideMost = 1000
)

// Options is what Serve needs. All but Log are required.
type Options struct {
	In      io.Reader
	Out     io.Writer
	Version string // of the program
	// EventNames are the names of all events, and EventVersion is the version of what they say.
	EventNames   []string
	EventVersion int
	// Open makes the agent. It is called once, by the first request.
	Open func(Front) (*Program, error)
	// Log is told what the client cannot be. May be nil.
	Log func(text string)
	// Limits are for tests.
	Limits jsonrpc.Options
}

// Front is what the agent is given to talk to its user.
type Front struct {
	Emit     func(*engine.Event)
	Approver engine.Approver // nil: nobody can be asked
	Dialogs  engine.Dialogs  // nil: nobody can be asked
	Surface  *engine.Surface // nil: the client shows nothing of scripts
	Confirm  func(ctx context.Context, question string) (bool, error)
	Exit     func() // a script ends the program
}

// Program is the agent with what is around it.
type Program struct {
	Engine *engine.Engine
	Agent  *agent.Agent
	Start  func(ctx context.Context) error // loads the scripts and begins the session
	// Close ends the session and the scripts: cause is exit or signal.
	Close   func(ctx context.Context, cause string)
	Scripts func() []Script
	Reload  func(ctx context.Context)
}

// server is one client, from its first line to its last.
type server struct {
	o     Options
	conn  *jsonrpc.Conn
	desk  *desk
	pane  *pane
	table map[string]*Method
	names []string // of the methods

	life context.Context // of all that is done for the client
	lane chan job
	side chan struct{}  // a token for each request that is answered beside
	busy sync.WaitGroup // the lane, and the work on prompts

	greeted atomic.Bool // initialize was understood
	leaving atomic.Bool // shutdown when idle: nothing more is taken
	leave   chan struct{}
	once    sync.Once
	over    chan struct{} // closed when the session is to end
	err     error         // why, if that is a failure; before over is closed

	started  chan struct{} // closed when p is there and its session has begun
	p        *Program
	opened   atomic.Pointer[Program] // p, before it has started
	filter   *filter
	runsMu   sync.Mutex
	runs     map[int]context.CancelFunc // of requests that abort ends
	runID    int
	inputsMu sync.Mutex
	inputs   map[string]bool // ids of prompts whose end was not told
}

// Serve serves one client. It returns when the session has ended: nil if the client wanted that,
// sends no more, or ctx has ended, as it does at a signal. It leaves the reading of In behind.
func Serve(ctx context.Context, o Options) error {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := &server{o: o, life: life, table: map[string]*Method{}, lane: make(chan job, laneMost),
		side: make(chan struct{}, besideMost), leave: make(chan struct{}),
		over: make(chan struct{}), started: make(chan struct{}), runs: map[int]context.CancelFunc{},
		inputs: map[string]bool{}}
	for _, m := range Methods() {
		s.table[m.Name] = &m
		s.names = append(s.names, m.Name)
	}
	limits := o.Limits
	limits.In, limits.Out, limits.Handle, limits.Log = o.In, o.Out, s.take, o.Log
	s.conn = jsonrpc.New(limits)
	s.desk, s.pane = newDesk(s), &pane{s: s, panels: map[string]*frame{}}
	s.busy.Add(1)
	go s.runLane()
	go s.read()
	cause := "exit"
	select {
	case <-ctx.Done():
		cause = "signal"
	case <-s.conn.Broken():
	case <-s.over:
	}
	cancel()
	s.desk.close()
	s.close(cause)
	late := make(chan struct{})
	defer time.AfterFunc(tellWait, func() { close(late) }).Stop()
	select {
	case <-s.conn.Settled():
	case <-s.conn.Broken():
	case <-late:
	}
	err := s.conn.Close(late)
	if ctx.Err() != nil { // the client may be gone as well
		return nil
	}
	select {
	case <-s.over:
		return errors.Join(s.err, err)
	default:
		return err
	}
}

// read reads requests until there are no more; then what was asked for is answered.
func (s *server) read() {
	err := s.conn.Serve()
	if s.leaving.Load() && err == nil {
		s.desk.close() // nobody can answer any more
		return
	}
	select {
	case <-s.conn.Settled():
	case <-time.After(settleWait):
	case <-s.life.Done():
	}
	s.end(err)
}

// end lets the session end. Call it from any goroutine.
func (s *server) end(err error) {
	s.once.Do(func() {
		s.err = err
		close(s.over)
	})
}

// close waits for the work, not for ever, and ends the session.
func (s *server) close(cause string) {
	done := make(chan struct{})
	go func() {
		s.busy.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(workWait):
	}
	if p := s.opened.Load(); p != nil {
		s.endAll()
		p.Close(context.Background(), cause)
	}
}

// open makes the agent and begins its session.
func (s *server) open(capabilities params) error {
	front := Front{Emit: s.emit, Exit: func() { s.end(nil) }}
	if capabilities.truth("surface") {
		front.Surface = s.pane.surface(capabilities.truth("panels"))
	}
	if capabilities.truth("ui") {
		front.Approver, front.Dialogs = s.desk, s.desk
		front.Confirm = func(ctx context.Context, question string) (bool, error) {
			return s.desk.Confirm(ctx, &engine.Dialog{Kind: "confirm", Title: question})
		}
	}
	p, err := s.o.Open(front)
	if err != nil {
		return err
	}
	s.p = p
	s.opened.Store(p)
	if err := p.Start(s.life); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	close(s.started)
	s.busy.Add(1)
	go s.work()
	return nil
}
