// This file finds what names stand for where: which are declared, from where to where, and which of
// them are parts of ext.

package lint

import "slices"

const (
	// maxReach is how many tokens a list of parameters or a pattern has at most that is read:
	// nobody writes longer ones.
	maxReach = 200
	// maxDecls is how often one name is declared in a file, at most, as far as that is followed.
	maxDecls = 200
)

// decl is a name that is declared, and the tokens in which it holds.
type decl struct {
	name     string
	from, to int
	path     string // of what it stands for in ext
	known    bool   // it stands for that; else for something else
}

// field is a name that takes a part of what is taken apart: const { log: { info } } = ext.
type field struct {
	keys []int // tokens of the names that lead to it
	decl *decl
}

// scopes are the declarations of a file, and what is waited for to know what they stand for.
type scopes struct {
	decls  map[string][]*decl
	values map[int]*decl   // by the token that a value begins with: the name that it is given
	apart  map[int][]field // the same for what is taken apart
	ends   []int           // of each token: where the innermost block around it ends
	pairs  map[int]int     // where a block that begins at a token ends
}

// resolve returns the declaration that a name at token i has, nil if there is none.
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

// findScopes reads the declarations of s.
func (s *source) findScopes() *scopes {
	x := &scopes{decls: map[string][]*decl{}, values: map[int]*decl{}, apart: map[int][]field{},
		pairs: map[int]int{}}
	s.findBlocks(x)
	for i := range s.tokens {
		switch {
		case s.tokens[i].kind != word || s.is(i-1, ".") && !s.is(i-2, "."):
		case s.lua && s.is(i, "local") && !s.is(i+1, "function"), !s.lua &&
			(s.is(i, "const") || s.is(i, "let") || s.is(i, "var")):
			s.readDeclaration(x, i)
		case s.is(i, "function"):
			s.readFunction(x, i)
		case s.lua && s.is(i, "for"):
			s.readLoop(x, i)
		case !s.lua && s.is(i+1, "=") && !s.is(i+2, "=") && !s.is(i+2, ">"):
			if d := x.resolve(s.tokens[i].text, i); d != nil && !d.known && x.values[i+2] == nil {
				x.values[i+2] = d
			}
		}
	}
	for i := range s.tokens {
		if !s.lua && s.is(i, "=") && s.is(i+1, ">") {
			s.readArrow(x, i)
		}
	}
	return x
}

// findBlocks pairs what opens blocks with what ends them.
func (s *source) findBlocks(x *scopes) {
	x.ends = make([]int, len(s.tokens))
	var open, parents []int
	innermost := func() int {
		if len(open) == 0 {
			return -1
		}
		return open[len(open)-1]
	}
	for i, t := range s.tokens {
		opens, closes := t.kind == sign && t.text == "{", t.kind == sign && t.text == "}"
		if s.lua {
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
		x.ends[i] = len(s.tokens)
		if end, ok := x.pairs[p]; ok {
			x.ends[i] = end
		}
	}
}

// end is where the block ends that begins at token i.
func (s *source) end(x *scopes, i int) int {
	if end, ok := x.pairs[i]; ok {
		return end
	}
	return len(s.tokens)
}

// readDeclaration reads local a, b = x, y and const a = x, { b } = y from its first word on.
func (s *source) readDeclaration(x *scopes, i int) {
	to := x.ends[i]
	if !s.lua && s.is(i-1, "(") && s.is(i-2, "for") { // it holds in the loop
		if close := s.closing(i - 1); close >= 0 && s.is(close+1, "{") {
			to = s.end(x, close+1)
		}
	}
	i++
	if s.is(i, "{") {
		end := s.closing(i)
		if end < 0 {
			return
		}
		fields := s.pattern(x, i+1, end, nil, to)
		if s.is(end+1, "=") {
			x.apart[end+2] = fields
		}
		return
	}
	var names []*decl
	for i < len(s.tokens) && s.tokens[i].kind == word {
		names = append(names, x.declare(s.tokens[i].text, i, to))
		if !s.lua || !s.is(i+1, ",") {
			break
		}
		i += 2
	}
	if s.is(i+1, "=") && !s.is(i+2, "=") {
		s.readValues(x, names, i+2)
	}
}

// readValues reads the values that names are given. In Lua one stands for each; the first that is
// more than names and points ends it.
func (s *source) readValues(x *scopes, names []*decl, i int) {
	for _, d := range names {
		x.values[i] = d
		for i < len(s.tokens) && (s.tokens[i].kind == word &&
			(s.is(i-1, ".") || s.is(i+1, ".") || s.is(i+1, ",")) || s.is(i, ".")) {
			i++
		}
		if !s.is(i, ",") {
			return
		}
		i++
	}
}

// pattern reads what stands between the braces of a pattern.
func (s *source) pattern(x *scopes, i, end int, keys []int, to int) (fields []field) {
	for ; i < end; i++ {
		if s.tokens[i].kind != word || s.is(i-1, "=") {
			continue
		}
		at := append(slices.Clone(keys), i)
		switch {
		case s.is(i+1, ":") && s.is(i+2, "{"):
			close := s.closing(i + 2)
			if close < 0 {
				return fields
			}
			fields = append(fields, s.pattern(x, i+3, close, at, to)...)
			i = close
		case s.is(i+1, ":") && i+2 < end && s.tokens[i+2].kind == word:
			fields = append(fields, field{at, x.declare(s.tokens[i+2].text, i, to)})
			i += 2
		default:
			d := x.declare(s.tokens[i].text, i, to)
			if !s.is(i-1, ".") { // else it is the rest: ...others
				fields = append(fields, field{at, d})
			}
		}
	}
	return fields
}

// closing is the token that closes the bracket at token i; -1 = none does.
func (s *source) closing(i int) int {
	pairs := map[string]string{"(": ")", "[": "]", "{": "}"}
	var open []string
	for last := i + maxReach; i >= 0 && i < min(last, len(s.tokens)); i++ {
		if s.tokens[i].kind != sign {
			continue
		}
		if close := pairs[s.tokens[i].text]; close != "" {
			open = append(open, close)
		} else if n := len(open); n > 0 && s.tokens[i].text == open[n-1] {
			if open = open[:n-1]; n == 1 {
				return i
			}
		}
	}
	return -1
}

// readFunction reads the parameters of a function. One that is called ext is ext: export default
// function (ext) { ... }
func (s *source) readFunction(x *scopes, i int) {
	if s.is(i+2, "(") && s.tokens[i+1].kind == word {
		x.declare(s.tokens[i+1].text, i+1, x.ends[i])
	}
	open := i
	for open < len(s.tokens) && open < i+8 && !s.is(open, "(") {
		open++
	}
	close := s.closing(open)
	if close < 0 {
		return
	}
	to := s.end(x, i)
	if !s.lua {
		to = s.end(x, close+1)
	}
	s.parameters(x, open+1, close, to)
}

func (s *source) parameters(x *scopes, from, close, to int) {
	// it is ext by another name
	if from < close && s.exported(from) && s.tokens[from].text != "ext" {
		d := x.declare(s.tokens[from].text, from, to)
		d.known = true
		return
	}
	for j := from; j < close; j++ {
		if s.tokens[j].kind == word && s.tokens[j].text != "ext" && !s.is(j-1, ".") {
			x.declare(s.tokens[j].text, from, to)
		}
	}
}

// exported reports whether the parameters from token i on are those of export default: such a
// function is called with ext.
func (s *source) exported(i int) bool {
	if s.lua || s.tokens[i].kind != word {
		return false
	}
	for i--; i >= 0 && (s.is(i, "(") || s.is(i, "async") || s.is(i, "function")); i-- {
	}
	return s.is(i, "default") && s.is(i-1, "export")
}

// readLoop reads for a, b in ... do, and for i = 1, 2 do.
func (s *source) readLoop(x *scopes, i int) {
	do := i
	for do < len(s.tokens) && do < i+200 && !s.is(do, "do") {
		do++
	}
	for j := i + 1; j < do && s.tokens[j].kind == word && !s.is(j, "in"); j += 2 {
		x.declare(s.tokens[j].text, do, s.end(x, do))
	}
}

// readArrow reads the parameters of (a, b) => ... and a => ...; i is the token of =.
func (s *source) readArrow(x *scopes, i int) {
	from, close := i-1, i
	if s.is(i-1, ")") {
		close = i - 1
		depth := 0
		for from = close; from >= max(close-maxReach, 0); from-- {
			if s.is(from, ")") {
				depth++
			} else if s.is(from, "(") {
				if depth--; depth == 0 {
					break
				}
			}
		}
		from++
	}
	to := x.ends[i]
	if s.is(i+2, "{") {
		to = s.end(x, i+2)
	}
	s.parameters(x, max(from, 0), close, to)
}
