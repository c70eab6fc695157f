// Package scripttest runs cases of script behaviour: one case, every script language, one result.
//
//	kit := scripttest.Kit{Runtimes: []engine.Runtime{lua.New(), js.New()}}
//	kit.Run(t, "testdata")
//
// A case is a txtar file. Its files are the same script in each language (case.lua, case.js), what
// happens to it (input), and what comes of it, whatever the language (want):
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
// The lines of input are listed at commands. A script and its result may be cut into chunks by
// lines "---"; each chunk is a script of its own, loaded alone, given the whole input.
//
// Files project/NAME lie in the folder that the script works in, which it sees as /project; each
// chunk finds them anew.
//
// An error that a script must run into stands on its line, behind ###, as a regular expression:
//
//	ext.tol{} -- ### did you mean "tool"
//
// An error without such a mark fails the case, and so does a mark without an error. What the want
// file says of an error is therefore only where it was met: the wording of the interpreters
// differs.
//
// A case may have modules: lib/NAME.lua and lib/NAME.js. A line "patience: 0.2" of its comment
// gives its scripts a fifth of their usual budgets, "skip: WHY" skips it.
//
// The kit runs scripts through the real engine, tables and host functions, with tools, dialogs and
// the user's answers made up. It knows no runtime by itself: they are a parameter.
package scripttest
