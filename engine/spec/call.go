// This file describes the call that functions of scripts get.

package spec

import "github.com/agentscripts/agent/engine"

// Call returns what is in the call that a tool, a command, a shortcut and a timer get behind their
// arguments: the envelope, but for what only events have, and methods.
func Call() []engine.Field {
	return append(engine.CallFields(),
		engine.Field{Name: "progress", Type: "function",
			Takes: []engine.Field{{Name: "text", Type: "string"}},
			Doc:   "progress(text): a line for the user while a tool works; of a command, a notice"},
		engine.Field{Name: "cancelled", Type: "function", Takes: []engine.Field{},
			Answer: "boolean",
			Doc: "cancelled() tells whether the call is to end: what waits ends by itself " +
				"then, a loop asks"},
		engine.Field{Name: "defer", Type: "function",
			Takes: []engine.Field{{Name: "fn", Type: "function", Takes: []engine.Field{}}},
			Doc: "defer(fn): fn is called when the call has ended, however it did; the last " +
				"one first"},
		engine.Field{Name: "widget", Type: "function",
			Doc: "widget(key, lines, options): ext.ui.widget for the time of the call (needs the " +
				"grant ui)"},
	)
}

// callField and the like are what functions of scripts are called with.
var (
	callField  = engine.Field{Name: "call", Type: "call"}
	argsField  = engine.Field{Name: "args", Type: "any"}
	textField  = engine.Field{Name: "text", Type: "string"}
	lineField  = engine.Field{Name: "line", Type: "string"}
	valueField = engine.Field{Name: "value", Type: "any"}
)
