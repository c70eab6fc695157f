// This file holds the rows of what reaches beyond the program: other programs.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// execOptions are what ext.exec and ext.sh have in common.
var execOptions = value.Field{Name: "options", Type: "table?", Fields: []value.Field{
	{Name: "cwd", Type: "string?", Doc: "directory to run in; absent: the agent's"},
	{Name: "env", Type: "table?",
		Doc: "names and values, besides PATH, HOME, USER, LANG, TERM and TMPDIR: nothing else is " +
			"inherited"},
	{Name: "stdin", Type: "string?", Doc: "what it reads; absent: nothing"},
	{Name: "timeout", Type: "number?",
		Doc: "seconds, then it is killed; absent or 0: as long as the handler may take"},
	{Name: "on_line", Type: "function?", Takes: []value.Field{lineField,
		{Name: "stream", Type: "string"}},
		Doc: `on_line(line, stream) is told of each line as it comes; stream is "stdout" or ` +
			`"stderr". It may wait: the program is held up meanwhile`},
}}

const execResult = `Returns {code, stdout, stderr, timed_out}: a code that is not 0 and a ` +
	`timeout are results; only that it could not be started is an error of the world (code ` +
	`"not_found", "denied" or "failed"). ` +
	`A program that a signal ended has the code 128 and the signal's number. Of each stream 2 MB ` +
	`are kept, its beginning and its end: then left_out says how many bytes are missing. What is ` +
	`not UTF-8 becomes U+FFFD. ` +
	`What the program has started ends with it, or when the handler is cancelled or the script ` +
	`reloaded.`

var programs = []engine.APIRow{
	{
		Name: "exec", Codes: []string{"not_found", "denied", "failed"}, Waits: true,
		Grant: "exec:NAME", Judged: true, Aborts: true, Result: "table",
		Params: []value.Field{{Name: "argv", Type: "list", Doc: "the program and its arguments"},
			execOptions},
		Doc: "Runs a program; there is no shell between. A name is looked for in PATH alone, and " +
			"needs @grant exec:NAME; a path needs exec:/THE/PATH; exec:* allows all. Where a " +
			"program lies is decided by the agent's PATH, not by that in env. " +
			"The grant of a program is one of all that it can be made to do: git, by its " +
			"options, hooks and variables such as GIT_SSH_COMMAND, starts any other. " +
			execResult,
		Lua: `local out = ext.exec({ "echo", "hello" }, { cwd = "/" }).stdout`,
		JS:  `const out = (await ext.exec(["echo", "hello"], { cwd: "/" })).stdout;`,
	},
	{
		Name: "sh", Codes: []string{"not_found", "denied", "failed"}, Waits: true, Grant: "exec:sh",
		Judged: true, Aborts: true, Result: "table",
		Params: []value.Field{{Name: "line", Type: "string",
			Doc: "a command line for bash, or sh if there is none"}, execOptions},
		Doc: "Runs a command line. Quote what comes from somewhere else, or better use " +
			"ext.exec. Needs exec:sh or exec:*. " + execResult,
		Lua: `local code = ext.sh("test -d /nowhere || exit 3", { cwd = "/" }).code`,
		JS:  `const code = (await ext.sh("test -d /nowhere || exit 3", { cwd: "/" })).code;`,
	},
}
