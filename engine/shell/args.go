// This file sorts the words of a command into flags, their values, the subcommand and operands.

package shell

import (
	"strings"

	"github.com/agentscripts/agent/engine/glob"
)

// flag is a flag that a command has.
type flag struct {
	name string
	// long flags may be abbreviated; a whole one is -name.
	long bool
	sure bool // it is a flag, and cannot be the value of another one
}

// args are the words of a command, sorted.
type args struct {
	program  string // twins have the same name
	set      *flagSet
	sub      string   // the subcommand; "" = none
	subs     []string // other possible subcommands: words after flags that may have a value
	unsure   bool     // sub may be anything
	flags    []flag
	operands []int // places in Argv
	first    int   // where the words after sub begin
	more     bool  // there may be unknown flags
}

// twins are groups of names for the same program.
var twins = setOf(
	"rm cp mv ln chmod chown chgrp dd shred rmdir unlink truncate tee touch mkdir install sed " +
		"find tar mknod mkfifo split sort")

// programName returns the name of a program without parts that have no effect.
func programName(name string) string {
	if name = strings.TrimSuffix(strings.ToLower(name), ".exe"); name == "hub" {
		return "git"
	}
	switch name {
	case "rename.ul", "file-rename", "perl-rename", "prename":
		return "rename"
	}
	if rest, ok := strings.CutPrefix(name, "g"); ok && twins()[rest] {
		return rest
	}
	return name
}

// sorted sorts the words of c.
func (c *Command) sorted() *args {
	a := &args{program: programName(c.Name), first: 1, more: c.Open && !c.named}
	// as git finds its own
	if rest, ok := strings.CutPrefix(a.program, "git-"); ok && gitWords()[rest] {
		a.program, a.sub = "git", rest
	}
	p, known := programs[a.program]
	if a.sub == "" && (p.subs != nil || !known) {
		a.findSub(c)
	}
	// it determines which words are flags; programs of files have no subcommands
	_, onlyFiles := fileWays()[a.program]
	a.more = a.more || a.unsure && (known || !onlyFiles) || p.subs != nil && len(a.subs) > 0
	if a.set = flagsOf(a.program, ""); p.subs != nil {
		a.set = flagsOf(a.program, a.sub)
	}
	// no word is a subcommand, or it is unknown whether one is
	if !known || p.subs == nil {
		a.first = 1
	}
	a.sort(c)
	if a.program == "git" && a.sub == "send-pack" { // it may read what to push
		a.more = a.more || a.has(c, "stdin") != no
	}
	return a
}

// findSub finds the subcommand. Flags, some of which take values, may come before it.
func (a *args) findSub(c *Command) {
	set := flagsOf(a.program, "")
	doubt := false // the last word was a flag that may have a value
	for i := 1; i < len(c.Argv); i++ {
		w := c.Argv[i]
		switch info := c.info[i]; {
		case !c.Static[i] && !info.splits && strings.HasPrefix(info.prefix, "--") &&
			strings.Contains(info.prefix, "="): // a flag with its value
			doubt = false
		case !c.Static[i]:
			a.unsure = true
			return
		case w == "--" || a.program == "cargo" && strings.HasPrefix(w, "+"):
		case strings.HasPrefix(w, "-") && len(w) > 1:
			name := strings.TrimLeft(w, "-")
			name, _, has := strings.Cut(name, "=")
			if set.valued[name] && !has {
				i++
				if doubt = false; i < len(c.Argv) && (c.info[i].glob ||
					!c.Static[i] && c.info[i].splits) { // the subcommand may be one of its words
					a.unsure = true
					return
				}
			} else {
				doubt = !has && set.same[name] == nil &&
					!(set.known && len(w) > 2 && set.valued[w[1:2]])
			}
		case doubt:
			a.subs, doubt = append(a.subs, w), false
			if a.sub == "" { // it may be this one, or the next
				a.sub, a.first = w, i+1
			}
		default:
			if len(a.subs) > 0 {
				a.subs = append(a.subs, w)
			}
			if a.sub == "" || len(a.subs) > 0 {
				a.sub, a.first = w, i+1
			}
			return
		}
	}
	a.unsure = a.unsure || c.Open
}

// sort sorts the words after sub. The words before it are flags of the program and count as well.
func (a *args) sort(c *Command) {
	over := false
	for i := 1; i < len(c.Argv); i++ {
		w := c.Argv[i]
		switch {
		case i == a.first-1 && a.first > 1: // sub
		case !c.Static[i] || c.info[i].glob:
			if !over && c.info[i].mayFlag(w) && !plainList(c.info[i].found) {
				a.more = true
			}
			a.operands = append(a.operands, i)
		case w == "--" && !over:
			over = true
		case over && a.set.known, len(w) < 2 || w[0] != '-':
			a.operands = append(a.operands, i)
		default:
			set := a.set
			if i < a.first-1 {
				set = flagsOf(a.program, "")
			}
			if a.flag(set, w, !over && (i == 1 || set.known ||
				!strings.HasPrefix(c.Argv[i-1], "-"))) {
				if i++; i < len(c.Argv) && !c.Static[i] && c.info[i].splits {
					a.more = true
				}
			}
		}
	}
}

// maxFlags bounds how many flags of a command are noted. Each letter is a flag.
const maxFlags = 1_000

// flag notes the flags in one word, and reports whether the next word is the value of the last one.
func (a *args) flag(set *flagSet, w string, sure bool) (value bool) {
	if len(a.flags) > maxFlags {
		a.more = true
		return false
	}
	if name, ok := strings.CutPrefix(w, "--"); ok {
		name, _, has := strings.Cut(name, "=")
		may := set.resolveFlag(name)
		if len(may) == 0 {
			may = []string{name}
		}
		for _, n := range may {
			a.flags = append(a.flags, flag{n, true, sure && len(may) == 1})
		}
		if may[0] != name {
			a.flags = append(a.flags, flag{name, true, false})
		}
		return !has && len(may) == 1 && set.valued[may[0]]
	}
	name, _, has := strings.Cut(w[1:], "=")
	if len(name) > 1 {
		a.flags = append(a.flags, flag{name, true, sure && (set.whole || !set.known)})
	}
	if set.whole {
		if len(name) == 1 {
			a.flags = append(a.flags, flag{name, false, sure})
		}
		return !has && set.valued[name]
	}
	for i, r := range w[1:min(len(w), maxFlags)] {
		one := string(r)
		a.flags = append(a.flags, flag{one, false, sure && (set.known || len(w) == 2)})
		if set.valued[one] {
			return i+len(one) == len(w)-1
		}
	}
	return false
}

// mayFlag reports whether an unknown word, or a pattern of file names, may become a flag.
func (w word) mayFlag(text string) bool {
	switch {
	case w.splits:
		return true
	case w.shapes != nil:
		return anyOf(w.shapes, func(v string) bool {
			rest := strings.TrimLeft(v, gitName) // it is empty where there is no branch
			return v == "" || rest != "" && strings.ContainsAny(rest[:1], "-+:"+glob.Unknown)
		})
	case w.values != nil: // +main is a flag of git's
		return anyOf(w.values, func(v string) bool {
			return v != "" && (strings.ContainsAny(v[:1], "-+:") || findsFlag(v))
		})
	case w.prefix != "":
		return w.prefix[0] == '-'
	case w.glob:
		return findsFlag(text)
	}
	return text != "{}" // find prefixes names with their folder
}

// plainList reports whether names of files are those that a pattern matches which matches no flags:
// what ls prints for *.log.
func plainList(found []Path) bool {
	for _, p := range found {
		if !p.Pattern || findsFlag(p.Name) || p.Name[0] == '-' {
			return false
		}
	}
	return len(found) > 0
}

// findsFlag reports whether a pattern of file names may match a flag. The pattern *.o does not,
// because no flag contains a dot.
func findsFlag(pattern string) bool {
	if len(pattern) > 1 && pattern[1] == '(' { // !(x.o)
		return true
	}
	return strings.ContainsAny(pattern[:1], "*?[") &&
		!strings.ContainsAny(strings.TrimLeft(pattern, "*?"), "./")
}
