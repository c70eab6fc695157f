// This file holds the rows of the API table.
package spec

import "github.com/agentscripts/agent/engine"

// API returns the rows of the API table in the order of the reference.
func API() []engine.APIRow {
	var rows []engine.APIRow
	for _, group := range [][]engine.APIRow{registration, output, waiting, data, ui, facts} {
		rows = append(rows, group...)
	}
	return rows
}

// handlerOptions are the options that every handler takes besides its event's filters.
var handlerOptions = []engine.Field{
	{Name: "priority", Type: "number?", Doc: "lower runs first, default 50"},
	{Name: "timeout", Type: "number?", Doc: "wall time in seconds, 0 = none"},
	{Name: "on_error", Type: "string?", Values: []string{"ask", "block", "allow", "warn", "ignore"}, Doc: "what a failure means"},
	{Name: "tool", Type: "string?", Doc: "tool names or globs, separated by |"},
	{Name: "kind", Type: "string?", Doc: "kind of tool, input, ..."},
	{Name: "match", Type: "string?", Doc: "RE2 on the event's main text"},
	{Name: "depth", Type: "number?", Doc: "0 = the main agent"},
	{Name: "level", Type: "string?", Doc: "level of a notification"},
	{Name: "purpose", Type: "string?", Doc: "purpose of a model request"},
}

var registration = []engine.APIRow{
	{
		Name: "on", Loading: true,
		Params: []engine.Field{
			{Name: "event", Type: "string", Doc: "name of the event"},
			{Name: "options", Type: "table?", Fields: handlerOptions, Doc: "the event's filters, priority, timeout, on_error"},
			{Name: "fn", Type: "function", Doc: "called with the event; returns what it changes or decides"},
		},
		Doc: "Observes or intercepts an event.",
		Lua: `ext.on("tool_end", function(ev) ext.log.info(ev.tool) end)`,
		JS:  `ext.on("tool_end", (ev) => { ext.log.info(ev.tool); });`,
	},
	{
		Name: "guard", Loading: true,
		Params: []engine.Field{
			{Name: "options", Type: "table?", Fields: handlerOptions},
			{Name: "fn", Type: "function", Doc: "called with the final arguments of a tool call"},
		},
		Doc: "Has the last word on a tool call's final arguments; fails closed; runs in every mode.",
		Lua: `ext.guard({ tool = "bash" }, function(ev) if ev.args.command:find("sudo", 1, true) then return { block = true, reason = "no sudo" } end end)`,
		JS:  `ext.guard({ tool: "bash" }, (ev) => ev.args.command.includes("sudo") ? { block: true, reason: "no sudo" } : null);`,
	},
	{
		Name: "tool", Loading: true,
		Params: []engine.Field{{Name: "tool", Type: "table", Fields: []engine.Field{
			{Name: "name", Type: "string"},
			{Name: "description", Type: "string"},
			{Name: "schema", Type: "table?", Doc: "JSON Schema if it has type = \"object\", else the short form {city = \"string: name\"}"},
			{Name: "kind", Type: "string?", Values: []string{"read", "edit", "execute", "search", "agent", "other"}},
			{Name: "read_only", Type: "boolean?"},
			{Name: "approve", Type: "boolean?", Doc: "false: no routine prompt"},
			{Name: "timeout", Type: "number?", Doc: "wall time in seconds, 0 = none"},
			{Name: "override", Type: "boolean?", Doc: "may replace the built-in tool of this name"},
			{Name: "run", Type: "function", Doc: "run(args, call) returns text or a tool result"},
		}}},
		Doc: "Adds a tool that the model can call.",
		Lua: `ext.tool{ name = "shout", description = "Says it loudly", schema = { text = "string: what" }, read_only = true, run = function(args) return args.text:upper() end }`,
		JS:  `ext.tool({ name: "shout", description: "Says it loudly", schema: { text: "string: what" }, read_only: true, run: (args) => args.text.toUpperCase() });`,
	},
	{
		Name: "command", Loading: true,
		Params: []engine.Field{{Name: "command", Type: "table", Fields: []engine.Field{
			{Name: "name", Type: "string"},
			{Name: "description", Type: "string?"},
			{Name: "args", Type: "list?", Doc: `parameters as text: "n integer?: how many"; absent: the raw rest`},
			{Name: "complete", Type: "function?", Doc: "complete(prefix, call) returns strings or {value, description}"},
			{Name: "run", Type: "function", Doc: "run(args, call) returns nil, {prompt=}, {insert=}, {display=} or {error=}"},
		}}},
		Doc: "Adds a slash command.",
		Lua: `ext.command{ name = "greet", description = "Greets", run = function(args) return { display = "hello " .. args } end }`,
		JS:  `ext.command({ name: "greet", description: "Greets", run: (args) => ({ display: "hello " + args }) });`,
	},
	{
		Name: "provider", Loading: true, Grant: "provider",
		Params: []engine.Field{{Name: "provider", Type: "table", Fields: []engine.Field{
			{Name: "name", Type: "string"},
			{Name: "models", Type: "list", Doc: "{id, context, max_output, images, thinking, price}"},
			{Name: "stream", Type: "function", Doc: "stream(request, emit) returns {finish_reason, usage}"},
		}}},
		Doc: "Adds a model provider.",
		Lua: `ext.provider{ name = "echo", models = { { id = "echo" } }, stream = function(request, emit) emit{ text = "hi" } return { finish_reason = "stop" } end }`,
		JS:  `ext.provider({ name: "echo", models: [{ id: "echo" }], stream: (request, emit) => { emit({ text: "hi" }); return { finish_reason: "stop" }; } });`,
	},
}

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
}

func fact(name, typ, doc string) engine.APIRow {
	return engine.APIRow{Name: name, Result: typ, Fact: true, Doc: doc, Lua: "local v = ext." + name, JS: "const v = ext." + name + ";"}
}

var facts = []engine.APIRow{
	fact("version", "string", "Version of the program."),
	fact("api", "integer", "Version of this API."),
	fact("language", "string", "lua or js."),
	fact("mode", "string", "tui, print, json, rpc or acp."),
	fact("os", "string", "Operating system, as Go names it."),
	fact("arch", "string", "Processor, as Go names it."),
	fact("cwd", "string", "Working directory."),
	fact("model_id", "string", "provider/id of the current model, nil if there is none."),
	fact("script", "table", "{name, path, dir, generation} of this script."),
}
