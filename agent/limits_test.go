package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// looking returns the answers of a model that makes n different read calls, and then is done.
func looking(n int) []answer {
	var out []answer
	for i := range n {
		a := use("ls", `{"path":"`+strings.Repeat("./", i+1)+`"}`)
		a.finish.Usage = &chat.Usage{Input: 1000, Output: 500} // costs 0.002
		out = append(out, a)
	}
	return out
}

func TestLimits(t *testing.T) {
	t.Parallel()
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
			equal(t, "events", w.tell("limit_reached:kind,value,limit", "agent_end:status,turns"),
				tt.want)
			if end.Status == Limit && !strings.Contains(end.Reason, "ended after") {
				t.Errorf("got %+v", end)
			}
			w.saved()
		})
	}
}

// TestCostLimitWithUnknownPrice checks that requests with an unknown price are reported once, also
// if sub-agents use the same model, and only if there is a cost limit.
func TestCostLimitWithUnknownPrice(t *testing.T) {
	t.Parallel()
	ask := func(t *testing.T, limits Limits, price *chat.Price, usage *chat.Usage) string {
		answers := looking(3)
		for i := range answers {
			answers[i].finish.Usage = usage
		}
		answers[1] = use("agent", `{"task":"look"}`)
		w := newWorld(t, Options{Limits: limits}, answers...)
		w.engine.Scripts.Snapshot().Provider("fake").Models[0].Price = price
		if end := w.prompt("go"); end.Status != Completed {
			t.Errorf("got %+v", end)
		}
		w.prompt("and again")
		return w.tell("notification:level,message")
	}
	counted := &chat.Usage{Input: 1000, Output: 500}
	tests := []struct {
		name   string
		limits Limits
		price  *chat.Price
		usage  *chat.Usage
		want   string
	}{
		{"no price", Limits{Cost: 2.5}, nil, counted,
			`notification warn limit cost: $2.50 cannot be held: the price of fake/m is unknown; ` +
				`set it in config.toml, below [models."fake/m"]`},
		{"no count", Limits{Cost: 2.5}, &chat.Price{Input: 1}, nil,
			"notification warn limit cost: $2.50 cannot be held: the server of fake/m does not " +
				"say what a request used"},
		{"free", Limits{Cost: 2.5}, &chat.Price{}, nil, ""},
		{"no limit", Limits{Tokens: 1_000_000}, nil, counted, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			equal(t, "notices",
				ask(t, tt.limits, tt.price, tt.usage), tt.want)
		})
	}
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{Limits: Limits{Time: 0.001}},
		answer{chunks: use("ls", "").chunks,
			before: func(context.Context) { time.Sleep(2 * time.Millisecond) }})
	if end := w.prompt("go"); end.Status != Limit ||
		!strings.Contains(end.Reason, "0.001 seconds") {
		t.Errorf("got %+v", end)
	}
}

func TestScriptExtendsLimit(t *testing.T) {
	t.Parallel()
	for _, limits := range []Limits{{Turns: 2}, {Cost: 0.004}, {Tokens: 3000}} {
		w := newWorld(t, Options{Limits: limits}, looking(4)...)
		w.on("limit_reached", func(ev *event.Event) any {
			limit, _ := value.Number(ev.Field("limit"))
			return map[string]any{"extend": 2 * limit}
		})
		if end := w.prompt("go"); end.Status != Completed {
			t.Errorf("got %+v", end)
		}
		ev := w.last("limit_extended")
		was, _ := value.Number(ev.Field("previous"))
		if is, _ := value.Number(ev.Field("new")); is != 3*was || ev.Text("by") != "script" {
			t.Errorf("got %v, want %v from the script", is, 3*was)
		}
	}
}

// TestTinyExtension checks that a tiny extension is requested once before each model call, which is
// then made.
func TestTinyExtension(t *testing.T) {
	t.Parallel()
	for _, limits := range []Limits{{Cost: 0.001}, {Tokens: 1}, {Time: 1e-6}} {
		w := newWorld(t, Options{Limits: limits}, looking(2)...)
		w.on("limit_reached", func(*event.Event) any { return map[string]any{"extend": 1e-300} })
		if end := w.prompt("go"); end.Status != Completed {
			t.Errorf("%+v: got %+v", limits, end)
		}
		if n := strings.Count(w.tell("limit_reached:"), "limit_reached"); n > 3 {
			t.Errorf("%+v: asked %d times for 3 model calls", limits, n)
		}
	}
}

func TestUserExtendsLimit(t *testing.T) {
	t.Parallel()
	for _, yes := range []bool{true, false} {
		w := &world{t: t, answers: looking(5), home: t.TempDir()}
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		w.ctx = ctx
		w.confirm = func() (bool, error) { return yes, nil }
		w.start(Options{Limits: Limits{Turns: 4}, Mode: "tui", Interactive: true}, cancel)
		want := map[bool]string{true: "wait_input question\nlimit_extended 4 8 user\nagent_end " +
			"completed", false: "wait_input question\nagent_end limit"}
		w.prompt("go")
		equal(t, "events", w.tell("wait_input:cause", "limit_extended:previous,new,by",
			"agent_end:status"), want[yes])
		if len(w.dialogs) != 1 || w.dialogs[0].Script != "" {
			t.Errorf("got dialogs %+v, want one of the agent itself", w.dialogs)
		}
	}
}

func TestTimeLimitExcludesWaitingForUser(t *testing.T) {
	t.Parallel()
	w := &world{t: t, home: t.TempDir(), answers: []answer{use("ls", "")}}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	w.ctx = ctx
	thought := make(chan struct{})
	w.confirm = func() (bool, error) { <-thought; return true, nil }
	w.start(Options{Limits: Limits{Time: 3600}, Mode: "tui", Interactive: true}, cancel)
	w.on("turn_start", func(ev *event.Event) any {
		if n, _ := value.Number(ev.Field("turn")); n == 1 {
			return map[string]any{"ask": "sure?"}
		}
		return nil
	})
	go func() {
		until(t, "the question", func() bool { return w.engine.User.Time() > 20*time.Millisecond })
		close(thought)
	}()
	start := time.Now()
	w.prompt("go")
	b := w.agent.shared.pool.budget.Load()
	value, _ := b.used("time", w.engine.User.Time())
	if took := time.Since(start); value > (took - 20*time.Millisecond).Seconds() {
		t.Errorf("got %v s of %v", value, took)
	}
}

func TestRepeatedCallIsLoop(t *testing.T) {
	t.Parallel()
	same := []answer{use("ls", ""), use("ls", ""), use("ls", ""), use("ls", "{}"),
		use("ls", `{"path":"."}`)}
	for name, tt := range map[string]struct {
		returns any
		want    string
	}{
		"goes on": {nil,
			"loop_detected ls 3\nloop_detected ls 4\nturn_end normal\nagent_end completed"},
		"blocked": {block("enough"),
			"loop_detected ls 3\ntool_skipped denied refused by h.lua: enough\nturn_end " +
				"loop_detected\nagent_end blocked"},
		"asks": {map[string]any{"ask": "go on?"},
			"loop_detected ls 3\ntool_skipped denied refused: no one can approve this in a " +
				"non-interactive run: h.lua:1 " +
				"asks: go on?\nturn_end loop_detected\nagent_end blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{}, same...)
			var hashes sync.Map
			w.on("loop_detected", func(ev *event.Event) any {
				hashes.Store(ev.Text("args_hash"), true)
				return tt.returns
			})
			w.prompt("go")
			got := strings.ReplaceAll(w.tell("loop_detected:tool,count",
				"tool_skipped:cause,reason", "turn_end:cause", "agent_end:status"),
				"turn_end continue\n", "")
			equal(t, "events", got, tt.want)
			if tt.returns == nil {
				until(t, "a notice",
					func() bool {
						return strings.Contains(w.tell("notification:message"),
							"3 times in a row")
					})
			}
			w.saved()
		})
	}
}

func TestDifferentCallsAreNoLoop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("ls", ""), use("ls", ""), use("ls", `{"path":"."}`),
		use("ls", ""), use("ls", ""))
	w.prompt("go")
	if got := w.tell("loop_detected:tool,count"); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestLimitsIncludeSubAgents(t *testing.T) {
	t.Parallel()
	sub := says("found")
	sub.finish.Usage = &chat.Usage{Input: 4000, Output: 2000} // costs 0.008
	w := newFamily(t, Options{Limits: Limits{Cost: 0.005}},
		map[string][]answer{"go": {uses("agent", `{"task":"look"}`)}, "look": {sub}})
	w.on("agent_before_end", func(ev *event.Event) any {
		if d, _ := value.Number(ev.Env().Depth); d == 1 && ev.Text("response") != "found" {
			t.Errorf("in the sub-agent: got %q", ev.Text("response"))
		}
		return nil
	})
	if end := w.prompt("go"); end.Status != Limit {
		t.Errorf("got %+v", end)
	}
	equal(t, "events", w.tell("agent_before_end:response,depth", "limit_reached:kind,value,depth",
		"agent_end:status,depth"),
		"agent_before_end found 1\nagent_end completed 1\nlimit_reached cost 0.008 0\nagent_end "+
			"limit 0")
}

// inTime runs limited with longer and longer time limits, in seconds, until it returns true, which
// means that the work reached the tested point within the limit.
func inTime(t *testing.T, limited func(t *testing.T, seconds float64) (there bool)) {
	t.Helper()
	for seconds := 0.25; !limited(t, seconds); seconds *= 4 {
		if seconds > deadline.Seconds()/4 {
			t.Fatal("the work never reached the tested point within the limit")
		}
	}
}

func TestTimeLimitEndsTools(t *testing.T) { inTime(t, limitOfTimeEndsTools) }

func limitOfTimeEndsTools(t *testing.T, seconds float64) bool {
	two := answer{chunks: []chat.Chunk{
		{ToolCall: &chat.ToolCallDelta{Index: 0, ID: "a", Name: "bash",
			ArgsDelta: `{"command":"echo begun; sleep 300"}`}},
		{ToolCall: &chat.ToolCallDelta{Index: 1, ID: "b", Name: "bash",
			ArgsDelta: `{"command":"echo never"}`}}}}
	w := newWorld(t, Options{Limits: Limits{Time: seconds}}, two)
	end := w.prompt("go")
	if end.Status != Limit {
		t.Errorf("got %+v", end)
	}
	if !w.seen("tool_output begun") {
		return false
	}
	if !strings.Contains(end.Reason, fmt.Sprintf("ended after %v seconds", seconds)) {
		t.Errorf("got %+v", end)
	}
	equal(t, "session", talk(w.saved().Messages("", 0)[2:]),
		"tool>a:begun\n["+overtimeText+
			": the command and its children were killed; processes that detached themselves "+
			"(setsid) may still run]\ntool>b:not run: "+overtimeText)
	equal(t, "events", w.tell("limit_reached:kind", "tool_skipped:call_id,cause", "turn_end:cause",
		"agent_end:status"),
		"limit_reached time\ntool_skipped b aborted\nturn_end limit\nagent_end limit")
	return true
}

func TestScriptExtendsTimeOfTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{Limits: Limits{Time: 0.2}},
		use("bash", `{"command":"while [ ! -e go ]; do sleep 0.01; done; echo through"}`))
	w.on("limit_reached", func(ev *event.Event) any {
		put(t, w.agent.o.Dir, "go")
		return map[string]any{"extend": 1000.0}
	})
	if end := w.prompt("go"); end.Status != Completed {
		t.Errorf("got %+v", end)
	}
	if got := w.request(1); !strings.Contains(got, "tool>t-bash:through") {
		t.Errorf("got %s", got)
	}
	equal(t, "events", w.tell("limit_reached:kind", "limit_extended:by"),
		"limit_reached time\nlimit_extended script")
}

func put(t *testing.T, dir, name string) {
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
		t.Error(err)
	}
}

func TestTimeLimitEndsToolsOfSubAgent(t *testing.T) {
	t.Parallel()
	inTime(t,
		limitOfTimeEndsASubAgentsTools)
}

func limitOfTimeEndsASubAgentsTools(t *testing.T, seconds float64) bool {
	w := newFamily(t, Options{Limits: Limits{Time: seconds}}, map[string][]answer{
		"go": {use("agent", `{"task":"sleep"}`)},
		"sleep": {{text: "so far", chunks: use("bash",
			`{"command":"echo begun; sleep 300"}`).chunks}},
	})
	if end := w.prompt("go"); end.Status != Limit {
		t.Errorf("got %+v", end)
	}
	if !w.seen("tool_output begun") {
		return false
	}
	equal(t, "sub-agent", w.tell("subagent_end:status,response"), "subagent_end limit so far")
	return true
}
