// This file holds the rows of pure functions: patterns, texts, bytes, times, paths. None of them
// needs a grant.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

// matchDoc describes a match.
const matchDoc = "A match is {text, start, stop, groups, named}; s:sub(start, stop) in Lua and " +
	"s.slice(start, stop) in JavaScript are its text; a group that did not match is null."

var (
	pattern = value.Field{Name: "pattern", Type: "string",
		Doc: "RE2: no look-around, no back references"}
	searched   = value.Field{Name: "text", Type: "string", Doc: "at most 2 MB"}
	limitField = value.Field{Name: "options", Type: "table?",
		Fields: []value.Field{{Name: "limit", Type: "integer?",
			Doc: "maximal number; absent: all"}}}
	zoneField = value.Field{Name: "options", Type: "table?",
		Fields: []value.Field{{Name: "zone", Type: "string?",
			Doc: "local (the default), utc, or a name such as Europe/Berlin"}}}
	pathField = value.Field{Name: "path", Type: "string", File: true}
)

var texts = []engine.APIRow{
	{
		Name: "regex.test", Result: "boolean", Params: []value.Field{pattern, searched},
		Doc: "Reports whether a pattern matches in a text.",
		Lua: `local yes = ext.regex.test([[^\d+$]], "42")`,
		JS:  "const yes = ext.regex.test(String.raw`^\\d+$`, \"42\");",
	},
	{
		Name: "regex.find", Result: "table?", Params: []value.Field{pattern, searched},
		Doc: "Finds the first match, nil if there is none. " + matchDoc,
		Lua: `local m = ext.regex.find("(?P<key>\\w+)=(\\w*)", "say: a=b").text`,
		JS:  `const m = ext.regex.find("(?P<key>\\w+)=(\\w*)", "say: a=b").text;`,
	},
	{
		Name: "regex.find_all", Result: "list", Params: []value.Field{pattern, searched,
			limitField},
		Doc: "Finds all matches. " + matchDoc,
		Lua: `local second = ext.regex.find_all("[a-z]+", "ab 1 cd")[2].text`,
		JS:  `const second = ext.regex.find_all("[a-z]+", "ab 1 cd")[1].text;`,
	},
	{
		Name: "regex.replace", Result: "string",
		Params: []value.Field{pattern, searched, {Name: "replacement", Type: "string|function",
			Doc: "text, with $1 or ${name} for groups and $$ for a dollar; or a function of the " +
				"match"}, limitField},
		Doc: "Replaces matches. " + matchDoc + " The function must not wait.",
		Lua: `local s = ext.regex.replace("(\\w+)@(\\w+)", "me@home", "$2 of $1")`,
		JS:  `const s = ext.regex.replace("(\\w+)@(\\w+)", "me@home", "$2 of $1");`,
	},
	{
		Name: "regex.split", Result: "list", Params: []value.Field{pattern, searched, limitField},
		Doc: "Splits a text at matches. With limit, the last part is the rest.",
		Lua: `local parts = ext.regex.split(",\\s*", "a, b,c")`,
		JS:  `const parts = ext.regex.split(",\\s*", "a, b,c");`,
	},
	{
		Name: "text.truncate", Result: "string",
		Params: []value.Field{{Name: "text", Type: "string"},
			{Name: "options", Type: "table", Fields: []value.Field{
				{Name: "lines", Type: "integer?", Doc: "maximal number"},
				{Name: "bytes", Type: "integer?", Doc: "maximal number"},
				{Name: "keep", Type: "string?", Values: []string{"head", "tail"},
					Doc: "which end to keep; absent: head"}}}},
		Doc: "Truncates a text, between characters, and adds a line that says how much is " +
			"missing.",
		Lua: `local short = ext.text.truncate("a\nb\nc", { lines = 2 })`,
		JS:  `const short = ext.text.truncate("a\nb\nc", { lines: 2 });`,
	},
	{
		Name: "text.wrap", Result: "list",
		Params: []value.Field{{Name: "text", Type: "string"},
			{Name: "width", Type: "integer",
				Doc: "of a line, in terminal cells: 1 to 10,000"}},
		Doc: "Wraps a text into lines of at most width cells, at spaces if possible. Wider " +
			"characters stay whole.",
		Lua: `local lines = ext.text.wrap("to be or not to be", 8)`,
		JS:  `const lines = ext.text.wrap("to be or not to be", 8);`,
	},
	{
		Name: "text.width", Result: "integer", Params: []value.Field{
			{Name: "text", Type: "string"}},
		Doc: "Returns the width of a line in terminal cells: two for a wide character, none for " +
			"an escape sequence. For several lines it is that of the longest.",
		Lua: `local cells = ext.text.width("日本")`,
		JS:  `const cells = ext.text.width("日本");`,
	},
	{
		Name: "text.fit", Result: "string",
		Params: []value.Field{{Name: "text", Type: "string"},
			{Name: "width", Type: "integer", Doc: "in terminal cells: 1 to 10,000"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "keep", Type: "string?", Values: []string{"head", "tail", "ends"},
					Doc: "absent: head"},
				{Name: "pad", Type: "string?", Values: []string{"left", "right"},
					Doc: "the side on which spaces fill the width; absent: none do"}}}},
		Doc: "Cuts a text to a line of width cells, with an ellipsis.",
		Lua: `local s = ext.text.fit("src/main/index.ts", 12, { keep = "ends" })`,
		JS:  `const s = ext.text.fit("src/main/index.ts", 12, { keep: "ends" });`,
	},
	{
		Name: "text.plain", Result: "string", Params: []value.Field{
			{Name: "text", Type: "string"}},
		Doc: "Removes escape sequences, control characters, and characters that are invisible " +
			"or change the direction of text. Line breaks, which become \\n, and tabs " +
			"stay.",
		Lua: `local s = ext.text.plain("\27[31mred\27[0m")`,
		JS:  `const s = ext.text.plain("\x1b[31mred\x1b[0m");`,
	},
	{
		Name: "text.redact", Waits: true, Result: "string",
		Params: []value.Field{{Name: "text", Type: "string"}},
		Doc:    "Masks what the redactors of all scripts match, as for the user and the model.",
		Lua:    `local s = ext.text.redact("no secret")`,
		JS:     `const s = await ext.text.redact("no secret");`,
	},
	{
		Name: "text.transcript", Result: "string",
		Params: []value.Field{{Name: "messages", Type: "list",
			Doc: "as ext.session.messages returns them"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "bytes", Type: "integer?",
					Doc: "maximal length; absent: 400,000"}}}},
		Doc: "Formats messages as text for a person or a model: roles, texts, tool calls and " +
			"results. Long results are cut, and messages in the middle are left out if the text " +
			"gets too long; the text says so.",
		Lua: `local s = ext.text.transcript({ { role = "user", content = "hello" } })`,
		JS:  `const s = ext.text.transcript([{ role: "user", content: "hello" }]);`,
	},
	{
		Name: "match", Result: "boolean", Params: []value.Field{
			{Name: "glob", Type: "string",
				Doc: "* within a name, ** for any folders, ?, [a-z], {a,b}"},
			{Name: "path", Type: "string", Doc: "or another text"}},
		Doc: "Reports whether a pattern matches a whole path. It does not access files: ./a and " +
			"a are different paths.",
		Lua: `local yes = ext.match("src/**/*.{js,ts}", "src/a/b.ts")`,
		JS:  `const yes = ext.match("src/**/*.{js,ts}", "src/a/b.ts");`,
	},
	{
		Name: "diff", Result: "string", Params: []value.Field{{Name: "before", Type: "string"},
			{Name: "after", Type: "string"}},
		Doc: "Returns the changes from one text to the other as a unified diff; empty if there " +
			"are none. A very large diff is replaced by a note.",
		Lua: `local d = ext.diff("a\nb\n", "a\nc\n")`,
		JS:  `const d = ext.diff("a\nb\n", "a\nc\n");`,
	},
	{
		Name: "base64.encode", Result: "string",
		Params: []value.Field{{Name: "text", Type: "string"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "url", Type: "boolean?",
					Doc: "the alphabet for addresses, without padding"}}}},
		Doc: "Encodes a text as base64.",
		Lua: `local s = ext.base64.encode("hello")`,
		JS:  `const s = ext.base64.encode("hello");`,
	},
	{
		Name: "base64.decode", Codes: []string{"invalid"}, Result: "string",
		Params: []value.Field{{Name: "text", Type: "string",
			Doc: "either alphabet, with or without padding"}},
		Doc: "Decodes base64." + invalidText + ` In ` +
			`JavaScript the result must be UTF-8.`,
		Lua: `local s = ext.base64.decode("aGVsbG8=")`,
		JS:  `const s = ext.base64.decode("aGVsbG8=");`,
	},
	{
		Name: "hash.sha256", Result: "string", Params: []value.Field{
			{Name: "text", Type: "string"}},
		Doc: "Returns the SHA-256 of a text, in hexadecimal.",
		Lua: `local h = ext.hash.sha256("hello")`,
		JS:  `const h = ext.hash.sha256("hello");`,
	},
	{
		Name: "uuid", Result: "string",
		Doc: "Returns a random UUID.",
		Lua: `local length = #ext.uuid()`,
		JS:  `const length = ext.uuid().length;`,
	},
	{
		Name: "random", Result: "number", Params: []value.Field{{Name: "low", Type: "integer?"},
			{Name: "high", Type: "integer?"}},
		Doc: "Returns a random number: at least 0 and less than 1; an integer from 1 to low; or " +
			"from low to high. Integers are cryptographically random.",
		Lua: `local in_range = ext.random(6) <= 6`,
		JS:  `const in_range = ext.random(6) <= 6;`,
	},
	{
		Name: "time.now", Result: "number",
		Doc: "Returns the seconds since 1970.",
		Lua: `local past = ext.time.now() > ext.time.parse("2026-01-01")`,
		JS:  `const past = ext.time.now() > ext.time.parse("2026-01-01");`,
	},
	{
		Name: "time.format", Result: "string",
		Params: []value.Field{{Name: "seconds", Type: "number", Doc: "since 1970"},
			{Name: "format", Type: "string?",
				Doc: "%Y %m %d %H %M %S and the like; as 2026-05-01T12:00:00Z if it is not " +
					"given"}, zoneField},
		Doc: "Formats a time.",
		Lua: `local s = ext.time.format(0, "%d.%m.%Y %H:%M", { zone = "utc" })`,
		JS:  `const s = ext.time.format(0, "%d.%m.%Y %H:%M", { zone: "utc" });`,
	},
	{
		Name: "time.parse", Codes: []string{"invalid"}, Result: "number",
		Params: []value.Field{{Name: "text", Type: "string"},
			{Name: "format", Type: "string?",
				Doc: "as in ext.time.format; absent: common formats"}, zoneField},
		Doc: "Parses a time." + invalidText,
		Lua: `local s = ext.time.parse("1970-01-02T00:00:00Z")`,
		JS:  `const s = ext.time.parse("1970-01-02T00:00:00Z");`,
	},
	{
		Name: "path.join", Result: "string", Params: []value.Field{
			{Name: "parts", Type: "string", Rest: true}},
		Doc: "Joins parts of a path, and cleans it.",
		Lua: `local s = ext.path.join("a", "../b", "c.txt")`,
		JS:  `const s = ext.path.join("a", "../b", "c.txt");`,
	},
	{Name: "path.base", Result: "string", Params: []value.Field{pathField},
		Doc: "Returns the last element of a path.", Lua: `local s = ext.path.base("a/b.txt")`,
		JS: `const s = ext.path.base("a/b.txt");`},
	{Name: "path.dir", Result: "string", Params: []value.Field{pathField},
		Doc: "Returns all but the last element of a path.", Lua: `local s = ` +
			`ext.path.dir("a/b.txt")`,
		JS: `const s = ext.path.dir("a/b.txt");`},
	{Name: "path.ext", Result: "string", Params: []value.Field{pathField},
		Doc: "Returns the extension of a path, with the dot.", Lua: `local s = ` +
			`ext.path.ext("a/b.txt")`,
		JS: `const s = ext.path.ext("a/b.txt");`},
	{Name: "path.abs", Result: "string", Params: []value.Field{pathField},
		Doc: "Returns an absolute path; a relative path is relative to the working directory. " +
			"Links are " +
			"not followed.", Lua: `local s = ext.path.abs("a/b.txt")`,
		JS: `const s = ext.path.abs("a/b.txt");`},
	{
		Name: "path.rel", Codes: []string{"invalid"}, Result: "string",
		Params: []value.Field{pathField, {Name: "from", Type: "string?",
			Doc: "a folder; absent: the working directory"}},
		Doc: "Returns a path relative to a folder.",
		Lua: `local s = ext.path.rel("a/b.txt", "a/c")`,
		JS:  `const s = ext.path.rel("a/b.txt", "a/c");`,
	},
}
