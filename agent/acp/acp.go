// Package acp lets an editor drive the agent by the Agent Client Protocol (agentclientprotocol.com)
// on two streams.
//
//	err := acp.Serve(ctx, acp.Options{In: os.Stdin, Out: os.Stdout, Version: version, Open: open})
//
// Each session of the protocol is an agent of its own, with its own working directory and scripts.
// The messages' types are those of the protocol's Go SDK; the connection is package jsonrpc's,
// which keeps requests in order.
//
// It promises: the output is masked for the user; a prompt is answered once, after all its updates;
// if a client disconnects or stops reading, its sessions end normally. It uses neither the client's
// file system nor its terminals.
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
	// settleWait is how long, after the client's last message, its requests may take to be
	// answered.
	settleWait = 2 * time.Second
	// sessionsMost is how many sessions may be open at once: more threads than an editor shows, and
	// each has its own scripts.
	sessionsMost = 100
)

// Options configures Serve. All fields except List, Log and Limits are required.
type Options struct {
	In      io.Reader
	Out     io.Writer
	Version string // of the program
	// Open creates an agent without calling its Start. It is called once for each session, from any
	// goroutine.
	Open func(remote.User, Place) (*remote.Program, error)
	// List lists the sessions of a folder's project, newest first; "" means all projects. nil = not
	// supported.
	List func(dir string) ([]session.Info, error)
	// Log receives messages that cannot be sent to the client. May be nil.
	Log func(text string)
	// Limits are for tests.
	Limits jsonrpc.Options
}

// Place is the place of a session, and its beginning.
type Place struct {
	Dir     string             // absolute
	Resume  string             // id of the session to resume; "" = a new one
	Servers []config.MCPServer // named by the client
}

// server serves one client, from its first line to its last.
type server struct {
	o    Options
	conn *jsonrpc.Conn
	life context.Context // of all work for the client
	busy sync.WaitGroup  // goroutines that answer, or process prompts

	mu       sync.Mutex
	greeted  bool
	client   protocol.ClientCapabilities
	sessions map[string]*thread // by id
	opening  int                // those not among sessions yet
	ended    bool               // no more are opened
}

// Serve serves one client. It returns when the client sends no more or can no longer be reached, or
// when ctx ends, as on a signal. A pending read of In may outlive it.
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
		select { // all requests have been answered
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
	if ctx.Err() != nil || failed == nil { // the client may be gone, too, and knows why
		return nil
	}
	if errors.Is(err, failed) {
		return err
	}
	return errors.Join(failed, err)
}

// close ends all sessions concurrently, because an editor that quits does not wait long.
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
