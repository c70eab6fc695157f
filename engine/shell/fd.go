// This file reads the words of fd, which finds files and may run commands on them.

package shell

import (
	"path"
	"slices"
	"strings"
)

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
