// This file repairs a conversation that scripts rewrote, so that every provider accepts it.

package ask

import (
	"fmt"
	"slices"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// repaired is a conversation in which every call is directly followed by its result and every
// result has a call, without system messages, beginning and ending with the user. Correct messages
// are not copied.
type repaired struct {
	out    []*chat.Message
	system string   // the system text at its beginning
	notes  []string // what was repaired

	by      string
	called  map[string]bool          // calls of the whole list
	results map[string]*chat.Message // the first result of each call
	used    map[string]bool          // calls so far
	batch   []chat.ToolUse           // calls of the last message other than a result
}

// repair repairs a list that by returned. An error means that there is nothing to send.
func repair(list []*chat.Message, by string) (*repaired, error) {
	m := &repaired{by: by, out: make([]*chat.Message, 0, len(list)), called: map[string]bool{},
		results: map[string]*chat.Message{}, used: map[string]bool{}}
	for _, x := range list {
		for _, u := range x.ToolCalls {
			m.called[u.ID] = true
		}
		if x.Role == "tool" && m.results[x.CallID] == nil {
			m.results[x.CallID] = x
		}
	}
	for _, x := range list {
		switch x.Role {
		case "tool":
			m.result(x)
		case "assistant":
			m.assistant(x)
		case "system":
			m.systemText(x)
		default:
			m.batch = nil
			m.addNonEmpty(x)
		}
	}
	if len(m.out) == 0 {
		return nil, fmt.Errorf("%s left no messages: a model cannot be asked nothing", by)
	}
	if m.out[0].Role != "user" {
		m.noteRepair("a message of the user was added at the beginning")
		m.out = slices.Insert(m.out, 0, userText("(the earlier messages were removed by "+by+")"))
	}
	if m.out[len(m.out)-1].Role == "assistant" {
		m.noteRepair("a message of the user was added at the end")
		m.out = append(m.out, userText("(the following messages were removed by "+by+"; continue)"))
	}
	return m, nil
}

func (m *repaired) noteRepair(text string) {
	if !slices.Contains(m.notes, text) {
		m.notes = append(m.notes, text)
	}
}

// addNonEmpty adds a message, if it is not empty.
func (m *repaired) addNonEmpty(x *chat.Message) {
	if len(x.ToolCalls) == 0 && x.Reasoning == "" && chat.PlainText(x.Content) == "" {
		m.noteRepair("an empty message was removed")
		return
	}
	m.out = append(m.out, x)
}

// result notes that a result is in the wrong place; it has been added after its call already.
func (m *repaired) result(x *chat.Message) {
	switch {
	case !m.called[x.CallID]:
		m.noteRepair("a tool result without its call was removed")
	case m.results[x.CallID] != x:
		m.noteRepair("a second result of a call was removed")
	case !slices.ContainsFunc(m.batch, func(u chat.ToolUse) bool { return u.ID == x.CallID }):
		m.noteRepair("a tool result was moved after its call")
	}
}

// assistant adds a message with the results of its calls.
func (m *repaired) assistant(x *chat.Message) {
	calls := make([]chat.ToolUse, 0, len(x.ToolCalls))
	for i, u := range x.ToolCalls {
		if u.ID == "" {
			u.ID = fmt.Sprintf("call_%d_%d", len(m.out), i)
		}
		if m.used[u.ID] {
			m.noteRepair("a repeated call was removed")
			continue
		}
		m.used[u.ID] = true
		calls = append(calls, u)
	}
	if !slices.EqualFunc(calls, x.ToolCalls, func(a,
		b chat.ToolUse) bool {
		return a.ID == b.ID
	}) {
		own := *x
		own.ToolCalls = calls
		x = &own
	}
	m.batch = calls
	m.addNonEmpty(x)
	for _, u := range calls {
		r := m.results[u.ID]
		if r == nil {
			m.noteRepair("a tool call without its result got one")
			r = &chat.Message{Role: "tool", CallID: u.ID, Tool: u.Tool, IsError: true,
				Content: engine.TextResult("removed by " + m.by).Content}
		}
		m.out = append(m.out, r)
	}
}

// systemText adds a system message: at the beginning to the system prompt, later as the user's
// text.
func (m *repaired) systemText(x *chat.Message) {
	text := chat.PlainText(x.Content)
	if len(m.out) == 0 {
		if m.system != "" {
			m.system += "\n\n"
		}
		m.system += text
		return
	}
	m.batch = nil
	m.noteRepair("a later system message became one of the user")
	m.addNonEmpty(&chat.Message{ID: x.ID, Role: "user",
		Content: engine.TextResult(engine.Context{Script: m.by, Text: text}.Wrap()).Content})
}

func userText(text string) *chat.Message {
	return &chat.Message{Role: "user", Content: engine.TextResult(text).Content}
}
