// This file reads programs in awk.

package code

import (
	"slices"
	"strings"
)

// AwkPrints reports whether a program in awk only reads its operands and prints.
func AwkPrints(program string) bool {
	if len(program) > maxFilter {
		return false
	}
	all, ok := awkTokens(program)
	prints, open := false, 0 // within print, and in parentheses of it
	last := token{kind: end}
	for _, t := range all {
		switch {
		case t.kind == name && awkOthers()[t.value], t.is("@", "|"):
			return false
		case t.kind == name && (t.value == "print" || t.value == "printf"):
			prints, open = true, 0
		case t.is("("):
			open++
		case t.is(")"):
			open--
		case t.is(">") && prints: // into a file
			return false
		case t.is(";", "{", "}"), t.kind == end && open <= 0 && (last.kind != sign ||
			last.is(")", "]", "++", "--")):
			prints = false
		}
		if t.kind != end {
			last = t
		}
	}
	return ok
}

// awkOthers are the names with which a program does more than print, in all versions of awk.
var awkOthers = setOf("system getline ARGV ARGC SYMTAB FUNCTAB")

// awkWords are the words of the language after which a value begins, and awkUnclear those of which
// this is not known.
var (
	awkWords = setOf("print printf return exit in else do case delete func function if for while " +
		"switch")
	awkUnclear = setOf("length next nextfile break continue default BEGIN END BEGINFILE ENDFILE")
)

// awkTokens splits a program into tokens. The values of strings and of regular expressions are left
// out. ok is false if versions of awk may differ about it.
func awkTokens(program string) (out []token, ok bool) {
	var before []bool // of each open parenthesis: a condition is in it
	value := false    // a value ends here, so that / divides
	unclear := false  // that is not known
	for i := 0; i < len(program); {
		c := program[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case strings.HasPrefix(program[i:], "\\\n"):
			i += 2
			continue
		case c == '#':
			i += strings.IndexByte(program[i:]+"\n", '\n')
			continue
		case c == '\n':
			out = append(out, token{kind: end})
			i, unclear, value = i+1, len(before) > 0 && value, false
			continue
		case c == '"', c == '/' && !value && !unclear:
			n := awkString(program[i:])
			if n == 0 {
				return nil, false
			}
			out, i, value = append(out, token{kind: text}), i+n, true
		case c == '/' && unclear, c == '\\' || c == '`' || c < ' ':
			return nil, false
		case isLetter(c) && c != '$':
			j := i
			for j < len(program) && program[j] != '$' && endOfName(program[j:j+1], 0) > 0 {
				j++
			}
			t := token{kind: name, value: program[i:j]}
			out, i, value, unclear = append(out, t), j, !awkWords()[t.value], awkUnclear()[t.value]
			continue
		case isDigit(c), c == '.':
			i, value = i+1, true
			out = append(out, token{kind: number})
		default:
			n := 1
			if two := program[i:min(i+2, len(program))]; slices.Contains([]string{"&&", "||", "++",
				"--", "==", "!=", "<=", ">="}, two) {
				n = 2
			}
			t := token{kind: sign, value: program[i : i+n]}
			switch {
			case t.is("("):
				last := lastOfAwk(out)
				before = append(before, last == "if" || last == "while" || last == "for")
				value = false
			case t.is(")"):
				value = len(before) == 0 || !before[len(before)-1]
				before = before[:max(len(before)-1, 0)]
			case !t.is("++", "--"):
				value = t.is("]")
			}
			out, i = append(out, t), i+n
		}
		unclear = false
	}
	return out, true
}

// lastOfAwk returns the last of some tokens if it is a name.
func lastOfAwk(all []token) string {
	if n := len(all); n > 0 && all[n-1].kind == name {
		return all[n-1].value
	}
	return ""
}

// awkString returns the length of a string or of a regular expression; 0 = it does not end, or
// versions of awk may differ about where it does.
func awkString(program string) int {
	for i := 1; i < len(program); i++ {
		switch c := program[i]; {
		case c == '\\':
			i++
		case c == program[0]:
			return i + 1
		case c == '\n':
			return 0
		case c == '[' && program[0] == '/':
			n := bracketed(program[i:])
			if n == 0 || strings.Contains(program[i:i+n], "/") {
				return 0
			}
			i += n - 1
		}
	}
	return 0
}
