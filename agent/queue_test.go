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
	"github.com/agentscripts/agent/engine/event"
)

// desk runs Work on another goroutine, like a front end.
type desk struct {
	w    *world
	mu   sync.Mutex
	ends []string // input: status

	heard func() // called at each end; may be nil
}

func (w *world) desk() *desk {
	d := &desk{w: w}
	ctx, cancel := context.WithCancel(w.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-w.agent.Wake():
				w.agent.Work(ctx, d.ended)
			case <-ctx.Done():
				return
			}
		}
	}()
	w.t.Cleanup(func() { cancel(); <-done })
	return d
}

func (d *desk) ended(in Input, end End) {
	if d.heard != nil {
		d.heard()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ends = append(d.ends, in.Text+": "+string(end.Status))
}

func (d *desk) got() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.ends, "\n")
}

func (d *desk) send(in Input) {
	d.w.t.Helper()
	if err := d.w.agent.Send(in); err != nil {
		d.w.t.Fatal(err)
	}
}

// idle waits until everything that was sent has been processed.
func (d *desk) idle() {
	d.w.t.Helper()
	until(d.w.t, "idle", func() bool { return d.w.agent.queue.rests() && d.w.seen("wait_input") })
}

// tell lists the contents of the events of the given names.
func (w *world) tell(names ...string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, ev := range w.events {
		for _, n := range names {
			name, keys, _ := strings.Cut(n, ":")
			if ev.Name() != name {
				continue
			}
			s := name
			for _, k := range strings.Split(keys, ",") {
				if v := ev.Field(k); v != nil {
					s += fmt.Sprint(" ", v)
				}
			}
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

// gate returns an answer that waits until open is closed; reached is closed when the model gets the
// request.
func gate(a answer) (_ answer, reached, open chan struct{}) {
	reached, open = make(chan struct{}), make(chan struct{})
	a.before = func(ctx context.Context) {
		close(reached)
		select {
		case <-open:
		case <-ctx.Done():
		}
	}
	return a, reached, open
}

func (w *world) wait(c <-chan struct{}) {
	w.t.Helper()
	select {
	case <-c:
	case <-w.ctx.Done():
		w.t.Fatal("timed out")
	}
}

func TestInputDuringPrompt(t *testing.T) {
	t.Parallel()
	a, reached, open := gate(answer{text: "one"})
	w := newWorld(t, Options{}, a, answer{text: "two"}, answer{text: "three"})
	d := w.desk()
	d.send(Input{Text: "go"})
	w.wait(reached)
	d.send(Input{Text: "later", Kind: "follow_up"})
	d.send(Input{Text: "rather this"})
	if w.agent.Idle() {
		t.Error("idle during a prompt")
	}
	close(open)
	d.idle()
	equal(t, "first request", w.request(0), "user:go")
	equal(t, "steered request", w.request(1), "user:go\nassistant:one\nuser:rather this")
	equal(t, "follow-up", w.request(2),
		"user:go\nassistant:one\nuser:rather this\nassistant:two\nuser:later")
	equal(t, "ends", d.got(), "go: completed\nlater: completed")
	equal(t, "events", w.tell("input:kind,text,source", "input_queued:kind,waiting",
		"interrupt:kind", "steering_injected:count,texts", "turn_end:cause", "agent_end:status",
		"busy_change:state", "wait_input:cause"),
		`input prompt go interactive
busy_change working
input_queued follow_up 1
interrupt steering
input_queued steer 2
turn_end steered
input steer rather this interactive
steering_injected 1 [rather this]
turn_end normal
agent_end completed
input follow_up later queue
turn_end normal
agent_end completed
busy_change idle
wait_input idle`)
}

// TestAgentIsIdleWhenEndIsReported checks that a client that acts as soon as a prompt's end is
// reported finds an idle agent.
func TestAgentIsIdleWhenEndIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	before := w.agent.Session().ID()
	d := w.desk()
	d.heard = func() {
		if !w.agent.Idle() {
			t.Error("the agent is not idle")
		}
		if err := w.agent.NewSession(w.ctx, "new", ""); err != nil {
			t.Error(err)
		}
	}
	d.send(Input{Text: "go"})
	d.idle()
	equal(t, "ends", d.got(), "go: completed")
	if w.agent.Session().ID() == before {
		t.Error("there is no new session")
	}
}

func TestSteeringSkipsPendingCalls(t *testing.T) {
	t.Parallel()
	for _, tools := range [][]string{{"change", "ls"}, {"change", "change"}, {"look", "change"},
		{"look", "look"}} {
		t.Run(strings.Join(tools, " "), func(t *testing.T) {
			var w *world
			// a script replaces the second call by one that changes something: it waits
			waits := make(chan struct{})
			run := func(_ context.Context, u *engine.Use) (*engine.Result, error) {
				if u.CallID == "a" && tools[1] == "look" {
					w.wait(waits)
				}
				if u.CallID == "a" {
					w.agent.Send(Input{Text: "stop that"})
				}
				return engine.TextResult("ran " + u.CallID), nil
			}
			w = withTools(t, []*engine.Tool{{Name: "look", Kind: "read", ReadOnly: true, Run: run},
				{Name: "change", Kind: "other", Run: run}}, calls(tools...))
			w.on("tool_call", func(ev *event.Event) any {
				if ev.Text("call_id") != "b" || tools[1] != "look" {
					return nil
				}
				close(waits)
				return map[string]any{"tool": "change"}
			})
			w.prompt("go")
			equal(t, "request", w.request(1), "user:go\nassistant: [a] [b]\ntool>a:ran a\ntool>b:"+
				steeredText+"\nuser:stop that")
			equal(t, "skipped", w.tell("tool_skipped:cause", "turn_end:cause"),
				"tool_skipped steered\nturn_end steered\nturn_end normal")
			// skipped calls have the same fields as refused ones
			for _, ev := range w.all("tool_skipped") {
				for _, field := range []string{"kind", "read_only", "args", "reads", "writes",
					"unknown_writes"} {
					if ev.Field(field) == nil {
						t.Errorf("tool_skipped has no %s", field)
					}
				}
				equal(t, "origin", ev.Text("origin"), "model")
			}
		})
	}
}

func TestInputHandlersGetSteering(t *testing.T) {
	t.Parallel()
	for what, tt := range map[string]struct {
		returns any
		want    string
	}{
		"rewritten": {map[string]any{"text": "said better", "context": "note"},
			"user:go\nassistant:one\nuser:said better\nuser:<context " +
				"from=\"h.lua\">\nnote\n</context>"},
		"blocked":            {block("no"), ""},
		"handled":            {map[string]any{"handled": true}, ""},
		"made a bad command": {map[string]any{"text": "/nosuch"}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			a, reached, open := gate(answer{text: "one"})
			w := newWorld(t, Options{}, a)
			w.on("input", func(ev *event.Event) any {
				if ev.Text("kind") == "steer" {
					return tt.returns
				}
				return nil
			})
			d := w.desk()
			d.send(Input{Text: "go"})
			w.wait(reached)
			d.send(Input{Text: "x"})
			close(open)
			d.idle()
			equal(t, "ends", d.got(), "go: completed")
			if tt.want != "" {
				equal(t, "request", w.request(1), tt.want)
			} else if len(w.requests) != 1 {
				t.Errorf("got %d requests, want 1, because there was no new input", len(w.requests))
			}
		})
	}
}

// TestSteeringAtEveryMoment sends steering at every moment of a prompt and checks that no input is
// lost or repeated, and that the session stays valid.
func TestSteeringAtEveryMoment(t *testing.T) {
	t.Parallel()
	moments := []string{"input", "agent_before_start", "agent_start", "turn_start", "message_start",
		"message_delta", "message_end", "tool_call",
		"tool_approval", "tool_start", "tool_end", "tool_result", "tool_batch_end", "turn_end",
		"agent_before_end", "agent_end"}
	for _, moment := range moments {
		t.Run(moment, func(t *testing.T) {
			w := newWorld(t, Options{}, answer{text: "x", chunks: use("ls", "").chunks})
			var once sync.Once
			w.on(moment, func(*event.Event) any {
				once.Do(func() { w.agent.Send(Input{Text: "steer"}) })
				return nil
			})
			d := w.desk()
			d.send(Input{Text: "go"})
			d.idle()
			said := talk(w.saved().Messages("", 0))
			if strings.Count(said, "user:steer") != 1 || strings.Count(said, "user:go") != 1 {
				t.Errorf("got\n%s", said)
			}
		})
	}
}

// TestEscAtEveryMoment cancels a prompt at every moment and checks that it ends at once, and that
// the next prompt works.
func TestEscAtEveryMoment(t *testing.T) {
	t.Parallel()
	moments := []string{"input", "agent_before_start", "turn_start", "message_start",
		"message_delta", "tool_call", "tool_result", "tool_batch_end", "agent_before_end"}
	for _, moment := range moments {
		t.Run(moment, func(t *testing.T) {
			first := answer{text: "x", chunks: use("ls", "").chunks}
			// these have observers, which the model waits for
			if moment == "message_start" || moment == "message_delta" {
				first.after = func(ctx context.Context) { <-ctx.Done() }
			}
			w := newWorld(t, Options{}, first)
			var once sync.Once
			w.on(moment, func(ev *event.Event) any {
				once.Do(func() {
					w.agent.Send(Input{Text: "dropped", Kind: "follow_up"})
					if got := w.agent.Interrupt("hard"); len(got) != 1 || got[0].Text != "dropped" {
						t.Errorf("dropped: got %v", got)
					}
				})
				return nil
			})
			d := w.desk()
			d.send(Input{Text: "go"})
			d.idle()
			equal(t, "ends", d.got(), "go: cancelled")
			w.forget()
			if end := w.prompt("next"); end.Status != Completed {
				t.Errorf("next: got %+v", end)
			}
			w.saved()
		})
	}
}

func TestStopLetsTheBatchFinish(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("ls", ""), answer{text: "never said"})
	d := w.desk()
	w.on("tool_start", func(*event.Event) any { d.send(Input{Text: "/stop"}); return nil })
	w.on("tool_result", func(*event.Event) any {
		until(t, "stop", func() bool {
			return w.agent.queue.isHalted() &&
				d.got() == "/stop: handled"
		})
		return nil
	})
	d.send(Input{Text: "go"})
	d.idle()
	equal(t, "ends", d.got(), "/stop: handled\ngo: stopped")
	equal(t, "events", w.tell("interrupt:kind", "agent_end:status,error"),
		"interrupt graceful\nagent_end stopped stopped by the user")
	if end := w.prompt("next"); end.Status != Completed {
		t.Errorf("next: got %+v", end)
	}
}

func TestWorkWaitsForObservers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	n := 0
	w.on("agent_end", func(*event.Event) any {
		if n++; n < 3 {
			time.Sleep(time.Millisecond) // the observer is slow
			w.agent.Send(Input{Text: fmt.Sprint("more ", n), Kind: "follow_up",
				Source: "script:h.lua"})
		}
		return nil
	})
	if err := w.agent.Send(Input{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	var ends []string
	w.agent.Work(w.ctx, func(in Input, end End) { ends = append(ends, in.Text) })
	equal(t, "ends", strings.Join(ends, ","), "go,more 1,more 2")
	if got := w.tell("wait_input:cause"); got != "wait_input idle" {
		t.Errorf("got %s", got)
	}
	ev := w.last("input")
	equal(t, "source and origin", ev.Text("source")+" "+ev.Text("origin"), "script script:h.lua")
}

// TestWorkWaitsForTimeoutOfObserver checks that Work waits for an observer with a timeout of its
// own, which says that its work at the end is slow and wanted.
func TestWorkWaitsForTimeoutOfObserver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	timeout, sent := time.Minute, false
	w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "h.lua", Event: "agent_end",
		Timeout: &timeout,
		GoFn: func(context.Context, *event.Event) (any, error) {
			if !sent {
				sent = true
				time.Sleep(settleWait + settleWait/4)
				w.agent.Send(Input{Text: "more", Kind: "follow_up", Source: "script:h.lua"})
			}
			return nil, nil
		}})
	w.agent.Send(Input{Text: "go"})
	var ends []string
	w.agent.Work(w.ctx, func(in Input, end End) { ends = append(ends, in.Text) })
	equal(t, "ends", strings.Join(ends, ","), "go,more")
}

func TestInputSentAtIdleIsProcessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	n := 0
	w.on("wait_input", func(*event.Event) any {
		if n++; n == 1 {
			w.agent.Send(Input{Text: "one more", Source: "script:h.lua"})
		}
		return nil
	})
	w.agent.Send(Input{Text: "go"})
	var ends []string
	w.agent.Work(w.ctx, func(in Input, end End) { ends = append(ends, in.Text) })
	equal(t, "ends", strings.Join(ends, ","), "go,one more")
}

func TestIdleInputComesLast(t *testing.T) {
	t.Parallel()
	a, reached, open := gate(answer{text: "one"})
	w := newWorld(t, Options{}, a)
	d := w.desk()
	d.send(Input{Text: "go"})
	w.wait(reached)
	s := w.agent.Services()
	for _, when := range []string{"idle", "next", "steer"} {
		if err := s.Send(w.agent.Envelope(), when, when, "script:h.lua", 1); err != nil {
			t.Fatal(err)
		}
	}
	close(open)
	d.idle()
	equal(t, "ends", d.got(), "go: completed\nnext: completed\nidle: completed")
	equal(t, "steered", w.request(1), "user:go\nassistant:one\nuser:steer")
}

func TestEscEndsEndlessFollowUps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	var mu sync.Mutex
	n, over := 0, false
	w.on("agent_end", func(*event.Event) any {
		mu.Lock()
		defer mu.Unlock()
		if n++; !over {
			w.agent.Send(Input{Text: "again", Kind: "follow_up", Source: "script"})
		}
		return nil
	})
	d := w.desk()
	d.send(Input{Text: "go"})
	until(t, "a few rounds", func() bool { mu.Lock(); defer mu.Unlock(); return n > 5 })
	mu.Lock()
	over = true
	w.agent.Interrupt("hard")
	mu.Unlock()
	d.idle()
}

func TestContinuationIsLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.on("agent_before_end", func(ev *event.Event) any {
		if ev.Text("response") != "done" || ev.Text("last_user_message") != "go" {
			t.Errorf("got %q, %q", ev.Text("response"), ev.Text("last_user_message"))
		}
		return map[string]any{"continue_with": "go on"}
	})
	if end := w.prompt("go"); end.Status != Completed {
		t.Errorf("got %+v", end)
	}
	if len(w.requests) != 1+maxContinues {
		t.Errorf("got %d requests, want %d", len(w.requests), 1+maxContinues)
	}
	equal(t, "request", w.request(1),
		"user:go\nassistant:done\nuser:<context from=\"h.lua\">\ngo on\n</context>")
	until(t, "a notice", func() bool {
		return strings.Contains(w.tell("notification:message"), "h.lua continued the prompt")
	})
	equal(t, "causes", w.tell("turn_end:cause"), strings.Repeat("turn_end continue\n",
		maxContinues)+"turn_end normal")
}

func TestSendErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	if err := w.agent.Send(Input{Text: " \n"}); err == nil ||
		!strings.Contains(err.Error(), "empty") {
		t.Errorf("got %v", err)
	}
	w.agent.Close(w.ctx, "exit")
	if err := w.agent.Send(Input{Text: "x"}); err == nil ||
		!strings.Contains(err.Error(), "ended") {
		t.Errorf("got %v", err)
	}
}

func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	for range maxWaiting {
		if err := w.agent.Send(Input{Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.agent.Send(Input{Text: "x"}); err == nil ||
		!strings.Contains(err.Error(), "1000 inputs wait") {
		t.Errorf("got %v", err)
	}
}

// TestCloseDuringPrompt checks that Close cancels running work and that session_end is handled.
func TestCloseDuringPrompt(t *testing.T) {
	t.Parallel()
	a, reached, _ := gate(answer{text: "never said"})
	w := newWorld(t, Options{}, a)
	d := w.desk()
	d.send(Input{Text: "go"})
	w.wait(reached)
	d.send(Input{Text: "later", Kind: "follow_up"})
	heard := false
	w.on("session_end",
		func(*event.Event) any { time.Sleep(20 * time.Millisecond); heard = true; return nil })
	w.agent.Close(w.ctx, "signal")
	if !heard {
		t.Error("session_end was not handled")
	}
	until(t, "the end", func() bool { return d.got() == "go: cancelled" })
	equal(t, "events", w.tell("agent_end:status", "session_end:cause"),
		"agent_end cancelled\nsession_end signal")
	if len(w.requests) != 1 {
		t.Errorf("got %d requests", len(w.requests))
	}
	w.saved()
}

// TestCloseAbandonsHangingTool checks that session_end is handled even if a tool does not stop.
func TestCloseAbandonsHangingTool(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	defer close(stuck)
	began := make(chan struct{})
	stubborn := &engine.Tool{Name: "stubborn", Kind: "other",
		Run: func(context.Context, *engine.Use) (*engine.Result, error) {
			close(began)
			<-stuck
			return nil, nil
		}}
	w := withTools(t, []*engine.Tool{stubborn}, calls("stubborn"))
	go w.agent.Prompt(w.ctx, Input{Text: "go"})
	w.wait(began)
	var heard atomic.Bool
	w.on("session_end", func(*event.Event) any { heard.Store(true); return nil })
	w.agent.Close(w.ctx, "exit")
	if !heard.Load() {
		t.Error("session_end was not handled")
	}
}
