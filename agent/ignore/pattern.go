// This file reads patterns.

package ignore

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// lineBytes is how long a line may be: no path is longer, and what stands in a long one takes long
// to read.
const lineBytes = 4096

// rule is a line.
type rule struct {
	keep    bool // !pattern
	dirOnly bool // pattern/
	whole   bool // it is held against the path, else against its last part
	how     how
	text    string
	re      *regexp.Regexp
}

// how a pattern is held against a name; nearly all are one of the first two, which are quick.
type how int

const (
	equal how = iota
	suffix
	expression
)

func (x *rule) matches(rel, base string, isDir bool) bool {
	if x.dirOnly && !isDir {
		return false
	}
	name := base
	if x.whole {
		name = rel
	}
	switch x.how {
	case equal:
		return name == x.text
	case suffix:
		return strings.HasSuffix(name, x.text)
	}
	return x.re.MatchString(name)
}

func parsePattern(text string) (list []rule) {
	text = strings.TrimPrefix(text, "\uFEFF")
	for line := range strings.SplitSeq(text, "\n") {
		if x, ok := parseLine(strings.TrimSuffix(line, "\r")); ok {
			list = append(list, x)
		}
	}
	return list
}

// parseLine reads a line; ok is false if it has no pattern that can match.
func parseLine(line string) (x rule, ok bool) {
	if strings.HasPrefix(line, "#") || len(line) > lineBytes {
		return x, false
	}
	p := trimSpaces(line)
	p, x.keep = strings.CutPrefix(p, "!")
	p, x.dirOnly = strings.CutSuffix(p, "/")
	p, rooted := strings.CutPrefix(p, "/")
	x.whole = rooted || strings.Contains(p, "/")
	if p == "" {
		return x, false
	}
	const special = `*?[\`
	switch rest := p[1:]; {
	case !strings.ContainsAny(p, special):
		x.text = p
		return x, true
	case p[0] == '*' && !x.whole && !strings.ContainsAny(rest, special):
		x.how, x.text = suffix, rest
		return x, true
	}
	expr, ok := translate(p)
	if !ok {
		return x, false
	}
	re, err := regexp.Compile(`(?s)\A` + expr + `\z`)
	x.how, x.re = expression, re
	return x, err == nil
}

// trimSpaces takes spaces off the end, unless there is a backslash before them.
func trimSpaces(s string) string {
	end := 0 // of what is kept
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(s))
	}
	return s[:end]
}

// translate makes a regular expression of a pattern; ok is false if it can match nothing.
func translate(p string) (expr string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '*':
			n := stars(p[i:])
			before, after := i == 0 || p[i-1] == '/', p[i+n:]
			switch {
			case n > 1 && before && strings.HasPrefix(after, "/"):
				b.WriteString(`(?:.*/)?`)
				n++
			case n > 1 && before && after == "" && i > 0:
				b.WriteString(`.+`)
			default:
				b.WriteString(`[^/]*`)
			}
			i += n
		case '?':
			b.WriteString(`[^/]`)
			i++
		case '[':
			set, n := class(p[i:])
			if n == 0 {
				return "", false
			}
			b.WriteString(set)
			i += n
		case '\\':
			if i++; i == len(p) {
				return "", false
			}
			fallthrough
		default:
			_, n := utf8.DecodeRuneInString(p[i:])
			b.WriteString(regexp.QuoteMeta(p[i : i+n]))
			i += n
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD"), true
}

func stars(p string) (n int) {
	for n < len(p) && p[n] == '*' {
		n++
	}
	return n
}

// names are the classes of characters that git knows, as ranges.
var names = map[string]string{"alnum": "09AZaz", "alpha": "AZaz", "blank": "\t\t  ",
	"cntrl": "\x00\x1f\x7f\x7f", "digit": "09", "graph": "!~", "lower": "az",
	"print": " ~", "punct": "!/:@[`{~", "space": "\t\r  ", "upper": "AZ", "xdigit": "09AFaf"}

// class reads [a-z], which stands at the beginning of p; n is how long it is, 0 if it does not end.
func class(p string) (expr string, n int) {
	i := 1
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	var ranges [][2]rune
	for first := true; ; first = false {
		if i >= len(p) {
			return "", 0
		}
		if p[i] == ']' && !first {
			break
		}
		if after, named := strings.CutPrefix(p[i:], "[:"); named && strings.Contains(after, ":]") {
			name, rest, _ := strings.Cut(after, ":]")
			known := names[name]
			if known == "" {
				return "", 0
			}
			for k := 0; k < len(known); k += 2 {
				ranges = append(ranges, [2]rune{rune(known[k]), rune(known[k+1])})
			}
			i = len(p) - len(rest)
			continue
		}
		lo, size := char(p[i:])
		if i += size; size == 0 {
			return "", 0
		}
		hi := lo
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			if hi, size = char(p[i+1:]); size == 0 {
				return "", 0
			}
			i += 1 + size
		}
		if lo <= hi {
			ranges = append(ranges, [2]rune{lo, hi})
		}
	}
	return classExpr(ranges, negated), i + 1
}

func char(p string) (r rune, size int) {
	escape := 0
	if p[0] == '\\' {
		if escape = 1; len(p) == 1 {
			return 0, 0
		}
	}
	r, size = utf8.DecodeRuneInString(p[escape:])
	return r, size + escape
}

// classExpr is the expression for a class; a slash is in none.
func classExpr(ranges [][2]rune, negated bool) string {
	var b strings.Builder
	add := func(lo, hi rune) {
		if lo <= hi {
			fmt.Fprintf(&b, `\x{%x}-\x{%x}`, lo, hi)
		}
	}
	for _, r := range ranges {
		if negated || r[1] < '/' || '/' < r[0] {
			add(r[0], r[1])
			continue
		}
		add(r[0], '/'-1)
		add('/'+1, r[1])
	}
	switch {
	case negated:
		return `[^/` + b.String() + `]`
	case b.Len() == 0:
		return `[^\x00-\x{10FFFF}]`
	}
	return `[` + b.String() + `]`
}
