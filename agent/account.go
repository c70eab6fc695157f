// This file counts what requests to models use.
package agent

import (
	"sync"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
)

// spent is what a session has cost so far with all its sub-agents, in US dollars.
type spent struct {
	mu   sync.Mutex
	cost float64
}

func (s *spent) add(cost float64) (total float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost += cost
	return s.cost
}

func (s *spent) reset(cost float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost = cost
}

// account adds a request to what the session has used, and puts it into the envelope: what an event of this moment says
// of it stays.
func (a *Agent) account(q *ask, r *reply) {
	if r.name == "" {
		return // nobody was asked
	}
	r.cost = price(r.model, r.usage)
	cost := 0.0
	if r.cost != nil {
		cost = *r.cost
	}
	a.spend(session.Usage{Purpose: q.purpose, Model: r.name, Tokens: r.usage, Cost: r.cost, ToolCalls: len(r.uses)})
	sum := a.root().spent.add(cost)
	if r.usage == (engine.Usage{}) {
		return // nobody counted
	}
	a.change(func(env *engine.Envelope) {
		env.Cost = func() float64 { return sum }
		if q.shown { // else it tells nothing of the conversation
			env.Window = window(total(r.usage), r.model.Context)
		}
	})
}

// total is all tokens of a request.
func total(u engine.Usage) int { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// window is what the envelope says of a model's window, of which limit is known if it is not 0.
func window(tokens, limit int) func() map[string]any {
	percent := 0.0
	if limit > 0 {
		percent = 100 * float64(tokens) / float64(limit)
	}
	return func() map[string]any { return map[string]any{"tokens": tokens, "limit": limit, "percent": percent} }
}
