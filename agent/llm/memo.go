// This file caches the encoding of messages and tools: every request contains the whole
// conversation, which only grows at its end, and all tools.

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

	tools map[string]writtenTool // by name
}

// spareTools is how many unused tools stay in the cache.
const spareTools = 100

// writtenTool is the JSON of a tool, and the tool at that time.
type writtenTool struct {
	tool chat.ToolSpec
	json []byte
}

// encodeTools returns the JSON of tools, which write converts to the form of the API. A tool that
// was encoded before is not encoded again: most requests have the same tools, and their schemas are
// never modified in place. c may be nil.
func (c *memo) encodeTools(tools []chat.ToolSpec, write func(t chat.ToolSpec) any) ([][]byte,
	error) {
	if c == nil {
		c = &memo{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tools == nil || len(c.tools) > 2*len(tools)+spareTools {
		c.tools = make(map[string]writtenTool, len(tools))
	}
	out := make([][]byte, len(tools))
	for i, t := range tools {
		w := c.tools[t.Name]
		if w.json == nil || !sameSpec(w.tool, t) {
			json, err := encodeJSON(write(t))
			if err != nil {
				return nil, err
			}
			w = writtenTool{t, json}
			c.tools[t.Name] = w
		}
		out[i] = w.json
	}
	return out, nil
}

// sameSpec reports whether two tools of one name are the same for a model.
func sameSpec(a, b chat.ToolSpec) bool {
	return a.Description == b.Description && len(a.Schema) == len(b.Schema) &&
		reflect.ValueOf(a.Schema).Pointer() == reflect.ValueOf(b.Schema).Pointer()
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
