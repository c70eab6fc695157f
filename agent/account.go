// This file counts what requests to models use.

package agent

import (
	"math"
	"sync"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
)

// spent is what a session has cost so far with all its sub-agents, in US dollars, as far as prices
// are known.
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

// sane is what a provider says that a request used, without what cannot be: sums, and limits, have
// to hold.
func sane(u engine.Usage) engine.Usage {
	for _, n := range []*int{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite} {
		*n = min(max(*n, 0), mostTokens)
	}
	return u
}

// account adds a request to what the session has used, and puts it into the envelope: what an event
// of this moment says of it stays. whole says that the reply has come to its end: if its server
// does not count tokens, they are estimated.
func (a *Agent) account(q *ask, r *reply, whole bool) {
	if r.name == "" {
		return // nobody was asked
	}
	r.cost = r.price()
	if r.cost == nil && r.model.Price != nil {
		a.unpriced("the server of " + r.name + " does not say what a request used")
	}
	tokens, estimated := total(r.usage), 0
	if tokens == 0 && whole {
		estimated = q.estimate() + r.estimate()
		tokens = estimated
	}
	a.journal.spend(session.Usage{Purpose: q.purpose, Model: r.name, Tokens: r.usage,
		Estimate: estimated,
		Cost:     r.cost, ToolCalls: len(r.uses)})
	if !r.scripted {
		a.charge(tokens, r.cost)
	}
	a.shared.spent.add(r.cost)
	a.report.Change(func(env *engine.Envelope) {
		env.Cost = a.shared.spent.value()
		if q.shown && tokens > 0 { // else it tells nothing of the conversation
			env.Window = window(tokens, r.model.Context, estimated > 0)
		}
	})
}

// total is all tokens of a request.
func total(u engine.Usage) int { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// estimate is about how many tokens the request has.
func (q *ask) estimate() int {
	n := len(q.system) / bytesPerToken
	for _, t := range q.tools {
		n += (len(t.Name) + len(t.Description) + sizeOf(t.Schema)) / bytesPerToken
	}
	for _, m := range q.messages {
		n += estimate(m)
	}
	return n
}

// estimate is about how many tokens the model said.
func (r *reply) estimate() int {
	n := len(r.said) + len(r.thought)
	for _, u := range r.uses {
		n += len(u.Tool) + sizeOf(u.Args)
	}
	return messageTokens + n/bytesPerToken
}

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
