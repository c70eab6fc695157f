// This file finds the commands that find, xargs and GNU parallel run, to which they append words,
// or in which they replace marks. Parallel joins the words, and passes the result to a shell.

package shell

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// finds returns the commands that find runs. An unknown word may be -exec, and an unknown word that
// expands to several may be -exec with its command.
func (c *Command) finds() (inner []Command, hides string) {
	if c.Open {
		hides = "stdin"
	}
	ends := anyOf(c.Argv, func(a string) bool { return a == ";" || a == "+" })
	for i := 1; i < len(c.Argv); i++ {
		if !c.Static[i] && c.info[i].mayFlag(c.Argv[i]) {
			if c.info[i].splits {
				hides = "dynamic"
			}
			if ends && i+1 < len(c.Argv) {
				inner = append(inner, c.part(i+1, len(c.Argv)))
			}
		}
		switch c.Argv[i] {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(c.Argv) && c.Argv[end] != ";" &&
				(c.Argv[end] != "+" || c.Argv[end-1] != "{}" &&
					contains(c.Argv[end:], ";")) {
				end++
			}
			if end > i+1 {
				one := c.part(i+1, end)
				one.markUnknown("{}")
				c.found(&one)
				if strings.HasSuffix(c.Argv[i], "dir") { // in the folder of the file that is found
					one.in = one.in.lose(c.Argv[i])
				}
				inner = append(inner, one)
			}
			i = end
		}
	}
	return inner, hides
}

// found notes the common prefix of the names that find passes to a command, if it searches one
// place.
func (c *Command) found(one *Command) {
	if len(c.Argv) < 3 || !c.Static[1] || c.info[1].glob ||
		strings.ContainsAny(c.Argv[1][:min(1, len(c.Argv[1]))], "-(!") ||
		!strings.HasPrefix(c.Argv[2], "-") && c.Argv[2] != "(" && c.Argv[2] != "!" || !c.Static[2] {
		return
	}
	only, narrow := c.only()
	some := alternatives(c)
	for i, a := range one.Argv {
		if i > 0 && strings.HasPrefix(a, "{}") {
			one.info[i].prefix = c.Argv[1]
			if narrow && a == "{}" {
				one.info[i].found = []Path{{Name: c.info[1].home(c.Argv[1]), Below: true,
					Only: only}}
			} else if a == "{}" {
				one.info[i].found = some
			}
		}
	}
}

// maxMarks limits how many replacement marks of xargs are searched for. With more, the result is
// unknown.
const maxMarks = 10

// fedWords returns the commands that xargs and parallel run. The words that those read are appended
// to the command, or replace a mark in it.
func (c *Command) fedWords(w wrapper) []Command {
	one, marks := *c, c.marks() // marked only once, because each word may begin a command
	for _, mark := range marks[:min(len(marks), maxMarks)] {
		one.markUnknown(mark)
	}
	if len(marks) > maxMarks {
		one.Static = make([]bool, len(one.Argv))
	}
	inner := one.after(w)
	for i := range inner {
		inner[i].Open = true
	}
	return inner
}

// replaces matches the flags of xargs with which it adds no words, if -I is among them. With -L
// and -n it may ignore -I.
var replaces = lazyregexp.New(`^(-[0rt]+|-P[0-9]*|-I.*|[^-].*)$`)

// fills reports whether xargs adds no words to its command, but replaces a mark in some that can
// become no flags by that.
func fills(c, inner *Command) bool {
	own := len(c.Argv) - len(inner.Argv)
	if unknownIn(c.Static[:own]) || !anyOf(c.Argv[:own],
		func(w string) bool { return strings.HasPrefix(w, "-I") }) {
		return false
	}
	for _, w := range c.Argv[:own] {
		if !replaces().MatchString(w) {
			return false
		}
	}
	for i, known := range inner.Static {
		// what a word is that is unknown without the mark, its beginning does not tell
		if begins := inner.info[i].prefix; !c.Static[own+i] ||
			!known && (begins == "" || begins[0] == '-') {
			return false
		}
	}
	return true
}

// marks returns the strings that xargs and parallel replace, as far as their flags are readable.
func (c *Command) marks() []string {
	out := []string{"{}"}
	for i, a := range c.Argv {
		if i == 0 || !strings.HasPrefix(a, "-") {
			continue
		}
		mark, next := "", false
		if name, value, has := strings.Cut(a, "="); strings.HasPrefix(a, "--") {
			if mark = value; !has && (len(name) > 2 && strings.HasPrefix("--replace", name) ||
				name == "--max-args") {
				next = true
			}
		} else if at := strings.IndexAny(a, "IJi"); at > 0 {
			mark = a[at+1:]
			next = mark == "" && a[at] != 'i'
		}
		if next && i+1 < len(c.Argv) {
			mark = c.Argv[i+1]
		}
		if mark != "" {
			out = append(out, mark)
		}
	}
	return out
}

// markUnknown notes that the words of c that contain a mark are unknown, because it is replaced.
func (c *Command) markUnknown(mark string) {
	c.Static, c.info = slices.Clone(c.Static), slices.Clone(c.info)
	for i, a := range c.Argv {
		if at := strings.Index(a, mark); mark != "" && at >= 0 {
			c.Static[i], c.info[i] = false, word{prefix: a[:at]}
		}
	}
}

// parallelFlags are the flags of parallel.
var parallelFlags = wrapper{
	plain:  "0kquvtXmxrphV",
	valued: "jNnaCdEILPSsU",
	long: `jobs max-procs arg-file max-args max-replace-args max-lines max-chars delimiter colsep
		joblog results timeout delay retries load memfree memsuspend halt halt-on-error sshlogin
		sshloginfile basefile transferfile return workdir wd env tempdir tmpdir tagstring
		tag-string termseq nice block block-size recstart recend arg-sep arg-file-sep profile rpl
		header trc shellquote-cmd sshdelay ssh limit skip-first-line`,
	bare: `null keep-order quote ungroup group line-buffer lb verbose xargs pipe pipepart
		round-robin bar eta progress dry-run dryrun no-run-if-empty tag will-cite no-notice plain
		resume resume-failed retry-failed link compress files fg bg semaphore tty interactive
		nonall onall cleanup transfer shuf cat fifo ctag color`,
}

// placed matches the marks that parallel replaces: {}, {1}, {.}, {/.}, {name}, {= a program =}.
var placed = lazyregexp.New(`\{[^{}\s]*\}|\{[-0-9]*=`)

// own returns the index of :::, or a similar word, which starts the words that parallel passes to
// the command.
func (c *Command) own() int {
	if at := slices.IndexFunc(c.Argv,
		func(a string) bool { return strings.HasPrefix(a, ":::") }); at > 0 {
		return at
	}
	return len(c.Argv)
}

// listens reports whether parallel may have no command. It then runs the words after :::, or the
// lines that it reads, as commands.
func (c *Command) listens() bool {
	own := c.part(0, c.own())
	return own.lacks(parallelFlags)
}

// listed returns c with the words that it passes to the command, without the ::: before them. The
// contents of files are unknown.
func (c *Command) listed() *Command {
	to, known := c.own(), true
	all := *c
	all.Argv, all.Static, all.info = slices.Clone(c.Argv[:to]), slices.Clone(c.Static[:to]),
		slices.Clone(c.info[:to])
	for i := to; i < len(c.Argv); i++ {
		switch {
		case strings.HasPrefix(c.Argv[i], ":::"):
			known = !strings.HasPrefix(c.Argv[i], "::::")
		case known:
			all.Argv, all.Static, all.info = append(all.Argv, c.Argv[i]),
				append(all.Static, c.Static[i]), append(all.info, c.info[i])
		default:
			all.Argv, all.Static, all.info = append(all.Argv, c.Argv[i]), append(all.Static, false),
				append(all.info, word{})
		}
	}
	for i, a := range all.Argv {
		if at := placed().FindStringIndex(a); at != nil {
			all.Static[i], all.info[i] = false, word{prefix: a[:at[0]]}
		}
	}
	return &all
}

// parallel returns the commands that parallel runs.
func (s *Script) parallel(c *Command) (inner []Command, hides string) {
	to, all := c.own(), c.listed()
	for _, one := range all.fedWords(parallelFlags) {
		if len(all.Argv)-len(one.Argv) < to { // it does not begin behind :::
			inner = append(inner, one)
		}
	}
	from := skipWrapper(c.Argv[:to], parallelFlags)
	if !strings.ContainsAny(placed().ReplaceAllString(strings.Join(c.Argv[from:to], ""), ""),
		shellSigns+"*?") {
		return inner, ""
	}
	if unknownIn(c.Static[from:to]) {
		return inner, "dynamic"
	}
	at := len(s.Commands)
	s.parseText(strings.Join(c.Argv[from:to], " "), c.origin())
	for i := at; i < len(s.Commands); i++ {
		s.Commands[i].Open = true
	}
	return inner, ""
}
