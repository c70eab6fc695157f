// This file finds the paths in a text, such as a script or a query, that an unknown program gets as
// one word: tmux new 'cat .env', sqlite3 x.db '.read .env'.

package shell

import "strings"

// textPaths adds the paths in word i of c, if it is a text that the program may run or interpret.
// m describes the word.
func (f *finder) textPaths(c *Command, i int, m Maybe) {
	text := c.Argv[i]
	name, _, _ := strings.Cut(text, "=")
	if !strings.ContainsFunc(text, endsPath) || textFlag().MatchString(c.Argv[i-1]) ||
		textFlag().MatchString(name) || !interpretsText(c) {
		return
	}
	if len(text) > maxMaybe {
		f.unknown(m.Writes)
		return
	}
	parts := strings.FieldsFunc(text, endsPath)
	if len(parts) < 2 && !c.Static[i] || len(parts) == 0 { // only a variable
		return
	}
	// a command: its patterns are patterns of file names
	_, command := fileWays()[programName(parts[0])]
	for _, part := range parts {
		if m.Pattern = Pattern(part); m.Pattern && !command && strings.Trim(part, "*?[].") == "" {
			continue
		}
		f.spellings(c, part, m)
	}
}

// interpretsText reports whether the program of c may run or interpret a word that is a text.
func interpretsText(c *Command) bool {
	switch _, files := fileWays()[c.Name]; {
	case c.launches() > 0 || texts()[c.module()]:
		return false
	case c.carries():
		return true
	case files || texts()[c.Name] || Wraps(c.Name):
		return false
	}
	return true
}

// endsPath reports whether a character in a text stands beside a path, rather than in it.
func endsPath(r rune) bool {
	return strings.ContainsRune(" \t\n\r\"'`(){}<>|;&$\\!#^", r)
}
