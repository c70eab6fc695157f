package glob

import (
	"strings"
	"unicode/utf8"
)

// Text reports whether text matches pattern, in which * is any text and ? any character: for names
// and command lines, which have no folders. It takes at most time proportional to the product of
// their lengths.
func Text(pattern, text string) bool {
	p, t, star, from := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, n := utf8.DecodeRuneInString(text[t:])
			p++
			t += n
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
