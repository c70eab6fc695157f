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

// filesDoc stands at the top of the page.
const filesDoc = "Files. A relative path begins at the working directory (`ext.cwd`), `~/` is " +
	"the home. A script reaches what its header names: `@grant fs.read:./** " +
	"fs.write:~/notes/**`; " +
	"a relative glob there begins at the project's root. Links are followed before that is " +
	"checked. A `*` or `**` does not stand for names that begin with a dot, in which " +
	"secrets lie, and hooks, start-up files and scripts that others run: `fs.read:./**` and " +
	"`fs.write:./**` are all of the project but `.env`, `.git`, `.github`, `.agent` and the " +
	"like, and `fs.read:./.github/**` names one of them; " +
	"the same holds for `~/**`. The agent's own settings, scripts and sessions in `~/.agent` are " +
	"not written, whatever is granted. " +
	"Errors of the world have one of the codes `not_found`, `exists`, `denied`, `is_directory`, " +
	"`not_directory`, `not_empty`, `invalid`, `too_large` and `failed`. " +
	"What changes something returns true. Only plain files and folders are touched."

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
		Fields: []value.Field{encodingField("what content is: text, or bytes as base64")}}
)

var filesystem = []engine.APIRow{
	{
		Name: "fs.read", Waits: true, Grant: fsRead, Judged: true, Result: "string",
		Params: []value.Field{pathField, {Name: "options", Type: "table?",
			Fields: append(partFields("bytes"),
				encodingField(
					"base64 gives any bytes; without it, what is no UTF-8 text is an error"))}},
		Doc: "Reads a file, or a part of it: at most 8 MiB. A part begins and ends between " +
			"characters.",
		Lua: `local s = ext.fs.read("notes.txt")`,
		JS:  `const s = await ext.fs.read("notes.txt");`,
	},
	{
		Name: "fs.lines", Waits: true, Grant: fsRead, Judged: true, Result: "list",
		Params: []value.Field{pathField, {Name: "options", Type: "table?",
			Fields: partFields("lines")}},
		Doc: "Reads lines of a file, without their ends: at most 200,000, and 8 MiB.",
		Lua: `local first = ext.fs.lines("notes.txt", { limit = 1 })`,
		JS:  `const first = await ext.fs.lines("notes.txt", { limit: 1 });`,
	},
	{
		Name: "fs.write", Waits: true, Grant: fsWrite, Judged: true, Result: "boolean",
		Params: []value.Field{pathField, contentField, writeOptions},
		Doc: "Writes a file, in one step: who reads it gets the old or the new one. It keeps its " +
			"mode, and a link stays a link. Folders that are not there are made.",
		Lua: `local ok = ext.fs.write("todo.txt", "all of it\n")`,
		JS:  `const ok = await ext.fs.write("todo.txt", "all of it\n");`,
	},
	{
		Name: "fs.append", Waits: true, Grant: fsWrite, Judged: true, Result: "boolean",
		Params: []value.Field{pathField, contentField, writeOptions},
		Doc:    "Writes behind the end of a file, which is made if it is not there.",
		Lua:    `local ok = ext.fs.append("todo.txt", "more\n")`,
		JS:     `const ok = await ext.fs.append("todo.txt", "more\n");`,
	},
	{
		Name: "fs.list", Waits: true, Grant: fsRead, Judged: true, Result: "list",
		Params: []value.Field{pathField},
		Doc: "Lists a folder, in order of the names: {name, kind}; kind is file, directory, link " +
			"or other. Only what the script may read, at most 20,000 files.",
		Lua: `local first = ext.fs.list(".")[1].name`,
		JS:  `const first = (await ext.fs.list("."))[0].name;`,
	},
	{
		Name: "fs.stat", Waits: true, Grant: fsRead, Judged: true, Result: "table",
		Params: []value.Field{pathField},
		Doc: `Says what a path leads to: {kind, size, mtime, mode}; kind is file, directory or ` +
			`other, mode is text such as "0644".`,
		Lua: `local size = ext.fs.stat("notes.txt").size`,
		JS:  `const size = (await ext.fs.stat("notes.txt")).size;`,
	},
	{
		Name: "fs.exists", Waits: true, Grant: fsRead, Judged: true, Result: "boolean",
		Params: []value.Field{pathField},
		Doc:    "Whether a path leads to something.",
		Lua:    `local there = ext.fs.exists("nothing.txt")`,
		JS:     `const there = await ext.fs.exists("nothing.txt");`,
	},
	{
		Name: "fs.mkdir", Waits: true, Grant: fsWrite, Judged: true, Result: "boolean",
		Params: []value.Field{pathField},
		Doc:    "Makes a folder, and those that it is in. That it is there already is no error.",
		Lua:    `local ok = ext.fs.mkdir("a/b")`,
		JS:     `const ok = await ext.fs.mkdir("a/b");`,
	},
	{
		Name: "fs.remove", Waits: true, Grant: fsWrite, Judged: true, Result: "boolean",
		Params: []value.Field{pathField, {Name: "options", Type: "table?",
			Fields: []value.Field{{Name: "recursive", Type: "boolean?",
				Doc: "a folder with all that is in it, if a grant that ends with /** names it"}}}},
		Doc: "Removes a file, an empty folder, or a link: not what it leads to.",
		Lua: `local ok = ext.fs.write("old.txt", "") and ext.fs.remove("old.txt")`,
		JS:  `const ok = await ext.fs.write("old.txt", "") && await ext.fs.remove("old.txt");`,
	},
	{
		Name: "fs.rename", Waits: true, Grant: fsWrite, Judged: true, Result: "boolean",
		Params: []value.Field{pathField, {Name: "to", Type: "string"}},
		Doc: "Gives a file or folder another path, and replaces a file there. Both paths must be " +
			"granted; and what the script may not read cannot be put where it may.",
		Lua: `local ok = ext.fs.write("draft.txt", "x") and ext.fs.rename("draft.txt", ` +
			`"final.txt")`,
		JS: `const ok = await ext.fs.write("draft.txt", "x") && await ` +
			`ext.fs.rename("draft.txt", "final.txt");`,
	},
	{
		Name: "fs.find", Waits: true, Grant: fsRead, Judged: true, Result: "list",
		Params: []value.Field{{Name: "glob", Type: "string", Doc: "as in ext.match"},
			{Name: "options", Type: "table?", Fields: []value.Field{
				{Name: "kind", Type: "string?", Values: []string{"file", "directory"},
					Doc: "what is looked for; file if it is not given"},
				{Name: "limit", Type: "integer?",
					Doc: "how many at most; without it, more than 20,000 are an error"}}}},
		Doc: "Finds the files that fit a pattern, and that the script may read, in order. A " +
			"relative pattern gives relative paths. Links are left out.",
		Lua: `local found = ext.fs.find("**/*.txt")`,
		JS:  `const found = await ext.fs.find("**/*.txt");`,
	},
	{
		Name: "fs.temp", Waits: true, Grant: "fs.write", Result: "string",
		Params: []value.Field{{Name: "options", Type: "table?", Fields: []value.Field{
			{Name: "suffix", Type: "string?", Doc: "what the name ends with: .json"},
			{Name: "directory", Type: "boolean?", Doc: "a folder instead of a file"}}}},
		Doc: "Makes an empty file with a new name, and returns its path. The script may read and " +
			"write it without more grants; it is removed when the script is reloaded or unloaded.",
		Lua: `local ending = ext.path.ext(ext.fs.temp({ suffix = ".json" }))`,
		JS:  `const ending = ext.path.ext(await ext.fs.temp({ suffix: ".json" }));`,
	},
}
