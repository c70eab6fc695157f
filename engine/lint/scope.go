// This file resolves names: which are declared, in which range of tokens, and which of them are
// parts of ext.

package lint

import "slices"

const (
	// maxReach is the longest list of parameters or pattern that is parsed, in tokens: longer ones
	// do not occur.
	maxReach = 200
	// maxDecls is how many declarations of one name in a file are tracked.
	maxDecls = 200
)

// decl is a declared name, and the tokens in which it is valid.
type decl struct {
	name     string
	from, to int
	path     string // of its value in ext
	known    bool   // its value is ext.path; otherwise something else
}

// field is a name in a destructuring pattern: const { log: { info } } = ext.
type field struct {
	keys []int // tokens of the keys that lead to it
	decl *decl
}

// scopes are the declarations of a file, and the values that are still to be resolved.
type scopes struct {
	code   *code
	decls  map[string][]*decl
	values map[int]*decl   // by the first token of a value: the name that it is assigned to
	apart  map[int][]field // the same for patterns
	ends   []int           // of each token: the end of the innermost block around it
	pairs  map[int]int     // the end of a block that begins at a token
}

// resolve returns the declaration of the name at token i, nil if there is none.
func (x *scopes) resolve(name string, i int) *decl {
	var found *decl
	for _, d := range x.decls[name] {
		if d.from <= i && i < d.to && (found == nil || d.from >= found.from) {
			found = d
		}
	}
	return found
}

func (x *scopes) declare(name string, from, to int) *decl {
	d := &decl{name: name, from: from, to: to}
	if len(x.decls[name]) < maxDecls {
		x.decls[name] = append(x.decls[name], d)
	}
	return d
}

// newScopes finds the declarations of c.
func newScopes(c *code) *scopes {
	x := &scopes{code: c, decls: map[string][]*decl{}, values: map[int]*decl{},
		apart: map[int][]field{},
		pairs: map[int]int{}}
	x.findBlocks()
	for i := range c.tokens {
		switch {
		case c.tokens[i].kind != word || c.is(i-1, ".") && !c.is(i-2, "."):
		case c.lua && c.is(i, "local") && !c.is(i+1, "function"), !c.lua &&
			(c.is(i, "const") || c.is(i, "let") || c.is(i, "var")):
			x.readDeclaration(i)
		case c.is(i, "function"):
			x.readFunction(i)
		case c.lua && c.is(i, "for"):
			x.readLoop(i)
		case !c.lua && c.is(i+1, "=") && !c.is(i+2, "=") && !c.is(i+2, ">"):
			if d := x.resolve(c.tokens[i].text, i); d != nil && !d.known && x.values[i+2] == nil {
				x.values[i+2] = d
			}
		}
	}
	for i := range c.tokens {
		if !c.lua && c.is(i, "=") && c.is(i+1, ">") {
			x.readArrow(i)
		}
	}
	return x
}

// findBlocks pairs the beginnings and ends of blocks.
func (x *scopes) findBlocks() {
	x.ends = make([]int, len(x.code.tokens))
	var open, parents []int
	innermost := func() int {
		if len(open) == 0 {
			return -1
		}
		return open[len(open)-1]
	}
	for i, t := range x.code.tokens {
		opens, closes := t.kind == sign && t.text == "{", t.kind == sign && t.text == "}"
		if x.code.lua {
			opens = t.kind == word &&
				slices.Contains([]string{"function", "do", "then", "repeat", "else"}, t.text)
			closes = t.kind == word && slices.Contains([]string{"end", "until", "else", "elseif"},
				t.text)
		}
		if closes && len(open) > 0 {
			x.pairs[innermost()] = i
			open = open[:len(open)-1]
		}
		parents = append(parents, innermost())
		if opens {
			open = append(open, i)
		}
	}
	for i, p := range parents {
		x.ends[i] = len(x.code.tokens)
		if end, ok := x.pairs[p]; ok {
			x.ends[i] = end
		}
	}
}

// end returns the end of the block that begins at token i.
func (x *scopes) end(i int) int {
	if end, ok := x.pairs[i]; ok {
		return end
	}
	return len(x.code.tokens)
}

// readDeclaration parses local a, b = x, y and const a = x, { b } = y from its first word.
func (x *scopes) readDeclaration(i int) {
	to := x.ends[i]
	if !x.code.lua && x.code.is(i-1, "(") && x.code.is(i-2, "for") { // it is valid in the loop
		if close := x.code.closing(i - 1); close >= 0 && x.code.is(close+1, "{") {
			to = x.end(close + 1)
		}
	}
	i++
	if x.code.is(i, "{") {
		end := x.code.closing(i)
		if end < 0 {
			return
		}
		fields := x.pattern(i+1, end, nil, to)
		if x.code.is(end+1, "=") {
			x.apart[end+2] = fields
		}
		return
	}
	var names []*decl
	for i < len(x.code.tokens) && x.code.tokens[i].kind == word {
		names = append(names, x.declare(x.code.tokens[i].text, i, to))
		if !x.code.lua || !x.code.is(i+1, ",") {
			break
		}
		i += 2
	}
	if x.code.is(i+1, "=") && !x.code.is(i+2, "=") {
		x.readValues(names, i+2)
	}
}

// readValues parses the values that names are assigned. In Lua each name has one; parsing ends at
// the first that is more than names and dots.
func (x *scopes) readValues(names []*decl, i int) {
	c := x.code
	for _, d := range names {
		x.values[i] = d
		for i < len(c.tokens) && (c.tokens[i].kind == word &&
			(c.is(i-1, ".") || c.is(i+1, ".") || c.is(i+1, ",")) || c.is(i, ".")) {
			i++
		}
		if !c.is(i, ",") {
			return
		}
		i++
	}
}

// pattern parses the inside of a pattern's braces.
func (x *scopes) pattern(i, end int, keys []int, to int) (fields []field) {
	for ; i < end; i++ {
		if x.code.tokens[i].kind != word || x.code.is(i-1, "=") {
			continue
		}
		at := append(slices.Clone(keys), i)
		switch {
		case x.code.is(i+1, ":") && x.code.is(i+2, "{"):
			close := x.code.closing(i + 2)
			if close < 0 {
				return fields
			}
			fields = append(fields, x.pattern(i+3, close, at, to)...)
			i = close
		case x.code.is(i+1, ":") && i+2 < end && x.code.tokens[i+2].kind == word:
			fields = append(fields, field{at, x.declare(x.code.tokens[i+2].text, i, to)})
			i += 2
		default:
			d := x.declare(x.code.tokens[i].text, i, to)
			if !x.code.is(i-1, ".") { // otherwise it is the rest: ...others
				fields = append(fields, field{at, d})
			}
		}
	}
	return fields
}

// readFunction parses the parameters of a function. A parameter called ext is ext: export default
// function (ext) { ... }
func (x *scopes) readFunction(i int) {
	if x.code.is(i+2, "(") && x.code.tokens[i+1].kind == word {
		x.declare(x.code.tokens[i+1].text, i+1, x.ends[i])
	}
	open := i
	for open < len(x.code.tokens) && open < i+8 && !x.code.is(open, "(") {
		open++
	}
	close := x.code.closing(open)
	if close < 0 {
		return
	}
	to := x.end(i)
	if !x.code.lua {
		to = x.end(close + 1)
	}
	x.parameters(open+1, close, to)
}

func (x *scopes) parameters(from, close, to int) {
	// it is ext under another name
	if from < close && x.code.exported(from) && x.code.tokens[from].text != "ext" {
		d := x.declare(x.code.tokens[from].text, from, to)
		d.known = true
		return
	}
	for j := from; j < close; j++ {
		if x.code.tokens[j].kind == word && x.code.tokens[j].text != "ext" && !x.code.is(j-1, ".") {
			x.declare(x.code.tokens[j].text, from, to)
		}
	}
}

// readLoop parses for a, b in ... do, and for i = 1, 2 do.
func (x *scopes) readLoop(i int) {
	do := i
	for do < len(x.code.tokens) && do < i+200 && !x.code.is(do, "do") {
		do++
	}
	for j := i + 1; j < do && x.code.tokens[j].kind == word && !x.code.is(j, "in"); j += 2 {
		x.declare(x.code.tokens[j].text, do, x.end(do))
	}
}

// readArrow parses the parameters of (a, b) => ... and a => ...; i is the token of =.
func (x *scopes) readArrow(i int) {
	from, close := i-1, i
	if x.code.is(i-1, ")") {
		close = i - 1
		depth := 0
		for from = close; from >= max(close-maxReach, 0); from-- {
			if x.code.is(from, ")") {
				depth++
			} else if x.code.is(from, "(") {
				if depth--; depth == 0 {
					break
				}
			}
		}
		from++
	}
	to := x.ends[i]
	if x.code.is(i+2, "{") {
		to = x.end(i + 2)
	}
	x.parameters(max(from, 0), close, to)
}
