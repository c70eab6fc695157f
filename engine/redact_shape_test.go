package engine_test

import (
	"fmt"
	"testing"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// TestMaskedEventsKeepTheirShape: masking changes only texts. Events in the stream have the same
// types and the same content with and without redactors.
func TestMaskedEventsKeepTheirShape(t *testing.T) {
	t.Parallel()
	blocks := func() any {
		return []any{map[string]any{"type": "text", "text": "output"},
			map[string]any{"type": "text", "text": "more"}}
	}
	values := map[string]any{
		"string":      "output",
		"number":      1.5,
		"bool":        true,
		"map":         map[string]any{"text": "output", "list": []any{"a", 1.0}},
		"list":        blocks(),
		"strings":     []string{"a", "b"},
		"lazy":        value.NewLazy(blocks),
		"lazy string": value.NewLazy(func() any { return "output" }),
		"lazy lazy":   value.NewLazy(func() any { return value.NewLazy(blocks) }),
		"messages": chat.MessageList{{ID: "m", Role: "user",
			Content: []chat.Block{{Type: "text", Text: "output"}}}},
		"lazy messages": value.NewLazy(func() any {
			return chat.MessageList{
				{ID: "m", Role: "user"}}
		}),
	}
	worlds := map[string]func(l *fakeLoad){"": nil}
	for name, top := range redactions {
		worlds[name] = top
	}
	for value, v := range values {
		shapes := map[string]string{}
		for name, top := range worlds {
			w := newWorld(t)
			if top != nil {
				w.script("a.fake", top)
			}
			w.Emitter.Emit(w.Events.Named("tool_result", &event.Envelope{},
				map[string]any{"call_id": "1", "tool": "work", "content": v}))
			w.drain()
			w.mu.Lock()
			got := w.events[len(w.events)-1].Field("content")
			w.mu.Unlock()
			shapes[name] = shape(t, got)
		}
		for name, got := range shapes {
			if got != shapes[""] {
				t.Errorf("%s, redactor %q: got %s, want %s", value, name, got, shapes[""])
			}
		}
	}
}

// shape returns the type of a value, and the shapes of its contents.
func shape(t *testing.T, v any) string {
	t.Helper()
	p, err := value.Plain(v)
	if err != nil {
		t.Fatal(err)
	}
	switch v.(type) {
	case value.List:
		return fmt.Sprintf("list %v", p)
	case value.Object:
		return fmt.Sprintf("object %v", p)
	}
	return fmt.Sprintf("%T %v", v, p)
}
