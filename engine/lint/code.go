// This file answers questions about the text of a script, token by token.

package lint

import (
	"slices"
	"strings"
)

// code is the text of a script and its tokens.
type code struct {
	text   string
	lua    bool
	tokens []token
}

// opening returns the token that the bracket at token i closes; -1 if there is none.
func (c *code) opening(i int) int {
	for j := i - 1; j >= max(0, i-maxReach); j-- {
		if c.is(j, "{") && c.closing(j) == i {
			return j
		}
	}
	return -1
}

// readField returns the name and token of the field that is read by the tokens at i; "" if none is
// read, or it is assigned.
func (c *code) readField(i int) (key string, at int) {
	if c.is(i, "?") && c.is(i+1, ".") {
		i++
	}
	switch {
	case c.is(i, ".") && i+1 < len(c.tokens) && c.tokens[i+1].kind == word:
		i++
	case c.is(i, "[") && i+2 < len(c.tokens) && c.tokens[i+1].kind == literal && c.is(i+2, "]"):
		i++
	default:
		return "", 0
	}
	return c.tokens[i].text, c.tokens[i].at
}

// method returns where the body of a method begins that starts at token i, as in { get() { ... } };
// -1 if there is none.
func (c *code) method(i int) int {
	if c.lua || c.tokens[i].kind != word || !c.is(i+1, "(") ||
		slices.Contains(blockWords, c.tokens[i].text) {
		return -1
	}
	if end := c.closing(i + 1); end >= 0 && c.is(end+1, "{") {
		return end + 1
	}
	return -1
}

// table reports whether token i begins a table, and not the expression of a template, as in return
// `${x}`.
func (c *code) table(i int) bool {
	return c.is(i, "{") && (c.lua || c.tokens[i].at == 0 || c.text[c.tokens[i].at-1] != '$')
}

// next returns the next token with that text, from i on; the last token if there is none.
func (c *code) next(i int, text string) int {
	for i < len(c.tokens)-1 && !c.is(i, text) {
		i++
	}
	return i
}

// keys calls found with each key of the table at token open.
func (c *code) keys(open int, found func(key string, at int)) {
	depth, end := 0, c.closing(open)
	for i := open; i < end; i++ {
		t := c.tokens[i]
		switch {
		case t.kind == sign && strings.Contains("([{", t.text):
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			depth--
		case depth == 1 && t.kind == word && c.key(open, i):
			found(t.text, t.at)
		}
	}
}

// key reports whether token i is a key of the table that begins at token open.
func (c *code) key(open, i int) bool {
	first := i-1 == open || c.is(i-1, ",") || c.lua && c.is(i-1, ";")
	if c.lua {
		return first && c.is(i+1, "=") && !c.is(i+2, "=")
	}
	return first && (c.is(i+1, ":") || c.is(i+1, ",") || c.is(i+1, "}"))
}

// closing returns the token that closes the bracket at token i; -1 if there is none.
func (c *code) closing(i int) int {
	pairs := map[string]string{"(": ")", "[": "]", "{": "}"}
	var open []string
	for last := i + maxReach; i >= 0 && i < min(last, len(c.tokens)); i++ {
		if c.tokens[i].kind != sign {
			continue
		}
		if close := pairs[c.tokens[i].text]; close != "" {
			open = append(open, close)
		} else if n := len(open); n > 0 && c.tokens[i].text == open[n-1] {
			if open = open[:n-1]; n == 1 {
				return i
			}
		}
	}
	return -1
}

// exported reports whether the parameters at token i are those of export default, a function that
// is called with ext.
func (c *code) exported(i int) bool {
	if c.lua || c.tokens[i].kind != word {
		return false
	}
	for i--; i >= 0 && (c.is(i, "(") || c.is(i, "async") || c.is(i, "function")); i-- {
	}
	return c.is(i, "default") && c.is(i-1, "export")
}

// is reports whether token i is the given sign or name.
func (c *code) is(i int, text string) bool {
	return i >= 0 && i < len(c.tokens) && c.tokens[i].text == text && c.tokens[i].kind != literal
}

// isMethod reports whether the parameters that begin at token open are those of a method, and not
// the arguments of a call.
func (c *code) isMethod(open int) bool {
	behind := c.closing(open) + 1
	return !c.lua && (c.is(behind, "{") || c.is(behind, ":"))
}

// declared reports whether token i is a name that is being declared.
func (c *code) declared(i int) bool {
	return c.is(i-1, "local") || c.is(i-1, "const") || c.is(i-1, "let") || c.is(i-1, "var") ||
		c.is(i-1, "function")
}
