package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// meeting returns a tool whose calls wait until n of them run at the same time.
func meeting(name string, readOnly bool, n int) *engine.Tool {
	var mu sync.Mutex
	here, all := 0, make(chan struct{})
	return &engine.Tool{Name: name, Kind: "read", ReadOnly: readOnly,
		Run: func(ctx context.Context, u *engine.Use) (*engine.Result, error) {
			mu.Lock()
			if here++; here == n {
				close(all)
			}
			mu.Unlock()
			select {
			case <-all:
				return engine.TextResult("met " + u.CallID), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}}
}

// calls returns an answer with a call of each tool. The ids are a, b, c.
func calls(tools ...string) answer {
	var a answer
	for i, name := range tools {
		a.chunks = append(a.chunks,
			chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: i, ID: string(rune('a' + i)),
				Name: name}})
	}
	return a
}

func withTools(t *testing.T, tools []*engine.Tool, answers ...answer) *world {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	w := &world{t: t, ctx: ctx, answers: answers, home: t.TempDir(), tools: tools}
	return w.start(Options{}, cancel)
}

// TestQuestionsAreNumbered checks that a question says which call of its message it is about.
func TestQuestionsAreNumbered(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	var asked []string
	w := &world{t: t, ctx: ctx, home: t.TempDir(), tools: []*engine.Tool{meeting("meet", false, 1)},
		answers: []answer{calls("meet", "ls", "meet")},
		approver: approver(func(q *engine.Question) engine.Answer {
			asked = append(asked, fmt.Sprintf("%s %d of %d", q.Call.ID, q.Call.Number, q.Call.Of))
			return engine.Answer{Allow: true}
		})}
	w.start(Options{Permission: event.PermissionDefault}, cancel).prompt("go")
	equal(t, "questions", strings.Join(asked, ", "), "a 1 of 3, c 3 of 3")
}

// TestAllowedAfterSteering checks that what the user allows runs, whatever he has said before that,
// and that the next call does not.
func TestAllowedAfterSteering(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	var w *world
	w = &world{t: t, ctx: ctx, home: t.TempDir(), tools: []*engine.Tool{meeting("meet", false, 1)},
		answers: []answer{calls("meet", "meet")},
		approver: approver(func(*engine.Question) engine.Answer {
			w.agent.Send(Input{Text: "then look"})
			return engine.Answer{Allow: true}
		})}
	w.start(Options{Permission: event.PermissionDefault}, cancel).prompt("go")
	equal(t, "request", w.request(1), "user:go\nassistant: [a] [b]\ntool>a:met a\ntool>b:"+
		steeredText+"\nuser:then look")
}

func TestReadOnlyCallsRunConcurrently(t *testing.T) {
	t.Parallel()
	w := withTools(t, []*engine.Tool{meeting("meet", true, 3)}, calls("meet", "meet", "meet"))
	if end := w.prompt("go"); end.Status != Completed {
		t.Fatalf("got %+v", end)
	}
	equal(t, "request", w.request(1),
		"user:go\nassistant: [a] [b] [c]\ntool>a:met a\ntool>b:met b\ntool>c:met c")
	equal(t, "events", w.tell("tool_batch_end:calls,errors"), "tool_batch_end 3 0")
}

func TestChangingCallRunsAlone(t *testing.T) {
	t.Parallel()
	var running, together atomic.Int32
	step := func(name string, readOnly bool) *engine.Tool {
		return &engine.Tool{Name: name, Kind: "other", ReadOnly: readOnly,
			Run: func(_ context.Context, u *engine.Use) (*engine.Result, error) {
				n := running.Add(1)
				defer running.Add(-1)
				if name == "look" {
					time.Sleep(time.Millisecond) // give a call that does not wait the time to begin
				}
				if name == "change" && n != 1 || name == "look" && n > 1 && u.CallID > "c" {
					together.Add(1)
				}
				return engine.TextResult(u.CallID), nil
			}}
	}
	for range 5 {
		w := withTools(t, []*engine.Tool{step("look", true), step("change", false)},
			calls("look", "look", "change", "look", "change"))
		w.prompt("go")
		if together.Load() != 0 {
			t.Fatal("a call that changes something ran concurrently with another")
		}
		equal(t, "request", w.request(1),
			"user:go\nassistant: [a] [b] [c] [d] "+
				"[e]\ntool>a:a\ntool>b:b\ntool>c:c\ntool>d:d\ntool>e:e")
	}
}

func TestAbortEndsConcurrentCalls(t *testing.T) {
	t.Parallel()
	w := withTools(t, []*engine.Tool{meeting("meet", true, 2)}, calls("meet", "ls", "bash"))
	w.on("tool_result", func(ev *event.Event) any {
		if ev.Text("tool") == "ls" {
			return map[string]any{"abort": "agent", "reason": "r"}
		}
		return nil
	})
	w.agent.Send(Input{Text: "follow", Kind: "follow_up"})
	end := w.prompt("go")
	if end.Status != Failed || end.Error != "h.lua ended the agent: r" {
		t.Errorf("got %+v", end)
	}
	if w.agent.queue.waiting() != 0 {
		t.Error("the queue was not emptied")
	}
	if said := talk(w.saved().Messages("", 0)); !strings.Contains(said,
		"tool>c:not run: h.lua ended the agent: r") {
		t.Errorf("got\n%s", said)
	}
}

func TestBatchEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("nosuch", ""), answer{text: "never said"})
	w.on("tool_batch_end", func(ev *event.Event) any {
		if n, _ := value.Number(ev.Field("errors")); n != 1 {
			t.Errorf("errors: got %v", n)
		}
		return map[string]any{"stop": true, "reason": "r", "context": "c"}
	})
	if end := w.prompt("go"); end.Status != Stopped || end.Reason != "stopped by h.lua: r" {
		t.Errorf("got %+v", end)
	}
	if s := talk(w.agent.journal.messages()); !strings.HasSuffix(s,
		"user:<context from=\"h.lua\">\nc\n</context>") {
		t.Errorf("got\n%s", s)
	}
}

func TestCancelConcurrentCalls(t *testing.T) {
	t.Parallel()
	w := withTools(t, []*engine.Tool{meeting("meet", true, 99)},
		calls("meet", "meet", "bash", "meet"))
	d := w.desk()
	d.send(Input{Text: "go"})
	until(t, "both run",
		func() bool { return strings.Count(w.tell("tool_start:"), "tool_start") == 2 })
	w.agent.Interrupt("hard")
	d.idle()
	equal(t, "ends", d.got(), "go: cancelled")
	w.saved()
}
