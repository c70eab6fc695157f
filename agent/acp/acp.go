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

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/agent/session"
)

const (
	// settleWait is how long, when the client sends no more, what it has asked for may take to be
	// answered.
	settleWait = 2 * time.Second
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
	Open func(remote.User, Place) (*remote.Program, error)
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
	limits.In, limits.Out, limits.Handle, limits.Log = o.In, o.Out, s.takeRequest, o.Log
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
	defer time.AfterFunc(remote.TellWait, func() { close(late) }).Stop()
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
			t.remote.Close(cause)
		}()
	}
	all.Wait()
	remote.Within(remote.WorkWait, s.busy.Wait)
}
