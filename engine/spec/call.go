// This file describes the call argument of script functions.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// Call returns the fields of the call that tools, commands, shortcuts and timers get after their
// arguments: the fields of the envelope except for those that only events have, and methods.
func Call() []value.Field { return engine.CallFields() }

// callField and the like are parameters of script functions.
var (
	callField  = value.Field{Name: "call", Type: "call"}
	argsField  = value.Field{Name: "args", Type: "any"}
	textField  = value.Field{Name: "text", Type: "string"}
	lineField  = value.Field{Name: "line", Type: "string"}
	valueField = value.Field{Name: "value", Type: "any"}
)
