// This file reads the fields of JSON objects: of files, and of answers.

package hooks

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/value"
)

// message is a JSON object.
type message = map[string]any

// object returns an object of names and values.
func object(pairs ...any) message {
	m := message{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

// setField sets a field.
func setField(m message, name string, v any) { m[name] = v }

// fields reads the fields of an object: each in the spelling of Claude Code, fooBar, or as foo_bar.
type fields struct {
	m     message
	place string // "hooks.PreToolUse[0]."
	*mistake
}

// mistake is the first mistake in a text.
type mistake struct {
	lines map[string]int // of the text, by place; nil: they are not told
	err   error
}

// wrong reports a mistake in a field.
func (f *fields) wrong(name, text string) {
	if f.err != nil {
		return
	}
	place := strings.TrimSuffix(f.place+name, ".")
	text = place + ": " + text
	if line := f.line(place); line > 0 {
		text = fmt.Sprintf("line %d: %s", line, text)
	}
	f.err = errors.New(text)
}

// line returns the line of a place: of what is missing, that of what it is missing in.
func (m *mistake) line(place string) int {
	for place != "" && m.lines[place] == 0 {
		place = place[:max(0, strings.LastIndexAny(place, ".["))]
	}
	return m.lines[place]
}

// typed returns a field of a type; nil if it is absent.
func (f *fields) typed(name, want string) any {
	v, has := f.m[name]
	if !has {
		v = f.m[snake(name)]
	}
	if v == nil {
		return nil
	}
	if got := value.TypeName(v); got != want {
		f.wrong(name, "got "+got+", want "+want)
		return nil
	}
	return v
}

func (f *fields) text(name string) string {
	s, _ := f.typed(name, "string").(string)
	return s
}

func (f *fields) flag(name string) bool {
	b, _ := f.typed(name, "boolean").(bool)
	return b
}

func (f *fields) list(name string) []any {
	l, _ := f.typed(name, "list").([]any)
	return l
}

func (f *fields) table(name string) message {
	m, _ := f.typed(name, "table").(message)
	return m
}

// texts returns a list of texts.
func (f *fields) texts(name string) (texts []string) {
	for _, v := range f.list(name) {
		s, ok := v.(string)
		if !ok {
			f.wrong(name, "want a list of texts")
		}
		texts = append(texts, s)
	}
	return texts
}

// inner returns the fields of an object in a field.
func (f *fields) inner(name string) *fields {
	return &fields{f.table(name), f.place + name + ".", f.mistake}
}

// each calls do for each object of a list.
func (f *fields) each(name string, do func(*fields)) {
	for i, v := range f.list(name) {
		in := &fields{place: fmt.Sprintf("%s%s[%d].", f.place, name, i), mistake: f.mistake}
		if in.m, _ = v.(message); in.m == nil {
			in.wrong("", "want an object")
		}
		do(in)
	}
}

// snake returns foo_bar for fooBar.
func snake(name string) string {
	b := []byte{}
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			b = append(b, '_')
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b)
}
