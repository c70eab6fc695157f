// This file holds the rows of t: what the function of an ext.test is handed.

package spec

import (
	"slices"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// came is what the methods return that let something happen.
const came = ` Returns what came of it, with said, all that the user was told (notices, texts of ` +
	`ext.say), and asked, the questions put to them. It has then all happened: observers have ` +
	`run, and the screen is drawn.`

// TestScript is the script that the examples of the methods of t are about, in Lua and in
// JavaScript.
func TestScript() (lua, js string) {
	return `-- ==Agent==
-- @grant ui exec:git env:EDITOR fs.read:./**
-- ==/Agent==
ext.guard({ tool = "bash" }, function(ev)
  if ev.args.command:find("sudo", 1, true) then return { block = true, reason = "no sudo" } end
  if ev.args.command:find("push", 1, true) then return { ask = "Push?" } end
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
ext.on("agent_end", function() if not ext.ui.focused() then ext.ui.desktop("done") end end)`,
		`// ==Agent==
// @grant ui exec:git env:EDITOR fs.read:./**
// ==/Agent==
ext.guard({ tool: "bash" }, (ev) => {
  if (ev.args.command.includes("sudo")) return { block: true, reason: "no sudo" };
  if (ev.args.command.includes("push")) return { ask: "Push?" };
});
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
ext.on("agent_end", () => { if (!ext.ui.focused()) ext.ui.desktop("done"); });`
}

// Testing returns the methods of t: their rows are named t.call and so on.
func Testing() []engine.APIRow {
	return slices.Concat(happenings(), conditions(), statements())
}

// happenings let something happen.
func happenings() []engine.APIRow {
	return []engine.APIRow{
		{
			Name: "t.call", Waits: true, Result: "table",
			Params: []value.Field{{Name: "tool", Type: "string"}, {Name: "args", Type: "table?"}},
			Doc: "The model calls a tool: it goes down the whole road, handlers and guards " +
				"included. The tools of the program only say what they would do, unless " +
				"t.stub(\"tool\", ...) answers; the script's own run." + came +
				" Besides: content, the result as text, is_error, tool, args as they were in the " +
				"end, details, for_user, context, and skipped, why it did not run.",
			Lua: `t.equal(t.call("bash", { command = "ls" }).content, 'bash {"command":"ls"}')`,
			JS: `t.equal((await t.call("bash", { command: "ls" })).content, 'bash ` +
				`{"command":"ls"}');`,
		},
		{
			Name: "t.emit", Waits: true, Result: "table",
			Params: []value.Field{{Name: "event", Type: "string", Doc: "its name"},
				{Name: "fields", Type: "table?",
					Doc: "of the event, and of what each event has, such as cwd and depth"}},
			Doc: "An event happens." + came +
				" Besides, the keys of what its handlers returned: block, reason, context, what " +
				"they changed, and so on.",
			Lua: `t.equal(t.emit("agent_start", { prompt = "go" }).said, {})`,
			JS:  `t.equal((await t.emit("agent_start", { prompt: "go" })).said, []);`,
		},
		{
			Name: "t.command", Waits: true, Result: "table",
			Params: []value.Field{{Name: "line", Type: "string",
				Doc: "as it is typed: /greet you"}},
			Doc: "The user types a slash command of the script." + came +
				" Besides, what it returned: display, prompt, insert or error.",
			Lua: `t.equal(t.command("/rename").display, "none")`,
			JS:  `t.equal((await t.command("/rename")).display, "none");`,
		},
		{
			Name: "t.key", Waits: true, Result: "table",
			Params: []value.Field{{Name: "name", Type: "string",
				Doc: `a letter, or a name such as up, enter, esc, ctrl+x`}},
			Doc: "The user presses a key. The panel in sight hears it; where there is none, it " +
				"runs the shortcut of that key; else it waits for the next panel to open, as if " +
				"typed ahead, " +
				"for a command that waits for its panel." + came,
			Lua: `t.command("/menu") t.key("down") t.equal(t.screen().panel.lines, { "item 2" })`,
			JS: `await t.command("/menu"); await t.key("down"); t.equal(t.screen().panel.lines, ` +
				`["item 2"]);`,
		},
		{
			Name: "t.clock", Waits: true, Result: "table",
			Params: []value.Field{{Name: "seconds", Type: "number"}},
			Doc: "Time passes, and what is due meanwhile happens, each at its time: timers, what " +
				"refreshes itself. The clock begins at 1000000000 and advances only here; " +
				"all that tells the time goes by it: " +
				"ext.time.now, os.time, os.date and os.clock in Lua, Date in JavaScript, " +
				"ext.every and ext.after, setTimeout and setInterval. ext.sleep lets its seconds " +
				"pass at once, and so does a test that waits " +
				"for nothing but setTimeout." + came,
			Lua: `t.equal(t.clock(60).said, { "a minute has passed" })`,
			JS:  `t.equal((await t.clock(60)).said, ["a minute has passed"]);`,
		},
	}
}

// conditions say what will be when something happens.
func conditions() []engine.APIRow {
	return []engine.APIRow{
		{
			Name: "t.answer",
			Params: []value.Field{{Name: "dialog", Type: "string",
				Values: []string{"approve", "confirm", "select", "input", "edit"},
				Doc:    "approve: what a guard asks"},
				{Name: "value", Type: "any?",
					Doc: "true or false for approve and confirm, else text; with multi, values " +
						"with commas between. Absent: the user goes away"}},
			Doc: "Says what the user will answer to the next dialog of that kind. Without an " +
				"answer no user is available. An answer that is not used is a failure.",
			Lua: `t.answer("input", "tea") t.equal(t.command("/rename").display, "tea")`,
			JS:  `t.answer("input", "tea"); t.equal((await t.command("/rename")).display, "tea");`,
		},
		{
			Name: "t.stub",
			Params: []value.Field{{Name: "kind", Type: "string",
				Values: []string{"exec", "http", "llm", "tool"},
				Doc: "exec: ext.exec and ext.sh; http: ext.http and fetch; llm: " +
					"ext.llm.complete, and the model of the agent and its sub-agents"},
				{Name: "fn", Type: "function",
					Doc: "called with the arguments by their names, and call, the name of the " +
						"function"}},
			Doc: "Stands in for what is outside: without it, such a call is an error. fn returns " +
				"the text that is the answer, or a table. exec: {stdout, stderr, code, " +
				"timed_out}. http: {status, headers, body or json}. llm: {text, data, usage, " +
				"cost, finish_reason}. " +
				"tool: what a tool may return. {error = code, message} is an error of the world. " +
				"on_line, on_event, on_chunk and on_delta are called with what it is; body and " +
				"text as a list come in those pieces.",
			Lua: `t.stub("exec", function(call) return call.argv[2] .. ": main" end) ` +
				`t.equal(t.command("/branch").display, "branch: main")`,
			JS: `t.stub("exec", (call) => call.argv[1] + ": main"); t.equal((await ` +
				`t.command("/branch")).display, "branch: main");`,
		},
		{
			Name: "t.env",
			Params: []value.Field{{Name: "name", Type: "string"},
				{Name: "value", Type: "string?", Doc: "absent: it is not set"}},
			Doc: "Sets a variable of the environment, for ext.env and ext.secret. At first " +
				"there are HOME, PATH, USER, LANG and TERM, and nothing of the real one.",
			Lua: `t.env("EDITOR", "vi") t.equal(ext.env("EDITOR"), "vi")`,
			JS:  `t.env("EDITOR", "vi"); t.equal(ext.env("EDITOR"), "vi");`,
		},
		{
			Name: "t.file",
			Params: []value.Field{{Name: "path", Type: "string",
				Doc: "in the project, or with ~/ in the home directory"},
				{Name: "text", Type: "string?", Doc: "absent: it is removed"}},
			Doc: "Puts a file where the script finds it with ext.fs. At first the project and " +
				"the home directory of a test are empty.",
			Lua: `t.file("NOTES.md", "- tea") t.equal(ext.fs.read("NOTES.md"), "- tea")`,
			JS:  `t.file("NOTES.md", "- tea"); t.equal(await ext.fs.read("NOTES.md"), "- tea");`,
		},
		{
			Name:   "t.focus",
			Params: []value.Field{{Name: "looks", Type: "boolean"}},
			Doc: "Says whether the user looks at the screen: ext.ui.focused. At first, " +
				"nobody does.",
			Lua: `t.focus(true) t.emit("agent_end", { status = "completed", response = "" }) ` +
				`t.equal(t.screen().desktop, {})`,
			JS: `t.focus(true); await t.emit("agent_end", { status: "completed", response: ` +
				`"" }); t.equal(t.screen().desktop, []);`,
		},
	}
}

// statements say what must be.
func statements() []engine.APIRow {
	return []engine.APIRow{
		{
			Name: "t.screen", Result: "table",
			Params: []value.Field{{Name: "options", Type: "table?",
				Fields: []value.Field{{Name: "styles", Type: "boolean?",
					Doc: "true: a line is a list of {text, style} instead of text"}}}},
			Doc: "What the script shows at the moment, on a screen of 80 by 24: status and " +
				"widgets by their keys, a status one line, a widget a list of them; sides and " +
				"places, where they are, by the same keys; footer, title, panel = {title, " +
				"lines}, nil if there is none; and " +
				"inserted, copied, desktop, a list of \"title: body\": what it has put into the " +
				"editor, into the clipboard and on the desktop so far.",
			Lua: `t.emit("agent_start", { prompt = "go" }) t.equal(t.screen().status.work, "at ` +
				`work") t.equal(t.screen().sides.work, "left") t.equal(t.screen({ styles = true ` +
				`}).status.work, { { "at work", "warn" } })`,
			JS: `await t.emit("agent_start", { prompt: "go" }); t.equal(t.screen().status.work, ` +
				`"at work"); t.equal(t.screen().sides.work, "left"); t.equal(t.screen({ styles: ` +
				`true }).status.work, [["at work", "warn"]]);`,
		},
		{
			Name: "t.equal", Params: []value.Field{{Name: "got", Type: "any?"},
				{Name: "want", Type: "any?"}},
			Doc: "Both are the same data, all the way down. Else the failure shows where they " +
				"differ.",
			Lua: `t.equal({ 1, { a = "b" } }, { 1, { a = "b" } })`,
			JS:  `t.equal([1, { a: "b" }], [1, { a: "b" }]);`,
		},
		{
			Name: "t.match", Params: []value.Field{{Name: "text", Type: "string"},
				{Name: "pattern", Type: "string", Doc: "RE2"}},
			Doc: "The text has what the pattern describes.",
			Lua: `t.match("main.go:12", "^main\\.go:\\d+$")`,
			JS:  `t.match("main.go:12", "^main\\.go:\\d+$");`,
		},
		{
			Name: "t.blocked", Params: []value.Field{
				{Name: "reason", Type: "string?", Doc: "must be in the reason"}},
			Doc: "What happened last was refused.",
			Lua: `t.call("bash", { command = "sudo ls" }) t.blocked("no sudo")`,
			JS:  `await t.call("bash", { command: "sudo ls" }); t.blocked("no sudo");`,
		},
		{
			Name: "t.asked", Params: []value.Field{
				{Name: "text", Type: "string?", Doc: "must be in the question or its reason"}},
			Doc: "The user was asked about what happened last.",
			Lua: `t.answer("approve", true) t.call("bash", { command = "git push" }) ` +
				`t.asked("Push?")`,
			JS: `t.answer("approve", true); await t.call("bash", { command: "git push" }); ` +
				`t.asked("Push?");`,
		},
		{
			Name: "t.passed",
			Doc:  "What happened last was not refused, and the user was not asked.",
			Lua:  `t.call("bash", { command = "ls" }) t.passed()`,
			JS:   `await t.call("bash", { command: "ls" }); t.passed();`,
		},
	}
}
