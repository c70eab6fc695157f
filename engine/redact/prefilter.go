// This file determines which texts a pattern cannot match, without running it: secrets contain
// characteristic words, and most texts have none of these.

package redact

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// need is a list of lower-case words, of which every match contains one; nil = unknown.
type need []string

// shortestNeed is the minimal length of a useful word.
const shortestNeed = 3

// needOf returns the words that every match of re contains.
func needOf(re *syntax.Regexp) need {
	switch re.Op {
	case syntax.OpLiteral:
		return needOfWord(string(re.Rune))
	case syntax.OpCapture, syntax.OpPlus:
		return needOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var best need
		for _, s := range re.Sub {
			if n := needOf(s); n.better(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all need
		for _, s := range re.Sub {
			n := needOf(s)
			if n == nil {
				return nil
			}
			all = append(all, n...)
		}
		return all
	}
	return nil
}

// needOfWord returns the need for one word, if it is plain enough: with case ignored, a pattern
// also matches letters outside ASCII.
func needOfWord(word string) need {
	for _, r := range word {
		if r > unicode.MaxASCII {
			return nil
		}
	}
	if len(word) < shortestNeed {
		return nil
	}
	return need{strings.ToLower(word)}
}

// better reports whether n is more selective than m: its shortest word is longer.
func (n need) better(m need) bool { return n != nil && (m == nil || n.shortest() > m.shortest()) }

func (n need) shortest() int {
	least := len(n[0])
	for _, w := range n {
		least = min(least, len(w))
	}
	return least
}

// The letters outside ASCII that match an ASCII letter when case is ignored.
const longS, kelvin = "\u017f", "\u212a"

// small returns text in the form in which needs are searched; "" if that is impossible.
func small(text string) string {
	if strings.Contains(text, longS) || strings.Contains(text, kelvin) {
		return ""
	}
	return strings.ToLower(text)
}

// met reports whether a text may contain a match; small is the result of small for it.
func (n need) met(small string) bool {
	if n == nil || small == "" {
		return true
	}
	for _, w := range n {
		if strings.Contains(small, w) {
			return true
		}
	}
	return false
}
