// Package scripttest runs cases of script behaviour: one case, every script language, one result.
//
//	kit := scripttest.Kit{Runtimes: []engine.Runtime{lua.New(), js.New()}}
//	kit.Run(t, "testdata")
//
// A case is a txtar file. It has the same script in each language (case.lua, case.js), the commands
// to run (input), and the expected output, which is the same for every language (want):
//
//	A guard refuses.
//	-- case.lua --
//	ext.guard(function(ev) return { block = true, reason = "no" } end)
//	-- case.js --
//	ext.guard((ev) => ({ block: true, reason: "no" }));
//	-- input --
//	call bash {"command": "ls"}
//	-- want --
//	call bash {"command": "ls"}
//	{"content":"refused by case: no","is_error":true,"skipped":"denied","trail":["guard block"]}
//
// See commands for the lines of input. Lines "---" split a script and its result into chunks. Each
// chunk is a separate script that is loaded alone and gets the whole input.
//
// Files project/NAME are in the script's working folder, which it sees as /project. They are
// restored for each chunk.
//
// An error that a script must cause is declared on its line, after ###, as a regular expression:
//
//	ext.tol{} -- ### did you mean "tool"
//
// An error without such a mark fails the case, and so does a mark without an error. The want file
// therefore only says where an error occurred: the messages of the interpreters differ.
//
// A case may have modules: lib/NAME.lua and lib/NAME.js. A line "patience: 0.2" in its comment
// gives its scripts a fifth of their usual time limits, "skip: WHY" skips the case.
//
// The kit runs scripts with the real engine, tables and host functions, and with fake tools,
// dialogs and answers of the user. Its users provide the runtimes.
package scripttest
