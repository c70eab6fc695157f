package agent

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/service"
)

// until polls until f returns true.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out: %s", what)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	block := make(chan struct{})
	defer close(block)
	calls := func(args ...string) answer {
		a := answer{text: "half"}
		for i, x := range args {
			a.chunks = append(a.chunks,
				chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: i, ID: string(rune('a' + i)),
					Name: "bash", ArgsDelta: x}})
		}
		return a
	}
	tests := []struct {
		name    string
		answers []answer
		ready   string // the event after which Esc is pressed
		want    string // the conversation that is kept
	}{
		{"while the model speaks",
			[]answer{{text: "half", after: func(ctx context.Context) { <-ctx.Done() }}},
			"message_delta", "user:go\nassistant:half"},
		{"a model that does not listen", []answer{
			{text: "half", after: func(context.Context) { <-block }}}, "message_delta",
			"user:go\nassistant:half"},
		{"before its first word", []answer{{before: func(ctx context.Context) { <-ctx.Done() }}},
			"turn_start", "user:go"},
		{"in the arguments of a call",
			[]answer{{chunks: []chat.Chunk{{Text: "half"},
				{ToolCall: &chat.ToolCallDelta{ID: "a", Name: "bash", ArgsDelta: `{"comm`}}},
				after: func(ctx context.Context) { <-ctx.Done() }}}, "message_delta",
			"user:go\nassistant:half"},
		{"in the middle of a batch",
			[]answer{calls(`{"command":"echo 1"}`, `{"command":"echo 2; sleep 300"}`,
				`{"command":"echo 3"}`, `{bad`)}, "tool_output 2",
			"user:go\nassistant:half [a] [b] [c] [d]\ntool>a:1\n\ntool>b:2\n[cancelled by the " +
				"user: the command and its children were killed; processes that detached " +
				"themselves (setsid) may still run]\n" +
				"tool>c:cancelled by the user\ntool>d:cancelled by the user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, Options{}, tt.answers...)
			ctx, cancel := context.WithCancel(w.ctx)
			done := make(chan End, 1)
			go func() { done <- w.agent.Prompt(ctx, Input{Text: "go"}) }()
			until(t, tt.ready, func() bool { return w.seen(tt.ready) })
			cancel()
			var end End
			select {
			case end = <-done:
			case <-time.After(deadline):
				t.Fatal("the prompt did not end")
			}
			if end.Status != Cancelled || end.Refused != 0 {
				t.Errorf("got %+v", end)
			}
			if !strings.HasSuffix(w.trace(), "turn_end cancelled\nagent_end cancelled") {
				t.Errorf("got\n%s", w.trace())
			}
			equal(t, "session", talk(w.saved().Messages("", 0)), tt.want)
			w.forget()
			if end := w.prompt("next"); end.Status != Completed {
				t.Errorf("next: got %+v", end)
			}
		})
	}
}

func (w *world) seen(what string) bool {
	name, text, _ := strings.Cut(what, " ")
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, ev := range w.events {
		if ev.Name() == name && strings.Contains(ev.Text("chunk"), text) {
			return true
		}
	}
	return false
}

func TestLateChunksAreDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, answer{text: "in time"})
	var late func(chat.Chunk)
	w.tap = func(emit func(chat.Chunk)) { late = emit }
	end := w.prompt("go")
	before := w.trace()
	late(chat.Chunk{Text: "late"})
	late(chat.Chunk{Reasoning: "another kind is not held back"})
	if end.Response != "in time" || w.trace() != before {
		t.Errorf("got %+v\n%s", end, w.trace())
	}
}

func TestDeltasAreCoalesced(t *testing.T) {
	t.Parallel()
	var chunks []chat.Chunk
	var want strings.Builder
	for i := range 3000 {
		c := chat.Chunk{Text: string(rune('a' + i%26))}
		want.WriteString(c.Text)
		chunks = append(chunks, c)
	}
	chunks = append(chunks, chat.Chunk{Reasoning: "hm"}, chat.Chunk{Text: "!"})
	want.WriteString("!")
	w := newWorld(t, Options{}, answer{chunks: chunks})
	end := w.prompt("go")
	if end.Response != want.String() {
		t.Errorf("response: got %d bytes, want %d", len(end.Response), want.Len())
	}
	var text, thought string
	n := 0
	for _, ev := range w.events {
		if ev.Name() == "message_delta" {
			n++
			if ev.Text("kind") == "text" {
				text += ev.Text("delta")
			} else {
				thought += ev.Text("delta")
			}
		}
	}
	if text != want.String() || thought != "hm" {
		t.Errorf("deltas: got %d bytes of text and %q", len(text), thought)
	}
	if n > 300 {
		t.Errorf("got %d deltas for 3000 chunks", n)
	}
}

// TestEndlessReplyIsCutOff checks that an endless reply is cut off and not stored, and neither is
// one that its provider ends because it is too large.
func TestEndlessReplyIsCutOff(t *testing.T) {
	t.Parallel()
	mega := strings.Repeat("x", 1<<20)
	for want, tt := range map[string]struct {
		pieces int
		err    error
	}{"larger than 32 MB": {40, nil}, "too much": {2, &fault.FailError{Message: "too much"}}} {
		a := answer{err: tt.err}
		for range tt.pieces {
			a.chunks = append(a.chunks, chat.Chunk{Text: mega})
		}
		if tt.err == nil {
			a.after = func(ctx context.Context) { <-ctx.Done() }
		}
		w := newWorld(t, Options{}, a)
		if end := w.prompt("go"); end.Status != Failed || !strings.Contains(end.Error, want) {
			t.Errorf("got %s %s, want %s", end.Status, end.Error, want)
		}
		if got := w.last("message_end").Text("text"); got != "" {
			t.Errorf("%s: got a message of %d bytes, want none", want, len(got))
		}
		equal(t, "session", talk(w.saved().Messages("", 0)), "user:go")
	}
}

func TestPermissionChangeDuringBatch(t *testing.T) {
	t.Parallel()
	a := answer{}
	for i, x := range []string{"echo 1", "echo 2"} {
		a.chunks = append(a.chunks,
			chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: i, ID: string(rune('a' + i)),
				Name: "bash", ArgsDelta: `{"command":"` + x + `"}`}})
	}
	w := newWorld(t, Options{}, a)
	w.on("tool_result", func(*event.Event) any {
		w.agent.Set(service.Settings{Permission: event.PermissionPlan}, "user")
		return nil
	})
	end := w.prompt("go")
	if end.Refused != 1 || !strings.Contains(w.request(1),
		"tool>b:refused: permission mode plan is read only") {
		t.Errorf("got %+v\n%s", end, w.request(1))
	}
}

func TestPromptsAreSerialized(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if end := w.prompt("x"); end.Status != Completed {
				t.Errorf("got %+v", end)
			}
		})
	}
	wg.Wait()
	for i := range w.requests {
		if got, want := strings.Count(w.request(i), "user:x"), i+1; got != want {
			t.Errorf("request %d: got %d prompts, want %d", i, got, want)
		}
	}
}

func TestCloseDuringHangingPrompt(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	w := newWorld(t, Options{}, answer{before: func(context.Context) { <-hang }})
	done := make(chan struct{})
	go func() { defer close(done); w.prompt("go") }()
	until(t, "the model is asked",
		func() bool { w.mu.Lock(); defer w.mu.Unlock(); return len(w.requests) == 1 })
	w.agent.Close(w.ctx, "signal")
	if got := w.last("session_end").Text("cause"); got != "signal" {
		t.Errorf("got %q", got)
	}
	close(hang)
	<-done
	if end := w.prompt("more"); end.Status != Failed {
		t.Errorf("after Close: got %+v", end)
	}
}
