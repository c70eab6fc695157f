// This file finds the commands that a command runs, and determines what hides them.

package shell

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// isShell reports whether a program reads commands as text.
func isShell(name string) bool {
	return contains([]string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish",
		"rbash", "csh", "tcsh", "rksh", "rzsh", "pdksh", "lksh", "oksh", "posh"}, shellName(name))
}

// shellName returns the name of a program without a version: ksh93, bash-5.2.
func shellName(name string) string { return strings.TrimRight(name, "0123456789.-+") }

// plainOptions are the options that set and shells take by name that change nothing about patterns.
var plainOptions = setOf("allexport errexit errtrace functrace hashall ignoreeof keyword monitor " +
	"noclobber noexec nounset onecmd physical pipefail privileged verbose xtrace")

// SetsPatterns reports whether c, which is set or a shell, gets an option that may change what
// patterns match, such as -f, or -O dotglob.
func SetsPatterns(c *Command) bool {
	if c.Name != "set" && !isShell(c.Name) {
		return false
	}
	for i := 1; i < len(c.Argv); i++ {
		switch w := c.Argv[i]; {
		case !c.Static[i]:
			return c.info[i].mayFlag(w)
		case len(w) < 2 || w == "--" || w[0] != '-' && w[0] != '+':
			return false
		case strings.HasPrefix(w, "--"):
			if otherLanguage(c.Name) != "" {
				return true
			}
		case strings.Trim(w[1:], "abcehiklmnoprstuvxBCDEPT") != "":
			return true
		default:
			for range strings.Count(w, "o") { // each takes a name
				i++
				if i < len(c.Argv) && (!c.Static[i] || !plainOptions()[c.Argv[i]]) {
					return true
				}
			}
		}
	}
	return c.Open
}

// otherLanguage returns what hides the commands of a shell whose language differs from that of
// bash, or "" for other programs.
func otherLanguage(name string) string {
	if contains([]string{"zsh", "rzsh", "fish", "csh", "tcsh"}, shellName(name)) {
		return "interpreter"
	}
	return ""
}

// interpreters are programs that run a general-purpose language. Versions may follow their names.
var interpreters = setOf(`python pypy perl ruby node nodejs deno bun php lua luajit awk gawk mawk
	nawk osascript tclsh wish expect Rscript R ghci irb iex erl groovy scala clojure clj jshell
	powershell pwsh nu elvish xonsh yash gdb lldb dc m4 guile racket sbcl clisp runghc runhaskell
	julia elixir octave gnuplot vim vi nvim ed ex emacs npx bunx pnpx uvx pipx tsx ts-node make
	gmake just rake`)

func interprets(name string) bool {
	base := strings.TrimRight(name, "0123456789.")
	// ed25519 is not a version
	return interpreters()[name] || interpreters()[base] &&
		(len(name)-len(base) < 4 || strings.Contains(name, "."))
}

// setOf returns a set of words. The set is built on first use, since many runs of the program never
// parse a command. It is not inlined: that would make the program larger by a function for each
// set.
//
//go:noinline
func setOf(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			set[w] = true
		}
		return set
	})
}

// contains reports whether a word is in a list, and anyOf whether a word in it fits. They are not
// inlined, which would make the program larger in each of many places.
//
//go:noinline
func contains(all []string, w string) bool { return slices.Contains(all, w) }

//go:noinline
func anyOf(all []string, fits func(string) bool) bool { return slices.ContainsFunc(all, fits) }

// anyCommand reports whether a command of s fits, and unknownIn whether one of the words is not
// static.
//
//go:noinline
func anyCommand(s *Script, fits func(Command) bool) bool {
	return slices.ContainsFunc(s.Commands, fits)
}

//go:noinline
func unknownIn(static []bool) bool { return slices.Contains(static, false) }

// listOf returns the list of the words in a text. It is made at its first use.
//
//go:noinline
func listOf(words string) func() []string {
	return sync.OnceValue(func() []string { return strings.Fields(words) })
}

// Wraps reports whether a program runs other programs or is an interpreter, so that its name does
// not tell what it does.
func Wraps(name string) bool {
	_, ok := wrapperOf(name)
	return ok || isShell(name) || interprets(name) ||
		contains([]string{"find", "gfind", "ssh", "su", "script", "eval", "source", ".",
			"trap", "alias", "tmux", "screen", "at", "batch", "crontab"}, name)
}

// hidden returns the reason if the name of c alone makes its effect unknown.
func (c *Command) hidden() string {
	switch {
	case c.Name == "" && len(c.Argv) > 0:
		return "dynamic"
	case interprets(c.Name):
		return "interpreter"
	case c.Name == "xargs" || c.Name == "parallel" || c.Name == "at" || c.Name == "batch":
		return "stdin"
	case c.Name == "." || c.Name == "source":
		return "file"
	// from now on a name has another meaning
	case c.Name == "hash" && len(c.Argv) > 1 &&
		!slices.Equal(c.Argv[1:], []string{"-r"}), c.Name == "enable" && len(c.Argv) > 1,
		c.Name == "set" && anyOf(c.Argv, func(w string) bool { // !! in a script
			return w == "histexpand" || strings.HasPrefix(w, "-") && strings.Contains(w, "H")
		}):
		return "dynamic"
	case contains([]string{"test", "[", "let", "printf", "read", "unset", "wait", "getopts",
		"mapfile", "readarray", "declare", "typeset", "local", "export",
		"readonly"}, c.Name) && anyOf(c.Argv, subscript):
		return "dynamic"
	}
	return ""
}

// typesKeys reports whether c passes its input on as keys of a terminal, with which programs run
// other commands: script -c 'less x' <<< '!ls'.
func typesKeys(c *Command) bool {
	return (c.Name == "script" || c.Name == "unbuffer" || c.Name == "faketty") &&
		(c.stdinText != "" || c.From >= 0)
}

// expandsHistory reports whether c is a shell that replaces parts of its input by words of earlier
// lines, as an interactive one does: !! ^x^y.
func expandsHistory(c *Command) bool {
	return isShell(c.Name) && (strings.ContainsAny(c.stdinText, "!^") ||
		strings.Contains(c.stdinText, "histchars")) &&
		anyOf(c.Argv[1:], func(w string) bool {
			return w == "history" || w == "histexpand" || len(w) > 1 && w[0] == '-' &&
				w[1] != '-' && strings.ContainsAny(w, "iH")
		})
}

// within returns the commands that c runs, and the reason why its effect is unknown. It parses text
// that c runs.
func (s *Script) within(c *Command) (inner []Command, hides string) {
	if c.leaves() {
		c.in = c.in.lose(c.Text)
	}
	switch w, ok := wrapperOf(c.Name); {
	case len(c.Via) > maxInner:
		return nil, "dynamic"
	case c.launches() > 0:
		return []Command{c.part(c.launches(), len(c.Argv))}, ""
	case c.Open && c.awaits(): // xargs npx
		return nil, "stdin"
	case isShell(c.Name):
		return nil, cmp.Or(s.shell(c), otherLanguage(c.Name))
	case c.Name == "eval":
		return nil, s.runWords(c, 1)
	case c.Name == "trap", c.Name == "alias":
		return nil, s.each(c)
	case c.Name == "ssh":
		return nil, s.remote(c, afterHost(c.Argv))
	case c.Name == "watch" && !contains(c.Argv, "-x") && !contains(c.Argv, "--exec"):
		return nil, s.runWords(c, skipWrapper(c.Argv, w))
	case contains([]string{"mapfile", "readarray", "complete", "compgen"}, c.Name):
		return nil, s.callback(c)
	case c.Name == "su" || c.Name == "script" || c.Name == "runuser" &&
		!contains(c.Argv, "-u") || c.Name == "flock" &&
		(contains(c.Argv, "-c") || contains(c.Argv, "--command")):
		return nil, s.flagged(c)
	case programName(c.Name) == "find":
		return c.finds()
	case c.Name == "fd" || c.Name == "fdfind":
		return fdCommands(c), ""
	case c.Name == "xargs":
		if inner = c.fedWords(w); len(inner) == 1 {
			inner[0].Open = !fills(c, &inner[0])
			inner[0].named = inner[0].Open && feedsNames(s, c, &inner[0])
		}
		return inner, ""
	case c.Name == "parallel":
		return s.parallel(c)
	// only prints information
	case c.Name == "command" && len(c.Argv) > 1 && (c.Argv[1] == "-v" || c.Argv[1] == "-V"):
		return nil, ""
	case ok:
		if c.Name == "env" {
			hides = s.envText(c)
			s.finds = s.finds || anyOf(c.Argv,
				func(a string) bool { return strings.HasPrefix(a, "PATH=") })
		}
		inner = c.after(w)
		// xargs env, schroot -c x < y
		if len(inner) == 0 && (c.Open || c.becomesShell()) || c.given && c.becomesShell() &&
			c.lacks(w) {
			hides = "stdin"
		}
		return inner, hides
	}
	return nil, ""
}

// becomesShell reports whether a wrapper without a command runs a shell.
func (c *Command) becomesShell() bool {
	switch c.Name {
	case "sudo", "doas":
		return anyOf(c.Argv[1:], func(a string) bool {
			return a == "--shell" || a == "--login" || strings.HasPrefix(a, "-") &&
				!strings.HasPrefix(a, "--") && strings.ContainsAny(a, "si")
		})
	case "chroot", "nsenter", "unshare", "fakeroot", "schroot", "arch-chroot", "setarch", "linux32",
		"linux64", "firejail", "pkexec", "systemd-nspawn":
		return true
	case "systemd-run":
		return contains(c.Argv, "-S") || contains(c.Argv, "--shell")
	}
	return false
}

// shownWords limits the words in the Text of a nested command, which is shown to people.
const shownWords = 40

// part returns the command that consists of the words of c from i to j.
func (c *Command) part(i, j int) Command {
	return Command{Argv: c.Argv[i:j:j], Static: c.Static[i:j:j], Via: c.via(), Line: c.Line,
		Open: c.Open, From: c.From, sole: c.sole, given: c.given, posix: c.posix,
		Background: c.Background,
		Pos:        c.Pos, Text: strings.Join(c.Argv[i:min(j, i+shownWords)], " "),
		info: c.info[i:j:j],
		in:   c.in}
}

func (c *Command) via() []string { return append(c.Via[:len(c.Via):len(c.Via)], c.Name) }

// origin returns the position of a text that is a word of c.
func (c *Command) origin() origin {
	return origin{via: c.via(), pos: c.Pos, nested: true, from: c.From, given: c.given,
		posix: (c.posix || isShell(c.Name)) && c.Name != "bash", background: c.Background, in: c.in}
}
