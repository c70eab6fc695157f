// This file dispatches and validates requests.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Our own error codes. Errors of the application have data {code}: busy, not_found, refused,
// cancelled, ...
const (
	notInitialized = -32002
	endingCode     = -32003
)

// params are the validated parameters of a request.
type params map[string]any

func (p params) text(key string) string { return value.Text(p, key) }

func (p params) truth(key string) bool {
	b, _ := p[key].(bool)
	return b
}

func (p params) number(key string, otherwise int) int {
	if n, ok := value.Number(p[key]); ok {
		return int(max(-math.MaxInt32, min(n, math.MaxInt32))) // no list is longer
	}
	return otherwise
}

// takeRequest handles each request on the reader's goroutine.
func (s *server) takeRequest(r *jsonrpc.Request) {
	m := s.table[r.Method]
	if m == nil {
		r.Answer(nil, jsonrpc.Errorf(jsonrpc.MethodNotFound, "unknown method %.80q%s", r.Method,
			suggest.DidYouMean(r.Method, s.names)))
		return
	}
	p, err := m.check(r.Params)
	if err == nil {
		err = s.checkState(m)
	}
	if err == nil && m.first != nil {
		err = m.first(s, p)
	}
	if err != nil {
		r.Answer(nil, err)
		return
	}
	switch m.when {
	case atOnce:
		r.Do(func() (any, error) { return m.run(s, s.remote.Life(), p) })
		if m.then != nil {
			m.then(s, p)
		}
	case beside:
		select {
		case s.side <- struct{}{}:
			go s.beside(r, m, p)
		default:
			r.Answer(nil, failure("busy", "too many requests are under way already"))
		}
	default:
		select {
		case s.lane <- job{func() { s.inOrder(r, m, p) }, func() { r.Answer(nil, ending(m)) }}:
		default:
			r.Answer(nil, failure("busy", "too many requests wait already"))
		}
	}
}

// checkState returns why a method is not allowed at the moment.
func (s *server) checkState(m *Method) error {
	switch greeted := s.greeted.Load(); {
	case m.Name == "initialize" && greeted:
		return jsonrpc.Errorf(jsonrpc.InvalidRequest, "initialize: it was sent already")
	case m.Name != "initialize" && m.Name != "shutdown" && !greeted:
		return jsonrpc.Errorf(notInitialized, "%s: send initialize first", m.Name)
	case s.leaving.Load() && m.when != atOnce && m.Name != "abort":
		return ending(m)
	}
	return nil
}

// check validates parameters. The error says what is wrong.
func (m *Method) check(text json.RawMessage) (params, error) {
	given := map[string]any{}
	if text != nil {
		if err := json.Unmarshal(text, &given); err != nil {
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%s: %s", m.Name, plain.Error(err))
		}
	}
	if len(m.Params) == 0 {
		for k := range given {
			return nil, jsonrpc.Errorf(jsonrpc.InvalidParams,
				"%s: unknown key %.80q: it takes no parameters", m.Name, k)
		}
		return nil, nil
	}
	args, err := value.CheckArgs(m.Name, []value.Field{
		{Name: "params", Type: "table", Fields: m.Params}}, []any{given})
	if err != nil {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%s",
			strings.ReplaceAll(plain.Error(err), "got nil", "got nothing"))
	}
	p, _ := args[0].(map[string]any)
	return p, nil
}

// job is a task for after all earlier ones.
type job struct {
	run  func()
	drop func() // called instead if the session ends; may be nil
}

// runLane runs the tasks that must be done in order.
func (s *server) runLane() {
	for {
		select {
		case j := <-s.lane:
			j.run()
			continue
		case <-s.remote.Life().Done():
		}
		for { // drop the rest
			select {
			case j := <-s.lane:
				if j.drop != nil {
					j.drop()
				}
				continue
			default:
			}
			return
		}
	}
}

// inOrder processes a request after all earlier ones.
func (s *server) inOrder(r *jsonrpc.Request, m *Method, p params) {
	r.Do(func() (any, error) {
		if m.first == nil && s.p == nil {
			return nil, ending(m) // there is no agent
		}
		return s.maskAnswer(m.run(s, s.remote.Life(), p))
	})
}

func ending(m *Method) *jsonrpc.Error {
	return jsonrpc.Errorf(endingCode, "%s: the program is about to end", m.Name)
}

// beside processes a request on its own goroutine, once the session has begun.
func (s *server) beside(r *jsonrpc.Request, m *Method, p params) {
	defer func() { <-s.side }()
	r.Do(func() (any, error) {
		ctx, done := s.abortable(m)
		defer done()
		select {
		case <-s.started:
		case <-s.remote.Life().Done():
			return nil, ending(m)
		}
		return s.maskAnswer(m.run(s, ctx, p))
	})
}

// abortable returns the context of a request, which the method abort cancels if m says so.
func (s *server) abortable(m *Method) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(s.remote.Life())
	if !m.aborts {
		return ctx, cancel
	}
	s.runsMu.Lock()
	defer s.runsMu.Unlock()
	s.runID++
	id := s.runID
	s.runs[id] = cancel
	return ctx, func() {
		cancel()
		s.runsMu.Lock()
		defer s.runsMu.Unlock()
		delete(s.runs, id)
	}
}

// abortRuns cancels those requests.
func (s *server) abortRuns() {
	s.runsMu.Lock()
	defer s.runsMu.Unlock()
	for _, cancel := range s.runs {
		cancel()
	}
}

// maskAnswer converts an answer for the client: errors of the world get their code, and everything
// is masked for the user.
func (s *server) maskAnswer(result any, err error) (any, error) {
	if err == nil {
		return result, nil
	}
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		code := "failed"
		var w *fault.WorldError
		switch {
		case errors.As(err, &w):
			code = w.Code
		case errors.Is(err, remote.ErrEnding):
			code = "cancelled"
		}
		e = failure(code, plain.Error(err))
	}
	e.Message = s.remote.Mask(e.Message)
	return nil, e
}

func failure(code, text string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.ApplicationError, Message: text,
		Data: map[string]any{"code": code}}
}

// wrong returns the error of a parameter that the table cannot validate.
func wrong(method, format string, args ...any) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.InvalidParams, method+": "+format, args...)
}
