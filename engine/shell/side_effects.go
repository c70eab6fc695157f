// This file finds the effects of a command line other than commands: variables that expansions set,
// and quoted text that the shell evaluates.

package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// quiet adds the effects of a node that is not a command.
func (w *walker) quiet(n syntax.Node) {
	if w.o.posix && ambiguous(n) {
		w.opaque(n)
	}
	switch n := n.(type) {
	// its text is not parsed, and without extglob bash parses it differently
	case *syntax.ExtGlob:
		if strings.ContainsAny(n.Pattern.Value, "$`<>\n;&'\"\\") {
			w.opaque(n)
		}
	case *syntax.ArrayExpr:
		// bash without extglob reads the next line as a command
		if strings.Contains(w.text, "\n") && extended(n) {
			w.opaque(n)
		}
	case *syntax.WordIter:
		w.iterates(n)
		w.addVar(n.Name.Value, n)
	case *syntax.BinaryArithm:
		if op := n.Op.String(); strings.HasSuffix(op, "=") &&
			!contains([]string{"==", "!=", "<=", ">="}, op) {
			w.counted(n.X)
		}
	case *syntax.UnaryArithm:
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			w.counted(n.X)
		}
	case *syntax.CoprocClause:
		if n.Name != nil {
			w.s.vars.opens("?")
			w.addVar("?", n)
		}
		// coproc sh <<< x: sh is not a name, but the command
		if n.Stmt == nil || n.Stmt.Cmd == nil {
			w.opaque(n)
		} else if _, list := n.Stmt.Cmd.(*syntax.BinaryCmd); list { // coproc rm -r x | cat
			w.opaque(n)
		} else if call, ok := n.Stmt.Cmd.(*syntax.CallExpr); ok && (len(call.Assigns) > 0 ||
			strings.Contains(w.source(n), "=")) {
			w.opaque(n) // bash may treat it as a word, or as a variable of the command
		}
	case *syntax.LetClause:
		if w.evaluates(n); operates(n) {
			w.opaque(n)
		}
	case *syntax.TestClause:
		w.evaluates(n)
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop:
		if w.evaluates(n); endsInBraces(w, n) {
			w.opaque(n)
		}
	case *syntax.ParamExp:
		switch {
		case n.Exp == nil || n.Param == nil:
		case n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull:
			if w.s.vars.opens(n.Param.Value); n.Excl {
				w.s.vars.opens("?")
			}
			w.addVar(n.Param.Value, n)
		// ${x@P} runs the substitutions in x
		case n.Exp.Op == syntax.OtherParamOps && w.source(n.Exp.Word) == "P":
			w.opaque(n)
		}
	}
}

// ambiguous reports whether a shell that does not know [[ and (( would find other commands in n.
func ambiguous(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.ArithmCmd:
		return true
	case *syntax.BinaryTest:
		return n.Op == syntax.AndTest || n.Op == syntax.OrTest
	case *syntax.ParenTest:
		return true
	}
	return false
}

// counted records that a variable is set to a number.
func (w *walker) counted(x syntax.ArithmExpr) {
	name := "?"
	if word, ok := x.(*syntax.Word); ok && syntax.ValidName(word.Lit()) {
		name = word.Lit()
	}
	w.s.vars.opens(name)
	w.addVar(name, x)
}

// addVar records that a variable is set.
func (w *walker) addVar(name string, n syntax.Node) {
	c := w.command(n)
	c.Assign, c.Values = []string{name}, []*string{nil}
	w.s.addCommand(&c)
}

// evaluates finds quoted text in n that arithmetic runs: [[ 'a[$(rm x)]' -eq 0 ]].
func (w *walker) evaluates(n syntax.Node) {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			found = found || subscript(n.Value)
		case *syntax.Lit:
			found = found || subscript(n.Value)
		}
		return !found
	})
	if found {
		w.opaque(n)
	}
}

// extended reports whether a word of an array has a pattern such as !(x).
func extended(array *syntax.ArrayExpr) (found bool) {
	syntax.Walk(array, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ExtGlob:
			found = true
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
		return !found
	})
	return found
}

// operates reports whether let has an operator that is not quoted and that bash, to which let is a
// command with words, treats as a redirection or as the end of the command: let a<<E.
func operates(let *syntax.LetClause) (found bool) {
	syntax.Walk(let, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryArithm:
			found = found || strings.ContainsAny(n.Op.String(), "<>&|")
		case *syntax.ParenArithm:
			found = true
		}
		return !found
	})
	return found
}

// endsInBraces reports whether bash may find the end of arithmetic within ${...}: it looks for the
// next )) or ] there, and does not know braces.
func endsInBraces(w *walker, n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if e, ok := n.(*syntax.ParamExp); ok && !e.Short {
			found = found || !balanced(w.source(e))
		}
		return !found
	})
	return found
}

// balanced reports whether brackets in text are surely closed in the order in which they open.
func balanced(text string) bool {
	var open []rune
	for _, r := range text {
		switch r {
		case '(':
			open = append(open, ')')
		case '[':
			open = append(open, ']')
		case ')', ']':
			if len(open) == 0 || open[len(open)-1] != r {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0 &&
		(!strings.ContainsAny(text, "([") || !strings.ContainsAny(text, "'\"\\`"))
}

// elements matches the index of all elements of an array.
var elements = lazyregexp.New(`\$\{[#!]?\w+\[[@*]\]\}`)

// subscript reports whether text contains something that would run if the text were used as the
// name of an array element.
func subscript(text string) bool {
	runs := func() bool {
		return strings.Contains(text, "[") && (strings.Contains(text, "$(") ||
			strings.Contains(text, "`") || strings.Contains(text, "${"))
	}
	if !runs() {
		return false
	}
	text = elements().ReplaceAllString(text, "")
	return runs()
}

// opaque adds a part whose commands are unknown.
func (w *walker) opaque(n syntax.Node) {
	if len(w.s.Commands) == maxCommands {
		w.s.Err = errMany
		return
	}
	c := w.command(n)
	c.Hides = "dynamic"
	w.s.Commands = append(w.s.Commands, c)
}

// sets reports whether a command sets variables that its words name.
func sets(c *Command) bool {
	switch c.Name {
	case "read", "mapfile", "readarray", "getopts":
		return true
	case "printf":
		return len(c.Argv) > 1 && strings.HasPrefix(c.Argv[1], "-v") ||
			unknownIn(c.Static)
	}
	return false
}

// renames explains why the variable that a declaration sets is unknown: with -n, a name is a
// reference to another variable.
func renames(n *syntax.DeclClause) string {
	named, loads := false, false
	for _, a := range n.Args {
		switch {
		case a.Naked && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "-"):
			named = named || strings.Contains(a.Value.Lit(), "n")
		case a.Value != nil && (!static(a.Value.Parts) || steers(a.Value.Lit(), "?")):
			loads = true
		}
	}
	if named && loads {
		return "dynamic"
	}
	return ""
}

// loading are variables whose values shells run, or that name a file that shells run or programs
// load. Variables of the dynamic loader, such as LD_PRELOAD, have the same effect.
var loading = setOf(`BASH_ENV ENV PROMPT_COMMAND BASH_ALIASES BASH_CMDS BASH_LOADABLES_PATH ZDOTDIR
	PYTHONSTARTUP PYTHONHOME PYTHONBREAKPOINT PYTHONUSERBASE PERL5DB LUA_INIT GCONV_PATH
	GIT_EXEC_PATH GIT_TEMPLATE_DIR GCC_EXEC_PREFIX COMPILER_PATH OPENSSL_CONF OPENSSL_MODULES
	MAKEFILES VIMINIT EXINIT R_PROFILE R_PROFILE_USER JULIA_LOAD_PATH EMACSLOADPATH RUBYSHELL
	CARGO_BUILD_RUSTC_WRAPPER RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTC
	CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER BASHOPTS`)

// options are variables that hold options of a program. An option that contains one of these texts
// makes the program load or run something.
var options = map[string]string{
	"NODE_OPTIONS": "-r --require --import --loader --experimental-loader", "PERL5OPT": "-",
	"RUBYOPT": "-r -I", "GOFLAGS": "-exec -toolexec -vettool -overlay",
	"JAVA_TOOL_OPTIONS": "agent OnError OnOutOfMemoryError",
	"_JAVA_OPTIONS":     "agent OnError OnOutOfMemoryError",
	"JDK_JAVA_OPTIONS":  "agent OnError OnOutOfMemoryError @", "MAVEN_OPTS": "agent OnError",
	"GRADLE_OPTS": "agent OnError",
	"RUSTFLAGS":   "linker", "ZIPOPT": "T --u", "ZIP": "T --u",
	"FZF_DEFAULT_OPTS": "execute become transform reload preview bind", "PARALLEL": "{ rpl",
	"TAR_OPTIONS": "I F command exec program rsh --use --to- --info --new --rmt",
}

// plainMakeFlags matches options of make that neither name a file or a folder nor set a variable,
// which may be that of a compiler.
var plainMakeFlags = lazyregexp.New(`^\s*((-?[BikLnqrRsStvwjlO0-9.]+|-O\w+|` +
	`--(jobs|load-average|output-sync|no-print-directory|silent|quiet|keep-going|always-make)` +
	`(=[\w.]*)?)(\s+|$))*$`)

// editsPlan matches an editor that may write commands into the plan of git rebase: exec, x.
var editsPlan = lazyregexp.New(`exec|\bx\b|\\[xod]|^\s*(cp|mv|tee|ln|install)\s`)

// plainFolder matches folders of the shells of a system.
var plainFolder = lazyregexp.New(`^(/usr|/usr/local|/opt/[a-z]+)?/s?bin$`)

// steers reports whether a variable with this value makes programs run a file or a text. The value
// "?" is unknown.
func steers(name, value string) bool {
	switch {
	case value == "":
		return false
	case loading()[name], strings.HasPrefix(name, "DYLD_"):
		return true
	case name == "LD_LIBRARY_PATH":
		return !strings.HasPrefix(value, "/usr/") && !strings.HasPrefix(value, "/opt/") &&
			!strings.HasPrefix(value, "/lib") || strings.Contains(value, ":")
	case strings.HasPrefix(name, "LD_"): // options that only make it print what it does
		return !contains([]string{"LD_BIND_NOW", "LD_DEBUG", "LD_DEBUG_OUTPUT", "LD_WARN",
			"LD_VERBOSE", "LD_TRACE_LOADED_OBJECTS"}, name)
	// a text in which only substitutions run
	case strings.HasPrefix(name, "PS") && contains([]string{"PS0", "PS1", "PS2", "PS4"},
		name):
		return value == "?" || strings.ContainsAny(value, "$`\\")
	case strings.HasPrefix(name, "GIT_CONFIG"): // aliases, pagers
		return name != "GIT_CONFIG_NOSYSTEM"
	case name == "SHELL": // script, vim, watch and others run it
		return !isShell(path.Base(value)) || value != path.Base(value) &&
			!plainFolder().MatchString(path.Dir(value))
	case name == "GIT_SEQUENCE_EDITOR", name == "GIT_EDITOR", name == "EDITOR", name == "VISUAL":
		return value != "?" && editsPlan().MatchString(value)
	case name == "GOENV": // flags of go
		return value != "off"
	case strings.HasPrefix(strings.ToLower(name), "npm_config_"): // the shell of npm
		return contains([]string{"userconfig", "globalconfig", "git", "init_module"},
			strings.ToLower(name[len("npm_config_"):]))
	}
	if strings.HasSuffix(name, "MAKEFLAGS") || name == "MFLAGS" {
		return !plainMakeFlags().MatchString(value)
	}
	parts, ok := options[name]
	return ok && (value == "?" || anyOf(strings.Fields(parts),
		func(p string) bool { return strings.Contains(value, p) }))
}

// commanding are suffixes or parts of the names of variables whose values programs run.
var commanding = listOf(`EDITOR PAGER BROWSER ASKPASS VISUAL _SSH _RSH EXTERNAL_DIFF
	LESSOPEN LESSCLOSE EDIT _COMMAND _CMD _PROG _RUNNER _WRAPPER _LAUNCHER CONFIG_SHELL
	SCRIPT_SHELL`)

// runs reports whether the value of a variable is a command that programs run.
func runs(name string) bool {
	return anyOf(commanding(),
		func(end string) bool { return strings.HasSuffix(strings.ToUpper(name), end) })
}

// commands adds the value of a variable set for a command, if programs run that value and it is
// unknown.
func (w *walker) commands(a *syntax.Assign) {
	if a.Name != nil && runs(a.Name.Value) && a.Value != nil && !static(a.Value.Parts) {
		w.begun(a)
	}
}

// begun adds the command in a variable if only the beginning of its value is known: "ssh -i $KEY".
func (w *walker) begun(a *syntax.Assign) {
	prefix := wordInfo(a.Value).prefix
	name, _, more := strings.Cut(prefix, " ")
	if !more || strings.Contains(name, "=") || strings.Contains(strings.ToLower(w.source(a.Value)),
		"command") {
		w.opaque(a)
		return
	}
	if path.Base(name) == "ssh" { // the host comes later
		return
	}
	o := w.o
	o.via, o.pos, o.nested = append(w.o.via[:len(w.o.via):len(w.o.via)], a.Name.Value), w.pos(a),
		true
	w.s.parseText(prefix, o)
}
