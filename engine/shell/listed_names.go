// This file determines the files whose names other programs list for a command: git, find, grep, rg
// and ls.

package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

// listsNames returns the files whose names a command prints, as its only output. ok is false if it
// may print something else.
func listsNames(s *Script, c *Command) (all []Path, ok bool) {
	if s.shadows() || c.in.lost || c.Open || len(c.Assign) > 0 ||
		unknownIn(c.Static) {
		return nil, false
	}
	all, ok = listedNames(c)
	return all, ok && (c.Name != "git" || !changesIndex(s))
}

// listedNames is listsNames for a command whose words are all known: of find, git, grep and rg.
func listedNames(c *Command) (all []Path, ok bool) {
	switch c.Name {
	case "git":
		p, ok := gitLists(c.Argv)
		return []Path{p}, ok
	case "find":
		all, ok = namedFiles(c)
	case "grep", "egrep", "fgrep", "rg":
		all, ok = namedMatches(c)
	case "ls":
		all, ok = shownNames(c)
	}
	for i := range all {
		all[i].Word, all[i].Split = c.Text, true
	}
	return all, ok
}

// listers are the programs that listedNames knows.
var listers = setOf("git find grep egrep fgrep rg ls")

// searchFlags matches the flags of grep -l and rg -l that change only what is searched for, and
// those that narrow where; searchValues those of them that the next word belongs to.
var searchFlags = lazyregexp.New(`^(-[lLriIwxEFPnsvZ]+|--null|-[eg]|-t\w*|--type|--glob|` +
	`--(files(-with-matches|-without-match)?|recursive|ignore-case|word-regexp|` +
	`(fixed-string|extended-regexp|perl-regexp)s?|include=.*|exclude(-dir)?=.*|` +
	`type=\w+|glob=.*|color=never))$`)

// namedMatches returns the files among which grep -l or rg -l finds those whose names it prints.
func namedMatches(c *Command) (all []Path, ok bool) {
	// a file with what rg ignores may also tell it to search hidden files
	only, deep, lists, given := "*", c.Name == "rg", false, false
	var operands []string
	for i := 1; i < len(c.Argv); i++ {
		w := c.Argv[i]
		switch {
		case c.info[i].glob && !strings.HasPrefix(w, "--include=") &&
			!strings.HasPrefix(w, "--exclude"):
			return nil, false
		case len(w) < 2 || w[0] != '-':
			operands = append(operands, c.info[i].home(w))
		case !searchFlags().MatchString(w), c.Name == "rg" && w[1] != '-' && w[1] != 't' &&
			strings.ContainsAny(w, "rELIsvn"): // they have values, or follow links
			return nil, false
		case w == "-e" || w == "-g" || w == "-t" || w == "--type" || w == "--glob":
			given = given || w == "-e"
			if i++; w[len(w)-1] == 'g' || w == "--glob" {
				narrow := only == "*" && i < len(c.Argv) && endingPattern().MatchString(c.Argv[i])
				if only = "?*"; narrow {
					only = c.Argv[i]
				}
			}
		case w == "--files":
			lists, given = true, true
		case strings.HasPrefix(w, "--include="):
			pattern, ok := GoPattern(strings.TrimPrefix(w, "--include="))
			if _, err := path.Match(pattern, ""); ok && err == nil && only == "*" {
				only = pattern
			} else {
				only = "?*"
			}
		case strings.HasPrefix(w, "--files-with"):
			lists = true
		case w == "--recursive":
			deep = true
		case w[1] != '-' && w[1] != 't':
			deep = deep || strings.Contains(w, "r")
			lists = lists || strings.ContainsAny(w, "lL")
		}
	}
	if !given {
		operands = operands[min(1, len(operands)):]
	}
	if len(operands) == 0 && deep {
		operands = []string{"."}
	}
	for _, place := range operands {
		all = append(all, Path{Name: place, Below: deep, Only: only, Files: true})
	}
	return all, lists && len(all) > 0
}

// shownNames returns the files whose names ls prints: those in the current folder, or those that
// patterns match.
func shownNames(c *Command) (all []Path, ok bool) {
	for i, w := range c.Argv[1:] {
		switch {
		case c.info[i+1].glob:
			all = append(all, Path{Name: c.info[i+1].home(w), Pattern: true})
		case len(w) < 2 || w[0] != '-' || strings.Trim(w[1:], "1trSXUvc") != "":
			return nil, false
		}
	}
	if all == nil {
		all = []Path{{Name: ".", Below: true, Only: "[^.]*"}}
	}
	return all, true
}

// narrows reports whether a command prints some of the lines that it reads, and nothing else.
func narrows(all []string) bool {
	if len(all) < 2 || all[0] != "grep" && all[0] != "egrep" {
		return passes(all)
	}
	operands := 0
	for i, w := range all[1:] {
		switch {
		case w == "" || w[0] != '-':
			operands++
		case w == "-e" && i+2 < len(all): // its value is counted
		case strings.Trim(w[1:], "vEFiwxP") != "":
			return false
		}
	}
	return operands == 1
}

// gitLists returns the files whose names a command of git prints, as its only output. ok is false
// if it prints something else, or is not known.
func gitLists(argv []string) (p Path, ok bool) {
	if len(argv) < 2 || argv[0] != "git" || argv[1] != "ls-files" && argv[1] != "diff" &&
		argv[1] != "grep" {
		return Path{}, false
	}
	p = Path{Name: ".", Below: true, Tracked: true, FromRoot: argv[1] == "diff",
		Word: strings.Join(argv, " ")}
	names, revisions, operands, over := argv[1] == "ls-files", false, 0, false
	var kept []string
	for _, w := range argv[2:] {
		switch {
		case strings.HasPrefix(w, ":") || strings.HasPrefix(w, "/") ||
			strings.Contains(w, "..") && (over || !revisionRange().MatchString(w)):
			return Path{}, false // elsewhere
		case over:
			kept = append(kept, w)
		case w == "--":
			over = true
		case w == "" || w[0] != '-':
			operands++
		case w == "-z":
		case argv[1] == "ls-files" && (w == "-o" || w == "--others" ||
			w == "--exclude-standard"):
			p.Tracked = p.Tracked && w == "--exclude-standard"
		case argv[1] == "ls-files" && contains([]string{"-c", "--cached", "-m", "--modified",
			"-d", "--deleted"}, w):
		case argv[1] == "diff" && w == "--name-only":
			names = true
		case argv[1] == "diff" && (w == "--cached" || w == "--staged"):
			revisions = true
		case argv[1] == "diff" && strings.HasPrefix(w, "--diff-filter="):
		case argv[1] == "grep" && (w == "--files-with-matches" || w == "--name-only"):
			names = true
		case argv[1] == "grep" && strings.Trim(w[1:], "lizwEFnIPva") == "":
			names = names || strings.Contains(w, "l")
		default:
			return Path{}, false
		}
	}
	switch {
	case argv[1] == "grep":
		names = names && operands == 1
	case argv[1] == "diff" && (operands > 0 || revisions):
		// also files that were tracked before, or are elsewhere
		p.Tracked, p.Only = false, "*"
		if len(kept) == 1 && endingPattern().MatchString(kept[0]) {
			p.Only = kept[0]
		}
	}
	return p, names
}

// revisionRange matches two revisions, and endingPattern all names with an ending.
var (
	revisionRange = lazyregexp.New(`^\w[\w/~^-]*\.\.\.?\w[\w/~^-]*$`)
	endingPattern = lazyregexp.New(`^\*\.\w+$`)
)

// listedWord returns the files whose names a word stands for that consists of a substitution; nil
// if it may stand for something else.
func listedWord(w *walker, text *syntax.Word) []Path {
	if len(text.Parts) != 1 || w.o.in == nil {
		return nil
	}
	part := text.Parts[0]
	quoted, is := part.(*syntax.DblQuoted)
	if is && len(quoted.Parts) == 1 && !quoted.Dollar {
		part = quoted.Parts[0]
	}
	n, ok := part.(*syntax.CmdSubst)
	if !ok || len(n.Stmts) != 1 || is && !printsOneLine(n.Stmts[0]) {
		return nil
	}
	return listedBy(w, n.Stmts[0], false)
}

// printsOneLine reports whether a pipe ends with a command that passes on a single line.
func printsOneLine(n *syntax.Stmt) bool {
	pipe, ok := n.Cmd.(*syntax.BinaryCmd)
	return ok && pipe.Op == syntax.Pipe && len(n.Redirs) == 0 &&
		oneLine().MatchString(strings.Join(words(pipe.Y), " "))
}

// oneLine matches such commands.
var oneLine = lazyregexp.New(`^(head|tail) (-1|-n ?1)$`)

// listedBy returns the files whose names a statement prints; nil if it may print something else.
// zero: each name ends with a zero byte.
func listedBy(w *walker, n *syntax.Stmt, zero bool) []Path {
	if !listers()[firstWord(n)] {
		return nil
	}
	first, ok := firstOfPipe(n, narrows)
	if !ok {
		return nil
	}
	call, c := plainCall(first), &Command{Text: w.source(first)}
	if call == nil || slices.ContainsFunc(call.Args, func(arg *syntax.Word) bool {
		return !static(arg.Parts) || w.words(c, arg) != nil
	}) || len(c.Argv) == 0 || unknownIn(c.Static) {
		return nil
	}
	c.Name = c.Argv[0]
	zeros := anyOf(c.Argv[1:], func(w string) bool {
		return w == "-z" || w == "-print0" || w == "-0" || w == "--null" ||
			strings.HasSuffix(c.Name, "grep") && len(w) > 1 && w[0] == '-' && w[1] != '-' &&
				strings.Contains(w, "Z")
	})
	if all, ok := listedNames(c); ok && zeros == zero {
		return all
	}
	return nil
}

// readsNames records, for the read of a while loop, the files whose names a command writes to it,
// one at a time: none if they are names of commits.
func readsNames(w *walker, from, to *syntax.Stmt) {
	loop, ok := to.Cmd.(*syntax.WhileClause)
	if !ok || loop.Until || len(loop.Cond) != 1 || len(to.Redirs)+len(loop.Cond[0].Redirs) > 0 {
		return
	}
	call, ok := loop.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || len(call.Assigns) > 1 || len(call.Assigns) == 1 &&
		!emptiesIFS(call.Assigns[0]) {
		return
	}
	zero := false
	for i, arg := range call.Args {
		text, ok := plainText(arg.Parts, false)
		switch {
		case !ok, i == 0 && text != "read", i == len(call.Args)-1 &&
			(!syntax.ValidName(text) || text != strings.ToLower(text)):
			return
		case i == 0 || i == len(call.Args)-1 || text == "-r":
		case (text == "-d" || text == "-rd") && !zero:
			zero = true
		case text != "" || !zero:
			return
		}
	}
	all := listedBy(w, from, zero)
	if all == nil && !zero && (printsCommits(from) || printsServices(from)) {
		all = []Path{}
	}
	if all != nil {
		if w.reads == nil {
			w.reads = map[*syntax.CallExpr][]Path{}
		}
		w.reads[call] = all
	}
}

// emptiesIFS reports whether an assignment is IFS=.
func emptiesIFS(a *syntax.Assign) bool {
	if a.Name == nil || a.Name.Value != "IFS" || a.Naked || a.Append || a.Array != nil {
		return false
	}
	if a.Value == nil {
		return true
	}
	text, ok := plainText(a.Value.Parts, false)
	return ok && text == ""
}

// resolveFound finds the files that words name which contain a variable with the names of files.
func (s *Script) resolveFound() {
	sure := !s.vars.blind && !s.ifs && !s.shadows() && !changesIndex(s)
	// the names may be used in another folder
	moves := anyCommand(s, func(c Command) bool {
		return contains([]string{"cd", "pushd", "popd"}, c.Name)
	})
	resolve := func(all []word) {
		for j := range all {
			info := &all[j]
			if len(info.pieces) == 1 && info.found == nil && info.pieces[0].op == 0 &&
				info.pieces[0].part == "" {
				v := s.vars.held[info.pieces[0].name]
				if v != nil && !moves && !v.open && len(v.values) == 0 {
					info.found = v.found
				}
			}
			if info.listed() && !sure {
				info.found = nil
			}
			if sure && !moves && info.found == nil && info.values == nil && info.shapes == nil {
				info.shapes = s.vars.foundShapes(info.pieces)
			}
		}
	}
	for i := range s.Commands {
		resolve(s.Commands[i].info)
	}
	for i := range s.Redirects {
		one := []word{s.Redirects[i].info}
		resolve(one)
		s.Redirects[i].info.found = one[0].found
	}
}

// foundShapes returns the possible texts of pieces of which one is a name that find finds by its
// ending: "${1%.js}.ts"; nil = they are not known.
func (v *variables) foundShapes(pieces []piece) []string {
	out, named := "", false
	for _, p := range pieces {
		held := v.held[p.name]
		switch {
		case p.name == "":
			out += p.text
			continue
		case held == nil || held.open || len(held.values) > 0 || len(held.found) != 1 ||
			p.naked && p.name != insertedName:
			return nil
		}
		one := held.found[0]
		ending, ok := strings.CutPrefix(one.Only, "*")
		shape := path.Join(one.Name, glob.Unknown+ending)
		if one.Pattern { // of names, as ls prints them
			ok = one.Only == "" && strings.Count(one.Name, "*") == 1
			shape = strings.Replace(one.Name, "*", glob.Unknown, 1)
		}
		if !ok || Pattern(shape) || one.Tracked || one.FromRoot {
			return nil
		}
		switch {
		case strings.Contains(p.part, "dirname"):
			return nil
		case p.part != "":
			shape = path.Base(shape)
		}
		if p.op == syntax.RemSmallSuffix && !strings.Contains(p.arg, "*") {
			shape, ok = strings.CutSuffix(shape, p.arg)
		} else {
			ok = p.op == 0
		}
		if named = true; !ok {
			return nil
		}
		out += shape
	}
	if !named {
		return nil
	}
	return []string{out}
}

// changesIndex reports whether the line may change which files git lists.
func changesIndex(s *Script) bool {
	return anyCommand(s, func(c Command) bool {
		if programName(c.Name) != "git" {
			return false
		}
		sub := c.sorted().sub
		return !readingGit()[sub] && sub != "diff"
	}) || movesGit(s.Commands) != "" || runsUnknown(s)
}

// runsUnknown reports whether the line, before it lists files, runs a program that may change
// anything, or unpacks files.
func runsUnknown(s *Script) bool {
	for i := range s.Commands {
		c := &s.Commands[i]
		a := c.sorted()
		if slices.ContainsFunc(c.info, word.listed) {
			continue // it runs after the command that lists them
		}
		if _, ok := listedNames(c); ok && !unknownIn(c.Static) {
			return false
		}
		way, known := fileWays()[a.program]
		if len(c.Argv) > 0 && (mayUnpack(c) || !known && runsCode(c, a, way)) {
			return true
		}
	}
	return false
}
