// This file splits a program in JavaScript into tokens.

package code

import (
	"slices"
	"strings"
)

// scriptTokens splits a program into tokens.
func scriptTokens(program string, deep int) (out []token, ok bool) {
	for i := 0; i < len(program); {
		c, last := program[i], lastOf(out)
		switch {
		case c == ' ' || c == '\t' || c == '\n':
			i++
		case strings.HasPrefix(program[i:], "//"):
			for i < len(program) && program[i] != '\n' {
				i++
			}
		case strings.HasPrefix(program[i:], "/*"):
			at := strings.Index(program[i+2:], "*/")
			if at < 0 {
				return nil, false
			}
			i += at + 4
		case c == '"' || c == '\'':
			n := endOfString(program[i:], c)
			if n == 0 {
				return nil, false
			}
			body := program[i+1 : i+n-1]
			out = append(out, token{kind: text, value: body, plain: !strings.Contains(body, "\\")})
			i += n
		case c == '`':
			all, n := template(program[i:], deep)
			if n == 0 || last.kind == name && !scriptKeywords()[last.value] ||
				last.is(")", "]", "?.") { // a function gets it
				return nil, false
			}
			out, i = append(out, all...), i+n
		case c == '/':
			n, known := regularExpression(program[i:], last)
			if !known {
				return nil, false
			}
			if n == 0 {
				out, i = append(out, token{kind: sign, value: "/"}), i+1
				continue
			}
			out, i = append(out, token{kind: text, value: "/"}), i+n
			i = endOfName(program, i) // flags
		case isDigit(c), c == '.' && i+1 < len(program) && isDigit(program[i+1]):
			j := endOfNumber(program, i)
			out, i = append(out, token{kind: number, value: program[i:j]}), j
		case isLetter(c):
			j := endOfName(program, i)
			out, i = append(out, token{kind: name, value: program[i:j]}), j
		case c > '~' || c == '\\' || c == '@' || c == '#':
			return nil, false
		default:
			n := 1
			for _, s := range []string{"...", "=>", "?.", "===", "!==", "==", "!=", "++", "--",
				"+=", "-=", "*=", "&&", "||", "??", "<=", ">="} {
				if strings.HasPrefix(program[i:], s) {
					n = len(s)
					break
				}
			}
			out, i = append(out, token{kind: sign, value: program[i : i+n]}), i+n
		}
	}
	return out, true
}

// lastOf returns the last of some tokens. A keyword that is a value, or the name of a part of
// something, is no keyword.
func lastOf(all []token) token {
	n := len(all)
	if n == 0 {
		return token{kind: end}
	}
	last := all[n-1]
	if last.kind == name && (scriptConstants()[last.value] || n > 1 && all[n-2].is(".", "?.")) {
		last.value = "x"
	}
	return last
}

// endOfNumber returns where a number ends that begins at i. An exponent after a point is a token of
// its own.
func endOfNumber(program string, i int) int {
	i = endOfName(program, i)
	if i < len(program) && program[i] == '.' {
		for i++; i < len(program) && (isDigit(program[i]) || program[i] == '_'); {
			i++
		}
	}
	return i
}

// endOfString returns the length of a string that begins with a quote; 0 = it does not end.
func endOfString(program string, quote byte) int {
	for i := 1; i < len(program) && program[i] != '\n'; i++ {
		switch program[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return 0
}

// template reads a template literal and returns its tokens and its length; 0 = it is not
// understood.
func template(program string, deep int) (out []token, n int) {
	out = []token{{kind: text}}
	for i := 1; i < len(program); i++ {
		switch {
		case program[i] == '\\':
			i++
		case program[i] == '`':
			return out, i + 1
		case strings.HasPrefix(program[i:], "${"):
			at := strings.IndexByte(program[i:], '}')
			if at < 0 || deep == maxInserted {
				return nil, 0
			}
			inner := program[i+2 : i+at]
			all, ok := scriptTokens(inner, deep+1)
			if !ok || strings.ContainsAny(inner, "{`") || strings.Contains(inner, "//") {
				return nil, 0
			}
			out = append(out, token{kind: sign, value: "+"}, token{kind: sign, value: "("})
			out = append(append(out, all...), token{kind: sign, value: ")"})
			i += at
		}
	}
	return nil, 0
}

// regularExpression returns the length of the expression that begins with a slash; 0 = the slash
// divides. known is false if it may be either.
func regularExpression(program string, last token) (n int, known bool) {
	line, _, _ := strings.Cut(program[1:], "\n")
	unclear := last.is(")", "}", "++", "--") || last.kind == name && slices.Contains([]string{
		"await", "yield", "of", "let", "async", "get", "set", "static"}, last.value)
	switch {
	case unclear:
		return 0, !strings.Contains(line, "/")
	case last.kind == number, last.kind == text, last.is("]"),
		last.kind == name && !scriptKeywords()[last.value]:
		return 0, true
	}
	class := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i + 2, true
		}
	}
	return 0, false
}
