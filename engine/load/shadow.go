// This file protects the calls that a file without any working version would have guarded.

package load

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/suggest"
)

// shadowOf returns the guard that asks instead of e's file, which failed to load, for the calls
// that the file would guard, according to its header and text, and the version in force does not.
// It returns nil if there are none. A file that cannot be read may guard anything.
func (l *Loader) shadowOf(e *entry, c *content) *engine.Handler {
	if g := e.gen; g != nil && guards(g) {
		return l.widerShadow(e)
	}
	foreign := l.builder.format(e.name) != nil
	// its text is incomplete, or it is a program, and nothing tells what it guards
	blind := c.trouble != nil && c.trouble.blind || foreign && len(e.header.Guards) == 0
	if e.gen != nil && !e.gen.Registry.Hollow() {
		blind = false // its previous content is in force
	}
	header := e.header
	if foreign && len(header.Guards) == 0 { // a manifest with a mistake may tell all the same
		broken, _ := readManifest(l.builder.format(e.name), c.bytes)
		if slices.Equal(broken.Guards, []string{"*"}) {
			header.Guards = broken.Guards
		}
	}
	if len(header.Guards) == 0 && !blind && (foreign || !mentionsGuards(c.text())) {
		k := l.memory.roll.at(e.at.path)
		if e.gen != nil || k == nil {
			return nil
		}
		header.Guards = k.Guards // it no longer has a guard, but its last working version had one
	}
	question := fmt.Sprintf("%s has no working version (%s): run this call all the same?", e.name,
		questionText(e.err))
	return l.builder.shadow(&e.at, header, question)
}

// widerShadow asks about the tools that the header of the failed version guards and no guard of the
// version in force covers.
func (l *Loader) widerShadow(e *entry) *engine.Handler {
	g := e.gen
	if !slices.ContainsFunc(e.header.Guards, func(filter string) bool {
		return slices.ContainsFunc(strings.Split(filter, "|"),
			func(tool string) bool { return !looksAt(g, tool) })
	}) {
		return nil
	}
	question := fmt.Sprintf(
		"%s has no working version that guards this tool (%s): run this call all the same?", e.name,
		questionText(e.err))
	h := l.builder.shadow(&e.at, e.header, question)
	ask := h.GoFn
	h.GoFn = func(ctx context.Context, ev *event.Event) (any, error) {
		if looksAt(g, ev.Text("tool")) {
			return nil, nil
		}
		return ask(ctx, ev)
	}
	return h
}

// guards reports whether g checks calls before they run.
func guards(g *engine.Generation) bool { return slices.ContainsFunc(g.Registry.Handlers, IsGuard) }

// IsGuard reports whether a handler checks calls before they run.
func IsGuard(h *engine.Handler) bool { return h.Event == "guard" || h.Event == "tool_call" }

// looksAt reports whether a guard of g checks calls of the tool, which may be a pattern.
func looksAt(g *engine.Generation, tool string) bool {
	return slices.ContainsFunc(g.Registry.Handlers, func(h *engine.Handler) bool {
		tools := h.Filter.Tools()
		return IsGuard(h) &&
			(len(tools) == 0 || slices.ContainsFunc(tools,
				func(pattern string) bool { return event.FitsTool(pattern, tool) }))
	})
}

// mentionsGuards reports whether the text contains a name of the guard API.
func mentionsGuards(src []byte) bool {
	return mentions(src, "ext.guard") || mentions(src, "tool_call") ||
		slices.ContainsFunc(suggest.ForeignNames(), func(f suggest.Foreign) bool {
			return meansGuard(f) && mentions(src, f.Name)
		})
}

// meansGuard reports whether another host's name corresponds to tool_call, a guard, or a field of a
// call's event: a file written for that host never loads, but protects nevertheless.
func meansGuard(f suggest.Foreign) bool {
	switch f.Kind {
	case suggest.ForeignEvent:
		return slices.Contains(f.Ours, "tool_call") || strings.Contains(f.Note, "ext.guard")
	case suggest.ForeignField:
		return strings.Contains(strings.ToLower(f.Name), "tool") &&
			(slices.Contains(f.Ours, "tool") || slices.Contains(f.Ours, "args"))
	}
	return false
}

// mentions reports whether the text contains word, also as UTF-16 (with NULs between the letters).
func mentions(src []byte, word string) bool {
	return bytes.Contains(bytes.ReplaceAll(src, []byte{0}, nil), []byte(word))
}

// notInForce extends the error of a failed version with effects that the shadow cannot replace:
// masking, and guards that the version in force does not have.
func notInForce(err *fault.ScriptError, e *entry, c *content) *fault.ScriptError {
	var hint string
	var old []byte
	if e.gen != nil {
		old = (&content{bytes: e.gen.Bytes, library: e.gen.Library}).text()
	}
	switch g := e.gen; {
	case mentions(c.text(), "ext.redact") && !mentions(old, "ext.redact"):
		hint = "nothing is masked by this file until it loads: secrets are shown and sent to models"
	case g != nil && guards(g) && namedGuards(c.text()) > namedGuards(old):
		hint = "a guard that was added does not guard until the file loads; those of the last " +
			"good version do"
	default:
		return err
	}
	more := *err
	if more.Hint != "" {
		more.Hint += "; "
	}
	more.Hint += hint
	return &more
}

// namedGuards counts the names of the guard API in the text.
func namedGuards(src []byte) int {
	return bytes.Count(src, []byte("ext.guard")) + bytes.Count(src, []byte("tool_call"))
}

func (x *builder) shadow(f *found, header scriptfile.Header, question string) *engine.Handler {
	h := &engine.Handler{Name: f.name, Event: "guard", Absent: true,
		Priority: engine.DefaultPriority,
		GoFn: func(context.Context, *event.Event) (any,
			error) {
			return map[string]any{"ask": question}, nil
		}}
	if header.Priority != nil {
		h.Priority = *header.Priority
	}
	if len(header.Guards) > 0 {
		filter, err := event.NewFilter(x.eng.Events.Row("guard"),
			map[string]any{"tool": strings.Join(header.Guards, "|")})
		if err == nil { // otherwise the zero filter: every tool
			h.Filter = filter
		}
	}
	return h
}

// questionText returns the error as part of a question.
func questionText(e *fault.ScriptError) string {
	return plain.Short(plain.OneLine(e.Error()), errorInQuestion)
}

// errorInQuestion is the maximal number of characters of an error in a question: two lines of a
// dialog. The whole error was reported when it happened.
const errorInQuestion = 200
