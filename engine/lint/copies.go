// This file checks what handlers do with copies of an event: a copy is plain data, so reading an
// unknown field of it is no error at run time.

package lint

import (
	"github.com/agentscripts/agent/engine/suggest"
)

// copies checks the fields that a handler reads of copies of its event and of the event's args.
func (s *source) copies(f *handlerFunc) {
	if s.code.is(f.params.from, "{") {
		s.functions.rest(f.params.from, f.body, s.eventField(f))
		return
	}
	for i := range s.functions.usesOf(f, 0) {
		found, end := s.eventField(f), i
		if s.code.is(i+1, ".") && s.code.is(i+2, "args") {
			found, end = s.argField, i+2
		}
		if s.code.is(end+1, ".") || s.code.is(end+1, "[") || s.code.is(end+1, "?") {
			continue
		}
		if start, behind := s.functions.copied(i); start > 0 {
			s.functions.copyRead(start, behind, f.body.to, found)
		} else if s.code.is(i-1, "=") && s.code.is(i-2, "}") {
			s.functions.rest(s.code.opening(i-2), span{i, f.body.to}, found)
		}
	}
}

func (s *source) eventField(f *handlerFunc) func(key string, at int) {
	return func(key string, at int) { s.field(f.row, key, at) }
}

// argField reports an argument under its name in other hosts. The schemas of tools are unknown
// here.
func (s *source) argField(key string, at int) {
	for _, name := range suggest.ForeignNames() {
		if name.Kind == suggest.ForeignArg && name.Name == key {
			s.add(at, Note, "event", "", "built-in tools have no argument %q%s", key,
				suggest.ForeignHint(suggest.ForeignArg, key, name.Ours))
			return
		}
	}
}
