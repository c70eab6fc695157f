// This file reads what handlers do with copies of an event: a copy is plain data, so that a field
// that there is not is no error when it is read there.

package lint

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
)

// copies holds the fields that a handler reads of copies of its event, and of the event's args,
// against those there are.
func (s *source) copies(f *handlerFunc) {
	if s.is(f.params.from, "{") {
		s.rest(f.params.from, f.body, s.eventField(f))
		return
	}
	p := s.parameter(f, 0)
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
		found, end := s.eventField(f), i
		if s.is(i+1, ".") && s.is(i+2, "args") {
			found, end = s.argField, i+2
		}
		if s.is(end+1, ".") || s.is(end+1, "[") || s.is(end+1, "?") {
			continue
		}
		if start, behind := s.copied(i); start > 0 {
			s.copyRead(start, behind, f.body.to, found)
		} else if s.is(i-1, "=") && s.is(i-2, "}") {
			s.rest(s.opening(i-2), span{i, f.body.to}, found)
		}
	}
}

// copied reports where the expression begins, and what token stands behind it, that makes a copy of
// what begins at token i. 0 = none does.
func (s *source) copied(i int) (start, behind int) {
	from := 0
	switch {
	// JSON.parse(JSON.stringify(ev))
	case s.is(i-1, "(") && s.is(i-2, "stringify") && s.is(i-5, "(") && s.is(i-6, "parse"):
		start, from = i-8, i-5
	case s.is(i-1, "(") && s.is(i-2, "copy") && s.is(i-3, "."): // ext.copy(ev)
		start, from = i-4, i-1
	case s.is(i-1, "(") && s.is(i-2, "structuredClone"):
		start, from = i-2, i-1
	// Object.assign({}, ev)
	case s.is(i-1, ",") && s.is(i-2, "}") && s.is(i-3, "{") && s.is(i-4, "(") &&
		s.is(i-5, "assign"):
		start, from = i-7, i-4
	case s.is(i-1, ".") && s.is(i-2, ".") && s.is(i-3, ".") && s.is(i-4, "{"): // {...ev}
		start, from = i-4, i-4
	}
	end := s.closing(from)
	if start <= 0 || end < 0 || from == 0 {
		return 0, 0
	}
	return start, end + 1
}

// copyRead looks at what is read of a copy: at once, or by the name that it is given.
func (s *source) copyRead(start, behind, end int, found func(key string, at int)) {
	if key, at := s.readField(behind); key != "" {
		found(key, at)
		return
	}
	if s.is(start-1, "=") && s.tokens[max(start-2, 0)].kind == word && !s.is(start-3, ",") {
		s.named(start-2, span{behind, end}, found)
	}
}

// rest looks at what is read of ...others in the pattern at token open, in those tokens.
func (s *source) rest(open int, in span, found func(key string, at int)) {
	end := s.closing(open)
	for i, depth := open, 0; i >= 0 && i < end; i++ {
		switch t := s.tokens[i]; {
		case t.kind == sign && strings.Contains("([{", t.text):
			depth++
		case t.kind == sign && strings.Contains(")]}", t.text):
			depth--
		case depth == 1 && t.kind == word && s.is(i-1, ".") && s.is(i-2, ".") && s.is(i-3, "."):
			s.named(i, in, found)
		}
	}
}

// named looks at what is read by the name at token i, in those tokens. What is written there is
// known.
func (s *source) named(i int, in span, found func(key string, at int)) {
	name := s.tokens[i].text
	own := s.scopes.resolve(name, in.from)
	type read struct {
		key string
		at  int
	}
	var reads []read
	var written []string
	for j := in.from; j < in.to; j++ {
		t := s.tokens[j]
		if t.kind != word || t.text != name || s.is(j-1, ".") && !s.is(j-2, ".") ||
			s.scopes.resolve(name, j) != own {
			continue
		}
		// a key that is computed
		if s.is(j+1, "[") && j+2 < len(s.tokens) && s.tokens[j+2].kind != literal {
			return
		}
		key, at := s.readField(j + 1)
		if key == "" {
			continue
		}
		behind := j + 3
		if s.is(j+1, "[") {
			behind++
		}
		if s.is(behind, "=") && !s.is(behind+1, "=") {
			written = append(written, key)
		}
		reads = append(reads, read{key, at})
	}
	for _, r := range reads {
		if !slices.Contains(written, r.key) {
			found(r.key, r.at)
		}
	}
}

func (s *source) eventField(f *handlerFunc) func(key string, at int) {
	return func(key string, at int) { s.field(f.row, key, at) }
}

// argField tells of an argument by a name that it has in other hosts. The schemas of tools are not
// known here.
func (s *source) argField(key string, at int) {
	for _, name := range suggest.ForeignNames() {
		if name.Kind == suggest.ForeignArg && name.Name == key {
			s.add(at, Note, "event", "", "built-in tools have no argument %q%s", key,
				suggest.ForeignHint(suggest.ForeignArg, key, name.Ours))
			return
		}
	}
}

// opening is the token that the bracket at token i closes; -1 = none.
func (s *source) opening(i int) int {
	for j := i - 1; j >= max(0, i-maxReach); j-- {
		if s.is(j, "{") && s.closing(j) == i {
			return j
		}
	}
	return -1
}
