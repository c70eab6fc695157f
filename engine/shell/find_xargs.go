// This file finds the commands that find and xargs run, to which they append words.

package shell

import (
	"slices"
	"strings"
)

// finds returns the commands that find runs. An unknown word may be -exec, and an unknown word that
// expands to several may be -exec with its command.
func (c *Command) finds() (inner []Command, hides string) {
	if c.Open {
		hides = "stdin"
	}
	ends := slices.ContainsFunc(c.Argv, func(a string) bool { return a == ";" || a == "+" })
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
					slices.Contains(c.Argv[end:], ";")) {
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
	only, narrow := c.only(true)
	for i, a := range one.Argv {
		if i > 0 && strings.HasPrefix(a, "{}") {
			one.info[i].prefix = c.Argv[1]
			if narrow && a == "{}" {
				one.info[i].found = &Path{Name: c.info[1].home(c.Argv[1]), Below: true, Only: only}
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
