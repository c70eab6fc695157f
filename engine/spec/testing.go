// This file holds the rows of t, the argument of the function of an ext.test.

package spec

import (
	"slices"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// came describes the result of the methods that simulate an event.
const came = ` Returns the result, with said, the texts shown to the user (notices, ext.say), ` +
	`and asked, the questions to the user. It returns after observers have run and the screen ` +
	`is drawn.`

// TestScript returns the script that the examples of the methods of t use, in Lua and in
// JavaScript.
func TestScript() (lua, js string) {
	return `-- ==Agent==
-- @grant ui exec:git env:EDITOR fs.read:./**
-- ==/Agent==
ext.guard({ tool = "bash" }, function(ev)
  return ext.shell.check(ev.args.command, {
    deny = { { cmd = "sudo", reason = "no sudo" } },
    ask = { { cmd = "git", sub = "push", reason = "others see it" } },
  })
end)
ext.on("agent_start", function(ev) ext.ui.status("work", { { "at work", "warn" } }) end)
ext.after(60, function() ext.notify("a minute has passed") end)
ext.command{ name = "branch", run = function()
  return { display = ext.exec({ "git", "branch" }).stdout }
end }
ext.command{ name = "rename", run = function()
  return { display = ext.ui.input("Which name?") or "none" }
end }
ext.command{ name = "menu", run = function()
  local at = 1
  return { panel = { title = "Menu", render = function() return { "item " .. at } end,
    key = function(name) if name == "down" then at = at + 1 end end } }
end }
ext.completion{ prefix = "#", complete = function(word) return { { value = word .. "2" } } end }
ext.on("agent_end", function() if not ext.ui.focused() then ext.ui.desktop("done") end end)`,
		`// ==Agent==
// @grant ui exec:git env:EDITOR fs.read:./**
// ==/Agent==
ext.guard({ tool: "bash" }, (ev) =>
  ext.shell.check(ev.args.command, {
    deny: [{ cmd: "sudo", reason: "no sudo" }],
    ask: [{ cmd: "git", sub: "push", reason: "others see it" }],
  }));
ext.on("agent_start", (ev) => { ext.ui.status("work", [["at work", "warn"]]); });
ext.after(60, () => { ext.notify("a minute has passed"); });
ext.command({ name: "branch", run: async () => {
  return { display: (await ext.exec(["git", "branch"])).stdout };
} });
ext.command({ name: "rename", run: async () => {
  return { display: (await ext.ui.input("Which name?").catch(() => null)) ?? "none" };
} });
ext.command({ name: "menu", run: () => {
  let at = 1;
  return { panel: { title: "Menu", render: () => ["item " + at],
    key: (name) => { if (name === "down") at++; } } };
} });
ext.completion({ prefix: "#", complete: (word) => [{ value: word + "2" }] });
ext.on("agent_end", () => { if (!ext.ui.focused()) ext.ui.desktop("done"); });`
}

// completeDoc and typedDoc say what t.complete does, and what it completes.
const completeDoc = "Asks the script to complete what the user types. In choices: value and " +
	"description of each completion."
const typedDoc = "a word for ext.completion, or a line with a command and the beginning of its " +
	"arguments"

// Testing returns the rows of the methods of t, named t.call and so on.
func Testing() []engine.APIRow {
	return slices.Concat(happenings(), stubs(), surroundings(), statements())
}

// happenings returns the methods that simulate an event.
func happenings() []engine.APIRow {
	return []engine.APIRow{
		{
			Name: "t.call", Waits: true, Result: "table",
			Params: []value.Field{{Name: "tool", Type: "string"}, {Name: "args", Type: "table?"}},
			Doc: "Simulates a tool call of the model, with all handlers and guards. The " +
				"program's tools only print what they would do, unless t.stub(\"tool\", ...) " +
				"replaces them; the script's own tools run." + came +
				" Also: content, the result as text, is_error, tool, args as they were in the " +
				"end, details, for_user, context, and skipped, the reason why it did not run.",
			Lua: `t.equal(t.call("bash", { command = "ls" }).content, 'bash {"command":"ls"}')`,
			JS: `t.equal((await t.call("bash", { command: "ls" })).content, 'bash ` +
				`{"command":"ls"}');`,
		},
		{
			Name: "t.emit", Waits: true, Result: "table",
			Params: []value.Field{{Name: "event", Type: "string", Doc: "its name"},
				{Name: "fields", Type: "table?",
					Doc: "of the event, and of the envelope, such as cwd and depth"}},
			Doc: "Fires an event." + came +
				" Also: the keys that handlers returned: block, reason, context, changed " +
				"fields, and so on.",
			Lua: `t.equal(t.emit("agent_start", { prompt = "go" }).said, {})`,
			JS:  `t.equal((await t.emit("agent_start", { prompt: "go" })).said, []);`,
		},
		{
			Name: "t.command", Waits: true, Result: "table",
			Params: []value.Field{{Name: "line", Type: "string",
				Doc: "as the user types it: /greet you"}},
			Doc: "Runs a slash command of the script." + came +
				" Also: what it returned: display, prompt, insert or error.",
			Lua: `t.equal(t.command("/rename").display, "none")`,
			JS:  `t.equal((await t.command("/rename")).display, "none");`,
		},
		{
			Name: "t.complete", Waits: true, Result: "table",
			Params: []value.Field{{Name: "text", Type: "string", Doc: typedDoc}},
			Doc:    completeDoc + came,
			Lua:    `t.equal(t.complete("#1").choices[1].value, "#12")`,
			JS:     `t.equal((await t.complete("#1")).choices[0].value, "#12");`,
		},
		{
			Name: "t.key", Waits: true, Result: "table",
			Params: []value.Field{{Name: "name", Type: "string",
				Doc: `a letter, or a name such as up, enter, esc, ctrl+x`}},
			Doc: "Presses a key. It goes to the open panel; if there is none, it runs the " +
				"shortcut of that key, or goes to ext.keys (then taken is true if it was taken); " +
				"otherwise the next panel that opens gets it, so that a test can press keys for " +
				"a command that waits for its panel." + came,
			Lua: `t.command("/menu")
t.key("down")
t.equal(t.screen().panel.lines, { "item 2" })`,
			JS: `await t.command("/menu");
await t.key("down");
t.equal(t.screen().panel.lines, ["item 2"]);`,
		},
		{
			Name: "t.clock", Waits: true, Result: "table",
			Params: []value.Field{{Name: "seconds", Type: "number"}},
			Doc: "Advances the fake clock, and runs timers and refreshes that become due, in " +
				"order. The clock starts at 1000000000 and advances only here; all times come " +
				"from it: " +
				"ext.time.now, os.time, os.date and os.clock in Lua, Date in JavaScript, " +
				"ext.every and ext.after, setTimeout and setInterval. ext.sleep advances it " +
				"without waiting, and so does a test that only waits for setTimeout." + came,
			Lua: `t.equal(t.clock(60).said, { "a minute has passed" })`,
			JS:  `t.equal((await t.clock(60)).said, ["a minute has passed"]);`,
		},
	}
}

// stubs returns the methods that answer for the user and for services.
func stubs() []engine.APIRow {
	return []engine.APIRow{
		{
			Name: "t.answer",
			Params: []value.Field{{Name: "dialog", Type: "string",
				Values: []string{"approve", "confirm", "select", "input", "edit"},
				Doc:    "approve: questions of guards"},
				{Name: "value", Type: "any?",
					Doc: "true or false for approve and confirm, else text; with multi, values " +
						"separated by commas. Absent: the user cancels"}},
			Doc: "Sets the user's answer to the next dialog of that kind. Without an answer, no " +
				"user is available. An unused answer is a failure.",
			Lua: `t.answer("input", "tea")
t.equal(t.command("/rename").display, "tea")`,
			JS: `t.answer("input", "tea");
t.equal((await t.command("/rename")).display, "tea");`,
		},
		{
			Name: "t.stub",
			Params: []value.Field{{Name: "kind", Type: "string",
				Values: []string{"exec", "http", "llm", "tool"},
				Doc: "exec: ext.exec and ext.sh; http: ext.http and fetch; llm: " +
					"ext.llm.complete, and the model of the agent and its sub-agents"},
				{Name: "fn", Type: "function",
					Doc: "called with a table of the arguments, and call, the name of the " +
						"function"}},
			Doc: "Replaces an external service: without it, such a call is an error. fn returns " +
				"the result as text or as a table. exec: {stdout, stderr, code, " +
				"timed_out}. http: {status, headers, body or json}. llm: {text, data, usage, " +
				"cost, finish_reason}. " +
				"tool: what a tool may return. {error = code, message} is an error of the " +
				"world. on_line, on_event, on_chunk and on_delta are called; if body or text is " +
				"a list, with these pieces.",
			Lua: `t.stub("exec", function(call) return call.argv[2] .. ": main" end)
t.equal(t.command("/branch").display, "branch: main")`,
			JS: `t.stub("exec", (call) => call.argv[1] + ": main");
t.equal((await t.command("/branch")).display, "branch: main");`,
		},
	}
}

// surroundings returns the methods that set what the script finds outside of the agent.
func surroundings() []engine.APIRow {
	return []engine.APIRow{
		{
			Name: "t.env",
			Params: []value.Field{{Name: "name", Type: "string"},
				{Name: "value", Type: "string?", Doc: "absent: unset"}},
			Doc: "Sets an environment variable for ext.env and ext.secret. Initially only HOME, " +
				"PATH, USER, LANG and TERM are set; the real environment is not visible.",
			Lua: `t.env("EDITOR", "vi")
t.equal(ext.env("EDITOR"), "vi")`,
			JS: `t.env("EDITOR", "vi");
t.equal(ext.env("EDITOR"), "vi");`,
		},
		{
			Name: "t.file",
			Params: []value.Field{{Name: "path", Type: "string",
				Doc: "in the project, or with ~/ in the home directory"},
				{Name: "text", Type: "string?", Doc: "absent: it is removed"}},
			Doc: "Writes a file that the script can access with ext.fs. Initially the project " +
				"and the home directory of a test are empty.",
			Lua: `t.file("NOTES.md", "- tea")
t.equal(ext.fs.read("NOTES.md"), "- tea")`,
			JS: `t.file("NOTES.md", "- tea");
t.equal(await ext.fs.read("NOTES.md"), "- tea");`,
		},
		{
			Name:   "t.focus",
			Params: []value.Field{{Name: "looks", Type: "boolean"}},
			Doc: "Sets whether the terminal has the focus, for ext.ui.focused. Initially " +
				"it has not.",
			Lua: `t.focus(true)
t.emit("agent_end", { status = "completed", response = "" })
t.equal(t.screen().desktop, {})`,
			JS: `t.focus(true);
await t.emit("agent_end", { status: "completed", response: "" });
t.equal(t.screen().desktop, []);`,
		},
	}
}

// statements returns the methods that inspect and check results.
func statements() []engine.APIRow {
	return []engine.APIRow{
		{
			Name: "t.screen", Result: "table",
			Params: []value.Field{{Name: "options", Type: "table?",
				Fields: []value.Field{{Name: "styles", Type: "boolean?",
					Doc: "true: a line is a list of {text, style} instead of text"}}}},
			Doc: "Returns what the script shows now, on a screen of 80 by 24: status and " +
				"widgets by key, a line for a status, a list of lines for a widget; sides and " +
				"places, their positions, by the same keys; footer, title, panel = {title, " +
				"lines}, nil if there is none; editor, the text in the editor; and inserted, " +
				"copied and desktop, a list of \"title: body\": what it has inserted, copied " +
				"and notified so far.",
			Lua: `t.emit("agent_start", { prompt = "go" })
t.equal(t.screen().status.work, "at work")
t.equal(t.screen().sides.work, "left")
t.equal(t.screen({ styles = true }).status.work, { { "at work", "warn" } })`,
			JS: `await t.emit("agent_start", { prompt: "go" });
t.equal(t.screen().status.work, "at work");
t.equal(t.screen().sides.work, "left");
t.equal(t.screen({ styles: true }).status.work, [["at work", "warn"]]);`,
		},
		{
			Name: "t.equal", Params: []value.Field{{Name: "got", Type: "any?"},
				{Name: "want", Type: "any?"}},
			Doc: "Checks that both are deeply equal. The failure shows where they " +
				"differ.",
			Lua: `t.equal({ 1, { a = "b" } }, { 1, { a = "b" } })`,
			JS:  `t.equal([1, { a: "b" }], [1, { a: "b" }]);`,
		},
		{
			Name: "t.match", Params: []value.Field{{Name: "text", Type: "string"},
				{Name: "pattern", Type: "string", Doc: "RE2"}},
			Doc: "Checks that the pattern matches in the text.",
			Lua: `t.match("main.go:12", "^main\\.go:\\d+$")`,
			JS:  `t.match("main.go:12", "^main\\.go:\\d+$");`,
		},
		{
			Name: "t.blocked", Params: []value.Field{
				{Name: "reason", Type: "string?", Doc: "part of the reason"}},
			Doc: "Checks that the last event was refused.",
			Lua: `t.call("bash", { command = "sudo ls" })
t.blocked("no sudo")`,
			JS: `await t.call("bash", { command: "sudo ls" });
t.blocked("no sudo");`,
		},
		{
			Name: "t.asked", Params: []value.Field{
				{Name: "text", Type: "string?", Doc: "part of the question or its reason"}},
			Doc: "Checks that the user was asked about the last event.",
			Lua: `t.answer("approve", true)
t.call("bash", { command = "git push" })
t.asked("others see it")`,
			JS: `t.answer("approve", true);
await t.call("bash", { command: "git push" });
t.asked("others see it");`,
		},
		{
			Name: "t.passed",
			Doc:  "Checks that the last event was not refused, and that the user was not asked.",
			Lua: `t.call("bash", { command = "ls" })
t.passed()`,
			JS: `await t.call("bash", { command: "ls" });
t.passed();`,
		},
	}
}
