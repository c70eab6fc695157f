// This file holds the rows of what reads command lines.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

var commandLine = value.Field{Name: "command", Type: "string", Doc: "as bash reads it"}

// opaqueDoc describes what cannot be known.
const opaqueDoc = "kind dynamic: what runs is known only when it runs; stdin: what a program " +
	"reads is run; file: a file is run that the same line " +
	"writes, or whose name is not known; interpreter: a text in another language is run, such as " +
	"python -c; alias: from there on a name means something else. A program that is merely " +
	"unknown is not opaque, nor is a file " +
	"that one runs: ./x, make, bash x.sh, python x.py."

// ruleDoc describes a rule.
const ruleDoc = "A rule is {cmd, sub, flags, any_flags, args, unless, reason}; what it does not " +
	"name may be anything, and a name may be a list of them. cmd is the name of a program, or a " +
	"glob, whatever wraps or " +
	"quotes it; sub its first word behind its global flags; flags are all there, any_flags one " +
	"of them, in any spelling, order or cluster: \"r\" is in -fr, \"recursive\" may be " +
	"abbreviated, the short and the long name of a " +
	"known program's flag are one, and force is not force-with-lease; args are globs of which " +
	"one fits an argument; unless is a rule that exempts, where it surely fits: of its args, " +
	"each argument must fit one."

var shells = []engine.APIRow{
	{
		Name: "shell.check", Result: "table?",
		Params: []value.Field{commandLine, {Name: "rules", Type: "table", Fields: []value.Field{
			{Name: "deny", Type: "list?", Doc: "rules: blocks"},
			{Name: "ask", Type: "list?", Doc: "rules: the user is asked"},
			{Name: "allow", Type: "list?",
				Doc: "rules: if each part of the line fits one, nothing is hidden and no file " +
					"written by it, {allow = true}: for tool_call, with its grant"},
			{Name: "opaque", Type: "string?", Values: []string{"ask", "deny", "allow"},
				Doc: "what to do about what cannot be known; ask if it is not given"}}}},
		Doc: "Holds a command line against rules, and returns the outcome to return as it is, or " +
			"nil. deny goes before ask, ask before allow. " + ruleDoc +
			" What a variable holds that the line itself sets is known. What cannot be known " +
			"asks: whether a rule is about a command, what a command does (see ext.shell.parse), " +
			"a line that cannot be read. So do words of a program of which nothing is known if " +
			"they may be a command that a rule is about, or one that cannot be known: foo --exec " +
			"'rm -r x', foo python -c x. A wrong rule is an error, so a guard fails closed.",
		Lua: `local blocks = ext.shell.check("sudo rm -fr build", { deny = { { cmd = "rm", flags ` +
			`= "r", reason = "use trash" } } }).reason`,
		JS: `const blocks = ext.shell.check("sudo rm -fr build", { deny: [{ cmd: "rm", flags: ` +
			`"r", reason: "use trash" }] }).reason;`,
	},
	{
		Name: "shell.parse", Result: "table", Params: []value.Field{commandLine},
		Doc: "Reads a command line. Returns {ok, reason, commands, opaque}. Each command that " +
			"would run is in commands, those of pipes, lists, loops, functions, traps and " +
			"substitutions too, and those that " +
			"another one runs: sudo, env, xargs, find -exec, bash -c, eval, ssh. One is {name, " +
			"path, argv, static, assigns, via, redirects, piped_from, background, pos}: name is " +
			"that of the program without its " +
			"folder, path as it is written, both nil where they cannot be known; argv are the " +
			"words as the program gets them, static says which of them are known (one that is " +
			"not is as it is written); assigns are " +
			"{name, value}; via are the programs that run it, the outermost first; redirects are " +
			"{op, path, text}; piped_from is the place in commands of the one whose output it " +
			"reads. " +
			"opaque are {kind, text, pos}: " + opaqueDoc +
			" ok is false, and reason says why, for what bash would not read, and beyond 64 KiB, " +
			"200 nested openers, 500 commands, 10,000 words, 5,000 of them made by braces, 5,000 " +
			"operators of expressions, or 1,000 redirections and variables.",
		Lua: `local name = ext.shell.parse("sudo r'm' -rf build").commands[2].name`,
		JS:  `const name = ext.shell.parse("sudo r'm' -rf build").commands[1].name;`,
	},
	{
		Name: "shell.quote", Result: "string", Params: []value.Field{
			{Name: "argv", Type: "list|string", Doc: "words, or one word"}},
		Doc: "Writes words as a command line: what reads it gets these very words.",
		Lua: `local line = ext.shell.quote({ "echo", "it's", "$HOME" })`,
		JS:  `const line = ext.shell.quote(["echo", "it's", "$HOME"]);`,
	},
	{
		Name: "shell.split", Codes: []string{"invalid"}, Result: "list",
		Params: []value.Field{{Name: "text", Type: "string"}},
		Doc: `Reads a text as words, with quotes and backslashes as in a shell. An error of the ` +
			`world (code "invalid") for what only a shell could read: $, ` + "`" +
			`, |, &, ;, <, >, parentheses.`,
		Lua: `local second = ext.shell.split("grep 'two words' file")[2]`,
		JS:  `const second = ext.shell.split("grep 'two words' file")[1];`,
	},
	{
		Name: "shell.paths", Result: "table", Params: []value.Field{commandLine},
		Doc: "Which files a command line reads and writes, as far as its words say: {reads, " +
			"writes, perhaps, unknown}. Paths are absolute from the working directory, with " +
			"links followed (a link itself is named, too, where it is not what it leads to); " +
			"what * finds is looked for. reads and writes are certain. perhaps are paths that a " +
			"program gets of which it is not known what it does with them (openssl -out x.pem): " +
			"they may be written. unknown is true where there may be writes that nothing names: " +
			"the command is opaque (see ext.shell.parse), a path is known only when it runs. It " +
			"is not for a program that is merely unknown.",
		Lua: `local unknown = ext.shell.paths("cp a.txt b.txt").unknown`,
		JS:  `const unknown = ext.shell.paths("cp a.txt b.txt").unknown;`,
	},
}
