// This file determines which files find and fd pass on.

package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// findTests are tests of find that only narrow what -name selects, and take one word; findPlain
// those that take none.
var (
	findTests = setOf("-name -type -maxdepth -mindepth -mtime -mmin -ctime -atime -size -user")
	findPlain = setOf("-print -print0 -delete -empty -a -and -xdev -mount")
)

// onFiles are programs that do nothing to the files in a folder that is their operand, unless they
// have a flag of deepFlags.
var onFiles = setOf("cat head tail wc grep egrep fgrep rm touch chmod stat file nl sed md5sum " +
	"sha1sum sha256sum")

// deepFlags are letters of flags with which programs of onFiles may enter folders.
const deepFlags = "rRd"

// only returns the pattern of path.Match that the base names of all files fit that find deletes or
// passes to a program. ok is false if it may act on others: then no single -name stands before its
// actions, or there are other tests. entered is false if programs that get folders do not matter.
func (c *Command) only(entered bool) (pattern string, ok bool) {
	i := findFlags(c.Argv)
	for i < len(c.Argv) && !strings.HasPrefix(c.Argv[i], "-") {
		if c.Argv[i] == "(" || c.Argv[i] == "!" || c.Argv[i] == "," {
			return "", false
		}
		i++
	}
	plain := !entered // only regular files
	for ; i < len(c.Argv); i++ {
		w := c.Argv[i]
		switch {
		case !c.Static[i] || c.info[i].glob:
			return "", false
		case findTests()[w]:
			if i++; i == len(c.Argv) || !c.Static[i] || c.info[i].glob ||
				w == "-name" && pattern != "" {
				return "", false
			}
			if w == "-name" {
				if pattern, ok = GoPattern(c.Argv[i]); !ok || pattern == "" {
					return "", false
				}
			}
			plain = plain || w == "-type" && c.Argv[i] == "f"
		case pattern == "": // before an action
			return "", false
		case w == "-exec":
			end := i + 1
			for end < len(c.Argv) && c.Argv[end] != ";" && c.Argv[end] != "+" {
				end++
			}
			if !plain && !staysOnFiles(c.Argv[i+1:end]) {
				return "", false
			}
			i = end
		case !findPlain()[w]:
			return "", false
		}
	}
	_, err := path.Match(pattern, "")
	return pattern, pattern != "" && err == nil && !c.Open
}

// staysOnFiles reports whether a command that find runs does nothing to files in the folders that
// it is passed.
func staysOnFiles(argv []string) bool {
	return len(argv) > 0 && onFiles()[argv[0]] &&
		!slices.ContainsFunc(argv[1:], func(w string) bool {
			return argv[0] != "sed" && len(w) > 1 && w[0] == '-' && w != "--" &&
				(w[1] == '-' || strings.ContainsAny(w, deepFlags))
		})
}

// fdExec returns the index of the flag of fd behind which a command follows, 0 if there is none.
func fdExec(c *Command) int {
	for i, w := range c.Argv {
		if i > 0 && (spells(w, "-x") || spells(w, "-X") || spells(w, "--exec") ||
			spells(w, "--exec-batch")) {
			return i
		}
	}
	return 0
}

// fdCommands returns the command that fd runs for the files that it finds.
func fdCommands(c *Command) []Command {
	at := fdExec(c)
	end := at + 1
	for end < len(c.Argv) && c.Argv[end] != ";" {
		end++
	}
	if at == 0 || end == at+1 {
		return nil
	}
	one, files := c.part(at+1, end), fdFiles(c)
	if !slices.ContainsFunc(one.Argv, func(w string) bool { return strings.Contains(w, "{") }) {
		one.Argv = append(one.Argv, "{}")
		one.Static, one.info = append(one.Static, false), append(one.info, word{})
	}
	one.markUnknown("{")
	for i, w := range one.Argv {
		if w == "{}" {
			one.info[i].found = &files
		}
	}
	return []Command{one}
}

// fdFiles returns the files that fd passes to a command: all below the folder, or those with an
// extension. It leaves out hidden ones, unless a flag says otherwise.
func fdFiles(c *Command) Path {
	out := Path{Name: ".", Below: true, Only: "[^.]*"}
	at, over := fdExec(c), false
	for i, w := range c.Argv {
		switch over = over || w == ";"; {
		case i == 0 || i > at && !over: // words of the command
		case spells(w, "-H") || spells(w, "-u") || spells(w, "--hidden") ||
			spells(w, "--unrestricted"):
			out.Only = ""
		case w == "-e" || w == "--extension":
			if out.Only == "[^.]*" && i+1 < len(c.Argv) && c.Static[i+1] && !Pattern(c.Argv[i+1]) {
				out.Only = "*." + strings.TrimPrefix(c.Argv[i+1], ".")
			}
		}
	}
	return out
}

// fd adds the files that fd passes to a command. Without one it lists names.
func (o *operands) fd() {
	at := fdExec(o.c)
	if at == 0 {
		return
	}
	files := fdFiles(o.c)
	o.f.addPath(o.c.in, files)
	for i, w := range o.c.Argv[1:at] { // it may search other folders
		if !o.c.Static[i+1] || rooted(w) || strings.HasPrefix(path.Clean(w), "..") {
			o.f.unknown(true, folder, w)
		}
	}
	if strings.Contains(o.c.Argv[at], "=") || len(o.c.Argv[at]) > 2 && !strings.HasPrefix(
		o.c.Argv[at], "--") && !strings.HasSuffix(strings.ToLower(o.c.Argv[at]), "x") {
		o.f.unknown(true, dynamicWord, o.c.Argv[at]) // the command is in the same word
	}
}

// printsMore reports whether find runs commands, which print something else than names.
func printsMore(find *Command) bool {
	return slices.ContainsFunc(find.Argv, func(w string) bool {
		return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok")
	})
}

// plainXargs reports whether xargs passes on to c what it reads from its standard input, split at
// blanks, line ends or zero bytes.
func plainXargs(all []Command, c *Command) bool {
	return !slices.ContainsFunc(all, func(x Command) bool {
		at := len(x.Argv) - len(c.Argv)
		return x.Name == "xargs" && (at < 1 || slices.ContainsFunc(x.Argv[1:at],
			func(w string) bool { return !plainXargsFlag().MatchString(w) }))
	})
}

// plainXargsFlag matches the flags with which it does so, and their numbers.
var plainXargsFlag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(-[0rt]+|-[nPL]\d*|\d+|--null|--no-run-if-empty|--max-(args|procs|lines)=\d+)$`)
})

// piped adds the files that find names to a command of xargs, which are the rest of its words. It
// returns false if others may be among them.
func piped(o *operands, way how) bool {
	c := o.c
	listed := func() bool { // From is the place of a command in this list
		for i := range o.f.s.Commands {
			if &o.f.s.Commands[i] == c {
				return true
			}
		}
		return false
	}
	if len(c.Via) == 0 || c.Via[len(c.Via)-1] != "xargs" || !c.sole || c.From < 0 ||
		!slices.Contains([]how{reads, writes, behindOne, likeSed}, way) ||
		!staysOnFiles(c.Argv) || !listed() {
		return false
	}
	from := &o.f.s.Commands[c.From]
	if from.Name != "find" || len(from.Argv) < 3 || from.in.lost || c.in.lost ||
		!slices.Equal(from.in.now, c.in.now) || slices.Contains(from.Argv, "-L") ||
		printsMore(from) || !plainXargs(o.f.s.Commands, c) {
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
