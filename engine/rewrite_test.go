package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// rewrites makes a handler that returns changes.
func rewrites(key string, value any) fakeFn { return returns(map[string]any{key: value}) }

// lastRewrite formats the rewrite that the last event with the given name reports.
func (w *world) lastRewrite(event, field string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.events) - 1; i >= 0; i-- {
		if ev := w.events[i]; ev.Name() == event {
			r := engine.DecodeRewrite(ev.Field(field))
			if r == nil {
				return ""
			}
			content := ""
			if r.Content != nil {
				content = " content " + *r.Content
			}
			return fmt.Sprint(r.By, r.Tool, r.Args, content)
		}
	}
	return "no " + event
}

// TestRewritesAreReported: all events of a call, and the question, name the script that changed it
// and the original.
func TestRewritesAreReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("one.fake",
		func(l *fakeLoad) { l.on("tool_call", rewrites("args", map[string]any{"n": 5})) })
	w.script("two.fake", func(l *fakeLoad) { l.on("tool_call", rewrites("tool", "change")) })
	w.script("same.fake",
		func(l *fakeLoad) { l.on("tool_call", rewrites("args", map[string]any{"n": 5})) })
	w.dispatch("work", mode(event.PermissionDefault))
	const want = "[one.fake:1 two.fake:1]workmap[n:0]"
	for _, name := range []string{"tool_call", "tool_approval", "tool_start", "tool_result",
		"tool_end"} {
		if got := w.lastRewrite(name, "rewritten"); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if r := w.questions[0].Rewritten; r == nil || fmt.Sprint(r.By, r.Tool, r.Args) != want {
		t.Errorf("question: got %+v", r)
	}
}

// TestEditedArgumentsAreReported: a change by the user is reported like a change by a script.
func TestEditedArgumentsAreReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.approve = func(context.Context, *engine.Question) (engine.Answer, error) {
		return engine.Answer{Allow: true, Args: map[string]any{"n": 7}}, nil
	}
	w.dispatch("work", mode(event.PermissionDefault))
	if got := w.lastRewrite("tool_start", "rewritten"); got != "[you]map[n:0]" {
		t.Errorf("got %s", got)
	}
}

// TestEqualValueIsNoRewrite: a handler that returns a value equal to the original is not reported
// as a rewrite.
func TestEqualValueIsNoRewrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("same.fake", func(l *fakeLoad) {
		l.on("tool_call", rewrites("args", map[string]any{"n": 0}))
		l.on("tool_result", rewrites("content", "work did it"))
	})
	r := w.dispatch("work")
	for _, field := range []string{"rewritten", "result_rewritten"} {
		if got := w.lastRewrite("tool_result", field); got != "" {
			t.Errorf("%s: got %s", field, got)
		}
	}
	for _, s := range r.Trail {
		if len(s.Changed) > 0 {
			t.Errorf("got %+v", s)
		}
	}
}

// TestRewrittenResultsAreReported: tool_result has the scripts that rewrote the result, and the
// tool's original result.
func TestRewrittenResultsAreReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("one.fake",
		func(l *fakeLoad) { l.on("tool_result", rewrites("content", "all is well")) })
	w.script("two.fake", func(l *fakeLoad) { l.on("tool_result", rewrites("is_error", true)) })
	w.dispatch("work")
	if got, want := w.lastRewrite("tool_result", "result_rewritten"),
		"[one.fake:1 two.fake:1]map[] content work did it"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestScrubbedResultIsNotReported: if a handler scrubs a result, tool_result names the scripts, but
// does not have the original result.
func TestScrubbedResultIsNotReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Scripts.AddGoHandler(&engine.Handler{Name: "scrub.lua", Event: "tool_result", Line: 4,
		Scrub: true,
		GoFn: func(context.Context, *event.Event) (any,
			error) {
			return map[string]any{"content": "clean"}, nil
		}})
	w.script("later.fake",
		func(l *fakeLoad) { l.on("tool_result", rewrites("content", "cleaner")) })
	w.dispatch("work")
	got := w.lastRewrite("tool_result", "result_rewritten")
	if !strings.Contains(got, "scrub.lua:4") || !strings.Contains(got, "later.fake:1") ||
		strings.Contains(got, "content") {
		t.Errorf("got %s", got)
	}
}

// TestResponsesAndApprovalsNameTheLine: events have the line of the handler that responded in place
// of the tool, or allowed the call.
func TestResponsesAndApprovalsNameTheLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) { l.on("tool_call", behaviours["respond"]) })
	w.dispatch("work")
	for _, ev := range w.events {
		if line, _ := value.Number(ev.Field("answered_line")); ev.Name() == "tool_result" &&
			(ev.Text("answered_by") != "a.fake" || line != 1) {
			t.Errorf("got %q, line %v", ev.Text("answered_by"), line)
		}
	}
	w = newWorld(t)
	w.script("b.fake", func(l *fakeLoad) { l.on("tool_permission", behaviours["allow"]) })
	w.dispatch("work", mode(event.PermissionDefault))
	if len(w.questions) > 0 {
		t.Fatal("the user was asked")
	}
	for _, ev := range w.events {
		if line, _ := value.Number(ev.Field("line")); ev.Name() == "tool_approval" &&
			(ev.Text("source") != "script" || ev.Text("script") != "b.fake" || line != 1) {
			t.Errorf("got %q %q, line %v", ev.Text("source"), ev.Text("script"), line)
		}
	}
}
