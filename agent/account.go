// This file counts the usage of requests to models.

package agent

import (
	"sync"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// spent is the cost of a session so far with all its sub-agents, in US dollars, as far as prices
// are known.
type spent struct {
	mu               sync.Mutex
	cost             float64
	priced, unpriced int // requests
}

// addUsage counts a request. A nil cost means that its price is unknown.
func (s *spent) addUsage(cost *float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cost == nil {
		s.unpriced++
		return
	}
	s.cost += *cost
	s.priced++
}

func (s *spent) reset(t session.Total) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost, s.priced, s.unpriced = t.Cost, t.Requests-t.Unpriced, t.Unpriced
}

// value returns a function that returns the current cost for the envelope; nil = unknown, which is
// not 0.
func (s *spent) value() func() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.priced == 0 && s.unpriced > 0 {
		return nil
	}
	cost := s.cost
	return func() float64 { return cost }
}

// account counts the usage of one agent's requests, for its session and for the pool that all
// agents share.
type account struct {
	journal *journal
	pool    *pool
	report  *report.Reporter
}

// addRequest adds a request to the session's usage and puts the sum into the envelope; envelopes
// made earlier keep their values. whole means that the reply is complete: if its server does not
// count tokens, they are estimated.
func (a *account) addRequest(q *ask.Request, r *ask.Reply, whole bool) {
	if r.Name == "" {
		return // no request was made
	}
	r.Cost = r.Price()
	if r.Cost == nil && r.Model.Price != nil {
		a.pool.unpriced("the server of " + r.Name + " does not say what a request used")
	}
	tokens, estimated := total(r.Usage), 0
	if tokens == 0 && whole {
		estimated = q.Estimate() + r.Estimate()
		tokens = estimated
	}
	a.journal.spend(session.Usage{Purpose: q.Purpose, Model: r.Name, Tokens: r.Usage,
		Estimate: estimated,
		Cost:     r.Cost, ToolCalls: len(r.Uses)})
	if !r.Scripted {
		a.pool.charge(tokens, r.Cost)
	}
	a.pool.spent.addUsage(r.Cost)
	a.report.Change(func(env *event.Envelope) {
		env.Cost = a.pool.spent.value()
		if q.Shown && tokens > 0 { // otherwise it does not represent the conversation
			env.Window = window(tokens, r.Model.Context, estimated > 0)
		}
	})
}

// total returns the sum of all tokens of a request.
func total(u chat.Usage) int { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// window returns the envelope's value for the model's window. limit is its size, 0 = unknown;
// estimated means that the model's server did not count the tokens.
func window(tokens, limit int, estimated bool) func() map[string]any {
	percent := 0.0
	if limit > 0 {
		percent = 100 * float64(tokens) / float64(limit)
	}
	return func() map[string]any {
		return map[string]any{"tokens": tokens, "limit": limit, "percent": percent,
			"estimated": estimated}
	}
}
