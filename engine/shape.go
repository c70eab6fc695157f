// This file says which keys the data of events may have, so that reading one that cannot be there
// is an error: a guard that asks for toolName would else pass in silence.

package engine

import (
	"fmt"
	"github.com/agentscripts/agent/engine/suggest"
	"slices"
	"strings"
)

// Shape describes the keys of an object, and what its values look like. A nil Shape knows nothing
// and permits every key. It is immutable.
type Shape struct {
	what  string              // for errors: "event tool_call", "args of bash"
	kind  suggest.ForeignKind // what other hosts' names for its keys are looked up as
	keys  []string            // the keys that it may have, in order
	known map[string]bool     // the same
	open  bool                // it may have others, too
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

// Below is the shape of the value at key, nil if nothing is known of it.
func (s *Shape) Below(key string) *Shape {
	if s == nil {
		return nil
	}
	if below := s.below[key]; below != nil {
		return below
	}
	return s.base.Below(key)
}

// Items is the shape of the items of a list.
func (s *Shape) Items() *Shape {
	if s == nil {
		return nil
	}
	return s.items
}

// has reports whether key is one of the known keys.
func (s *Shape) has(key string) bool { return s != nil && (s.known[key] || s.base.has(key)) }

// newShape makes a closed shape.
func newShape(what string, kind suggest.ForeignKind, keys ...string) *Shape {
	s := &Shape{what: what, kind: kind, known: map[string]bool{}, below: map[string]*Shape{}}
	for _, key := range keys {
		s.add(key, nil)
	}
	return s
}

// add adds a key, with the shape of its value if one is known.
func (s *Shape) add(key string, below *Shape) {
	if !s.known[key] {
		s.keys, s.known[key] = append(s.keys, key), true
	}
	if below != nil {
		s.below[key] = below
	}
}

// Check is asked when key was read and is absent. It returns an error if the object can never have
// it, with the nearest name. run, which may be nil, is the run that read it.
func (s *Shape) Check(key string, run *Run) error {
	if s == nil || s.open || s.has(key) || s.kind == suggest.ForeignArg && run.readsAny(key) {
		return nil
	}
	return fmt.Errorf("%s has no field %q%s", s.what, key, s.instead(key))
}

// instead ends the message about an unknown key: the key that was probably meant, or all of them.
func (s *Shape) instead(key string) string {
	keys := s.keys
	if s.base != nil {
		keys = slices.Concat(s.base.keys, keys)
	}
	if hint := suggest.DidYouMeanFor(s.kind, key, keys); hint != "" {
		return hint
	}
	if len(s.keys) > 0 {
		keys = s.keys // those that every event has are no help
	}
	if len(keys) == 0 {
		return "; it has none"
	}
	return "; it has: " + strings.Join(keys, ", ")
}

// readsAny reports whether the run is of a handler that takes calls of any tool, and key is an
// argument of some built-in one: such a handler asks each call for it.
func (r *Run) readsAny(key string) bool {
	if r == nil || r.handler == nil || r.handler.Filter.namesTools() {
		return false
	}
	for _, t := range r.Gen.engine.Snapshot().tools {
		if t.Gen == nil && (t.Source == "" || t.Source == "builtin") && t.shape != nil &&
			t.shape.has(key) {
			return true
		}
	}
	return false
}

// namesTools reports whether the filter picks tools.
func (f *Filter) namesTools() bool {
	return f.kind != "" || f.names != nil && !slices.Contains(f.tools, "*")
}

// eventShape is the shape of the events of a row, but for the arguments of tools: see Event.Shape.
func eventShape(row *EventRow) *Shape {
	s := newShape("event "+row.Name, suggest.ForeignField)
	s.base = envelopeShape
	for i := range row.Payload {
		s.add(row.Payload[i].Name, fieldShape(row.Payload[i]))
	}
	return s
}

// fieldShape is the shape of a field's value: of a table whose keys are listed, or a list of those.
func fieldShape(f Field) *Shape {
	if len(f.Fields) == 0 {
		return nil
	}
	s := tableShape(f.Name, f.Fields)
	if strings.Contains(f.Type, "list") {
		s.what = "an item of " + f.Name
		return &Shape{open: true, items: s}
	}
	return s
}

// tableShape is the shape of a table with these fields.
func tableShape(what string, fields []Field) *Shape {
	s := newShape(what, suggest.ForeignField)
	for _, f := range fields {
		s.add(f.Name, fieldShape(f))
	}
	return s
}

// listShape is the shape of a list of such items.
func listShape(items *Shape) *Shape { return &Shape{open: true, items: items} }

var (
	envelopeShape = tableShape("event", EnvelopeFields())

	messageShape = tableShape("message", messageField.Fields)
	resultShape  = tableShape("result", resultFields[:3]) // content, details, is_error
)

// callShape is the shape of the call that functions of scripts get.
var callShape = func() *Shape {
	s := newShape("call", suggest.ForeignCall)
	for _, f := range CallFields() {
		s.add(f.Name, fieldShape(f))
	}
	for _, key := range callMethods {
		s.add(key, nil)
	}
	return s
}()

// Shape implements Shaped.
func (c *CallInfo) Shape() *Shape { return callShape }

// Shape implements Shaped.
func (m *Message) Shape() *Shape { return messageShape }

// Shape implements Shaped.
func (ev *Event) Shape() *Shape { return ev.row.shape }

// ShapeBelow is the shape of what is below an object at key. own is the shape of the object itself.
func ShapeBelow(obj any, own *Shape, key string) *Shape {
	if ev, ok := obj.(*Event); ok {
		switch key {
		case "args":
			return ev.args
		case "original":
			return ev.original
		}
	}
	return own.Below(key)
}

// argsShape is the shape of arguments by their tool's JSON Schema.
func argsShape(tool string, schema map[string]any) *Shape {
	return schemaShape("args of "+tool, suggest.ForeignArg, schema, 0)
}

// schemaShape reads the shape of a value from its JSON Schema. It is closed only where the schema
// says so and nothing in it may add keys.
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
	s := newShape(what, kind)
	s.open = !closed || more
	for _, key := range []string{"patternProperties", "$ref", "$dynamicRef", "allOf", "anyOf",
		"oneOf", "if", "not", "dependentSchemas"} {
		if schema[key] != nil {
			s.open = true
		}
	}
	for _, name := range SortedKeys(props) {
		p, _ := props[name].(map[string]any)
		s.add(name, schemaShape(what+"."+name, kind, p, depth+1))
	}
	return s
}
