// This file holds the rows of ext.store.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// keepErrors describes the errors of the world of these functions.
const keepErrors = ` Errors of the world: "damaged" (the file cannot be read: it was renamed as ` +
	`the message says, and the store is empty), "busy", "failed".`

var durable = []engine.APIRow{
	{
		Name: "store.get", Result: "any",
		Params: []value.Field{stateKey},
		Doc: "Returns the value of key, stored on this machine for all sessions and " +
			"projects: nil if there is none. Each script has its own store, even scripts of the " +
			"same name in different folders." + keepErrors,
		Lua: `local seen = ext.store.get("seen")`,
		JS:  `const seen = ext.store.get("seen");`,
	},
	{
		Name: "store.set", Result: "boolean",
		Params: []value.Field{stateKey, {Name: "value", Type: "any?",
			Doc: "plain data of up to 1 MiB; nil deletes"}},
		Doc: "Stores a value permanently: it is on the disk when the call returns. Each change " +
			"writes all values of the script, 16 MiB at most (else the error of the world " +
			"\"full\"): " +
			"it takes a millisecond or more." + keepErrors,
		Lua: `ext.store.set("seen", { "a.md", "b.md" })`,
		JS:  `ext.store.set("seen", ["a.md", "b.md"]);`,
	},
	{
		Name: "store.delete", Result: "boolean",
		Params: []value.Field{stateKey},
		Doc:    "Deletes a value." + keepErrors,
		Lua:    `ext.store.delete("seen")`,
		JS:     `ext.store.delete("seen");`,
	},
	{
		Name: "store.keys", Result: "list",
		Doc: "Lists the keys, sorted." + keepErrors,
		Lua: `local keys = ext.store.keys()`,
		JS:  `const keys = ext.store.keys();`,
	},
	{
		Name: "store.update", Result: "any",
		Params: []value.Field{stateKey, {Name: "fn", Type: "function",
			Takes: []value.Field{valueField},
			Doc: "fn(value) returns the new value, nil deletes; it must not wait, and is " +
				"called again if another agent changed the value meanwhile"}},
		Doc: "Changes a value atomically, even if other agents change it too, and returns the " +
			"new one." + keepErrors + ` "conflict": others changed it 100 times in a row.`,
		Lua: `local n = ext.store.update("starts", function(n) return (n or 0) + 1 end)`,
		JS:  `const n = ext.store.update("starts", (n) => (n ?? 0) + 1);`,
	},
}
