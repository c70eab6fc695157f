// This file holds the rows of the small services: notices, waiting, data, dialogs.
package spec

import "github.com/agentscripts/agent/engine"

func logRow(level string) engine.APIRow {
	return engine.APIRow{
		Name:   "log." + level,
		Params: []engine.Field{{Name: "value", Type: "any"}, {Name: "more", Type: "any?"}},
		Doc:    "Writes a line of level " + level + " to the script's log.",
		Lua:    `ext.log.` + level + `("loaded")`,
		JS:     `ext.log.` + level + `("loaded");`,
	}
}

var output = []engine.APIRow{
	logRow("debug"), logRow("info"), logRow("warn"), logRow("error"),
	{
		Name:   "notify",
		Params: []engine.Field{{Name: "text", Type: "string"}, {Name: "level", Type: "string?", Values: engine.Levels()}},
		Doc:    "Shows a notice to the user, as [script] text.",
		Lua:    `ext.notify("saved", "success")`,
		JS:     `ext.notify("saved", "success");`,
	},
	{
		Name:   "say",
		Params: []engine.Field{{Name: "markdown", Type: "string"}},
		Doc:    "Shows Markdown in the transcript; it is not sent to the model.",
		Lua:    `ext.say("**done**")`,
		JS:     `ext.say("**done**");`,
	},
}

var waiting = []engine.APIRow{
	{
		Name: "sleep", Waits: true,
		Params: []engine.Field{{Name: "seconds", Type: "number"}},
		Doc:    "Waits; other handlers of the script run meanwhile.",
		Lua:    `ext.sleep(0.001)`,
		JS:     `await ext.sleep(0.001);`,
	},
	{
		Name: "all", Waits: true, Result: "list",
		Params: []engine.Field{{Name: "functions", Type: "list"}},
		Doc:    "Runs functions side by side, as far as they wait, and returns their results in order. The first error is raised when all have ended.",
		Lua:    `local r = ext.all{ function() ext.sleep(0.001) return 1 end, function() return 2 end }`,
		JS:     `const r = await ext.all([async () => { await ext.sleep(0.001); return 1; }, () => 2]);`,
	},
	{
		Name: "fail",
		Params: []engine.Field{{Name: "error", Type: "table", Fields: []engine.Field{
			{Name: "message", Type: "string"},
			{Name: "status", Type: "integer?"},
			{Name: "retryable", Type: "boolean?"},
			{Name: "retry_after", Type: "number?", Doc: "seconds"},
			{Name: "overflow", Type: "boolean?", Doc: "the request was larger than the model's context"},
		}}},
		Doc: "Raises an error with fields that the agent understands.",
		Lua: `local ok, err = pcall(ext.fail, { message = "busy", status = 429, retryable = true }) ext.log.info(err.status)`,
		JS:  `try { ext.fail({ message: "busy", status: 429, retryable: true }); } catch (err) { ext.log.info(err.status); }`,
	},
}

var data = []engine.APIRow{
	{
		Name: "copy", Result: "any",
		Params: []engine.Field{{Name: "value", Type: "any"}},
		Doc:    "Copies a value, a read-only view included, into a real table.",
		Lua:    `local t = ext.copy({ a = { 1, 2 } })`,
		JS:     `const t = ext.copy({ a: [1, 2] });`,
	},
	{
		Name: "list", Result: "list",
		Params: []engine.Field{{Name: "items", Type: "list"}},
		Doc:    "Makes a list: an empty one stays a list when it becomes JSON.",
		Lua:    `local l = ext.list{}`,
		JS:     `const l = ext.list([]);`,
	},
	{
		Name: "null", Result: "null", Fact: true,
		Doc: "JSON null.",
		Lua: `local n = ext.null`,
		JS:  `const n = ext.null;`,
	},
	{
		Name: "json.encode", Result: "string",
		Params: []engine.Field{{Name: "value", Type: "any"}, {Name: "options", Type: "table?", Fields: []engine.Field{{Name: "indent", Type: "integer?", Doc: "spaces"}}}},
		Doc:    "Encodes plain data as JSON; keys in order.",
		Lua:    `local s = ext.json.encode({ a = 1 })`,
		JS:     `const s = ext.json.encode({ a: 1 });`,
	},
	{
		Name: "json.decode", Result: "any",
		Params: []engine.Field{{Name: "text", Type: "string"}},
		Doc:    "Decodes JSON; an error of the world (code \"invalid\") if it is none.",
		Lua:    `local v = ext.json.decode('{"a":1}')`,
		JS:     `const v = ext.json.decode('{"a":1}');`,
	},
}

var ui = []engine.APIRow{
	{
		Name: "ui.confirm", Waits: true, Grant: "ui", Result: "boolean",
		Params: []engine.Field{
			{Name: "text", Type: "string", Doc: "the question"},
			{Name: "options", Type: "table?", Fields: []engine.Field{
				{Name: "detail", Type: "string?"},
				{Name: "yes", Type: "string?", Doc: "label of the yes button"},
				{Name: "no", Type: "string?"},
				{Name: "timeout", Type: "number?", Doc: "seconds; then the answer is default"},
				{Name: "default", Type: "boolean?", Doc: "what Enter gives, and a timeout"},
				{Name: "headless", Type: "boolean?", Doc: "the answer when nobody can be asked"},
			}},
		},
		Doc: "Asks the user yes or no. With nobody to ask: options.headless, else an error of the world with code \"headless\".",
		Lua: `local yes = ext.ui.confirm("Deploy?", { headless = false })`,
		JS:  `const yes = await ext.ui.confirm("Deploy?", { headless: false });`,
	},
	{
		Name: "ui.select", Waits: true, Grant: "ui", Result: "string",
		Params: []engine.Field{
			{Name: "title", Type: "string"},
			{Name: "items", Type: "list", Doc: "texts, or {label, value, description}"},
			{Name: "options", Type: "table?", Fields: []engine.Field{
				{Name: "detail", Type: "string?"},
				{Name: "timeout", Type: "number?", Doc: "seconds; then the answer is default"},
				{Name: "default", Type: "string?", Doc: "a value: what a timeout gives"},
				{Name: "headless", Type: "string?", Doc: "a value: the answer when nobody can be asked"},
			}},
		},
		Doc: `Lets the user select, and returns the value. An error of the world has the code "cancelled", "timeout" or "headless".`,
		Lua: `local where = ext.ui.select("Where to?", { "staging", "production" }, { headless = "staging" })`,
		JS:  `const where = await ext.ui.select("Where to?", ["staging", "production"], { headless: "staging" });`,
	},
	{
		Name: "ui.input", Waits: true, Grant: "ui", Result: "string",
		Params: []engine.Field{
			{Name: "title", Type: "string"},
			{Name: "options", Type: "table?", Fields: []engine.Field{
				{Name: "detail", Type: "string?"},
				{Name: "timeout", Type: "number?", Doc: "seconds; then the answer is default"},
				{Name: "default", Type: "string?", Doc: "what stands in the line at first, and what a timeout gives"},
				{Name: "headless", Type: "string?", Doc: "the answer when nobody can be asked"},
			}},
		},
		Doc: `Lets the user write a line, and returns it. An error of the world has the code "cancelled", "timeout" or "headless".`,
		Lua: `local name = ext.ui.input("Which branch?", { default = "main", headless = "main" })`,
		JS:  `const name = await ext.ui.input("Which branch?", { default: "main", headless: "main" });`,
	},
}
