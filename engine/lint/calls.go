// This file reads what functions do with the arguments that they get besides an event: the call of
// tools, commands and timers is held against its fields, and a context, which other hosts give to
// handlers, is none here.

package lint

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/suggest"
)

// registered are the functions that register one which gets a call, and the parameter that this is.
var registered = map[string]int{"tool": 1, "command": 1, "shortcut": 0, "every": 0, "after": 0}

// called holds the fields that such a function reads of its call against those there are. open is
// the token that the call of ext.tool and the like begins with.
func (s *source) called(name string, open int) {
	parameter, ok := registered[name]
	if !ok || open < 0 {
		return
	}
	var f handlerFunc
	if name == "every" || name == "after" {
		ok = s.is(open, "(") && s.lastFunction(open, &f)
	} else {
		ok = s.runFunction(open, &f)
	}
	if !ok {
		return
	}
	if name == "tool" {
		s.returns(&f, s.result)
	}
	var names []string
	for _, field := range spec.Call() {
		names = append(names, field.Name)
	}
	s.fieldsOf(&f, parameter, func(key string, at int) {
		if slices.Contains(names, key) || !s.lua && slices.Contains(languageNames, key) {
			return
		}
		s.add(at, Error, "api", "", "call has no field %q%s", key,
			suggest.DidYouMeanFor(suggest.ForeignCall, key, names))
	})
}

// result holds the keys of the table at token open, which the function of a tool returns, against
// those of a tool result.
func (s *source) result(open int) {
	var names []string
	for _, field := range engine.ResultFields() {
		names = append(names, field.Name)
	}
	s.keys(open, func(key string, at int) {
		if !slices.Contains(names, key) {
			s.add(at, Error, "api", "", "a tool result has no key %q%s", key,
				suggest.DidYouMeanFor(suggest.ForeignReturn, key, names))
		}
	})
}

// runFunction finds the function run of the table that token open begins, or that stands in its
// parenthesis.
func (s *source) runFunction(open int, f *handlerFunc) bool {
	if s.is(open, "(") {
		open++
	}
	if !s.is(open, "{") {
		return false
	}
	depth := 0
	for i := open; i < len(s.tokens); i++ {
		switch t := s.tokens[i]; {
		case depth == 1 && t.kind == word && t.text == "run" &&
			(s.is(i-1, "{") || s.is(i-1, ",") || s.is(i-1, "async") || s.is(i-1, ";")):
			return s.valueFunction(i+1, f)
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

// valueFunction reads the function behind a key: = function(...), : (...) => ..., or (...) { ... }.
func (s *source) valueFunction(i int, f *handlerFunc) bool {
	if end := s.closing(i); !s.lua && s.is(i, "(") {
		if end < 0 || !s.is(end+1, "{") {
			return false
		}
		f.params, f.body = span{i + 1, end}, span{end + 2, s.end(s.scopes, end+1)}
		return true
	}
	if i++; s.is(i, "async") {
		i++
	}
	switch {
	case s.is(i, "function"):
		return s.plainFunction(i, f)
	case s.is(i, "("):
		return s.arrow(i, f)
	}
	return false
}

// parameter is the token of the name of a function's nth parameter, counted from 0; -1 if it has
// none or a default.
func (s *source) parameter(f *handlerFunc, n int) int {
	depth, first := 0, true
	for i := f.params.from; i < f.params.to; i++ {
		t := s.tokens[i]
		if n == 0 && first {
			if t.kind != word {
				return -1
			}
			for j := i + 1; j < f.params.to && !s.is(j, ","); j++ {
				if s.is(j, "=") {
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
		case depth == 0 && s.is(i, ","):
			n, first = n-1, true
		}
	}
	return -1
}

// fieldsOf calls found with each field that a function reads of its nth parameter.
func (s *source) fieldsOf(f *handlerFunc, n int, found func(key string, at int)) {
	p := s.parameter(f, n)
	if p < 0 {
		return
	}
	name := s.tokens[p].text
	own := s.scopes.resolve(name, f.body.from)
	for i := f.body.from; i < f.body.to; i++ {
		t := s.tokens[i]
		if t.kind != word || t.text != name || s.is(i-1, ".") && !s.is(i-2, ".") ||
			s.scopes.resolve(t.text, i) != own {
			continue
		}
		if key, at := s.readField(i + 1); key != "" {
			found(key, at)
		}
	}
}

// context finds what a handler reads of a second argument, which it does not get.
func (s *source) context(f *handlerFunc) {
	nothing := "undefined"
	if s.lua {
		nothing = "nil"
	}
	s.fieldsOf(f, 1, func(key string, at int) {
		s.add(at, Error, "event", "ext is there everywhere",
			"a handler is called with the event alone: there is no %q, the second argument is %s%s",
			key, nothing,
			suggest.ForeignHint(suggest.ForeignCall, key, nil))
	})
}
