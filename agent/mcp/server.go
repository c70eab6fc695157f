// This file is the life of one server: connecting, connected, lost, connecting again.

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
)

// state is how far a server is.
type state string

const (
	connecting state = "connecting"
	ready      state = "ready"
	// not connected: it will be tried again by itself, or when somebody wants it
	failed state = "failed"
	off    state = "off" // enabled = false
	gone   state = "closed"
)

const (
	// mostAttempts is how often a lost server is tried again by itself: what does not come back
	// within half a minute waits until it is wanted.
	mostAttempts = 5
	// firstPause is the time before the first of these; each further one is twice as long.
	firstPause = time.Second
	// stable is how long a connection must have lived for its loss to be the first: a server that
	// dies at once, again and again, is given up.
	stable = time.Minute
)

var (
	errClosed    = errors.New("the agent is ending")
	errReconnect = errors.New("the user wants a new connection")
	errOff       = errors.New("it is switched off: enabled = false")
)

// permanent is an error that trying again does not mend.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// server is one server. run owns its life; the rest may be called from anywhere.
type server struct {
	m       *Manager
	cfg     config.MCPServer
	prefix  string        // what the names of its tools begin with
	settled chan struct{} // closed once the first attempt has ended
	kick    chan struct{} // somebody wants a connection now

	mu      sync.Mutex
	state   state
	err     error         // why it failed
	conn    *connection   // if ready
	changed chan struct{} // closed when the state changes
	plugin  *engine.Installed
	offered []*sdk.Tool // what plugin was made of
	names   []string    // of its tools

	givenUp bool // and the user was told; of run alone
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
			// calls that come from now on wait for what follows: c is dead
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

// setState moves to another state and wakes who waits for that.
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

// welcome makes the connection the one that calls use.
func (s *server) welcome(c *connection, failures int) {
	s.offer(c.tools)
	s.setState(ready, c, nil)
	s.givenUp = false
	what := "connected"
	if failures > 0 {
		what = "connected again"
	}
	s.notifyChange("info", "%s, %s", what, plural(len(s.toolNames()), "tool"))
}

// leave takes the tools back.
func (s *server) leave() {
	s.setState(gone, nil, errClosed)
	s.mu.Lock()
	plugin := s.plugin
	s.mu.Unlock()
	if plugin != nil {
		plugin.Remove()
	}
}

// tellFailure tells of the first failure in a row, and of the one after which the server is given
// up.
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
			"%s; given up, /mcp reconnect %s tries again, and so does a call of its tools", text, s.cfg.Name)
	}
}

// retried reports whether the server is tried again by itself.
func retried(failures int, err error) bool {
	return failures <= mostAttempts && !errors.As(err, &permanent{})
}

// pause waits until the server is to be tried again; false: never, ctx has ended.
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

// wake has the server tried now, if it waits.
func (s *server) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// connected returns the connection. If there is none, it tries to connect once more; the error
// tells why that failed.
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
	s.m.o.Notify(line(s.hide("mcp: "+s.cfg.Name+": "+fmt.Sprintf(format, args...)), maxNotice),
		level)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
