// This file holds the rows of what a script keeps for good.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// keepErrors are the errors of the world of all these functions.
const keepErrors = ` Errors of the world: "damaged" (the file cannot be read: it was put aside ` +
	`under a name that the message tells, and the next call begins with nothing), "busy", "failed".`

var durable = []engine.APIRow{
	{
		Name: "store.get", Result: "any",
		Params: []value.Field{stateKey},
		Doc: "What the script keeps under key, on this machine, for all sessions and " +
			"projects: nil if there is nothing. Scripts do not see each other's, also of one " +
			"name in two folders." + keepErrors,
		Lua: `local seen = ext.store.get("seen")`,
		JS:  `const seen = ext.store.get("seen");`,
	},
	{
		Name: "store.set", Result: "boolean",
		Params: []value.Field{stateKey, {Name: "value", Type: "any?",
			Doc: "plain data of up to 1 MiB; nil deletes"}},
		Doc: "Keeps a value for good: it is on the disk when the call returns. Each change " +
			"writes all values of the script, 16 MiB at most (else the error of the world " +
			"\"full\"): " +
			"it takes a millisecond or more." + keepErrors,
		Lua: `ext.store.set("seen", { "a.md", "b.md" })`,
		JS:  `ext.store.set("seen", ["a.md", "b.md"]);`,
	},
	{
		Name: "store.delete", Result: "boolean",
		Params: []value.Field{stateKey},
		Doc:    "Forgets a value." + keepErrors,
		Lua:    `ext.store.delete("seen")`,
		JS:     `ext.store.delete("seen");`,
	},
	{
		Name: "store.keys", Result: "list",
		Doc: "Lists the keys in order." + keepErrors,
		Lua: `local keys = ext.store.keys()`,
		JS:  `const keys = ext.store.keys();`,
	},
	{
		Name: "store.update", Result: "any",
		Params: []value.Field{stateKey, {Name: "fn", Type: "function",
			Takes: []value.Field{valueField},
			Doc: "fn(value) returns the new value, nil deletes; it must not wait, and is " +
				"called again if somebody else changed the value meanwhile"}},
		Doc: "Changes a value in one step, also if other agents are at it, and returns the " +
			"new one." + keepErrors + ` "conflict": others changed it 100 times in a row.`,
		Lua: `local n = ext.store.update("starts", function(n) return (n or 0) + 1 end)`,
		JS:  `const n = ext.store.update("starts", (n) => (n ?? 0) + 1);`,
	},
}
