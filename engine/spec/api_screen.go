// This file holds the rows of the screen functions.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// screenModes describes the functions in each mode of the program.
const screenModes = "" +
	"Their effect depends on how the agent runs. *headless* is the option `headless`, or, if it " +
	"is absent, an error of the world with the code `headless`.\n\n" +
	"| function | on the screen | `-p`, `--json` | `agent rpc` | `agent acp` " +
	"|\n|---|---|---|---|---|\n" +
	"| `confirm` | a dialog | headless | `ui.request` with the capability `ui`, else headless | " +
	"a permission request |\n" +
	"| `select` | a dialog | headless | the same | a permission request; headless with `multi`, " +
	"or more than 100 items |\n" +
	"| `input`, `edit` | a dialog | headless | the same | headless |\n" +
	"| `status`, `status_line`, `widget`, `footer`, `header`, `title`, `redraw` | shown | " +
	"nothing | `ui.show` with the capability `surface`, else nothing | nothing |\n" +
	"| `insert`, `copy`, `desktop` | done | nothing | `ui.insert`, `ui.copy`, `ui.desktop` with " +
	"`surface`, else nothing | nothing |\n" +
	"| `panel` | in place of the conversation | `wait()` gives headless | `ui.panel` with " +
	"`surface` and `panels`, else `wait()` gives headless | `wait()` gives headless |\n" +
	"| `{panel=}` of a command | the same | a message says that there is no screen | the same, " +
	"else the message | the message |\n" +
	"| `focused` | as the terminal reports | false | as `ui.screen` reports, initially true; " +
	"without `surface` false | false |\n\n" +
	"A dialog closes when it is answered, after `timeout`, and when the call that opened it " +
	"ends. A script can have 20 dialogs and 20 panels open at a time; dialogs are shown one by " +
	"one, and panels on top of each other. If the agent is idle, Esc in a dialog returns false " +
	"for `confirm`, and the code `cancelled` otherwise. If the agent works or a command runs, " +
	"Esc cancels that: the dialog does not return, and functions given to `call.defer` run."

// onScreen is the end of the docs of these functions.
const onScreen = ` A line is text, or spans: {{"3 left", "warn"}, " of 5"}. It is removed when ` +
	`the script is reloaded or unloaded. Without a screen, it has no effect.`

var screenKey = value.Field{Name: "key", Type: "string",
	Doc: "chosen by the script: replaces what the script shows under the same key"}

var screen = []engine.APIRow{
	{
		Name: "ui.status", Grant: "ui",
		Params: []value.Field{
			screenKey, {Name: "line", Type: "string|list?", Doc: "nil removes it"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "side", Type: "string?", Values: []string{"left", "right"},
					Doc: "of the status line; absent: left"},
				{Name: "order", Type: "number?", Doc: "lower comes first; absent: 50"},
			}},
		},
		Doc: "Shows a line in the status line." + onScreen,
		Lua: `ext.ui.status("tests", { { "3 failed", "error" } }, { side = "right" })`,
		JS:  `ext.ui.status("tests", [["3 failed", "error"]], { side: "right" });`,
	},
	{
		Name: "ui.widget", Grant: "ui", Placed: true,
		Params: []value.Field{
			screenKey, {Name: "lines", Type: "string|list|function?",
				Takes: []value.Field{widthField}, Answer: "string|list",
				Doc: "text or lines, or a function that is called with the width and returns " +
					"them; nil removes it"},
			{Name: "options", Type: "table?", Fields: widgetOptions},
		},
		Doc: "Shows lines above or below the editor. A failure of the function is reported " +
			"once, and shown above the last good lines; after three failures in a row it is " +
			"called every 10 s." +
			onScreen,
		Lua: `ext.ui.widget("todo", { "[x] tests", { { "[ ] ", "dim" }, "docs" } }, { place = ` +
			`"below" })`,
		JS: `ext.ui.widget("todo", ["[x] tests", [["[ ] ", "dim"], "docs"]], { place: "below" });`,
	},
	drawRow("ui.footer", "called with the width, returns one to three lines; nil removes it",
		"Shows lines at the foot of the screen, below the status line.",
		`ext.ui.footer(function(width) return ext.cwd end)`,
		`ext.ui.footer((width) => ext.cwd);`),
	drawRow("ui.header", "called with the width, returns one to three lines; nil removes it",
		"Shows lines at the head of the screen.",
		`ext.ui.header(function(width) return ext.text.fit(ext.cwd, width) end)`,
		`ext.ui.header((width) => ext.text.fit(ext.cwd, width));`),
	drawRow("ui.status_line",
		"called with the width of the screen, returns a line; nil removes it",
		"Replaces what the status line says of model, window and cost. What the agent does, "+
			"its permission mode and warnings stay.",
		`ext.ui.status_line(function(width) return ext.cwd end)`,
		`ext.ui.status_line((width) => ext.cwd);`),
	{
		Name: "ui.title", Grant: "ui",
		Params: []value.Field{{Name: "text", Type: "string?", Doc: "nil: the original title"}},
		Doc:    "Sets the title of the window. Without a screen, it has no effect.",
		Lua:    `ext.ui.title("deploying")`,
		JS:     `ext.ui.title("deploying");`,
	},
	{
		Name: "ui.theme", Grant: "ui",
		Params: []value.Field{{Name: "name", Type: "string", Doc: "a-z, 0-9, - and _"},
			{Name: "colors", Type: "table?", Doc: "of the tokens that a file in themes has, " +
				`such as {accent = "#5f87ff", code = "green"}; nil removes the theme`},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "base", Type: "string?", Doc: "the built-in theme that it changes; " +
					"absent: dark"},
				{Name: "use", Type: "boolean?", Doc: "use it at once, unless the user has " +
					"chosen another"}}}},
		Doc: "Adds a theme for /theme. If two scripts have a theme of the same name, the first " +
			"one counts, also after a reload, and a notice names both of them. It is removed " +
			"when the script is reloaded or unloaded. Without a screen, it has no effect.",
		Lua: `ext.ui.theme("sea", { accent = "#5f87ff" }, { base = "light" })`,
		JS:  `ext.ui.theme("sea", { accent: "#5f87ff" }, { base: "light" });`,
	},
	{
		Name: "ui.working", Grant: "ui",
		Params: []value.Field{{Name: "text", Type: "string?", Doc: "nil: the original word"}},
		Doc:    "Replaces the word working in the status.",
		Lua:    `ext.ui.working("reading the plans")`,
		JS:     `ext.ui.working("reading the plans");`,
	},
	{
		Name: "ui.redraw", Grant: "ui",
		Params: []value.Field{{Name: "key", Type: "string?",
			Doc: "of a widget; absent: everything the script shows"}},
		Doc: "Schedules a redraw: functions of widgets and of the footer are called again.",
		Lua: `ext.ui.redraw("todo")`,
		JS:  `ext.ui.redraw("todo");`,
	},
	{
		Name: "ui.panel", Grant: "ui", Placed: true, Result: "table",
		Params: []value.Field{{Name: "panel", Type: "table", Fields: panelFields}},
		Doc: "Opens a panel in place of the conversation, and returns {redraw(), close(value), " +
			"wait()} at once. wait() waits until it is closed and returns the value (in JS it " +
			"returns a promise). " +
			"Esc is passed to key first, and closes the panel unless key returns true within " +
			"three seconds; ctrl+c always closes it. It is closed when the script is reloaded or " +
			"unloaded. " +
			"Without a screen, wait() returns an error of the world with the code " +
			"\"headless\".",
		Lua: `local title = "Clock"
local panel = ext.ui.panel{
  title = title,
  render = function(width, height) return "It is late" end,
}
panel.close()`,
		JS: `const title = "Clock";
const panel = ext.ui.panel({
  title,
  render: (width, height) => "It is late",
});
panel.close();`,
	},
	{
		Name: "ui.insert", Grant: "ui",
		Params: []value.Field{{Name: "text", Type: "string"}},
		Doc:    "Inserts text into the editor at the cursor. Without a screen, it has no effect.",
		Lua:    `ext.ui.insert("fix the tests")`,
		JS:     `ext.ui.insert("fix the tests");`,
	},
	{
		Name: "ui.editor_text", Grant: "ui", Result: "string",
		Doc: "Returns the text in the editor.",
		Lua: `local draft = ext.ui.editor_text()`,
		JS:  `const draft = ext.ui.editor_text();`,
	},
	{
		Name: "ui.set_editor_text", Grant: "ui",
		Params: []value.Field{{Name: "text", Type: "string"}},
		Doc:    "Replaces the text in the editor. Without a screen, it has no effect.",
		Lua:    `ext.ui.set_editor_text("fix the tests")`,
		JS:     `ext.ui.set_editor_text("fix the tests");`,
	},
	{
		Name: "ui.copy", Grant: "ui",
		Params: []value.Field{{Name: "text", Type: "string",
			Doc: "up to 64 KiB, the limit of terminals. Control characters except line ends and " +
				"tabs are removed"}},
		Doc: "Copies text to the clipboard, if the terminal supports it (OSC 52). Without a " +
			"screen, it has no effect.",
		Lua: `ext.ui.copy("git push")`,
		JS:  `ext.ui.copy("git push");`,
	},
	{
		Name: "ui.desktop", Grant: "ui",
		Params: []value.Field{{Name: "title", Type: "string"}, {Name: "body", Type: "string?"}},
		Doc: "Shows a desktop notification, if the terminal supports it (OSC 9, 99 or 777). " +
			"Without a screen, it has no effect.",
		Lua: `ext.ui.desktop("agent", "The tests have passed")`,
		JS:  `ext.ui.desktop("agent", "The tests have passed");`,
	},
	{
		Name: "ui.focused", Grant: "ui", Result: "boolean",
		Doc: "Reports whether the terminal has the focus, if it says so. Without a screen: false.",
		Lua: `local looks = ext.ui.focused()`,
		JS:  `const looks = ext.ui.focused();`,
	},
}

var widthField = value.Field{Name: "width", Type: "number"}

// drawState is the state of an item that is drawn.
var drawState = value.Field{Name: "state", Type: "table", Fields: []value.Field{
	{Name: "expanded", Type: "boolean"}, {Name: "partial", Type: "boolean"}}}

var refreshOption = value.Field{Name: "refresh", Type: "number?",
	Doc: "seconds after which the function is called again, from 0.1 on"}

var panelFields = []value.Field{
	{Name: "title", Type: "string"},
	{Name: "render", Type: "function", Takes: []value.Field{widthField,
		{Name: "height", Type: "number"}}, Answer: "string|list",
		Doc: "render(width, height) returns text or lines"},
	{Name: "key", Type: "function?", Takes: []value.Field{{Name: "name", Type: "string"},
		textField, {Name: "panel", Type: "any"}}, Answer: "boolean",
		Doc: `key(name, text, panel) is called for keys: "a", "up", "enter", "ctrl+x", "paste"; ` +
			`it returns true for an Esc that must not close the panel. Then the panel is ` +
			`redrawn. panel is the result of ext.ui.panel`},
	{Name: "on_close", Type: "function?", Takes: []value.Field{{Name: "value", Type: "any"}},
		Doc: "on_close(value) is called when it is closed: value is nil if the user closed it"},
	{Name: "releases", Type: "boolean?",
		Doc: `key is also called when a key is released, with the name "release:a", if the ` +
			`terminal reports that`},
	{Name: "overlay", Type: "boolean?",
		Doc: "draw it in a box over the conversation, as large as its lines, instead of in its " +
			"place"},
	refreshOption,
}

// drawRow returns the row of a function that takes a function which draws lines of the screen.
// called says with what it is called, and what it returns.
func drawRow(name, called, doc, lua, js string) engine.APIRow {
	return engine.APIRow{Name: name, Grant: "ui", Placed: true,
		Params: []value.Field{
			{Name: "fn", Type: "function?", Takes: []value.Field{widthField},
				Answer: "string|list", Doc: called},
			{Name: "options", Type: "table?", Fields: []value.Field{refreshOption}}},
		Doc: doc + onScreen, Lua: lua, JS: js}
}

var widgetOptions = []value.Field{
	{Name: "place", Type: "string?", Values: []string{"above", "below"},
		Doc: "of the editor; absent: above"},
	{Name: "order", Type: "number?", Doc: "lower comes first; absent: 50"},
	refreshOption,
}
