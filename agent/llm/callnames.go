// This file writes ids and names of tool calls as model servers take them. Models make names up,
// and other servers make other ids: one of them in the conversation, and every later request would
// be refused.

package llm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/chat"
)

// The makers' own servers take letters, digits, _ and -, in a name up to 64, in an id up to 40
// (OpenAI's chat; the others take more). Source: their API references, and what they answer
// otherwise.
const nameChars, idChars = 64, 40

// callable is req with names of calls that every server takes; ids says that their ids must be
// such, too. Some servers want an id back as they made it, whatever is in it.
func callable(req *chat.Request, ids bool) *chat.Request {
	taken, fine := map[string]bool{}, true
	for _, m := range req.Messages {
		for _, u := range m.ToolCalls {
			good := !ids || word(u.ID, idChars) == u.ID
			taken[u.ID] = taken[u.ID] || good
			fine = fine && good && word(u.Tool, nameChars) == u.Tool
		}
	}
	if fine {
		return req
	}
	own, now := *req, map[string]string{} // the new ids, by the old ones
	own.Messages = slices.Clone(req.Messages)
	for i, was := range own.Messages {
		m := *was
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for j := range m.ToolCalls {
			u := &m.ToolCalls[j]
			u.Tool = word(u.Tool, nameChars)
			if !taken[u.ID] && now[u.ID] == "" {
				now[u.ID] = free(u.ID, taken)
			}
			u.ID = cmp.Or(now[u.ID], u.ID)
		}
		m.CallID = cmp.Or(now[m.CallID], m.CallID)
		// the others are remembered as they are written
		if m.CallID != was.CallID || !slices.EqualFunc(m.ToolCalls, was.ToolCalls, sameNames) {
			own.Messages[i] = &m
		}
	}
	return &own
}

func sameNames(a, b chat.ToolUse) bool { return a.ID == b.ID && a.Tool == b.Tool }

// word is text without what is in no name: the same each time, so that what servers keep of a
// conversation still fits.
func word(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' ||
			r == '-' {
			return r
		}
		return '_'
	}, text)
	return cmp.Or(text[:min(len(text), most)], "unknown")
}

// free is an id like id that no other call has; it is taken then.
func free(id string, taken map[string]bool) string {
	own := word(id, idChars)
	for n := 2; taken[own]; n++ {
		suffix := fmt.Sprint("-", n)
		own = word(id, idChars-len(suffix)) + suffix
	}
	taken[own] = true
	return own
}
