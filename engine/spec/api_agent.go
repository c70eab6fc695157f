// This file holds the rows of the functions that control the agent.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// noAgent is the end of the docs of these functions.
const noAgent = ` Without an agent (a program that embeds only the engine): an error of the ` +
	`world with code "unsupported".`

var between = []engine.APIRow{
	{
		Name: "emit", Tells: true,
		Params: []value.Field{{Name: "event", Type: "string",
			Doc: `"custom:" and a name of letters, digits, _, . and -`},
			{Name: "value", Type: "any?", Doc: "plain data"}},
		Doc: `Sends a value to all scripts, including this one, that listen with ` +
			`ext.on("custom:NAME", ...). It does not wait for them.`,
		Lua: `ext.emit("custom:saved", { file = "notes.md" })`,
		JS:  `ext.emit("custom:saved", { file: "notes.md" });`,
	},
}

var agent = []engine.APIRow{
	{
		Name: "agent.send", Codes: []string{"busy", "limit", "unsupported"}, Result: "boolean",
		Grant: "agent", Placed: true,
		Params: []value.Field{{Name: "text", Type: "string",
			Doc: "a prompt, or a command such as /compact; ! runs nothing"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "when", Type: "string?", Values: []string{"steer", "next", "idle"},
					Doc: "steer: now, within the current prompt; next (the default): after the " +
						"current prompt; idle: after all waiting input"},
			}}},
		Doc: "Sends input to the agent, as if the user had typed it. It does not wait for an " +
			"answer. After 8 calls in a row without input from the user (script_inputs under " +
			"[limits] in config.toml; steer does not count): an error of the world with " +
			"code \"limit\"." + noAgent,
		Lua: `ext.agent.send("run the tests", { when = "next" })`,
		JS:  `ext.agent.send("run the tests", { when: "next" });`,
	},
	{
		Name: "agent.abort", Codes: []string{"unsupported"}, Result: "boolean", Grant: "agent",
		Doc: "Cancels the current prompt, as Esc does." + noAgent,
		Lua: `ext.agent.abort()`,
		JS:  `ext.agent.abort();`,
	},
	{
		Name: "agent.compact", Codes: []string{"busy", "refused", "cancelled", "unsupported",
			"failed"}, Result: "boolean", Waits: true, Grant: "agent",
		Params: []value.Field{{Name: "options", Type: "table?",
			Fields: []value.Field{{Name: "instructions", Type: "string?",
				Doc: "what the summary must keep"}}}},
		Doc: `Summarises the conversation so far. While the agent works: an error of the ` +
			`world with code "busy".` + noAgent,
		Lua: `ext.agent.compact{ instructions = "keep file names" }`,
		JS:  `await ext.agent.compact({ instructions: "keep file names" });`,
	},
	{
		Name: "agent.exit", Codes: []string{"unsupported"}, Result: "boolean", Grant: "agent",
		Doc: "Ends the program once the agent is idle." + noAgent,
		Lua: `ext.agent.exit()`,
		JS:  `ext.agent.exit();`,
	},
	{
		Name: "agent.set", Codes: []string{"not_found", "invalid", "refused", "unsupported",
			"failed"}, Result: "boolean", Waits: true, Grant: "agent",
		Params: []value.Field{{Name: "settings", Type: "table", Fields: []value.Field{
			{Name: "model", Type: "string?", Doc: "provider/id"},
			{Name: "thinking", Type: "string?", Values: chat.ThinkingLevels()},
			{Name: "permission", Type: "string?", Values: event.PermissionNames()},
		}}},
		Doc: "Changes settings; absent ones stay as they are." + noAgent,
		Lua: `ext.agent.set{ thinking = "high" }`,
		JS:  `await ext.agent.set({ thinking: "high" });`,
	},
	{
		Name: "agent.models", Codes: []string{"unsupported"}, Grant: "agent", Result: "list",
		Doc: "Lists the available models: {id = \"provider/id\", provider, context, " +
			"max_output, images, thinking, price}; an unknown number is 0, an unknown price is " +
			"left out." + noAgent,
		Lua: `local models = ext.agent.models()`,
		JS:  `const models = ext.agent.models();`,
	},
	{
		Name: "agent.idle", Codes: []string{"unsupported"}, Grant: "agent", Result: "boolean",
		Doc: "Reports whether the agent is idle: there is no current prompt and no waiting " +
			"input." + noAgent,
		Lua: `local idle = ext.agent.idle()`,
		JS:  `const idle = ext.agent.idle();`,
	},
	{
		Name: "agent.spawn", Codes: []string{"not_found", "invalid", "busy", "refused", "cancelled",
			"unsupported", "failed"}, Grant: "agent", Result: "table",
		Params: []value.Field{{Name: "task", Type: "table", Fields: []value.Field{
			{Name: "prompt", Type: "string", Doc: "the task"},
			{Name: "agent", Type: "string?",
				Doc: "kind of agent; absent: general"},
			{Name: "model", Type: "string?", Doc: "provider/id; absent: this agent's"},
			{Name: "system", Type: "string?", Doc: "system prompt"},
			{Name: "tools", Type: "list?", Doc: "names of the tools it may call; absent: all"},
			{Name: "timeout", Type: "number?", Doc: "seconds after which it is killed; 0 = none"},
			{Name: "on_event", Type: "function?", Takes: []value.Field{
				{Name: "event", Type: "any"}},
				Doc: "called with {kind, data} for each subagent_event; never blocks the " +
					"sub-agent"},
		}}},
		Doc: "Starts a sub-agent and returns {id, wait(), kill()} at once. wait() waits for its " +
			"end (in JS it returns a promise) and returns {status, response, error, usage, " +
			"cost}, where status is completed, cancelled, blocked, stopped, limit or error; " +
			"meanwhile the caller's wall clock is paused. If a handler of subagent_start " +
			"blocks it, the status is \"blocked\", and error says why. It is killed when the " +
			"script is reloaded or unloaded." + noAgent,
		Lua: `local r = ext.agent.spawn{ prompt = "count the files" }.wait()`,
		JS:  `const r = await ext.agent.spawn({ prompt: "count the files" }).wait();`,
	},
}

var session = []engine.APIRow{
	{
		Name: "session.messages", Codes: []string{"unsupported"}, Grant: "session", Result: "list",
		Doc: "Returns the conversation as the model would see it: a list of messages, {id, role, " +
			"content, reasoning, tool_calls, call_id, tool, is_error}; see scripts.md." + noAgent,
		Lua: `local messages = ext.session.messages()`,
		JS:  `const messages = ext.session.messages();`,
	},
	{
		Name: "session.entries", Codes: []string{"unsupported"}, Grant: "session", Result: "list",
		Doc: "Lists the entries of the current branch: {id, parent, time, type, ...}. type is " +
			"message (with the fields of a message), context, event, custom (kind and data, as " +
			"ext.session.append wrote them), state, usage, compaction, name, label or fork." +
			noAgent,
		Lua: `local entries = ext.session.entries()`,
		JS:  `const entries = ext.session.entries();`,
	},
	{
		Name: "session.append", Codes: []string{"unsupported", "failed"}, Grant: "session",
		Result: "string",
		Params: []value.Field{{Name: "kind", Type: "string",
			Doc: "chosen by the script: letters, digits, _, ., : and -"},
			{Name: "data", Type: "any?", Doc: "plain data"}},
		Doc: "Adds an entry to the session and returns its id. The model does not get it." +
			noAgent,
		Lua: `local id = ext.session.append("bookmark", { page = 3 })`,
		JS:  `const id = ext.session.append("bookmark", { page: 3 });`,
	},
	{
		Name: "session.name", Codes: []string{"unsupported", "failed"}, Grant: "session",
		Result: "string?",
		Params: []value.Field{{Name: "text", Type: "string?", Doc: "absent: unchanged"}},
		Doc:    "Sets the session's name, and returns it: nil if it has none." + noAgent,
		Lua:    `local name = ext.session.name("the great refactoring")`,
		JS:     `const name = ext.session.name("the great refactoring");`,
	},
	{
		Name: "session.label", Codes: []string{"not_found", "unsupported", "failed"},
		Result: "boolean", Grant: "session",
		Params: []value.Field{{Name: "id", Type: "string", Doc: "of an entry"},
			{Name: "text", Type: "string?", Doc: "absent: the label is removed"}},
		Doc: "Labels an entry, so that users find it in the tree." + noAgent,
		Lua: `ext.session.label("e1", "before the change")`,
		JS:  `ext.session.label("e1", "before the change");`,
	},
	{
		Name: "session.tree", Codes: []string{"unsupported"}, Grant: "session", Result: "list",
		Doc: "Lists all entries of all branches: {id, parent, type, text, label, leaf}." + noAgent,
		Lua: `local tree = ext.session.tree()`,
		JS:  `const tree = ext.session.tree();`,
	},
	{
		Name: "session.usage", Codes: []string{"unsupported"}, Grant: "session", Result: "table",
		Params: []value.Field{{Name: "options", Type: "table?",
			Fields: []value.Field{{Name: "branch", Type: "boolean?",
				Doc: "true: only the current branch"}}}},
		Doc: "Returns what the session has used: {usage, cost, turns, tool_calls}, including " +
			"sub-agents and other branches." + noAgent,
		Lua: `local used = ext.session.usage{ branch = true }`,
		JS:  `const used = ext.session.usage({ branch: true });`,
	},
	{
		Name: "session.new", Codes: []string{"busy", "refused", "cancelled", "unsupported",
			"failed"}, Result: "boolean", Waits: true, Grant: "session",
		Params: []value.Field{{Name: "options", Type: "table?",
			Fields: []value.Field{{Name: "prompt", Type: "string?",
				Doc: "the first prompt of the new session"}}}},
		Doc: `Ends the session and starts an empty one. While the agent works: an error of ` +
			`the world with code "busy".` + noAgent,
		Lua: `ext.session.new{ prompt = "hello" }`,
		JS:  `await ext.session.new({ prompt: "hello" });`,
	},
	{
		Name: "session.fork", Codes: []string{"not_found", "busy", "refused", "cancelled",
			"unsupported", "failed"}, Result: "boolean", Waits: true, Grant: "session",
		Params: []value.Field{{Name: "id", Type: "string", Doc: "of an entry"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "before", Type: "boolean?", Doc: "true: continue before it, not after " +
					"it"}}}},
		Doc: `Continues the conversation from an entry; later entries stay as another branch. ` +
			`While the agent works: an error of the world with code "busy".` + noAgent,
		Lua: `ext.session.fork("e1", { before = true })`,
		JS:  `await ext.session.fork("e1", { before: true });`,
	},
}

var stateKey = value.Field{Name: "key", Type: "string"}

var state = []engine.APIRow{
	{
		Name: "state.get", Codes: []string{"unsupported", "failed"}, Result: "any",
		Params: []value.Field{stateKey},
		Doc: "Returns the value of key in this branch of the session: nil if there is none. " +
			"It survives reload, resume and fork." + noAgent,
		Lua: `local todo = ext.state.get("todo")`,
		JS:  `const todo = ext.state.get("todo");`,
	},
	{
		Name: "state.set", Codes: []string{"unsupported", "failed"}, Result: "boolean",
		Params: []value.Field{stateKey, {Name: "value", Type: "any?",
			Doc: "plain data of up to 1 MiB; nil deletes"}},
		Doc: "Stores a value." + noAgent,
		Lua: `ext.state.set("todo", { "tests", "docs" })`,
		JS:  `ext.state.set("todo", ["tests", "docs"]);`,
	},
	{
		Name: "state.delete", Codes: []string{"unsupported", "failed"}, Result: "boolean",
		Params: []value.Field{stateKey},
		Doc:    "Deletes a value." + noAgent,
		Lua:    `ext.state.delete("todo")`,
		JS:     `ext.state.delete("todo");`,
	},
	{
		Name: "state.keys", Codes: []string{"unsupported", "failed"}, Result: "list",
		Doc: "Lists the keys, sorted." + noAgent,
		Lua: `local keys = ext.state.keys()`,
		JS:  `const keys = ext.state.keys();`,
	},
	{
		Name: "state.update", Codes: []string{"conflict", "unsupported", "failed"}, Result: "any",
		Params: []value.Field{stateKey, {Name: "fn", Type: "function",
			Takes: []value.Field{valueField},
			Doc: "fn(value) returns the new value, nil deletes; it must not wait, and may be " +
				"called again"}},
		Doc: "Changes a value atomically, and returns the new one." + noAgent,
		Lua: `local n = ext.state.update("n", function(n) return (n or 0) + 1 end)`,
		JS:  `const n = ext.state.update("n", (n) => (n ?? 0) + 1);`,
	},
}

var llm = []engine.APIRow{
	{
		Name: "llm.complete", Codes: []string{"not_found", "invalid", "refused", "overflow",
			"rate_limit", "overloaded", "timeout", "network", "other", "cancelled", "unsupported",
			"failed"}, Waits: true, Grant: "llm", Result: "table",
		Params: []value.Field{{Name: "request", Type: "table", Fields: []value.Field{
			{Name: "model", Type: "string?",
				Doc: `provider/id; "small" is the configured small model; absent: this ` +
					`agent's`},
			{Name: "system", Type: "string?", Doc: "system prompt"},
			{Name: "prompt", Type: "string?", Doc: "the user's message; or messages"},
			{Name: "messages", Type: "list?",
				Doc: `a conversation: {role = "user", content = "..."}`},
			{Name: "schema", Type: "table?",
				Doc: "of the answer, as for a tool: data is the answer, and matches it"},
			{Name: "max_tokens", Type: "integer?", Doc: "of the answer"},
			{Name: "on_delta", Type: "function?", Takes: []value.Field{textField},
				Doc: "on_delta(text) is called with each piece of text as it arrives; a failure " +
					"is reported, and the request continues"},
		}}},
		Doc: "Makes one model request outside of the conversation: {text, data, usage, cost, " +
			"finish_reason}. Meanwhile the caller's wall clock is paused." + noAgent,
		Lua: `local answer = ext.llm.complete{ prompt = "a name for a cat?" }`,
		JS:  `const answer = await ext.llm.complete({ prompt: "a name for a cat?" });`,
	},
}

var tools = []engine.APIRow{
	{
		Name: "tools.list", Grant: "tools", Result: "list",
		Doc: "Lists the tools: {name, description, schema, kind, read_only, source}.",
		Lua: `local list = ext.tools.list()`,
		JS:  `const list = ext.tools.list();`,
	},
	{
		Name: "tools.only", Grant: "tools", Placed: true,
		Params: []value.Field{{Name: "fn", Type: "function?",
			Takes: []value.Field{{Name: "tool", Type: "any"}}, Answer: "boolean",
			Doc: "called with each tool, {name, description, schema, kind, read_only, source}; " +
				"true: the model may use it. Absent: no restriction"}},
		Doc: "Restricts the tools that models are offered, from the next request on, in " +
			"sub-agents too. Each script has one such function, and all of them must accept a " +
			"tool; a call of any other tool is refused. It is called for each request and each " +
			"call, so it may depend on the script's state. A tool for which it fails is not " +
			"offered.",
		Lua: `ext.tools.only(function(tool) return tool.read_only end)`,
		JS:  `ext.tools.only((tool) => tool.read_only);`,
	},
	{
		Name: "tools.call", Waits: true, Grant: "tools", Narrow: "name", Result: "table",
		Params: []value.Field{{Name: "name", Type: "string", Doc: "of the tool"},
			{Name: "args", Type: "table?", Doc: "its arguments; absent: none"}},
		Doc: "Calls a tool with all handlers, guards and permission checks. Returns {content, " +
			"is_error, details, ...} the result of the tool; " +
			"a refusal is a result with is_error. The grant names the tools: tools:read,grep or " +
			"tools:mcp__*. Calls nest at most 8 deep.",
		Lua: `local r = ext.tools.call("read", { path = "notes.md" })`,
		JS:  `const r = await ext.tools.call("read", { path: "notes.md" });`,
	},
}
