// This file holds the rows of what scripts show on the screen.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// screenModes is what the functions do in each mode of the program.
const screenModes = "" +
	"What they do depends on how the agent runs. *headless* is the option `headless`, or else an " +
	"error of the world with the code `headless`.\n\n" +
	"| function | on the screen | `-p`, `--json` | `agent rpc` | `agent acp` " +
	"|\n|---|---|---|---|---|\n" +
	"| `confirm` | a dialog | headless | `ui.request` with the capability `ui`, else headless | " +
	"a permission request |\n" +
	"| `select` | a dialog | headless | the same | a permission request; headless with `multi`, " +
	"or more than 100 items |\n" +
	"| `input`, `edit` | a dialog | headless | the same | headless |\n" +
	"| `status`, `widget`, `footer`, `title`, `redraw` | shown | nothing | `ui.show` with the " +
	"capability `surface`, else nothing | nothing |\n" +
	"| `insert`, `copy`, `desktop` | done | nothing | `ui.insert`, `ui.copy`, `ui.desktop` with " +
	"`surface`, else nothing | nothing |\n" +
	"| `panel` | in place of the conversation | `wait()` gives headless | `ui.panel` with " +
	"`surface` and `panels`, else `wait()` gives headless | `wait()` gives headless |\n" +
	"| `{panel=}` of a command | the same | a sentence says that there is no screen | the same, " +
	"else the sentence | the sentence |\n" +
	"| `focused` | as far as the terminal says | false | as `ui.screen` said, true at first; " +
	"without `surface` false | false |\n\n" +
	"A dialog that is open waits for its answer, for `timeout` if there is one, or for the end " +
	"of what it was asked in: then it goes. Of one script 20 dialogs and 20 panels can be open " +
	"at a time; " +
	"dialogs are shown one after the other, and panels on top of each other. Esc at a dialog is " +
	"false for `confirm`, and else the code `cancelled`, where the agent is idle; while it " +
	"works, or a command runs, Esc ends that: " +
	"nothing comes back then, and what `call.defer` was given runs."

// onScreen is what the docs of these functions have in common.
const onScreen = ` A line is text, or spans: {{"3 left", "warn"}, " of 5"}. It goes when the ` +
	`script is reloaded or unloaded. Where there is no screen, nothing happens.`

var screenKey = value.Field{Name: "key", Type: "string",
	Doc: "the script's own: what is shown under it takes the place of what was"}

var screen = []engine.APIRow{
	{
		Name: "ui.status", Grant: "ui",
		Params: []value.Field{
			screenKey, {Name: "line", Type: "string|list?", Doc: "nil takes it away"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "side", Type: "string?", Values: []string{"left", "right"},
					Doc: "of the status line; absent: left"},
				{Name: "order", Type: "number?", Doc: "the least comes first; absent: 50"},
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
					"them; nil takes it away"},
			{Name: "options", Type: "table?", Fields: widgetOptions},
		},
		Doc: "Shows lines above or below the editor. A function that fails is told of once, and " +
			"the last good lines stay; after three failures in a row it is not called any more." +
			onScreen,
		Lua: `ext.ui.widget("todo", { "[x] tests", { { "[ ] ", "dim" }, "docs" } }, { place = ` +
			`"below" })`,
		JS: `ext.ui.widget("todo", ["[x] tests", [["[ ] ", "dim"], "docs"]], { place: "below" });`,
	},
	{
		Name: "ui.footer", Grant: "ui", Placed: true,
		Params: []value.Field{
			{Name: "fn", Type: "function?", Takes: []value.Field{widthField},
				Answer: "string|list",
				Doc:    "called with the width, returns a line or up to three; nil takes it away"},
			{Name: "options", Type: "table?", Fields: []value.Field{refreshOption}},
		},
		Doc: "Shows lines at the foot of the screen, below the status line." + onScreen,
		Lua: `ext.ui.footer(function(width) return ext.cwd end)`,
		JS:  `ext.ui.footer((width) => ext.cwd);`,
	},
	{
		Name: "ui.title", Grant: "ui",
		Params: []value.Field{{Name: "text", Type: "string?", Doc: "nil: what it was"}},
		Doc:    "Sets the title of the window. Where there is no screen, nothing happens.",
		Lua:    `ext.ui.title("deploying")`,
		JS:     `ext.ui.title("deploying");`,
	},
	{
		Name: "ui.redraw", Grant: "ui",
		Params: []value.Field{{Name: "key", Type: "string?",
			Doc: "of a widget; absent: all that the script shows"}},
		Doc: "Lets functions of widgets and of the footer be called anew, soon.",
		Lua: `ext.ui.redraw("todo")`,
		JS:  `ext.ui.redraw("todo");`,
	},
	{
		Name: "ui.panel", Grant: "ui", Placed: true, Result: "table",
		Params: []value.Field{{Name: "panel", Type: "table", Fields: panelFields}},
		Doc: "Opens a panel in place of the conversation, and returns {redraw(), close(value), " +
			"wait()} at once. wait() waits until it is closed and returns the value (in JS it " +
			"returns a promise). " +
			"Esc reaches key first, and closes the panel if that does not return true within " +
			"three seconds; ctrl+c closes it always. It is closed when the script is reloaded or " +
			"unloaded. " +
			"Where there is no screen, wait() gives an error of the world with the code " +
			"\"headless\".",
		Lua: `local title = "Clock" local p = ext.ui.panel{ title = title, render = ` +
			`function(width, height) return "It is late" end } p.close()`,
		JS: `const title = "Clock", p = ext.ui.panel({ title, render: (width, height) => "It is ` +
			`late" }); p.close();`,
	},
	{
		Name: "ui.insert", Grant: "ui",
		Params: []value.Field{{Name: "text", Type: "string"}},
		Doc: "Puts text into the editor at the cursor. Where there is no screen, nothing " +
			"happens.",
		Lua: `ext.ui.insert("fix the tests")`,
		JS:  `ext.ui.insert("fix the tests");`,
	},
	{
		Name: "ui.copy", Grant: "ui",
		Params: []value.Field{{Name: "text", Type: "string",
			Doc: "of up to 64 KiB: terminals take no more. Control characters but line ends and " +
				"tabs are left out"}},
		Doc: "Puts text into the clipboard, as far as the terminal lets it (OSC 52). Where " +
			"there is no screen, nothing happens.",
		Lua: `ext.ui.copy("git push")`,
		JS:  `ext.ui.copy("git push");`,
	},
	{
		Name: "ui.desktop", Grant: "ui",
		Params: []value.Field{{Name: "title", Type: "string"}, {Name: "body", Type: "string?"}},
		Doc: "Tells the user through the terminal, as far as it knows a way (OSC 9, 99 or " +
			"777): for who looks elsewhere. Where there is no screen, nothing happens.",
		Lua: `ext.ui.desktop("agent", "The tests have passed")`,
		JS:  `ext.ui.desktop("agent", "The tests have passed");`,
	},
	{
		Name: "ui.focused", Grant: "ui", Result: "boolean",
		Doc: "Reports whether the user looks at the screen, as far as the terminal says. Where " +
			"there is no screen: false.",
		Lua: `local looks = ext.ui.focused()`,
		JS:  `const looks = ext.ui.focused();`,
	},
}

var widthField = value.Field{Name: "width", Type: "number"}

var refreshOption = value.Field{Name: "refresh", Type: "number?",
	Doc: "seconds after which the function is called again, from 0.1 on"}

var panelFields = []value.Field{
	{Name: "title", Type: "string"},
	{Name: "render", Type: "function", Takes: []value.Field{widthField,
		{Name: "height", Type: "number"}}, Answer: "string|list",
		Doc: "render(width, height) returns text or lines"},
	{Name: "key", Type: "function?", Takes: []value.Field{{Name: "name", Type: "string"},
		textField, {Name: "panel", Type: "any"}}, Answer: "boolean",
		Doc: `key(name, text, panel) is told of keys: "a", "up", "enter", "ctrl+x", "paste"; it ` +
			`returns true for an Esc that is not to close the panel. What it changed is drawn ` +
			`then. panel is what ext.ui.panel returns`},
	{Name: "on_close", Type: "function?", Takes: []value.Field{{Name: "value", Type: "any"}},
		Doc: "on_close(value) is called when it is closed: value is nil if the user did it"},
	refreshOption,
}

var widgetOptions = []value.Field{
	{Name: "place", Type: "string?", Values: []string{"above", "below"},
		Doc: "of the editor; absent: above"},
	{Name: "order", Type: "number?", Doc: "the least comes first; absent: 50"},
	refreshOption,
}
