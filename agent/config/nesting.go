// This file refuses what the decoder would take minutes for: the time it needs grows with the cube
// of how deep a file goes.

package config

import "strings"

// deepest is how deep tables, lists and the parts of a name may go: a config goes three deep.
const deepest = 100

// deep reports whether a file goes deeper than that.
func deep(text string) bool {
	depth, dots := 0, 0
	for rest := text; rest != ""; rest = rest[1:] {
		switch rest[0] {
		case '"', '\'':
			rest = behindString(rest)
		case '#':
			line, _, _ := strings.Cut(rest, "\n")
			rest = rest[len(line)-1:]
		case '[', '{':
			depth, dots = depth+1, 0
		case ']', '}':
			depth = max(depth-1, 0)
		case '.':
			dots++
		case '=', ',', '\n':
			dots = 0
		}
		if depth > deepest || dots > deepest {
			return true
		}
	}
	return false
}

// behindString is the last byte of the string that text begins with, and what follows.
func behindString(text string) string {
	quote := text[:1]
	end, lines := quote, false
	if strings.HasPrefix(text, strings.Repeat(quote, 3)) {
		end, lines = strings.Repeat(quote, 3), true
	}
	for i := len(end); i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], end):
			i += len(end)
			// two more belong to the string
			for n := 0; lines && n < 2 && strings.HasPrefix(text[i:], quote); n++ {
				i++
			}
			return text[i-1:]
		case text[i] == '\\' && quote == `"`:
			i++
		case text[i] == '\n' && !lines: // a mistake, which ends the decoder's work
			return text[i:]
		}
	}
	return text[len(text)-1:]
}
