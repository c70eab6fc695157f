// This file finds the parts of ext that a script uses.

package lint

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/suggest"
)

// source is a script that is being checked.
type source struct {
	name   string
	header scriptfile.Header
	found  []Finding

	code      *code
	scopes    *scopes
	functions *functions

	rows []engine.APIRow
	used []use
	// ext is passed on, or indexed by a computed name: its uses cannot be known
	computed bool
}

// use is a reference to a function of ext.
type use struct {
	row   *engine.APIRow
	at    int
	first string // its first argument, if that is a string literal
}

// uses walks over all tokens.
func (s *source) uses() {
	s.rows, s.scopes = spec.API(), newScopes(s.code)
	s.functions = &functions{code: s.code, scopes: s.scopes}
	for i := 0; i < len(s.code.tokens) && len(s.found) < maxFindings; i++ {
		t := s.code.tokens[i]
		if t.kind != word || s.code.is(i-1, ".") && !s.code.is(i-2, ".") {
			continue
		}
		path, d := "", s.scopes.resolve(t.text, i)
		switch {
		case d != nil && d.known:
			path = d.path
		case d != nil || t.text != "ext":
			continue
		}
		// a key, or a name of something else
		if s.code.declared(i) || s.code.is(i+1, ":") && !s.code.is(i+2, ":") {
			continue
		}
		i = s.chain(i, path) - 1
	}
}

// chain follows the names after token i, which stands for ext.PATH, and returns where they end.
func (s *source) chain(i int, path string) int {
	c := s.code
	begin := i
	at := c.tokens[i].at
	i++
	for {
		if row := s.row(path); row != nil {
			s.use(row, at, i)
			return i
		}
		next, where := "", 0
		switch {
		case c.is(i, ".") && i+1 < len(c.tokens) && c.tokens[i+1].kind == word:
			next, where, i = c.tokens[i+1].text, c.tokens[i+1].at, i+2
		case c.is(i, "?") && c.is(i+1, ".") && i+2 < len(c.tokens) && c.tokens[i+2].kind == word:
			next, where, i = c.tokens[i+2].text, c.tokens[i+2].at, i+3
		case c.is(i, "?") && c.is(i+1, ".") && c.is(i+2, "[") && i+3 < len(c.tokens) &&
			c.tokens[i+3].kind == literal && c.is(i+4, "]"):
			next, where, i = c.tokens[i+3].text, c.tokens[i+3].at, i+5
		case c.is(i, "[") && i+1 < len(c.tokens) && c.tokens[i+1].kind == literal && c.is(i+2, "]"):
			next, where, i = c.tokens[i+1].text, c.tokens[i+1].at, i+3
		case path != "" && c.is(i, "(") && !c.isMethod(i):
			s.add(at, Error, "api", "it holds functions: "+strings.Join(s.below(path), ", "),
				"ext.%s is no function", path)
			return i
		default:
			s.handed(begin, i, path)
			return i
		}
		candidates := s.below(path)
		if !slices.Contains(candidates, next) {
			if !c.lua && slices.Contains([]string{"toString", "hasOwnProperty", "valueOf",
				"constructor"}, next) {
				return i
			}
			s.add(where, Error, "api", "", "%s has no %q%s", strings.TrimSuffix("ext."+path, "."),
				next, suggest.InsteadOf(s.functionNames(), path, next))
			return i
		}
		path = strings.TrimPrefix(path+"."+next, ".")
	}
}

// handed handles ext, or a group of it, used as a value: assigned to a name, destructured, or
// passed on.
func (s *source) handed(begin, end int, path string) {
	c := s.code
	switch {
	case s.scopes.values[begin] != nil:
		d := s.scopes.values[begin]
		d.path, d.known = path, true
	case s.scopes.apart[begin] != nil:
		for _, f := range s.scopes.apart[begin] {
			s.takeApart(f, path)
		}
	case c.is(end, ")") && (c.is(end+1, "=") && c.is(end+2, ">") || c.is(end+1, "{")),
		c.is(end, "=") && c.is(end+1, ">"):
	case c.is(begin-1, "(") && c.is(begin-2, "function"):
	default:
		s.computed = true
	}
}

// takeApart follows the keys that lead to a field of ext.PATH.
func (s *source) takeApart(f field, path string) {
	for _, i := range f.keys {
		key := s.code.tokens[i]
		if !slices.Contains(s.below(path), key.text) {
			s.add(key.at, Error, "api", "", "%s has no %q%s", strings.TrimSuffix("ext."+path, "."),
				key.text, suggest.InsteadOf(s.functionNames(), path, key.text))
			return
		}
		path = strings.TrimPrefix(path+"."+key.text, ".")
		if row := s.row(path); row != nil {
			s.use(row, key.at, -1)
		}
	}
	f.decl.path, f.decl.known = path, true
}

func (s *source) row(path string) *engine.APIRow {
	for i := range s.rows {
		if s.rows[i].Name == path {
			return &s.rows[i]
		}
	}
	return nil
}

// functionNames lists the names of all functions of ext.
func (s *source) functionNames() []string {
	names := make([]string, len(s.rows))
	for i, r := range s.rows {
		names[i] = r.Name
	}
	return names
}

// below lists the names in ext.PATH.
func (s *source) below(path string) []string {
	var names []string
	for _, r := range s.rows {
		rest := r.Name
		if path != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(r.Name, path+"."); !ok {
				continue
			}
		}
		first, _, _ := strings.Cut(rest, ".")
		if !slices.Contains(names, first) {
			names = append(names, first)
		}
	}
	return names
}

// use records a use of a function, with the first argument if it is a string: i is where its call
// begins, -1 = it is not called.
func (s *source) use(row *engine.APIRow, at, i int) {
	c := s.code
	u, open := use{row: row, at: at}, i
	if i >= 0 && c.is(i, "(") {
		i++
	}
	if row.Name == "exec" && i >= 0 && i < len(c.tokens) && c.tokens[i].kind == literal {
		s.add(c.tokens[i].at, Error, "api",
			"a program and its arguments, one text each; a command line is for ext.sh",
			"ext.exec: argv is a list, got text")
		s.used = append(s.used, u)
		return
	}
	// exec({ "git" }), exec(["git"])
	for i >= 0 && (c.is(i, "{") || c.is(i, "[")) && row.Name != "on" {
		i++
	}
	if i >= 0 && i < len(c.tokens) && c.tokens[i].kind == literal && !c.is(i+1, ".") &&
		!c.is(i+1, "+") {
		u.first = c.tokens[i].text
	}
	s.used = append(s.used, u)
	switch {
	case row.Name == "on" && u.first != "":
		s.event(u.first, c.tokens[i].at)
		s.handler(u.first, open)
	case row.Name == "guard":
		s.handler("guard", open)
	default:
		s.called(row.Name, open)
	}
}

// event checks the name of an event against the table.
func (s *source) event(name string, at int) {
	var names []string
	for _, r := range spec.Events() {
		names = append(names, r.Name)
	}
	switch {
	case name == "guard":
		s.add(at, Error, "event", "", "guards are registered with ext.guard")
	case strings.HasPrefix(name, "custom:"), slices.Contains(names, name):
	default:
		s.add(at, Error, "event", "", "unknown event %q%s", name,
			suggest.DidYouMeanFor(suggest.ForeignEvent, name, names))
	}
}
