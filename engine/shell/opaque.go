// This file finds the parts of a command line whose effect is unknown.

package shell

import (
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/shell/internal/code"
	"github.com/agentscripts/agent/engine/shell/internal/dialect"
)

// Opaque is a part of a command line whose effect cannot be predicted.
type Opaque struct {
	// Kind is "dynamic": the command is known only when it runs; "stdin": a program runs its input;
	// "file": a file is run that the same command line writes, or whose name is unknown;
	// "interpreter": code in another language is run; "alias": from there on a name has another
	// meaning.
	Kind    string
	Text    string // as written
	Pos     int    // as of a Command
	Command int    // its index in the list
}

// Opaque returns the parts whose effect is unknown. It does not include programs that are merely
// unknown.
func (s *Script) Opaque() (out []Opaque) {
	if s.judged {
		return slices.Clone(s.unclear)
	}
	echoes, wrote := !s.declares("echo"), sync.OnceValue(s.wrote)
	flags := sync.OnceValue(func() bool { return namesFlag(s) })
	movesHome, written := sync.OnceValue(s.movesHome), sync.OnceValue(s.writtenTexts)
	aliases := sync.OnceValue(func() bool { return onlyAliases(s) })
	runs := once(func(program string) bool { return runsWritten(program, written()) })
	compiles := anyCommand(s, func(c Command) bool {
		return compilers().MatchString(c.Name) || otherCompilers()[c.Name]
	})
	for i := range s.Commands {
		c := &s.Commands[i]
		kind := c.opaque()
		_, code := projectCode(c)
		switch {
		case c.fed && !echoes, c.Hides == "interpreter" && s.declares("nproc", "sysctl", "getconf"):
			kind = c.Hides
		case kind == "alias" && aliases():
			kind = ""
		case kind == "" && len(s.functions) > 0 && setsUp(c): // the program may be one of them
			kind = "dynamic"
		case kind == "" && contains(c.Assign, "PATH") && wrote().fakes():
			kind = "file"
		case kind == "" && (c.foreign ||
			c.Name == "git" && movesHome()):
			kind = "file"
		case kind == "" && (runsByFlag(c) && flags() || mayGetScript(s, c)):
			kind = "dynamic"
		case kind == "" && compiles && wrote().namesBuilt(c):
			kind = "file"
		case kind == "" && dialect.Queries(c.Name) && wrote().runsQueries(s, i, written()):
			kind = "file"
		case kind == "" && dialect.Knows(c.Name) && runs(c.Name):
			kind = "interpreter"
		case kind == "" && (c.runs() != nil || code || s.finds || foundByLauncher(c) ||
			takesPlugins()[c.Name] || anyOf(c.Assign, settingsFile().MatchString)) &&
			wrote().ran(c):
			kind = "file"
		}
		if kind != "" {
			out = append(out, Opaque{kind, c.Text, c.Pos, i})
		}
	}
	return out
}

// onlyAliases reports whether the line only defines aliases, which no command of it uses.
func onlyAliases(s *Script) bool {
	return len(s.functions) == 0 && !slices.ContainsFunc(s.Commands, func(c Command) bool {
		return c.Name != "alias" && !contains(c.Via, "alias")
	})
}

// foundByLauncher reports whether npx or the like looks for the program of c in the project.
func foundByLauncher(c *Command) bool {
	if len(c.Via) == 0 {
		return false
	}
	_, launches := launchers[c.Via[len(c.Via)-1]]
	return launches
}

// movesHome reports whether the line sets where programs look for settings.
func (s *Script) movesHome() bool {
	return anyCommand(s, func(c Command) bool {
		is := func(name string) bool { return name == "HOME" || name == "XDG_CONFIG_HOME" }
		return anyOf(c.Assign, is) || anyOf(c.Argv,
			func(w string) bool {
				name, _, sets := strings.Cut(w, "=")
				return sets && is(name)
			})
	})
}

// declares reports whether one of these names is that of a declared function.
func (s *Script) declares(names ...string) bool {
	return anyOf(s.functions,
		func(f string) bool { return contains(names, f) })
}

// opaque returns the Kind of the unknown part of c; "" = there is none.
func (c *Command) opaque() string {
	for i, name := range c.Assign {
		if c.loads(name, i) {
			return "file"
		}
	}
	if (c.Name == "sed" || c.Name == "gsed") && (filter{c}).sedActs() {
		return "interpreter"
	}
	switch {
	case c.Name == "git" && setsPush(c):
		return "alias"
	case c.Name == "git" && c.gitActs(), c.Name == "uv" &&
		(contains(c.Argv, "-") || contains(c.Argv, "-m") &&
			anyOf(c.Argv,
				func(a string) bool { return contains(readers, a) })):
		return "interpreter"
	case contains([]string{"env", "sudo", "doas", "go",
		// as words of command and builtin
		"export", "declare", "typeset", "local", "readonly"}, c.Name):
		if anyOf(c.Argv, func(a string) bool {
			name, value, sets := strings.Cut(a, "=")
			return sets && steers(name, value) || strings.HasPrefix(a, "BASH_FUNC_")
		}) {
			return "file"
		}
	case c.Name == "crontab":
		if !contains(c.Argv, "-l") && !contains(c.Argv, "-r") {
			return "file"
		}
	case c.Name == "run-parts": // it runs the files of a folder
		if !contains(c.Argv, "--test") && !contains(c.Argv, "--list") {
			return "file"
		}
	case dialect.Runs(c.Name, c.stdinText), anyOf(c.Argv,
		func(a string) bool { return dialect.Runs(c.Name, a) }):
		return "interpreter"
	case contains([]string{"troff", "groff", "nroff", "gtroff"}, c.Name): // unsafe: .sy
		if anyOf(c.Argv[1:], func(a string) bool { return spells(a, "-U") }) {
			return "interpreter"
		}
	case c.evaluates():
		return "interpreter"
	case expandsHistory(c):
		return "dynamic"
	case typesKeys(c):
		return "stdin"
	case c.Name == "bind" && contains(c.Argv, "-x"):
		return "dynamic"
	}
	switch {
	case c.Hides == "" || c.fed:
		return ""
	case len(c.Argv) == 0 || c.Name == "":
		return c.Hides
	case c.Name == "alias" || c.Name == "hash" || c.Name == "enable":
		return "alias"
	case c.Name == "xargs" || c.Name == "parallel": // xargs itself is reported
		return c.opaqueFed()
	case c.Hides == "interpreter" && c.harmless(), c.script() != "", onlyConnects(c),
		c.Hides == "file" && setsUp(c),
		(isShell(c.Name) || interprets(c.Name)) && c.tells():
		return ""
	}
	return c.Hides
}

// once returns a function that calls f once for each name.
func once(f func(name string) bool) func(name string) bool {
	known := map[string]bool{}
	return func(name string) bool {
		is, ok := known[name]
		if !ok {
			is = f(name)
			known[name] = is
		}
		return is
	}
}

// runsWritten reports whether a line writes a text, for a database or a manager of packages, that
// runs a program. written are its texts, by the names of their files.
func runsWritten(program string, written map[string]string) bool {
	for _, text := range written {
		if dialect.Runs(program, text) {
			return true
		}
	}
	return false
}

// runsByFlag reports whether a file may have the name of a flag of c with which c runs a program:
// touch ./-esh; rsync * host:
func runsByFlag(c *Command) bool {
	sed := c.Name == "sed" || c.Name == "gsed"
	if carriers()[c.Name] == nil && !sed {
		return false
	}
	for i, w := range c.info {
		if w.glob && w.mayFlag(c.Argv[i]) || sed && w.listed() {
			return true
		}
	}
	return sed && c.Open
}

// mayGetScript reports whether c, which is sed, may get a script among the words that another
// program passes to it, which are not names of files.
func mayGetScript(s *Script, c *Command) bool {
	if c.Name != "sed" && c.Name != "gsed" || !c.Open {
		return false
	}
	_, _, ok := fromList(s, c)
	return !ok
}

// evaluators run a text in a general-purpose language if one of these words is among theirs.
// Without, they read files, or are interactive.
var evaluators = byProgram([]carrier{
	{"swift ghc", "-e"}, {"nim", "-e --eval"}, {"rails", "runner r"}, {"mix", "-e --eval eval"},
	{"kotlin kotlinc raku perl6 bb lein ocaml v qjs quickjs d8 bpftrace stap dtrace mongosh " +
		"mongo hy janet fennel swipl gosh csi chez hhvm rhino jjs jrunscript joker amm jbang r2 " +
		"radare2 mlr sage newlisp picolisp", "-e -c -n eval --eval runner r put filter"},
	{"ipython bpython ptpython", "-c -i"}, {"rake",
		"-e -E -p --execute --execute-print --execute-continue"},
	{"just", "-c --command --shell --shell-arg"}, {"make gmake", "-E --eval"}, {"kitty", "+runpy"},
	{"artisan", "--execute"}, {"brew scala-cli", "-e"}, {"fc", "-s -e"},
	{"crystal deno nickel dart", "eval --eval"}, {"dotnet", "fsi script"},
	{"wolframscript wolfram", "-code -run -c"}, {"maxima", "--batch-string"}, {"redis-cli", "eval"},
	{"matlab", "-r -batch"}, {"code cursor", "--command"},
})

// pushes matches settings of git that change what every push does.
var pushes = lazyregexp.New(`(?i)^remote\..*\.(push|mirror)$`)

// setsPush reports whether git changes what every push does, or may.
func setsPush(c *Command) bool {
	has := func(word string) bool { return contains(c.Argv, word) }
	config, remote := has("config"), has("remote") || has("clone")
	names := slices.Index(c.Argv, "config") + 1 // where the name of the setting may be
	for i := 1; i < len(c.Argv); i++ {
		key, _, _ := strings.Cut(c.info[i].prefix, "=")
		if i == names && (c.Argv[i] == "set" || strings.HasPrefix(c.Argv[i], "-")) {
			names++
		}
		if all := c.may(i); all == nil && (config && key == "" && i == names ||
			pushes().MatchString(key) && c.Argv[i-1] == "-c") {
			return true
		}
		if anyOf(c.may(i), func(a string) bool {
			return config && (pushes().MatchString(a) || a == "edit" || a == "-e" ||
				len(a) > 3 && strings.HasPrefix("--edit", a)) ||
				remote && strings.HasPrefix(a, "--m") && a != "--mirror=fetch"
		}) {
			return true
		}
	}
	return false
}

// uploads matches flags of git clone, in one word, that name the program on the other side: -qu.
var uploads = lazyregexp.New(`^-[vqlsn46]*u`)

// includes matches a setting of git that names a file with settings.
var includes = lazyregexp.New(`(?i)^include(if\..*)?\.path=`)

// gitActs reports whether git runs a command that one of its words names, now or later.
func (c *Command) gitActs() bool {
	has := func(word string) bool { return contains(c.Argv, word) }
	return has("for-each-repo") || has("clone") && anyOf(c.Argv,
		func(a string) bool { return uploads().MatchString(a) }) ||
		anyOf(c.Argv,
			func(a string) bool { return strings.HasPrefix(a, "--config-env") }) ||
		anyOf(c.Argv, func(a string) bool {
			key, value, _ := strings.Cut(a, "=")
			return strings.Contains(a, "ext::") || editsPlan().MatchString(value) &&
				(strings.EqualFold(key, "sequence.editor") ||
					strings.EqualFold(key, "core.editor")) ||
				!has("config") && includes().MatchString(a) ||
				has("grep") && (strings.HasPrefix(a, "-O") || strings.HasPrefix(a, "--op"))
		})
}

// compilers matches compilers that can be told to run another program.
var compilers = lazyregexp.New(`(^|-)(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(-[0-9.]+)?$`)

// evaluates reports whether c runs one of its words as a program text.
func (c *Command) evaluates() bool {
	with := evaluators()[strings.TrimRight(c.Name, "0123456789.")]
	if c.Name == "wget" {
		return anyOf(c.Argv, func(a string) bool { // -e use_askpass=x
			setting, _, _ := strings.Cut(strings.TrimPrefix(a, "--execute="), "=")
			return strings.HasSuffix(strings.ToLower(setting), "askpass") &&
				!strings.HasPrefix(setting, "--")
		})
	}
	if len(c.Argv) > 1 && compilers().MatchString(c.Name) {
		with = append(with[:len(with):len(with)], "-wrapper")
		if anyOf(c.Argv[1:], func(a string) bool { // where its programs are
			return strings.HasPrefix(a, "-B") || strings.HasPrefix(a, "--prefix")
		}) {
			return true
		}
	}
	return anyOf(with, func(w string) bool {
		for i, a := range c.Argv {
			if i > 0 && a == w && !onlyQueries(c, i+1) ||
				strings.HasPrefix(w, "--") && strings.HasPrefix(a, w+"=") {
				return true
			}
		}
		return false
	})
}

// onlyQueries reports whether c, which is mongosh, only asks its server by word number i.
func onlyQueries(c *Command, i int) bool {
	if i < 3 || i >= len(c.Argv) || unknownIn(c.Static[:i+1]) {
		return isQuery(c, i)
	}
	switch text, before := c.Argv[i], c.Argv[i-1]; {
	case c.Name == "rails" && before == "runner":
		return railsQuery().MatchString(text)
	case before == "-c" && c.Argv[i-2] == "shell" && (path.Base(c.Argv[i-3]) == "manage.py" ||
		i > 3 && c.Argv[i-3] == "django" && c.Argv[i-4] == "-m"):
		return code.Queries(text)
	case before == "--command" && sqlClients()[c.Name]:
		return sqlText().MatchString(text)
	}
	return isQuery(c, i)
}

// isQuery is onlyQueries for mongosh, and for rails without flags.
func isQuery(c *Command, i int) bool {
	if c.Name == "rails" && i == 2 && c.Argv[1] == "runner" && c.Static[i] {
		return railsQuery().MatchString(c.Argv[i])
	}
	return (c.Name == "mongosh" || c.Name == "mongo") && i < len(c.Argv) && c.Static[i] &&
		mongoQuery().MatchString(c.Argv[i])
}

// mongoQuery matches a chain of methods that read, with values that are written out.
var mongoQuery = lazyregexp.New(`^\s*(printjson\()?db(\.[A-Za-z]\w*)?(\.(count|countDocuments|` +
	`estimatedDocumentCount|distinct|explain|find|findOne|getCollectionNames|getIndexes|getName|` +
	`hello|limit|pretty|serverStatus|skip|sort|stats|toArray|version)\(` +
	`[\w\s{}\[\]:"',.$<>=-]*\))+\)?\s*;?\s*$`)

// railsQuery matches a program in Ruby that prints what records of a database contain.
var railsQuery = lazyregexp.New(`^\s*(puts |p |pp )?[A-Z]\w*(::[A-Z]\w*)*(\.(all|average|count|` +
	`distinct|exists\?|find|find_by|first|group|ids|includes|inspect|joins|last|limit|maximum|` +
	`minimum|not|order|pluck|size|sum|to_a|to_json|where)(\([\w\s:"',.>=?-]*\))?)+\s*;?\s*$`)

// sqlClients are programs whose --command is SQL.
var sqlClients = setOf("psql wrangler turso usql cockroach")

// sqlText matches a statement of SQL.
var sqlText = lazyregexp.New(`(?i)^\s*(select|insert into|update \w+ set|delete from|explain|` +
	`show|describe|pragma|create (table|index)|alter table|drop table)\b[^;$\x60\\]*;?\s*$`)

// loads reports whether the variable, number i of those that c sets, makes programs run a file or a
// text.
func (c *Command) loads(name string, i int) bool {
	if name == "?" { // the files are named by its words
		return anyOf(c.Argv, func(a string) bool {
			a, _, _ = strings.Cut(strings.TrimPrefix(a, "-v"), "[")
			return steers(a, "?") || runs(a) && syntax.ValidName(a)
		})
	}
	if i >= len(c.Values) || c.Values[i] == nil {
		return steers(name, "?")
	}
	return steers(name, *c.Values[i])
}

// opaqueFed is opaque for xargs and parallel. Without a command, parallel runs the lines that it
// reads.
func (c *Command) opaqueFed() string {
	switch {
	case c.Name == "parallel" && anyOf(c.Argv,
		func(a string) bool { // a program in Perl
			return strings.Contains(a, "{=") || strings.HasSuffix(a, "-rpl") ||
				strings.HasPrefix(a, "--rpl=")
		}):
		return "interpreter"
	case c.Name == "parallel" && c.listens():
		return "stdin"
	case c.Name == "parallel" && c.Hides == "dynamic":
		return c.Hides
	}
	return ""
}

// tells reports whether a shell or an interpreter only prints information about itself.
func (c *Command) tells() bool {
	return len(c.Argv) == 2 && c.Static[1] &&
		contains([]string{"--version", "-V", "--help", "-v", "version"}, c.Argv[1]) &&
		(c.Argv[1] != "-v" || !isShell(c.Name))
}

// builders are programs that run files of the project, as any program may. They are opaque only if
// text is passed to them.
var builders = []string{"make", "gmake", "just", "rake", "npx", "bunx", "pnpx", "uvx", "pipx"}

// projectWords are the subcommands of bun and deno that run only what the project contains.
var projectWords = setOf("install add remove update outdated link build test fmt lint " +
	"check cache info doc bench pm task")

// counts matches substitutions whose result is a number.
var counts = lazyregexp.New(
	`^(-j)?"?\$\((nproc|sysctl -n hw\.ncpu|getconf _NPROCESSORS_ONLN)\)"?$`)

// readers are Python modules that run their arguments or their input. Other modules are treated
// like program files.
var readers = []string{"code", "codeop", "timeit", "asyncio", "pdb", "runpy", "IPython", "ptpython",
	"bpython"}

// harmless reports whether an interpreter runs nothing unknown.
func (c *Command) harmless() bool {
	base := strings.TrimRight(c.Name, "0123456789.")
	if _, ok := codeOf(c); ok {
		return true
	}
	switch {
	case c.launches() > 0, worksPlainly(c):
		return true
	case base == "bun" || base == "deno":
		return len(c.Argv) > 1 && projectWords()[c.Argv[1]]
	case contains(builders, base):
		return !anyOf(c.Argv[1:], func(a string) bool {
			return a == "-f-" || a == "-" || strings.HasSuffix(a, "=-") ||
				strings.Contains(a, "/dev/") || strings.HasPrefix(a, "SHELL=") || a == "-c" &&
				base == "npx"
		}) && c.builds(base)
	case strings.HasSuffix(base, "awk"):
		return filter{c}.awkPrints()
	case has("vim vi nvim", base): // it waits for what a person does
		return len(c.Argv) > 1 && !c.given && !c.Open && !anyOf(c.Argv[1:],
			func(w string) bool { return !editorWord().MatchString(w) })
	case base == "python" || base == "pypy":
		for i := 1; i < len(c.Argv); i++ {
			switch a := c.Argv[i]; {
			case !c.Static[i]:
				return false
			case a == "-m" && i+1 < len(c.Argv):
				for ; i+1 < len(c.Argv); i++ { // a module may run another one
					if c.Argv[i] == "-m" && (!c.Static[i+1] ||
						contains(readers, c.Argv[i+1])) {
						return false
					}
				}
				return true
			case a != "-u" && a != "-B" && a != "-s" && a != "-E" && a != "-I":
				return false
			}
		}
	}
	return false
}

// editorWord matches the words of an editor that are files, or lines in them.
var editorWord = lazyregexp.New(`^(\+\d*|[\w./][^$\x60]*)$`)

// builds reports whether all words of a build program are known, except for values of variables and
// the number of processors.
func (c *Command) builds(base string) bool {
	for i, w := range c.Argv {
		name, _, sets := strings.Cut(c.info[i].prefix, "=")
		if !c.Static[i] && (!strings.HasSuffix(base, "make") || !counts().MatchString(w) &&
			(!sets || c.info[i].splits || strings.Contains(name, "SHELL") ||
				strings.Contains(name, "FLAGS"))) {
			return false
		}
	}
	return true
}
