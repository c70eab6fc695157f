// This file holds the shapes of events, calls and messages.

package engine

import (
	"slices"

	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// CheckKey is Shape.Check for what r, which may be nil, reads.
func (r *Run) CheckKey(s *value.Shape, key string) error {
	if s.OfArgs() && r.readsAny(key) {
		return nil
	}
	return s.Check(key)
}

// readsAny reports whether the run is of a handler that takes calls of any tool, and key is an
// argument of some built-in one: such a handler asks each call for it.
func (r *Run) readsAny(key string) bool {
	if r == nil || r.handler == nil || r.handler.Filter.namesTools() {
		return false
	}
	for _, t := range r.Gen.engine.Scripts.Snapshot().tools {
		if t.Gen == nil && (t.Source == "" || t.Source == "builtin") && t.shape.Has(key) {
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
func eventShape(row *EventRow) *value.Shape {
	return value.TableShape("event "+row.Name, row.Payload).On(envelopeShape)
}

var (
	envelopeShape = value.TableShape("event", EnvelopeFields())

	messageShape = value.TableShape("message", messageField.Fields)
	resultShape  = value.TableShape("result", resultFields[:3]) // content, details, is_error
)

// callShape is the shape of the call that functions of scripts get.
var callShape = func() *value.Shape {
	return value.TableShape("call", CallFields()).Of(suggest.ForeignCall)
}()

// Shape implements Shaped.
func (c *CallInfo) Shape() *value.Shape { return callShape }

// Shape implements Shaped.
func (m *Message) Shape() *value.Shape { return messageShape }

// Shape implements Shaped.
func (ev *Event) Shape() *value.Shape { return ev.row.shape }

// ShapeBelow is the shape of what is below an object at key. own is the shape of the object itself.
func ShapeBelow(obj any, own *value.Shape, key string) *value.Shape {
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
