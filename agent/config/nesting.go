// This file rejects files that the decoder would need minutes for, because its time grows with the
// cube of the nesting depth.

package config

import "strings"

// deepest is the limit of nested tables, lists and parts of a name; a config needs three.
const deepest = 100

// deep reports whether a file exceeds that limit.
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

// behindString returns the last byte of the string at the beginning of text, and the text after it.
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
			// two more quotes belong to the string
			for n := 0; lines && n < 2 && strings.HasPrefix(text[i:], quote); n++ {
				i++
			}
			return text[i-1:]
		case text[i] == '\\' && quote == `"`:
			i++
		case text[i] == '\n' && !lines: // a mistake, at which the decoder stops
			return text[i:]
		}
	}
	return text[len(text)-1:]
}
