// This file manages the states of a server: connecting, connected, lost, connecting again.

package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
)

// state is the state of a server.
type state string

const (
	connecting state = "connecting"
	ready      state = "ready"
	// not connected: the next attempt is scheduled, or waits for a request
	failed state = "failed"
	off    state = "off" // enabled = false
	gone   state = "closed"
)

const (
	// mostAttempts is how often the program reconnects to a lost server by itself: one that is not
	// back within half a minute waits for a request.
	mostAttempts = 5
	// firstPause is the delay before the first attempt; each further delay is twice as long.
	firstPause = time.Second
	// stable is how long a connection must have lived to reset the count of failures: a server that
	// dies at once, again and again, is given up.
	stable = time.Minute
)

var (
	errClosed    = errors.New("the agent is ending")
	errReconnect = errors.New("the user wants a new connection")
	errOff       = errors.New("it is switched off: enabled = false")
)

// permanent is an error that another attempt would not fix.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// server is one server. keepConnected manages its state; other methods may be called from anywhere.
type server struct {
	m       *Manager
	cfg     config.MCPServer
	prefix  string        // the prefix of its tools' names
	settled chan struct{} // closed after the first attempt
	kick    chan struct{} // requests a connection now

	mu      sync.Mutex
	state   state
	err     error         // why it failed
	conn    *connection   // set if ready
	changed chan struct{} // closed when the state changes
	plugin  *engine.Installed
	offered []*sdk.Tool // the tools in plugin
	names   []string    // of its tools

	givenUp bool // and the user was notified; used by keepConnected only
}

func newServer(m *Manager, c config.MCPServer, prefix string) *server {
	s := &server{m: m, cfg: c, prefix: prefix, settled: make(chan struct{}),
		kick: make(chan struct{}, 1), changed: make(chan struct{}), state: connecting}
	if c.Disabled {
		s.state, s.err = off, errOff
		close(s.settled)
	}
	return s
}

// keepConnected keeps the server connected until ctx ends.
func (s *server) keepConnected(ctx context.Context) {
	defer s.leave()
	failures := 0
	for {
		s.setState(connecting, nil, nil)
		began := time.Now()
		c, err := s.connect(ctx)
		if err == nil {
			s.welcome(c, failures)
			// calls from now on wait for the next state: c is dead
			err = c.live(ctx, s.refresh)
			c.endConnection()
			if time.Since(began) > stable {
				failures = 0
			}
		}
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errReconnect) {
			failures = 0
			continue
		}
		failures++
		s.setState(failed, nil, err)
		s.tellFailure(failures, c != nil, err)
		if !s.pause(ctx, failures, err) {
			return
		}
	}
}

// setState changes the state and wakes those that wait for a change.
func (s *server) setState(to state, c *connection, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.conn, s.err = to, c, err
	close(s.changed)
	s.changed = make(chan struct{})
	if to == connecting {
		return
	}
	select {
	case <-s.settled:
	default:
		close(s.settled)
	}
}

// welcome makes c the current connection.
func (s *server) welcome(c *connection, failures int) {
	s.offer(c.tools)
	s.setState(ready, c, nil)
	s.givenUp = false
	what := "connected"
	if failures > 0 {
		what = "connected again"
	}
	s.notifyChange("info", "%s, %s", what, plain.Count(len(s.toolNames()), "tool"))
}

// leave removes the tools.
func (s *server) leave() {
	s.setState(gone, nil, errClosed)
	s.mu.Lock()
	plugin := s.plugin
	s.mu.Unlock()
	if plugin != nil {
		plugin.Remove()
	}
}

// tellFailure reports the first failure in a row, and the one after which the server is given up.
func (s *server) tellFailure(failures int, lived bool, err error) {
	what := "cannot connect"
	if lived {
		what = "connection lost"
	}
	text := reason(err)
	if !strings.HasPrefix(text, what) {
		text = what + ": " + text
	}
	switch {
	case retried(failures, err):
		if failures == 1 || lived {
			s.notifyChange("warn", "%s; trying again", text)
		}
	case !s.givenUp:
		s.givenUp = true
		s.notifyChange("warn",
			"%s; given up, /mcp reconnect %s tries again, and so does a call of its "+
				"tools", text, s.cfg.Name)
	}
}

// retried reports whether the program tries the server again by itself.
func retried(failures int, err error) bool {
	return failures <= mostAttempts && !errors.As(err, &permanent{})
}

// pause waits until the next attempt; false: ctx has ended.
func (s *server) pause(ctx context.Context, failures int, err error) bool {
	var due <-chan time.Time
	if retried(failures, err) {
		t := time.NewTimer(firstPause << (failures - 1))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-due:
	case <-s.kick:
	}
	return true
}

// wake starts the next attempt now, if the server is waiting for it.
func (s *server) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// connected returns the connection. If there is none, it tries to connect once more; the error says
// why that failed.
func (s *server) connected(ctx context.Context) (*connection, error) {
	for woken := false; ; {
		s.mu.Lock()
		at, c, err, changed := s.state, s.conn, s.err, s.changed
		s.mu.Unlock()
		switch {
		case at == ready && !c.isDead():
			return c, nil
		case at == gone, at == off, at == failed && woken:
			return nil, fmt.Errorf("MCP server %s is not connected: %w", s.cfg.Name, err)
		case at == failed:
			woken = true
			s.wake()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("MCP server %s is not connected yet: %w", s.cfg.Name,
				context.Cause(ctx))
		}
	}
}

// reconnect closes the connection, if there is one, and waits until a new one is ready or has
// failed.
func (s *server) reconnect(ctx context.Context) error {
	s.mu.Lock()
	at, c, changed := s.state, s.conn, s.changed
	s.mu.Unlock()
	switch at {
	case off:
		return errOff
	case ready:
		c.failWith(errReconnect)
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	_, err := s.connected(ctx)
	return err
}

func (s *server) notifyChange(level, format string, args ...any) {
	s.m.o.Notify(plain.Line(s.hide("mcp: "+s.cfg.Name+": "+fmt.Sprintf(format, args...)),
		maxNotice), level)
}
