// This file runs a session of the protocol: an agent from its opening to its end.

package acp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
)

// thread is a session of the protocol. Fields without a lock do not change after it was added to
// the server's sessions.
type thread struct {
	s    *server
	id   protocol.SessionId
	dir  string
	p    *remote.Program
	view view

	remote *remote.Session
	asking asking
	known  signal        // the client knows the id
	asks   signal        // the client must learn the id soon: there is a question for it
	begun  chan struct{} // closed when the agent has started; failed is valid then
	failed error
}

// signal is an event that happens once.
type signal struct {
	given chan struct{}
	once  *sync.Once
}

func newSignal() signal { return signal{make(chan struct{}), &sync.Once{}} }

func (s signal) give() { s.once.Do(func() { close(s.given) }) }

// checkDir validates a working directory.
func checkDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return wrong("cwd: got %.200q, want an absolute path", dir)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wrong("cwd: there is no folder %.200q", dir)
	case err != nil:
		return wrong("cwd: %s", plain.Error(err))
	case !info.IsDir():
		return wrong("cwd: %s is no folder", dir)
	}
	return nil
}

// openSession creates the agent of a session and starts it, which may block until the client has
// answered questions.
func (s *server) openSession(at Place, named []protocol.McpServer) (*thread, error) {
	servers, left := servers(named)
	at.Servers = servers
	if err := checkDir(at.Dir); err != nil {
		return nil, err
	}
	if err := s.reserve(); err != nil {
		return nil, err
	}
	t := &thread{s: s, dir: at.Dir, remote: remote.New(s.life), known: newSignal(),
		asks: newSignal(), begun: make(chan struct{})}
	t.view.t, t.asking.t = t, t
	err := t.remote.Open(remote.Wire{Emit: t.view.emitEvent,
		Wants: event.Except("hook_finished"), Ask: t.asking.Ask, Insert: t.insert,
		Exit: t.exit}, func(u remote.User) (*remote.Program, error) { return s.o.Open(u, at) })
	p := t.remote.Program()
	// a prefix of an id is not accepted
	if err == nil && at.Resume != "" && p.Agent.Session().ID() != at.Resume {
		p.Close(context.WithoutCancel(s.life), "exit")
		err = unknownSession(at.Resume)
	}
	if err != nil {
		s.keep(nil)
		t.remote.Cancel()
		return nil, err
	}
	t.p, t.id = p, protocol.SessionId(p.Agent.Session().ID())
	// the client may load it before anything was said; a failure is reported with the first entry
	_ = p.Agent.Session().Create()
	for _, text := range left {
		t.view.notice(level("warn") + by("mcp") + text)
	}
	if !s.keep(t) {
		t.remote.Close("exit")
		return nil, jsonrpc.Errorf(cancelledCode, "the program is about to end")
	}
	t.remote.Go(t.runThread)
	return t, nil
}

// reserve counts a session that is being opened; keep releases the reservation.
func (s *server) reserve() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return jsonrpc.Errorf(cancelledCode, "the program is about to end")
	case len(s.sessions)+s.opening >= sessionsMost:
		return jsonrpc.Errorf(jsonrpc.InternalError, "%d sessions are open: close one first",
			sessionsMost)
	}
	s.opening++
	return nil
}

// keep adds t to the server's sessions; nil: opening failed. It returns false if the server is
// ending.
func (s *server) keep(t *thread) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening--
	if t == nil || s.ended {
		return false
	}
	s.sessions[string(t.id)] = t
	return true
}

// drop removes and returns a session; nil if it is not open.
func (s *server) drop(id string) *thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.sessions[id]
	delete(s.sessions, id)
	return t
}

// thread returns the session with this id.
func (s *server) thread(id protocol.SessionId) (*thread, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.sessions[string(id)]; t != nil {
		return t, nil
	}
	return nil, unknownSession(string(id))
}

func unknownSession(id string) error {
	return jsonrpc.Errorf(notFoundCode,
		"no session %.80q is open, or was written down for this folder", id)
}

// runThread starts the agent and processes its input.
func (t *thread) runThread() {
	err := t.beginSession(t.remote.Life())
	if err != nil {
		t.failed = fmt.Errorf("start: %w", err)
	}
	close(t.begun)
	if err == nil {
		t.remote.Work()
	}
}

// ready waits until the agent has started or, if early is set, until it asks the client something
// before that.
func (t *thread) ready(early bool) error {
	var asks chan struct{}
	if early {
		asks = t.asks.given
	}
	select {
	case <-t.begun:
	case <-asks:
		return nil
	case <-t.remote.Life().Done():
		return context.Canceled
	}
	if t.failed != nil {
		t.s.drop(string(t.id))
		t.remote.Close("exit")
	}
	return t.failed
}

// introduce is called after the client has received the id.
func (t *thread) introduce() {
	t.known.give()
	early := false
	select {
	case <-t.begun:
	default:
		early = true
	}
	t.view.release()
	if t.ready(false) == nil {
		t.view.introduce(early)
	}
}

// exit ends the session at a script's request.
func (t *thread) exit() {
	t.view.notice("a script has ended this session")
	t.s.busy.Add(1)
	go func() {
		defer t.s.busy.Done()
		if t.s.drop(string(t.id)) == t {
			t.remote.Close("exit")
		}
	}()
}

func (s *server) newSession(p *protocol.NewSessionRequest,
	answer func(*protocol.NewSessionResponse)) (*protocol.NewSessionResponse, error) {
	t, err := s.openSession(Place{Dir: p.Cwd}, p.McpServers)
	if err != nil {
		return nil, err
	}
	if err := t.ready(true); err != nil {
		return nil, err
	}
	answer(&protocol.NewSessionResponse{SessionId: t.id, Modes: t.modes(), Models: t.models(),
		ConfigOptions: t.options()})
	t.introduce()
	return nil, nil
}

func (s *server) loadSession(p *protocol.LoadSessionRequest,
	answer func(*protocol.LoadSessionResponse)) (*protocol.LoadSessionResponse, error) {
	t, err := s.again(p.SessionId, p.Cwd, p.McpServers)
	if err != nil {
		return nil, err
	}
	t.view.replay(t.remote.History())
	answer(&protocol.LoadSessionResponse{Modes: t.modes(), Models: t.models(),
		ConfigOptions: t.options()})
	t.introduce()
	return nil, nil
}

func (s *server) resumeSession(p *protocol.ResumeSessionRequest,
	answer func(*protocol.ResumeSessionResponse)) (*protocol.ResumeSessionResponse, error) {
	t, err := s.again(p.SessionId, p.Cwd, p.McpServers)
	if err != nil {
		return nil, err
	}
	answer(&protocol.ResumeSessionResponse{Modes: t.modes(), Models: t.models(),
		ConfigOptions: t.options()})
	t.introduce()
	return nil, nil
}

// again reopens a session. If it is open, it is ended first: the client has forgotten it.
func (s *server) again(id protocol.SessionId, dir string, named []protocol.McpServer) (*thread,
	error) {
	if strings.TrimSpace(string(id)) == "" {
		return nil, wrong("sessionId: it is empty")
	}
	if err := checkDir(dir); err != nil {
		return nil, err
	}
	if t := s.drop(string(id)); t != nil {
		t.remote.Close("exit")
	}
	t, err := s.openSession(Place{Dir: dir, Resume: string(id)}, named)
	if err != nil {
		return nil, err
	}
	t.known.give()
	return t, t.ready(false)
}

func (s *server) closeSession(p *protocol.CloseSessionRequest,
	_ func(*protocol.CloseSessionResponse)) (*protocol.CloseSessionResponse, error) {
	t := s.drop(string(p.SessionId))
	if t == nil {
		return nil, unknownSession(string(p.SessionId))
	}
	t.remote.Close("exit")
	return &protocol.CloseSessionResponse{}, nil
}

func (s *server) listSessions(p *protocol.ListSessionsRequest,
	_ func(*protocol.ListSessionsResponse)) (*protocol.ListSessionsResponse, error) {
	if s.o.List == nil {
		return nil, jsonrpc.Errorf(jsonrpc.MethodNotFound, "sessions are not listed")
	}
	dir := ""
	if p.Cwd != nil {
		if dir = *p.Cwd; !filepath.IsAbs(dir) {
			return nil, wrong("cwd: got %.200q, want an absolute path", dir)
		}
	}
	infos, err := s.o.List(dir)
	if err != nil {
		return nil, err
	}
	list := make([]protocol.SessionInfo, len(infos))
	for n := range infos {
		i := &infos[n]
		list[n] = protocol.SessionInfo{SessionId: protocol.SessionId(i.ID), Cwd: i.CWD,
			Title:     protocol.Ptr(plain.Text(i.Title())),
			UpdatedAt: protocol.Ptr(i.Modified.UTC().Format(time.RFC3339))}
	}
	return &protocol.ListSessionsResponse{Sessions: list}, nil
}

func (t *thread) permission() event.Permission { return t.p.Agent.Envelope().Permission }
