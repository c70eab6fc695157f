// This file defines the shapes of events: which keys may be read.

package event

import (
	"github.com/agentscripts/agent/engine/value"
)

// eventShape returns the shape of the events of a row, without the arguments of tools: see
// Event.Shape.
func eventShape(row *Row) *value.Shape {
	return value.TableShape("event "+row.Name, row.Payload).On(envelopeShape)
}

var envelopeShape = value.TableShape("event", EnvelopeFields())

// Shape implements Shaped.
func (ev *Event) Shape() *value.Shape {
	if ev.row.shape == nil {
		return nil
	}
	return ev.row.shape()
}

// ShapeBelow returns the shape of the value of an object at key. own is the shape of the object
// itself.
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
