// This file reads the programs in other languages that a command runs.

package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/shell/internal/code"
)

// language is one whose programs are read.
type language struct {
	read  func(program string) (code.Effects, bool)
	plain string // flags that do not change what a program does
	runs  string // flags that a program follows
	alone bool   // a program is read only if it is the last word
	flags bool   // flags may follow the program, and stand in place of it
}

// languageOf returns the language of an interpreter; nil = its programs are not read.
func languageOf(name string) *language {
	name = strings.TrimRight(name, "0123456789.")
	switch name {
	case "python", "pypy":
		return &language{read: code.Python, plain: "-u -B -s -E -I -O -OO -q -S", runs: "-c"}
	case "node", "nodejs":
		return &language{read: code.JavaScript, plain: "--no-warnings --trace-warnings",
			runs: "-e -p -pe --eval --print", flags: true}
	case "php":
		return printing(name, "-r")
	case "ruby", "lua", "luajit", "perl", "Rscript", "julia", "elixir":
		return printing(name, "-e")
	}
	return nil
}

// printing returns a language of which only programs are read that print what they compute.
func printing(name, flag string) *language {
	return &language{runs: flag, alone: true, read: func(program string) (code.Effects, bool) {
		return code.Effects{}, code.Prints(name, program)
	}}
}

// has reports whether a word is in a list.
func has(list, w string) bool { return contains(strings.Fields(list), w) }

// codeOf returns what the program does that c, an interpreter, gets as a word or as its standard
// input. ok is false if c gets none, or it may do anything.
func codeOf(c *Command) (does code.Effects, ok bool) {
	l := languageOf(c.Name)
	if l == nil || c.Open {
		return code.Effects{}, false
	}
	i := 1
	for i < len(c.Argv) && c.Static[i] && has(l.plain, c.Argv[i]) {
		i++
	}
	switch {
	case l.alone && len(c.Argv) != 3:
		return code.Effects{}, false
	case i == len(c.Argv), c.Static[i] && c.Argv[i] == "-":
		if c.stdinCode == nil {
			return code.Effects{}, false
		}
		return l.read(*c.stdinCode)
	case c.Static[i] && has(l.runs, c.Argv[i]) && i+1 < len(c.Argv) && c.Static[i+1] &&
		!c.info[i+1].glob:
		if l.flags && (strings.HasPrefix(c.Argv[i+1], "-") || i+2 < len(c.Argv) &&
			c.Argv[i+2] != "--" && (!c.Static[i+2] || strings.HasPrefix(c.Argv[i+2], "-"))) {
			return code.Effects{}, false
		}
		return l.read(c.Argv[i+1])
	}
	return code.Effects{}, false
}

// loads reports whether c, an interpreter that gets a program, may load one of the files that a
// line writes: a module of the language may load any other one, which is looked for in the current
// folder.
func loads(c *Command, w *wrote) bool {
	does, ok := codeOf(c)
	if !ok {
		return false
	}
	endings := ".py .pyc .pyo .so .pyd .pth .zip"
	if l := languageOf(c.Name); !has(l.runs, "-c") {
		if endings = ".js .cjs .mjs .node"; len(does.Modules) == 0 {
			return false
		}
		if anyOf(does.Modules, func(m string) bool {
			return !strings.Contains(m, ".json")
		}) {
			endings += " .json" // it names the file to be loaded
		}
	}
	for name := range w.names {
		if has(endings, path.Ext(name)) && (w.by[name] == nil || w.by[name] != c) {
			return true
		}
	}
	return false
}

// plainDebugger and plainFilter match the words of gdb and perl with which they only debug, and
// print or change lines.
var (
	plainDebugger = lazyregexp.New(`^(-{1,2}(batch|q|quiet|nx|nh|ex|p|pid)|r|run|start|where|` +
		`c|continue|q|quit|n|next|s|step|finish|up|down|info \w+|b(reak)? [\w.:]+|` +
		`(thread apply all )?(bt|backtrace)( full)?( \d+)?|f(rame)? \d+|p(rint)? \w+|` +
		`l(ist)?( [\w.:]+)?|disas(semble)?( \w+)?|set (pagination|confirm) off)$`)
	plainFilter = sync.OnceValue(func() *regexp.Regexp {
		const regex = `(?:[^/\\$@(]|\((?:[^?*/\\$@(]|\?:)|\\[^cpPN\n])*\$?`
		const with = `(?:[^/\\$@]|\$\d|\\[nt/])*`
		const fits = ` (if|unless) !?/` + regex + `/[imsx]*`
		return regexp.MustCompile(`^\s*(s/` + regex + `/` + with + `/[gimsx]*|print(` + fits +
			`( ?\.\. ?/` + regex + `/[imsx]*)?)?|print "\$\.[:\t ]+\$_"` + fits + `)\s*;?\s*$`)
	})
)

// filtersOnly reports whether perl, by its words, only prints lines, or changes them.
func filtersOnly(c *Command) bool {
	given := false
	for i := 1; i < len(c.Argv); i++ {
		switch w := c.Argv[i]; {
		case !c.Static[i] || c.Open:
			return false
		case isPerlCode(w):
			if i++; given || i == len(c.Argv) || !c.Static[i] ||
				!plainFilter().MatchString(c.Argv[i]) || perlElement().MatchString(c.Argv[i]) {
				return false
			}
			given = true
		case strings.HasPrefix(w, "-"):
			if !perlFlags().MatchString(w) {
				return false
			}
		case !given, !perlOperand().MatchString(w): // a program, or one in place of a file: x|
			return false
		}
	}
	return given
}

// perlFlags matches flags of perl with which it reads its operands line by line.
var perlFlags = lazyregexp.New(`^-(0(777)?)?[pnlw]*(i(\.\w+)?|e)?$`)

// perlElement matches a group that perl takes as a list, with code that computes what is used of
// it: $1[x].
var perlElement = lazyregexp.New(`\$\d+(\[|\{|->|::)`)

// isPerlCode reports whether a program follows a flag of perl. That of -pie is the suffix e.
func isPerlCode(w string) bool {
	return perlFlags().MatchString(w) && strings.HasSuffix(w, "e") && !strings.Contains(w, "i")
}

// filtered adds the files whose lines perl prints or, with -i, changes. The value of -i is the
// suffix of a copy.
func (f *finder) filtered(c *Command) {
	ending, writes := "", false
	for _, w := range c.Argv[1:] {
		if _, rest, is := strings.Cut(w, "i"); is && w[0] == '-' {
			writes = true
			if strings.HasPrefix(rest, ".") {
				ending = rest
			}
		}
	}
	code := false // the word follows -e
	for i, w := range c.Argv[1:] {
		if w[:min(1, len(w))] != "-" && !code {
			one := Path{Name: c.info[i+1].home(w), Pattern: c.info[i+1].glob}
			f.addPath(c.in, one)
			if one.Writes = writes; writes {
				f.addPath(c.in, one)
			}
			if one.Name += ending; ending != "" {
				f.addPath(c.in, one)
			}
		}
		code = isPerlCode(w)
	}
}

// perlOperand matches a file, or a pattern of files in a folder, whose names cannot be commands.
var perlOperand = lazyregexp.New(`^([\w.][\w./-]*/[\w.*?/-]*\w|[\w.]([\w./-]*\w)?)$`)

// worksPlainly reports whether gdb or perl runs no commands of others.
func worksPlainly(c *Command) bool {
	switch c.Name {
	case "gdb":
		return debugsOnly(c)
	case "perl":
		return filtersOnly(c)
	}
	return false
}

// debugsOnly reports whether gdb, by its words, only debugs one program.
func debugsOnly(c *Command) bool {
	programs := 0
	for i := 1; i < len(c.Argv); i++ {
		w := c.Argv[i]
		switch {
		case !c.Static[i] || c.Open || c.given:
			return false
		case (w == "--args" || w == "-args") && programs == 0: // what carries looks at
			return i+1 < len(c.Argv) && !unknownIn(c.Static[i:])
		case plainDebugger().MatchString(w):
		case strings.HasPrefix(w, "-"), c.Argv[i-1] == "-ex", programs > 1: // and a core
			return false
		default:
			programs++
		}
	}
	return len(c.Argv) > 1
}

// code adds the files that the program opens that c gets. It returns false if there is none, or it
// may open others.
func (f *finder) code(c *Command) bool {
	if c.Name == "perl" && filtersOnly(c) {
		f.filtered(c)
		return true
	}
	does, ok := codeOf(c)
	for _, name := range slices.Concat(does.Reads, does.Writes) {
		f.addPath(c.in, Path{Name: word{}.home(name)})
	}
	for _, name := range does.Writes {
		f.addPath(c.in, Path{Name: word{}.home(name), Writes: true})
	}
	return ok
}
