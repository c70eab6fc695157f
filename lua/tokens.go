// This file checks the tokens of a source text before it is compiled, for nesting that would
// overflow the compiler's stack, and for syntax that Lua 5.1 does not have.

package lua

import (
	"bytes"
	"fmt"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

const (
	// maxNestingSource is how deep brackets and blocks may nest. The compiler recurses, and a Go
	// stack that overflows ends the process.
	maxNestingSource = 200
	// maxChain is how many operators, indexes and calls one expression may chain: they nest in the
	// syntax tree.
	maxChain = 2000
	// maxElseif is how many branches one if may have: the compiler takes quadratic time (74 s for
	// 60,000).
	maxElseif = 1000
	// maxFunctions is how many functions a source text may have: the compiler uses 14 KB for each
	// while it works.
	maxFunctions = 4000
	// maxSearch limits the compiler's work on names, numbers and strings. It searches for each in a
	// list of all those of the function, from the beginning. Scripts of some thousand lines need a
	// tenth of this; 80,000 different names in one function took minutes.
	maxSearch = 30_000_000
)

// opener is a bracket or keyword that needs an end.
type opener struct {
	text  string
	line  int
	chain int // chain of the surrounding expression

	branches int            // number of elseifs of an if
	seen     map[string]int // names and values of the surrounding function, in order
}

func (o opener) closer() string {
	switch o.text {
	case "(":
		return `")"`
	case "[":
		return `"]"`
	case "{":
		return `"}"`
	case "repeat":
		return `"until"`
	}
	return `"end"`
}

// tokens scans a source text.
type tokens struct {
	name  string
	src   []byte
	pos   int
	open  []opener
	chain int  // operators since the expression began
	value bool // the last token ended a value: a name or number after it begins a statement
	err   *fault.ScriptError

	line, counted int // newlines before counted

	functions int
	seen      map[string]int // names and values of the current function, in order
	search    int
}

// lineAt returns the 1-based line of offset at. at must not decrease between calls.
func (t *tokens) lineAt(at int) int {
	t.line += bytes.Count(t.src[t.counted:at], []byte("\n"))
	t.counted = at
	return 1 + t.line
}

// checkTokens returns the openers that are open at the end of src, for the message of a syntax
// error there.
func checkTokens(name string, src []byte) ([]opener, *fault.ScriptError) {
	t := &tokens{name: name, src: src, seen: map[string]int{}}
	for t.pos < len(src) && t.err == nil {
		t.takeToken()
	}
	return t.open, t.err
}

func (t *tokens) failAt(at int, message, hint string) {
	line, column := lineColumn(t.src, at)
	t.err = syntaxError(t.name, line, column, message, hint)
}

func (t *tokens) peek(n int) byte {
	if t.pos+n < len(t.src) {
		return t.src[t.pos+n]
	}
	return 0
}

// takeToken consumes one token.
func (t *tokens) takeToken() {
	c := t.src[t.pos]
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		t.pos++
	case c == '-' && t.peek(1) == '-':
		t.comment()
	case c == '\'' || c == '"':
		start := t.pos
		t.text(c)
		t.constant(start)
	case c == '[' && t.long():
		t.value = true
		t.search += len(t.seen)
	case isLetter(c):
		t.word()
	case isDigit(c) || c == '.' && isDigit(t.peek(1)):
		start := t.pos
		t.number()
		t.constant(start)
	default:
		t.symbol(c)
	}
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// constant records a name, number or string that began at start.
func (t *tokens) constant(start int) {
	text := string(t.src[start:min(t.pos, len(t.src))])
	i, ok := t.seen[text]
	if !ok {
		i = len(t.seen)
		t.seen[text] = i
	}
	if t.search += i; t.search > maxSearch && t.err == nil {
		t.failAt(start, "too many different names and values in one function",
			"split it, or keep data in one string that the script takes apart")
	}
}

func (t *tokens) comment() {
	t.pos += 2
	if t.peek(0) == '[' && t.long() {
		return
	}
	for t.pos < len(t.src) && t.src[t.pos] != '\n' {
		t.pos++
	}
}

// long skips a long bracket [[ ]] or [==[ ]==]. It returns false if there is none.
func (t *tokens) long() bool {
	level := 1
	for t.peek(level) == '=' {
		level++
	}
	if t.peek(level) != '[' {
		return false
	}
	closing := make([]byte, level+1)
	for i := range closing {
		closing[i] = '='
	}
	closing[0], closing[level] = ']', ']'
	for t.pos += level + 1; t.pos < len(t.src); t.pos++ {
		if t.src[t.pos] == ']' && t.pos+len(closing) <= len(t.src) &&
			string(t.src[t.pos:t.pos+len(closing)]) == string(closing) {
			t.pos += len(closing)
			return true
		}
	}
	return true
}

// text skips a quoted string. Escapes of later versions are errors: Lua 5.1 reads "\x41" as "x41".
func (t *tokens) text(quote byte) {
	for t.pos++; t.pos < len(t.src); t.pos++ {
		switch t.src[t.pos] {
		case '\n': // unterminated: the parser reports it
			return
		case quote:
			t.pos++
			t.value = true
			return
		case '\\':
			switch t.peek(1) {
			case 'x':
				t.failAt(t.pos, `the escape \x is not of Lua 5.1`,
					`write the byte in decimal: "\065" for "\x41"`)
				return
			case 'u':
				t.failAt(t.pos, `the escape \u is not of Lua 5.1`,
					"write the character itself, or utf8.char(0x20AC)")
				return
			case 'z':
				t.failAt(t.pos, `the escape \z is not of Lua 5.1`,
					"join strings with .., or use [[a long string]]")
				return
			}
			t.pos++
		}
	}
}

func (t *tokens) number() {
	t.operand()
	for t.pos < len(t.src) {
		c := t.src[t.pos]
		exponent := (c == '+' || c == '-') && t.src[t.pos-1]|0x20 == 'e'
		if !isLetter(c) && !isDigit(c) && c != '.' && !exponent {
			return
		}
		t.pos++
	}
}

// operand records a name or number: after a value it begins a new statement.
func (t *tokens) operand() {
	if t.value {
		t.chain = 0
	}
	t.value = true
}

func (t *tokens) word() {
	start := t.pos
	for t.pos < len(t.src) && (isLetter(t.src[t.pos]) || isDigit(t.src[t.pos])) {
		t.pos++
	}
	switch w := string(t.src[start:t.pos]); w {
	case "function", "do", "if", "repeat":
		t.pushToken(w, start)
	case "end", "until":
		t.pop()
		t.value = w == "end"
	case "and", "or", "not":
		t.link(start)
	case "then", "else", "elseif", "while", "for", "in", "local", "return", "break", "goto":
		t.chain, t.value = 0, false
		if w == "elseif" {
			t.branch(start)
		}
	case "true", "false", "nil":
		t.operand()
	default:
		t.operand()
		t.constant(start)
	}
}

// branch records an elseif.
func (t *tokens) branch(at int) {
	if n := len(t.open); n > 0 {
		if t.open[n-1].branches++; t.open[n-1].branches > maxElseif {
			t.failAt(at, fmt.Sprintf("an if with more than %d branches", maxElseif),
				"use a table of functions")
		}
	}
}

func (t *tokens) pushToken(text string, at int) {
	t.open = append(t.open, opener{text: text, line: t.lineAt(at), chain: t.chain, seen: t.seen})
	t.chain, t.value = 0, false
	if text == "function" {
		t.seen = map[string]int{}
		if t.functions++; t.functions > maxFunctions {
			t.failAt(at, fmt.Sprintf("more than %d functions", maxFunctions),
				"a script is one idea: split it")
		}
	}
	if len(t.open) > maxNestingSource {
		t.failAt(at, fmt.Sprintf("nested deeper than %d levels", maxNestingSource),
			"move inner parts into functions or local variables")
	}
}

func (t *tokens) pop() {
	if n := len(t.open); n > 0 {
		t.chain, t.seen = t.open[n-1].chain, t.open[n-1].seen
		t.open = t.open[:n-1]
	}
	t.value = true
}

// link records an operator.
func (t *tokens) link(at int) {
	t.value = false
	if t.chain++; t.chain > maxChain {
		t.failAt(at, fmt.Sprintf("an expression with more than %d operators", maxChain),
			"build it in several statements")
	}
}

// foreign are operators that Lua 5.1 does not have, longest first.
var foreign = []struct{ text, message, hint string }{
	{"<<", "there are no bit operators in Lua 5.1", "write a * 2 ^ n"},
	{">>", "there are no bit operators in Lua 5.1", "write math.floor(a / 2 ^ n)"},
	{"&&", "&& is not Lua", "write and"},
	{"||", "|| is not Lua", "write or"},
	{"!=", "!= is not Lua", "write ~="},
	{"+=", "+= is not Lua", "write a = a + b"},
	{"-=", "-= is not Lua", "write a = a - b"},
	{"*=", "*= is not Lua", "write a = a * b"},
	{"/=", "/= is not Lua", "write a = a / b; not equal is ~="},
	{"//", "there is no // in Lua 5.1", "write math.floor(a / b); a comment begins with --"},
	{"&", "there are no bit operators in Lua 5.1",
		"write and for the logical one, arithmetic for bits"},
	{"|", "there are no bit operators in Lua 5.1",
		"write or for the logical one, arithmetic for bits"},
	{"!", "! is not Lua", "write not"},
	{"?", "? is not Lua", "write cond and a or b"},
}

// maxAttribute is how far an attribute is searched for: a search through the rest of the file at
// each < would add up.
const maxAttribute = 64

// attribute matches <const> or <close> after a local name.
var attribute = lazyregexp.New(`^<\s*(const|close)\s*>`)

func (t *tokens) symbol(c byte) {
	at := t.pos
	for _, f := range foreign {
		if c == f.text[0] && string(t.src[at:min(at+len(f.text), len(t.src))]) == f.text {
			t.failAt(at, f.message, f.hint)
			return
		}
	}
	if c == '<' && t.value {
		if m := attribute().FindSubmatch(t.src[at:min(at+maxAttribute, len(t.src))]); m != nil {
			t.failAt(at, "<"+string(m[1])+"> is not of Lua 5.1", "leave it out: local name = value")
			return
		}
	}
	t.pos++
	switch c {
	case '(', '[', '{':
		if t.value { // a call or an index
			t.link(at)
		}
		if t.err == nil {
			t.pushToken(string(c), at)
		}
	case ')', ']', '}':
		t.pop()
	case ',', ';':
		t.chain, t.value = 0, false
	case '~':
		if t.peek(0) != '=' {
			t.failAt(at, "there are no bit operators in Lua 5.1",
				"not equal is ~=, negation is not")
			return
		}
		t.pos++
		t.link(at)
	case '=':
		t.value = false
		if t.peek(0) == '=' {
			t.pos++
			t.link(at)
		} else {
			t.chain = 0
		}
	case '.', '<', '>':
		for t.peek(0) == '.' || t.peek(0) == '=' {
			t.pos++
		}
		if t.pos-at == 3 && c == '.' {
			t.operand() // ...
		} else {
			t.link(at)
		}
	default:
		t.link(at)
	}
}
