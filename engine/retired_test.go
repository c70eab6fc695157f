// This file tests verdicts of scripts that are reloaded while their handler waits.

package engine_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// reloadedAt makes a script whose handler of an event waits until the script is replaced by next.
func (w *world) reloadedAt(name, event string, next fakeFn) {
	waits, never := make(chan struct{}), make(chan struct{})
	w.script(name, func(l *fakeLoad) {
		l.on(event, func(c *fakeCall) (any, error) {
			close(waits)
			return nil, c.wait(never)
		})
	})
	go func() {
		<-waits
		w.script(name, func(l *fakeLoad) { l.on(event, next) })
	}()
}

// TestRetiredPermissionHandlerRunsAgain: if a tool_permission handler is reloaded while it decides,
// the guards run again, and the new version decides. The user is not asked.
func TestRetiredPermissionHandlerRunsAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer any
		runs   int
	}{{block("the new version"), 0}, {map[string]any{"allow": true}, 1}} {
		w := newWorld(t)
		var guarded atomic.Int32
		w.guard("guard.fake", func(*fakeCall) (any, error) { guarded.Add(1); return nil, nil })
		w.reloadedAt("permit.fake", "tool_permission", returns(tt.answer))
		r := w.dispatch("work", mode(event.PermissionDefault))
		wantRun(t, w, r, tt.runs)
		if guarded.Load() != 2 || len(w.questions) > 0 {
			t.Errorf("%v: the guard was asked %d times, want 2; the user %d times, want 0",
				tt.answer, guarded.Load(), len(w.questions))
		}
		if failed := w.seen("script_error"); len(failed) > 0 {
			t.Errorf("%v: a reload is reported as a failure: %s", tt.answer, failed[0].Text(
				"message"))
		}
	}
}

// TestRetiredRoundHasNoEffects: if a reload repeats the round of tool_call handlers, the outcomes
// of the first round change nothing, and are not in the trail.
func TestRetiredRoundHasNoEffects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var saw []string
	w.script("a.fake", func(l *fakeLoad) {
		l.on("tool_call", func(c *fakeCall) (any, error) {
			args := c.ev.Field("args").(map[string]any)
			saw = append(saw, fmt.Sprint(args["n"]))
			return map[string]any{"args": map[string]any{"n": args["n"].(int) + 1}}, nil
		}, func(h *engine.Handler) { h.Priority = 1 })
	})
	w.reloadedAt("b.fake", "tool_call", returns(nil))
	r := w.dispatch("work")
	wantRun(t, w, r, 1)
	if want := []string{"0", "0"}; !slices.Equal(saw, want) || w.ran[0]["n"] != 1 {
		t.Errorf("a.fake saw %v, want %v; the tool ran with %v, want 1", saw, want, w.ran[0]["n"])
	}
	if len(r.Trail) != 2 || r.Trail[0].Outcome != "rewrite" || r.Trail[1].Outcome != "pass" {
		t.Errorf("the trail has %+v, want the rewrite and the pass of the last round", r.Trail)
	}
	if n := len(w.seen("tool_call")); n != 1 {
		t.Errorf("tool_call was emitted %d times, want once", n)
	}
}

// TestRetiredGuardAsksNothing: if a reload repeats the round of guards, the questions of the first
// round are not shown.
func TestRetiredGuardAsksNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rounds := 0
	w.script("a.fake", func(l *fakeLoad) {
		l.on("guard", func(*fakeCall) (any, error) {
			rounds++
			return map[string]any{"ask": fmt.Sprintf("round %d?", rounds)}, nil
		}, func(h *engine.Handler) { h.Priority = 1 })
	})
	w.reloadedAt("b.fake", "guard", returns(nil))
	wantRun(t, w, w.dispatch("work"), 1)
	if len(w.questions) != 1 || len(w.questions[0].Asks) != 1 ||
		w.questions[0].Asks[0].Text != "round 2?" {
		t.Errorf("asked %+v, want only the question of round 2", w.questions)
	}
}
