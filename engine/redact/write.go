// This file converts a parsed expression to text. The String method of regexp/syntax determines for
// each class, rune by rune, whether case matters: half a second for one pattern of a secret.

package redact

import (
	"fmt"
	"regexp/syntax"
	"strings"
)

// written returns text that parses, with the flags of syntax.Perl, to an expression equivalent to
// re. Captures become groups.
func written(re *syntax.Regexp) string {
	var b strings.Builder
	writeText(&b, re)
	return b.String()
}

// assertions are the expressions without operands.
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

// times returns the repetition operator of re.
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
