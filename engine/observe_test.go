// This file tests observers, notices and hook_finished.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// journal records the calls of handlers.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(s string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, s)
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.lines...)
}

func drain(t testing.TB, w *world) {
	t.Helper()
	within(t, "drain", func() { w.Emitter.Drain(context.Background()) })
}

func TestObserversGetEventsInOrderAndBlockNoCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	free := make(chan struct{})
	w.script("a.fake", func(l *fakeLoad) {
		l.on("message_delta", func(c *fakeCall) (any, error) {
			err := c.wait(free)
			j.add(c.ev.Text("delta"))
			return nil, err
		})
	})
	var own journal
	w.Scripts.AddGoHandler(&engine.Handler{Name: "own", Event: "message_delta",
		GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			own.add(ev.Text("delta"))
			return nil, nil
		}})
	within(t, "emitting", func() { // although the observer waits
		for i := range 100 {
			w.Emitter.Emit(w.Events.Named("message_delta", nil, map[string]any{"delta": fmt.Sprint(
				i)}))
		}
	})
	close(free)
	drain(t, w)
	for _, got := range [][]string{j.all(), own.all()} {
		if len(got) != 100 {
			t.Fatalf("%d events seen, want 100", len(got))
		}
		for i, s := range got {
			if s != fmt.Sprint(i) {
				t.Fatalf("event %d was %s", i, s)
			}
		}
	}
}

func TestObserverFailuresWarnOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.script("a.fake", func(l *fakeLoad) {
		l.on("agent_start", func(*fakeCall) (any, error) { return nil, errors.New("boom") })
		// a failure of it must not be reported to it, which would never end
		l.on("script_error", func(*fakeCall) (any, error) { panic("boom") })
		l.on("agent_end", returns(map[string]any{"stop": true}))
	})
	for range 5 {
		w.Emitter.Emit(w.Events.Named("agent_start", nil, nil))
	}
	w.Emitter.Emit(w.Events.Named("agent_end", nil, nil))
	drain(t, w)
	errs := w.seen("script_error")
	if len(errs) != 2 || !strings.Contains(errs[1].Text("message"),
		"agent_end can only be observed") || g.Registry.Handlers[0].Failures() != 5 {
		t.Errorf("%d errors reported, %d counted: %v", len(errs), g.Registry.Handlers[0].Failures(),
			errs)
	}
}

// TestDrainWaitsForEmittedEvents: the observers of three scripts each emit the next event, until
// the chain is too long. Drain waits for all of them, and for the error at the end.
func TestDrainWaitsForEmittedEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	for _, name := range []string{"a", "b", "c"} {
		w.script(name+".fake", func(l *fakeLoad) {
			l.on("custom:step", func(c *fakeCall) (any, error) {
				if c.ev.Field("value") != name {
					return nil, nil
				}
				runtime.Gosched()
				j.add(name)
				next := map[string]string{"a": "b", "b": "c", "c": "a"}[name]
				return nil, w.Emitter.EmitCustom(c.run, "custom:step", next)
			})
		})
	}
	first := map[string]any{"value": "c", "source": "t"}
	w.Emitter.Emit(w.Events.Named("custom:step", nil, first))
	drain(t, w)
	if got := sprint(j.all()); got != "[c a b c a b c a b]" || len(w.seen("script_error")) != 1 {
		t.Errorf("got %v and %d errors, want nine steps and one error", got,
			len(w.seen("script_error")))
	}
}

// TestDrainWaitsForReplacedGenerations: Drain also waits for events of generations that were
// replaced.
func TestDrainWaitsForReplacedGenerations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	g := w.script("a.fake", func(l *fakeLoad) {
		l.on("script_unload", func(*fakeCall) (any, error) {
			time.Sleep(50 * time.Millisecond)
			j.add("heard")
			return nil, nil
		})
	})
	w.Emitter.EmitTo(g, w.Events.Named("script_unload", nil, map[string]any{"cause": "removed"}))
	w.remove("a.fake")
	drain(t, w)
	if got := sprint(j.all()); got != "[heard]" {
		t.Errorf("the observers got %v", got)
	}
}

func TestRemovedGenerationGetsScriptUnload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	g := w.script("a.fake", func(l *fakeLoad) {
		l.on("script_unload", func(c *fakeCall) (any,
			error) {
			j.add(c.ev.Text("cause"))
			return nil, nil
		})
		l.on("agent_start", func(c *fakeCall) (any, error) {
			j.add("after its end")
			return nil,
				nil
		})
	})
	w.Emitter.EmitTo(g, w.Events.Named("script_unload", nil, map[string]any{"cause": "removed"}))
	w.remove("a.fake")
	w.Emitter.Emit(w.Events.Named("agent_start", nil, nil))
	w.Emitter.EmitTo(g, w.Events.Named("agent_start", nil, nil))
	eventually(t, "closed", func() bool { return w.closes(0) == 1 })
	w.Emitter.EmitTo(g, w.Events.Named("script_unload", nil, map[string]any{"cause": "too late"}))
	if got := sprint(j.all()); got != "[removed]" && got != "[removed after its end]" {
		t.Errorf("the observers got %v", got)
	}
}

func TestReloadOfAWaitingObserverIsNoError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	entered := make(chan string, 1)
	w.script("a.fake", func(l *fakeLoad) { l.on("agent_start", waiting(entered, "")) })
	w.Emitter.Emit(w.Events.Named("agent_start", nil, nil))
	<-entered
	w.remove("a.fake")
	eventually(t, "closed", func() bool { return w.closes(0) == 1 })
	if errs := w.seen("script_error"); len(errs) != 0 {
		t.Errorf("got the errors %v", errs)
	}
}

func TestSlowObserverLosesEventsButStaysLoaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, silent)
	free := make(chan struct{})
	n := 0
	w.script("a.fake", func(l *fakeLoad) {
		l.on("message_delta", func(c *fakeCall) (any, error) {
			n++
			return nil, c.wait(free)
		})
	})
	ev := w.Events.Named("message_delta", nil, nil)
	for range 10_100 {
		w.Emitter.Emit(ev)
	}
	close(free)
	drain(t, w)
	if n < 10_000 || n > 10_001 {
		t.Errorf("%d events seen", n)
	}
	w.remove("a.fake")
	eventually(t, "closed", func() bool { return w.closes(0) == 1 })
}

func TestHookFinishedIsNotRecursive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	w.script("a.fake", func(l *fakeLoad) {
		l.on("hook_finished", func(c *fakeCall) (any, error) {
			j.add(fmt.Sprint(c.ev.Text("hook"), " ", c.ev.Text("outcome"), " ",
				c.ev.Field("script"), ":", c.ev.Field("line")))
			w.Notices.NotifyFrom(c.run, "a.fake", ui.Notice{Text: "seen", Level: "info"})
			return nil, nil
		})
		l.on("notification", func(c *fakeCall) (any, error) {
			w.Notices.NotifyFrom(c.run, "a.fake", ui.Notice{Text: "again", Level: "info"})
			return map[string]any{"notify": "and again"}, nil
		})
		l.on("guard", returns(map[string]any{"ask": "sure?"}))
	})
	w.dispatch("look")
	w.Notices.Notify(nil, "agent", ui.Notice{Text: "first", Level: "info"})
	for range 3 { // observers may emit further events
		drain(t, w)
	}
	if got := j.all(); sprint(got) != "[guard ask a.fake:3 notification pass a.fake:2]" {
		t.Errorf("hook_finished of %q", got)
	}
	var texts []string
	for _, ev := range w.seen("notification") {
		texts = append(texts, ev.Text("message"))
	}
	if len(texts) != 5 { // "first", "again", "and again", and "seen" twice
		t.Errorf("notices: %q", texts)
	}
}

func TestNoticesKeepTheirOrderAndCanBeRewritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) {
		l.on("notification", func(c *fakeCall) (any, error) {
			if c.ev.Text("message") == "13" {
				return map[string]any{"block": true}, nil
			}
			return map[string]any{"message": "<" + c.ev.Text("message") + ">"}, nil
		})
	})
	for i := range 100 {
		w.Notices.Notify(nil, "agent", ui.Notice{Text: fmt.Sprint(i), Level: "info"})
	}
	drain(t, w)
	var got, want []string
	for _, ev := range w.seen("notification") {
		got = append(got, ev.Text("message"))
	}
	for i := range 100 {
		if i != 13 {
			want = append(want, fmt.Sprintf("<%d>", i))
		}
	}
	if sprint(got) != sprint(want) {
		t.Errorf("shown: %q", got)
	}
}

func TestEventsNeverChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) {
		l.on("tool_call", returns(map[string]any{"args": map[string]any{"n": 7.0}}))
		l.on("tool_result", returns(map[string]any{"content": "rewritten"}))
	})
	var results []*event.Event
	w.Scripts.AddGoHandler(&engine.Handler{Event: "tool_result", Priority: 1,
		GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			results = append(results, ev)
			return nil, nil
		}})
	w.dispatch("look")
	if got, _ := value.Plain(results[0].Field("content")); sprint(
		got) != "[map[text:look did it type:text]]" {
		t.Errorf("read late, the result is %v", got)
	}
	if ev := w.seen("tool_call")[0]; sprint(ev.Field("args")) != "map[n:7]" ||
		sprint(ev.Field("original")) != "map[n:0]" {
		t.Errorf("the stream has %v, originally %v", ev.Field("args"), ev.Field("original"))
	}
	j, err := w.seen("tool_call")[0].MarshalJSON()
	if err != nil || !strings.HasPrefix(string(j), `{"event":"tool_call","id":"ev`) {
		t.Errorf("as JSON: %s, %v", j, err)
	}
}

func TestKeysDoNotComputeLazyFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := 0
	env := &event.Envelope{Branch: func() string { asked++; return "main" }}
	ev := w.Events.Named("agent_start", env, map[string]any{"prompt": "hi"})
	if keys := sprint(ev.Keys()); asked != 0 || !strings.Contains(keys, "branch") ||
		!strings.HasSuffix(keys, "prompt]") {
		t.Errorf("keys %s, the branch was computed %d times", keys, asked)
	}
	if ev.Text("branch") != "main" || asked != 1 {
		t.Errorf("branch %q, computed %d times", ev.Text("branch"), asked)
	}
}

func TestDrainInAnObserverDoesNotWaitForItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var j journal
	w.script("a.fake", func(l *fakeLoad) {
		l.on("wait_input", func(c *fakeCall) (any, error) {
			ctx, _, err := c.run.Cause()
			if err != nil {
				return nil, err
			}
			w.Emitter.Emit(w.Events.Named("session_end", nil, map[string]any{"cause": "switch"}))
			return nil, c.vm.turn.Wait(&c.run.Run, func() {
				w.Emitter.Drain(ctx)
				if ctx.Err() == nil { // otherwise Drain has given up
					j.add("drained")
				}
			})
		})
		l.on("session_end", func(*fakeCall) (any, error) {
			j.add("a ended")
			return nil, nil
		})
	})
	w.script("b.fake", func(l *fakeLoad) {
		l.on("session_end", func(*fakeCall) (any, error) {
			j.add("b ended")
			return nil, nil
		})
	})
	w.Emitter.Emit(w.Events.Named("wait_input", nil, map[string]any{"cause": "idle"}))
	eventually(t, "all have heard", func() bool { return len(j.all()) == 3 })
	if got := strings.Join(j.all(), ", "); got != "b ended, drained, a ended" {
		t.Errorf("got %s, want that Drain waits for the other observers only", got)
	}
}

// TestUnwantedEventsAreNotMade: an event that no listener wants and no script observes is not made.
// The numbers of the other events show it.
func TestUnwantedEventsAreNotMade(t *testing.T) {
	t.Parallel()
	for _, observed := range []bool{false, true} {
		var got []string
		var ids []int
		w := newWorld(t, func(o *engine.Options) {
			o.EmitWants = event.Except("hook_finished", "tool_result")
			o.Emit = func(ev *event.Event) {
				id, _ := ev.Get("id")
				n, _ := strconv.Atoi(strings.TrimPrefix(fmt.Sprint(id), "ev"))
				got, ids = append(got, ev.Name()), append(ids, n)
			}
		})
		var j journal
		w.script("a.fake", func(l *fakeLoad) {
			l.on("guard", returns(nil))
			if observed {
				l.on("hook_finished", func(c *fakeCall) (any, error) {
					j.add(c.ev.Text("hook"))
					return nil, nil
				})
			}
		})
		got, ids = nil, nil
		w.dispatch("look")
		drain(t, w)
		if text := sprint(got); text != "[tool_call tool_approval tool_start tool_end]" {
			t.Errorf("the listener got %s", text)
		}
		want := map[bool]string{true: "[guard]", false: "[]"}[observed]
		if sprint(j.all()) != want {
			t.Errorf("observed %v: %v, want %s", observed, j.all(), want)
		}
		if made := ids[len(ids)-1] - ids[0] + 1; !observed && made > len(ids)+1 { // and the guard's
			t.Errorf("%d events were made, with the numbers %v", made, ids)
		}
	}
}
