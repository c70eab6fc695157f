// This file finds functions in a script, and what they read of their parameters and return.

package lint

import (
	"iter"
	"slices"
	"strings"
)

// functions finds the functions of a script.
type functions struct {
	code   *code
	scopes *scopes
}

// copied returns where an expression begins that copies the value at token i, and the token after
// it; 0 if there is no such expression.
func (r *functions) copied(i int) (start, behind int) {
	c := r.code
	from := 0
	switch {
	// JSON.parse(JSON.stringify(ev))
	case c.is(i-1, "(") && c.is(i-2, "stringify") && c.is(i-5, "(") && c.is(i-6, "parse"):
		start, from = i-8, i-5
	case c.is(i-1, "(") && c.is(i-2, "copy") && c.is(i-3, "."): // ext.copy(ev)
		start, from = i-4, i-1
	case c.is(i-1, "(") && c.is(i-2, "structuredClone"):
		start, from = i-2, i-1
	// Object.assign({}, ev)
	case c.is(i-1, ",") && c.is(i-2, "}") && c.is(i-3, "{") && c.is(i-4, "(") &&
		c.is(i-5, "assign"):
		start, from = i-7, i-4
	case c.is(i-1, ".") && c.is(i-2, ".") && c.is(i-3, ".") && c.is(i-4, "{"): // {...ev}
		start, from = i-4, i-4
	}
	end := c.closing(from)
	if start <= 0 || end < 0 || from == 0 {
		return 0, 0
	}
	return start, end + 1
}

// copyRead finds fields that are read of a copy: directly, or by the name that the copy is assigned
// to.
func (r *functions) copyRead(start, behind, end int, found func(key string, at int)) {
	c := r.code
	if key, at := c.readField(behind); key != "" {
		found(key, at)
		return
	}
	if c.is(start-1, "=") && c.tokens[max(start-2, 0)].kind == word && !c.is(start-3, ",") {
		r.named(start-2, span{behind, end}, found)
	}
}

// rest finds fields that are read of ...others in the pattern at token open, within those tokens.
func (r *functions) rest(open int, in span, found func(key string, at int)) {
	c := r.code
	end := c.closing(open)
	for i, depth := open, 0; i >= 0 && i < end; i++ {
		switch t := c.tokens[i]; {
		case t.kind == sign && strings.Contains("([{", t.text):
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			depth--
		case depth == 1 && t.kind == word && c.is(i-1, ".") && c.is(i-2, ".") && c.is(i-3, "."):
			r.named(i, in, found)
		}
	}
}

// named finds fields that are read by the name at token i, within those tokens. Fields assigned
// there are known.
func (r *functions) named(i int, in span, found func(key string, at int)) {
	name := r.code.tokens[i].text
	own := r.scopes.resolve(name, in.from)
	type read struct {
		key string
		at  int
	}
	var reads []read
	var written []string
	for j := in.from; j < in.to; j++ {
		t := r.code.tokens[j]
		if t.kind != word || t.text != name || r.code.is(j-1, ".") && !r.code.is(j-2, ".") ||
			r.scopes.resolve(name, j) != own {
			continue
		}
		// a computed key
		if r.code.is(j+1, "[") && j+2 < len(r.code.tokens) && r.code.tokens[j+2].kind != literal {
			return
		}
		key, at := r.code.readField(j + 1)
		if key == "" {
			continue
		}
		behind := j + 3
		if r.code.is(j+1, "[") {
			behind++
		}
		if r.code.is(behind, "=") && !r.code.is(behind+1, "=") {
			written = append(written, key)
		}
		reads = append(reads, read{key, at})
	}
	for _, r := range reads {
		if !slices.Contains(written, r.key) {
			found(r.key, r.at)
		}
	}
}

// lastFunction finds the first function among the arguments of the call at token open.
func (r *functions) lastFunction(open int, f *handlerFunc) bool {
	c := r.code
	depth := 0
	for i := open; i < len(c.tokens); i++ {
		switch t := c.tokens[i]; {
		case t.kind == sign && strings.Contains("([{", t.text):
			if depth == 1 && t.text == "(" && r.arrow(i, f) {
				return true
			}
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			if depth--; depth == 0 {
				return false
			}
		case depth == 1 && c.is(i, "function"):
			return r.plainFunction(i, f)
		case depth == 1 && !c.lua && t.kind == word && c.is(i+1, "=") && c.is(i+2, ">"):
			f.params = span{i, i + 1}
			return r.arrowBody(i+3, f)
		}
	}
	return false
}

// plainFunction parses function (ev) ... from its first word.
func (r *functions) plainFunction(i int, f *handlerFunc) bool {
	open := i + 1
	for open < i+4 && !r.code.is(open, "(") {
		open++
	}
	end := r.code.closing(open)
	if end < 0 {
		return false
	}
	f.params = span{open + 1, end}
	if r.code.lua {
		f.body = span{end + 1, r.scopes.end(i)}
	} else {
		f.body = span{end + 2, r.scopes.end(end + 1)}
	}
	return true
}

// arrow parses (ev) => ... from its parenthesis.
func (r *functions) arrow(i int, f *handlerFunc) bool {
	end := r.code.closing(i)
	if r.code.lua || end < 0 || !r.code.is(end+1, "=") || !r.code.is(end+2, ">") {
		return false
	}
	f.params = span{i + 1, end}
	return r.arrowBody(end+3, f)
}

// arrowBody parses what follows =>.
func (r *functions) arrowBody(i int, f *handlerFunc) bool {
	if r.code.is(i, "{") {
		f.body = span{i + 1, r.scopes.end(i)}
		return true
	}
	f.value = true
	depth := 0
	for j := i; j < len(r.code.tokens); j++ {
		t := r.code.tokens[j]
		if t.kind != sign {
			continue
		}
		if strings.Contains("([{", t.text) {
			depth++
		} else if strings.Contains(")]}", t.text) {
			depth--
		}
		if depth < 0 || depth == 0 && t.text == "," {
			f.body = span{i, j}
			return true
		}
	}
	return false
}

// returns calls found with each table that the function returns, not with those of functions inside
// it.
func (r *functions) returns(f *handlerFunc, found func(open int)) {
	body := f.body
	if f.value {
		if r.code.is(body.from, "(") && r.code.table(body.from+1) {
			found(body.from + 1)
		}
		return
	}
	for i := body.from; i < body.to; i++ {
		switch {
		case i > body.from && r.code.is(i, "function"):
			if r.code.lua {
				i = r.scopes.end(i)
			} else if end := r.code.closing(r.code.next(i, "(")); end >= 0 {
				i = r.scopes.end(end + 1)
			}
		case r.code.is(i, "=") && r.code.is(i+1, ">") && r.code.is(i+2, "{"):
			i = r.scopes.end(i + 2)
		case r.code.method(i) >= 0:
			i = r.scopes.end(r.code.method(i))
		case r.code.is(i, "return") && r.code.table(i+1):
			found(i + 1)
		}
	}
}

// runFunction finds the function run in the table at token open, or in its parenthesis.
func (r *functions) runFunction(open int, f *handlerFunc) bool {
	c := r.code
	if c.is(open, "(") {
		open++
	}
	if !c.is(open, "{") {
		return false
	}
	depth := 0
	for i := open; i < len(c.tokens); i++ {
		switch t := c.tokens[i]; {
		case depth == 1 && t.kind == word && t.text == "run" &&
			(c.is(i-1, "{") || c.is(i-1, ",") || c.is(i-1, "async") || c.is(i-1, ";")):
			return r.valueFunction(i+1, f)
		case t.kind == sign && strings.Contains("([{", t.text):
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			if depth--; depth == 0 {
				return false
			}
		}
	}
	return false
}

// valueFunction parses the function after a key: = function(...), : (...) => ..., or (...) { ... }.
func (r *functions) valueFunction(i int, f *handlerFunc) bool {
	if end := r.code.closing(i); !r.code.lua && r.code.is(i, "(") {
		if end < 0 || !r.code.is(end+1, "{") {
			return false
		}
		f.params, f.body = span{i + 1, end}, span{end + 2, r.scopes.end(end + 1)}
		return true
	}
	if i++; r.code.is(i, "async") {
		i++
	}
	switch {
	case r.code.is(i, "function"):
		return r.plainFunction(i, f)
	case r.code.is(i, "("):
		return r.arrow(i, f)
	}
	return false
}

// parameter returns the token of the name of a function's nth parameter, counted from 0; -1 if it
// has none or a default.
func (r *functions) parameter(f *handlerFunc, n int) int {
	depth, first := 0, true
	for i := f.params.from; i < f.params.to; i++ {
		t := r.code.tokens[i]
		if n == 0 && first {
			if t.kind != word {
				return -1
			}
			for j := i + 1; j < f.params.to && !r.code.is(j, ","); j++ {
				if r.code.is(j, "=") {
					return -1
				}
			}
			return i
		}
		first = false
		switch {
		case t.kind == sign && strings.Contains("([{", t.text):
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			depth--
		case depth == 0 && r.code.is(i, ","):
			n, first = n-1, true
		}
	}
	return -1
}

// usesOf yields the places in a function where its nth parameter is used.
func (r *functions) usesOf(f *handlerFunc, n int) iter.Seq[int] {
	return func(yield func(at int) bool) {
		p := r.parameter(f, n)
		if p < 0 {
			return
		}
		name := r.code.tokens[p].text
		own := r.scopes.resolve(name, f.body.from)
		for i := f.body.from; i < f.body.to; i++ {
			t := r.code.tokens[i]
			if t.kind == word && t.text == name && (!r.code.is(i-1, ".") || r.code.is(i-2, ".")) &&
				r.scopes.resolve(t.text, i) == own && !yield(i) {
				return
			}
		}
	}
}

// fieldsOf calls found with each field that a function reads of its nth parameter.
func (r *functions) fieldsOf(f *handlerFunc, n int, found func(key string, at int)) {
	for i := range r.usesOf(f, n) {
		if key, at := r.code.readField(i + 1); key != "" {
			found(key, at)
		}
	}
}
