// This file checks what functions do with arguments other than an event: fields of the call that
// tools, commands and timers get, and the second argument that handlers have in other hosts but not
// here.

package lint

import (
	"slices"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/suggest"
)

// registered maps the functions that register a function with a call to the index of that
// parameter.
var registered = map[string]int{"tool": 1, "command": 1, "shortcut": 0, "every": 0, "after": 0}

// called checks the fields that such a function reads of its call. open is the token with which the
// call of ext.tool and the like begins.
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

// result checks the keys of the table at token open, which a tool's function returns.
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

// context reports reads of a second argument, which handlers do not get.
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
