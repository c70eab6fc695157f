// This file holds the rows of the functions that register something.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/option"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/value"
)

// handlerOptions are the options of every handler besides its event's filters.
var handlerOptions = []value.Field{
	{Name: "priority", Type: "number?", Doc: "lower runs first, default 50"},
	{Name: "timeout", Type: "number?", Doc: "wall time in seconds, 0 = none"},
	{Name: "on_error", Type: "string?", Values: []string{"ask", "block", "allow", "warn", "ignore"},
		Doc: "effect of a failure; block withholds the text that the handler checks, where the " +
			"event " +
			"says so"},
	{Name: "scrub", Type: "boolean?",
		Doc: "true: the handler removes text that must not be seen, so on_error is block if it " +
			"is " +
			"not given"},
	{Name: "tool", Type: "string?", Doc: "tool names or globs, separated by |"},
	{Name: "kind", Type: "string?", Doc: "kind of tool, input, ..."},
	{Name: "match", Type: "string?", Doc: "RE2 on the event's main text"},
	{Name: "reads", Type: "string?",
		Doc: "a glob; matches tool calls that read a matching path. It is relative to the " +
			"project, or begins with /, ~/ or **"},
	{Name: "writes", Type: "string?",
		Doc: "the same for paths that a call writes, creates or removes. If they cannot be " +
			"known, the user is asked on behalf of a guard"},
	{Name: "depth", Type: "number?", Doc: "0 = the main agent"},
	{Name: "level", Type: "string?", Doc: "level of a notification"},
	{Name: "purpose", Type: "string?", Doc: "purpose of a model request"},
}

var registration = []engine.APIRow{
	{
		Name: "on", Loading: true,
		Params: []value.Field{
			{Name: "event", Type: "string", Doc: "name of the event"},
			{Name: "options", Type: "table?", Fields: handlerOptions,
				Doc: "the event's filters, priority, timeout, on_error"},
			{Name: "fn", Type: "function",
				Doc: "called with the event; returns what it changes or decides"},
		},
		Doc: "Observes or intercepts an event.",
		Lua: `ext.on("tool_end", function(ev) ext.log.info(ev.tool) end)`,
		JS:  `ext.on("tool_end", (ev) => { ext.log.info(ev.tool); });`,
	},
	{
		Name: "guard", Loading: true,
		Params: []value.Field{
			{Name: "options", Type: "table?", Fields: handlerOptions,
				Doc: "filters, priority, timeout, on_error"},
			{Name: "fn", Type: "function|table", Doc: "called with the final arguments of " +
				"a tool call; or the outcome of all matching calls: with block or ask, and only " +
				"the filters reads or writes, it also applies to the files that programs open"},
		},
		Doc: "Checks a tool call's final arguments; fails closed; runs in every " +
			"mode.",
		Lua: `ext.guard({ tool = "bash" }, function(ev)
  return ext.shell.check(ev.args.command, { deny = { { cmd = "sudo", reason = "no sudo" } } })
end)`,
		JS: `ext.guard({ tool: "bash" }, (ev) =>
  ext.shell.check(ev.args.command, { deny: [{ cmd: "sudo", reason: "no sudo" }] }));`,
	},
	{
		Name: "tool", Loading: true,
		Params: []value.Field{{Name: "tool", Type: "table", Fields: []value.Field{
			{Name: "name", Type: "string", Doc: "letters, digits, _ and -, at most 64"},
			{Name: "description", Type: "string",
				Doc: "for the model: what the tool does, and when to use it"},
			{Name: "schema", Type: "table?",
				Doc: "JSON Schema if it has type = \"object\", else the short form, TYPE: " +
					"DESCRIPTION by the names of the arguments: {city = \"string: its name\", " +
					"days = \"integer?: how many\", unit = \"c|f?\", tags = \"string[]?\"}. A " +
					"type is string, integer, number, boolean, object, any, some of these " +
					"(string|number) or values (c|f); [] makes it a list, ? optional; a table is " +
					"an object in the short form, or JSON Schema. Other arguments are refused. " +
					"Absent: no arguments"},
			{Name: "kind", Type: "string?", Values: toolKind.Values,
				Doc: "for filters; absent: other. An edit needs no question in the " +
					"mode accept-edits"},
			{Name: "read_only", Type: "boolean?",
				Doc: "true: the tool changes nothing, and needs no question in any mode; " +
					"several calls run concurrently"},
			{Name: "approve", Type: "boolean?",
				Doc: "false: the permission mode does not ask; guards, rules and the mode plan " +
					"apply all the " +
					"same"},
			{Name: "timeout", Type: "number?", Doc: "wall time in seconds, 0 = none"},
			{Name: "override", Type: "boolean?",
				Doc: "true: it may replace the built-in tool of this name"},
			{Name: "run", Type: "function", Takes: []value.Field{argsField, callField},
				Answer: "string|number|boolean|table", Fields: engine.ResultFields(),
				Doc: "run(args, call) returns text, or a table with these keys; nil is an empty " +
					"text, an error is a result with is_error"},
		}}},
		Doc: "Adds a tool that the model can call.",
		Lua: `ext.tool{
  name = "shout",
  description = "Says it loudly",
  schema = { text = "string: what" },
  read_only = true,
  run = function(args) return args.text:upper() end,
}`,
		JS: `ext.tool({
  name: "shout",
  description: "Says it loudly",
  schema: { text: "string: what" },
  read_only: true,
  run: (args) => args.text.toUpperCase(),
});`,
	},
	{
		Name: "command", Loading: true,
		Params: []value.Field{{Name: "command", Type: "table", Fields: []value.Field{
			{Name: "name", Type: "string", Doc: "without the slash: a-z, 0-9, - and _"},
			{Name: "description", Type: "string?", Doc: "shown by /help"},
			{Name: "args", Type: "list?",
				Doc: `parameters as text, "n integer?: how many": a name and its type in the ` +
					`short form of a tool's schema: string, integer, number, boolean, on|off ` +
					`for a choice, string[] for all further words, ? for optional. Then args is ` +
					`a table, and the last string gets the rest of the line. Choices are ` +
					`completed. Absent: args is the text after the name`},
			{Name: "complete", Type: "function?", Takes: []value.Field{
				{Name: "prefix", Type: "string"}, callField}, Answer: "list",
				Doc: "complete(prefix, call) returns a list of possible arguments that begin " +
					"with prefix: texts or {value, description}"},
			{Name: "run", Type: "function", Takes: []value.Field{argsField, callField},
				Fields: slash.ResultFields(panelFields),
				Doc:    "run(args, call) returns nil, or a table with one of these keys"},
		}}},
		Doc: "Adds a slash command.",
		Lua: `ext.command{
  name = "greet",
  description = "Greets",
  run = function(args) return { display = "hello " .. args } end,
}`,
		JS: `ext.command({
  name: "greet",
  description: "Greets",
  run: (args) => ({ display: "hello " + args }),
});`,
	},
	{
		Name: "render", Loading: true,
		Params: []value.Field{{Name: "renderer", Type: "table", Fields: []value.Field{
			{Name: "tool", Type: "string?", Doc: "name of a tool whose calls are drawn"},
			{Name: "entry", Type: "string?",
				Doc: "or a kind of entries, as given to ext.session.append"},
			{Name: "call", Type: "function?", Takes: []value.Field{{Name: "args", Type: "any"},
				widthField, drawState}, Answer: "string|list",
				Doc: "call(args, width, state) returns lines or Markdown: the first line follows " +
					"the tool's name. For an entry: call(data, width, state)"},
			{Name: "result", Type: "function?", Takes: []value.Field{{Name: "result", Type: "any"},
				widthField, drawState}, Answer: "string|list",
				Doc: "for a tool: result({content, is_error, details}, width, state) returns " +
					"lines or Markdown"},
			{Name: "partial", Type: "boolean?",
				Doc: "result also draws the output so far of a tool that runs"},
		}}},
		Doc: "Sets how the transcript draws calls of a tool, or entries of the session. Text " +
			"is Markdown; a list is lines, as in ext.ui.widget; nil is the plain view (an " +
			"entry is then invisible). Visible items are redrawn when the width changes, and " +
			"when the script is loaded; unloading it restores the plain view. A failure is " +
			"reported once, and shows the plain view; after three failures in a row the " +
			"function is not called any more. state.expanded: the item is unfolded; " +
			"state.partial: the tool runs. Only the agent's screen draws: a client of agent " +
			"rpc gets tool calls as events.",
		Lua: `ext.render{
  tool = "bash",
  call = function(args, width) return { { { args.command, "code" } } } end,
}`,
		JS: `ext.render({
  tool: "bash",
  call: (args, width) => [[[args.command, "code"]]],
});`,
	},
	{
		Name: "shortcut", Loading: true, Grant: "keys",
		Params: []value.Field{{Name: "shortcut", Type: "table", Fields: []value.Field{
			{Name: "key", Type: "string",
				Doc: "a chord: ctrl+t, alt+shift+k, f5; esc, ctrl+c and keys for typing are not " +
					"available"},
			{Name: "description", Type: "string?", Doc: "shown by /help"},
			{Name: "run", Type: "function", Takes: []value.Field{callField},
				Fields: slash.ResultFields(panelFields),
				Doc:    "run(call) returns what the run of a command may return, a panel too"},
		}}},
		Doc: "Binds a key to a function. If two scripts bind the same key, the first gets it, " +
			"and a notice names both.",
		Lua: `ext.shortcut{
  key = "ctrl+t",
  description = "Runs the tests",
  run = function() return { prompt = "run the tests" } end,
}`,
		JS: `ext.shortcut({
  key: "ctrl+t",
  description: "Runs the tests",
  run: () => ({ prompt: "run the tests" }),
});`,
	},
	{
		Name: "completion", Loading: true, Grant: "ui",
		Params: []value.Field{{Name: "completion", Type: "table", Fields: []value.Field{
			{Name: "prefix", Type: "string",
				Doc: "of the words to complete, such as #; after @, the list comes before files"},
			{Name: "complete", Type: "function", Takes: []value.Field{
				{Name: "word", Type: "string"}, callField}, Answer: "list",
				Doc: "complete(word, call) returns what can replace the word, which begins with " +
					"the prefix: a list of strings or {value, description}"},
		}}},
		Doc: "Completes words that the user types. If two scripts have the same prefix, the " +
			"first gets it, and a notice names both.",
		Lua: `ext.completion{
  prefix = "#",
  complete = function(word) return { { value = "#12", description = "crash at start" } } end,
}`,
		JS: `ext.completion({
  prefix: "#",
  complete: (word) => [{ value: "#12", description: "crash at start" }],
});`,
	},
	{
		Name: "keys", Loading: true, Grant: "keys",
		Params: []value.Field{{Name: "fn", Type: "function", Takes: []value.Field{
			{Name: "name", Type: "string"}, textField}, Answer: "boolean",
			Doc: `fn(name, text) gets keys as the key of ext.ui.panel does: "a", "up", "ctrl+x"`}},
		Doc: "Passes the editor's keys to a function first: true keeps one from it. " +
			"Keys for dialogs and panels, ctrl+c, pasted text, and esc while the agent works are " +
			"not passed. The function has 100 ms for a key; after three failures in a row it " +
			"gets no more.",
		Lua: `ext.keys(function(name) return name == "f9" end)`,
		JS:  `ext.keys((name) => name === "f9");`,
	},
	{
		Name: "option", Loading: true, Result: "any",
		Params: []value.Field{{Name: "option", Type: "table", Fields: []value.Field{
			{Name: "name", Type: "string", Doc: "a-z, 0-9 and _"},
			{Name: "description", Type: "string?", Doc: "for people"},
			{Name: "default", Type: "string|number|boolean|list?",
				Doc: "the value if it is not set"},
			{Name: "type", Type: "string?", Values: option.Types(),
				Doc: "absent: that of default, else string; a list is one of texts"},
		}}},
		Doc: "Defines an option that the user can set, and returns its value: from the flag " +
			"--set script.name=value, else the variable AGENT_OPT_SCRIPT_NAME, else " +
			"[options.SCRIPT] in config.toml, else default. SCRIPT is the file's name without " +
			"its extension. In the variable and the flag, commas separate the items of a list. " +
			"A value of another type is an error that says where it was set.",
		Lua: `local most = ext.option{ name = "most", description = "dollars a day", default = 5 }`,
		JS:  `const most = ext.option({ name: "most", description: "dollars a day", default: 5 });`,
	},
	{
		Name: "provider", Loading: true, Grant: "provider",
		Params: []value.Field{{Name: "provider", Type: "table", Fields: []value.Field{
			{Name: "name", Type: "string", Doc: "a-z, 0-9, - and _: the model is NAME/ID"},
			{Name: "models", Type: "list|function?",
				Doc: "{id, context, max_output, images, thinking, price = {input, output, " +
					"cache_read, cache_write}}, prices in US dollars per million tokens; or a " +
					"function that returns that list: it may wait, and is called when models " +
					"are listed. With like, absent: as the server lists"},
			{Name: "stream", Type: "function?", Takes: []value.Field{
				{Name: "request", Type: "any"}, {Name: "emit", Type: "function",
					Takes: []value.Field{{Name: "chunk", Type: "table"}}}}, Answer: "table",
				Doc: "stream(request, emit) returns {finish_reason, usage}"},
			{Name: "like", Type: "string?", Values: chat.APIs(),
				Doc: "instead of stream: the API of the server at base_url"},
			{Name: "base_url", Type: "string?",
				Doc: "with like: URL of the server. Its host must be granted: net:HOST"},
			{Name: "key", Type: "any?",
				Doc: "with like: text, or the result of ext.secret; absent: none"},
		}}},
		Doc: "Adds a model provider: the user selects its models by NAME/ID. request is {model, " +
			"system, messages, tools, tool_choice, options, thinking, purpose}; emit takes " +
			"{text}, {reasoning}, " +
			"{tool_call = {index, id, name, args_delta}}, {usage = {input, output, cache_read, " +
			"cache_write}}, {warning} and {source = {kind, id, url, title}}. The agent handles " +
			"errors of ext.fail: with retryable and retry_after it retries, with overflow it " +
			"shortens the conversation.",
		Lua: `ext.provider{
  name = "echo",
  models = { { id = "echo" } },
  stream = function(request, emit)
    emit{ text = "hi" }
    return { finish_reason = "stop" }
  end,
}`,
		JS: `ext.provider({
  name: "echo",
  models: [{ id: "echo" }],
  stream: (request, emit) => {
    emit({ text: "hi" });
    return { finish_reason: "stop" };
  },
});`,
	},
	{
		Name: "redact", Loading: true,
		Params: []value.Field{{Name: "redactor", Type: "table", Fields: []value.Field{
			{Name: "name", Type: "string",
				Doc: "shown instead of the masked text: [redacted:NAME]"},
			{Name: "patterns", Type: "list?", Doc: "RE2, as text"},
			{Name: "find", Type: "function?", Takes: []value.Field{textField}, Answer: "list",
				Doc: "find(text) returns the pieces of text to mask, as a list"},
		}}},
		Doc: "Masks what patterns match and find returns: in what the user, the model and " +
			"handlers of events get, in logs and in the session. Not masked are the arguments " +
			"of tool calls and of commands, and what scripts read elsewhere. It applies once " +
			"the script has loaded.",
		Lua: `ext.redact{ name = "key", patterns = { "sk-[a-z0-9]+" } }`,
		JS:  `ext.redact({ name: "key", patterns: ["sk-[a-z0-9]+"] });`,
	},
	{
		Name: "test", Loading: true,
		Params: []value.Field{
			{Name: "name", Type: "string", Doc: "what it shows"},
			{Name: "fn", Type: "function", Doc: "fn(t): the test; an error is its failure"},
		},
		Doc: "Defines a test for agent ext test. Each test loads the " +
			"script again, with temporary home and working directories, a fake screen, tools " +
			"that only print what they would do, a fake clock, and random numbers that are the " +
			"same in every run. It cannot reach programs, servers or models. See [the methods " +
			"of t](test.md).",
		Lua: `ext.test("says hello", function(t) t.match("hello you", "^hello") end)`,
		JS:  `ext.test("says hello", (t) => { t.match("hello you", "^hello"); });`,
	},
}
