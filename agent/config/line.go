// This file finds the line on which something is set: the decoder does not tell.

package config

import "strings"

// line finds where path, the names of tables and a key, is set, 1-based; the nearest table if that
// is written in an unusual way, and 0 if nothing of it is found.
func line(text string, path []string) int {
	best, found := 0, 0 // how much of path is set where
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

// common is how many names a and b begin with in common.
func common(a, b []string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// names reads dotted names up to end: a."b.c".d
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
	return nil // it goes on in the next line, or is no key at all
}
