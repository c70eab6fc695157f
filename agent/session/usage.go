// This file adds up what a session used.

package session

import "github.com/agentscripts/agent/engine"

// Total is what requests to models used together.
type Total struct {
	Tokens    engine.Usage
	Cost      float64 // US dollars, of the requests whose price is known
	Unpriced  int     // requests whose price is not known
	Requests  int
	Turns     int // requests of the conversation and of sub-agents: no compactions, no scripts
	ToolCalls int
}

func (t *Total) add(u *Usage) {
	t.Requests++
	t.Tokens = t.Tokens.Add(u.Tokens)
	t.ToolCalls += u.ToolCalls
	if u.Purpose == "agent" || u.Purpose == "subagent" {
		t.Turns++
	}
	if u.Cost == nil {
		t.Unpriced++
		return
	}
	t.Cost += *u.Cost
}

// Used is what the whole session used, with sub-agents and the branches that were left, or only its branch.
func (s *Session) Used(branch bool) Total {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !branch {
		return s.spent
	}
	var t Total
	for _, e := range s.branch {
		if e.Usage != nil {
			t.add(e.Usage)
		}
	}
	return t
}

// Last is the last request of the conversation on the branch, with the number of tokens that the conversation had with
// its answer, or has since it was compacted: then last is nil, and so it is if there was none.
func (s *Session) Last() (last *Usage, tokens int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.branch) - 1; i >= 0; i-- {
		switch e := s.branch[i]; {
		case e.Compaction != nil:
			return nil, e.Compaction.TokensAfter
		case e.Usage != nil && e.Usage.talk():
			t := e.Usage.Tokens
			return e.Usage, t.Input + t.Output + t.CacheRead + t.CacheWrite
		}
	}
	return nil, 0
}

// talk reports whether it was a request of the conversation of this session, whose tokens somebody counted.
func (u *Usage) talk() bool {
	return u.AgentID == "" && (u.Purpose == "agent" || u.Purpose == "subagent") && u.Tokens != engine.Usage{}
}
