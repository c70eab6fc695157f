package agent

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/ui"
)

// deadline is the timeout of every wait of these tests.
const deadline = 3 * time.Minute

// answer is one reply of the fake model.
type answer struct {
	text   string
	chunks []chat.Chunk // besides the text
	finish chat.Finish
	err    error
	before func(ctx context.Context) // runs first
	after  func(ctx context.Context) // runs after the chunks were sent
}

// use returns an answer that calls a tool.
func use(name, args string) answer {
	return answer{chunks: []chat.Chunk{
		{ToolCall: &chat.ToolCallDelta{ID: "t-" + name, Name: name, ArgsDelta: args}}}}
}

// world is an agent with a fake model, and its results.
type world struct {
	scripttest.Cancels

	t       *testing.T
	ctx     context.Context
	home    string
	engine  *engine.Engine
	agent   *Agent
	context int // of the model, in tokens; 0 = a large one
	answers []answer
	// by the first message of the conversation, one for each turn; answers are not used then
	script map[string][]answer
	tap    func(emit func(chat.Chunk)) // sees each request's emit; may be nil

	mu       sync.Mutex
	requests []*chat.Request
	events   []*event.Event
	confirm  func() (bool, error)
	dialogs  []*ui.Dialog // those that Confirm answered
	tools    []*engine.Tool
	runtimes []engine.Runtime
	host     *host.Table // of functions that work; nil: the functions do nothing
	approver engine.Approver
}

func (w *world) stream(ctx context.Context, req *chat.Request,
	emit func(chat.Chunk)) (chat.Finish, error) {
	w.mu.Lock()
	a := answer{text: "done", finish: chat.Finish{Reason: "stop"}}
	if n := len(w.requests); n < len(w.answers) {
		a = w.answers[n]
	}
	if w.script != nil {
		a = w.scripted(req, a)
	}
	w.requests = append(w.requests, req)
	w.mu.Unlock()
	if w.tap != nil {
		w.tap(emit)
	}
	if a.before != nil {
		a.before(ctx)
	}
	if a.text != "" {
		emit(chat.Chunk{Text: a.text})
	}
	for _, c := range a.chunks {
		emit(c)
	}
	if a.after != nil {
		a.after(ctx)
	}
	return a.finish, a.err
}

// scripted returns the script's next answer in the conversation, or usual if the script has none.
func (w *world) scripted(req *chat.Request, usual answer) answer {
	turn := 0
	for _, m := range req.Messages {
		if m.Role == "assistant" {
			turn++
		}
	}
	if answers := w.script[chat.PlainText(req.Messages[0].Content)]; turn < len(answers) {
		return answers[turn]
	}
	return usual
}

// forget makes the model answer "done" from now on.
func (w *world) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = nil
}

func (w *world) Confirm(_ context.Context, q *ui.Dialog) (bool, error) {
	w.mu.Lock()
	w.dialogs = append(w.dialogs, q)
	w.mu.Unlock()
	return w.confirm()
}

// newWorld returns an agent in yolo mode whose model gives the answers in order, and then "done".
func newWorld(t *testing.T, o Options, answers ...answer) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	w := &world{t: t, ctx: ctx, answers: answers, home: t.TempDir()}
	return w.start(o, cancel)
}

func (w *world) start(o Options, cancel func()) *world {
	if o.Output == nil {
		o.Output = output.New(w.home)
	}
	eo := engine.Options{API: spec.API(), Host: scripttest.Funcs(),
		Runtimes: w.runtimes,
		Tools:    append(tool.Builtin(tool.Options{Jobs: o.Jobs, Output: o.Output}), w.tools...),
		Providers: []*engine.Provider{{Name: "fake",
			Models: []chat.Model{{ID: "m", Context: cmp.Or(w.context, 100_000),
				Price: &chat.Price{Input: 1, Output: 2}}}, Stream: w.stream}},
		Emit: func(ev *event.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, ev)
		}}
	eo.Approver = w.approver
	if w.host != nil {
		eo.Host, eo.Fact = w.host.Funcs(), w.host.Fact
	}
	if w.confirm != nil {
		eo.Dialogs = w
	}
	e := scripttest.NewEngine(w.t, eo)
	o.Engine, o.Home = e, w.home
	if o.Dir == "" {
		o.Dir = w.t.TempDir()
	}
	if o.Permission == "" {
		o.Permission = event.PermissionYolo
	}
	w.engine = e
	var err error
	if w.agent, err = New(o); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		w.agent.Close(w.ctx, "exit")
		cancel()
	})
	return w
}

// on adds a handler written in Go.
func (w *world) on(name string, f func(ev *event.Event) any) {
	w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "h.lua", Event: name, Line: 1,
		GoFn: func(_ context.Context, ev *event.Event) (any, error) { return f(ev), nil }})
}

func (w *world) prompt(text string) End {
	w.t.Helper()
	return w.agent.Prompt(w.ctx, Input{Text: text, Source: "cli"})
}

// trace lists the events so far, except those of the given names, with the important fields.
func (w *world) trace() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, ev := range w.events {
		s := ev.Name()
		for _, f := range []string{"cause", "status", "text", "delta", "kind", "error"} {
			if v, ok := ev.Field(f).(string); ok && strings.Contains(fields[ev.Name()], f) {
				s += " " + v
			}
		}
		if slices.Contains(strings.Fields(fields["-"]), ev.Name()) {
			continue
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

var fields = map[string]string{"-": "busy_change tool_batch_end agent_before_end tool_approval " +
	"tool_output tool_call hook_finished llm_request llm_response tool_input_start " +
	"tool_input_delta tool_input_end", "session_start": "cause", "session_end": "cause",
	"turn_end": "cause error", "agent_end": "status error", "message_delta": "kind delta",
	"message_end": "text", "tool_skipped": "cause"}

func (w *world) last(event string) *event.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.events) - 1; i >= 0; i-- {
		if w.events[i].Name() == event {
			return w.events[i]
		}
	}
	w.t.Fatalf("no event %s", event)
	return nil
}

// talk returns the conversation of a request: role:text, and role>call for results.
func talk(ms []*chat.Message) string {
	var out []string
	for _, m := range ms {
		s := m.Role + ":" + chat.PlainText(m.Content)
		if m.Role == "tool" {
			s = "tool>" + m.CallID + ":" + chat.PlainText(m.Content)
		}
		for _, u := range m.ToolCalls {
			s += " [" + u.ID + "]"
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func (w *world) request(n int) string {
	w.t.Helper()
	if n >= len(w.requests) {
		w.t.Fatalf("got %d requests, want number %d", len(w.requests), n)
	}
	return talk(w.requests[n].Messages)
}

// saved reads the session from its file and checks that it is a valid conversation.
func (w *world) saved() *session.Session {
	w.t.Helper()
	s, err := session.Load(w.agent.Envelope().SessionPath)
	if err != nil {
		w.t.Fatal(err)
	}
	open := map[string]bool{}
	for _, e := range s.Entries() {
		if e.Message == nil {
			continue
		}
		if e.Message.Role != "tool" && len(open) > 0 {
			w.t.Errorf("calls without a result in the file: %v", open)
		}
		for _, u := range e.Message.ToolCalls {
			if open[u.ID] {
				w.t.Errorf("call id %s twice", u.ID)
			}
			open[u.ID] = true
		}
		if e.Message.Role == "tool" {
			if !open[e.Message.CallID] {
				w.t.Errorf("a result without a call: %s", e.Message.CallID)
			}
			delete(open, e.Message.CallID)
		}
	}
	if len(open) > 0 {
		w.t.Errorf("calls without a result in the file: %v", open)
	}
	return s
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
	}
}

func block(reason string) any { return map[string]any{"block": true, "reason": reason} }

func userText(text string) *chat.Message {
	return &chat.Message{Role: "user", Content: engine.TextResult(text).Content}
}
