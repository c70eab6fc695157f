// This file reads the functions that handle events: the fields that they read and what they return
// is held against the event's row.

package lint

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/suggest"
)

// span is a range of tokens, to excluded.
type span struct{ from, to int }

// handlerFunc is a function that handles an event, as it is written down.
type handlerFunc struct {
	row    *engine.EventRow
	params span
	body   span
	value  bool // the body is one value: (ev) => ({ ... })
}

// handler reads the function that a call of ext.on or ext.guard is given, if it is written in the
// call. open is the token of the call's parenthesis, event the name of the event.
func (s *source) handler(event string, open int) {
	row := eventRow(event)
	if row == nil || !s.is(open, "(") {
		return
	}
	f := handlerFunc{row: row}
	if !s.lastFunction(open, &f) {
		return
	}
	s.reads(&f)
	s.copies(&f)
	s.context(&f)
	s.returns(&f, func(open int) { s.returned(row, open) })
}

func eventRow(name string) *engine.EventRow {
	if strings.HasPrefix(name, "custom:") {
		name = engine.CustomEvent
	}
	rows := spec.Events()
	i := slices.IndexFunc(rows, func(r engine.EventRow) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// lastFunction finds the first function among the arguments of the call at token open.
func (s *source) lastFunction(open int, f *handlerFunc) bool {
	depth := 0
	for i := open; i < len(s.tokens); i++ {
		switch t := s.tokens[i]; {
		case t.kind == sign && strings.Contains("([{", t.text):
			if depth == 1 && t.text == "(" && s.arrow(i, f) {
				return true
			}
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			if depth--; depth == 0 {
				return false
			}
		case depth == 1 && s.is(i, "function"):
			return s.plainFunction(i, f)
		case depth == 1 && !s.lua && t.kind == word && s.is(i+1, "=") && s.is(i+2, ">"):
			f.params = span{i, i + 1}
			return s.arrowBody(i+3, f)
		}
	}
	return false
}

// plainFunction reads function (ev) ... from its first word on.
func (s *source) plainFunction(i int, f *handlerFunc) bool {
	open := i + 1
	for open < i+4 && !s.is(open, "(") {
		open++
	}
	end := s.closing(open)
	if end < 0 {
		return false
	}
	f.params = span{open + 1, end}
	if s.lua {
		f.body = span{end + 1, s.end(s.scopes, i)}
	} else {
		f.body = span{end + 2, s.end(s.scopes, end+1)}
	}
	return true
}

// arrow reads (ev) => ... from its parenthesis on.
func (s *source) arrow(i int, f *handlerFunc) bool {
	end := s.closing(i)
	if s.lua || end < 0 || !s.is(end+1, "=") || !s.is(end+2, ">") {
		return false
	}
	f.params = span{i + 1, end}
	return s.arrowBody(end+3, f)
}

// arrowBody reads what follows =>.
func (s *source) arrowBody(i int, f *handlerFunc) bool {
	if s.is(i, "{") {
		f.body = span{i + 1, s.end(s.scopes, i)}
		return true
	}
	f.value = true
	depth := 0
	for j := i; j < len(s.tokens); j++ {
		t := s.tokens[j]
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

// reads holds the fields that a handler reads against those of its event.
func (s *source) reads(f *handlerFunc) {
	if f.params.from >= f.params.to {
		return
	}
	if s.is(f.params.from, "{") {
		s.takenApart(f)
		return
	}
	s.fieldsOf(f, 0, func(key string, at int) { s.field(f.row, key, at) })
}

// readField is the name of the field that is read by the tokens at i, and where it stands; "" =
// none is, or it is written.
func (s *source) readField(i int) (key string, at int) {
	if s.is(i, "?") && s.is(i+1, ".") {
		i++
	}
	switch {
	case s.is(i, ".") && i+1 < len(s.tokens) && s.tokens[i+1].kind == word:
		i++
	case s.is(i, "[") && i+2 < len(s.tokens) && s.tokens[i+1].kind == literal && s.is(i+2, "]"):
		i++
	default:
		return "", 0
	}
	return s.tokens[i].text, s.tokens[i].at
}

// takenApart reads ({ tool, args: { command } }) => ...: the names on the first level.
func (s *source) takenApart(f *handlerFunc) {
	depth := 0
	for i := f.params.from; i < f.params.to; i++ {
		switch t := s.tokens[i]; {
		case t.kind == sign && strings.Contains("([{", t.text):
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			depth--
		case depth == 1 && t.kind == word && (s.is(i-1, "{") || s.is(i-1, ",")):
			s.field(f.row, t.text, t.at)
		}
	}
}

// languageNames are fields that JavaScript itself gives to every object.
var languageNames = []string{"toString", "hasOwnProperty", "valueOf", "constructor", "toJSON",
	"then"}

func (s *source) field(row *engine.EventRow, key string, at int) {
	var names []string
	for _, f := range slices.Concat(row.Payload, spec.Envelope()) {
		names = append(names, f.Name)
	}
	if slices.Contains(names, key) || !s.lua && slices.Contains(languageNames, key) {
		return
	}
	s.add(at, Error, "event", "", "event %s has no field %q%s", row.Name, key,
		suggest.DidYouMeanFor(suggest.ForeignField, key, names))
}

// returns calls found with each table that a function returns itself, not one in it.
func (s *source) returns(f *handlerFunc, found func(open int)) {
	body := f.body
	if f.value {
		if s.is(body.from, "(") && s.table(body.from+1) {
			found(body.from + 1)
		}
		return
	}
	for i := body.from; i < body.to; i++ {
		switch {
		case i > body.from && s.is(i, "function"):
			if s.lua {
				i = s.end(s.scopes, i)
			} else if end := s.closing(s.next(i, "(")); end >= 0 {
				i = s.end(s.scopes, end+1)
			}
		case s.is(i, "=") && s.is(i+1, ">") && s.is(i+2, "{"):
			i = s.end(s.scopes, i+2)
		case s.method(i) >= 0:
			i = s.end(s.scopes, s.method(i))
		case s.is(i, "return") && s.table(i+1):
			found(i + 1)
		}
	}
}

// method is where the body begins of a method that is written from token i on, as in { get() { ...
// } }; -1 if none is.
func (s *source) method(i int) int {
	if s.lua || s.tokens[i].kind != word || !s.is(i+1, "(") ||
		slices.Contains(blockWords, s.tokens[i].text) {
		return -1
	}
	if end := s.closing(i + 1); end >= 0 && s.is(end+1, "{") {
		return end + 1
	}
	return -1
}

// blockWords stand before parentheses and a block that is no function's.
var blockWords = []string{"if", "for", "while", "switch", "catch", "with", "function"}

// table reports whether token i begins a table: not what a template holds, as in return `${x}`.
func (s *source) table(i int) bool {
	return s.is(i, "{") && (s.lua || s.tokens[i].at == 0 || s.text[s.tokens[i].at-1] != '$')
}

// next is the next token with that text, from i on; the last one if there is none.
func (s *source) next(i int, text string) int {
	for i < len(s.tokens)-1 && !s.is(i, text) {
		i++
	}
	return i
}

// returned holds the keys of the table at token open against what handlers of the row may return.
func (s *source) returned(row *engine.EventRow, open int) {
	keys := engine.OutcomeKeys(row)
	if len(keys) == 0 && s.closing(open) > open+1 {
		s.add(s.tokens[open].at, Error, "event", "take it out, or hear another event",
			"%s can only be observed: what its handlers return does nothing", row.Name)
		return
	}
	s.keys(open, func(key string, at int) {
		if !slices.Contains(keys, key) {
			s.add(at, Error, "event", "", "handlers of %s may not return %q%s", row.Name, key,
				suggest.DidYouMeanFor(suggest.ForeignReturn, key, keys))
		}
	})
}

// keys calls found with each key of the table at token open.
func (s *source) keys(open int, found func(key string, at int)) {
	depth, end := 0, s.closing(open)
	for i := open; i < end; i++ {
		t := s.tokens[i]
		switch {
		case t.kind == sign && strings.Contains("([{", t.text):
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			depth--
		case depth == 1 && t.kind == word && s.key(open, i):
			found(t.text, t.at)
		}
	}
}

// key reports whether token i is a key of the table that begins at token open.
func (s *source) key(open, i int) bool {
	first := i-1 == open || s.is(i-1, ",") || s.lua && s.is(i-1, ";")
	if s.lua {
		return first && s.is(i+1, "=") && !s.is(i+2, "=")
	}
	return first && (s.is(i+1, ":") || s.is(i+1, ",") || s.is(i+1, "}"))
}
