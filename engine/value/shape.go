// This file describes which keys the data of events may have, so that reading an impossible one is
// an error: otherwise a guard that reads toolName would silently let calls pass.

package value

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
)

// Shape describes the keys of an object, and the shapes of its values. A nil Shape permits every
// key. It is immutable.
type Shape struct {
	what  string              // for errors: "event tool_call", "args of bash"
	kind  suggest.ForeignKind // the kind of names to look up in the table of other hosts
	keys  []string            // the keys that it may have, in order
	known map[string]bool     // the same
	open  bool                // other keys are permitted too
	below map[string]*Shape   // the shapes of its values
	items *Shape              // of a list: the shape of each item
	base  *Shape              // its keys come before these
}

// Shaped is an Object that knows its Shape.
type Shaped interface {
	Object
	Shape() *Shape
}

// Typed is a value that is given to a script together with its shape.
type Typed struct {
	Value any // plain data
	Shape *Shape
}

// Below returns the shape of the value at key, nil if it is unknown.
func (s *Shape) Below(key string) *Shape {
	if s == nil {
		return nil
	}
	if below := s.below[key]; below != nil {
		return below
	}
	return s.base.Below(key)
}

// Items returns the shape of the items of a list.
func (s *Shape) Items() *Shape {
	if s == nil {
		return nil
	}
	return s.items
}

// Has reports whether key is one of the known keys.
func (s *Shape) Has(key string) bool { return s != nil && (s.known[key] || s.base.Has(key)) }

// NewShape makes a closed shape.
func NewShape(what string, kind suggest.ForeignKind, keys ...string) *Shape {
	s := &Shape{what: what, kind: kind, known: map[string]bool{}, below: map[string]*Shape{}}
	for _, key := range keys {
		s.Add(key, nil)
	}
	return s
}

// Of returns s with a kind, by which other hosts' names for its keys are looked up.
func (s *Shape) Of(kind suggest.ForeignKind) *Shape {
	s.kind = kind
	return s
}

// On returns s, with the keys of base before its own. Messages omit those of base, which every
// object of its kind has.
func (s *Shape) On(base *Shape) *Shape {
	s.base = base
	return s
}

// Add adds a key, with the shape of its value if it is known.
func (s *Shape) Add(key string, below *Shape) {
	if !s.known[key] {
		s.keys, s.known[key] = append(s.keys, key), true
	}
	if below != nil {
		s.below[key] = below
	}
}

// OfArgs reports whether the keys are arguments of a tool.
func (s *Shape) OfArgs() bool { return s != nil && s.kind == suggest.ForeignArg }

// Check is called when key was read and is absent. It returns an error, with the nearest name, if
// the object can never have it.
func (s *Shape) Check(key string) error {
	if s == nil || s.open || s.Has(key) {
		return nil
	}
	return fmt.Errorf("%s has no field %q%s", s.what, key, s.instead(key))
}

// instead returns the end of the message about an unknown key: the probable key, or all of them.
func (s *Shape) instead(key string) string {
	keys := s.keys
	if s.base != nil {
		keys = slices.Concat(s.base.keys, keys)
	}
	if hint := suggest.DidYouMeanFor(s.kind, key, keys); hint != "" {
		return hint
	}
	if len(s.keys) > 0 {
		keys = s.keys // keys that every event has do not help
	}
	return suggest.OrAll(s.kind, key, keys)
}

// fieldShape returns the shape of a field's value: of a table with listed keys, or a list of those.
func fieldShape(f Field) *Shape {
	if len(f.Fields) == 0 {
		return nil
	}
	s := TableShape(f.Name, f.Fields)
	if strings.Contains(f.Type, "list") {
		s.what = "an item of " + f.Name
		return &Shape{open: true, items: s}
	}
	return s
}

// TableShape returns the shape of a table with these fields.
func TableShape(what string, fields []Field) *Shape {
	s := NewShape(what, suggest.ForeignField)
	for _, f := range fields {
		s.Add(f.Name, fieldShape(f))
	}
	return s
}

// listShape returns the shape of a list of such items.
func listShape(items *Shape) *Shape { return &Shape{open: true, items: items} }

// ArgsShape returns the shape of arguments from their tool's JSON Schema.
func ArgsShape(tool string, schema map[string]any) *Shape {
	return schemaShape("args of "+tool, suggest.ForeignArg, schema, 0)
}

// schemaShape returns the shape of a value from its JSON Schema. It is closed only if the schema
// is, and nothing in it may add keys.
func schemaShape(what string, kind suggest.ForeignKind, schema map[string]any, depth int) *Shape {
	if depth > MaxDepth || schema == nil {
		return nil
	}
	if items, ok := schema["items"].(map[string]any); ok {
		return listShape(schemaShape("an item of "+what, kind, items, depth+1))
	}
	props, ok := schema["properties"].(map[string]any)
	if !ok {
		return nil
	}
	more, closed := schema["additionalProperties"].(bool)
	s := NewShape(what, kind)
	s.open = !closed || more
	for _, key := range []string{"patternProperties", "$ref", "$dynamicRef", "allOf", "anyOf",
		"oneOf", "if", "not", "dependentSchemas"} {
		if schema[key] != nil {
			s.open = true
		}
	}
	for _, name := range SortedKeys(props) {
		p, _ := props[name].(map[string]any)
		s.Add(name, schemaShape(what+"."+name, kind, p, depth+1))
	}
	return s
}
