// This file explains failures of Lua code: which expression was nil, and what to write instead.

package lua

import (
	"regexp"
	"strings"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

var (
	indexFailure = lazyregexp.New(
		`^attempt to index a non-table object\((\w+)\) with key '(.*)'$`)
	argFailure = lazyregexp.New(`^bad argument #\d+ to (\S+) `)
	// partFailure matches messages about a view or ext.null, which the interpreter calls by other
	// names than scripts do.
	partFailure = lazyregexp.New(
		`^(cannot perform \w+ operation between|attempt to compare|bad argument #\d+ to) ` +
			`.*\buserdata\b`)
)

// absent says what to use instead of standard names that scripts do not have.
var absent = map[string]string{
	"io":       "scripts have no io library: files and programs are reached through ext",
	"dofile":   "scripts have no dofile: require(\"lib/NAME\") shares code",
	"loadfile": "scripts have no loadfile: require(\"lib/NAME\") shares code",
	"module":   "scripts have no module: a file of lib/ returns a table",
	"package":  "scripts have no package library: modules are files of lib/",
	"channel":  "scripts have no channel library: use ext.all to run things side by side",
	"newproxy": "scripts have no newproxy: use setmetatable on a table",
	"execute":  "scripts cannot run programs through os",
	"getenv":   "scripts cannot read the environment through os",
	"exit":     "a script cannot end the program: return from the handler",
	"pack":     "string.pack is of Lua 5.3; scripts are Lua 5.1",
	"foreach":  "table.foreach is of Lua 5.0: for k, v in pairs(t) do ... end",
	"foreachi": "table.foreachi is of Lua 5.0: for i, v in ipairs(t) do ... end",
	"maxn":     "there is no table.maxn: #t is the length of a list",
	"bit32": "there are no bit operations in Lua 5.1: use arithmetic (math.floor(a / 2 ^ n) " +
		"% 2)",
}

// explain rewrites the message of a failure so that it names the expression, and adds a hint.
func (f *failures) explain(se *fault.ScriptError, called string) {
	line := f.line(se)
	switch m := indexFailure().FindStringSubmatch(se.Message); {
	case m != nil:
		explainIndex(se, line, m[1], m[2])
	case se.Message == "attempt to call a non-function object":
		explainCall(se, line, called)
	case strings.HasPrefix(se.Message, "cannot perform concat operation between") &&
		strings.Contains(se.Message, "nil"):
		se.Hint = "a value on this line is nil: use tostring(value), or (value or \"\")"
	case partFailure().MatchString(se.Message):
		se.Message = strings.ReplaceAll(se.Message, "userdata", "table")
		se.Hint = "a part of an event is a table, and ext.null stands for nothing: use one of " +
			"its fields, or ext.json.encode(value)"
	case se.Message == "stack overflow":
		se.Hint = "a function calls itself without end"
	case argFailure().MatchString(se.Message) && strings.Contains(se.Message, "got nil"):
		se.Hint = "the value given is nil: check where it comes from"
	}
}

// line returns the source line of se.
func (f *failures) line(se *fault.ScriptError) string {
	src, ok := f.gen.File(se.File)
	if !ok || se.Line < 1 {
		return ""
	}
	lines := strings.SplitN(string(src), "\n", se.Line+1)
	if len(lines) < se.Line {
		return ""
	}
	return lines[se.Line-1]
}

func explainIndex(se *fault.ScriptError, line, typ, key string) {
	expr := indexed(line, key)
	if expr == "" {
		se.Message = "attempt to index a " + typ + " value with key \"" + key + "\""
		return
	}
	se.Message = "attempt to index " + expr + " (a " + typ + " value) with key \"" + key + "\""
	if h := absent[expr]; h != "" {
		se.Hint = h
	} else if typ == "nil" {
		se.Hint = expr + " is nil here: check its spelling, or test it first (" + expr + " and " +
			expr + "." + key + ")"
	}
}

// indexed returns the expression that is indexed with key in a source line: `ev.args` for
// `ev.args.key`.
func indexed(line, key string) string {
	const path = `([A-Za-z_]\w*(?:\s*[.:]\s*[A-Za-z_]\w*|\[[^\[\]]*\])*)`
	q := regexp.QuoteMeta(key)
	re, err := regexp.Compile(path + `\s*(?:[.:]\s*` + q + `\b|\[\s*["']` + q + `["']\s*\])`)
	if err != nil {
		return ""
	}
	m := re.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return strings.Join(strings.Fields(m[1]), "")
}

func explainCall(se *fault.ScriptError, line, called string) {
	if called == "" {
		se.Message = "attempt to call a value that is no function"
		return
	}
	expr := called
	if re, err := regexp.Compile(`((?:[A-Za-z_]\w*\s*[.:]\s*)*` + regexp.QuoteMeta(called) +
		`)\b`); err == nil {
		if m := re.FindString(line); m != "" {
			expr = strings.Join(strings.Fields(m), "")
		}
	}
	se.Message = "attempt to call " + expr + ", which is no function"
	if se.Hint = absent[called]; strings.HasPrefix(expr, "ext.") { // an unknown name fails before
		se.Hint = "it holds functions or values: call one of these, as in ext.log.info(text)"
	} else if se.Hint == "" {
		se.Hint = expr + " is nil or no function: check its spelling, and that it is defined above"
	}
}
