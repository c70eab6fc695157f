// This file finds what a script uses of ext.

package lint

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/suggest"
)

// source is a script that is read.
type source struct {
	name, text string
	lua        bool
	header     engine.Header
	tokens     []token
	found      []Finding

	rows   []engine.APIRow
	scopes *scopes
	used   []use
	// ext is handed on, or looked into by a name that is computed: what is used cannot be known
	computed bool
}

// use is a function of ext that is named.
type use struct {
	row   *engine.APIRow
	at    int
	first string // its first argument, if that is written down as a text
}

// uses walks over all tokens.
func (s *source) uses() {
	s.rows, s.scopes = spec.API(), s.findScopes()
	for i := 0; i < len(s.tokens) && len(s.found) < maxFindings; i++ {
		t := s.tokens[i]
		if t.kind != word || s.is(i-1, ".") && !s.is(i-2, ".") {
			continue
		}
		path, d := "", s.scopes.resolve(t.text, i)
		switch {
		case d != nil && d.known:
			path = d.path
		case d != nil || t.text != "ext":
			continue
		}
		// the name of a key, or of something else
		if s.declared(i) || s.is(i+1, ":") && !s.is(i+2, ":") {
			continue
		}
		i = s.chain(i, path) - 1
	}
}

// is reports whether token i is that sign or name.
func (s *source) is(i int, text string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].text == text && s.tokens[i].kind != literal
}

// declared reports whether token i is a name that is being declared.
func (s *source) declared(i int) bool {
	return s.is(i-1, "local") || s.is(i-1, "const") || s.is(i-1, "let") || s.is(i-1, "var") ||
		s.is(i-1, "function")
}

// chain follows the names behind token i, which stands for ext.PATH, and returns where they end.
func (s *source) chain(i int, path string) int {
	begin := i
	at := s.tokens[i].at
	i++
	for {
		if row := s.row(path); row != nil {
			s.use(row, at, i)
			return i
		}
		next, where := "", 0
		switch {
		case s.is(i, ".") && i+1 < len(s.tokens) && s.tokens[i+1].kind == word:
			next, where, i = s.tokens[i+1].text, s.tokens[i+1].at, i+2
		case s.is(i, "?") && s.is(i+1, ".") && i+2 < len(s.tokens) && s.tokens[i+2].kind == word:
			next, where, i = s.tokens[i+2].text, s.tokens[i+2].at, i+3
		case s.is(i, "?") && s.is(i+1, ".") && s.is(i+2, "[") && i+3 < len(s.tokens) &&
			s.tokens[i+3].kind == literal && s.is(i+4, "]"):
			next, where, i = s.tokens[i+3].text, s.tokens[i+3].at, i+5
		case s.is(i, "[") && i+1 < len(s.tokens) && s.tokens[i+1].kind == literal && s.is(i+2, "]"):
			next, where, i = s.tokens[i+1].text, s.tokens[i+1].at, i+3
		default:
			s.handed(begin, i, path)
			return i
		}
		candidates := s.below(path)
		if !slices.Contains(candidates, next) {
			if !s.lua && slices.Contains([]string{"toString", "hasOwnProperty", "valueOf",
				"constructor"}, next) {
				return i
			}
			s.add(where, Error, "api", "", "%s has no %q%s", strings.TrimSuffix("ext."+path, "."),
				next, suggest.InsteadOf(s.functions(), path, next))
			return i
		}
		path = strings.TrimPrefix(path+"."+next, ".")
	}
}

// handed is ext, or a group of it, as a value: given a name of its own, taken apart, or handed on
// to who knows whom.
func (s *source) handed(begin, end int, path string) {
	switch {
	case s.scopes.values[begin] != nil:
		d := s.scopes.values[begin]
		d.path, d.known = path, true
	case s.scopes.apart[begin] != nil:
		for _, f := range s.scopes.apart[begin] {
			s.takeApart(f, path)
		}
	case s.is(end, ")") && (s.is(end+1, "=") && s.is(end+2, ">") || s.is(end+1, "{")),
		s.is(end, "=") && s.is(end+1, ">"):
	case s.is(begin-1, "(") && s.is(begin-2, "function"):
	default:
		s.computed = true
	}
}

// takeApart follows the names that lead to a field of ext.PATH.
func (s *source) takeApart(f field, path string) {
	for _, i := range f.keys {
		key := s.tokens[i]
		if !slices.Contains(s.below(path), key.text) {
			s.add(key.at, Error, "api", "", "%s has no %q%s", strings.TrimSuffix("ext."+path, "."),
				key.text, suggest.InsteadOf(s.functions(), path, key.text))
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

// functions lists the names of all functions of ext.
func (s *source) functions() []string {
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

// use notes a function, with the text that it is called with first: i is where its call begins, -1
// = nowhere.
func (s *source) use(row *engine.APIRow, at, i int) {
	u, open := use{row: row, at: at}, i
	if i >= 0 && s.is(i, "(") {
		i++
	}
	if row.Name == "exec" && i >= 0 && i < len(s.tokens) && s.tokens[i].kind == literal {
		s.add(s.tokens[i].at, Error, "api",
			"a program and its arguments, one text each; a command line is for ext.sh",
			"ext.exec: argv is a list, got text")
		s.used = append(s.used, u)
		return
	}
	// exec({ "git" }), exec(["git"])
	for i >= 0 && (s.is(i, "{") || s.is(i, "[")) && row.Name != "on" {
		i++
	}
	if i >= 0 && i < len(s.tokens) && s.tokens[i].kind == literal && !s.is(i+1, ".") &&
		!s.is(i+1, "+") {
		u.first = s.tokens[i].text
	}
	s.used = append(s.used, u)
	switch {
	case row.Name == "on" && u.first != "":
		s.event(u.first, s.tokens[i].at)
		s.handler(u.first, open)
	case row.Name == "guard":
		s.handler("guard", open)
	default:
		s.called(row.Name, open)
	}
}

// event holds the name of an event against the table.
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
