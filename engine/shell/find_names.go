// This file determines which files find and fd pass on.

package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// findTests are tests of find that only narrow what -name selects, and take one word; findPlain
// those that take none.
var (
	findTests = setOf("-name -type -maxdepth -mindepth -mtime -mmin -ctime -atime -size -user " +
		"-path -ipath -wholename -iname -newer -perm -group")
	findPlain = setOf("-print -print0 -delete -empty -a -and -xdev -mount -prune")
)

// only returns the pattern of path.Match that the base names of all files fit that find deletes or
// passes to a program. ok is false if it may act on others: then no single -name stands before its
// actions, or there are other tests.
func (c *Command) only() (pattern string, ok bool) {
	i := findFlags(c.Argv)
	for i < len(c.Argv) && !strings.HasPrefix(c.Argv[i], "-") && c.Argv[i] != "!" {
		if c.Argv[i] == "(" || c.Argv[i] == "," {
			return "", false
		}
		i++
	}
	for ; i < len(c.Argv); i++ {
		w := c.Argv[i]
		switch {
		case !c.Static[i] || c.info[i].glob:
			return "", false
		case (w == "!" || w == "-not") && i+2 < len(c.Argv) && findTests()[c.Argv[i+1]] &&
			c.Static[i+1] && c.Static[i+2] && !c.info[i+2].glob: // it narrows them, too
			i += 2
		case findTests()[w]:
			if i++; i == len(c.Argv) || !c.Static[i] || c.info[i].glob ||
				w == "-name" && pattern != "" {
				return "", false
			}
			if w == "-name" {
				if pattern, ok = GoPattern(c.Argv[i]); !ok || pattern == "" {
					return "", false
				}
			}
		case pattern == "": // before an action
			return "", false
		case w == "-exec":
			end := i + 1
			for end < len(c.Argv) && c.Argv[end] != ";" && c.Argv[end] != "+" {
				end++
			}
			i = end
		case !findPlain()[w]:
			return "", false
		}
	}
	_, err := path.Match(pattern, "")
	return pattern, pattern != "" && err == nil && !c.Open
}

// alternatives returns the files for which find runs its only command, at the end of its words, if
// their names fit one of several patterns; nil = they are not known.
func alternatives(c *Command) []Path {
	at := slices.IndexFunc(c.Argv, runsFound)
	if at < 1 || c.Argv[at] != "-exec" || c.Open || unknownIn(c.Static[:at]) ||
		slices.IndexFunc(c.Argv[at:], func(w string) bool { return w == ";" || w == "+" }) !=
			len(c.Argv)-1-at {
		return nil
	}
	tests := c.part(0, at)
	if all, ok := namedFiles(&tests); ok {
		return all
	}
	return nil
}

// fdExec returns the index of the flag of fd behind which a command follows, 0 if there is none.
func fdExec(c *Command) int {
	for i, w := range c.Argv {
		if i > 0 && (spells(w, "-x") || spells(w, "-X") || spells(w, "--exec") ||
			spells(w, "--exec-batch")) {
			return i
		}
	}
	return 0
}

// fdCommands returns the command that fd runs for the files that it finds.
func fdCommands(c *Command) []Command {
	at := fdExec(c)
	end := at + 1
	for end < len(c.Argv) && c.Argv[end] != ";" {
		end++
	}
	if at == 0 || end == at+1 {
		return nil
	}
	one, files := c.part(at+1, end), fdFiles(c)
	if !anyOf(one.Argv, func(w string) bool { return strings.Contains(w, "{") }) {
		one.Argv = append(one.Argv, "{}")
		one.Static, one.info = append(one.Static, false), append(one.info, word{})
	}
	one.markUnknown("{")
	for i, w := range one.Argv {
		if w == "{}" {
			one.info[i].found = []Path{files}
		}
	}
	return []Command{one}
}

// fdFiles returns the files that fd passes to a command: all below the folder, or those with an
// extension. It leaves out hidden ones, unless a flag says otherwise.
func fdFiles(c *Command) Path {
	out := Path{Name: ".", Below: true, Only: "[^.]*"}
	at, over := fdExec(c), false
	for i, w := range c.Argv {
		switch over = over || w == ";"; {
		case i == 0 || i > at && !over: // words of the command
		case spells(w, "-H") || spells(w, "-u") || spells(w, "--hidden") ||
			spells(w, "--unrestricted"):
			out.Only = ""
		case w == "-e" || w == "--extension":
			if out.Only == "[^.]*" && i+1 < len(c.Argv) && c.Static[i+1] && !Pattern(c.Argv[i+1]) {
				out.Only = "*." + strings.TrimPrefix(c.Argv[i+1], ".")
			}
		}
	}
	return out
}

// fd adds the files that fd passes to a command. Without one it lists names.
func (o *operands) fd() {
	at := fdExec(o.c)
	if at == 0 {
		return
	}
	files := fdFiles(o.c)
	o.f.addPath(o.c.in, files)
	for i, w := range o.c.Argv[1:at] { // it may search other folders
		if !o.c.Static[i+1] || rooted(w) || strings.HasPrefix(path.Clean(w), "..") {
			o.f.unknown(true, folder, w)
		}
	}
	if strings.Contains(o.c.Argv[at], "=") || len(o.c.Argv[at]) > 2 && !strings.HasPrefix(
		o.c.Argv[at], "--") && !strings.HasSuffix(strings.ToLower(o.c.Argv[at]), "x") {
		o.f.unknown(true, dynamicWord, o.c.Argv[at]) // the command is in the same word
	}
}

// plainXargs reports whether xargs passes on to c what it reads from its standard input, split at
// blanks, line ends or zero bytes, and returns the word that it replaces with that; "" = none.
func plainXargs(all []Command, c *Command) (mark string, ok bool) {
	for _, x := range all {
		at := len(x.Argv) - len(c.Argv)
		if x.Name != "xargs" || at < 1 || !slices.Equal(x.Argv[at:], c.Argv) {
			continue // it runs another command
		}
		for at > 2 && contains(bareLaunchers, x.Argv[at-1]) {
			at--
		}
		one, plain := xargsMark(x.Argv[1:at])
		if !plain || unknownIn(x.Static[:at]) || ok && one != mark {
			return "", false
		}
		mark, ok = one, true
	}
	return mark, ok
}

// xargsMark returns the word that xargs replaces, given its flags; "" = none. ok is false if it
// does not split what it reads in the usual way.
func xargsMark(flags []string) (mark string, ok bool) {
	for i, w := range flags {
		one, is := strings.CutPrefix(w, "-I")
		switch {
		case is && one == "" && i+1 < len(flags):
			mark = flags[i+1]
		case is:
			mark = one
		case i > 0 && flags[i-1] == "-I":
		case !plainXargsFlag().MatchString(w):
			return "", false
		}
	}
	return mark, true
}

// plainXargsFlag matches the flags with which it does so, and their numbers.
var plainXargsFlag = lazyregexp.New(
	`^(-[0rt]+|-[nPL]\d*|\d+|--null|--no-run-if-empty|--max-(args|procs|lines)=\d+)$`)

// namedFiles returns the files whose names find prints: for each place and each pattern of -name.
// ok is false if it may print others.
func namedFiles(c *Command) (all []Path, ok bool) {
	first := findFlags(c.Argv)
	at := first
	for at < len(c.Argv) && !isTest(c.Argv[at]) {
		at++
	}
	for i, w := range c.Argv {
		if c.info[i].glob || i < first && w == "-L" || w == "-f" {
			return nil, false
		}
	}
	e := &findExpression{argv: c.Argv[at:], all: c.Argv,
		prints: contains(c.Argv, "-print") || contains(c.Argv, "-print0")}
	if !e.group() || len(e.argv) > 0 {
		return nil, false
	}
	places := []string{"."}
	if at > first {
		places = nil
		for i := first; i < at; i++ {
			places = append(places, c.info[i].home(c.Argv[i]))
		}
	}
	files := len(e.patterns) == 1 && strings.Contains(strings.Join(e.all, "\n"), "\n-type\nf") &&
		!anyOf(e.all, func(w string) bool { return w == "!" || w == "-not" })
	for _, place := range places {
		for _, only := range e.patterns {
			all = append(all, Path{Name: place, Below: true, Only: only, Files: files})
		}
	}
	return all, true
}

// findExpression is the rest of the expression of a find that runs no commands.
type findExpression struct {
	argv     []string // what is left of all
	all      []string
	patterns []string // of -name
	prints   bool     // it prints only where it says so
	inside   bool     // in parentheses
}

// group reads alternatives up to a closing parenthesis. It returns false if one of them is not
// known. One that may select files of all names adds the pattern *.
func (e *findExpression) group() bool {
	for {
		named, prunes, printed := false, false, false
		for len(e.argv) > 0 && e.argv[0] != ")" && e.argv[0] != "-o" && e.argv[0] != "-or" {
			w := e.argv[0]
			e.argv = e.argv[1:]
			not := w == "!" || w == "-not"
			if not && len(e.argv) > 0 {
				w, e.argv = e.argv[0], e.argv[1:]
			}
			before := len(e.patterns)
			one, ok := e.test(w)
			if !ok {
				return false
			}
			if not {
				e.patterns = e.patterns[:before]
			}
			named, prunes = named || one && !not, prunes || w == "-prune"
			printed = printed || strings.HasPrefix(w, "-print")
		}
		if !named && !(prunes && e.prints && !printed && !e.inside) {
			e.patterns = append(e.patterns, "*")
		}
		if len(e.argv) == 0 || e.argv[0] == ")" {
			return true
		}
		e.argv = e.argv[1:]
	}
}

// test reads one test or action. named reports that only files whose names fit the patterns pass.
func (e *findExpression) test(w string) (named, ok bool) {
	switch {
	case w == "(":
		outer := e.inside
		e.inside = true // what is pruned in parentheses may be printed after them
		if ok := e.group(); !ok || len(e.argv) == 0 {
			return false, false
		}
		e.inside = outer
		e.argv = e.argv[1:]
		return true, true
	case w == "-prune" || w != "-delete" && findPlain()[w]:
		return false, true
	case len(e.argv) == 0:
		return false, false
	}
	value := e.argv[0]
	e.argv = e.argv[1:]
	if w != "-name" {
		return false, findTests()[w] || w == "-path" || w == "-wholename" || w == "-newermt"
	}
	pattern, ok := GoPattern(value)
	if _, err := path.Match(pattern, ""); !ok || err != nil || pattern == "" {
		return false, false
	}
	e.patterns = append(e.patterns, pattern)
	return true, true
}

// fromList returns the files that find or git names to a command of xargs, and the word that they
// replace; "" = they follow the others. ok is false if others may be among them.
func fromList(s *Script, c *Command) (all []Path, mark string, ok bool) {
	listed := false // otherwise From is the place of a command in another list
	for i := range s.Commands {
		listed = listed || &s.Commands[i] == c
	}
	if !listed || !viaXargs(c) || !c.sole || c.From < 0 ||
		c.in.lost {
		return nil, "", false
	}
	from := &s.Commands[c.From]
	for from.sole && from.From >= 0 && !from.Open && len(from.Assign) == 0 &&
		!unknownIn(from.Static) && narrows(from.Argv) {
		from = &s.Commands[from.From]
	}
	if all, ok = listsNames(s, from); !ok || !slices.Equal(from.in.now, c.in.now) {
		return nil, "", false
	}
	mark, ok = plainXargs(s.Commands, c)
	return all, mark, ok
}

// bareLaunchers are launchers without words of their own.
var bareLaunchers = []string{"npx", "bunx", "pnpx", "uvx"}

// viaXargs reports whether xargs runs a command, by itself or by a program such as npx.
func viaXargs(c *Command) bool {
	at := len(c.Via) - 1
	for at > 0 && contains(bareLaunchers, c.Via[at]) {
		at--
	}
	return at >= 0 && c.Via[at] == "xargs"
}

// replaced returns a command of xargs with the files that replace a word of it; c itself if there
// is no such word, or other files may replace it.
func (f *finder) replaced(c *Command) *Command {
	all, mark, ok := fromList(f.s, c)
	if !ok || mark == "" {
		return c
	}
	one := *c
	one.info, one.Open = slices.Clone(c.info), false
	replaces := false
	for i, w := range c.Argv {
		switch {
		case w == mark && i > 0:
			one.info[i].found, replaces = all, true
		case strings.Contains(w, mark):
			return c
		}
	}
	if !replaces {
		return c
	}
	return &one
}

// unknownProgram adds the words of a command whose program is not known, and what is listed for it.
func (f *finder) unknownProgram(c *Command) {
	if c.launches() > 0 {
		f.maybes(c)
	}
	f.maybes(f.withListed(c))
}

// withListed returns a command of xargs, without npx or the like, with the files that another
// program lists for it as its last word; c itself if they are not known.
func (f *finder) withListed(c *Command) *Command {
	all, mark, ok := fromList(f.s, c)
	if !ok && viaXargs(c) && c.sole && c.From >= 0 {
		from := &f.s.Commands[c.From]
		for from.sole && from.From >= 0 && narrows(from.Argv) {
			from = &f.s.Commands[from.From]
		}
		for _, w := range from.Argv {
			switch {
			case from.Name != "ls" || w == "ls":
			case !strings.HasPrefix(w, "-"): // as ls gets it
				all = append(all, Path{Name: w, Pattern: Pattern(w)})
			case strings.ContainsAny(w, "aA"):
				all = append(all, Path{Name: ".", Below: true, Only: "*"})
			}
		}
		ok = len(all) > 0
	}
	if !ok || mark != "" {
		return c
	}
	one := c.part(max(0, c.launches()), len(c.Argv))
	if one.Name = c.Name; c.launches() > 0 {
		one.Name = one.Argv[0]
	}
	one.Argv, one.Static = append(slices.Clone(one.Argv), "{}"),
		append(slices.Clone(one.Static), false)
	one.info = append(slices.Clone(one.info), word{found: all})
	return &one
}

// getsRevision reports whether xargs passes to c, which is git, only the name of a revision that
// git prints.
func getsRevision(s *Script, c *Command) bool {
	if c.Name != "git" || !c.sole || c.From < 0 || s.shadows() || len(c.Via) == 0 ||
		c.Via[len(c.Via)-1] != "xargs" || !has("diff log show", c.sorted().sub) {
		return false
	}
	from := &s.Commands[c.From]
	if from.Open || len(from.Assign) > 0 || unknownIn(from.Static) || len(from.Argv) < 2 {
		return false
	}
	mark, ok := plainXargs(s.Commands, c)
	text, prints := plainOutputOf(from.Argv, false)
	return ok && mark == "" && prints && text == gitName && from.Argv[0] == "git"
}

// listsMembers matches the words of tar with which it lists what archives contain.
var listsMembers = lazyregexp.New(`^-?[tvzjJ]*t[tvzjJ]*f$`)

// piped adds the files that find or git names to a command of xargs, which are the rest of its
// words. It returns false if others may be among them.
func piped(o *operands, way how) bool {
	all, mark, ok := fromList(o.f.s, o.c)
	usual := slices.Contains([]how{reads, writes, behindOne, likeSed, rewrites}, way)
	usual = usual || way == likeTar && listsMembers().MatchString(strings.Join(o.c.Argv[1:], " "))
	if !ok || mark != "" || !usual ||
		o.a.has(o.c, "recursive") == yes || o.a.has(o.c, "r") == yes || o.a.has(o.c, "R") == yes {
		return false
	}
	for _, p := range all {
		p.Writes = way == writes || way == rewrites ||
			way == likeSed && o.a.has(o.c, "in-place") != no
		if way != writes {
			read := p
			read.Writes = false
			o.f.addPath(o.c.in, read)
		}
		if p.Writes {
			o.f.addPath(o.c.in, p)
		}
	}
	return true
}
