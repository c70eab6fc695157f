// This file finds the words of known programs that are texts, and no names of files.

package shell

import (
	"slices"
	"strings"
)

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
	case c.info[i].pipe, a.program == "jq" && isJQText(c, i):
		return true
	case a.program != "git" || c.info[i].splits:
		return false
	}
	return joined && textFlag().MatchString(name) || history()[a.sub] &&
		!strings.HasPrefix(w, "-") && !strings.HasPrefix(c.Argv[i-1], "-") && !c.info[i].mayFlag(w)
}

// isJQText reports whether word i of a command of jq is the name or the value of a variable.
func isJQText(c *Command, i int) bool {
	is := func(at int) bool {
		return at > 0 && (c.Argv[at] == "--arg" || c.Argv[at] == "--argjson") && !isJQText(c, at)
	}
	return (is(i-1) || is(i-2)) && !c.info[i].splits
}

// onlyLists reports whether ar is only told to list what is in an archive, and patch to try.
func (o *operands) onlyLists() bool {
	words := o.c.Argv[1:]
	switch {
	case slices.Contains(o.c.Static, false):
		return false
	case o.a.program == "ar":
		return len(words) > 0 && strings.HasPrefix(strings.TrimPrefix(words[0], "-"), "t")
	}
	return o.a.program == "patch" && slices.Contains(words, "--dry-run")
}

// piped adds the files that find names to a command of xargs, which are the rest of its words. It
// returns false if others may be among them.
func (o *operands) piped(way how) bool {
	c := o.c
	if len(c.Via) == 0 || c.Via[len(c.Via)-1] != "xargs" || !c.sole || c.From < 0 ||
		!slices.Contains([]how{reads, writes, behindOne, likeSed}, way) || !staysOnFiles(c.Argv) {
		return false
	}
	from := &o.f.s.Commands[c.From]
	if from.Name != "find" || len(from.Argv) < 3 || from.in.lost || c.in.lost ||
		!slices.Equal(from.in.now, c.in.now) || slices.Contains(from.Argv, "-L") {
		return false
	}
	probe := Command{Argv: []string{c.Name, "{}"}, Static: []bool{true, false},
		info: make([]word, 2)}
	if from.found(&probe); probe.info[1].found == nil {
		return false
	}
	p := *probe.info[1].found
	p.Word, p.Split = from.Text, true
	if p.Writes = way == writes || way == likeSed && o.a.has(c, "in-place") != no; way != writes {
		read := p
		read.Writes = false
		o.f.addPath(c.in, read)
	}
	if p.Writes {
		o.f.addPath(c.in, p)
	}
	return true
}
