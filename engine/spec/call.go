// This file describes the call that functions of scripts get.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// Call returns what is in the call that a tool, a command, a shortcut and a timer get behind their
// arguments: the envelope, but for what only events have, and methods.
func Call() []value.Field {
	return append(engine.CallFields(),
		value.Field{Name: "progress", Type: "function",
			Takes: []value.Field{{Name: "text", Type: "string"}},
			Doc:   "progress(text): a line for the user while a tool works; of a command, a notice"},
		value.Field{Name: "cancelled", Type: "function", Takes: []value.Field{},
			Answer: "boolean",
			Doc: "cancelled() tells whether the call is to end: what waits ends by itself " +
				"then, a loop asks"},
		value.Field{Name: "defer", Type: "function",
			Takes: []value.Field{{Name: "fn", Type: "function", Takes: []value.Field{}}},
			Doc: "defer(fn): fn is called when the call has ended, however it did; the last " +
				"one first"},
		value.Field{Name: "widget", Type: "function",
			Doc: "widget(key, lines, options): ext.ui.widget for the time of the call (needs the " +
				"grant ui)"},
	)
}

// callField and the like are what functions of scripts are called with.
var (
	callField  = value.Field{Name: "call", Type: "call"}
	argsField  = value.Field{Name: "args", Type: "any"}
	textField  = value.Field{Name: "text", Type: "string"}
	lineField  = value.Field{Name: "line", Type: "string"}
	valueField = value.Field{Name: "value", Type: "any"}
)
