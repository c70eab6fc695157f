// This file runs the handlers of context and prints the messages that the model would get.

package scripttest

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/value"
)

// conversation returns n messages: a question, a tool call, its result, an answer, and so on.
func conversation(n int) chat.MessageList {
	list := make(chat.MessageList, n)
	for i := range list {
		m := &chat.Message{ID: "m" + strconv.Itoa(i+1),
			Content: []chat.Block{{Type: "text", Text: "text " + strconv.Itoa(i+1)}}}
		switch i % 4 {
		case 0:
			m.Role = "user"
		case 1:
			m.Role, m.Reasoning = "assistant", "hm"
			m.ToolCalls = []chat.ToolUse{{ID: "c" + strconv.Itoa(i), Tool: "read",
				Args: map[string]any{"path": "a"}}}
		case 2:
			m.Role, m.CallID, m.Tool, m.IsError = "tool", "c"+strconv.Itoa(i-1), "read", true
		case 3:
			m.Role = "assistant"
		}
		list[i] = m
	}
	return list
}

// mostShown is the maximal number of messages that are printed: those at the front of the result,
// and those that are new.
const mostShown = 6

func (s *session) context(rest string) { s.emitMessages("context", nil, rest) }

func (s *session) request(rest string) {
	s.emitMessages("llm_request", map[string]any{"purpose": "agent", "model": "test/model"}, rest)
}

// emitMessages fires an event with n messages, and prints which of them handlers returned uncopied.
func (s *session) emitMessages(event string, fields map[string]any, rest string) {
	n, err := strconv.Atoi(rest)
	if err != nil {
		s.t.Fatalf("input: %s with %s messages: %v", event, rest, err)
	}
	list := conversation(n)
	was := map[*chat.Message]bool{}
	for _, m := range list {
		was[m] = true
	}
	all := map[string]any{"messages": list}
	maps.Copy(all, fields)
	ev, v := s.eng.Intercept(s.ctx, s.eng.Events.Named(event, s.envelope(), all))
	now, err := chat.DecodeMessages(ev.Field("messages"))
	if err != nil {
		s.t.Fatalf("the messages of the event: %v", err)
	}
	kept, front, fresh := 0, []string{}, []any{}
	for i, m := range now {
		if i < mostShown {
			front = append(front, m.ID)
		}
		if was[m] {
			kept++
		} else if len(fresh) < mostShown {
			p, _ := value.Plain(m)
			fresh = append(fresh, p)
		}
	}
	s.flush(fmt.Sprintf("%d messages, the very same: %d, front: %v, new: %s, trail: %v", len(now),
		kept, front, compact(fresh), trail(v.Trail)))
}
