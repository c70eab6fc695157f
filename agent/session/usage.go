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
	Last      *Usage // of the conversation; nil = there was none
}

func (t *Total) add(u *Usage) {
	t.Requests++
	t.Tokens = t.Tokens.Add(u.Tokens)
	t.ToolCalls += u.ToolCalls
	if u.Purpose == "agent" || u.Purpose == "subagent" {
		t.Turns++
	}
	if u.Purpose == "agent" {
		t.Last = u
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
