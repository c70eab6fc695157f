package remote_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/ui"
)

// deadline is the timeout of every wait of these tests.
const deadline = 30 * time.Second

const secret = "hunter2-hunter2"

// wire is a protocol that records what it receives.
type wire struct {
	t       *testing.T
	s       *remote.Session
	user    remote.User
	model   func(ctx context.Context) // called before the model answers; may be nil
	answers func(q *remote.Question) (remote.Answer, error)

	mu    sync.Mutex
	told  []string // ends of prompts, and what was inserted
	asked []*remote.Question
	ended chan string // ids of prompts whose end was answered
}

func newWire(t *testing.T, model func(ctx context.Context)) *wire {
	t.Helper()
	w := &wire{t: t, model: model, ended: make(chan string, 100)}
	w.s = remote.New(t.Context())
	err := w.s.Open(remote.Wire{Emit: func(*event.Event) {}, Exit: func() {}, Ask: w.ask,
		Insert: func(text string) { w.tell("insert " + text) }}, w.open)
	if err == nil {
		err = w.s.Program().Start(w.s.Life())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.s.Close("exit") })
	return w
}

func (w *wire) open(u remote.User) (*remote.Program, error) {
	w.user = u
	a, err := agent.New(agent.Options{Dir: w.t.TempDir(), Secrets: []string{secret},
		Permission: event.PermissionYolo, Emit: u.Emit, Approver: u.Approver, Dialogs: u.Dialogs,
		Scripts: agent.Scripts{Off: true},
		Providers: []*engine.Provider{{Name: "fake", Models: []chat.Model{{ID: "m"}},
			Stream: func(ctx context.Context, _ *chat.Request,
				emit func(chat.Chunk)) (chat.Finish, error) {
				if w.model != nil {
					w.model(ctx)
				}
				emit(chat.Chunk{Text: "done"})
				return chat.Finish{Reason: "stop"}, ctx.Err()
			}}}})
	if err != nil {
		return nil, err
	}
	return &remote.Program{Engine: a.Engine(), Agent: a,
			Start: func(ctx context.Context) error { return a.Start(ctx, "startup") },
			Close: a.Close},
		nil
}

func (w *wire) ask(_ context.Context, q *remote.Question) (remote.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, q)
	return w.answers(q)
}

func (w *wire) tell(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, text)
}

// send sends a prompt and records its end with the text.
func (w *wire) send(text string) (id string) {
	w.t.Helper()
	id, err := w.s.Send(agent.Input{Text: text}, func(id string, end agent.End) func() {
		w.tell(fmt.Sprint(text, " ", end.Status, " prompting ", w.s.Prompting()))
		return func() { w.ended <- id }
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// wait waits for the ends of prompts, in any order.
func (w *wire) wait(ids ...string) {
	w.t.Helper()
	for range ids {
		select {
		case got := <-w.ended:
			if !slices.Contains(ids, got) {
				w.t.Errorf("got the end of %s, want that of %s", got, ids)
			}
		case <-time.After(deadline):
			w.t.Fatal("the end was not reported")
		}
	}
}

func (w *wire) wantTold(lines ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if got, want := strings.Join(w.told, "\n"), strings.Join(lines, "\n"); got != want {
		w.t.Errorf("told:\n%s\nwant:\n%s", got, want)
	}
}

func TestEndIsReportedOnce(t *testing.T) {
	w := newWire(t, nil)
	w.s.Go(func() { w.s.Work() })
	w.wait(w.send("one"))
	if w.s.Prompting() {
		t.Error("Prompting is true after the end was answered")
	}
	w.wait(w.send("/nonsense"))
	w.s.Close("exit")
	w.s.Close("exit")
	w.wantTold("one completed prompting true", "/nonsense error prompting true")
	if _, err := w.s.Send(agent.Input{Text: "late"}, nil); !errors.Is(err, remote.ErrEnding) {
		t.Errorf("after the end: got %v", err)
	}
	if w.s.Go(func() { t.Error("it runs") }) {
		t.Error("Go after Close: got true")
	}
}

func TestInterruptDropsQueue(t *testing.T) {
	working := make(chan struct{})
	w := newWire(t, func(ctx context.Context) {
		close(working)
		<-ctx.Done()
	})
	w.s.Go(func() { w.s.Work() })
	one := w.send("one")
	<-working
	two := w.send("two")
	if got := w.s.Interrupt("hard"); len(got) != 1 || got[0] != two {
		t.Errorf("dropped: got %q, want the queued prompt", got)
	}
	w.wait(one, two) // the interrupted prompt may end first
	slices.Sort(w.told)
	w.wantTold("one cancelled prompting true", "two cancelled prompting true")
}

// TestCloseEndsUnprocessedPrompts checks that Close ends prompts if Work was never called.
func TestCloseEndsUnprocessedPrompts(t *testing.T) {
	w := newWire(t, nil)
	id := w.send("one")
	w.s.Close("signal")
	w.wait(id)
	w.wantTold("one cancelled prompting true")
}

func TestLeaveWaitsForPrompts(t *testing.T) {
	w := newWire(t, nil)
	one := w.send("one")
	w.s.Leave()
	if !w.s.Work() {
		t.Error("got false, want true, because nothing is left to do")
	}
	w.wait(one)
}

func TestQuestionsAreMasked(t *testing.T) {
	w := newWire(t, nil)
	w.answers = func(q *remote.Question) (remote.Answer, error) {
		return remote.Answer{Values: []string{q.Choices[1].Value}, Text: "x", Yes: true}, nil
	}
	d := &ui.Dialog{Kind: "select", Title: "is it " + secret, Detail: secret,
		Choices: []ui.Choice{{Value: secret}, {Value: secret + " "}, {Value: "other",
			Label: secret, Description: secret}}, Picked: []string{"other"}}
	got, ok, err := w.user.Dialogs.Select(t.Context(), d)
	if got != secret+" " || !ok || err != nil {
		t.Errorf("got %q, %v, %v, want the script's unmasked value", got, ok, err)
	}
	q := w.asked[0]
	if text := fmt.Sprintf("%+v", *q); strings.Count(strings.ReplaceAll(text, "value:"+secret, ""),
		secret) > 0 || !q.Choices[2].Picked || q.Choices[0].Value == q.Choices[1].Value {
		t.Errorf("asked: %s", text)
	}
	w.answers = func(*remote.Question) (remote.Answer, error) {
		return remote.Answer{Yes: true}, remote.ErrAway
	}
	if _, ok, err := w.user.Dialogs.Select(t.Context(), d); ok || err != nil {
		t.Errorf("no answer: got %v, %v", ok, err)
	}
	if yes, err := w.user.Dialogs.Confirm(t.Context(), d); yes || !errors.Is(err, remote.ErrAway) {
		t.Errorf("no answer to a yes-or-no question: got %v, %v", yes, err)
	}
}

func TestDecisions(t *testing.T) {
	w := newWire(t, nil)
	args := map[string]any{"command": "echo " + secret, "n": 1.0}
	for _, tt := range []struct {
		q        engine.Question
		decision string
		args     map[string]any
		want     string
	}{
		{engine.Question{}, remote.ForRest, nil, "allow session"},
		{engine.Question{}, remote.Always, nil,
			`decision: got "always", want one of once, session, reject`},
		{engine.Question{Always: "bash(echo *)"}, remote.Always, nil, "allow always"},
		{engine.Question{Always: "bash(echo *)",
			Asks: []engine.Ask{{Failure: &fault.ScriptError{}}}}, remote.Always, nil,
			`decision: got "always", want one of once, reject`},
		{engine.Question{}, "", nil, "decision: got nothing, want one of once, session, reject"},
		{engine.Question{}, remote.Reject, map[string]any{}, "args: they do not run"},
		{engine.Question{}, remote.Reject, nil, "reject"},
		{engine.Question{}, remote.Once, map[string]any{"command": "masked", "n": 2.0},
			"allow echo " + secret + " 2"},
		{engine.Question{}, remote.Once, map[string]any{"command": "rm masked"},
			"args.command: masked text in it was moved or changed"},
	} {
		tt.q.Call = &engine.Call{ID: "c", Tool: "bash", Args: args}
		w.answers = func(q *remote.Question) (remote.Answer, error) {
			shown, _ := q.Approval.Args["command"].(string)
			if strings.Contains(shown, secret) || !strings.HasPrefix(shown, "echo [redacted:") {
				t.Errorf("shown: %s", shown)
			}
			for k, v := range tt.args {
				switch v {
				case "masked":
					tt.args[k] = shown
				case "rm masked":
					tt.args[k] = "rm " + shown
				}
			}
			d := remote.Decision{Option: tt.decision, Args: tt.args}
			return q.Approval.Decide(d)
		}
		a, err := w.user.Approver.Approve(t.Context(), &tt.q)
		got := "reject"
		switch {
		case err != nil:
			got = err.Error()
		case a.Allow && a.Args != nil:
			got = fmt.Sprint("allow ", a.Args["command"], " ", a.Args["n"])
		case a.Allow:
			got = "allow"
			if a.Session {
				got += " session"
			}
			if a.Always {
				got += " always"
			}
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.decision, got, tt.want)
		}
	}
}

func TestDataIsMasked(t *testing.T) {
	w := newWire(t, nil)
	p := w.s.Program()
	in, err := p.Engine.Scripts.Install(engine.Plugin{Name: "p", Commands: []*engine.Command{{
		Name: "door", Description: "opens " + secret, GoRun: func(context.Context, *event.Envelope,
			any) (slash.Result, error) {
			return slash.Result{Insert: "knock " + secret}, nil
		}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Remove)
	found := false
	for _, c := range w.s.Commands() {
		if strings.Contains(c.Description, secret) {
			t.Errorf("/%s: %s", c.Name, c.Description)
		}
		found = found || c.Name == "door" && !c.Own
	}
	if !found {
		t.Errorf("got %+v, want door among them", w.s.Commands())
	}
	w.s.Go(func() { w.s.Work() })
	w.wait(w.send("/door"))
	w.wantTold("insert knock [redacted:secret]", "/door handled prompting true")
	if _, err := p.Agent.Session().Append(session.Entry{Message: &chat.Message{Role: "user",
		Content: engine.TextResult("before there was a redactor: " +
			secret).Content}}); err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v", w.s.History()); strings.Contains(text, secret) ||
		!strings.Contains(text, "before there was") {
		t.Errorf("history: %s", text)
	}
	if m := w.s.Models(t.Context(), true); m.Current != "fake/m" || len(m.Usable) != 1 {
		t.Errorf("models: got %+v", m)
	}
}
