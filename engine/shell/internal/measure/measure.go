// Package measure measures the text of a shell before and while it is parsed. The parser takes too
// long for text that nests deeply and for long expressions.
package measure

import (
	"errors"
	"runtime"
	"strings"
)

const (
	// MaxNest limits how deep openers nest: the parser recurses.
	MaxNest = 200
	// maxCalls limits the recursion of the parser, which makes about twelve calls for each level.
	maxCalls = 12 * MaxNest
	// MaxOperators limits the operators of expressions such as ((a=b=1)), for which the parser
	// recurses.
	MaxOperators = 5_000
)

// ErrDeep reports text that is nested too deep.
var ErrDeep = errors.New("nested too deep")

// Nests returns an upper bound of the nesting depth of openers.
func Nests(text string) (most int) {
	depth := 0
	for _, r := range text {
		switch r {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
		most = max(most, depth)
	}
	return most
}

// Source is a text that the parser reads in parts. Read returns ErrDeep when the parser has called
// itself too often: only the parser knows which words, quotes and brackets nest, and which are
// text.
type Source struct {
	text  strings.Reader
	began int // calls that were open at the first part; 0 = none was read
}

// NewSource returns a text to read.
func NewSource(text string) *Source { return &Source{text: *strings.NewReader(text)} }

// Read implements io.Reader.
func (s *Source) Read(part []byte) (int, error) {
	switch {
	case s.text.Len() <= len(part) && s.began == 0: // it is short
	case s.began == 0:
		for s.began = 1; callers(s.began) > 0; {
			s.began += callers(s.began)
		}
	case callers(s.began+maxCalls) > 0:
		return 0, ErrDeep
	}
	return s.text.Read(part)
}

// callers returns how many calls are open, at most 64, without the innermost ones.
func callers(but int) int {
	var some [64]uintptr
	return runtime.Callers(but, some[:])
}

// Operators returns how many operators the expressions of text have, in ((...)), [[...]], $[...],
// a[...], ${...} and let. Each operator usually nests within the previous one.
func Operators(text string) (n int) {
	var open []expression
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case opens(text, i):
			e := expression{end: closer(c), depth: 1, before: n}
			if e.double = i+1 < len(text) && text[i+1] == c && c != '{'; e.double {
				e.depth++
				i++
			}
			open = append(open, e)
		case len(open) == 0:
		case strings.IndexByte("=!~?:*+-,<>&|/%^", c) >= 0:
			n++
		case c == ';' || c == '\n':
			if e := open[len(open)-1]; e.end == ';' {
				open = open[:len(open)-1]
			}
		default:
			e := &open[len(open)-1]
			switch {
			case closer(c) == e.end:
				e.depth++
			case c == e.end:
				e.depth--
			}
			if e.double && e.depth == 1 && c == e.end {
				if i+1 < len(text) && text[i+1] == c {
					i++ // both closers are this expression's
				} else { // no expression: two subshells, a call of a function in another language
					n = e.before
				}
				e.depth = 0
			}
			if e.depth == 0 {
				open = open[:len(open)-1]
			}
		}
		if n > MaxOperators {
			break
		}
	}
	return n
}

// expression is an open expression.
type expression struct {
	end    byte // the character that closes it
	double bool // the closer must appear twice
	depth  int  // openers in it that are still open, including its own
	before int  // operators in front of it
}

// closer returns the character that closes the opener c, or 0 if c is not an opener.
func closer(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	case 'l':
		return ';'
	}
	return 0
}

// opens reports whether an expression begins at i.
func opens(text string, i int) bool {
	switch text[i] {
	case '(':
		return strings.HasPrefix(text[i:], "((")
	case '[':
		return strings.HasPrefix(text[i:], "[[") || i > 0 && (named(text[i-1]) || text[i-1] == '$')
	case '{':
		return i > 0 && text[i-1] == '$'
	case 'l':
		return strings.HasPrefix(text[i:], "let ") && (i == 0 || !named(text[i-1]))
	}
	return false
}

// named reports whether c may be a part of a name or of a word without quotes.
func named(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		strings.IndexByte("_-./:=@%+,", c) >= 0
}
