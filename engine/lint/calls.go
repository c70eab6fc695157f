// This file reads what functions do with the arguments that they get besides an event: the call of
// tools, commands and timers is held against its fields, and a context, which other hosts give to
// handlers, is none here.

package lint

import (
	"slices"

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
		ok = s.code.is(open, "(") && s.functions.lastFunction(open, &f)
	} else {
		ok = s.functions.runFunction(open, &f)
	}
	if !ok {
		return
	}
	if name == "tool" {
		s.functions.returns(&f, s.result)
	}
	var names []string
	for _, field := range spec.Call() {
		names = append(names, field.Name)
	}
	s.functions.fieldsOf(&f, parameter, func(key string, at int) {
		if slices.Contains(names, key) || !s.code.lua && slices.Contains(languageNames, key) {
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
	s.code.keys(open, func(key string, at int) {
		if !slices.Contains(names, key) {
			s.add(at, Error, "api", "", "a tool result has no key %q%s", key,
				suggest.DidYouMeanFor(suggest.ForeignReturn, key, names))
		}
	})
}

// context finds what a handler reads of a second argument, which it does not get.
func (s *source) context(f *handlerFunc) {
	nothing := "undefined"
	if s.code.lua {
		nothing = "nil"
	}
	s.functions.fieldsOf(f, 1, func(key string, at int) {
		s.add(at, Error, "event", "ext is there everywhere",
			"a handler is called with the event alone: there is no %q, the second argument is %s%s",
			key, nothing,
			suggest.ForeignHint(suggest.ForeignCall, key, nil))
	})
}
