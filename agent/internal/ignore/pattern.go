// This file parses patterns.

package ignore

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// lineBytes is the length limit of a line: no path is longer, and parsing long patterns is slow.
const lineBytes = 4096

// rule is a parsed line.
type rule struct {
	keep    bool // !pattern
	dirOnly bool // pattern/
	whole   bool // it is matched with the whole path, else with its last element
	how     how
	text    string
	re      *regexp.Regexp
}

// how is the way to match a pattern with a name; nearly all use one of the first two, which are
// fast.
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

// parseLine parses a line; ok is false if it has no pattern that can match.
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

// trimSpaces removes trailing spaces, unless a backslash precedes them.
func trimSpaces(s string) string {
	end := 0 // of the kept part
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

// translate converts a pattern to a regular expression; ok is false if it cannot match anything.
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

// names are git's character classes, as ranges.
var names = map[string]string{"alnum": "09AZaz", "alpha": "AZaz", "blank": "\t\t  ",
	"cntrl": "\x00\x1f\x7f\x7f", "digit": "09", "graph": "!~", "lower": "az",
	"print": " ~", "punct": "!/:@[`{~", "space": "\t\r  ", "upper": "AZ", "xdigit": "09AFaf"}

// class parses [a-z] at the beginning of p; n is its length, 0 if it does not end.
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

// classExpr returns the expression for a class; no class matches a slash.
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
