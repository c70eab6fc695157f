// This file splits source text into tokens, precisely enough to tell names and strings from
// comments.

package lint

import "strings"

// kind is the kind of a token.
type kind int

const (
	word    kind = iota
	literal      // a string literal without escapes
	sign         // any other single character
)

// token is a piece of source text.
type token struct {
	kind kind
	text string // of a string: the source between the quotes
	at   int
}

// lexer splits a text into tokens. It guesses whether a slash in JavaScript begins a regular
// expression or divides; a wrong guess affects at most the rest of the line.
type lexer struct {
	src  string
	i    int
	out  []token
	lua  bool
	deep int // nested templates
}

// maxTemplates is how deep nested templates are parsed.
const maxTemplates = 50

func tokenize(src string, lua bool) []token {
	l := &lexer{src: src, lua: lua}
	for l.i < len(l.src) {
		l.step()
	}
	return l.out
}

func (l *lexer) rest() string            { return l.src[l.i:] }
func (l *lexer) begins(with string) bool { return strings.HasPrefix(l.rest(), with) }

// skip moves after the next end, or to the end of the text.
func (l *lexer) skip(end string) {
	if n := strings.Index(l.rest(), end); n >= 0 {
		l.i += n + len(end)
	} else {
		l.i = len(l.src)
	}
}

func (l *lexer) step() {
	c := l.src[l.i]
	switch {
	case c <= ' ':
		l.i++
	case l.i == 0 && l.begins("#!"), !l.lua && l.begins("//"):
		l.skip("\n")
	case l.lua && l.begins("--"):
		l.i += 2
		if !l.long(false) {
			l.skip("\n")
		}
	case !l.lua && l.begins("/*"):
		l.skip("*/")
	case c == '"' || c == '\'':
		l.quoted(c)
	case l.lua && c == '[' && l.long(true):
	case !l.lua && c == '`':
		l.i++
		l.template()
	case !l.lua && c == '/' && l.pattern():
	case isName(c):
		at := l.i
		for l.i < len(l.src) && isName(l.src[l.i]) {
			l.i++
		}
		l.out = append(l.out, token{word, l.src[at:l.i], at})
	default:
		l.out = append(l.out, token{sign, l.src[l.i : l.i+1], l.i})
		l.i++
	}
}

func isName(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' ||
		c >= 0x80
}

// quoted scans a string up to its quote, or to the end of the line.
func (l *lexer) quoted(quote byte) {
	at := l.i
	for l.i++; l.i < len(l.src) && l.src[l.i] != quote && l.src[l.i] != '\n'; l.i++ {
		if l.src[l.i] == '\\' {
			l.i++
		}
	}
	l.i = min(l.i, len(l.src))
	l.out = append(l.out, token{literal, l.src[at+1 : l.i], at})
	l.i = min(l.i+1, len(l.src))
}

// long scans [[ ]] or [==[ ]==]; it returns false if there is none.
func (l *lexer) long(keep bool) bool {
	level := 0
	for strings.HasPrefix(l.rest()[min(1+level, len(l.rest())):], "=") {
		level++
	}
	open := "[" + strings.Repeat("=", level) + "["
	if !l.begins(open) {
		return false
	}
	at := l.i
	l.i += len(open)
	begin := l.i
	l.skip("]" + strings.Repeat("=", level) + "]")
	if keep {
		l.out = append(l.out,
			token{literal, strings.TrimSuffix(l.src[begin:l.i], "]"+strings.Repeat("=", level)+"]"),
				at})
	}
	return true
}

// template scans the rest of a template; the content of ${} becomes tokens.
func (l *lexer) template() {
	at, plain := l.i-1, true
	for begin := l.i; l.i < len(l.src); {
		switch c := l.src[l.i]; {
		case c == '\\':
			l.i = min(l.i+2, len(l.src))
		case c == '`':
			if plain {
				l.out = append(l.out, token{literal, l.src[begin:l.i], at})
			}
			l.i++
			return
		case l.begins("${") && l.deep < maxTemplates:
			plain = false
			l.i += 2
			l.inside()
		default:
			l.i++
		}
	}
}

// inside scans the tokens up to the closing brace.
func (l *lexer) inside() {
	l.deep++
	defer func() { l.deep-- }()
	l.out = append(l.out, token{sign, "{", l.i - 1})
	for depth := 1; l.i < len(l.src) && depth > 0; {
		before := len(l.out)
		c := l.src[l.i]
		l.step()
		if len(l.out) > before && l.out[len(l.out)-1].kind == sign {
			switch c {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
	}
}

// expecting are the words after which a value begins, so that "/" begins a regular expression.
const expecting = " return typeof case do else in of instanceof new void delete throw await yield "

// pattern skips a regular expression; it returns false if "/" divides.
func (l *lexer) pattern() bool {
	if n := len(l.out); n > 0 {
		last := l.out[n-1]
		if last.kind == literal || last.kind == sign && strings.Contains(")]}", last.text) ||
			last.kind == word && !strings.Contains(expecting, " "+last.text+" ") {
			return false
		}
	}
	class := false
	for i := l.i + 1; i < len(l.src) && l.src[i] != '\n'; i++ {
		switch c := l.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			l.i = i + 1
			l.out = append(l.out, token{literal, "", l.i - 1})
			return true
		}
	}
	return false
}
