// This file dispatches and validates requests.

package acp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

// The protocol's own error codes. Source: agentclientprotocol.com, schema, "ErrorCode".
const (
	cancelledCode = -32800
	notFoundCode  = -32002
)

// method handles a request.
type method struct {
	name string
	// take is called by the reader: slow work must run elsewhere.
	take func(s *server, r *jsonrpc.Request)
}

func methods() []method {
	return []method{
		{protocol.AgentMethodInitialize, soon((*server).initialize)},
		{protocol.AgentMethodAuthenticate, soon((*server).authenticate)},
		{protocol.AgentMethodSessionNew, beside((*server).newSession)},
		{protocol.AgentMethodSessionLoad, beside((*server).loadSession)},
		{protocol.AgentMethodSessionResume, beside((*server).resumeSession)},
		{protocol.AgentMethodSessionClose, beside((*server).closeSession)},
		{protocol.AgentMethodSessionList, beside((*server).listSessions)},
		{protocol.AgentMethodSessionPrompt, decoded((*server).prompt)},
		{protocol.AgentMethodSessionCancel, soon((*server).cancel)},
		{protocol.AgentMethodSessionSetMode, soon((*server).setMode)},
		{protocol.AgentMethodSessionSetModel, soon((*server).setModel)},
		{protocol.AgentMethodSessionSetConfigOption, soon((*server).setOption)},
	}
}

// valid is a pointer to the parameters of a method.
type valid[T any] interface {
	*T
	Validate() error
}

// decoded returns a method that answers the request itself.
func decoded[T any, P valid[T]](run func(s *server, r *jsonrpc.Request, p P)) func(*server,
	*jsonrpc.Request) {
	return func(s *server, r *jsonrpc.Request) {
		p := P(new(T))
		err := json.Unmarshal(orEmpty(r.Params), p)
		if err == nil {
			err = p.Validate()
		}
		if err != nil {
			r.Answer(nil, wrong("%s: params: %s", r.Method, badParams(r.Params, err)))
			return
		}
		run(s, r, p)
	}
}

func orEmpty(params json.RawMessage) json.RawMessage {
	if params == nil {
		return json.RawMessage("{}")
	}
	return params
}

// soon returns a method that finishes before the next request is read.
func soon[T, R any, P valid[T]](run func(s *server, p P) (R, error)) func(*server,
	*jsonrpc.Request) {
	return decoded(func(s *server, r *jsonrpc.Request, p P) {
		r.Do(func() (any, error) { return answerOf(run(s, p)) })
	})
}

// beside returns a method that runs on its own goroutine. answer sends the result early; the method
// may continue after it.
func beside[T, R any, P valid[T]](run func(s *server, p P, answer func(R)) (R, error)) func(*server,
	*jsonrpc.Request) {
	return decoded(func(s *server, r *jsonrpc.Request, p P) {
		s.busy.Add(1)
		go func() {
			defer s.busy.Done()
			r.Do(func() (any, error) {
				return answerOf(run(s, p, func(result R) { r.Answer(result, nil) }))
			})
		}()
	})
}

// takeRequest handles each request, on the reader's goroutine.
func (s *server) takeRequest(r *jsonrpc.Request) {
	var names []string
	for _, m := range methods() {
		if m.name != r.Method {
			names = append(names, m.name)
			continue
		}
		if err := s.checkState(r.Method); err != nil {
			r.Answer(nil, err)
			return
		}
		m.take(s, r)
		return
	}
	if r.Notification() && strings.HasPrefix(r.Method, "$/") { // these may be ignored
		return
	}
	r.Answer(nil, jsonrpc.Errorf(jsonrpc.MethodNotFound, "unknown method %.80q%s", r.Method,
		suggest.DidYouMean(r.Method, names)))
}

// checkState returns why a method is not allowed at the moment.
func (s *server) checkState(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.greeted && name != protocol.AgentMethodInitialize {
		return jsonrpc.Errorf(jsonrpc.InvalidRequest, "%s: send initialize first", name)
	}
	return nil
}

// answerOf converts an answer to the protocol's form.
func answerOf[R any](result R, err error) (any, error) {
	if err == nil {
		return result, nil
	}
	return nil, asError(err)
}

func asError(err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	var w *fault.WorldError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled), errors.Is(err, remote.ErrEnding):
		return jsonrpc.Errorf(cancelledCode, "cancelled")
	case errors.As(err, &w) && w.Code == "not_found":
		return jsonrpc.Errorf(notFoundCode, "%s", plain.Error(err))
	}
	return jsonrpc.Errorf(jsonrpc.InternalError, "%s", plain.Error(err))
}

// wrong returns the error for invalid parameters.
func wrong(format string, args ...any) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.InvalidParams, format, args...)
}

// initialize agrees on the version of the protocol: the client's, if it is supported, else our own.
func (s *server) initialize(p *protocol.InitializeRequest) (*protocol.InitializeResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.greeted {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidRequest, "initialize: it was sent already")
	}
	s.greeted, s.client = true, p.ClientCapabilities
	capable := protocol.AgentCapabilities{
		LoadSession:        true,
		PromptCapabilities: protocol.PromptCapabilities{Image: true, EmbeddedContext: true},
		McpCapabilities:    protocol.McpCapabilities{Http: true},
		SessionCapabilities: protocol.SessionCapabilities{
			Resume: &protocol.SessionResumeCapabilities{},
			Close:  &protocol.SessionCloseCapabilities{},
		},
	}
	if s.o.List != nil {
		capable.SessionCapabilities.List = &protocol.SessionListCapabilities{}
	}
	return &protocol.InitializeResponse{ProtocolVersion: protocol.ProtocolVersionNumber,
		AgentCapabilities: capable, AuthMethods: []protocol.AuthMethod{},
		AgentInfo: &protocol.Implementation{Name: "agent", Title: protocol.Ptr("agent"),
			Version: s.o.Version}}, nil
}

// authenticate does nothing: keys come from the environment and the configuration.
func (s *server) authenticate(p *protocol.AuthenticateRequest) (*protocol.AuthenticateResponse,
	error) {
	return nil, wrong(
		"authenticate: there is no method %.40q: keys of model servers come from the environment "+
			"or from config.toml", string(p.MethodId))
}
