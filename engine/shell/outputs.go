// This file determines what is known about the text that a substitution stands for.

package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

// gitName stands, in a value, for the name of a branch, a tag or a commit, or for a date: it begins
// with no -, and has no blanks. glob.Unknown stands for a text that is no path.
const gitName = "\x01"

// partlyUnknown reports whether one of them is in a value.
func partlyUnknown(value string) bool { return strings.ContainsAny(value, glob.Unknown+gitName) }

// plainOutputs are programs that print numbers, and names of the system, of commits and of
// containers, with expressions for their other words, and what stands for the output.
var plainOutputs = sync.OnceValue(func() []plainOutput {
	const number, reference = `-?[0-9]+(\.[0-9]+)?`, `HEAD([~^]\d*)*|@|@\{u\}|[a-z]\w*`
	// a query of JMESPath that makes no text of its own
	const projection = `([\w.*|@, {}:-]|\[[\d*]*\]|` +
		`\[\?[\w.]+ ?[=!]= ?['"\x60][\w.-]+['"\x60]\])+`
	var out []plainOutput
	for _, row := range [][3]string{
		{"nproc id whoami uname hostname arch", `-[a-z]+|--[a-z-]+`},
		{"getconf", `_?NPROCESSORS_\w+`}, {"seq", number + `|-w|-s.?`},
		{"expr", number + `|[-+*/%()<>=|&]`},
		{"date", `\+%-?[dFHIjmMNsSTuUVwWyYGg]([-_:TZ/0-9]|%-?[dFHIjmMNsSTuUVwWyYGg])*|-d|-u|` +
			`[^-+%].*`, gitName},
		{"date", `-u|-R|-I[a-z]*|-d|--date=.*|[^-+].*|` +
			`\+([-_:TZ]|%[-_0]?[aAbBdFHIjmMNpPsSTuUVwWyYzZGgkl])+`},
		{"git:rev-parse", `--(abbrev-ref|short(=\d+)?|verify|quiet|symbolic-full-name)|-q|` +
			reference, gitName},
		{"git:describe", `--(tags|always|abbrev=\d+|exact-match|dirty|long)|HEAD`, gitName},
		{"git:symbolic-ref", `--short|-q|--quiet|HEAD`, gitName},
		{"git:branch", `--show-current`, gitName},
		{"git:branch git:tag", `--format=%\((refname|objectname)(:short)?\)|-l|--list|--sort=.*|` +
			`--merged|--no-merged|--points-at|` + reference},
		{"git:log", `-1|-n1|--max-count=1|--(format|pretty)=(format:)?%[hH]|` + reference, gitName},
		{"git:merge-base", `--fork-point|` + reference + `|\w[\w/.~^-]*`, gitName},
		{"git:rev-list", `--count|--all|HEAD|[\w/]+\.\.\.?[\w/]+|` + reference},
		{"git:rev-list", `-n|-1|-n1|1|--max-count=1|--(all|tags|first-parent|reverse)|` +
			`--(before|after|since|until|author|grep)=.*|` + reference, gitName},
		{"docker:ps docker:images podman:ps podman:images", `-[aqlf]+|--quiet|--all|-f|--filter|` +
			`--filter=.*|\w[\w-]*=[^/.]*|--format|` +
			`(--format=)?(\{\{\.(ID|Names|Repository|Tag|Status)\}\}|[: ])+|[\w-]+`},
		{"kubectl:get", `\w[\w,-]*|-[nlo]|[\w.-]+=[\w-]+|` +
			`jsonpath=\{(\.items\[\d\])?\.metadata\.name\}`, gitName},
		{"kubectl:get", `\w[\w,-]*|-[nl]|-A|-o|-oname|[\w-]+=[\w-]+|` +
			`jsonpath=\{(\.items\[(\*|\d+)\])?\.metadata\.name\}|` +
			`--no-headers|custom-columns=:\.?metadata\.name`},
		{"docker:create podman:create", `[^{]*`},
		{"docker:volume docker:network docker:container docker:image podman:volume " +
			"podman:network podman:container podman:image",
			`ls|-[aqf]+|--quiet|--filter|\w+=[\w-]+`},
		{"docker-compose:ps docker-compose:config", `-[aq]+|--quiet|--services|\w[\w-]*`},
		{"openssl:rand", `-hex|-base64|\d+`}, {"uuidgen", `-[rt]`},
		{"aws", `--[a-df-z][a-z-]*(=[\w.:/-]+)?|[\w][\w.:/=,@-]*|` + projection},
		{"az", `-\w|--[a-z-]+|[\w][\w.-]*|` + projection},
		{"gcloud", `--format=value\([\w.,:()\[\]]+\)|--[a-z-]+(=[\w.:/,-]+)?|\w[\w.:/-]*`},
		{"gh:run gh:pr", `list|view|-L\d*|--limit|--branch|-b|-w|--workflow|--status|-s|--json|` +
			`-q|` +
			`--jq|--\w+=\w+|\w+|\.?(\[\d*\])?\.(number|id|databaseId|status|state|conclusion)`},
		{"go:list", `\./\.\.\.`}, {"go:list", `-m`},
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

// aCommit is the value of a variable with the name of a commit.
var aCommit = []piece{{text: gitName, output: true}}

// commitFlags matches the words of git log and git rev-list with which they print names of commits
// only, one on a line.
var commitFlags = lazyregexp.New(`^(-n\d*|-\d+|--max-count=\d+|--reverse|--all|--(no-)?merges|` +
	`--first-parent|--follow|--(since|until|after|before|author|grep)=.*|` +
	`--(format|pretty)=(format:|tformat:)?%[hH]|\d+|\w[\w/.~^-]*)$`)

// printsCommits reports whether a statement prints names of commits, and nothing else.
func printsCommits(n *syntax.Stmt) bool {
	first, ok := firstOfPipe(n, passes)
	all := words(first)
	if !ok || len(all) < 2 || all[0] != "git" || all[1] != "log" && all[1] != "rev-list" {
		return false
	}
	formatted := false
	for _, w := range all[2:] {
		if w == "--" {
			break
		}
		if !commitFlags().MatchString(w) {
			return false
		}
		formatted = formatted || strings.HasPrefix(w, "--format") ||
			strings.HasPrefix(w, "--pretty")
	}
	return formatted == (all[1] == "log") // git rev-list prints more with a format
}

// printsServices reports whether a statement prints names of containers or the like, one on a line,
// and nothing else.
func printsServices(n *syntax.Stmt) bool {
	first, ok := firstOfPipe(n, passes)
	all := words(first)
	if !ok || len(all) < 2 || !has("docker podman docker-compose kubectl", all[0]) {
		return false
	}
	_, ok = plainOutputOf(all, false)
	return ok
}

// listsCommits reports whether a word is a substitution that prints names of commits.
func listsCommits(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	n, ok := word.Parts[0].(*syntax.CmdSubst)
	return ok && len(n.Stmts) == 1 && printsCommits(n.Stmts[0])
}

// plainOutput is a row of the table.
type plainOutput struct {
	program, sub string
	words        *regexp.Regexp
	text         string
}

// passing are programs that pass on lines of what they read.
var passing = setOf("head tail sort uniq tac")

// serviceWords are subcommands of docker whose words are names of images, of containers and the
// like.
var serviceWords = setOf("history inspect kill logs ls pause port ps pull push rename restart rm " +
	"rmi start stats stop tag top unpause wait")

// serviceFile matches a flag of podman or nerdctl, or an address of an image, that names a file.
var serviceFile = lazyregexp.New(
	`^--.*(file|cert|key|dir)|^(dir|oci|oci-archive|docker-archive|ostree|sif):`)

// namesServices reports whether the words of c, which is docker, are such names and no files.
func namesServices(c *Command) bool {
	if len(c.Argv) < 3 || !has("docker podman nerdctl", c.Argv[0]) || !c.Static[1] ||
		!c.Static[2] && !serviceWords()[c.Argv[1]] || anyOf(c.Argv, serviceFile().MatchString) ||
		c.Argv[0] != "docker" && unknownIn(c.Static) {
		return false
	}
	return serviceWords()[c.Argv[1]] || has("container image network volume", c.Argv[1]) &&
		serviceWords()[c.Argv[2]]
}

// printers are the programs of the table, and mktemp.
var printers = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{"mktemp": true, "which": true}
	for _, row := range plainOutputs() {
		all[row.program] = true
	}
	return all
})

// firstWord returns the first word of a statement, or of its pipe, if that is plain.
func firstWord(n *syntax.Stmt) string {
	switch cmd := n.Cmd.(type) {
	case *syntax.BinaryCmd:
		return firstWord(cmd.X)
	case *syntax.CallExpr:
		if len(cmd.Args) > 0 {
			return cmd.Args[0].Lit()
		}
	}
	return ""
}

// outputOf returns what stands, in values, for the output of a substitution, without the line end;
// ok is false if that may be anything.
func outputOf(n *syntax.CmdSubst) (text string, ok bool) {
	if len(n.Stmts) != 1 || !printers()[firstWord(n.Stmts[0])] {
		return "", false
	}
	first, ok := firstOfPipe(n.Stmts[0], passes)
	cut := !ok
	if cut {
		first, ok = firstOfPipe(n.Stmts[0], shortens)
	}
	all := words(first)
	switch {
	case !ok || len(all) == 0:
		return "", false
	case all[0] == "mktemp" && !cut:
		return tempFile(all[1:])
	case all[0] == "which" && len(all) == 2 && aSuffix().MatchString(all[1]):
		return glob.Unknown + "/" + all[1], true
	}
	switch text, ok = plainOutputOf(all, cut); {
	case cut && ok: // it may begin in another way
		text = glob.Unknown
	case ok && first == n.Stmts[0] && all[0] == "date" && len(all) == 2 &&
		(strings.HasPrefix(all[1], "+%F") || strings.HasPrefix(all[1], "+%Y")):
		text = "2" + text
	}
	return text, ok
}

// shortens reports whether a command prints lines that it reads, or a column of each.
func shortens(all []string) bool {
	if len(all) < 2 || all[0] != "cut" && all[0] != "awk" {
		return narrows(all)
	}
	return !anyOf(all[1:], func(w string) bool {
		return !aColumn().MatchString(w) || strings.HasSuffix(w, "}") != (all[0] == "awk") &&
			w[0] != '-'
	})
}

// aColumn matches the words of cut and awk with which they print a column.
var aColumn = lazyregexp.New(`^(-d.?|-[fF][\w,:/.]*|\d+|` +
	`(/[\w ]+/|NR *[=>]=? *\d+)? *\{ *print \$(\d+|NF)(; *exit)?;? *\})$`)

// output is outputOf as a piece of a word, also for pwd.
func (w *walker) output(n *syntax.CmdSubst) (out []piece, ok bool) {
	if len(n.Stmts) == 1 && firstWord(n.Stmts[0]) == "pwd" && len(words(n.Stmts[0])) == 1 {
		switch start := w.o.in != nil && w.o.in.isStart(); {
		case start && inherits(w, "PWD") && w.s.context.Dir != "":
			return []piece{{text: w.s.context.Dir, output: true}}, true
		case start:
			return []piece{{text: ".", output: true}}, true
		}
		return nil, false
	}
	if one, ok := partOfName(w, n); ok {
		return []piece{one}, true
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

// shadows reports whether the name of a program may mean something else in the line, or its program
// may not start.
func (s *Script) shadows() bool {
	return s.finds || len(s.functions) > 0 || s.vars.blind || s.vars.sourced ||
		contains(s.vars.changed, "PATH") || strings.Contains(s.text, "ulimit")
}

// words returns the words of a simple command; nil if one is not static.
func words(n *syntax.Stmt) (out []string) {
	call := plainCall(n)
	if call == nil {
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

// plainCall returns a simple command without assignments, whose output and input are not
// redirected; nil if n is something else.
func plainCall(n *syntax.Stmt) *syntax.CallExpr {
	if n == nil {
		return nil
	}
	call, ok := n.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || n.Background || slices.ContainsFunc(n.Redirs,
		func(r *syntax.Redirect) bool { return r.N == nil || r.N.Value != "2" }) {
		return nil
	}
	return call
}

// passes reports whether a command passes on lines of what it reads.
func passes(all []string) bool {
	return len(all) > 0 && passing()[all[0]] && !anyOf(all[1:], func(w string) bool {
		return strings.Trim(w, "0123456789") != "" && (strings.HasPrefix(w, "--") || w == "" ||
			w[0] != '-' || len(w) < 2 || strings.Trim(w[1:], "0123456789nrukV") != "")
	})
}

// plainOutputOf returns what stands for the output of a program of the table, or for a column of
// it.
func plainOutputOf(all []string, column bool) (text string, ok bool) {
	if len(all) > 2 && all[0] == "docker" && all[1] == "compose" {
		all = append([]string{"docker-compose"}, all[2:]...)
	}
	for _, row := range plainOutputs() {
		words := all[1:]
		if row.program != all[0] || row.text == gitName && len(words) == 0 ||
			row.sub != "" && (len(words) == 0 || words[0] != row.sub) {
			continue
		}
		if row.sub != "" {
			words = words[1:]
		}
		if tellsNames(all, column) && !anyOf(words,
			func(w string) bool { return !row.words.MatchString(w) }) {
			return row.text, true
		}
	}
	return "", false
}

// tellsNames reports whether a program of the table is told to print names, and not a table or
// other texts.
func tellsNames(all []string, column bool) bool {
	line := strings.Join(all, " ")
	has := func(parts ...string) bool {
		return anyOf(parts, func(p string) bool { return strings.Contains(line, p) })
	}
	switch all[0] {
	case "docker-compose":
		return column && all[1] == "ps" || has(" -q", " -aq", " --quiet", " --services")
	case "docker", "podman":
		if i := slices.Index(all, "--format"); i > 0 && (i+1 == len(all) || all[i+1][0] != '{') {
			return false
		}
		return column || all[1] == "create" || has(" -q", " -aq", " -lq", " --quiet", "{{")
	case "kubectl": // the last -o counts
		formats := strings.Count(line, " -o")
		return formats == 0 && column || formats == 1 &&
			(has(" -o name", " -oname", " -o jsonpath=", " -o custom-columns=:") ||
				column && has(" -o wide"))
	case "gh":
		return has(" -q .", " --jq .") && has(" --json ")
	case "aws":
		return has(" --query ") && has(" --output text", " --output=text")
	case "az":
		return has(" --query ") && has(" -o tsv", " --output tsv")
	case "gcloud":
		return has(" --format=value(")
	case "git":
		if all[1] == "log" {
			return has(" -1", " -n1", "=1") && has("%h", "%H")
		}
		return all[1] != "branch" && all[1] != "rev-list" ||
			has("--show-current", "--format=", "--count", " -1", " -n 1", " -n1", "=1")
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
	return anyCommand(s, func(c Command) bool {
		if c.Name != "git" {
			return false
		}
		a := c.sorted()
		sub := a.sub
		if sub == "checkout" && !anyOf([]string{"b", "B", "orphan", "t"},
			func(flag string) bool { return a.has(&c, flag) == yes }) {
			return false
		}
		return !readingGit()[sub] && !contains([]string{"push", "add", "commit", "pull",
			"diff", "fetch", "rev-parse", "symbolic-ref", "merge-base"}, sub)
	})
}

// firstOfPipe returns the first command of a pipe, if the others do no more than pass says.
func firstOfPipe(n *syntax.Stmt, pass func(words []string) bool) (first *syntax.Stmt, ok bool) {
	for pipe, is := n.Cmd.(*syntax.BinaryCmd); is; pipe, is = n.Cmd.(*syntax.BinaryCmd) {
		if pipe.Op != syntax.Pipe || len(n.Redirs) > 0 || !pass(words(pipe.Y)) {
			return nil, false
		}
		n = pipe.X
	}
	return n, true
}
