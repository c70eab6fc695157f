// This file describes the call that functions of scripts get.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// Call returns what is in the call that a tool, a command, a shortcut and a timer get behind their
// arguments: the envelope, but for what only events have, and methods.
func Call() []value.Field { return engine.CallFields() }

// callField and the like are what functions of scripts are called with.
var (
	callField  = value.Field{Name: "call", Type: "call"}
	argsField  = value.Field{Name: "args", Type: "any"}
	textField  = value.Field{Name: "text", Type: "string"}
	lineField  = value.Field{Name: "line", Type: "string"}
	valueField = value.Field{Name: "value", Type: "any"}
)
