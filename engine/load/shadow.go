// This file protects what a file without any working version would have guarded.

package load

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// shadowOf returns the guard that asks in the place of e's file, nil if the file guards nothing as far
// as its header and its text tell. What cannot be read may guard anything.
func (l *Loader) shadowOf(e *entry, c *content) *engine.Handler {
	blind := c.trouble != nil && c.trouble.blind || l.format(e.name) != nil // whose text tells nothing
	if len(e.header.Guards) == 0 && !blind && !mentionsGuards(c.text()) {
		return nil
	}
	question := fmt.Sprintf("%s has no working version (%s): run this call all the same?", e.name, oneLine(e.err))
	return l.shadow(&e.at, e.header, question)
}

// mentionsGuards reports whether the text names what guards.
func mentionsGuards(src []byte) bool { return mentions(src, "ext.guard") || mentions(src, "tool_call") }

// mentions reports whether the text has word in it, also as UTF-16: its letters stand between NULs.
func mentions(src []byte, word string) bool {
	return bytes.Contains(bytes.ReplaceAll(src, []byte{0}, nil), []byte(word))
}

// unmasked adds to the error of a file without any working version what a shadow cannot make up for: nobody knows what it
// would mask.
func unmasked(err *engine.ScriptError) *engine.ScriptError {
	e := *err
	if e.Hint != "" {
		e.Hint += "; "
	}
	e.Hint += "nothing is masked by this file until it loads: what it should hide can be seen, and is sent to models"
	return &e
}

func (l *Loader) shadow(f *found, header engine.Header, question string) *engine.Handler {
	h := &engine.Handler{Name: f.name, Event: "guard", Priority: engine.DefaultPriority,
		GoFn: func(context.Context, *engine.Event) (any, error) { return map[string]any{"ask": question}, nil }}
	if header.Priority != nil {
		h.Priority = *header.Priority
	}
	if len(header.Guards) > 0 {
		filter, err := engine.NewFilter(l.eng.Row("guard"), map[string]any{"tool": strings.Join(header.Guards, "|")})
		if err == nil { // else the zero filter: every tool
			h.Filter = filter
		}
	}
	return h
}

// oneLine is the error as part of a question.
func oneLine(e *engine.ScriptError) string {
	return shorten(strings.Join(strings.Fields(e.Error()), " "), errorInQuestion)
}

// errorInQuestion is how many characters of an error a question shows: two lines of a dialog. The whole of it
// was told when it happened.
const errorInQuestion = 200

// shorten keeps what a message quotes readable.
func shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
