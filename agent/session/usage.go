// This file sums up the usage of a session.

package session

import "github.com/agentscripts/agent/engine/chat"

// Total is the total usage of requests to models.
type Total struct {
	Tokens    chat.Usage
	Cost      float64 // US dollars, for the requests with a known price
	Unpriced  int     // requests with an unknown price
	Requests  int
	Turns     int // requests of the conversation and of sub-agents, without compactions and scripts
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

// Used returns the usage of the branch or, if branch is false, of the whole session with sub-agents
// and abandoned branches.
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

// Size is the number of tokens of the conversation on a branch.
type Size struct {
	// including the last answer, or since a compaction; 0 = no request yet
	Tokens    int
	Estimated bool // the server did not count them
	// the request that it is based on; nil: none since the last compaction
	Last  *Usage
	Since []*chat.Message // the messages after that request and its answer, not included in Tokens
}

// Size returns the size of the conversation on the branch.
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

// talk reports whether u is a request of this session's conversation with a known size.
func (u *Usage) talk() bool {
	return u.AgentID == "" && (u.Purpose == "agent" || u.Purpose == "subagent") &&
		(u.Tokens != chat.Usage{} || u.Estimate > 0)
}
