// This file converts ids and names of tool calls to forms that model servers accept. Models invent
// names, and servers generate different ids; with one invalid in the conversation, every later
// request would be refused.

package llm

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
)

// nameChars and idChars are the makers' limits: a name has up to 64 letters, digits, _ and -, an id
// up to 40 (OpenAI's chat; the others accept more). Source: their API references and error
// messages.
const nameChars, idChars = 64, 40

// callable returns req with valid names of calls; ids means that the ids must be valid, too. Some
// servers require their ids back unchanged, whatever characters they contain.
func callable(req *chat.Request, ids bool) *chat.Request {
	if allCallable(req.Messages, ids) {
		return req
	}
	taken := map[string]bool{}
	for _, m := range req.Messages {
		for _, u := range m.ToolCalls {
			taken[u.ID] = taken[u.ID] || !ids || isWord(u.ID, idChars)
		}
	}
	own, now := *req, map[string]string{} // from old to new ids
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
		// unchanged messages keep their cached encoding
		if m.CallID != was.CallID || !slices.EqualFunc(m.ToolCalls, was.ToolCalls, sameNames) {
			own.Messages[i] = &m
		}
	}
	return &own
}

// allCallable reports whether the names of all calls are valid, and with ids also their ids.
func allCallable(messages []*chat.Message, ids bool) bool {
	for _, m := range messages {
		for _, u := range m.ToolCalls {
			if ids && !isWord(u.ID, idChars) || !isWord(u.Tool, nameChars) {
				return false
			}
		}
	}
	return true
}

func sameNames(a, b chat.ToolUse) bool { return a.ID == b.ID && a.Tool == b.Tool }

// word replaces the characters that are invalid in names. The result is always the same, so that
// servers' caches of a conversation stay valid.
func word(text string, most int) string {
	text = plain.Name(text, '_')
	return cmp.Or(plain.Head(text, most), "unknown")
}

// isWord reports whether word changes nothing.
func isWord(text string, most int) bool {
	if text == "" || len(text) > most {
		return false
	}
	for _, r := range text {
		if !plain.NameChar(r) {
			return false
		}
	}
	return true
}

// free returns an id like id that no other call has, and records it in taken.
func free(id string, taken map[string]bool) string {
	own := word(id, idChars)
	for n := 2; taken[own]; n++ {
		suffix := fmt.Sprint("-", n)
		own = word(id, idChars-len(suffix)) + suffix
	}
	taken[own] = true
	return own
}
