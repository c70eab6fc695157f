// This file translates patterns of file names from bash to Go.

package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// GoPattern translates a pattern of file names to one of path.Match. ok is false if that cannot
// express it: bash has character classes such as [[:alpha:]] and reads brackets that do not close,
// or hold a slash, as text.
func GoPattern(pattern string) (out string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		b.WriteByte(pattern[i])
		switch pattern[i] {
		case '\\':
			if i++; i < len(pattern) {
				b.WriteByte(pattern[i])
			}
		case '[':
			n := bracketLen(pattern[i:])
			if n == 0 {
				return "", false
			}
			set := pattern[i+1 : i+n]
			if set[0] == '!' {
				set = "^" + set[1:]
			}
			b.WriteString(set)
			i += n - 1
		}
	}
	return b.String(), true
}

// bracketLen returns the length of the brackets at the beginning of a pattern, 0 if path.Match
// reads them differently.
func bracketLen(pattern string) int {
	for i := 1; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '/', c == '[' && i+1 < len(pattern) &&
			strings.IndexByte(":.=", pattern[i+1]) >= 0:
			return 0
		case c == ']':
			return i + 1
		}
	}
	return 0
}

// mixesQuotes reports whether a word is a pattern of file names in which a quoted character would
// have another meaning without its quotes: '[id]'/*. The text of the word no longer shows that.
func mixesQuotes(w *syntax.Word) bool {
	var quoted, bare strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			for i := 0; i < len(p.Value); i++ {
				to := &bare
				if p.Value[i] == '\\' && i+1 < len(p.Value) {
					i++
					to = &quoted
				}
				to.WriteByte(p.Value[i])
			}
		case *syntax.SglQuoted:
			quoted.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, _ := plainText(p.Parts, true)
			quoted.WriteString(text)
		}
	}
	return Pattern(bare.String()) && (strings.ContainsAny(quoted.String(), `*?[\`) ||
		strings.Contains(bare.String(), "[") && strings.ContainsAny(quoted.String(), "]!^-:.=/"))
}
