// This file caches the encoding of messages: every request contains the whole conversation, which
// only grows at its end.

package llm

import (
	"reflect"
	"slices"
	"sync"

	"github.com/agentscripts/agent/engine/chat"
)

// spareMessages is how many unused messages stay in the cache: they need little memory, and finding
// them takes time.
const spareMessages = 100

// memo caches the encoded messages of one provider. It holds no more than about twice the messages
// of the last request.
type memo struct {
	mu   sync.Mutex // held from beginRequest to endRequest
	of   map[*chat.Message]*written
	turn int // number of the request
	used int // how many cached messages the request contains
}

// written is an encoded message, and the message at that time.
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

// endRequest ends a request, and drops the messages of earlier ones.
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

// remember returns the cached result of write for m, or calls write if m has changed; c may be nil.
// way is an additional key. Call it only between beginRequest and endRequest; the value must not be
// modified.
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

// unchanged reports whether m has not changed. Its texts are usually identical strings, which
// compare in constant time. The arguments of a call are never modified in place.
func unchanged(was, m *chat.Message) bool {
	return was.Role == m.Role && was.CallID == m.CallID && was.Tool == m.Tool &&
		was.IsError == m.IsError && was.Own == m.Own && was.Reasoning == m.Reasoning &&
		slices.Equal(was.Content, m.Content) &&
		slices.EqualFunc(was.ToolCalls, m.ToolCalls, func(a, b chat.ToolUse) bool {
			return a.ID == b.ID && a.Tool == b.Tool && len(a.Args) == len(b.Args) &&
				reflect.ValueOf(a.Args).Pointer() == reflect.ValueOf(b.Args).Pointer()
		})
}
