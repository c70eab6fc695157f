// This file holds the rows of the functions that run programs.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// execOptions are the options of ext.exec and ext.sh.
var execOptions = value.Field{Name: "options", Type: "table?", Fields: []value.Field{
	{Name: "cwd", Type: "string?", Doc: "directory to run in; absent: the agent's"},
	{Name: "env", Type: "table?",
		Doc: "names and values in addition to PATH, HOME, USER, LANG, TERM and TMPDIR: nothing " +
			"else is " +
			"inherited"},
	{Name: "stdin", Type: "string?", Doc: "the program's input; absent: empty"},
	{Name: "timeout", Type: "number?",
		Doc: "seconds after which it is killed; absent or 0: the handler's time limit"},
	{Name: "tty", Type: "boolean?",
		Doc: "give it the user's terminal until it ends, for programs that people use, such as " +
			"an editor. Keys go to it, and the results stdout and stderr are empty. Only in " +
			"commands, shortcuts, panels and timers. Without a terminal the code is " +
			"\"headless\""},
	{Name: "on_line", Type: "function?", Takes: []value.Field{lineField,
		{Name: "stream", Type: "string"}},
		Doc: `on_line(line, stream) is called with each line as it arrives; stream is "stdout" ` +
			`or "stderr". If it waits, the program's output is blocked`},
}}

const execResult = `Returns {code, stdout, stderr, timed_out}. A nonzero code and a timeout are ` +
	`results; only a program that cannot be started is an error of the world (code ` +
	`"not_found", "denied" or "failed"). ` +
	`The code of a program that was killed by a signal is 128 plus the signal's number. 2 MB of ` +
	`each stream are kept, its beginning and its end, and left_out is the number of missing ` +
	`bytes. If its output tells that the sandbox refused it something, refused says what: a text ` +
	`for people. Invalid UTF-8 becomes U+FFFD. Child processes end with the program, or when the ` +
	`handler is cancelled or the script reloaded.`

var programs = []engine.APIRow{
	{
		Name: "exec", Codes: []string{"not_found", "denied", "failed", "headless"}, Waits: true,
		Grant: "exec:NAME", Judged: true, Aborts: true, Result: "table",
		Params: []value.Field{{Name: "argv", Type: "list", Doc: "the program and its arguments"},
			execOptions},
		Doc: "Runs a program without a shell. A name is searched in PATH, and needs @grant " +
			"exec:NAME; a path needs exec:/THE/PATH; exec:* allows all. The agent's PATH is " +
			"used, not that in env. The grant covers everything that the program can do: git " +
			"can start any program through its options, hooks and variables such as " +
			"GIT_SSH_COMMAND. " +
			execResult,
		Lua: `local out = ext.exec({ "echo", "hello" }, { cwd = "/" }).stdout`,
		JS:  `const out = (await ext.exec(["echo", "hello"], { cwd: "/" })).stdout;`,
	},
	{
		Name: "sh", Codes: []string{"not_found", "denied", "failed", "headless"}, Waits: true,
		Grant: "exec:sh", Judged: true, Aborts: true, Result: "table",
		Params: []value.Field{{Name: "line", Type: "string",
			Doc: "a command line for bash, or sh if there is none"}, execOptions},
		Doc: "Runs a command line. Quote text from other sources, or use ext.exec. Needs " +
			"exec:sh or exec:*. " + execResult,
		Lua: `local code = ext.sh("test -d /nowhere || exit 3", { cwd = "/" }).code`,
		JS:  `const code = (await ext.sh("test -d /nowhere || exit 3", { cwd: "/" })).code;`,
	},
}
