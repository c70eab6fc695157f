// This file holds the rows of small services: notices, waiting, data, dialogs.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

func logRow(level string) engine.APIRow {
	return engine.APIRow{
		Name:   "log." + level,
		Tells:  true,
		Params: []value.Field{{Name: "values", Type: "any", Rest: true}},
		Doc: "Writes values to the script's log, at level " + level +
			". There are spaces between them.",
		Lua: `ext.log.` + level + `("loaded")`,
		JS:  `ext.log.` + level + `("loaded");`,
	}
}

// invalidText is a sentence of the docs of functions that read a text.
const invalidText = ` Invalid text is an error of the world (code "invalid").`

var output = []engine.APIRow{
	logRow("debug"), logRow("info"), logRow("warn"), logRow("error"),
	{
		Name: "notify", Tells: true,
		Params: []value.Field{{Name: "text", Type: "string", Doc: "one line, or a few"},
			{Name: "level", Type: "string?", Values: ui.Levels(), Doc: "info if it is absent"}},
		Doc: "Shows a notice to the user, as [script] text.",
		Lua: `ext.notify("saved", "success")`,
		JS:  `ext.notify("saved", "success");`,
	},
	{
		Name:   "say",
		Tells:  true,
		Params: []value.Field{{Name: "markdown", Type: "string"}},
		Doc:    "Shows Markdown in the transcript; it is not sent to the model.",
		Lua:    `ext.say("**done**")`,
		JS:     `ext.say("**done**");`,
	},
}

var waiting = []engine.APIRow{
	{
		Name: "sleep", Waits: true,
		Params: []value.Field{{Name: "seconds", Type: "number",
			Doc: "0 to a year"}},
		Doc: "Waits; meanwhile other handlers of the script run.",
		Lua: `ext.sleep(0.001)`,
		JS:  `await ext.sleep(0.001);`,
	},
	{
		Name: "all", Waits: true, Result: "list",
		Params: []value.Field{{Name: "functions", Type: "list",
			Doc: "at most 1,000; they are called without arguments"}},
		Doc: "Runs functions concurrently while they wait, and returns their results in order. " +
			"The first error is raised when all have ended.",
		Lua: `local r = ext.all{ function() ext.sleep(0.001) return 1 end, function() return ` +
			`2 end }`,
		JS: `const r = await ext.all([async () => { await ext.sleep(0.001); return 1; }, () ` +
			`=> 2]);`,
	},
	{
		Name: "fail",
		Params: []value.Field{{Name: "error", Type: "table", Fields: []value.Field{
			{Name: "message", Type: "string", Doc: "what went wrong"},
			{Name: "status", Type: "integer?", Doc: "the HTTP status"},
			{Name: "retryable", Type: "boolean?",
				Doc: "whether a retry may succeed; absent: depends on status (408, 429, 500 and " +
					"above)"},
			{Name: "retry_after", Type: "number?", Doc: "seconds to wait before it"},
			{Name: "overflow", Type: "boolean?",
				Doc: "the request was larger than the model's context"},
		}}},
		Doc: "Raises an error with fields. In a provider, the agent uses them to retry, wait, " +
			"or shorten the conversation. Elsewhere it is an ordinary error. Code that catches " +
			"it, with pcall or catch, can read the fields.",
		Lua: `local ok, err = pcall(ext.fail, { message = "busy", status = 429, retryable = true })
ext.log.info(err.status)`,
		JS: `try {
  ext.fail({ message: "busy", status: 429, retryable: true });
} catch (err) {
  ext.log.info(err.status);
}`,
	},
}

var data = []engine.APIRow{
	{
		Name: "copy", Result: "any",
		Params: []value.Field{{Name: "value", Type: "any"}},
		Doc:    "Copies a value, a read-only view included, into a real table.",
		Lua:    `local t = ext.copy({ a = { 1, 2 } })`,
		JS:     `const t = ext.copy({ a: [1, 2] });`,
	},
	{
		Name: "list", Result: "list",
		Params: []value.Field{{Name: "items", Type: "list"}},
		Doc:    "Makes a list: an empty one stays a list in JSON.",
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
		Params: []value.Field{{Name: "value", Type: "any"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "indent", Type: "integer?",
					Doc: "spaces, 0 to 16; absent: one line"}}}},
		Doc: "Encodes plain data as JSON; keys are sorted.",
		Lua: `local s = ext.json.encode({ a = 1 })`,
		JS:  `const s = ext.json.encode({ a: 1 });`,
	},
	{
		Name: "json.decode", Codes: []string{"invalid"}, Result: "any",
		Params: []value.Field{{Name: "text", Type: "string"}},
		Doc:    "Decodes JSON." + invalidText,
		Lua:    `local v = ext.json.decode('{"a":1}')`,
		JS:     `const v = ext.json.decode('{"a":1}');`,
	},
	{
		Name: "yaml.encode", Result: "string",
		Params: []value.Field{{Name: "value", Type: "any"}},
		Doc:    "Encodes plain data as YAML; keys are sorted.",
		Lua:    `local s = ext.yaml.encode({ name = "ci", on = { "push" } })`,
		JS:     `const s = ext.yaml.encode({ name: "ci", on: ["push"] });`,
	},
	{
		Name: "yaml.decode", Codes: []string{"invalid"}, Result: "any",
		Params: []value.Field{{Name: "text", Type: "string"}},
		Doc: "Decodes a YAML document." + invalidText + " The error names the line. " +
			"Dates and keys are text; a duplicate key is an error. " +
			"Aliases and << are followed.",
		Lua: `local v = ext.yaml.decode("a: 1\nb: [x, 2026-05-01]\n")`,
		JS:  `const v = ext.yaml.decode("a: 1\nb: [x, 2026-05-01]\n");`,
	},
	{
		Name: "toml.encode", Result: "string",
		Params: []value.Field{{Name: "value", Type: "any", Doc: "a table, without nulls"}},
		Doc:    "Encodes plain data as TOML; keys are sorted, tables come last.",
		Lua:    `local s = ext.toml.encode({ name = "x", deps = { y = "1.0" } })`,
		JS:     `const s = ext.toml.encode({ name: "x", deps: { y: "1.0" } });`,
	},
	{
		Name: "toml.decode", Codes: []string{"invalid"}, Result: "table",
		Params: []value.Field{{Name: "text", Type: "string"}},
		Doc: "Decodes TOML." + invalidText + " The error names the line. " +
			"Dates and times are text.",
		Lua: `local v = ext.toml.decode("a = 1\n[b]\nc = 2026-05-01\n")`,
		JS:  `const v = ext.toml.decode("a = 1\n[b]\nc = 2026-05-01\n");`,
	},
}

var dialogs = []engine.APIRow{
	{
		Name: "ui.confirm", Waits: true, Grant: "ui", Result: "boolean",
		Params: []value.Field{
			{Name: "text", Type: "string", Doc: "the question"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "detail", Type: "string?"},
				{Name: "yes", Type: "string?", Doc: "label of the yes button"},
				{Name: "no", Type: "string?"},
				{Name: "timeout", Type: "number?",
					Doc: "seconds after which the answer is default; 0: no timeout"},
				{Name: "default", Type: "boolean?", Doc: "the answer of Enter, and after a " +
					"timeout"},
				{Name: "headless", Type: "boolean?", Doc: "the answer when no user is available"},
			}},
		},
		Doc: "Asks the user yes or no. If no user is available: options.headless, else an error " +
			"of " +
			"the world with code \"headless\".",
		Lua: `local yes = ext.ui.confirm("Deploy?", { headless = false })`,
		JS:  `const yes = await ext.ui.confirm("Deploy?", { headless: false });`,
	},
	{
		Name: "ui.select", Waits: true, Grant: "ui", Result: "string|list",
		Params: []value.Field{
			{Name: "title", Type: "string"},
			{Name: "items", Type: "list", Doc: "texts, or {label, value, description}"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "detail", Type: "string?"},
				{Name: "timeout", Type: "number?",
					Doc: "seconds after which the answer is default; 0: no timeout"},
				{Name: "multi", Type: "boolean?",
					Doc: "true: several can be selected, and the result is a list"},
				{Name: "other", Type: "boolean?",
					Doc: "true: the user may enter another text instead"},
				{Name: "default", Type: "string|list?",
					Doc: "a value, with multi a list of values: selected at first, and after a " +
						"timeout"},
				{Name: "headless", Type: "string|list?",
					Doc: "the answer when no user is available"},
			}},
		},
		Doc: `Lets the user select, and returns the value. An error of the world has the code ` +
			`"cancelled", "timeout" or "headless".`,
		Lua: `local where = ext.ui.select("Where to?", { "staging", "production" }, { headless = ` +
			`"staging" })`,
		JS: `const where = await ext.ui.select("Where to?", ["staging", "production"], { ` +
			`headless: "staging" });`,
	},
	{
		Name: "ui.input", Waits: true, Grant: "ui", Result: "string",
		Params: []value.Field{
			{Name: "title", Type: "string"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "detail", Type: "string?"},
				{Name: "timeout", Type: "number?",
					Doc: "seconds after which the answer is default; 0: no timeout"},
				{Name: "default", Type: "string?",
					Doc: "the initial text, and the answer after a timeout"},
				{Name: "headless", Type: "string?", Doc: "the answer when no user is available"},
				{Name: "secret", Type: "boolean?",
					Doc: "a password: it is not visible while the user writes it, and masked " +
						"from then on as values of ext.secret are, if it has 8 bytes or more"},
			}},
		},
		Doc: `Lets the user enter a line, and returns it. An error of the world has the code ` +
			`"cancelled", "timeout" or "headless".`,
		Lua: `local name = ext.ui.input("Which branch?", { default = "main", headless = "main" })`,
		JS: `const name = await ext.ui.input("Which branch?", { default: "main", headless: ` +
			`"main" });`,
	},
	{
		Name: "ui.edit", Waits: true, Grant: "ui", Result: "string",
		Params: []value.Field{
			{Name: "text", Type: "string", Doc: "the initial text"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "title", Type: "string?"},
				{Name: "detail", Type: "string?"},
				{Name: "timeout", Type: "number?",
					Doc: "seconds after which the answer is default; 0: no timeout"},
				{Name: "default", Type: "string?", Doc: "the answer after a timeout"},
				{Name: "headless", Type: "string?", Doc: "the answer when no user is available"},
			}},
		},
		Doc: `Lets the user edit a text of several lines, and returns it. An error of the world ` +
			`has the code "cancelled", "timeout" or "headless".`,
		Lua: `local message = ext.ui.edit("Fix the tests\n", {
  title = "Commit message",
  headless = "Fix the tests",
})`,
		JS: `const message = await ext.ui.edit("Fix the tests\n", {
  title: "Commit message",
  headless: "Fix the tests",
});`,
	},
}
