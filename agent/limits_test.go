package agent

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
)

// looking is a model that looks n times at something else, then is done.
func looking(n int) []answer {
	var out []answer
	for i := range n {
		a := use("ls", `{"path":"`+strings.Repeat("./", i+1)+`"}`)
		a.finish.Usage = &engine.Usage{Input: 1000, Output: 500} // costs 0.002
		out = append(out, a)
	}
	return out
}

func TestLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		limits Limits
		want   string // limit_reached, agent_end
	}{
		"turns":  {Limits{Turns: 2}, "limit_reached turns 2 2\nagent_end limit 2"},
		"cost":   {Limits{Cost: 0.003}, "limit_reached cost 0.004 0.003\nagent_end limit 2"},
		"tokens": {Limits{Tokens: 1500}, "limit_reached tokens 1500 1500\nagent_end limit 1"},
		"none":   {Limits{}, "agent_end completed 5"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{Limits: tt.limits}, looking(4)...)
			end := w.prompt("go")
			equal(t, "events", w.tell("limit_reached:kind,value,limit", "agent_end:status,turns"), tt.want)
			if end.Status == Limit && !strings.Contains(end.Reason, "ended after") {
				t.Errorf("got %+v", end)
			}
			w.saved()
		})
	}
}

func TestALimitOfTime(t *testing.T) {
	w := newWorld(t, Options{Limits: Limits{Time: 0.001}}, answer{chunks: use("ls", "").chunks, before: func(context.Context) { time.Sleep(2 * time.Millisecond) }})
	if end := w.prompt("go"); end.Status != Limit || !strings.Contains(end.Reason, "0.001 seconds") {
		t.Errorf("got %+v", end)
	}
}

func TestAScriptExtendsALimit(t *testing.T) {
	for _, limits := range []Limits{{Turns: 2}, {Cost: 0.004}, {Tokens: 3000}} {
		w := newWorld(t, Options{Limits: limits}, looking(4)...)
		w.on("limit_reached", func(ev *engine.Event) any {
			limit, _ := engine.Number(ev.Field("limit"))
			return map[string]any{"extend": 2 * limit}
		})
		if end := w.prompt("go"); end.Status != Completed {
			t.Errorf("got %+v", end)
		}
		ev := w.last("limit_extended")
		was, _ := engine.Number(ev.Field("previous"))
		if is, _ := engine.Number(ev.Field("new")); is != 3*was || ev.Text("by") != "script" {
			t.Errorf("got %v, want %v by a script", is, 3*was)
		}
	}
}

// TestAnExtensionOfAlmostNothing is asked for once before each model call, and lets that call be made.
func TestAnExtensionOfAlmostNothing(t *testing.T) {
	for _, limits := range []Limits{{Cost: 0.001}, {Tokens: 1}, {Time: 1e-6}} {
		w := newWorld(t, Options{Limits: limits}, looking(2)...)
		w.on("limit_reached", func(*engine.Event) any { return map[string]any{"extend": 1e-300} })
		if end := w.prompt("go"); end.Status != Completed {
			t.Errorf("%+v: got %+v", limits, end)
		}
		if n := strings.Count(w.tell("limit_reached:"), "limit_reached"); n > 3 {
			t.Errorf("%+v: asked %d times for 3 model calls", limits, n)
		}
	}
}

func TestTheUserExtendsALimit(t *testing.T) {
	for _, yes := range []bool{true, false} {
		w := &world{t: t, answers: looking(5), home: t.TempDir()}
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		w.ctx = ctx
		w.confirm = func() (bool, error) { return yes, nil }
		w.start(Options{Limits: Limits{Turns: 4}, Mode: "tui"}, cancel)
		want := map[bool]string{true: "wait_input question\nlimit_extended 4 8 user\nagent_end completed", false: "wait_input question\nagent_end limit"}
		w.prompt("go")
		equal(t, "events", w.tell("wait_input:cause", "limit_extended:previous,new,by", "agent_end:status"), want[yes])
	}
}

func TestTheUsersTimeDoesNotCount(t *testing.T) {
	w := &world{t: t, home: t.TempDir(), answers: []answer{use("ls", "")}}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	w.ctx = ctx
	thought := make(chan struct{})
	w.confirm = func() (bool, error) { <-thought; return true, nil }
	w.start(Options{Limits: Limits{Time: 3600}, Mode: "tui"}, cancel)
	w.on("turn_start", func(ev *engine.Event) any {
		if n, _ := engine.Number(ev.Field("turn")); n == 1 {
			return map[string]any{"ask": "sure?"}
		}
		return nil
	})
	go func() {
		until(t, "the question", func() bool { return w.engine.UserTime() > 20*time.Millisecond })
		close(thought)
	}()
	start := time.Now()
	w.prompt("go")
	took := time.Since(start)
	b := w.agent.shared.budget.Load()
	if value, _ := b.used("time", w.engine.UserTime()); value > (took - 20*time.Millisecond).Seconds() {
		t.Errorf("got %v s of %v", value, took)
	}
}

func TestTheSameCallAgainAndAgain(t *testing.T) {
	same := []answer{use("ls", ""), use("ls", ""), use("ls", ""), use("ls", "{}"), use("ls", `{"path":"."}`)}
	for name, tt := range map[string]struct {
		returns any
		want    string
	}{
		"goes on": {nil, "loop_detected ls 3\nloop_detected ls 4\nturn_end normal\nagent_end completed"},
		"blocked": {block("enough"), "loop_detected ls 3\ntool_skipped denied refused by h.lua: enough\nturn_end loop_detected\nagent_end blocked"},
		"asks":    {map[string]any{"ask": "go on?"}, "loop_detected ls 3\ntool_skipped denied refused: nobody can be asked here: h.lua:1 asks: go on?\nturn_end loop_detected\nagent_end blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{}, same...)
			var hashes sync.Map
			w.on("loop_detected", func(ev *engine.Event) any {
				hashes.Store(ev.Text("args_hash"), true)
				return tt.returns
			})
			w.prompt("go")
			got := strings.ReplaceAll(w.tell("loop_detected:tool,count", "tool_skipped:cause,reason", "turn_end:cause", "agent_end:status"), "turn_end continue\n", "")
			equal(t, "events", got, tt.want)
			if tt.returns == nil {
				until(t, "a notice", func() bool { return strings.Contains(w.tell("notification:message"), "3 times in a row") })
			}
			w.saved()
		})
	}
}

func TestAnotherCallBetweenIsNoLoop(t *testing.T) {
	w := newWorld(t, Options{}, use("ls", ""), use("ls", ""), use("ls", `{"path":"."}`), use("ls", ""), use("ls", ""))
	w.prompt("go")
	if got := w.tell("loop_detected:tool,count"); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestASubAgentsUseCountsIntoTheLimits(t *testing.T) {
	sub := says("found")
	sub.finish.Usage = &engine.Usage{Input: 4000, Output: 2000} // costs 0.008
	w := newFamily(t, Options{Limits: Limits{Cost: 0.005}}, map[string][]answer{"go": {uses("agent", `{"task":"look"}`)}, "look": {sub}})
	w.on("agent_before_end", func(ev *engine.Event) any {
		if d, _ := engine.Number(ev.Env().Depth); d == 1 && ev.Text("response") != "found" {
			t.Errorf("in the sub-agent: got %q", ev.Text("response"))
		}
		return nil
	})
	if end := w.prompt("go"); end.Status != Limit {
		t.Errorf("got %+v", end)
	}
	equal(t, "events", w.tell("agent_before_end:response,depth", "limit_reached:kind,value,depth", "agent_end:status,depth"),
		"agent_before_end found 1\nagent_end completed 1\nlimit_reached cost 0.008 0\nagent_end limit 0")
}
