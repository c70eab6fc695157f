// This file checks the functions that handle events: it compares the fields that they read and what
// they return with the event's row.

package lint

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/suggest"
)

// span is a range of tokens, to excluded.
type span struct{ from, to int }

// handlerFunc is a function literal that handles an event.
type handlerFunc struct {
	row    *event.Row
	params span
	body   span
	value  bool // the body is one value: (ev) => ({ ... })
}

// handler checks the function passed to ext.on or ext.guard, if it is a literal. open is the token
// of the call's parenthesis, event the name of the event.
func (s *source) handler(event string, open int) {
	row := eventRow(event)
	if row == nil || !s.code.is(open, "(") {
		return
	}
	f := handlerFunc{row: row}
	if !s.functions.lastFunction(open, &f) {
		return
	}
	s.reads(&f)
	s.copies(&f)
	s.context(&f)
	s.functions.returns(&f, func(open int) { s.returned(row, open) })
}

func eventRow(name string) *event.Row {
	if strings.HasPrefix(name, "custom:") {
		name = event.Custom
	}
	rows := spec.Events()
	i := slices.IndexFunc(rows, func(r event.Row) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// reads checks the fields that a handler reads.
func (s *source) reads(f *handlerFunc) {
	if f.params.from >= f.params.to {
		return
	}
	if s.code.is(f.params.from, "{") {
		s.takenApart(f)
		return
	}
	s.functions.fieldsOf(f, 0, func(key string, at int) { s.field(f.row, key, at) })
}

// takenApart checks the pattern ({ tool, args: { command } }) => ...: the names on the first level.
func (s *source) takenApart(f *handlerFunc) {
	depth := 0
	for i := f.params.from; i < f.params.to; i++ {
		switch t := s.code.tokens[i]; {
		case t.kind == sign && strings.Contains("([{", t.text):
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			depth--
		case depth == 1 && t.kind == word && (s.code.is(i-1, "{") || s.code.is(i-1, ",")):
			s.field(f.row, t.text, t.at)
		}
	}
}

// languageNames are properties that every JavaScript object has.
var languageNames = []string{"toString", "hasOwnProperty", "valueOf", "constructor", "toJSON",
	"then"}

func (s *source) field(row *event.Row, key string, at int) {
	var names []string
	for _, f := range slices.Concat(row.Payload, spec.Envelope()) {
		names = append(names, f.Name)
	}
	if slices.Contains(names, key) || !s.code.lua && slices.Contains(languageNames, key) {
		return
	}
	s.add(at, Error, "event", "", "event %s has no field %q%s", row.Name, key,
		suggest.DidYouMeanFor(suggest.ForeignField, key, names))
}

// blockWords precede parentheses and a block that do not form a function.
var blockWords = []string{"if", "for", "while", "switch", "catch", "with", "function"}

// returned checks the keys of the table at token open against what handlers of the row may return.
func (s *source) returned(row *event.Row, open int) {
	keys := engine.OutcomeKeys(row)
	if len(keys) == 0 && s.code.closing(open) > open+1 {
		s.add(s.code.tokens[open].at, Error, "event", "take it out, or hear another event",
			"%s can only be observed: what its handlers return does nothing", row.Name)
		return
	}
	s.code.keys(open, func(key string, at int) {
		if !slices.Contains(keys, key) {
			s.add(at, Error, "event", "", "handlers of %s may not return %q%s", row.Name, key,
				suggest.DidYouMeanFor(suggest.ForeignReturn, key, keys))
		}
	})
}
