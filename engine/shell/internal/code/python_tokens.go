// This file splits a program in Python into tokens.

package code

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// maxInserted limits how deep expressions in f-strings nest.
const maxInserted = 3

// pythonTokens splits a program into tokens.
func pythonTokens(program string, deep int) (out []token, ok bool) {
	open := 0
	for i := 0; i < len(program); {
		c := program[i]
		switch {
		case c == '\n':
			if i++; open == 0 {
				out = append(out, token{kind: end})
			}
		case c == ' ' || c == '\t':
			i++
		case strings.HasPrefix(program[i:], "\\\n"):
			i += 2
		case c == '#':
			for i < len(program) && program[i] != '\n' {
				i++
			}
		case c == '"' || c == '\'':
			all, n := pythonString(program[i:], "", deep)
			if n == 0 {
				return nil, false
			}
			out, i = append(out, all...), i+n
		case isDigit(c), c == '.' && i+1 < len(program) && isDigit(program[i+1]):
			n := len(pythonNumber().FindString(program[i:]))
			if n == 0 || i+n < len(program) && isLetter(program[i+n]) { // 1for x in y
				return nil, false
			}
			out, i = append(out, token{kind: number, value: program[i : i+n]}), i+n
		case isLetter(c) && c != '$':
			j := endOfName(program, i)
			if j < len(program) && (program[j] == '"' || program[j] == '\'') {
				all, n := pythonString(program[j:], strings.ToLower(program[i:j]), deep)
				if n == 0 {
					return nil, false
				}
				out, i = append(out, all...), j+n
				continue
			}
			out, i = append(out, token{kind: name, value: program[i:j]}), j
		case c > '~' || c == '\\':
			return nil, false
		default:
			n := 1
			for _, s := range []string{"**=", "//=", "<<=", ">>=", "==", "!=", "<=", ">=", ":=",
				"->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "//", "<<", ">>"} {
				if strings.HasPrefix(program[i:], s) {
					n = len(s)
					break
				}
			}
			t := token{kind: sign, value: program[i : i+n]}
			if t.is("(", "[", "{") {
				open++
			} else if t.is(")", "]", "}") {
				open--
			} else if t.is(";") {
				t = token{kind: end}
			}
			out, i = append(out, t), i+n
		}
	}
	return out, true
}

// pythonNumber matches a number.
var pythonNumber = lazyregexp.New(
	`^(0[xX][\da-fA-F_]+|0[bBoO][\d_]+|` +
		`(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][-+]?\d[\d_]*)?[jJ]?)`)

// pythonString reads a string, whose quote is the first character, and returns its tokens and its
// length; 0 = it is not understood.
func pythonString(program, prefix string, deep int) (out []token, n int) {
	if !slices.Contains([]string{"", "r", "b", "u", "f", "rb", "br", "rf", "fr"}, prefix) {
		return nil, 0
	}
	quote := program[:1]
	if strings.HasPrefix(program, strings.Repeat(quote, 3)) {
		quote = program[:3]
	}
	for n = len(quote); ; n++ {
		switch {
		case n >= len(program), len(quote) == 1 && program[n] == '\n':
			return nil, 0
		case program[n] == '\\':
			n++
			continue
		case !strings.HasPrefix(program[n:], quote):
			continue
		}
		break
	}
	body := program[len(quote):n]
	n += len(quote)
	out = []token{{kind: text, value: body, plain: !strings.ContainsAny(body, "\\") &&
		!strings.Contains(prefix, "f")}}
	if !strings.Contains(prefix, "f") {
		return out, n
	}
	inner, ok := inserted(body, deep)
	if !ok {
		return nil, 0
	}
	return append(out, inner...), n
}

// inserted returns the tokens of the expressions in an f-string, each in parentheses.
func inserted(body string, deep int) (out []token, ok bool) {
	for {
		_, rest, more := strings.Cut(body, "{")
		if !more {
			return out, true
		}
		if strings.HasPrefix(rest, "{") {
			body = rest[1:]
			continue
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed || strings.ContainsAny(expression, "{\\#") || deep == maxInserted ||
			strings.Contains(expression, `"""`) || strings.Contains(expression, "'''") {
			return nil, false
		}
		expression, body = withoutFormat(expression), after
		all, ok := pythonTokens(expression, deep+1)
		if !ok {
			return nil, false
		}
		out = append(out, token{kind: sign, value: "+"}, token{kind: sign, value: "("})
		out = append(append(out, all...), token{kind: sign, value: ")"})
	}
}

// withoutFormat removes what follows the expression in the braces of an f-string: x!r, x:>10, x=.
func withoutFormat(expression string) string {
	open, quote := 0, byte(0)
	for i := range len(expression) {
		switch c := expression[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte("([", c) >= 0:
			open++
		case strings.IndexByte(")]", c) >= 0:
			open--
		case open == 0 && (c == ':' || c == '!' && !strings.HasPrefix(expression[i:], "!=")):
			return expression[:i]
		}
	}
	return strings.TrimSuffix(expression, "=")
}
