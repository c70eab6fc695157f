// This file tests the order of handlers, rewrites, responses, and what ends a call early.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scriptfile"
)

func TestHandlerOrderIsStable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, silent)
	w.Scripts.AddGoHandler(&engine.Handler{Name: "own", Event: "guard",
		Priority: engine.DefaultPriority,
		GoFn:     func(context.Context, *event.Event) (any, error) { return nil, nil }})
	sources := []scriptfile.Source{scriptfile.SourceManaged, scriptfile.SourceUser,
		scriptfile.SourceProject,
		scriptfile.SourceCLI}
	var gens []*engine.Generation
	for i := range 12 {
		name := fmt.Sprintf("%c.fake", 'a'+i%6)
		w.rt.tops[name] = func(l *fakeLoad) error {
			l.on("guard", returns(nil))
			l.on("guard", returns(nil), func(h *engine.Handler) { h.Priority = 10 })
			l.on("guard", returns(nil), func(h *engine.Handler) { h.Priority = 90.5 })
			return nil
		}
		source := sources[i%len(sources)]
		g, err := w.Scripts.Load(context.Background(), &scriptfile.Script{Name: name,
			Path: fmt.Sprintf("/%v/%d/%s", source, i, name), Source: source, Bytes: []byte(name)})
		if err != nil {
			t.Fatal(err)
		}
		gens = append(gens, g)
	}
	order := func() (out []string) {
		for _, s := range w.dispatch("look").Trail {
			out = append(out, fmt.Sprintf("%s:%d", s.Path, s.Line))
		}
		return out
	}
	w.Scripts.Swap(gens, nil)
	first := order()
	if len(first) != 37 || first[12] != "/managed/0/a.fake:1" || first[15] != ":0" ||
		first[0] != "/managed/0/a.fake:2" || first[36] != "/cli/7/b.fake:3" {
		t.Fatalf("not sorted by priority, source, path, registration: %q", first)
	}
	for range 1000 {
		rand.Shuffle(len(gens), func(i, j int) { gens[i], gens[j] = gens[j], gens[i] })
		w.Scripts.Swap(append([]*engine.Generation(nil), gens...), nil)
		if got := order(); !reflect.DeepEqual(got, first) {
			t.Fatalf("the order changed from\n%q to\n%q", first, got)
		}
	}
}

func TestRewritesChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var seen []string
	see := func(answer any) fakeFn {
		return func(c *fakeCall) (any, error) {
			seen = append(seen, fmt.Sprintf("%v %v %v %v", c.ev.Field("tool"), c.ev.Field("kind"),
				c.ev.Field("args"), c.ev.Field("original")))
			return answer, nil
		}
	}
	w.script("chain.fake", func(l *fakeLoad) {
		l.on("tool_call", see(map[string]any{"args": map[string]any{"a": 1.0, "n": nil}}))
		l.on("tool_call", see(map[string]any{"tool": "change", "args": map[string]any{"b": 2.0}}))
		l.on("tool_call", func(*fakeCall) (any, error) {
			return nil,
				errors.New("the filter matches the old kind")
		},
			filter(t, w, "tool_call", "kind", "read"))
		l.on("guard", see(nil))
	})
	r := w.dispatch("look")
	want := []string{"look read map[n:0] map[n:0]", "look read map[a:1] map[n:0]",
		"change edit map[a:1 b:2] map[n:0]"}
	if !reflect.DeepEqual(seen, want) {
		t.Errorf("handlers saw %q, want %q", seen, want)
	}
	if r.Tool != "change" || sprint(r.Args) != "map[a:1 b:2]" || text(r) != "change did it" {
		t.Errorf("got %s %v: %s", r.Tool, r.Args, text(r))
	}
}

// filter sets the filter of a handler.
func filter(t testing.TB, w *world, name, key string, value any) func(*engine.Handler) {
	t.Helper()
	f, err := event.NewFilter(w.Events.Row(name), map[string]any{key: value})
	if err != nil {
		t.Fatal(err)
	}
	return func(h *engine.Handler) { h.Filter = f }
}

func TestInvalidCallsAreSkipped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		call    engine.Call
		skipped string
		text    string
	}{
		{"unknown tool", engine.Call{Tool: "chnage"}, "unknown",
			`unknown tool "chnage"; did you mean "change"?`},
		{"no similar tool", engine.Call{Tool: "zzzzzzzzz"}, "unknown", `unknown tool "zzzzzzzzz"`},
		{"schema", engine.Call{Tool: "look", Args: map[string]any{"n": "many"}}, "invalid",
			"invalid arguments for look: n: want number"},
		{"depth", engine.Call{Tool: "look", Depth: engine.MaxCallDepth + 1}, "denied",
			"refused: tool calls of scripts nest at most 8 deep"},
	}
	for _, tt := range tests {
		w := newWorld(t)
		asked := false
		w.guard("guard.fake", func(*fakeCall) (any, error) { asked = true; return nil, nil })
		r := w.dispatchCall(context.Background(), &tt.call)
		wantRun(t, w, r, 0)
		if r.Skipped != tt.skipped || text(r) != tt.text || !r.IsError || asked {
			t.Errorf("%s: got %s: %q; guard asked: %v", tt.name, r.Skipped, text(r), asked)
		}
		if ev := w.seen("tool_skipped"); len(ev) != 1 || ev[0].Text("cause") != tt.skipped ||
			ev[0].Text("reason") != tt.text {
			t.Errorf("%s: tool_skipped: %v", tt.name, ev)
		}
	}
}

func TestRespondedCallsPassGuardsAndApproval(t *testing.T) {
	t.Parallel()
	respond := func(l *fakeLoad) {
		l.on("tool_call",
			returns(map[string]any{"respond": map[string]any{"content": "from the script",
				"is_error": true}}))
		l.on("tool_call", returns(map[string]any{"respond": "second"}))
		l.on("tool_result", func(c *fakeCall) (any, error) {
			return map[string]any{"content": c.ev.Text("answered_by") + " says so"}, nil
		})
	}
	w := newWorld(t)
	w.script("answer.fake", respond)
	r := w.dispatch("no_such_tool", mode(event.PermissionDefault))
	if text(r) != "answer.fake says so" || !r.IsError || r.AnsweredBy != "answer.fake" ||
		len(w.questions) != 1 {
		t.Errorf("got %q, answered by %q, after %d dialogs", text(r), r.AnsweredBy,
			len(w.questions))
	}
	w.guard("guard.fake", returns(block("not even so")))
	if r = w.dispatch("no_such_tool"); r.Skipped != "denied" ||
		!strings.Contains(text(r), "not even so") {
		t.Errorf("a response bypassed the guard: %q", text(r))
	}
}

func TestAbortAndContext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) {
		l.on("tool_call", returns(map[string]any{"context": "one"}))
		l.on("tool_call", returns(map[string]any{"context": "two"}))
		l.on("tool_result",
			returns(map[string]any{"context": "three", "stop": true, "reason": "enough"}))
	})
	r := w.dispatch("look")
	if sprint(r.Contexts) != "[{a.fake one} {a.fake two} {a.fake three}]" || !r.Stopped ||
		r.Stop != "stopped by a.fake: enough" {
		t.Errorf("contexts %v, stop %q", r.Contexts, r.Stop)
	}
	w.script("b.fake", func(l *fakeLoad) {
		l.on("tool_call", returns(map[string]any{"abort": "agent", "reason": "fire"}))
		l.on("tool_call",
			func(*fakeCall) (any, error) {
				t.Error("the guard ran after an abort")
				return nil,
					nil
			})
	})
	r = w.dispatch("look")
	if r.Abort != "agent" || r.AbortBy != "b.fake" || r.Skipped != "aborted" || w.runs() != 1 {
		t.Errorf("abort %q by %q, skipped %q", r.Abort, r.AbortBy, r.Skipped)
	}
}

func TestPreviewRunsHandlersButNoTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) {
		l.on("tool_call", returns(map[string]any{"args": map[string]any{"n": 5.0}}))
		l.on("guard", returns(map[string]any{"ask": "sure?"}))
	})
	r := w.dispatch("work", func(c *engine.Call) { c.Preview = true },
		mode(event.PermissionDefault))
	v := r.Verdict
	if v == nil || v.Blocked || len(v.Asks) != 1 || sprint(r.Args) != "map[n:5]" ||
		len(r.Trail) != 2 {
		t.Errorf("verdict %+v, args %v", v, r.Args)
	}
	w.guard("b.fake", returns(block("no")))
	if v := w.dispatch("work", func(c *engine.Call) { c.Preview = true }).Verdict; !v.Blocked ||
		v.Reason != "no" || v.By.ScriptName() != "b.fake" {
		t.Errorf("verdict %+v", v)
	}
	if w.runs() != 0 || len(w.questions) != 0 || len(w.seen("tool_approval"))+
		len(w.seen("tool_skipped"))+len(w.seen("tool_start")) != 0 || len(w.Decisions()) != 0 {
		t.Error("a preview asked the user, ran the tool, emitted an event or logged a decision")
	}
}

func TestPermissionHandlers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer  any
		dialogs int
		runs    int
	}{
		{map[string]any{"allow": true}, 0, 1},
		{block("no"), 0, 0},
		{map[string]any{"detail": map[string]any{"cost": "low"}}, 1, 1},
		{"wrong", 1, 1},
	} {
		w := newWorld(t)
		w.script("a.fake", func(l *fakeLoad) { l.on("tool_permission", returns(tt.answer)) })
		r := w.dispatch("work", mode(event.PermissionDefault))
		wantRun(t, w, r, tt.runs)
		if len(w.questions) != tt.dialogs {
			t.Errorf("%v: %d dialogs, want %d", tt.answer, len(w.questions), tt.dialogs)
		}
		if m, ok := tt.answer.(map[string]any); ok && m["detail"] != nil &&
			w.questions[0].Asks[0].Detail["cost"] != "low" {
			t.Errorf("the dialog does not show the detail: %+v", w.questions[0].Asks[0])
		}
		if tt.runs == 0 {
			if ev := w.seen("tool_skipped"); len(ev) != 1 || ev[0].Text("script") != "a.fake" ||
				ev[0].Field("line") != 1 {
				t.Errorf("tool_skipped does not name the script that refused: %v", ev)
			}
		}
	}
	// allow skips only the permission mode's question, and not in plan mode.
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) {
		l.on("tool_permission", returns(map[string]any{"allow": true}))
		l.on("guard", returns(map[string]any{"ask": "sure?"}))
	})
	w.Scripts.AddGoHandler(&engine.Handler{Event: "guard",
		GoFn: func(context.Context, *event.Event) (any,
			error) {
			return map[string]any{"ask": "me too"}, nil
		}})
	r := w.dispatch("work", mode(event.PermissionDefault))
	wantRun(t, w, r, 1)
	if len(w.questions) != 1 || len(w.questions[0].Asks) != 2 {
		t.Errorf("questions: %+v", w.questions)
	}
	if r := w.dispatch("work", mode(event.PermissionPlan)); r.Skipped != "denied" {
		t.Errorf("plan mode: %q", text(r))
	}
}

func TestPanickingToolIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.running = func() { panic("boom") }
	if r := w.dispatch("look"); !r.IsError || r.Skipped != "" ||
		!strings.Contains(text(r), "boom") {
		t.Errorf("got %q", text(r))
	}
	if tool, _ := w.ChangedBy("/x", time.Now(), time.Now(), 0); tool != "" {
		t.Error("the tool still counts as running")
	}
}
