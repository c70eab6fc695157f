// This file masks values: plain data, lazy data, messages and events. Only strings are masked,
// never the names of keys.

package engine

import (
	"github.com/agentscripts/agent/engine/value"
	"maps"
	"slices"
)

// MaskValue returns v with every string in it masked. What does not change is not copied; lazy data
// is masked when it is read. See Mask for where it must not be called.
func (e *Engine) MaskValue(v any) any {
	red := e.current.Load().redaction
	if red == nil {
		return v
	}
	return (&masking{e: e, red: red, find: red.finds}).value(v)
}

// MaskMessage returns m as it may be sent to a model and written down: the very same if nothing in
// it is masked.
func (e *Engine) MaskMessage(m *Message) *Message {
	red := e.current.Load().redaction
	if red == nil || m == nil {
		return m
	}
	return (&masking{e: e, red: red, find: red.finds}).message(m)
}

// MaskBlocks returns content as it may be seen: the very same if nothing in it is masked.
func (e *Engine) MaskBlocks(content []Block) []Block {
	red := e.current.Load().redaction
	if red == nil {
		return content
	}
	return (&masking{e: e, red: red, find: red.finds}).blocks(content)
}

func (m *masking) value(v any) any {
	v, _ = m.masked(v, 0, nil)
	return v
}

// masked returns v masked, and whether it is another one. Strings under the keys in verbatim stay
// as they are.
func (m *masking) masked(v any, depth int, verbatim []string) (any, bool) {
	if depth > value.MaxDepth { // nothing so deep has crossed a boundary
		return "[withheld: nested too deep]", true
	}
	switch v := v.(type) {
	case string:
		s := m.text(v)
		return s, s != v
	case map[string]any:
		return m.table(v, depth, verbatim)
	case []any:
		var c []any
		for i, e := range v {
			if _, name := e.(string); name && verbatim != nil {
				continue
			}
			x, changed := m.masked(e, depth+1, verbatim)
			if !changed {
				continue
			}
			if c == nil {
				c = append([]any(nil), v...)
			}
			c[i] = x
		}
		if c != nil {
			return c, true
		}
	case []string:
		if verbatim != nil {
			return v, false
		}
		var c []string
		for i, s := range v {
			x := m.text(s)
			if x == s {
				continue
			}
			if c == nil {
				c = slices.Clone(v)
			}
			c[i] = x
		}
		if c != nil {
			return c, true
		}
	case *Message:
		x := m.message(v)
		return x, x != v
	case *value.Lazy:
		if m.find { // now: who reads it later may be where scripts cannot be asked
			return m.masked(v.Value(), depth, verbatim)
		}
		return value.NewLazy(func() any { x, _ := m.masked(v.Value(), depth, verbatim); return x }),
			true
	case value.List:
		return &maskedList{m, v, verbatim}, true
	case value.Object:
		return &maskedObject{m, v, verbatim}, true
	}
	return v, false
}

func (m *masking) table(t map[string]any, depth int, verbatim []string) (any, bool) {
	var c map[string]any
	for k, e := range t {
		if _, text := e.(string); text && slices.Contains(verbatim, k) {
			continue
		}
		x, changed := m.masked(e, depth+1, nil)
		if !changed {
			continue
		}
		if c == nil {
			c = maps.Clone(t)
		}
		c[k] = x
	}
	if c == nil {
		return t, false
	}
	return c, true
}

// maskedList is a List whose elements are masked when they are read.
type maskedList struct {
	m        *masking
	list     value.List
	verbatim []string
}

func (l *maskedList) Len() int { return l.list.Len() }

func (l *maskedList) At(i int) any {
	v, _ := l.m.masked(l.list.At(i), 0, l.verbatim)
	return v
}

// maskedObject is an Object whose fields are masked when they are read.
type maskedObject struct {
	m        *masking
	object   value.Object
	verbatim []string
}

func (o *maskedObject) Keys() []string { return o.object.Keys() }

func (o *maskedObject) Get(key string) (any, bool) {
	v, ok := o.object.Get(key)
	if _, text := v.(string); text && slices.Contains(o.verbatim, key) {
		return v, ok
	}
	v, _ = o.m.masked(v, 0, nil)
	return v, ok
}

func (m *masking) message(msg *Message) *Message {
	c := *msg
	changed := false
	if blocks := m.blocks(msg.Content); len(blocks) > 0 && &blocks[0] != &msg.Content[0] {
		c.Content, changed = blocks, true
	}
	if c.Reasoning = m.text(msg.Reasoning); c.Reasoning != msg.Reasoning {
		c.Own, changed = nil, true // the provider's copy holds what is masked
	}
	for i, u := range msg.ToolCalls {
		args, other := m.masked(u.Args, 0, nil)
		if !other {
			continue
		}
		if &c.ToolCalls[0] == &msg.ToolCalls[0] {
			c.ToolCalls = append([]ToolUse(nil), msg.ToolCalls...)
		}
		c.ToolCalls[i].Args, _ = args.(map[string]any)
		changed = true
	}
	if !changed {
		return msg
	}
	return &c
}

func (m *masking) blocks(content []Block) []Block {
	out := content
	for i, b := range content {
		s := m.text(b.Text)
		if s == b.Text {
			continue
		}
		if &out[0] == &content[0] {
			out = append([]Block(nil), content...)
		}
		out[i].Text = s
	}
	return out
}
