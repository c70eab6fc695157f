// This file converts messages to those of docker-agent, and back.

package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
)

// dockerMessage is a message there.
type dockerMessage struct {
	Role      string      `json:"role"`
	Content   string      `json:"content"`
	Reasoning string      `json:"reasoning_content,omitempty"`
	Calls     []dockerUse `json:"tool_calls,omitempty"`
	CallID    string      `json:"tool_call_id,omitempty"`
	IsError   bool        `json:"is_error,omitempty"`
}

// dockerUse is a call of a tool in a message.
type dockerUse struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// messagesOf returns the messages of an event, and as they are there.
func messagesOf(ev *event.Event) (ours []*chat.Message, there []*dockerMessage) {
	there = []*dockerMessage{}
	ours, _ = chat.DecodeMessages(ev.Field("messages")) // they are the program's own
	for _, m := range ours {
		one := &dockerMessage{Role: m.Role, Content: chat.PlainText(m.Content),
			Reasoning: m.Reasoning, CallID: m.CallID, IsError: m.IsError}
		for _, use := range m.ToolCalls {
			c := dockerUse{ID: use.ID, Type: "function"}
			c.Function.Name = dockerTools.names(use.Tool)[0]
			args, _ := plain.JSON(dockerTools.toolInput(use.Tool, use.Args, ""), "")
			c.Function.Arguments = string(args)
			one.Calls = append(one.Calls, c)
		}
		there = append(there, one)
	}
	return ours, there
}

// ownMessages returns the messages here for those that a hook wants instead of those of an event.
// Messages that it has not changed stay as they are, and of others what is not text.
func ownMessages(ev *event.Event, list []any) (all []any, err error) {
	var want []dockerMessage
	text, _ := json.Marshal(list) // it was read from JSON
	if err := json.Unmarshal(text, &want); err != nil {
		return nil, fmt.Errorf("updated_messages: %w", err)
	}
	ours, sent := messagesOf(ev)
	for i := range want {
		w := &want[i]
		one := &chat.Message{Role: w.Role, CallID: w.CallID}
		at := 0
		for at < len(sent) && !w.same(sent[at], true) {
			at++
		}
		switch {
		case at < len(sent):
			one = ours[at]
		case len(sent) > 0 && w.same(sent[0], false):
			at, one = 0, withText(ours[0], w.Content)
		case w.Calls != nil:
			return nil, errors.New("updated_messages: a new message cannot have tool_calls")
		default:
			at, one = -1, withText(one, w.Content)
		}
		all, ours, sent = append(all, one), ours[at+1:], sent[at+1:]
	}
	return all, nil
}

// same reports whether two messages are the same, with their text or without.
func (m *dockerMessage) same(other *dockerMessage, text bool) bool {
	return m.Role == other.Role && m.CallID == other.CallID && slices.Equal(m.Calls, other.Calls) &&
		(!text || m.Content == other.Content)
}

// withText returns a message with another text.
func withText(m *chat.Message, text string) *chat.Message {
	one := *m
	one.Content = []chat.Block{{Type: "text", Text: text}}
	for _, b := range m.Content {
		if b.Type != "text" {
			one.Content = append(one.Content, b)
		}
	}
	return &one
}
