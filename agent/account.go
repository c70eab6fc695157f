// This file counts what requests to models use.

package agent

import (
	"math"
	"sync"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
)

// spent is what a session has cost so far with all its sub-agents, in US dollars, as far as prices are known.
type spent struct {
	mu               sync.Mutex
	cost             float64
	priced, unpriced int // requests
}

// add counts a request; cost nil = its price is unknown.
func (s *spent) add(cost *float64) {
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

// mostTokens is more than any request uses, and keeps sums whole numbers.
const mostTokens = math.MaxInt32

// sane is what a provider says that a request used, without what cannot be: sums, and limits, have to hold.
func sane(u engine.Usage) engine.Usage {
	for _, n := range []*int{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite} {
		*n = min(max(*n, 0), mostTokens)
	}
	return u
}

// account adds a request to what the session has used, and puts it into the envelope: what an event of this moment says
// of it stays.
func (a *Agent) account(q *ask, r *reply) {
	if r.name == "" {
		return // nobody was asked
	}
	r.cost = r.price()
	if r.cost == nil && r.model.Price != nil {
		a.unpriced("the server of " + r.name + " does not say what a request used")
	}
	a.spend(session.Usage{Purpose: q.purpose, Model: r.name, Tokens: r.usage, Cost: r.cost, ToolCalls: len(r.uses)})
	a.root().spent.add(r.cost)
	a.change(func(env *engine.Envelope) {
		env.Cost = a.root().spent.value()
		if q.shown && r.usage != (engine.Usage{}) { // else it tells nothing of the conversation, or nobody counted
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
