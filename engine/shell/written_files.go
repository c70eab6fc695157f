// This file follows a command line into files that were written before, and that it runs: such a
// file is no program that the user has put there.

package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/shell/internal/dialect"
)

// Written returns the text of a file that was written before, by whoever asks about the command
// line. name is as in Path. ok is false for other files. text is "" if it cannot be read.
type Written func(name string) (text string, ok bool)

// Context is what is known about where a command line runs.
type Context struct {
	// Written finds files that were written before; nil = none was. If they are commands of a shell
	// and the line runs them, they are parsed as part of it; otherwise they are unknown parts.
	Written Written
	// Environment is that of the shell that runs the line; nil = unknown.
	Environment *Environment
	// Plain reports whether the names of all files of a list consist of letters, digits and other
	// characters without a meaning to a shell; nil = unknown.
	Plain func([]Path) bool
	// Dir is the folder in which the line runs, an absolute path; "" = unknown.
	Dir string
}

// ParseIn is like Parse, for a line whose Context is known.
func ParseIn(text string, c Context) *Script {
	if c.Environment == nil {
		c.Dir = ""
	}
	written, plain := c.Written, c.Plain
	c.Written, c.Plain = nil, nil
	s := parseRecent(text, c)
	c.Written, c.Plain = written, plain
	if (written == nil || !s.runsFiles()) && (plain == nil || s.inserts == nil) {
		return s
	}
	return parseTree(text, wholeLine(), c)
}

// runsFiles reports whether the command line names files that it runs.
func (s *Script) runsFiles() bool {
	return anyCommand(s, func(c Command) bool {
		return dialect.Queries(c.Name) || s.ranBy(&c) != nil
	})
}

// RunsWritten reports whether the command line runs a file that was written before.
func (s *Script) RunsWritten() bool { return len(s.included) > 0 }

// ranBy returns the files that c may run. Those that a test runner loads are the code that is being
// developed, and none.
func (s *Script) ranBy(c *Command) []string {
	if c.Name == "go" && len(c.Argv) > 1 && c.Argv[1] == "run" { // as a program
		return slices.DeleteFunc(slices.Clone(c.Argv), func(w string) bool {
			return path.Ext(w) != ".go"
		})
	}
	if checkPrograms()[c.Name] || checkPrograms()[c.module()] || runsTests(c) {
		return nil
	}
	files := c.runs()
	if s.finds && c.Name != "" { // the search path may lead to it
		files = append(files, c.Name)
	}
	return files
}

// runsTests reports whether c is node, bun or deno, told to run tests.
func runsTests(c *Command) bool {
	switch c.Name {
	case "bun", "deno":
		return len(c.Argv) > 1 && c.Argv[1] == "test"
	case "node", "nodejs":
		at := slices.IndexFunc(c.Argv[1:], func(w string) bool { return w[:min(1, len(w))] != "-" })
		return contains(c.Argv[1:][:max(at, 0)], "--test") ||
			at < 0 && contains(c.Argv, "--test")
	}
	return false
}

// Executed returns the files that a command executes, as Path.Name: its program, if it is named by
// its path, and the file that an interpreter or a shell runs.
func Executed(c *Command) (files []string) {
	if len(c.Argv) > 0 && c.Static[0] && strings.Contains(c.Argv[0], "/") {
		files = append(files, PathsOf(c, c.Argv[0])...)
	}
	return append(files, PathsOf(c, c.script())...)
}

// afterOptions returns the index of the first argument that is neither an option of one of the
// letters, which may be joined, nor one of those with a value.
func afterOptions(argv []string, letters string, valued ...string) int {
	at := 1
	for ; at < len(argv); at++ {
		o := argv[at]
		i := slices.IndexFunc(valued, func(v string) bool { return strings.HasPrefix(o, v) })
		switch {
		case i >= 0 && o == valued[i]:
			at++
		case i >= 0 || len(o) > 1 && o[0] == '-' && strings.Trim(o[1:], letters) == "":
		default:
			return at
		}
	}
	return at
}

// watching are flags of bun, deno and tsx that do not change what runs.
const watching = "--watch --hot --silent --no-check --no-lock --no-cache -q --quiet"

// compilersOfNode are modules, by their names, that let node run files in other languages.
const compilersOfNode = "tsx tsx/esm tsx/cjs ts-node/register ts-node/esm @swc-node/register " +
	"source-map-support/register esbuild-register"

// script returns the file that an interpreter or a shell runs; "" = none, or unknown.
func (c *Command) script() string {
	at := 1
	switch base := strings.TrimRight(c.Name, "0123456789."); {
	case c.Hides == "file" && isShell(c.Name):
		for at < len(c.Argv) && c.Argv[at] != "--rcfile" && c.Argv[at] != "--init-file" &&
			optionLike(c.Argv[at]) {
			if !strings.HasPrefix(c.Argv[at], "--") {
				at += strings.Count(c.Argv[at], "o") + strings.Count(c.Argv[at], "O")
			}
			at++
		}
	case c.Hides == "file":
	case !scriptRunners()[base]:
		return ""
	case base == "bun" || base == "deno":
		if len(c.Argv) < 2 || c.Argv[1] != "run" && path.Ext(c.Argv[1]) == "" &&
			!has(watching, c.Argv[1]) {
			return ""
		}
		for at < len(c.Argv) && (c.Argv[at] == "run" || has(watching, c.Argv[at]) ||
			strings.HasPrefix(c.Argv[at], "--allow-") || c.Argv[at] == "-A") {
			at++
		}
	case base == "tsx" || base == "ts-node":
		for at < len(c.Argv) && (c.Argv[at] == "watch" || has(watching, c.Argv[at])) {
			at++
		}
	case base == "node" || base == "nodejs":
		for at < len(c.Argv) {
			if has("-r --require --import --loader", c.Argv[at]) && at+1 < len(c.Argv) &&
				has(compilersOfNode, c.Argv[at+1]) {
				at++
			} else if !anyOf(nodeFlags(),
				func(f string) bool { return strings.HasPrefix(c.Argv[at], f) }) {
				break
			}
			at++
		}
		if contains(c.Argv[1:at], "--test") && (at == len(c.Argv) || c.info[at].glob) {
			return "."
		}
	case base == "php":
		for at < len(c.Argv) && c.Argv[at] == "-l" {
			at++
		}
	case base == "python" || base == "pypy":
		at = afterOptions(c.Argv, "uBsEIOqvbdPRSxi", "-X", "-W")
	case base == "perl":
		at = afterOptions(c.Argv, "cwWXtTsnpla")
	case base == "ruby":
		at = afterOptions(c.Argv, "cwWd012v", "-E")
	}
	if at >= len(c.Argv) || c.info[at].glob || len(c.may(at)) != 1 ||
		!c.Static[at] && c.Name != "source" && c.Name != "." {
		return ""
	}
	if file := c.may(at)[0]; !strings.HasPrefix(file, "-") && isFile(file) {
		return file
	}
	return ""
}

// PathsOf returns the paths, as Path.Name, that a file may have whose name is relative to the
// folder in which a command runs; none for "".
func PathsOf(c *Command, file string) (paths []string) {
	switch {
	case file == "":
		return nil
	case rooted(file):
		return []string{file}
	}
	for _, dir := range c.in.now {
		paths = append(paths, within(dir, file))
	}
	return paths
}

// follow parses the files that command number at runs, if they were written before.
func (s *Script) follow(at int) {
	if s.context.Written == nil {
		return
	}
	c := s.Commands[at]
	for _, file := range s.ranBy(&c) {
		for _, dir := range c.in.now {
			name := file
			if !rooted(file) {
				name = within(dir, file)
			}
			if text, ok := s.context.Written(name); ok {
				s.include(at, file, name, text)
			}
		}
	}
}

// include parses a file that command number at runs, once. If it is not one of a shell, the command
// has an unknown part.
func (s *Script) include(at int, file, name, text string) {
	c := s.Commands[at]
	if text == "" || !runsCommands(&c, file, text) {
		s.Commands[at].foreign = true
		s.included = append(s.included, name)
		return
	}
	if contains(s.included, name) {
		return
	}
	s.included = append(s.included, name)
	s.parseText(text, c.origin())
}

// runsCommands reports whether c runs the text of a file as commands of a shell like bash.
func runsCommands(c *Command, file, text string) bool {
	if c.Name == "source" || c.Name == "." || isShell(c.Name) && c.script() == file {
		return otherLanguage(c.Name) == ""
	}
	if file != c.Argv[0] {
		return false
	}
	first, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(first, "#!") { // a shell that fails to execute it reads it itself
		return !strings.Contains(first, "\x00")
	}
	words := strings.Fields(first[2:])
	for len(words) > 0 && (path.Base(words[0]) == "env" || words[0] == "-S") {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	name := path.Base(words[0])
	return isShell(name) && otherLanguage(name) == ""
}

// ProjectFiles returns the names of files, in lower case, that programs run without being told to.
func ProjectFiles() []string {
	all := []string{"index.js", "index.mjs", "index.cjs", "index.ts"} // of a folder that is named
	for _, names := range projectFiles() {
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// queryFile matches the flags and commands of databases that are followed by the name of a file
// with commands.
var queryFile = lazyregexp.New(
	`(?:^-[a-zA-Z0-9]*f|^--file=|^-init|\.read|\\ir?|\bsource|\\\.)\s*([^\s;]*)`)

// queryFiles returns the names of the files whose commands a database runs, as command number at:
// names, and patterns of names.
func queryFiles(s *Script, at int) (names []string) {
	c := &s.Commands[at]
	if c.Open {
		names = append(names, "*")
	}
	for i := 1; i < len(c.Argv); i++ {
		for _, w := range append(c.may(i), onlyNames(c.info[i].found)...) {
			for _, found := range queryFile().FindAllStringSubmatch(w, -1) {
				names = append(names, strings.Trim(found[1], `"'`))
			}
			if queryFile().MatchString(c.Argv[i-1]) || strings.HasSuffix(w, ".sql") {
				names = append(names, w)
			}
		}
	}
	for i := range s.Redirects {
		if r := &s.Redirects[i]; r.Command == at && !r.Writes {
			all := append(slices.Clone(r.info.values), onlyNames(r.info.found)...)
			if r.Path == "" && len(all) == 0 {
				all = []string{"*"}
			}
			names = append(append(names, r.Path), all...)
		}
	}
	for c.sole && c.From >= 0 { // cat x.sql | mysql
		c = &s.Commands[c.From]
		if way, known := fileWays()[c.Name]; !known || way != reads && way != behindOne {
			break
		}
		for i := 1; i < len(c.Argv); i++ {
			names = append(append(names, c.may(i)...), onlyNames(c.info[i].found)...)
		}
	}
	return names
}

// onlyNames returns the names of found files, or patterns of their base names.
func onlyNames(found []Path) (names []string) {
	for _, p := range found {
		if p.Below {
			p.Name = cmp.Or(p.Only, "*")
		}
		names = append(names, p.Name)
	}
	return names
}

// followQueries notes the databases that run the commands of files that were written before, unless
// these run no programs and put no names of files together.
func followQueries(s *Script) {
	for i := range s.Commands {
		c := &s.Commands[i]
		if s.context.Written == nil || !dialect.Queries(c.Name) {
			continue
		}
		for _, name := range queryFiles(s, i) {
			for _, file := range PathsOf(c, name) {
				text, ok := s.context.Written(file)
				if !ok {
					continue
				}
				s.included = append(s.included, file)
				c.foreign = c.foreign || text == "" || dialect.Runs(c.Name, text) ||
					dialect.ComputesName(text)
			}
		}
	}
}

// dumps are programs that write commands for databases.
var dumps = setOf("pg_dump pg_dumpall mysqldump mariadb-dump sqlite3 psql mysql gunzip zcat gzip " +
	"bunzip2 bzcat xzcat zstdcat unzip tar git")

// runsQueries reports whether command number at is a database that runs the commands of a file
// which the line writes with a content that it does not show. shown are the texts of the others.
func (w *wrote) runsQueries(s *Script, at int, shown map[string]string) bool {
	if !dialect.Queries(s.Commands[at].Name) || len(w.made) == 0 {
		return false
	}
	for _, name := range queryFiles(s, at) {
		name = strings.ToLower(path.Base(name))
		hidden := func(made string) bool {
			by := w.by[made]
			return strings.TrimSpace(shown[made]) == "" && (by == nil || !dumps()[by.Name])
		}
		if _, ok := w.made[name]; ok && hidden(name) {
			return true
		}
		if !Pattern(name) && !strings.Contains(name, `\`) {
			continue
		}
		for made := range w.made {
			if fits, err := path.Match(name, made); (fits || err != nil) && hidden(made) {
				return true
			}
		}
	}
	return false
}
