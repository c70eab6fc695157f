// This file counts what requests to models use.

package agent

import (
	"sync"

	"github.com/agentscripts/agent/agent/ask"
	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// spent is what a session has cost so far with all its sub-agents, in US dollars, as far as prices
// are known.
type spent struct {
	mu               sync.Mutex
	cost             float64
	priced, unpriced int // requests
}

// addUsage counts a request; cost nil = its price is unknown.
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

// value is what the envelope says of it from now on; nil = nothing is known: that is not 0.
func (s *spent) value() func() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.priced == 0 && s.unpriced > 0 {
		return nil
	}
	cost := s.cost
	return func() float64 { return cost }
}

// account is what the requests of one agent use: of its session, and of the pool that all agents
// share.
type account struct {
	journal *journal
	pool    *pool
	report  *report.Reporter
}

// addRequest adds a request to what the session has used, and puts it into the envelope: what an
// event of this moment says of it stays. whole says that the reply has come to its end: if its
// server does not count tokens, they are estimated.
func (a *account) addRequest(q *ask.Request, r *ask.Reply, whole bool) {
	if r.Name == "" {
		return // nobody was asked
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
		if q.Shown && tokens > 0 { // else it tells nothing of the conversation
			env.Window = window(tokens, r.Model.Context, estimated > 0)
		}
	})
}

// total is all tokens of a request.
func total(u chat.Usage) int { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// window is what the envelope says of a model's window, of which limit is known if it is not 0.
// estimated says that the model's server did not count the tokens.
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
