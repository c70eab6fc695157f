// This file writes a parsed expression as text again. What regexp/syntax has for that finds out for
// each class, rune by rune, whether case matters to it: half a second for one pattern of a secret.

package redact

import (
	"fmt"
	"regexp/syntax"
	"strings"
)

// written is re as text that is parsed, with the flags of syntax.Perl, to what matches the same.
// Captures become groups.
func written(re *syntax.Regexp) string {
	var b strings.Builder
	writeText(&b, re)
	return b.String()
}

// assertions are the expressions that match a place, and those that need nothing of their node.
var assertions = map[syntax.Op]string{
	syntax.OpNoMatch: `[^\x{0}-\x{10FFFF}]`, syntax.OpEmptyMatch: `(?:)`,
	syntax.OpAnyChar: `(?s:.)`, syntax.OpAnyCharNotNL: `(?-s:.)`,
	syntax.OpBeginLine: `(?m:^)`, syntax.OpEndLine: `(?m:$)`, syntax.OpBeginText: `\A`,
	syntax.OpEndText:      `\z`,
	syntax.OpWordBoundary: `\b`, syntax.OpNoWordBoundary: `\B`,
}

func writeText(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		open := "(?-i:"
		if re.Flags&syntax.FoldCase != 0 {
			open = "(?i:"
		}
		b.WriteString(open)
		for _, r := range re.Rune {
			fmt.Fprintf(b, `\x{%x}`, r)
		}
		b.WriteByte(')')
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			b.WriteString(assertions[syntax.OpNoMatch])
			return
		}
		b.WriteString("(?-i:[")
		for i := 0; i+1 < len(re.Rune); i += 2 {
			fmt.Fprintf(b, `\x{%x}-\x{%x}`, re.Rune[i], re.Rune[i+1])
		}
		b.WriteString("])")
	case syntax.OpCapture, syntax.OpConcat:
		writeAll(b, re.Sub, "")
	case syntax.OpAlternate:
		writeAll(b, re.Sub, "|")
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		writeAll(b, re.Sub, "")
		b.WriteString(times(re))
		if re.Flags&syntax.NonGreedy != 0 {
			b.WriteByte('?')
		}
	default:
		b.WriteString(assertions[re.Op])
	}
}

// writeAll writes expressions as one group.
func writeAll(b *strings.Builder, list []*syntax.Regexp, between string) {
	b.WriteString("(?:")
	for i, re := range list {
		if i > 0 {
			b.WriteString(between)
		}
		writeText(b, re)
	}
	b.WriteByte(')')
}

// times is how often re repeats what is in it.
func times(re *syntax.Regexp) string {
	switch {
	case re.Op == syntax.OpStar:
		return "*"
	case re.Op == syntax.OpPlus:
		return "+"
	case re.Op == syntax.OpQuest:
		return "?"
	case re.Max < 0:
		return fmt.Sprintf("{%d,}", re.Min)
	}
	return fmt.Sprintf("{%d,%d}", re.Min, re.Max)
}
