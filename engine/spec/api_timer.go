// This file holds the rows of timers.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// timerFn is the function that both take.
var timerFn = value.Field{Name: "fn", Type: "function", Takes: []value.Field{callField},
	Doc: "fn(call), see call"}

var timers = []engine.APIRow{
	{
		Name: "every", Placed: true, Result: "function",
		Params: []value.Field{{Name: "seconds", Type: "number", Doc: "0.1 at least"}, timerFn},
		Doc: "Calls a function again and again, and returns a function that ends that. The first " +
			"call comes when the seconds have passed for the first time, counted from when the " +
			"script is in force. " +
			"It may be called at any time, from handlers too. A call that takes longer than the " +
			"seconds makes those that it misses fall out: there are never two at a time. A " +
			"failure is told once, until it is another one. A script has 100 timers at most.",
		Lua: `local stop = ext.every(60, function(call) ext.log.info(call.cwd) end) stop()`,
		JS:  `const stop = ext.every(60, (call) => { ext.log.info(call.cwd); }); stop();`,
	},
	{
		Name: "after", Placed: true, Result: "function",
		Params: []value.Field{{Name: "seconds", Type: "number"}, timerFn},
		Doc: "Calls a function once, when the seconds have passed, and returns a function " +
			"that takes that back. All else is as with ext.every.",
		Lua: `local stop = ext.after(60, function(call) ext.log.info("a minute later") end) stop()`,
		JS:  `const stop = ext.after(60, (call) => { ext.log.info("a minute later"); }); stop();`,
	},
}
