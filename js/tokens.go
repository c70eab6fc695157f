// This file checks source text before it is compiled. The parser, and the compilers of patterns and
// of JSON, recurse as deep as their input nests. A Go stack that overflows ends the process, and
// its limit cannot be set for one call.

package js

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxSource is the size of the largest script, in bytes: many times what people write by hand.
	maxSource = 1 << 20
	// maxNesting is how deep brackets may nest in source text and in patterns.
	maxNesting = 200
	// maxChain is how many words and operators may follow each other without a comma, semicolon or
	// brace. Operators nest without brackets ("!!!!x", "a+a+a").
	maxChain = 20_000
	// maxPattern is the longest pattern of a regular expression, in bytes.
	maxPattern = 64 << 10
	// maxJSONNesting is how deep JSON texts may nest: deeper than the output of any service, and
	// far from harmful.
	maxJSONNesting = 1000
)

// sourceError is the error for source text that is rejected before it is compiled.
type sourceError struct {
	msg, hint    string
	line, column int
}

func (e *sourceError) Error() string { return e.msg }

var bigIntLiteral = lazyregexp.New(`^(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*)n$`)

// operators are the words before an expression, after which "/" begins a pattern.
var operators = map[string]bool{"return": true, "typeof": true, "case": true, "do": true,
	"else": true, "in": true, "of": true,
	"instanceof": true, "new": true, "void": true, "delete": true, "throw": true, "await": true,
	"yield": true}

// checkTokens rejects source text that is too large or nests too deep, and BigInt literals. It
// reads tokens only roughly: it may take a division for a pattern or the reverse, to the end of the
// line at most.
func checkTokens(src []byte) error {
	if len(src) > maxSource {
		return &sourceError{msg: fmt.Sprintf("RangeError: the source has %d bytes, more than %d",
			len(src), maxSource)}
	}
	if err := checkText(src); err != nil {
		return err
	}
	s := tokens{src: src, line: 1}
	for s.i < len(src) {
		if err := s.token(); err != nil {
			return err
		}
	}
	return nil
}

// onlyComments reports whether source text has no code.
func onlyComments(src []byte) bool {
	s := tokens{src: src, line: 1}
	for s.i < len(src) {
		if s.src[s.i] > ' ' && !s.comment() || s.token() != nil {
			return false
		}
	}
	return true
}

// checkText rejects invalid UTF-8: invalid bytes would silently become another character.
func checkText(src []byte) error {
	if utf8.Valid(src) {
		return nil
	}
	i := 0
	for r, n := utf8.DecodeRune(src); r != utf8.RuneError || n > 1; r,
		n = utf8.DecodeRune(src[i:]) {
		i += n
	}
	before := src[:i]
	return &sourceError{msg: "SyntaxError: the file is not valid UTF-8",
		hint: `save it as UTF-8; a single byte can be written "\xff"`,
		line: 1 + bytes.Count(before, []byte("\n")), column: i - bytes.LastIndexByte(before, '\n')}
}

type tokens struct {
	src       []byte
	i         int
	line      int
	lineStart int
	depth     int
	chain     int
	operand   bool  // the last token ended an expression: "/" divides
	templates []int // depths at which ${ of templates were opened
}

func (s *tokens) failAt(format string, args ...any) *sourceError {
	return &sourceError{msg: fmt.Sprintf(format, args...), line: s.line,
		column: s.i - s.lineStart + 1}
}

func (s *tokens) peek(n int) byte {
	if s.i+n < len(s.src) {
		return s.src[s.i+n]
	}
	return 0
}

func (s *tokens) token() error {
	c := s.src[s.i]
	switch {
	case c == '\n':
		s.newline()
		s.i++
	case c <= ' ':
		s.i++
	case s.comment() && s.peek(1) != '*':
		s.skipLine()
	case s.comment():
		s.skipComment()
	case c == '"' || c == '\'':
		s.skipString(c)
	case c == '`':
		s.i++
		s.template()
		return s.count() // tagged templates nest
	case identifierByte(c):
		return s.word()
	case c == '/' && !s.operand:
		return s.pattern()
	default:
		return s.punctuation(c)
	}
	return nil
}

// comment reports whether a comment begins at the current position.
func (s *tokens) comment() bool {
	switch s.src[s.i] {
	case '/':
		return s.peek(1) == '/' || s.peek(1) == '*'
	case '#':
		return s.peek(1) == '!' && s.i == 0
	}
	return false
}

func (s *tokens) newline() { s.line++; s.lineStart = s.i + 1 }

func (s *tokens) skipLine() {
	for s.i < len(s.src) && s.src[s.i] != '\n' {
		s.i++
	}
}

func (s *tokens) skipComment() {
	for s.i += 2; s.i < len(s.src); s.i++ {
		if s.src[s.i] == '\n' {
			s.newline()
		}
		if s.src[s.i] == '*' && s.peek(1) == '/' {
			s.i += 2
			return
		}
	}
}

// escaped moves from a backslash to the escaped byte, if there is one.
func (s *tokens) escaped() {
	if s.i+1 == len(s.src) {
		return
	}
	if s.i++; s.src[s.i] == '\n' {
		s.newline()
	}
}

func (s *tokens) skipString(quote byte) {
	for s.i++; s.i < len(s.src); s.i++ {
		switch s.src[s.i] {
		case '\\':
			s.escaped()
		case quote:
			s.i++
			s.operand = true
			return
		case '\n': // unclosed: the parser reports it
			return
		}
	}
}

// template skips the text of a template up to its end or the next "${".
func (s *tokens) template() {
	for ; s.i < len(s.src); s.i++ {
		switch c := s.src[s.i]; {
		case c == '\n':
			s.newline()
		case c == '\\':
			s.escaped()
		case c == '`':
			s.i++
			s.operand = true
			return
		case c == '$' && s.peek(1) == '{':
			s.i += 2
			s.depth++
			s.templates = append(s.templates, s.depth)
			s.operand = false
			return
		}
	}
}

func (s *tokens) word() error {
	start := s.i
	for s.i < len(s.src) && identifierByte(s.src[s.i]) {
		s.i++
	}
	w := s.src[start:s.i]
	s.operand = !operators[string(w)]
	if w[0] >= '0' && w[0] <= '9' && bigIntLiteral().Match(w) {
		s.i = start
		err := s.failAt("SyntaxError: BigInt literals are not available")
		err.hint = "use a number, or a string for numbers above 2^53"
		return err
	}
	return s.count()
}

// pattern skips a regular expression literal, which must end on its line.
func (s *tokens) pattern() error {
	class := false
	for j := s.i + 1; j < len(s.src) && s.src[j] != '\n'; j++ {
		switch c := s.src[j]; {
		case c == '\\':
			j++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			end := j + 1
			for end < len(s.src) && identifierByte(s.src[end]) {
				end++
			}
			if err := checkPattern(string(s.src[s.i+1:j]), string(s.src[j+1:end])); err != nil {
				return s.failAt("%s", err.Error())
			}
			s.i, s.operand = end, true
			return s.count()
		}
	}
	return s.punctuation('/')
}

func (s *tokens) punctuation(c byte) error {
	s.operand = false
	switch c {
	case '(', '[', '{':
		if s.depth++; s.depth > maxNesting {
			return s.failAt("RangeError: brackets nest deeper than %d levels", maxNesting)
		}
	case ')', ']', '}':
		if n := len(s.templates); c == '}' && n > 0 && s.templates[n-1] == s.depth {
			s.templates = s.templates[:n-1]
			s.depth--
			s.i++
			s.template()
			return nil
		}
		s.depth = max(0, s.depth-1)
		s.operand = c != '}'
	}
	s.i++
	switch c {
	case ';', ',', '{', '}':
		s.chain = 0
		return nil
	}
	return s.count()
}

func (s *tokens) count() error {
	if s.chain++; s.chain > maxChain {
		return s.failAt("RangeError: an expression of more than %d words and operators", maxChain)
	}
	return nil
}

func identifierByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' &&
		c <= 'Z' || c >= 0x80
}

// checkPattern rejects the source of a regular expression that is too long or nests too deep, and
// syntax that the interpreter would misread: it takes \p{L} for the text "p{L}", so that such a
// pattern would silently match nothing.
func checkPattern(src, flags string) error {
	if len(src) > maxPattern {
		return fmt.Errorf("RangeError: a regular expression of more than %d bytes", maxPattern)
	}
	depth, class := 0, false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\':
			if i++; i < len(src) && (src[i] == 'p' || src[i] == 'P') &&
				strings.ContainsAny(flags, "uv") {
				return fmt.Errorf(
					`SyntaxError: \%c{...} is not available in regular expressions: ext.regex `+
						`knows it`, src[i])
			}
		case c == '[':
			class = true
		case c == ']':
			class = false
		case class:
		case c == '(':
			if depth++; depth > maxNesting {
				return fmt.Errorf(
					"RangeError: groups of a regular expression nest deeper than %d levels",
					maxNesting)
			}
		case c == ')':
			depth--
		}
	}
	return nil
}

// checkJSON rejects a JSON text that nests too deep.
func checkJSON(text string) error {
	depth, quoted, values := 0, false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxJSONNesting {
				return fmt.Errorf("JSON nests deeper than %d levels", maxJSONNesting)
			}
		case c == ']' || c == '}':
			depth--
		case c == ',':
			if values++; values >= value.MaxValues {
				return fmt.Errorf("JSON of more than %d values", value.MaxValues)
			}
		}
	}
	return nil
}
