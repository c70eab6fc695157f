// This file reads the programs in the words of sed and awk, and finds the words of other programs
// that are texts, or patterns of the names of files that they leave out.

package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/shell/internal/code"
)

// filter is a command of sed or awk. Its words contain a program.
type filter struct{ c *Command }

// awkPrints reports whether an awk program only prints.
func (f filter) awkPrints() bool {
	c := f.c
	for i := 1; i < len(c.Argv); i++ {
		a := c.Argv[i]
		switch {
		case !c.Static[i]:
			return false
		case a == "-F" || a == "-v":
			if i++; i < len(c.Argv) && !c.Static[i] && c.Argv[i-1] == "-F" {
				return false
			}
		case strings.HasPrefix(a, "-F"):
		case strings.HasPrefix(a, "-"):
			return false
		default:
			return code.AwkPrints(a)
		}
	}
	return true
}

// sedActs reports whether a sed command may run programs or write files other than its operands:
// its script is unknown, or not a common one.
func (f filter) sedActs() bool {
	c := f.c
	given, over := false, false // a script is given; what follows is no flag
	for i := 1; i < len(c.Argv); i++ {
		a := c.Argv[i]
		switch all := c.may(i); {
		case over && given:
			return false
		case !over && a == "--" && c.Static[i]:
			over = true
		case all == nil && !(!given && f.plainSed(i)) &&
			(!given || !over && c.info[i].mayFlag(a) && !c.info[i].listed()):
			return true
		case !over && anyOf(all, func(w string) bool {
			return len(w) > 1 && w[0] == '-'
		}):
			flag, ok := sedFlagOf(a)
			if !ok || len(all) > 1 || flag.script != nil && !code.SedFilters(*flag.script) {
				return true
			}
			given = given || flag.script != nil || flag.next
			if flag.next || flag.number {
				if i++; i < len(c.Argv) && (flag.next && !f.plainSed(i) ||
					flag.number && strings.Trim(c.Argv[i], "0123456789") != "") {
					return true
				}
			}
		case !given:
			if !f.plainSed(i) {
				return true
			}
			given = a != "" || c.Argv[i-1] != "-i" // to some versions, it is the value of that flag
		}
	}
	return false
}

// plainSed reports whether word i is a common sed script, whatever its variables hold.
func (f filter) plainSed(i int) bool {
	all := f.c.may(i)
	if pieces := f.c.info[i].pieces; all == nil && strings.HasPrefix(f.c.info[i].prefix, "s|") {
		text := ""
		for _, p := range pieces {
			if text += p.text; p.name == insertedName { // it has no | in it
				text += "x"
			} else if p.name != "" || p.output {
				return false
			}
		}
		return text != "" && code.SedFilters(text)
	}
	return all != nil && !anyOf(all,
		func(text string) bool { return !code.SedFilters(text) })
}

// sedFlag is a word with flags of sed: it has a script, or the next word is one, or a number.
type sedFlag struct {
	script       *string
	next, number bool
}

// sedFlagOf reads a word with flags. ok is false if one of them reads a script from a file, or is
// not known.
func sedFlagOf(w string) (flag sedFlag, ok bool) {
	long, is := strings.CutPrefix(w, "--")
	if !is {
		at := len(w) - len(strings.TrimLeft(w, "-nErszub"))
		rest := w[min(at+1, len(w)):]
		switch {
		case at == len(w) || w[at] == 'i':
			return sedFlag{}, true
		case w[at] == 'e' && rest != "":
			return sedFlag{script: &rest}, true
		}
		return sedFlag{next: w[at] == 'e', number: w[at] == 'l' && rest == ""}, w[at] == 'e' ||
			w[at] == 'l' && strings.Trim(rest, "0123456789") == ""
	}
	name, value, has := strings.Cut(long, "=")
	if strings.HasPrefix("expression", name) {
		if has {
			return sedFlag{script: &value}, true
		}
		return sedFlag{next: true}, true
	}
	return sedFlag{}, anyOf(sedLong,
		func(one string) bool { return strings.HasPrefix(one, name) && len(name) > 1 })
}

// sedLong are the long flags of sed that have no script.
var sedLong = []string{"in-place", "quiet", "silent", "null-data", "zero-terminated", "separate",
	"regexp-extended", "debug", "sandbox", "unbuffered", "follow-symlinks", "binary", "help",
	"version"}

// history are subcommands of git that print what is committed, and take revisions.
var history = setOf("log show rev-parse rev-list describe shortlog reflog ls-tree")

// isText reports whether word i of c, whose value is unknown, is certainly a text: a pipe, a
// revision, or the value of a flag that takes a text.
func isText(c *Command, a *args, i int) bool {
	w := c.Argv[i]
	name, _, joined := strings.Cut(w, "=")
	switch {
	case c.Static[i]:
		return false
	case c.info[i].pipe, a.program == "jq" && isJQText(c, i), isSent(c, a, i),
		(a.program == "sed" || a.program == "gsed") && filter{c}.plainSed(i),
		a.program == "git" && a.sub == "branch": // none of its words names a file
		return true
	case a.program != "git" || c.info[i].splits:
		return false
	}
	before, over := c.Argv[i-1], slices.Index(c.Argv, "--")
	if a.sub == "checkout" && over > i { // a revision
		return c.info[i].shapes != nil && !anyOf(c.info[i].shapes,
			func(shape string) bool { return !aRevision().MatchString(shape) })
	}
	return joined && textFlag().MatchString(name) ||
		takesMessage(a.sub) && messageFlag().MatchString(before) ||
		(history()[a.sub] || namesOnly(a, i)) && !strings.HasPrefix(w, "-") &&
			!c.info[i].mayFlag(w) && (!strings.HasPrefix(before, "-") || a.sub == "tag" &&
			has("-a -d -f -s --annotate --delete --force --sign", before))
}

// takesMessage reports whether -m of a command of git is followed by a message.
func takesMessage(sub string) bool { return has("commit tag merge notes stash", sub) }

// messageFlag matches flags of git commit in one word of which the last is followed by a message.
var messageFlag = lazyregexp.New(`^-[aenopqsv]*m$`)

// namesOnly reports whether operand i of git is the name of a tag or of what is pushed. The first
// operand of git push is a repository.
func namesOnly(a *args, i int) bool {
	return a.sub == "tag" || a.sub == "push" && slices.ContainsFunc(a.operands,
		func(at int) bool { return at >= a.first && at < i })
}

// isJQText reports whether word i of a command of jq is the name or the value of a variable.
func isJQText(c *Command, i int) bool {
	is := func(at int) bool {
		return at > 0 && (c.Argv[at] == "--arg" || c.Argv[at] == "--argjson") && !isJQText(c, at)
	}
	return (is(i-1) || is(i-2)) && !c.info[i].splits
}

// jqOpens matches what opens a file in a program of jq or yq.
var jqOpens = lazyregexp.New(`\b(import|include)\b[^"]*"|\bload(_\w+)?\s*\(`)

// opensByText adds a doubt about a program of jq or yq that opens files by names in its text.
func opensByText(o *operands) {
	for _, i := range o.all {
		if anyOf(o.c.may(i), jqOpens().MatchString) {
			o.f.unknown(false, textOpens, o.c.Argv[i])
		}
	}
}

// onlyLists reports whether ar is only told to list what is in an archive, and patch to try.
func onlyLists(c *Command, program string) bool {
	words := c.Argv[1:]
	switch {
	case unknownIn(c.Static):
		return false
	case program == "ar":
		return len(words) > 0 && strings.HasPrefix(strings.TrimPrefix(words[0], "-"), "t") &&
			!anyOf(words, func(w string) bool {
				return strings.HasPrefix(w, "@") // a file with more words
			})
	}
	return program == "patch" && contains(words, "--dry-run") &&
		!anyOf(words, func(w string) bool {
			return strings.HasPrefix(w, "--o") || !strings.HasPrefix(w, "--") &&
				strings.HasPrefix(w, "-") && strings.Contains(w, "o")
		})
}

// nameFilter describes the flags --include and --exclude of a program.
type nameFilter struct {
	includes bool   // --include is known
	letters  string // flags of one letter because of which the files are others
	flags    string // and long ones
	plain    *regexp.Regexp
}

// nameFilters are the programs that can leave out files below folders by patterns of their names.
var nameFilters = sync.OnceValue(func() map[string]nameFilter {
	return map[string]nameFilter{
		"grep": {true, "R", "include exclude-from dereference-recursive", endsFlag(
			`rnilHhowEFIsqcvxPaLTzb`, `recursive line-number ignore-case`)},
		"tar": {false, "h", "anchored no-anchored no-wildcards no-ignore-case ignore-case " +
			"dereference wildcards", endsFlag(`czvjJp`, `create gzip bzip2 xz zstd verbose `+
			`totals exclude-vcs exclude-backups exclude-caches one-file-system`)},
		"rsync": {false, "LkfFK", "include filter include-from copy-links copy-unsafe-links " +
			"copy-dirlinks keep-dirlinks", endsFlag(`avzrtpogDhnPuxHWc`,
			`archive verbose delete progress compress`)},
	}
})

// endsFlag returns an expression for words that are no flag which takes the next word as its value.
func endsFlag(letters, flags string) *regexp.Regexp {
	return regexp.MustCompile(`^([^-].*|-|--[a-z-]+=.*|-[` + letters + `]+|-[` + letters +
		`]*[ABCm]?[0-9]+|--(` + strings.ReplaceAll(flags, " ", "|") + `))?$`)
}

// searched returns the patterns of the names of files that a program searches or copies below the
// folders among its first n words: those of Path.Filter.
func searched(o *operands, n int) string {
	f, known := nameFilters()[o.a.program]
	var argv []string
	for i := range o.c.Argv {
		if all := o.c.may(i); len(all) == 1 {
			argv = append(argv, all[0])
		}
	}
	switch {
	case len(argv) < len(o.c.Argv), !unset(o.f.s, "TAR_OPTIONS", "GREP_OPTIONS"):
		return ""
	case o.a.program == "rg":
		return ripgrepNames(o.f.s, argv[1:])
	case !known, o.a.program == "tar" && n > 1 && !strings.HasPrefix(argv[1], "-") &&
		strings.Trim(argv[1], "cvzjJpf") != "":
		return ""
	}
	var names []string
	for i := 1; i < n; i++ {
		name, pattern, has := strings.Cut(argv[i], "=")
		letter := strings.HasPrefix(name, "-") && !strings.HasPrefix(name, "--")
		include := name == "--include" && f.includes
		switch {
		case name == "--":
			return strings.Join(names, "\n")
		case name != "--exclude" && !include:
			if letter && strings.ContainsAny(name, f.letters) || len(name) > 2 &&
				anyOf(strings.Fields(f.flags), func(flag string) bool {
					return strings.HasPrefix("--"+flag, name)
				}) {
				return ""
			}
			continue
		case i > 1 && !f.plain.MatchString(argv[i-1]),
			i == 2 && o.a.program == "tar" && !strings.HasPrefix(argv[1], "-") &&
				strings.Contains(argv[1], "f"):
			// it may be the value of that flag
			return ""
		case !has && i+1 < len(argv):
			i++
			pattern = argv[i]
		}
		switch plain := !strings.ContainsAny(pattern, `[]{}\!/`+"\n"); {
		case include && !plain:
			return ""
		case include:
			names = append(names, pattern)
		case plain:
			names = append(names, "!"+pattern)
		default: // it leaves out files
			names = append(names, "!")
		}
	}
	return strings.Join(names, "\n")
}

// dropPatterns removes the words that follow --exclude from those that may be paths.
func dropPatterns(o *operands) {
	o.all = slices.DeleteFunc(slices.Clone(o.all), func(i int) bool {
		return i > 1 && o.c.Static[i] && o.c.Argv[i-1] == "--exclude" &&
			(i == 2 || !strings.HasPrefix(o.c.Argv[i-2], "-") ||
				nameFilters()[o.a.program].plain.MatchString(o.c.Argv[i-2]))
	})
}

// NotHidden is the filter of rg without flags: it leaves out hidden files, except for those that an
// ignore file names with !.
const NotHidden = "!.*"

// ripgrepNames returns the names of the files that rg searches below folders, given its words, as
// searched does: NotHidden, or the files whose names fit a glob or are of a type.
func ripgrepNames(s *Script, words []string) string {
	if s.context.Environment == nil || !unset(s, "RIPGREP_CONFIG_PATH") {
		return ""
	}
	var names []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, value, has := strings.Cut(w, "=")
		if short := len(w) > 2 && (w[:2] == "-g" || w[:2] == "-t"); short {
			name, value, has = w[:2], strings.TrimPrefix(w[2:], "="), true
		}
		if name == "-g" || name == "-t" || name == "--glob" || name == "--type" {
			if !has && i+1 < len(words) {
				i++
				value = words[i]
			}
			left, excludes := strings.CutPrefix(value, "!")
			types := name == "-t" || name == "--type"
			switch {
			case types && ripgrepTypes[value] != "":
				names = append(names, strings.Fields(ripgrepTypes[value])...)
			case types || strings.ContainsAny(left, `[]{}\!/`+"\n") || left == "":
				return ""
			case !excludes:
				names = append(names, value)
			}
			continue
		}
		if mayUnhide(w) || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") &&
			strings.Contains(w, "L") || name == "--pre" || name == "--follow" ||
			name == "--ignore-file" {
			return ""
		}
	}
	if len(names) == 0 {
		return NotHidden
	}
	return strings.Join(names, "\n")
}

// ripgrepValue matches flags of rg that are followed by their value, which is no operand.
var ripgrepValue = lazyregexp.New(
	`^(-[nilcvwxsSFHIopPUz0auNq.]*[gtTABCmjMEdr]|--(i?glob|type(-\w+)?|` +
		`(after-|before-)?context|max-\w+|threads|encoding|replace|sortr?|colors?|engine|` +
		`[a-z]+-separator|ignore-file|pre(-glob)?|[a-z]+-size-limit|hostname-bin))$|` +
		`^(-[nilcvwxsSFHIopPUz0auNq.]*[ef]|--(regexp|file))$`)

// ripgrepPattern matches flags of rg that provide the pattern.
var ripgrepPattern = lazyregexp.New(
	`^(-[nilcvwxsSFHIopPUz0auNq.]*[ef]|--(regexp|file|files|type-list))`)

// ripgrepTypes are the names of files of some types that rg knows.
var ripgrepTypes = map[string]string{"go": "*.go", "py": "*.py *.pyi", "python": "*.py *.pyi",
	"rust": "*.rs", "java": "*.java *.jsp *.jspx *.properties", "ts": "*.ts *.tsx *.cts *.mts",
	"js": "*.js *.jsx *.vue *.cjs *.mjs", "css": "*.css *.scss", "html": "*.htm *.html *.ejs"}

// unset reports whether the line runs without such variables, from which programs take flags. An
// environment that is not known is believed to have none.
func unset(s *Script, names ...string) bool {
	for _, name := range names {
		if s.context.Environment != nil && s.context.Environment.values[name] != "" {
			return false
		}
		if setInLine(s, name) {
			return false
		}
	}
	return true
}

// setInLine reports whether the line may set one of the variables.
func setInLine(s *Script, names ...string) bool {
	return anyCommand(s, func(c Command) bool {
		return anyOf(names, func(name string) bool {
			return contains(c.Assign, name) || strings.Contains(c.Text, name)
		})
	})
}
