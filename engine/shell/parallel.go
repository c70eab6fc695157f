// This file finds the commands that GNU parallel runs: it joins its words, appends other words or
// replaces marks with them, and passes the result to a shell.

package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

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
var placed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{[^{}\s]*\}|\{[-0-9]*=`)
})

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
	if slices.Contains(c.Static[from:to], false) {
		return inner, "dynamic"
	}
	at := len(s.Commands)
	s.parseText(strings.Join(c.Argv[from:to], " "), c.origin())
	for i := at; i < len(s.Commands); i++ {
		s.Commands[i].Open = true
	}
	return inner, ""
}
