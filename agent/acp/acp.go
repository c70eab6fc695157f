// Package acp lets an editor drive the agent: the Agent Client Protocol (agentclientprotocol.com)
// on two streams.
//
//	err := acp.Serve(ctx, acp.Options{In: os.Stdin, Out: os.Stdout, Version: version, Open: open})
//
// Each session of the protocol is an agent of its own, with its own working directory and scripts.
// The messages' types are the Go SDK's of the protocol; the connection is package jsonrpc's, which
// keeps the order in which requests come.
//
// It promises: what a user may not see does not leave; a prompt is answered once, behind all that
// was told of it; a client that goes away, or does not read, ends its sessions in order. It uses
// neither the client's file system nor its terminals.
package acp

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
)

const (
	// settleWait is how long, when the client sends no more, what it has asked for may take to be
	// answered.
	settleWait = 2 * time.Second
	// workWait is how long cancelled work may take to end before its session ends without it.
	workWait = 3 * time.Second
	// tellWait is how long, at the very end, the client may take to read what is left.
	tellWait = 2 * time.Second
	// sessionsMost is how many sessions are open at a time: more threads than an editor shows, and
	// each has its own scripts.
	sessionsMost = 100
)

// Options is what Serve needs. All but List, Log and Limits are required.
type Options struct {
	In      io.Reader
	Out     io.Writer
	Version string // of the program
	// Open makes an agent; Start is not called yet. It is called once for each session, by any
	// goroutine.
	Open func(Front, Place) (*Program, error)
	// List lists the sessions of the project of a folder, newest first; "" is all projects. nil =
	// they are not listed.
	List func(dir string) ([]session.Info, error)
	// Log is told what the client cannot be. May be nil.
	Log func(text string)
	// Limits are for tests.
	Limits jsonrpc.Options
}

// Place is where a session is, and what it begins with.
type Place struct {
	Dir     string             // absolute
	Resume  string             // id of the session to go on with; "" = a new one
	Servers []config.MCPServer // that the client names
}

// Front is what the agent is given to talk to its user.
type Front struct {
	Emit     func(*engine.Event)
	Approver engine.Approver
	Dialogs  engine.Dialogs
	Confirm  func(ctx context.Context, question string) (bool, error)
	Exit     func() // a script ends the session
}

// Program is an agent with what is around it.
type Program struct {
	Engine *engine.Engine
	Agent  *agent.Agent
	Start  func(ctx context.Context) error // loads the scripts and begins the session
	// Chosen are the settings that the program was started with. They win over what a session has
	// kept.
	Chosen engine.Settings
	// Close ends the session and the scripts: cause is exit or signal.
	Close func(ctx context.Context, cause string)
}

// server is one client, from its first line to its last.
type server struct {
	o    Options
	conn *jsonrpc.Conn
	life context.Context // of all that is done for the client
	busy sync.WaitGroup  // goroutines that answer, or work on prompts

	mu       sync.Mutex
	greeted  bool
	client   protocol.ClientCapabilities
	sessions map[string]*thread // by id
	opening  int                // that are not among sessions yet
	ended    bool               // no more are opened
}

// Serve serves one client. It returns when that sends no more, cannot be told anything any more, or
// ctx has ended, as it does at a signal. It leaves the reading of In behind.
func Serve(ctx context.Context, o Options) error {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := &server{o: o, life: life, sessions: map[string]*thread{}}
	limits := o.Limits
	limits.In, limits.Out, limits.Handle, limits.Log = o.In, o.Out, s.take, o.Log
	s.conn = jsonrpc.New(limits)
	read := make(chan error, 1)
	go func() { read <- s.conn.Serve() }()
	cause := "exit"
	var failed error
	select {
	case <-ctx.Done():
		cause = "signal"
	case <-s.conn.Broken():
		failed = s.conn.Err()
	case failed = <-read:
		select { // what was asked for is answered
		case <-s.conn.Settled():
		case <-time.After(settleWait):
		case <-ctx.Done():
			cause = "signal"
		case <-s.conn.Broken():
		}
	}
	cancel()
	s.close(cause)
	late := make(chan struct{})
	defer time.AfterFunc(tellWait, func() { close(late) }).Stop()
	err := s.conn.Close(late)
	if ctx.Err() != nil || failed == nil { // the client may be gone as well, and knows that
		return nil
	}
	if errors.Is(err, failed) {
		return err
	}
	return errors.Join(failed, err)
}

// close ends all sessions, side by side: an editor that quits does not wait for long.
func (s *server) close(cause string) {
	s.mu.Lock()
	s.ended = true
	threads := s.sessions
	s.sessions = map[string]*thread{}
	s.mu.Unlock()
	var all sync.WaitGroup
	for _, t := range threads {
		all.Add(1)
		go func() {
			defer all.Done()
			t.end(cause)
		}()
	}
	all.Wait()
	within(workWait, s.busy.Wait)
}

// within waits for f, not longer than d.
func within(d time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
