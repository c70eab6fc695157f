package ask_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/service"
)

// answer is the response of a stage's model server to one request.
type answer struct {
	chunks []chat.Chunk
	finish chat.Finish
	err    error
}

func says(text string) answer {
	return answer{chunks: []chat.Chunk{{Text: text}}, finish: chat.Finish{Reason: "stop"}}
}

// stage is an Asker whose server gives a list of answers.
type stage struct {
	t       *testing.T
	asker   *ask.Asker
	answers []answer
	price   *chat.Price

	mu       sync.Mutex
	requests []*chat.Request
	waits    []string
	counted  []string // "whole, tokens in, cost" of each request with all its attempts
	ids      int
}

func newStage(t *testing.T, answers ...answer) *stage {
	t.Helper()
	s := &stage{t: t, answers: answers, price: &chat.Price{Input: 1, Output: 2}}
	e := scripttest.NewEngine(t, engine.Options{})
	s.asker = ask.New(ask.Options{
		Report:   report.New(e, &report.Common{}, &event.Envelope{Agent: "main"}),
		Settings: s,
		NewID: func() string {
			s.ids++
			return fmt.Sprintf("m%d", s.ids)
		},
		Similar: func(name string) string { return "; did you mean \"m\"?" },
		Heard:   func(string, string, string) {},
		Account: func(_ *ask.Request, r *ask.Reply, whole bool) {
			cost := "unknown"
			if p := r.Price(); p != nil {
				cost = fmt.Sprint(*p)
			}
			s.counted = append(s.counted, fmt.Sprint(whole, " ", r.Usage.Input, " ", cost))
		},
		Unpriced: func(string) {}, EndAll: func(string) {},
		Sleep: func(_ context.Context, d time.Duration) error {
			s.waits = append(s.waits, d.String())
			return nil
		}})
	return s
}

// Resolve, ModelName and Level implement the Settings of the Asker.
func (s *stage) Resolve(own string) (*engine.Provider, chat.Model, error) {
	if own == "nobody/m" {
		return nil, chat.Model{}, &fault.WorldError{Code: "not_found",
			Message: `no model provider "nobody"`}
	}
	return &engine.Provider{Name: "fake", Stream: s.stream}, chat.Model{ID: "m", Context: 1000,
		Price: s.price}, nil
}

func (s *stage) ModelName(string) string { return "fake/m" }
func (s *stage) Level() string           { return "" }

func (s *stage) stream(_ context.Context, req *chat.Request,
	emit func(chat.Chunk)) (chat.Finish, error) {
	s.mu.Lock()
	a := says("done")
	if n := len(s.requests); n < len(s.answers) {
		a = s.answers[n]
	}
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	for _, c := range a.chunks {
		emit(c)
	}
	return a.finish, a.err
}

func (s *stage) ask() (*ask.Reply, error) {
	return s.asker.Ask(s.t.Context(), &ask.Request{Purpose: "agent", Shown: true, Iteration: 1,
		Messages: []*chat.Message{{ID: "u", Role: "user",
			Content: engine.TextResult("go").Content}}})
}

func TestIncompleteReplyIsRetried(t *testing.T) {
	used := &chat.Usage{Input: 1_000_000}
	s := newStage(t, answer{chunks: []chat.Chunk{{Text: "ha"}}, err: io.ErrUnexpectedEOF,
		finish: chat.Finish{Usage: used}},
		answer{chunks: []chat.Chunk{{Text: "half"}, {Text: " and half"}},
			finish: chat.Finish{Reason: "stop", Usage: used}})
	r, err := s.ask()
	if err != nil || r.Said != "half and half" || r.Finish != "stop" || r.ID == "m1" {
		t.Errorf("got %+v, %v", r, err)
	}
	if got := fmt.Sprint(s.waits); got != "[500ms]" {
		t.Errorf("waits: got %s", got)
	}
	if got := strings.Join(s.counted, ", "); got != "true 2000000 2" { // both attempts
		t.Errorf("counted: got %s", got)
	}
}

func TestRetriedFailures(t *testing.T) {
	for _, tt := range []struct {
		name, waits string
		err         error
	}{
		{"the server says when", "[3s 3s 3s]", &fault.FailError{Status: 429, RetryAfter: 3}},
		{"much later", "[]", &fault.FailError{Status: 429, RetryAfter: 3600}},
		{"overloaded", "[500ms 1s 2s]", &fault.FailError{Status: 529}},
		{"it is final", "[]", &fault.FailError{Status: 503, Final: true}},
		{"a wrong key", "[]", &fault.FailError{Status: 401}},
		{"too large", "[]", &fault.FailError{Status: 400, Overflow: true}},
		{"anything", "[]", errors.New("no credit")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := answer{err: tt.err}
			s := newStage(t, a, a, a, a)
			_, err := s.ask()
			if !errors.Is(err, tt.err) && !errors.As(err, new(*fault.FailError)) {
				t.Errorf("got %v", err)
			}
			if got := fmt.Sprint(s.waits); got != tt.waits {
				t.Errorf("waits: got %s, want %s", got, tt.waits)
			}
			var f, want *fault.FailError
			if errors.As(tt.err, &want) && (!errors.As(err, &f) || f.Overflow != want.Overflow) {
				t.Errorf("got %v, want overflow %v", err, want.Overflow)
			}
		})
	}
}

// TestToolCallsHaveIDs checks that each call of a conversation has a unique id.
func TestToolCallsHaveIDs(t *testing.T) {
	call := func(i int, id string) chat.Chunk {
		return chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: i, ID: id, Name: "ls",
			ArgsDelta: "{}"}}
	}
	s := newStage(t, answer{chunks: []chat.Chunk{call(0, ""), call(1, ""), call(2, "x"),
		call(3, "x"), call(4, "old")}, finish: chat.Finish{Reason: "tool_calls"}})
	s.asker.Begin(map[string]bool{"old": true})
	r, err := s.ask()
	if err != nil || len(r.Uses) != 5 {
		t.Fatalf("got %+v, %v", r, err)
	}
	seen := map[string]bool{"old": true}
	for i, u := range r.Uses {
		if u.ID == "" || seen[u.ID] {
			t.Errorf("call %d: got the id %q", i, u.ID)
		}
		seen[u.ID] = true
	}
	if r.Uses[2].ID != "x" {
		t.Errorf("a unique id was changed: got %q", r.Uses[2].ID)
	}
}

func TestCostOfAnswer(t *testing.T) {
	used := &chat.Usage{Input: 1_000_000, Output: 500_000}
	for name, tt := range map[string]struct {
		price *chat.Price
		used  *chat.Usage
		want  string
	}{
		"priced":         {&chat.Price{Input: 1, Output: 2}, used, "true 1000000 2"},
		"no price":       {nil, used, "true 1000000 unknown"},
		"nobody counted": {&chat.Price{Input: 1, Output: 2}, nil, "true 0 unknown"},
	} {
		a := says("done")
		a.finish.Usage = tt.used
		s := newStage(t, a)
		s.price = tt.price
		if _, err := s.ask(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.counted, ", "); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// TestRequestsOfScripts checks that errors have codes, and that a request for data is repeated
// until the reply is valid.
func TestRequestsOfScripts(t *testing.T) {
	question := []*chat.Message{{Role: "user", Content: engine.TextResult("how many?").Content}}
	s := newStage(t, says("two"))
	got, err := s.asker.Complete(t.Context(), &service.ModelCall{Messages: question, MaxTokens: 9})
	if err != nil || got.Text != "two" || fmt.Sprint(s.requests[0].Options["max_tokens"]) != "9" {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, tt := range map[string]struct {
		call *service.ModelCall
		a    answer
		code string
	}{
		"no such model": {&service.ModelCall{Messages: question, Model: "nobody/m"}, answer{},
			"not_found"},
		"nothing to ask": {&service.ModelCall{}, answer{}, "invalid"},
		"it fails": {&service.ModelCall{Messages: question}, answer{err: errors.New("no")},
			"failed"},
	} {
		_, err := newStage(t, tt.a).asker.Complete(t.Context(), tt.call)
		var w *fault.WorldError
		if !errors.As(err, &w) || w.Code != tt.code {
			t.Errorf("%s: got %v, want the code %s", name, err, tt.code)
		}
	}
}
