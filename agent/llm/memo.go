// This file remembers how messages are written for a server: a conversation is sent with every
// request, and grows at its end only.

package llm

import (
	"reflect"
	"slices"
	"sync"

	"github.com/agentscripts/agent/engine/chat"
)

// spareMessages is how many messages that no request has any more are remembered besides: their
// memory is small, and looking for them costs.
const spareMessages = 100

// memo holds what was written of messages, for one provider. It holds no more than about twice what
// the last request had.
type memo struct {
	mu   sync.Mutex // held from begin to end
	of   map[*chat.Message]*written
	turn int // of the request that is written
	used int // messages of it
}

// written is what was written of a message, and what the message was then.
type written struct {
	message chat.Message
	way     bool
	value   any
	turn    int
}

// beginRequest begins a request.
func (c *memo) beginRequest() {
	c.mu.Lock()
	c.turn, c.used = c.turn+1, 0
	if c.of == nil {
		c.of = map[*chat.Message]*written{}
	}
}

// endRequest ends it, and forgets the messages of earlier ones.
func (c *memo) endRequest() {
	if len(c.of) > 2*c.used+spareMessages {
		for m, w := range c.of {
			if w.turn != c.turn {
				delete(c.of, m)
			}
		}
	}
	c.mu.Unlock()
}

// remember returns what write makes of m, from memory if m is as it was; c may be nil. way is what
// that depends on besides. It may only be called between begin and end; nobody may change the
// value.
func remember[T any](c *memo, m *chat.Message, way bool, write func() (T, error)) (T, error) {
	if c == nil {
		return write()
	}
	c.used++
	if w := c.of[m]; w != nil && w.way == way && unchanged(&w.message, m) {
		w.turn = c.turn
		return w.value.(T), nil
	}
	value, err := write()
	if err == nil {
		now := *m
		now.Content, now.ToolCalls = slices.Clone(m.Content), slices.Clone(m.ToolCalls)
		c.of[m] = &written{now, way, value, c.turn}
	}
	return value, err
}

// unchanged reports whether m is as it was. The texts are the same ones, mostly, and then they are
// not looked through. The arguments of a call are never changed in place.
func unchanged(was, m *chat.Message) bool {
	return was.Role == m.Role && was.CallID == m.CallID && was.Tool == m.Tool &&
		was.IsError == m.IsError && was.Own == m.Own && was.Reasoning == m.Reasoning &&
		slices.Equal(was.Content, m.Content) &&
		slices.EqualFunc(was.ToolCalls, m.ToolCalls, func(a, b chat.ToolUse) bool {
			return a.ID == b.ID && a.Tool == b.Tool && len(a.Args) == len(b.Args) &&
				reflect.ValueOf(a.Args).Pointer() == reflect.ValueOf(b.Args).Pointer()
		})
}
