// This file holds the rows of the functions that parse command lines.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

var commandLine = value.Field{Name: "command", Type: "string", Doc: "in bash syntax"}

// opaqueDoc describes the opaque parts of a command line.
const opaqueDoc = "kind dynamic: the command is known only when it runs; stdin: a program's " +
	"input is run; file: runs a file that the same line writes, or whose name is unknown; " +
	"interpreter: runs code in another language, such as python -c; alias: from there on a name " +
	"has another meaning. An unknown program is not opaque, nor is a file that is run: ./x, " +
	"make, bash x.sh, python x.py."

// ruleDoc describes a rule.
const ruleDoc = "A rule is {cmd, sub, flags, any_flags, args, unless, reason}; absent keys " +
	"match anything, and names may be lists. cmd is the name of a program, or a glob, however " +
	"it is wrapped or quoted; sub is its first word after global flags; flags must all be " +
	"present, any_flags at least one, in any spelling, order or cluster: \"r\" is in -fr, " +
	"\"recursive\" may be abbreviated, the short and long names of a known program's flag are " +
	"equal, and force is not force-with-lease; args are globs, one of which must match an " +
	"argument; unless is a rule that exempts commands that it matches for certain: each " +
	"argument must match one of its args."

var shells = []engine.APIRow{
	{
		Name: "shell.check", Result: "table?",
		Params: []value.Field{commandLine, {Name: "rules", Type: "table", Fields: []value.Field{
			{Name: "deny", Type: "list?", Doc: "rules: blocks"},
			{Name: "ask", Type: "list?", Doc: "rules for which the user is asked"},
			{Name: "allow", Type: "list?",
				Doc: "rules: if each command matches one, nothing is opaque and no file is " +
					"written, returns {allow = true}, for tool_call with its grant"},
			{Name: "opaque", Type: "string?", Values: []string{"ask", "deny", "allow"},
				Doc: "the outcome of opaque commands; absent: ask"}}}},
		Doc: "Checks a command line against rules, and returns the outcome that the handler " +
			"should return, or nil. deny comes before ask, ask before allow. " + ruleDoc +
			" Variables that the line itself sets are expanded. It asks if a rule may " +
			"match, if " +
			"a command is opaque (see ext.shell.parse), or if the line is invalid. It also " +
			"asks " +
			"if arguments of an unknown program may be a command that a rule matches, or an " +
			"opaque one: foo --exec 'rm -r x', foo python -c exec. An invalid rule is an error, " +
			"so a guard fails closed.",
		Lua: `local blocks = ext.shell.check("sudo rm -fr build", {
  deny = { { cmd = "rm", flags = "r", reason = "use trash" } },
}).reason`,
		JS: `const blocks = ext.shell.check("sudo rm -fr build", {
  deny: [{ cmd: "rm", flags: "r", reason: "use trash" }],
}).reason;`,
	},
	{
		Name: "shell.parse", Result: "table", Params: []value.Field{commandLine},
		Doc: "Parses a command line. Returns {ok, reason, commands, opaque}. commands lists " +
			"each command that would run, including those in pipes, lists, loops, functions, " +
			"traps and substitutions, and those that other programs run: sudo, env, xargs, find " +
			"-exec, bash -c, eval, ssh. A command is {name, path, argv, static, assigns, via, " +
			"redirects, piped_from, background, pos}: name is the program's name without its " +
			"folder, path is as written, both are nil if unknown; argv are the words that the " +
			"program gets, static says which of them are known (an unknown one is as written); " +
			"assigns are {name, value}; via are the programs that run it, outermost first; " +
			"redirects are {op, path, text}; piped_from is the index in commands of the command " +
			"whose output it " +
			"reads. " +
			"opaque are {kind, text, pos}: " + opaqueDoc +
			" ok is false, and reason says why, if the syntax is invalid or the line exceeds 64 " +
			"KiB, 200 nested openers, 500 commands, 10,000 words, 5,000 words from braces, " +
			"5,000 operators of expressions, or 1,000 redirections and variables.",
		Lua: `local name = ext.shell.parse("sudo r'm' -rf build").commands[2].name`,
		JS:  `const name = ext.shell.parse("sudo r'm' -rf build").commands[1].name;`,
	},
	{
		Name: "shell.quote", Result: "string", Params: []value.Field{
			{Name: "argv", Type: "list|string", Doc: "words, or one word"}},
		Doc: "Quotes words for a command line: a shell parses it into exactly these words.",
		Lua: `local line = ext.shell.quote({ "echo", "it's", "$HOME" })`,
		JS:  `const line = ext.shell.quote(["echo", "it's", "$HOME"]);`,
	},
	{
		Name: "shell.split", Codes: []string{"invalid"}, Result: "list",
		Params: []value.Field{{Name: "text", Type: "string"}},
		Doc: `Splits a text into words, with quotes and backslashes as in a shell. An error of ` +
			`the ` +
			`world (code "invalid") for other shell syntax: $, ` + "`" +
			`, |, &, ;, <, >, parentheses.`,
		Lua: `local second = ext.shell.split("grep 'two words' file")[2]`,
		JS:  `const second = ext.shell.split("grep 'two words' file")[1];`,
	},
	{
		Name: "shell.paths", Result: "table", Params: []value.Field{commandLine},
		Doc: "Lists the files that a command line reads and writes, according to its words: " +
			"{reads, writes, perhaps, unknown}. Paths are absolute, with links followed (a link " +
			"that is itself changed is listed too); globs are expanded. reads and writes are " +
			"certain. perhaps are paths that the program may write (openssl -out x.pem). " +
			"unknown is true if other files may be written: the command is opaque (see " +
			"ext.shell.parse), or a path is known only when it runs. Unknown programs do not " +
			"set it.",
		Lua: `local unknown = ext.shell.paths("cp a.txt b.txt").unknown`,
		JS:  `const unknown = ext.shell.paths("cp a.txt b.txt").unknown;`,
	},
}
