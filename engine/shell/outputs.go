// This file determines what is known about the text that a substitution stands for, and about the
// names that git lists for other programs.

package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/glob"
)

// gitName stands, in a value, for the name of a branch, a tag or a commit, or for a date: it begins
// with no -, and has no blanks. glob.Unknown stands for a text that is no path.
const gitName = "\x01"

// partlyUnknown reports whether one of them is in a value.
func partlyUnknown(value string) bool { return strings.ContainsAny(value, glob.Unknown+gitName) }

// plainOutputs are programs that print numbers, and names of the system, of commits and of
// containers, with expressions for their other words, and what stands for the output.
var plainOutputs = sync.OnceValue(func() []plainOutput {
	const number, reference = `-?[0-9]+(\.[0-9]+)?`, `HEAD|@|@\{u\}|[a-z]\w*`
	var out []plainOutput
	for _, row := range [][3]string{
		{"nproc id whoami uname hostname arch", `-[a-z]+|--[a-z-]+`},
		{"getconf", `_?NPROCESSORS_\w+`}, {"seq", number + `|-w|-s.?`},
		{"expr", number + `|[-+*/%()<>=|&]`},
		{"date", `\+%-?[dFHIjmMNsSTuUVwWyYGg]([-_:TZ]|%-?[dFHIjmMNsSTuUVwWyYGg])*`, gitName},
		{"date", `-u|-R|-I[a-z]*|-d|--date=.*|[^-+].*|` +
			`\+([-_:TZ]|%[-_0]?[aAbBdFHIjmMNpPsSTuUVwWyYzZGgkl])+`},
		{"git:rev-parse", `--(abbrev-ref|short(=\d+)?|verify|quiet|symbolic-full-name)|-q|` +
			reference, gitName},
		{"git:describe", `--(tags|always|abbrev=\d+|exact-match)|HEAD`, gitName},
		{"git:symbolic-ref", `--short|-q|--quiet|HEAD`, gitName},
		{"git:branch", `--show-current`, gitName},
		{"git:branch git:tag", `--format=%\((refname|objectname)(:short)?\)|-l|--list|--sort=.*|` +
			`--merged|--no-merged|--points-at|` + reference},
		{"git:merge-base", reference + `|origin/\w+`},
		{"git:rev-list", `--count|--all|HEAD|[\w/]+\.\.\.?[\w/]+|` + reference},
		{"docker:ps docker:images podman:ps podman:images", `-[aql]+|--quiet|--all|-f|--filter|` +
			`--filter=.*|\w[\w-]*=[^/.]*|--format|--format=.*|` +
			`(\{\{\.(ID|Names|Repository|Tag|Status)\}\}|[: ])+|[\w-]+`},
		{"kubectl:get", `\w[\w,-]*|-[nl]|-A|-o|-oname|[\w-]+=[\w-]+|` +
			`jsonpath=\{(\.items\[(\*|\d+)\])?\.metadata\.name\}`},
		{"gh:run gh:pr", `list|view|-L|--limit|--branch|-b|-w|--workflow|--status|-s|--json|-q|` +
			`--jq|--\w+=\w+|\w+|\.?(\[\d*\])?\.(number|id|databaseId|status|state|conclusion)`},
		{"go:list", `\./\.\.\.`},
	} {
		text := row[2]
		if text == "" {
			text = glob.Unknown
		}
		words := regexp.MustCompile(`^(` + row[1] + `)$`)
		for name := range strings.FieldsSeq(row[0]) {
			program, sub, _ := strings.Cut(name, ":")
			out = append(out, plainOutput{program, sub, words, text})
		}
	}
	return out
})

// plainOutput is a row of the table.
type plainOutput struct {
	program, sub string
	words        *regexp.Regexp
	text         string
}

// passing are programs that pass on lines of what they read.
var passing = setOf("head tail sort uniq tac")

// outputOf returns what stands, in values, for the output of a substitution, without the line end;
// ok is false if that may be anything.
func outputOf(n *syntax.CmdSubst) (text string, ok bool) {
	if len(n.Stmts) != 1 {
		return "", false
	}
	first := n.Stmts[0]
	for pipe, is := first.Cmd.(*syntax.BinaryCmd); is; pipe, is = first.Cmd.(*syntax.BinaryCmd) {
		if pipe.Op != syntax.Pipe || len(first.Redirs) > 0 || !passes(words(pipe.Y)) {
			return "", false
		}
		first = pipe.X
	}
	all := words(first)
	switch {
	case len(all) == 0:
		return "", false
	case all[0] == "mktemp":
		return tempFile(all[1:])
	}
	return plainOutputOf(all)
}

// output is outputOf as a piece of a word, also for pwd.
func (w *walker) output(n *syntax.CmdSubst) (out []piece, ok bool) {
	if len(n.Stmts) == 1 && slices.Equal(words(n.Stmts[0]), []string{"pwd"}) {
		switch start := w.o.in != nil && w.o.in.isStart(); {
		case start && inherits(w, "PWD") && w.s.context.Dir != "":
			return []piece{{text: w.s.context.Dir, output: true}}, true
		case start:
			return []piece{{text: ".", output: true}}, true
		}
		return nil, false
	}
	text, ok := outputOf(n)
	if name, temp := strings.CutPrefix(text, "/tmp"); temp && name == defaultTemp {
		if !inherits(w, "TMPDIR") {
			return nil, false
		}
		folder := piece{name: "TMPDIR", early: true, op: syntax.DefaultUnsetOrNull, arg: "/tmp"}
		out, text = []piece{folder}, name
	}
	return append(out, piece{text: text, output: true}), ok
}

// defaultTemp is the name that mktemp gives to a file in the folder for temporary files.
const defaultTemp = "/tmp.XXXXXXXXXX"

// shadows reports whether the name of a program may mean something else in the line.
func (s *Script) shadows() bool {
	return s.finds || len(s.functions) > 0 || s.vars.blind ||
		slices.Contains(s.vars.changed, "PATH")
}

// words returns the words of a simple command; nil if one is not static.
func words(n *syntax.Stmt) (out []string) {
	call, ok := n.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || n.Background || slices.ContainsFunc(n.Redirs,
		func(r *syntax.Redirect) bool { return r.N == nil || r.N.Value != "2" }) {
		return nil
	}
	for _, w := range call.Args {
		text, ok := plainText(w.Parts, false)
		if !ok || unquotedMeta(w.Lit()) >= 0 || braced(w) {
			return nil
		}
		out = append(out, text)
	}
	return out
}

// passes reports whether a command passes on lines of what it reads.
func passes(all []string) bool {
	return len(all) > 0 && passing()[all[0]] && !slices.ContainsFunc(all[1:], func(w string) bool {
		return strings.Trim(w, "0123456789") != "" && (strings.HasPrefix(w, "--") || w == "" ||
			w[0] != '-' || len(w) < 2 || strings.Trim(w[1:], "0123456789nrukV") != "")
	})
}

// plainOutputOf returns what stands for the output of a program of the table.
func plainOutputOf(all []string) (text string, ok bool) {
	for _, row := range plainOutputs() {
		words := all[1:]
		if row.program != all[0] || row.text == gitName && len(words) == 0 ||
			row.sub != "" && (len(words) == 0 || words[0] != row.sub) {
			continue
		}
		if row.sub != "" {
			words = words[1:]
		}
		if tellsNames(all) && !slices.ContainsFunc(words,
			func(w string) bool { return !row.words.MatchString(w) }) {
			return row.text, true
		}
	}
	return "", false
}

// tellsNames reports whether a program of the table is told to print names, and not a table or
// other texts.
func tellsNames(all []string) bool {
	line := strings.Join(all, " ")
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(line, p) })
	}
	switch all[0] {
	case "docker", "podman":
		return has(" -q", " -aq", " -lq", " --quiet", "{{")
	case "kubectl":
		return has("-o name", "-oname", "jsonpath=")
	case "gh":
		return has(" -q .", " --jq .") && has(" --json ")
	case "git":
		return all[1] != "branch" && all[1] != "rev-list" ||
			has("--show-current", "--format=", "--count")
	}
	return true
}

func letterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// tempFile returns the name of the file that mktemp creates, with the X characters kept.
func tempFile(args []string) (name string, ok bool) {
	for _, w := range args {
		switch {
		case w == "-d" || w == "--directory" || w == "-q":
		case w[:min(1, len(w))] == "-" || name != "" || !strings.Contains(w, "XXX"):
			return "", false
		case !strings.HasPrefix(w, "/tmp/") || strings.Count(w, "/") > 2:
			return "", false // it prints nothing if there is no such folder
		default:
			name = w
		}
	}
	if name == "" {
		name = "/tmp" + defaultTemp
	}
	return name, true
}

// makesNames reports whether the line may give git names that begin with + or the like, or tell it
// to work elsewhere.
func makesNames(s *Script) bool {
	return slices.ContainsFunc(s.Commands, func(c Command) bool {
		if c.Name != "git" {
			return false
		}
		sub := c.sorted().sub
		return !readingGit()[sub] && !slices.Contains([]string{"push", "add", "commit", "pull",
			"diff", "fetch", "rev-parse", "symbolic-ref", "merge-base"}, sub)
	})
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
	for _, w := range argv[2:] {
		switch {
		case strings.HasPrefix(w, ":") || strings.HasPrefix(w, "/") || strings.Contains(w, ".."):
			return Path{}, false // elsewhere, or more than one revision
		case over:
		case w == "--":
			over = true
		case w == "" || w[0] != '-':
			operands++
		case w == "-z":
		case argv[1] == "ls-files" && slices.Contains([]string{"-c", "--cached", "-m", "--modified",
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
	}
	return p, names
}

// listedWord returns gitLists of a word that consists of a substitution.
func listedWord(w *walker, word *syntax.Word) *Path {
	if len(word.Parts) != 1 {
		return nil
	}
	n, ok := word.Parts[0].(*syntax.CmdSubst)
	if !ok || len(n.Stmts) != 1 || w.o.in == nil {
		return nil
	}
	argv := words(n.Stmts[0])
	if p, ok := gitLists(argv); ok && !slices.Contains(argv, "-z") {
		return &p
	}
	return nil
}

// resolveFound finds the files that words name which contain a variable with the names of files.
func (s *Script) resolveFound() {
	sure := !s.vars.blind && !s.ifs && !s.shadows() && !changesIndex(s)
	// the names may be used in another folder
	moves := slices.ContainsFunc(s.Commands, func(c Command) bool {
		return slices.Contains([]string{"cd", "pushd", "popd"}, c.Name)
	})
	for i := range s.Commands {
		for j := range s.Commands[i].info {
			info := &s.Commands[i].info[j]
			if len(info.pieces) == 1 && info.found == nil && info.pieces[0].op == 0 {
				v := s.vars.held[info.pieces[0].name]
				if v != nil && !moves && !v.open && len(v.values) == 0 {
					info.found = v.found
				}
			}
			if f := info.found; f != nil && f.Word != "" && !sure {
				info.found = nil
			}
		}
	}
}

// changesIndex reports whether the line may change which files git lists.
func changesIndex(s *Script) bool {
	return slices.ContainsFunc(s.Commands, func(c Command) bool {
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
		if a.program == "git" && (a.sub == "ls-files" || a.sub == "diff" || a.sub == "grep") {
			return false
		}
		way, known := fileWays()[a.program]
		if (mayUnpack(c) || !known && runsCode(c, a, way)) && !strings.Contains(c.Text, "git ") {
			return true
		}
	}
	return false
}
