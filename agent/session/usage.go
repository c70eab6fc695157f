// This file adds up what a session used.

package session

import "github.com/agentscripts/agent/engine/chat"

// Total is what requests to models used together.
type Total struct {
	Tokens    chat.Usage
	Cost      float64 // US dollars, of the requests whose price is known
	Unpriced  int     // requests whose price is not known
	Requests  int
	Turns     int // requests of the conversation and of sub-agents: no compactions, no scripts
	ToolCalls int
}

func (t *Total) addUsage(u *Usage) {
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

// Used is what the whole session used, with sub-agents and the branches that were left, or only its
// branch.
func (s *Session) Used(branch bool) Total {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !branch {
		return s.tree.spent
	}
	var t Total
	for _, e := range s.tree.branch {
		if e.Usage != nil {
			t.addUsage(e.Usage)
		}
	}
	return t
}

// Size is how many tokens the conversation on a branch has.
type Size struct {
	// with the last answer, or since it was compacted; 0 = no model was asked yet
	Tokens    int
	Estimated bool // nobody counted them
	// the request that says so; nil: there was none since the conversation was compacted
	Last  *Usage
	Since []*chat.Message // what came behind that and its answer: not in Tokens
}

// Size returns how large the conversation on the branch is.
func (s *Session) Size() (size Size) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.tree.branch) - 1; i >= 0; i-- {
		switch e := s.tree.branch[i]; {
		case e.Compaction != nil:
			size.Tokens, size.Estimated = e.Compaction.TokensAfter, true
			return size
		case e.Usage != nil && e.Usage.talk():
			t := e.Usage.Tokens
			size.Last, size.Tokens = e.Usage, t.Input+t.Output+t.CacheRead+t.CacheWrite
			if size.Tokens == 0 {
				size.Tokens, size.Estimated = e.Usage.Estimate, true
			}
			if n := len(size.Since); n > 0 && size.Since[n-1].Role == "assistant" { // its answer
				size.Since = size.Since[:n-1]
			}
			return size
		case e.Message != nil:
			size.Since = append(size.Since, e.Message)
		}
	}
	return Size{}
}

// talk reports whether it was a request of the conversation of this session, whose size is known.
func (u *Usage) talk() bool {
	return u.AgentID == "" && (u.Purpose == "agent" || u.Purpose == "subagent") &&
		(u.Tokens != chat.Usage{} || u.Estimate > 0)
}
