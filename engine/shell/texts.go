// This file parses the texts that a command runs: those of shells, eval, trap and env -S.

package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// shell parses the text that a shell gets with -c, and returns the reason why its effect is
// unknown.
func (s *Script) shell(c *Command) string {
	text, reads, i := false, false, 1
	for ; i < len(c.Argv) && c.Static[i] && optionLike(c.Argv[i]); i++ {
		switch a := c.Argv[i]; {
		case a == "-" || a == "--":
		case a == "--rcfile" || a == "--init-file":
			return "file"
		case !strings.HasPrefix(a, "--"): // -euo pipefail: the name of an option comes next
			text, reads = text || strings.Contains(a, "c"), reads || strings.Contains(a, "s")
			i += strings.Count(a, "o") + strings.Count(a, "O")
			continue
		default:
			continue
		}
		i++
		break
	}
	switch {
	case onlyParses(s, c):
		return ""
	case text:
		return s.one(c, i)
	case i >= len(c.Argv) || reads:
		return "stdin"
	case !c.Static[i]:
		return "dynamic"
	}
	return "file"
}

// onlyParses reports whether a shell only checks the syntax of a file: bash -n x.sh. If its name is
// not known and is a flag, the shell reads its input.
func onlyParses(s *Script, c *Command) bool {
	if len(c.Argv) != 3 || c.Argv[1] != "-n" || c.Open || c.info[2].glob {
		return false
	}
	if c.Static[2] {
		return c.Argv[2] != "" && !strings.ContainsAny(c.Argv[2][:1], "-+")
	}
	return !c.info[2].splits && !c.given && !s.input
}

// optionLike reports whether a shell may treat a word as options. No shell has options with other
// characters, so such a word is parsed as a command.
func optionLike(word string) bool {
	return word != "" && (word[0] == '-' || word[0] == '+') &&
		strings.Trim(word[1:], "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// one parses the word i of c as commands.
func (s *Script) one(c *Command, i int) string {
	switch {
	case i >= len(c.Argv) && c.Open:
		return "stdin"
	case i >= len(c.Argv):
		return ""
	}
	text, o := c.Argv[i], c.origin()
	if o.args = positional(s, c, i+1); !c.Static[i] {
		var ok bool
		if text, ok = inserted(s, c, text); !ok {
			return "dynamic"
		}
		o.args = []string{insertedName}
	}
	s.parseText(text, o)
	return ""
}

// positional records the values of $0, $1 and so on for the text of a shell: the words of c from i
// on. It returns the names of those that are known.
func positional(s *Script, c *Command, i int) (known []string) {
	if c.Open || !isShell(c.Name) {
		return nil
	}
	for at := i; at < min(len(c.Argv), i+len("0123456789")) && !c.info[at].glob; at++ {
		name := string(rune('0' + at - i))
		found := slices.Clone(c.info[at].found)
		for j := range found {
			found[j].Word, found[j].Split = c.Text, true
		}
		switch {
		case c.Static[at]:
			s.vars.holds(name, []piece{{text: c.info[at].home(c.Argv[at])}}, true)
		case found != nil:
			if s.vars.holdsFound(name, found); at == i+1 && at+1 == len(c.Argv) {
				s.vars.holdsFound("@", found)
				known = append(known, "@")
			}
		default:
			s.vars.opens(name)
		}
		known = append(known, name)
	}
	return known
}

// insertedName is the variable that stands for a name which xargs puts into the text of a shell.
const insertedName = "xargs_name"

// inserted returns the text of c, a shell, into which xargs puts names of files, with a variable in
// place of them. ok is false if it is not known that they are words without a meaning to a shell.
func inserted(s *Script, c *Command, text string) (out string, ok bool) {
	at := len(s.Commands) - 2 // after it comes c
	if at < 1 || len(c.Via) == 0 || c.Via[len(c.Via)-1] != "xargs" ||
		strings.ContainsAny(text, "'\\") || strings.Contains(text, insertedName) {
		return "", false
	}
	x := &s.Commands[at]
	own := len(x.Argv) - len(c.Argv)
	if x.Name != "xargs" || own < 1 || !slices.Equal(x.Argv[own:], c.Argv) ||
		unknownIn(x.Static[:own]) {
		return "", false
	}
	from, all, ok := listsFor(s, c)
	mark, plain := xargsMark(x.Argv[1:own])
	if !ok || !plain || mark == "" || !onlyPrints().MatchString(text) ||
		!slices.Equal(from.in.now, c.in.now) ||
		!plainNames(s, len(s.Commands)-1, all) {
		return "", false
	}
	s.vars.holdsFound(insertedName, all)
	return strings.ReplaceAll(text, mark, "${"+insertedName+"}"), true
}

// onlyPrints matches texts of a shell whose commands create no files: their names might be listed
// while the text runs.
var onlyPrints = lazyregexp.New(`^` + aPrinter + `([;&|]+` + aPrinter + `)*$`)

const aPrinter = ` *(?:echo|printf|cat|head|tail|wc|grep|egrep|fgrep|basename|dirname|stat|ls|` +
	`sha256sum|sha1sum|md5sum|cut|tr|cmp|test|true|jq|du)\b[^;&|<>()\x60\n]*`

// plainNames reports whether the names of files have no meaning to a shell; command number at gets
// them.
func plainNames(s *Script, at int, all []Path) bool {
	s.inserts = &at
	return s.context.Plain != nil && s.context.Plain(all)
}

// listsFor returns the command at the start of the pipe that c reads, and the files whose names it
// prints. ok is false if there may be others, or a command before it that creates files.
func listsFor(s *Script, c *Command) (from *Command, all []Path, ok bool) {
	if !c.sole || c.From < 0 || s.loops || s.shadows() || len(s.Redirects) > 0 {
		return nil, nil, false
	}
	from = &s.Commands[c.From]
	for from.sole && from.From >= 0 && !from.Open && narrows(from.Argv) &&
		!unknownIn(from.Static) {
		from = &s.Commands[from.From]
	}
	for i := range s.Commands {
		if one := &s.Commands[i]; one == from {
			break
		} else if !silentPrograms()[one.Name] {
			return nil, nil, false
		}
	}
	all, ok = listsNames(s, from)
	return from, all, ok
}

// feedsNames reports whether c, which is xargs, passes on names that find prints, and that are
// words that begin as the place does where find searches.
func feedsNames(s *Script, c, inner *Command) bool {
	from, all, ok := listsFor(s, c)
	if !ok || from.Name != "find" || slices.ContainsFunc(all,
		func(p Path) bool { return strings.HasPrefix(p.Name, "-") }) {
		return false
	}
	mark, plain := xargsMark(c.Argv[1 : len(c.Argv)-len(inner.Argv)])
	return plain && mark == "" && !unknownIn(inner.Static) &&
		plainNames(s, len(s.Commands), all)
}

// sshFlags are the flags of ssh that have a value.
const sshFlags = "BbcDEeFIiJLlmOoPpQRSWw"

// afterHost returns the index of the command of ssh. Flags may come before and after the host.
func afterHost(argv []string) int {
	at := skipWrapper(argv, wrapper{valued: sshFlags, operands: 1})
	return at - 1 + skipWrapper(argv[at-1:], wrapper{valued: sshFlags})
}

// remote parses the command of ssh: its words or, without any, its standard input.
func (s *Script) remote(c *Command, i int) string {
	if contains(c.Argv[:min(i, len(c.Argv))], "-N") { // it only connects
		return ""
	}
	if i >= len(c.Argv) {
		return "stdin"
	}
	return s.runWords(c, i)
}

// sshHosts matches the words of ssh that name hosts, ports and keys: no files with settings, no
// options that run programs.
var sshHosts = lazyregexp.New(
	`^(-[46AaCfgKkMNnqsTtVvXxYy]*([bceiJlLmpRDW]([\w@.:,/~+-]+)?)?|[\w~/.][\w@.:,/~+-]*)$`)

// onlyConnects reports whether c is ssh without a command and without input from the line: then it
// runs what a person types.
func onlyConnects(c *Command) bool {
	return c.Name == "ssh" && c.Hides == "stdin" && len(c.Argv) > 1 && !c.given && !c.Open &&
		!unknownIn(c.Static) && !anyOf(c.Argv[1:], func(w string) bool {
		return !sshHosts().MatchString(w)
	})
}

// settings are programs that print commands which set variables for themselves, and their words.
var settings = listOf("ssh-agent ssh-agent:-s brew:shellenv pyenv:init:- pyenv:init:--path " +
	"rbenv:init:- nodenv:init:- fnm:env opam:env direnv:hook:bash direnv:export:bash " +
	"conda:shell.bash:hook mise:activate:bash zoxide:init:bash minikube:docker-env luarocks:path")

// completion matches a substitution that prints how the words of a program are completed.
var completion = lazyregexp.New(
	`^<\( *(kubectl|helm|gh|docker|minikube|kind|k3d|flux|argocd|istioctl|oc) completion bash *\)$`)

// setsUp reports whether c runs what such a program prints.
func setsUp(c *Command) bool {
	if len(c.Argv) != 2 || c.Open || c.Name != "eval" && c.Name != "source" && c.Name != "." {
		return false
	}
	if c.Name != "eval" { // source <(kubectl completion bash)
		return completion().MatchString(c.Argv[1])
	}
	text := strings.TrimSuffix(strings.TrimPrefix(c.Argv[1], `"`), `"`)
	text, begins := strings.CutPrefix(text, "$(")
	text, ends := strings.CutSuffix(text, ")")
	return begins && ends && contains(settings(), strings.Join(strings.Fields(text), ":"))
}

// runWords parses the words from i on, joined, as commands, as eval and ssh do.
func (s *Script) runWords(c *Command, i int) string {
	if i < len(c.Argv) && c.Argv[i] == "--" {
		i++
	}
	if i >= len(c.Argv) && !c.Open {
		return ""
	}
	if setsUp(c) {
		return ""
	}
	if c.Open || unknownIn(c.Static[i:]) {
		return "dynamic"
	}
	s.parseText(strings.Join(c.Argv[i:], " "), c.origin())
	return ""
}

// each parses each word of trap and alias as commands.
func (s *Script) each(c *Command) (hides string) {
	at := 1
	if len(c.Argv) > 1 && c.Argv[1] == "--" {
		at = 2
	}
	for i, a := range c.Argv {
		if _, value, ok := strings.Cut(a, "="); i > 0 && ok && c.Name == "alias" && c.Static[i] {
			s.parseText(value, c.origin())
		} else if i == at && c.Name == "trap" && a != "-" {
			later := *c
			if c.in != nil { // it runs where the line is then
				later.in = c.in.lose(c.Text)
			}
			hides = s.one(&later, i)
		}
	}
	if c.Name == "alias" { // from now on a name means something else
		return "dynamic"
	}
	return hides
}

// flagged parses the value of -c.
func (s *Script) flagged(c *Command) string {
	for i, a := range c.Argv {
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c") ||
			a == "--command" {
			return s.one(c, i+1)
		}
		if text, ok := strings.CutPrefix(a, "--command="); ok {
			s.parseText(text, c.origin())
			return ""
		}
	}
	return "stdin"
}

// envText reads the text that env -S splits, with the words after it. -S may follow other short
// flags in the same word, and its text may follow in that word too. The text has its own escapes
// and variables.
func (s *Script) envText(c *Command) (hides string) {
	for i, a := range c.Argv {
		name, text, has := strings.Cut(a, "=")
		ok := len(name) > 3 && strings.HasPrefix("--split-string", name)
		if flags, rest, is := strings.Cut(a, "S"); is && len(flags) > 0 && flags[0] == '-' &&
			strings.Trim(flags[1:], "i0v") == "" {
			text, has, ok = rest, rest != "", true
		}
		if !ok || i == 0 {
			continue
		}
		at := i + 1
		if !has {
			if at == len(c.Argv) {
				return "stdin"
			}
			text, at = c.Argv[at], at+1
		}
		rest, err := Quote(append([]string{"x"}, c.Argv[at:]...))
		globs := slices.ContainsFunc(c.info[at:], func(w word) bool { return w.glob })
		if err != nil || globs || unknownIn(c.Static[i:]) ||
			strings.ContainsAny(text, "\\$#") {
			return "dynamic"
		}
		if strings.HasPrefix(strings.TrimLeft(text, " "), "-") { // more flags of env
			text = "env " + text
		}
		s.parseText(text+rest[1:], c.origin())
		return ""
	}
	return ""
}

// callback parses the command of mapfile and complete: the value of -C, which may follow other
// flags in the same word. compgen also expands the value of -W, and -F calls a function.
func (s *Script) callback(c *Command) (hides string) {
	for i, a := range c.Argv {
		if i == 0 || !strings.HasPrefix(a, "-") && c.Static[i] {
			continue
		}
		_, text, has := strings.Cut(a, "C")
		switch {
		case c.Name == "compgen" && strings.ContainsAny(a, "WF"), !c.Static[i]:
			hides = "dynamic"
		case has && text != "":
			s.parseText(text, c.origin())
		case has:
			hides = cmp.Or(hides, s.one(c, i+1))
		}
	}
	return hides
}
