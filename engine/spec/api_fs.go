// This file holds the rows of ext.fs.

package spec

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/value"
)

const (
	fsRead  = "fs.read:GLOB"
	fsWrite = "fs.write:GLOB"
)

// filesDoc is the beginning of the page.
const filesDoc = "Files. A relative path is relative to the working directory (`ext.cwd`), `~/` " +
	"is the home directory. A script may access what its header grants: `@grant fs.read:./** " +
	"fs.write:~/notes/**`; " +
	"a relative glob there is relative to the project's root. Links are followed before the " +
	"check. `*` and `**` do not match names that begin with a dot, because those files hold " +
	"secrets, hooks, and scripts that other programs run: `fs.read:./**` and " +
	"`fs.write:./**` cover the project except `.env`, `.git`, `.github`, `.agent` and the " +
	"like, and `fs.read:./.github/**` covers one of them; the same applies to `~/**`. The " +
	"agent's own settings, scripts and sessions in `~/.agent` cannot be written with any grant. " +
	"Errors of the world have one of the codes `not_found`, `exists`, `denied`, `is_directory`, " +
	"`not_directory`, `not_empty`, `invalid`, `too_large` and `failed`. " +
	"Functions that change something return true. Only regular files and folders are supported."

func encodingField(doc string) value.Field {
	return value.Field{Name: "encoding", Type: "string?", Values: []string{"utf8", "base64"},
		Doc: doc}
}

func partFields(what string) []value.Field {
	return []value.Field{
		{Name: "offset", Type: "integer?", Doc: "how many " + what + " are left out first"},
		{Name: "limit", Type: "integer?", Doc: "how many " + what + " at most"},
	}
}

var (
	contentField = value.Field{Name: "content", Type: "string"}
	writeOptions = value.Field{Name: "options", Type: "table?",
		Fields: []value.Field{encodingField("of content: text, or base64 for bytes")}}
)

var filesystem = []engine.APIRow{
	{
		Name: "fs.read", Waits: true, Grant: fsRead, Judged: true, Result: "string",
		Params: []value.Field{pathField, {Name: "options", Type: "table?",
			Fields: append(partFields("bytes"),
				encodingField(
					"base64 for any bytes; absent: a file that is not UTF-8 is an error"))}},
		Doc: "Reads a file, or a part of it: at most 8 MiB. A part begins and ends between " +
			"characters.",
		Lua: `local s = ext.fs.read("notes.txt")`,
		JS:  `const s = await ext.fs.read("notes.txt");`,
	},
	{
		Name: "fs.lines", Waits: true, Grant: fsRead, Judged: true, Result: "list",
		Params: []value.Field{pathField, {Name: "options", Type: "table?",
			Fields: partFields("lines")}},
		Doc: "Reads lines of a file, without line ends: at most 200,000 lines and 8 MiB.",
		Lua: `local first = ext.fs.lines("notes.txt", { limit = 1 })`,
		JS:  `const first = await ext.fs.lines("notes.txt", { limit: 1 });`,
	},
	{
		Name: "fs.write", Waits: true, Grant: fsWrite, Judged: true, Result: "boolean",
		Params: []value.Field{pathField, contentField, writeOptions},
		Doc: "Writes a file atomically: readers get the old or the new content. It keeps its " +
			"mode, and a link stays a link. Missing folders are created.",
		Lua: `local ok = ext.fs.write("todo.txt", "all of it\n")`,
		JS:  `const ok = await ext.fs.write("todo.txt", "all of it\n");`,
	},
	{
		Name: "fs.append", Waits: true, Grant: fsWrite, Judged: true, Result: "boolean",
		Params: []value.Field{pathField, contentField, writeOptions},
		Doc:    "Appends to a file, which is created if it does not exist.",
		Lua:    `local ok = ext.fs.append("todo.txt", "more\n")`,
		JS:     `const ok = await ext.fs.append("todo.txt", "more\n");`,
	},
	{
		Name: "fs.list", Waits: true, Grant: fsRead, Judged: true, Result: "list",
		Params: []value.Field{pathField},
		Doc: "Lists a folder, sorted by name: {name, kind}; kind is file, directory, link or " +
			"other. It lists only what the script may read, at most 20,000 files.",
		Lua: `local first = ext.fs.list(".")[1].name`,
		JS:  `const first = (await ext.fs.list("."))[0].name;`,
	},
	{
		Name: "fs.stat", Waits: true, Grant: fsRead, Judged: true, Result: "table",
		Params: []value.Field{pathField},
		Doc: `Describes the file at a path, following links: {kind, size, mtime, mode}; kind is ` +
			`file, directory or ` +
			`other, mode is text such as "0644".`,
		Lua: `local size = ext.fs.stat("notes.txt").size`,
		JS:  `const size = (await ext.fs.stat("notes.txt")).size;`,
	},
	{
		Name: "fs.exists", Waits: true, Grant: fsRead, Judged: true, Result: "boolean",
		Params: []value.Field{pathField},
		Doc:    "Reports whether a path exists.",
		Lua:    `local there = ext.fs.exists("nothing.txt")`,
		JS:     `const there = await ext.fs.exists("nothing.txt");`,
	},
	{
		Name: "fs.mkdir", Waits: true, Grant: fsWrite, Judged: true, Result: "boolean",
		Params: []value.Field{pathField},
		Doc:    "Creates a folder and its parents. An existing folder is not an error.",
		Lua:    `local ok = ext.fs.mkdir("a/b")`,
		JS:     `const ok = await ext.fs.mkdir("a/b");`,
	},
	{
		Name: "fs.remove", Waits: true, Grant: fsWrite, Judged: true, Result: "boolean",
		Params: []value.Field{pathField, {Name: "options", Type: "table?",
			Fields: []value.Field{{Name: "recursive", Type: "boolean?",
				Doc: "true: a folder and its content, if a grant that ends with /** covers it"}}}},
		Doc: "Removes a file, an empty folder, or a link, but not its target.",
		Lua: `local ok = ext.fs.write("old.txt", "") and ext.fs.remove("old.txt")`,
		JS:  `const ok = await ext.fs.write("old.txt", "") && await ext.fs.remove("old.txt");`,
	},
	{
		Name: "fs.rename", Waits: true, Grant: fsWrite, Judged: true, Result: "boolean",
		Params: []value.Field{pathField, {Name: "to", Type: "string", File: true}},
		Doc: "Renames a file or folder, and replaces a file at the new path. Both paths must " +
			"be granted, and a file that the script may not read cannot be moved to where it may.",
		Lua: `local ok = ext.fs.write("draft.txt", "x") and ext.fs.rename("draft.txt", ` +
			`"final.txt")`,
		JS: `const ok = await ext.fs.write("draft.txt", "x") && await ` +
			`ext.fs.rename("draft.txt", "final.txt");`,
	},
	{
		Name: "fs.find", Waits: true, Grant: fsRead, Judged: true, Result: "list",
		Params: []value.Field{{Name: "glob", Type: "string", File: true, Doc: "as in ext.match"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "kind", Type: "string?", Values: []string{"file", "directory"},
					Doc: "the kind to find; absent: file"},
				{Name: "limit", Type: "integer?",
					Doc: "maximal number; absent: more than 20,000 are an error"}}}},
		Doc: "Finds the files that match a pattern and that the script may read, sorted. A " +
			"relative pattern returns relative paths. Links are skipped.",
		Lua: `local found = ext.fs.find("**/*.txt")`,
		JS:  `const found = await ext.fs.find("**/*.txt");`,
	},
	{
		Name: "fs.temp", Waits: true, Grant: "fs.write", Result: "string",
		Params: []value.Field{{Name: "options", Type: "table?", Fields: []value.Field{
			{Name: "suffix", Type: "string?", Doc: "end of the name: .json"},
			{Name: "directory", Type: "boolean?", Doc: "a folder instead of a file"}}}},
		Doc: "Creates an empty file with a new name, and returns its path. The script may read " +
			"and write it without further grants. It is removed when the script is reloaded or " +
			"unloaded.",
		Lua: `local ending = ext.path.ext(ext.fs.temp({ suffix = ".json" }))`,
		JS:  `const ending = ext.path.ext(await ext.fs.temp({ suffix: ".json" }));`,
	},
}
