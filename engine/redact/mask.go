// This file masks values: plain data, lazy data, and values that mask themselves. Only strings are
// masked, never the names of keys.

package redact

import (
	"maps"
	"slices"

	"github.com/agentscripts/agent/engine/value"
)

// Value returns v with every string in it masked. Unchanged values are not copied; lazy data is
// masked when it is read, or now if functions have to be called.
func (m *Look) Value(v any) any {
	v, _ = m.masked(v, 0, nil)
	return v
}

// Maskable is a value that masks itself.
type Maskable interface {
	// MaskedBy returns the masked value, and whether it differs.
	MaskedBy(look *Look) (any, bool)
}

// Masked is like Value and also reports whether v has changed. Strings under the keys in verbatim
// stay as they are.
func (m *Look) Masked(v any, verbatim []string) (any, bool) { return m.masked(v, 0, verbatim) }

// Table is like Masked, for a map.
func (m *Look) Table(t map[string]any) map[string]any {
	v, _ := m.table(t, 0, nil)
	return v.(map[string]any)
}

// Finds reports whether functions search texts.
func (m *Look) Finds() bool { return m.find }

// masked returns v masked, and whether it differs. Strings under the keys in verbatim stay as they
// are.
func (m *Look) masked(v any, depth int, verbatim []string) (any, bool) {
	if depth > value.MaxDepth { // nothing that deep has crossed a boundary
		return "[withheld: nested too deep]", true
	}
	switch v := v.(type) {
	case string:
		s := m.Text(v)
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
			x := m.Text(s)
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
	case Maskable:
		return v.MaskedBy(m)
	case *value.Lazy:
		if m.find { // now: later readers may not be able to call scripts
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

func (m *Look) table(t map[string]any, depth int, verbatim []string) (any, bool) {
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
	m        *Look
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
	m        *Look
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
