// This file decides which texts are drawn as Markdown.

package markdown

import "strings"

// longestText is the largest text, in bytes, that is drawn as Markdown: about the longest answer of
// a model. A longer one is shown as plain text, because drawing it would hold up the screen.
const longestText = 64 << 10

const (
	// nestedMost is how many quotes and lists one line may open: the parser looks at all open ones
	// in each line.
	nestedMost = 12
	// markupLimit is how many lines and markup characters a text may have: the parser repeatedly
	// searches for pairs of them. The longest answer has fewer, including code.
	markupLimit = 8000
	// headingSigns is how many markup characters a heading counts for: the parser compares each
	// with all earlier ones.
	headingSigns = 9
)

// intricate reports whether text has more Markdown than people write, or than can be drawn while
// they wait.
func intricate(text string) bool {
	left := markupLimit
	for line := range strings.Lines(text) {
		if nesting(line) > nestedMost {
			return true
		}
		if l := strings.TrimLeft(line, " >"); strings.HasPrefix(l, "#") ||
			strings.HasPrefix(l, "=") {
			left -= headingSigns
		}
		left--
		for i := range len(line) {
			switch line[i] {
			case '*', '_', '~', '`', '[', ']', '<', '|':
				left--
			}
		}
		if left < 0 {
			return true
		}
	}
	return false
}

// nesting returns how many quotes and lists a line opens or, by repeating their markers, continues.
func nesting(line string) (n int) {
	for {
		line = strings.TrimLeft(line, " ")
		rest, quote := strings.CutPrefix(line, ">")
		if !quote {
			rest = strings.TrimLeft(line, "0123456789") // of 1. or 1)
			if rest = strings.TrimLeft(rest, "-+*.)"); rest == line || rest != "" &&
				rest[0] != ' ' && rest[0] != '\n' {
				return n
			}
		}
		n, line = n+1, rest
		if rest == "" {
			return n
		}
	}
}
