// This file finds the line of a setting, which the decoder does not report.

package config

import "strings"

// line returns the line, 1-based, that sets path, the names of tables and a key. If the key is
// written in an unusual way, it is the line of the nearest table, or 0 if that is not found either.
func line(text string, path []string) int {
	best, found := 0, 0 // the longest found prefix of path, and its line
	var table []string
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		at := table
		if header := strings.TrimLeft(l, "["); header != l {
			table = names(header, ']')
			at = table
		} else if l != "" && l[0] != '#' {
			at = append(at[:len(at):len(at)], names(l, '=')...)
		}
		if n := common(at, path); n > best {
			best, found = n, i+1
		}
	}
	return found
}

// common returns the length of the common prefix of a and b.
func common(a, b []string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// names parses dotted names up to end: a."b.c".d
func names(s string, end byte) (out []string) {
	var name strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			name.WriteByte(c)
		case c == '"' || c == '\'':
			quote = c
		case c == end:
			return append(out, name.String())
		case c == '.':
			out = append(out, name.String())
			name.Reset()
		case c != ' ' && c != '\t':
			name.WriteByte(c)
		}
	}
	return nil // it continues in the next line, or is not a key
}
