package plain

import "strings"

// NameChar reports whether r is allowed in names that every model server and every file system
// accepts: an ASCII letter, a digit, _ or -.
func NameChar(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' ||
		r == '-'
}

// Name returns s with all characters replaced by other that NameChar does not allow.
func Name(s string, other rune) string {
	return strings.Map(func(r rune) rune {
		if NameChar(r) {
			return r
		}
		return other
	}, s)
}

// Variable returns s as the name of an environment variable: MY_SERVER for my-server.
func Variable(s string) string {
	return strings.ToUpper(strings.ReplaceAll(Name(s, '_'), "-", "_"))
}
