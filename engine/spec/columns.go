package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// textColumns is where lines of the reference end.
const textColumns = 100

// listMark matches the beginning of an item of a list.
var listMark = lazyregexp.New(`^ *(?:[-*] |\d+\. )?`)

// blockMark matches a word that would begin a list, a heading or a quotation, if it were the first
// of a line.
var blockMark = lazyregexp.New(`^(?:[-+*>]|#+|\d+[.)])$`)

// Wrapped breaks the long lines of a page in Markdown. Tables and code stay as they are, and so
// does a piece of code within a line.
func Wrapped(page string) string {
	var out []string
	code := false
	for line := range strings.SplitSeq(page, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if code || strings.HasPrefix(line, "|") || utf8.RuneCountInString(line) <= textColumns {
			out = append(out, line)
			continue
		}
		mark := listMark().FindString(line)
		out = append(out, wrapLine(mark, strings.Repeat(" ", len(mark)), line[len(mark):])...)
	}
	return strings.Join(out, "\n")
}

// wrapLine breaks a text into lines; first and further are what they begin with.
func wrapLine(first, further, text string) (lines []string) {
	line, begun := first, false
	for _, word := range pieces(text) {
		switch {
		case !begun:
			line, begun = line+word, true
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > textColumns &&
			!blockMark().MatchString(word):
			lines, line = append(lines, line), further+word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// pieces splits a text at its spaces, except those in code.
func pieces(text string) (out []string) {
	begin, code := 0, false
	for i := range len(text) {
		switch {
		case text[i] == '`':
			code = !code
		case text[i] == ' ' && !code:
			out, begin = append(out, text[begin:i]), i+1
		}
	}
	return append(out, text[begin:])
}
