// This file holds the rows of timers.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// timerFn is the function parameter of both.
var timerFn = value.Field{Name: "fn", Type: "function", Takes: []value.Field{callField},
	Doc: "fn(call), see call"}

var timers = []engine.APIRow{
	{
		Name: "every", Placed: true, Result: "function",
		Params: []value.Field{{Name: "seconds", Type: "number", Doc: "0.1 at least"}, timerFn},
		Doc: "Calls a function repeatedly, and returns a function that stops it. The first " +
			"call comes after the given seconds, counted from when the script comes into force. " +
			"Handlers may call it too. Calls never overlap: calls that are due while one runs " +
			"are skipped. A failure is reported once, until it changes. A script can have 100 " +
			"timers.",
		Lua: `local stop = ext.every(60, function(call) ext.log.info(call.cwd) end) stop()`,
		JS:  `const stop = ext.every(60, (call) => { ext.log.info(call.cwd); }); stop();`,
	},
	{
		Name: "after", Placed: true, Result: "function",
		Params: []value.Field{{Name: "seconds", Type: "number"}, timerFn},
		Doc: "Calls a function once after the given seconds, and returns a function that " +
			"cancels it. Otherwise it is like ext.every.",
		Lua: `local stop = ext.after(60, function(call) ext.log.info("a minute later") end) ` +
			`stop()`,
		JS: `const stop = ext.after(60, (call) => { ext.log.info("a minute later"); }); ` +
			`stop();`,
	},
}
