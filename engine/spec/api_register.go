// This file holds the rows of what registers.
package spec

import "github.com/agentscripts/agent/engine"

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
	{
		Name: "redact", Loading: true,
		Params: []engine.Field{{Name: "redactor", Type: "table", Fields: []engine.Field{
			{Name: "name", Type: "string", Doc: "stands in the place of what is masked: [redacted:NAME]"},
			{Name: "patterns", Type: "list?", Doc: "RE2, as text"},
			{Name: "find", Type: "function?", Doc: "find(text) returns the pieces of text that are to be masked, as a list"},
		}}},
		Doc: "Masks what patterns match and find returns, everywhere at once: tool output and results, what the model says and is sent, what the user sees, logs.",
		Lua: `ext.redact{ name = "key", patterns = { "sk-[a-z0-9]+" } }`,
		JS:  `ext.redact({ name: "key", patterns: ["sk-[a-z0-9]+"] });`,
	},
}
