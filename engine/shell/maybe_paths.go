// This file determines which words may be paths if the program's use of its words is unknown.

package shell

import (
	"net/url"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

// Maybe is a word that may be a path, passed to a program whose use of its words is unknown.
type Maybe struct {
	Name    string // as in Path
	By      string // the program
	Writes  bool   // the path may be written as well as read; otherwise only read
	Pattern bool   // Name is a pattern of file names
	Folder  bool   // the path lies in Name; its last part is not known
	Tree    bool   // the path is any in the work tree of git that holds Name
	Inside  bool   // the path is any below Name, or below a folder to which a link there leads
	Made    bool   // parts of Name are glob.Unknown
	Near    bool   // with Made: the path lies directly in the folder that Name begins with
	Word    bool   // Name is a word such as id_rsa or v1.2, and may be no path
	Value   bool   // it follows a flag such as --output, whose value is a path
	Below   bool   // all files below it are meant, too
	Only    string // as in Path

	Split, Tracked, FromRoot bool // as in Path

	// Recorded: Name is the folder in which git runs, and a file that git has recorded is meant
	// that this path names, or below it. One that begins with / begins at the root of the work
	// tree. "" = the path is Name. Files are names, separated by line ends: if some of them exist,
	// only those are meant, or what is below them.
	Recorded, Files string
}

// maxMaybe limits the length of such a path in bytes. Longer words are treated as text.
const maxMaybe = 4 << 10

// silentPrograms are programs whose words are text, numbers and names, or paths that they only look
// up.
var silentPrograms = setOf(": true false echo printf cd pushd popd dirs export unset set shift " +
	"local declare typeset readonly let test [ exit return break continue wait jobs fg bg kill " +
	"trap eval ulimit umask alias unalias type hash which whereis whatis apropos man help " +
	"getopts times shopt compgen complete disown sleep seq expr date cal id groups whoami uname " +
	"hostname nproc getconf ps pgrep pkill killall lsof fuser top free uptime df printenv " +
	"basename dirname yes clear tput stty tty locale arch ping dig nslookup host lsattr getfacl " +
	"lsblk mountpoint fd fdfind pidof")

// fileFlag matches the flags with which such programs read a file.
var fileFlag = lazyregexp.New(`^(-[fF]|--(f(i(le?)?)?|l[a-z-]*|files0-from))(=|$)|^-l$|^-[fF].`)

// fileReaders are those of them that have such flags.
var fileReaders = setOf("date dig hostname man host nslookup expr history tput")

// checkPrograms are programs that test, check, build or list their operands, and write only the
// file that a flag names.
var checkPrograms = setOf("go cargo pytest py.test unittest jest vitest mocha ava tap phpunit " +
	"rspec tsc eslint tslint biome oxlint stylelint prettier mypy pyright pyre ruff flake8 " +
	"pylint bandit golangci-lint staticcheck revive govulncheck shellcheck hadolint " +
	"yamllint markdownlint actionlint luacheck rubocop clippy-driver cppcheck clang-tidy ctest " +
	"nextest bats eza exa hexyl difft delta locate agent nm objdump readelf ldd size codespell")

// testRunners are programs that do so after a word such as test.
var testRunners = setOf("npm pnpm yarn bun deno mix rails rake dotnet swift make gmake just task " +
	"gradle gradlew mvn mvnw composer poetry hatch nox tox meson bazel buck2 zig dart flutter")

// testWord matches such a word.
var testWord = lazyregexp.New(`^(t|(test|lint|check|typecheck)([:_-].*)?)$`)

// changing matches words with which such a program changes the files that its operands name.
var changing = lazyregexp.New(`^(fmt|format|fix|generate|mod|` +
	`--?(fix|write|apply|update|in-?place|format|exec)[\w-]*|-w)$`)

// outputFlag matches a flag that may be followed by a path that is written.
var outputFlag = lazyregexp.New(
	`(?i)^-[fodC]$|^--?[\w-]*(out|report|log|file|dir|dest|xml|json|prof|cov|save|cache|path)`)

// homeOf matches a word that begins with a variable for the home or the current directory.
var homeOf = lazyregexp.New(
	`^(-\w{1,4}|[^"$=]*=)?"?\$(?:(HOME|PWD)|\{(HOME|PWD)\})"?(/[^"$]*)?"?$`)

// maybes adds the words of c that may be paths. The program of c is not in files.
func (f *finder) maybes(c *Command) {
	name := programName(c.Name)
	// a flag is the "name" of the command of a wrapper with unknown flags
	if c.Name == "" || c.Name[0] == '-' || silentPrograms()[name] {
		f.fileFlags(c, name)
		return
	}
	if namesServices(c) && !f.s.shadows() {
		return
	}
	end := len(c.Argv)
	// its command is a separate entry, but words after unknown flags may be their values
	if w, ok := wrapperOf(c.Name); ok && !w.loose {
		end = min(end, skipWrapper(c.Argv, w))
	}
	if at := c.launches(); at > 0 { // so is the command of npx
		end = at
	}
	f.foldersRead(c)
	if c.Name == "parallel" {
		f.lists(c)
	}
	if c.Name == "entr" { // it puts a name that it reads in place of this word
		for _, w := range c.Argv {
			if strings.Contains(w, "/_") {
				f.unknown(true, dynamicWord, w)
			}
		}
	}
	// the operands of a formatter are files and folders
	fixes := checkPrograms()[name] && !shows(c) &&
		anyOf(c.Argv[1:], changing().MatchString)
	onlyChecks, script := checks(c, name), c.script()
	for i := 1; i < end; i++ {
		w := c.Argv[i]
		if isShell(c.Name) && strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") {
			i++ // a text that was parsed as commands
			continue
		}
		operand := !strings.HasPrefix(w, "-")
		isValue := fixes || i > 1 && !strings.Contains(c.Argv[i-1], "=") &&
			outputFlag().MatchString(c.Argv[i-1])
		m := Maybe{By: c.Name, Writes: !operand || w != script && (!onlyChecks || isValue),
			Value: isValue}
		f.maybe(c, i, m)
		if name, _, _ := strings.Cut(w, "="); textFlag().MatchString(c.Argv[i-1]) ||
			textFlag().MatchString(name) || !interpretsText(c) {
			continue
		}
		f.mentionsOf(c, i, m)
	}
}

// lists adds the files from which parallel reads words: those after ::::.
func (f *finder) lists(c *Command) {
	reads := false
	for i := c.own(); i < len(c.Argv); i++ {
		if strings.HasPrefix(c.Argv[i], ":::") {
			reads = strings.HasPrefix(c.Argv[i], "::::")
		} else if reads {
			f.maybe(c, i, Maybe{By: c.Name, Value: true})
		}
	}
}

// fileFlags adds the files that c reads, a program whose words are otherwise no files.
func (f *finder) fileFlags(c *Command, name string) {
	if c.Open && fileReaders()[name] {
		f.unknown(false, added, "")
	}
	for i := 1; i < len(c.Argv) && fileReaders()[name]; i++ {
		m := Maybe{By: c.Name, Writes: name == "history"}
		if w := c.Argv[i]; fileFlag().MatchString(w) || fileFlag().MatchString(c.Argv[i-1]) ||
			name == "man" && strings.Contains(w, "/") || name == "history" && w[0] != '-' {
			f.maybe(c, i, m)
		}
	}
}

// shows reports whether a flag lets a formatter only show what it would change: ruff format --diff.
func shows(c *Command) bool {
	return contains(c.Argv, "format") && (contains(c.Argv, "--check") ||
		contains(c.Argv, "--diff"))
}

// checks reports whether c is known not to write the files that its operands name.
func checks(c *Command, name string) bool {
	if !shows(c) && anyOf(c.Argv[1:], changing().MatchString) {
		return false
	}
	if name == "run-parts" {
		return contains(c.Argv, "--list") || contains(c.Argv, "--test")
	}
	return checkPrograms()[name] || checkPrograms()[c.module()] || testRunners()[name] &&
		anyOf(c.Argv[1:min(3, len(c.Argv))], testWord().MatchString)
}

// maybe adds what word i may name; m has the other fields.
func (f *finder) maybe(c *Command, i int, m Maybe) {
	w, info := c.Argv[i], c.info[i]
	if info.pipe { // a text; to others than these it may be a list of files, or a program
		way, known := fileWays()[programName(c.Name)]
		if !known && isInput(c, i) {
			return
		}
		if !known || way != reads && way != behindOne && way != likeSed {
			f.unknown(false, dynamicWord, w)
		}
		return
	}
	if c.Static[i] {
		m.Pattern = info.glob
		f.spellings(c, w, m)
		return
	}
	if found := info.found; found != nil { // find passes them
		for _, one := range found {
			m.Name, m.Below, m.Pattern = one.Name, one.Below, one.Pattern
			m.Only, m.Split = one.Only, one.Split
			m.Tracked, m.FromRoot = one.Tracked, one.FromRoot
			f.addMaybe(c.in, m)
		}
		return
	}
	if text := underHome(w); text != "" {
		f.spellings(c, text, m)
		return
	}
	if info.shapes != nil && !strings.HasPrefix(w, "-") {
		if isRevision(c, i) || contains([]string{"--set", "--set-string", "--build-arg"},
			c.Argv[i-1]) {
			return
		}
		f.addShapes(c.in, info.shapes, m, false)
		return
	}
	if info.values == nil && f.s.derived(info) && !textFlag().MatchString(c.Argv[i-1]) &&
		!isTag(c, i) {
		f.unknown(m.Writes, dynamicWord, w)
	}
	// the variables of the environment may be empty: $dir.env
	if left := variableOf().ReplaceAllString(w, ""); info.values == nil && left != "" &&
		left != w && !strings.ContainsAny(left, "$`") {
		f.spellings(c, strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(left), m)
	} else if info.values == nil && left != w && strings.Contains(left, "$'") { // $'.env'$x
		f.unknown(m.Writes, dynamicWord, w)
	}
	for _, one := range info.values {
		m.Pattern = Pattern(one)
		f.spellings(c, one, m)
	}
	if at := strings.LastIndexByte(info.prefix, '/'); info.values == nil && at >= 0 {
		m.Folder = true
		f.spellings(c, info.prefix[:at+1], m)
	}
}

// isInput reports whether word i of openssl is the input that it reads, and no settings.
func isInput(c *Command, i int) bool {
	return c.Name == "openssl" && has("-in -CAfile -cert -key -inkey", c.Argv[i-1])
}

// underHome returns a word that begins with such a variable as a path; "" = it does not.
func underHome(w string) string {
	parts := homeOf().FindStringSubmatch(w)
	switch {
	case parts == nil:
		return ""
	case parts[2]+parts[3] == "PWD":
		return parts[1] + "." + parts[4]
	}
	return parts[1] + "~" + parts[4]
}

// fileVariable matches the names of variables that name files for programs, or for the shell.
var fileVariable = lazyregexp.New(`FILE|LOG|TRACE|CONFIG|OUTPUT|DUMP|MAGIC|HIST|OPT`)

// variables adds the files that variables name: those of the environment of c, and those that c
// sets for later commands, judged by their names.
func (f *finder) variables(c *Command) {
	lasts := len(c.Argv) == 0 || c.Name == "export" || c.Name == "declare" || c.Name == "typeset"
	for i, w := range c.paths {
		names := fileVariable().MatchString(c.Assign[i]) || f.passesOn(c.Assign[i])
		if w.prefix != "" && (names || !lasts) {
			m := Maybe{By: c.Assign[i], Writes: true}
			if f.spellings(c, w.prefix, m); strings.ContainsAny(w.prefix, " \t") {
				f.mentions(c, w.prefix, m)
			}
		} else if f.s.derived(w) && (strings.HasPrefix(c.Assign[i], "GIT_") ||
			c.Assign[i] == "HISTFILE" ||
			!lasts && fileVariable().MatchString(c.Assign[i])) {
			f.unknown(true, dynamicWord, c.Assign[i])
		}
	}
	if contains([]string{"read", "printf", "mapfile", "readarray", "getopts", "declare",
		"typeset", "local"}, c.Name) &&
		anyOf(c.Argv[1:], fileVariable().MatchString) {
		f.unknown(true, dynamicWord, c.Text)
	}
	if c.Name != "env" && c.Name != "sudo" && c.Name != "doas" {
		return
	}
	w, _ := wrapperOf(c.Name)
	for i := skipWrapper(c.Argv, w); i < len(c.Argv) && assigns(c.Argv[i]); i++ {
		f.maybe(c, i, Maybe{By: c.Name, Writes: true})
	}
}

// passesOn reports whether a variable of a program gets its value from this one.
func (f *finder) passesOn(name string) bool {
	if f.from == nil {
		f.from = map[string]bool{}
		for i := range f.s.Commands {
			for _, w := range f.s.Commands[i].paths {
				for _, one := range w.names {
					f.from[one] = true
				}
			}
		}
	}
	return f.from[name]
}

// variableOf matches a variable in a word.
var variableOf = lazyregexp.New(`\$(\w+|\{\w+\})`)

// textFlag matches a flag that is followed by a text for people.
var textFlag = lazyregexp.New(`^(-m|--?(message|title|body|notes?|description|reason|comment|` +
	`author|committer|grep|since|until|pretty))$`)

// isTag reports whether word i of c is the name that a program gives to an image that it builds.
func isTag(c *Command, i int) bool {
	return contains([]string{"docker", "podman", "nerdctl", "buildah"}, c.Name) &&
		contains(c.Argv[:i], "build") && !c.info[i].splits &&
		(c.Argv[i-1] == "-t" || c.Argv[i-1] == "--tag")
}

// knownOutput stands in the names of a word for a substitution whose output is known in part.
const knownOutput = "()"

// derived reports whether the text of a word depends on what the command line itself computes, and
// not only on variables of the environment.
func (s *Script) derived(w word) bool {
	return anyOf(w.names, func(name string) bool {
		return name == knownOutput && s.shadows() || name != knownOutput && s.unsure(name)
	})
}

// unsure reports whether a variable depends on what the command line itself computes.
func (s *Script) unsure(name string) bool {
	return s.vars.blind || s.vars.held[name] != nil || !syntax.ValidName(name) ||
		setByLine()[name] || strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "COMP_")
}

// setByLine are variables that the shell sets to what a command line contains or prints.
var setByLine = setOf("_ IFS REPLY MAPFILE COPROC PIPESTATUS OPTARG OPTIND DIRSTACK FUNCNAME " +
	"HISTCMD")

// spellings adds the paths that a word may contain. m describes the word.
func (f *finder) spellings(c *Command, w string, m Maybe) {
	for _, one := range Spellings(w) {
		m.Name, m.Word = one.Name, one.Word && !m.Value
		f.addMaybe(c.in, m)
	}
}

// Spellings returns the paths that a word, or another text that a program gets, may contain: the
// whole word, the text after = or after the letter of a flag, the parts of a list, the path of a
// file: address. Only Name and Word are set.
func Spellings(w string) []Maybe {
	if strings.ContainsAny(w, "\n\x00") {
		return nil
	}
	return pathsIn(w)
}

// pathsIn is Spellings for a word of which parts may be unknown.
func pathsIn(w string) (out []Maybe) {
	if len(w) > maxMaybe {
		return nil
	}
	var all []string
	flag := strings.HasPrefix(w, "-")
	if !flag {
		all = append(all, w)
	} else if key, _, sets := strings.Cut(w, "="); len(w) > 2 && w[1] != '-' &&
		(!sets || strings.Contains(key, "/")) {
		all = append(all, w[2:])
		// letters of other flags come before
		if rest := strings.TrimLeft(w[2:], letters); rest != w[2:] && rest != "" &&
			strings.ContainsAny(rest[:1], "./~") {
			all = append(all, rest)
		}
	}
	if _, value, ok := strings.Cut(w, "="); ok {
		all = append(all, value)
	}
	for _, one := range slices.Clone(all) {
		if strings.ContainsAny(one, ":,=@%") && !strings.Contains(one, "://") {
			all = append(all, strings.FieldsFunc(one, func(r rune) bool {
				return strings.ContainsRune(":,=@%", r)
			})...)
		}
	}
	for _, one := range all {
		one = WithoutScheme(strings.TrimPrefix(one, "@"))
		if strings.Contains(one, "://") || one == "." || one == ".." {
			continue
		}
		out = append(out, Maybe{Name: one, Word: one != "" && !strings.ContainsAny(one, "/ ") &&
			!strings.ContainsAny(one[:1], ".~")})
	}
	return out
}

// WithoutScheme returns the path of a file: address, and other texts as they are.
func WithoutScheme(text string) string {
	if len(text) < len("file:/") || !strings.EqualFold(text[:len("file:/")], "file:/") {
		return text
	}
	text = text[len("file:"):]
	if rest, ok := strings.CutPrefix(text, "//"); ok {
		if text = rest; rest != "" && rest[0] != '/' && rest[0] != '.' { // //localhost/path
			if at := strings.IndexByte(rest, '/'); at > 0 {
				text = rest[at:]
			}
		}
	}
	text, _, _ = strings.Cut(text, "?")
	text, _, _ = strings.Cut(text, "#")
	if path, err := url.PathUnescape(text); err == nil {
		return path
	}
	return text
}

// shaped adds what word i of c, an operand, may name, if some of its text is known. It returns
// false if it may name anything.
func (f *finder) shaped(c *Command, i int, writes, deep bool) bool {
	switch w := c.info[i]; {
	case w.shapes == nil || w.splits:
		return false
	case isRevision(c, i):
		return true
	case !deep:
		f.addShapes(c.in, w.shapes, Maybe{By: c.Name, Writes: writes}, true)
	}
	return !deep
}

// aRevision matches a word that is a revision, or two, with gitName for what git has printed.
var aRevision = lazyregexp.New(
	`^([\w/]+\.\.\.?)?` + gitName + `[~^0-9]*(\.\.\.?[\w/~^` + gitName + `]*)?$`)

// isRevision reports whether a word of git, as it is derived from what git printed, is the name of
// a revision. Git refuses one that is also that of a file.
func isRevision(c *Command, i int) bool {
	if c.Name != "git" {
		return false
	}
	a := c.sorted()
	return (has("diff log show shortlog", a.sub) || a.sub == "checkout" &&
		!anyOf(c.Argv[min(a.first, i):i], func(w string) bool {
			return !has("-q --quiet -f --force --detach", w)
		}) && i >= a.first) &&
		!contains(c.Argv[:i], "--") &&
		!anyOf(c.info[i].shapes,
			func(shape string) bool { return !aRevision().MatchString(shape) })
}

// addShapes adds paths of which parts are unknown; m has the other fields. known reports that the
// program is known to take paths.
func (f *finder) addShapes(in *place, shapes []string, m Maybe, known bool) {
	for _, one := range shapes {
		one = strings.ReplaceAll(one, gitName, glob.Unknown)
		for _, part := range pathsIn(one) {
			m.Name, m.Made = part.Name, strings.Contains(part.Name, glob.Unknown)
			if places()[m.By] && strings.Contains(part.Name, glob.Unknown+":") {
				continue // a file in a container
			}
			// a part that looks like no path, such as a tag, is none to a program that is not known
			if strings.ContainsAny(part.Name, "/.~") || known {
				f.addMaybe(in, m)
			}
		}
	}
}

// addMaybe adds a path, relative to each directory in which its command may run.
func (f *finder) addMaybe(in *place, m Maybe) {
	switch {
	case ignored(m.Name):
		if m.Writes && opensAgain(m.Name) {
			f.unknown(true, dynamicWord, m.Name)
		}
		return
	case m.Made && contains(strings.Split(m.Name, "/"), ".."): // it leads anywhere
		f.unknown(m.Writes, dynamicWord, strings.ReplaceAll(m.Name, glob.Unknown, "…"))
		return
	case rooted(m.Name):
		f.out.Maybe = append(f.out.Maybe, m)
		return
	}
	for _, dir := range in.now {
		one := m
		one.Name = within(dir, m.Name)
		f.out.Maybe = append(f.out.Maybe, one)
	}
}
