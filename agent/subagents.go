// This file manages the sub-agents of a main agent: it limits their number, finds them, and ends
// them all.

package agent

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/event"
)

const (
	// maxDepth is how deep sub-agents may nest: at a greater depth they pass work on instead of
	// dividing it.
	maxDepth = 3
	// maxLive is how many sub-agents of one session may run at once: each has a request to a model
	// in progress, and providers refuse more.
	maxLive = 16
	// endAllWait is how long the end of a session waits for all of them; the rest of endWait is for
	// session_end.
	endAllWait = endWait * 3 / 4
)

// sub-agents are the sub-agents of one main agent, at every depth.
type subagents struct {
	claim time.Duration // 0 = unclaimed

	mu     sync.Mutex
	all    map[string]*subagent // by id: those whose end has not been reported
	live   int                  // the number that are running or about to
	ends   int                  // how often endAll was called
	closed bool
}

// enter counts a sub-agent that is about to start below a; leave undoes it. ends is for
// addSubagent.
func (s *subagents) enter(a *Agent, depth int) (ends int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return 0, refusal("cancelled", "no sub-agent starts: the session is ending")
	case depth > maxDepth:
		return 0, refusal("refused", "sub-agents nest at most %d deep: do the work yourself",
			maxDepth)
	case s.live >= maxLive:
		return 0, refusal("busy",
			"%d sub-agents are at work, and more may not: wait for one to end", maxLive)
	// it is part of no prompt: the usage of an earlier one does not count
	case s.live == 0 && !a.shared.main.token.taken():
		a.shared.pool.budget.Store(nil)
	}
	s.live++
	return s.ends, nil
}

func (s *subagents) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live--
}

// addSubagent registers x, so that it can be found and ended; unless endAll was called while x was
// about to start.
func (s *subagents) addSubagent(x *subagent, ends int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends != ends {
		return refusal("cancelled", "cancelled before it began: the session has ended")
	}
	if s.all == nil {
		s.all = map[string]*subagent{}
	}
	s.all[x.id] = x
	return nil
}

func (s *subagents) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, id)
}

func (s *subagents) list() []*subagent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.all))
}

// endAll ends all sub-agents, and waits for a limited time until their ends have been reported.
// With last, none can start any more.
func (s *subagents) endAll(ctx context.Context, last bool) {
	ctx, cancel := context.WithTimeout(ctx, endAllWait)
	defer cancel()
	s.mu.Lock()
	s.ends++
	s.closed = s.closed || last
	s.mu.Unlock()
	all := s.list()
	for _, x := range all {
		x.cancel()
	}
	for _, x := range all {
		select {
		case <-x.told:
		case <-ctx.Done():
			return
		}
	}
}

// below returns the running sub-agents of a, at every depth.
func (s *subagents) below(a *Agent) []*Agent {
	var below []*Agent
	for _, x := range s.list() {
		for up := x.parent; up != nil && x.working(); up = up.parent {
			if up == a {
				below = append(below, x.agent)
			}
		}
	}
	return below
}

// halt prevents further model calls of a and all its sub-agents.
func (s *subagents) halt(a *Agent) {
	a.queue.halt(true)
	for _, c := range s.below(a) {
		c.queue.halt(true)
	}
}

// interrupt cancels the work of a and all its sub-agents, and empties their queues.
func (s *subagents) interrupt(a *Agent, why error) {
	a.queue.interrupt(why)
	for _, c := range s.below(a) {
		c.queue.interrupt(why)
	}
}

// find returns the agent of the given id, a or one below it; nil if it has ended.
func (s *subagents) find(a *Agent, id string) *Agent {
	if a.Envelope().AgentID == id {
		return a
	}
	for _, c := range s.below(a) {
		if c.Envelope().AgentID == id {
			return c
		}
	}
	return nil
}

// at returns the agent that env names or, if it has ended, its nearest running ancestor.
func (s *subagents) at(a *Agent, env *event.Envelope) *Agent {
	if env == nil {
		return a
	}
	for _, id := range []string{env.AgentID, env.ParentAgentID} {
		if found := s.find(a, id); found != nil {
			return found
		}
	}
	return a
}
