// This file determines which words of a command are paths, by how its program uses words.

package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// operands are the words of one command that may be paths.
type operands struct {
	f   *finder
	c   *Command
	a   *args
	all []int
}

// walk adds the paths that a command names, by how its program uses words.
func (o *operands) walk(way how) {
	deep := o.a.has(o.c, "recursive") == yes || o.a.has(o.c, "R") == yes ||
		o.a.has(o.c, "r") == yes || o.a.program == "rgrep" || recurses(o)
	switch way {
	case reads:
		o.sortOutput()
		for _, i := range o.all { // a file with more words
			for _, w := range o.c.may(i) {
				if rest, is := strings.CutPrefix(w, "@"); is && o.a.program == "strings" {
					o.text(rest, false)
				}
			}
		}
		if o.each(o.all, false, deep && o.a.program == "diff"); o.a.has(o.c, "files0-from") == yes {
			o.f.unknown(false, listedInFile, "") // a file that lists others
		}
	case lists:
		if contains([]string{"tree", "du", "wc"}, o.a.program) {
			o.listed()
		}
	case writes:
		o.each(o.all, true, deep)
	case toLast, moves:
		o.copies(way == moves, o.a.program != "ln" &&
			(deep || way == moves || o.a.program == "rsync" || o.a.has(o.c, "archive") == yes))
	case behindOne:
		searchesIn(o, deep)
	case changes:
		o.skipFirst(true, deep)
	case rewrites:
		o.rewrites(deep)
	case likeSed:
		o.edits()
	case likeGit:
		o.git()
	case likeZip:
		flagsSet(o, "ZIPOPT")
		if anyOf(o.c.Argv[1:], func(w string) bool {
			return strings.HasPrefix(w, "-") && strings.HasSuffix(w, "@")
		}) {
			o.f.unknown(false, listedInFile, "")
		}
		for i := 2; i < len(o.c.Argv); i++ {
			if zipWrites().MatchString(o.c.Argv[i-1]) {
				o.one(i, true, false)
			}
		}
		o.each(o.all[:min(1, len(o.all))], true, false)
		o.beside(o.all[:min(1, len(o.all))], ".zip")
		o.each(o.all[min(1, len(o.all)):], false, true)
		if o.a.has(o.c, "m") != no || o.a.has(o.c, "move") != no {
			o.each(o.all[min(1, len(o.all)):], true, true)
		}
	case anyWrites:
		if unpacks(o) {
			return
		}
		o.each(o.all, false, false)
		switch shows := func(flag string) bool { return o.a.has(o.c, flag) == yes }; {
		case o.a.program == "unzip" && anyOf(strings.Fields("l v t z Z p c"), shows),
			onlyLists(o.c, o.a.program):
		case contains([]string{"unzip", "patch", "split", "csplit"}, o.a.program):
			o.f.unknownWrites(ownNames, "")
		default:
			o.f.unknown(true, ownNames, "")
		}
	default:
		o.special(way)
	}
}

// zipWrites matches flags of zip that are followed by the name of a file that it writes.
var zipWrites = lazyregexp.New(`^(-[a-zA-Z]*(O|lf|b)|--(out|output-file|logfile-path|temp-path))$`)

// searchesIn adds what grep and similar programs read, whose first operand is no file.
func searchesIn(o *operands, deep bool) {
	if o.a.program == "jq" {
		o.all = slices.DeleteFunc(o.all, func(i int) bool { return isJQText(o.c, i) })
	}
	if o.a.program == "rg" { // values of flags
		o.all = slices.DeleteFunc(slices.Clone(o.all), func(i int) bool {
			return ripgrepValue().MatchString(o.c.Argv[i-1])
		})
	}
	for _, v := range o.given("file") { // of patterns
		o.value(v, false)
	}
	for i := 2; i < len(o.c.Argv) && !strings.HasSuffix(o.a.program, "grep"); i++ {
		if w := o.c.Argv[i-1]; w == "--from-file" || w == "--file" || spells(w, "-f") {
			o.f.maybe(o.c, i, Maybe{By: o.c.Name})
		}
	}
	if o.a.program == "jq" || o.a.program == "yq" {
		opensByText(o)
	}
	if o.a.program == "yq" && len(o.all) == 1 { // a file, if there is one of this name
		o.f.maybe(o.c, o.all[0], Maybe{By: o.c.Name, Writes: true})
	}
	inPlace := o.a.program == "yq" && (o.a.has(o.c, "i") != no ||
		o.a.has(o.c, "inplace") != no || o.a.has(o.c, "in-place") != no)
	if o.a.program == "yq" && (o.a.has(o.c, "s") != no || o.a.has(o.c, "split-exp") != no ||
		o.a.has(o.c, "split-exp-file") != no) { // it writes a file for each document
		o.f.unknown(true, ownNames, "")
	}
	o.skipFirst(inPlace, deep || o.a.program == "rg" || o.a.program == "ag")
}

// listed adds the files that tree, du and wc read because they list others.
func (o *operands) listed() {
	if o.a.program == "wc" && anyOf(o.c.Via, func(name string) bool {
		return name == "strace" || name == "ltrace"
	}) { // they show what it reads
		o.each(o.all, false, false)
	}
	for _, flag := range []string{"fromfile", "fromtabfile", "gitfile", "infofile", "files0-from",
		"exclude-from"} {
		if o.a.has(o.c, flag) == yes {
			o.each(o.all, false, false)
			o.f.unknown(false, listedInFile, "")
		}
	}
	for i, w := range o.c.Argv {
		switch {
		case i > 0 && !o.c.Static[i] && strings.HasPrefix(w, "--"): // --files0-from=$f
			o.f.unknown(false, dynamicWord, w)
		case o.a.program == "tree" && len(w) > 1 && w[0] == '-' && w[1] != '-' &&
			strings.Contains(w, "o"): // its output goes to a file
			o.f.unknown(true, ownNames, "")
			o.f.mayWriteWords(o.c)
		}
	}
}

// each adds words as paths.
func (o *operands) each(all []int, writes, deep bool) {
	for _, i := range all {
		o.one(i, writes, deep)
	}
}

// one adds word i as a path.
func (o *operands) one(i int, writes, deep bool) {
	if found := o.c.info[i].found; found != nil {
		for _, one := range found {
			if one.Writes = writes; !deep {
				o.f.addPath(o.c.in, one)
			} else { // what is below those that are folders, too
				o.f.addMaybe(o.c.in, Maybe{Name: one.Name, By: o.f.by, Writes: writes,
					Below: true, Only: one.Only, Pattern: one.Pattern, Split: one.Split,
					Tracked: one.Tracked, FromRoot: one.FromRoot})
			}
		}
		return
	}
	if o.c.info[i].pipe {
		return
	}
	if !o.c.Static[i] {
		for _, name := range o.c.info[i].values {
			o.f.made(o.c.in, o.c.info[i], name, writes)
			o.f.addPath(o.c.in, Path{Name: name, Word: o.c.Argv[i], Writes: writes, Below: deep,
				Pattern: Pattern(name)})
		}
		if o.c.info[i].values == nil && !o.f.shaped(o.c, i, writes, deep) {
			o.f.unknown(writes, dynamicWord, o.c.Argv[i])
		}
		return
	}
	o.f.addPath(o.c.in, Path{Name: o.c.info[i].home(o.c.Argv[i]), Writes: writes, Below: deep,
		Pattern: o.c.info[i].glob})
}

// text adds a path that is part of a word.
func (o *operands) text(name string, writes bool) {
	o.f.addPath(o.c.in, Path{Name: name, Writes: writes})
}

// skipFirst adds the words after the first one, which is a pattern, a mode or a program. If -e
// provides that, it adds all words.
func (o *operands) skipFirst(writes, deep bool) {
	all := o.all
	minus := func(w string) bool { // chmod -w
		return o.a.program == "chmod" && strings.HasPrefix(w, "-") &&
			strings.Trim(w, "-rwxXst,+=ugoa") == ""
	}
	expression := o.a.program != "jq" && o.a.program != "yq" && o.a.has(o.c, "e") == yes
	if o.a.program == "rg" {
		expression = anyOf(o.c.Argv, ripgrepPattern().MatchString)
	}
	given := anyOf(o.c.Argv, minus) || expression ||
		o.a.has(o.c, "expression") == yes || o.a.has(o.c, "reference") == yes ||
		len(o.given("file")) > 0
	over := slices.Index(o.c.Argv, "--")
	var flags, rest []int // --include=*.x is a pattern, and no file
	for _, i := range all {
		if begins := o.c.info[i].prefix; len(begins) > 1 && begins[0] == '-' &&
			(over < 0 || i < over) {
			flags = append(flags, i)
		} else {
			rest = append(rest, i)
		}
	}
	if !given && len(rest) > 0 {
		rest = rest[1:]
	}
	before, names := len(o.f.out.All), searched(o, len(o.c.Argv))
	o.each(flags, writes, false)
	o.each(rest, writes, deep || mayRecurse(o))
	// it begins where it stands
	valued := (o.a.program == "ag" || o.a.program == "ack" || o.a.program == "ugrep") &&
		len(rest) == 1 && hasFlags(o.c) // it may be the pattern, after the value of a flag
	if (len(rest) == 0 || valued) && (deep && strings.HasSuffix(o.a.program, "grep") ||
		o.a.program == "ugrep" && anyOf(o.c.Argv, seesHidden) ||
		searchesWhereItStands(o.c)) {
		o.f.addPath(o.c.in, Path{Name: ".", Below: true})
	}
	o.f.keepNames(before, names)
}

// hasFlags reports whether a word of a command may be a flag.
func hasFlags(c *Command) bool {
	return anyOf(c.Argv[1:], func(w string) bool { return !staysOperand(w) })
}

// staysOperand reports whether a word is no flag, whatever its variables hold.
func staysOperand(w string) bool { return w != "" && !strings.ContainsAny(w[:1], "-$`\"'") }

// searchesWhereItStands reports whether rg, ag or ack, without a path among its words, searches the
// folder in which it runs: unless it searches what another command prints, or only lists names.
func searchesWhereItStands(c *Command) bool {
	has := func(flags ...string) bool {
		return anyOf(c.Argv[1:], func(w string) bool {
			name, _, _ := strings.Cut(w, "=")
			return contains(flags, name)
		})
	}
	switch {
	case c.Name != "rg" && c.Name != "ag" && c.Name != "ack",
		has("--files", "--type-list", "--list-file-types", "--help-types"):
		return false
	}
	patterns := has("-f", "--file") || anyOf(c.Argv[1:], func(w string) bool {
		return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "f")
	}) // it may read its patterns there
	return !c.sole || patterns
}

// mayRecurse reports whether a word of grep that is not known may be -r. If all that is known of it
// is a flag, as in $x-r, it may search where it stands, too.
func mayRecurse(o *operands) (may bool) {
	for i := 1; i < len(o.c.Argv) && strings.HasSuffix(o.a.program, "grep"); i++ {
		if w, info := o.c.Argv[i], o.c.info[i]; o.c.may(i) == nil && info.mayFlag(w) &&
			!info.listed() {
			may = true
			if strings.HasPrefix(variableOf().ReplaceAllString(w, ""), "-") {
				o.f.unknown(false, dynamicWord, w)
			}
		}
	}
	return may
}

// recurses reports whether the value of -d may tell grep to search below folders: -d rec.
func recurses(o *operands) bool {
	argv := o.c.Argv
	for i := 1; i < len(argv) && strings.HasSuffix(o.a.program, "grep"); i++ {
		name, value, has := strings.Cut(argv[i], "=")
		switch {
		case len(name) > shortest && strings.HasPrefix("--directories", name):
		case spells(argv[i], "-d"):
			_, value, _ = strings.Cut(argv[i], "d")
			has = value != ""
		default:
			continue
		}
		at := i
		if !has && i+1 < len(argv) {
			at, value = i+1, argv[i+1]
		}
		if strings.HasPrefix(value, "rec") || !o.c.Static[at] {
			return true
		}
	}
	return false
}

// keepNames sets the filter of the paths that were added after the first n.
func (f *finder) keepNames(n int, filter string) {
	for i := range f.out.All[n:] {
		f.out.All[n+i].Filter = filter
	}
}

// seesHidden reports whether a word tells rg, ag or ack to leave out less.
func seesHidden(w string) bool {
	return contains([]string{"--hidden", "-.", "-u", "-uu", "-uuu",
		"--unrestricted", "--directories=recurse", "recurse"}, w)
}

// mayUnhide reports whether a word may tell rg to search hidden files: all, or those whose names
// fit.
func mayUnhide(w string) bool {
	return seesHidden(w) || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") &&
		strings.ContainsAny(w, "ugt.") || anyOf(
		strings.Fields("--glob --iglob --type --hid --unr"),
		func(flag string) bool { return strings.HasPrefix(w, flag) })
}

// sortOutput adds what sort -o writes; uniq and xxd write their second word.
func (o *operands) sortOutput() {
	switch o.a.program {
	case "uniq", "xxd":
		o.each(o.all[min(1, len(o.all)):], true, false)
	case "sort", "iconv", "shuf", "less":
		for _, flag := range []string{"output", "log-file", "LOG-FILE"} {
			for _, v := range o.given(flag) {
				o.value(v, true)
			}
		}
	}
}

// value is the value of a flag.
type value struct {
	text  string
	known bool
	info  word
}

// given returns the values of a flag, by its long name, in every spelling.
func (o *operands) given(name string) (out []value) {
	set, c := o.a.set, o.c
	names := set.names(name)
	for i := 1; i < len(c.Argv) && c.Argv[i] != "--"; i++ {
		next := false // the next word is a value
		for _, w := range c.may(i) {
			one, text, has := o.flag(w)
			switch is := contains(names, one); {
			case has && is:
				out = append(out, value{text, true, word{}})
			case !has && set.valued[one]:
				if next = true; i+1 < len(c.Argv) && is {
					out = append(out, valuesOf(c, i+1)...)
				}
			}
		}
		if next && c.Static[i] {
			i++
		}
	}
	return out
}

// valuesOf returns the values that word i may have.
func valuesOf(c *Command, i int) (out []value) {
	if c.Static[i] || c.info[i].values == nil {
		return []value{{c.Argv[i], c.Static[i], c.info[i]}}
	}
	for _, text := range c.info[i].values {
		out = append(out, value{text, true, word{glob: Pattern(text)}})
	}
	return out
}

// flag returns the name of the flag of a word that may have a value, "" if there is none, and the
// value if it is in the word.
func (o *operands) flag(w string) (name, text string, has bool) {
	set := o.a.set
	switch {
	case len(w) < 2 || w[0] != '-':
		return "", "", false
	case strings.HasPrefix(w, "--"):
		name, text, has = strings.Cut(w[2:], "=")
		if may := set.resolveFlag(name); len(may) == 1 {
			name = may[0]
		}
		return name, text, has
	}
	at := strings.IndexFunc(w[1:], func(r rune) bool { return set.valued[string(r)] })
	if at < 0 {
		return "", "", false
	}
	text = w[at+2:]
	return w[at+1 : at+2], text, text != ""
}

// value adds the value of a flag as a path.
func (o *operands) value(v value, writes bool) {
	if !v.known {
		o.f.unknown(writes, dynamicWord, v.text)
		return
	}
	o.f.addPath(o.c.in, Path{Name: v.info.home(v.text), Writes: writes, Pattern: v.info.glob})
}

// beside adds files whose names are the words with a suffix appended.
func (o *operands) beside(all []int, ending string) {
	for _, i := range all {
		if o.c.Static[i] {
			o.f.addPath(o.c.in, Path{Name: o.c.info[i].home(o.c.Argv[i]) + ending, Writes: true,
				Pattern: o.c.info[i].glob})
		}
	}
}

// rewrites adds the files of gzip and similar programs: they remove a file and write one with
// another extension.
func (o *operands) rewrites(deep bool) {
	o.each(o.all, false, deep)
	o.each(o.all, true, deep)
	ending, ok := map[string]string{"gzip": ".gz", "xz": ".xz", "bzip2": ".bz2", "zstd": ".zst",
		"lz4": ".lz4", "compress": ".Z"}[o.a.program]
	if ok {
		o.beside(o.all, ending)
	}
	folder := anyOf(o.c.Argv, // of zstd
		func(w string) bool { return strings.HasPrefix(w, "--output-dir") })
	if !formatters()[o.a.program] && (folder || deep || o.a.has(o.c, "S") != no ||
		o.a.has(o.c, "suffix") != no || restoresName(o) ||
		setInLine(o.f.s, "XZ_OPT", "XZ_DEFAULTS")) {
		o.f.unknown(true, ownNames, "")
	}
	for _, i := range o.all { // for decompression
		if name := o.c.Argv[i]; o.c.Static[i] {
			o.text(strings.TrimSuffix(name, path.Ext(name)), true)
		}
	}
}

// restoresName reports whether a program writes the file under the name that an archive holds.
func restoresName(o *operands) bool {
	return (o.a.has(o.c, "N") != no || o.a.has(o.c, "name") != no) &&
		(o.a.program == "gunzip" || o.a.has(o.c, "d") != no || o.a.has(o.c, "decompress") != no ||
			o.a.has(o.c, "uncompress") != no)
}

// formatters rewrite files in place, under their names.
var formatters = setOf("dos2unix unix2dos gofmt goimports prettier black isort")

// edits adds the files that sed reads or, with -i, writes. The value of -i is the suffix of a
// backup copy.
func (o *operands) edits() {
	inPlace, all := o.a.has(o.c, "in-place") == yes, o.all
	if o.skipFirst(inPlace, false); !inPlace {
		return
	}
	if len(all) > 0 && o.a.has(o.c, "expression") == no { // the first one is the script
		all = all[1:]
	}
	for i, w := range o.c.Argv[1:] {
		name, ending, _ := strings.Cut(w, "=")
		if !strings.HasPrefix(w, "--") {
			flags, rest, has := strings.Cut(w, "i")
			if !has || flags == "" || flags[0] != '-' || strings.Trim(flags[1:], "nErszu") != "" {
				continue
			}
			ending = rest
		} else if !strings.HasPrefix("--in-place", name) {
			continue
		}
		switch {
		case !o.c.Static[i+1] || ending != "" && o.passed() || strings.ContainsAny(ending, "*/"):
			o.f.unknown(true, ownNames, "")
		case ending != "": // a copy
			o.each(all, false, false)
			o.beside(all, ending)
		}
	}
}

// passed reports whether find passes files to the command.
func (o *operands) passed() bool {
	return slices.ContainsFunc(o.c.info, func(w word) bool { return w.found != nil })
}
