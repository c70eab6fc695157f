// This file tests the decision log.

package engine_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
)

func TestDecisionsAreBrief(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("ж", 1<<20)
	for name, args := range map[string]map[string]any{
		"text":  {"path": "x", "content": long},
		"list":  {"path": "x", "z": []any{long, long, map[string]any{"a": long}}},
		"keys":  {"path": "x", "z": map[string]any{long: 1.0, "a": 1.0}},
		"many":  {"path": "x", "z": make([]any, 1<<20)},
		"short": {"path": "x", "z": "short"},
	} {
		w.dispatch("work", func(c *engine.Call) { c.ID, c.Args = name, args })
	}
	w.guard("a.fake", returns(block(long)))
	w.dispatch("work")
	for _, d := range w.Decisions() {
		if n := len(sprint(d.Args)); n > 4<<10 || len(d.Args) > 0 && d.CallID != "call-1" &&
			d.Args["path"] != "x" {
			t.Errorf("%s: %d bytes are kept: %.200v", d.CallID, n, d.Args)
		}
		if d.CallID == "short" && sprint(d.Args) != "map[path:x z:short]" {
			t.Errorf("a short value is cut: %v", d.Args)
		}
		for _, s := range d.Trail {
			if len(s.Reason) > 1<<10 {
				t.Errorf("a reason of %d bytes is kept", len(s.Reason))
			}
		}
	}
}

func TestDecisionsAreMaskedBeforeTheyAreCut(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2-hunter2"
	for n := 490; n < 501; n++ { // long values are cut after 500 bytes
		w := newWorld(t, func(o *engine.Options) { o.Secrets = []string{secret} })
		args := map[string]any{"command": strings.Repeat("a", n) + secret + strings.Repeat("b",
			600)}
		w.dispatch("work", func(c *engine.Call) { c.Args = args })
		if got := sprint(w.Decisions()); strings.Contains(got, "hunt") ||
			!strings.Contains(got, "bytes)") {
			t.Fatal(n, got)
		}
	}
}

func TestDecisionsAreMasked(t *testing.T) {
	t.Parallel()
	eachRedaction(t, func(t *testing.T, w *world) {
		w.guard("b.fake", returns(block("no pin-1 here")))
		w.dispatch("work", func(c *engine.Call) { c.Args = map[string]any{"command": "use pin-2"} })
		if got := sprint(w.Decisions()); strings.Contains(got, "pin-") ||
			!strings.Contains(got, "use [redacted:pin]") {
			t.Fatal(got)
		}
	})
}
