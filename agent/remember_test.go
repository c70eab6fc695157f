package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/service"
)

// recordMessages returns a handler of llm_message that records which messages it gets, and then
// calls f, which may be nil.
func recordMessages(asked *[]string, f func(ev *event.Event) any) *engine.Handler {
	return &engine.Handler{Name: "h.lua", Event: "llm_message", Line: 1,
		GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			m := ev.Field("message").(*chat.Message)
			*asked = append(*asked, ev.Text("purpose")+" "+m.Role+":"+chat.PlainText(m.Content))
			if f == nil {
				return nil, nil
			}
			return f(ev), nil
		}}
}

func TestMessageIsHandledOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("bash", `{"command":"echo key"}`))
	var asked []string
	upper := func(ev *event.Event) any {
		m := ev.Field("message").(*chat.Message)
		return map[string]any{"content": strings.ToUpper(chat.PlainText(m.Content))}
	}
	remove := w.engine.Scripts.AddGoHandler(recordMessages(&asked, upper))
	w.prompt("one")
	w.prompt("two")
	equal(t, "asked", strings.Join(asked, "\n"),
		"agent user:one\nagent assistant:\nagent tool:key\n\nagent assistant:done\nagent user:two")
	equal(t, "the model sees", w.request(2),
		"user:ONE\nassistant: [t-bash]\ntool>t-bash:KEY\n\nassistant:DONE\nuser:TWO")
	equal(t, "the session has", talk(w.saved().Messages("", 0)),
		"user:one\nassistant: [t-bash]\ntool>t-bash:key\n\nassistant:done\nuser:two\n"+
			"assistant:done")
	if w.requests[1].Messages[0] != w.requests[2].Messages[0] {
		t.Error("the copy of a message changes each time")
	}
	// Another handler gets all of them again.
	asked = nil
	remove()
	w.engine.Scripts.AddGoHandler(recordMessages(&asked, nil))
	w.prompt("three")
	if len(asked) != 7 {
		t.Errorf("the other handler got %q", asked)
	}
	equal(t, "the model sees", w.request(3)[:8], "user:one")
}

func TestRewrittenMessagesAreHandled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("ls", ""))
	var asked []string
	w.engine.Scripts.AddGoHandler(recordMessages(&asked, func(ev *event.Event) any {
		m := ev.Field("message").(*chat.Message)
		return map[string]any{"content": strings.ReplaceAll(chat.PlainText(m.Content), "hunter2",
			"***")}
	}))
	add := func(text string) func(ev *event.Event) any {
		return func(ev *event.Event) any {
			list := ev.Field("messages").(chat.MessageList)
			out := []any{map[string]any{"role": "user", "content": text}}
			for _, m := range list {
				out = append(out, m)
			}
			return map[string]any{"messages": out}
		}
	}
	w.on("context", add("context hunter2"))
	w.on("llm_request", add("request hunter2"))
	w.prompt("go")
	equal(t, "the model sees", w.request(1),
		"user:request ***\nuser:context ***\nuser:go\nassistant: [t-ls]\ntool>t-ls:[empty "+
			"directory]\n")
	equal(t, "asked", strings.Join(asked, "\n"),
		"agent user:context hunter2\nagent user:go\nagent user:request hunter2\nagent "+
			"assistant:\nagent tool:[empty directory]\n")
}

func TestOmittedMessagesAreRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("ls", ""), use("ls", ""))
	var asked []string
	w.engine.Scripts.AddGoHandler(recordMessages(&asked, nil))
	w.on("llm_request", func(ev *event.Event) any {
		return map[string]any{"messages": []any{ev.Field("messages").(chat.MessageList)[0]}}
	})
	w.prompt("go")
	if len(asked) != 5 || len(w.requests) != 3 || w.request(2) != "user:go" {
		t.Errorf("handled: got %q", asked)
	}
}

func TestFailedHandlerIsCalledAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("ls", ""))
	n := 0
	w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "h.lua", Event: "llm_message", Line: 1,
		GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			if n++; n == 1 {
				return nil, errors.New("not yet")
			}
			return map[string]any{"content": "x"}, nil
		}})
	w.prompt("go")
	equal(t, "first", w.request(0), "user:go")
	equal(t, "second", w.request(1), "user:x\nassistant:x [t-ls]\ntool>t-ls:x")
}

func TestMessagesKeepTheirIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("ls", ""))
	w.on("context", func(ev *event.Event) any {
		list := slices.Clone(ev.Field("messages").(chat.MessageList))
		out := make([]any, len(list))
		for i, m := range list {
			out[i] = m
		}
		if len(out) > 1 {
			out[0] = map[string]any{"id": list[0].ID, "role": "user", "content": "edited"}
		}
		return map[string]any{"messages": out}
	})
	w.prompt("go")
	ms := w.agent.Session().Messages("", 0)
	got := w.requests[1].Messages
	if got[1] != ms[1] || got[2] != ms[2] || got[0] == ms[0] || got[0].ID != ms[0].ID ||
		chat.PlainText(got[0].Content) != "edited" {
		t.Errorf("got %s", talk(got))
	}
	equal(t, "session", chat.PlainText(ms[0].Content), "go")
}

func TestScriptRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{},
		answer{chunks: []chat.Chunk{{Text: "fo"}, {Reasoning: "hm"}, {Text: "rty"}},
			finish: chat.Finish{Reason: "stop", Usage: &chat.Usage{Input: 1000, Output: 500}}})
	var purposes []string
	for _, name := range []string{"llm_message", "llm_request", "llm_response"} {
		w.on(name, func(ev *event.Event) any {
			purposes = append(purposes, name+" "+ev.Text("purpose"))
			return nil
		})
	}
	var heard string
	ask := func(c *service.ModelCall) (*service.ModelAnswer, error) {
		return w.agent.Services().Complete(w.ctx, w.agent.Envelope(), c)
	}
	got, err := ask(&service.ModelCall{Model: "small", System: "s", MaxTokens: 7,
		Messages: []*chat.Message{userText("6*7-2?")}, OnDelta: func(s string) { heard += s }})
	if err != nil {
		t.Fatal(err)
	}
	if got.Text != "forty" || got.Usage.Input != 1000 || got.Cost == nil || *got.Cost != 0.002 ||
		got.Finish != "stop" || heard != "forty" {
		t.Errorf("got %+v, heard %q", got, heard)
	}
	equal(t, "handlers", strings.Join(purposes, ", "),
		"llm_message script, llm_request script, llm_response script")
	if req := w.requests[0]; req.Purpose != "script" || req.System != "s" ||
		req.Options["max_tokens"] != 7.0 || len(req.Tools) != 0 {
		t.Errorf("request: got %+v", req)
	}
	if w.count("message_start")+w.count("message_end")+w.count("message_delta") > 0 ||
		w.agent.Envelope().Cost() != 0.002 || w.agent.Envelope().Window()["tokens"] != 0 {
		t.Errorf("got cost %v, window %v and\n%s", w.agent.Envelope().Cost(),
			w.agent.Envelope().Window(), w.trace())
	}
	w.prompt("go")
	if u := w.saved().Used(false); u.Cost != 0.002 || u.Requests != 2 || u.Turns != 1 {
		t.Errorf("session: got %+v", u)
	}
	equal(t, "the conversation", talk(w.saved().Messages("", 0)), "user:go\nassistant:done")
}

func TestScriptRequestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer answer
		event  string
		call   service.ModelCall
		want   string
	}{
		{"no messages", answer{}, "", service.ModelCall{},
			"invalid: the script left no messages: a model cannot be asked nothing"},
		{"no such model", answer{}, "", service.ModelCall{Model: "no/m",
			Messages: []*chat.Message{userText("x")}},
			`not_found: model no/m: no model provider "no"; there is fake`},
		{"it fails", answer{err: errors.New("no credit")}, "",
			service.ModelCall{Messages: []*chat.Message{userText("x")}},
			"failed: model fake/m: no credit"},
		{"too large", answer{err: &fault.FailError{Message: "too long", Overflow: true}}, "",
			service.ModelCall{Messages: []*chat.Message{userText("x")}},
			"overflow: model fake/m: too long"},
		{"refused", answer{}, "llm_request",
			service.ModelCall{Messages: []*chat.Message{userText("x")}},
			"refused: refused by h.lua: no"},
	}
	for _, tt := range tests {
		w := newWorld(t, Options{}, tt.answer)
		if tt.event != "" {
			w.on(tt.event, func(*event.Event) any { return block("no") })
		}
		_, err := w.agent.asker.Complete(w.ctx, &tt.call)
		var we *fault.WorldError
		if !errors.As(err, &we) || we.Code+": "+we.Message != tt.want {
			t.Errorf("%s: got %v (%+v), want %s", tt.name, err, we, tt.want)
		}
		if w.count("error") > 0 {
			t.Errorf("%s: the error is reported to the user, too", tt.name)
		}
	}
}

func TestStructuredAnswers(t *testing.T) {
	t.Parallel()
	schema := map[string]any{"type": "object",
		"properties": map[string]any{"n": map[string]any{"type": "number"}}, "required": []any{"n"}}
	tests := []struct{ first, second, want string }{
		{`{"n": 40}`, "", "map[n:40] 1"},
		{"Here it is:\n```json\n{\"n\": 40}\n```\n", "", "map[n:40] 1"},
		{"forty", `{"n": 40}`, "map[n:40] 2"},
		{"forty", "fourty",
			`invalid: the model's answer does not fit the schema: not JSON: "fourty" 2`},
		{"", `{"n": 40}`, "map[n:40] 2"},
	}
	for _, tt := range tests {
		w := newWorld(t, Options{}, answer{text: tt.first}, answer{text: tt.second})
		a, err := w.agent.asker.Complete(w.ctx, &service.ModelCall{Schema: schema,
			Messages: []*chat.Message{userText("x")}})
		got := ""
		var we *fault.WorldError
		switch {
		case err == nil:
			got = fmt.Sprint(a.Data)
		case errors.As(err, &we):
			got = we.Code + ": " + we.Message
		}
		equal(t, tt.first, fmt.Sprint(got, " ", len(w.requests)), tt.want)
	}
}

func TestNestedRequestsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	var errs []error
	w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "h.lua", Event: "llm_request",
		GoFn: func(ctx context.Context, ev *event.Event) (any, error) {
			if _, err := w.agent.asker.Complete(ctx,
				&service.ModelCall{Messages: []*chat.Message{userText("x")}}); err != nil {
				errs = append(errs, err)
			}
			return nil, nil
		}})
	if end := w.prompt("go"); end.Status != Completed || len(w.requests) != 4 {
		t.Errorf("got %+v after %d requests", end, len(w.requests))
	}
	var we *fault.WorldError
	if len(errs) != 1 || !errors.As(errs[0], &we) || we.Code != "refused" {
		t.Errorf("got %v", errs)
	}
}

func TestTooLargeConversation(t *testing.T) {
	t.Parallel()
	over := answer{err: &fault.FailError{Message: "prompt is too long", Status: 400,
		Overflow: true}}
	// small returns a world whose model has a small context.
	small := func(answers ...answer) *world {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		w := &world{t: t, ctx: ctx, home: t.TempDir(), context: 20_000, answers: answers}
		w.start(Options{}, cancel)
		w.prompt(strings.Repeat("long ago ", 300))
		return w
	}
	w := small(answer{text: "old"}, over, answer{text: "the summary of hunter2"},
		answer{text: "it fits"})
	w.on("assistant_message", hides)
	end := w.prompt("second")
	if end.Status != Completed || end.Response != "it fits" || w.count("error") > 0 {
		t.Errorf("got %+v\n%s", end, w.trace())
	}
	if ev := w.last("llm_retry"); ev.Text("cause") != "overflow" ||
		w.last("session_compact").Text("cause") != "overflow" {
		t.Errorf("got %v", ev)
	}
	if secret.MatchString(w.streamed()) ||
		w.last("session_compact").Text("summary") != "the summary of ***" {
		t.Errorf("the stream:\n%s", w.streamed())
	}
	w = small(answer{text: "old"}, over, answer{text: "the summary"}, over, answer{text: "never"})
	end = w.prompt("second")
	if end.Status != Failed || !strings.Contains(end.Error,
		"does not fit into the model's context") || w.count("error") != 1 || len(w.requests) != 4 {
		t.Errorf("got %+v, %d errors, %d requests", end, w.count("error"), len(w.requests))
	}
	// A script that refuses the compaction may have made room itself.
	w = small(answer{text: "old"}, over, answer{text: "it fits"})
	w.on("session_before_compact", func(*event.Event) any { return block("I do that myself") })
	if end := w.prompt("second"); end.Status != Completed || end.Response != "it fits" {
		t.Errorf("got %+v", end)
	}
}

// TestTooLargeAgainstTheEstimate checks that the conversation is compacted when the provider
// rejects it, even if the estimate was small.
func TestTooLargeAgainstTheEstimate(t *testing.T) {
	t.Parallel()
	over := answer{err: &fault.FailError{Message: "prompt is too long", Status: 400,
		Overflow: true}}
	w := newWorld(t, Options{}, answer{text: "old"}, over, answer{text: "the summary"},
		answer{text: "it fits"})
	w.prompt("first")
	if end := w.prompt("second"); end.Status != Completed || end.Response != "it fits" {
		t.Errorf("got %+v\n%s", end, w.trace())
	}
	if got := w.request(3); strings.Contains(got, "user:first") ||
		!strings.Contains(got, "the summary") || !strings.HasSuffix(got, "user:second") {
		t.Errorf("got\n%s", got)
	}
	// With only one prompt, the last step of its work stays.
	w = newWorld(t, Options{}, use("nosuch", ""), use("nosuch", ""), over,
		answer{text: "the summary"}, answer{text: "it fits"})
	if end := w.prompt("only"); end.Status != Completed || end.Response != "it fits" {
		t.Errorf("got %+v\n%s", end, w.trace())
	}
	if got := w.request(4); !strings.Contains(got, "the summary") ||
		!strings.Contains(got, "user:only") || strings.Count(got, "tool>") != 1 {
		t.Errorf("got\n%s", got)
	}
}

func TestStreamedTextIsNotRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{Sleep: func(context.Context, time.Duration) error { return nil }},
		answer{text: "half", err: &fault.FailError{Message: "cut", Status: 503}})
	var heard string
	_, err := w.agent.asker.Complete(w.ctx,
		&service.ModelCall{Messages: []*chat.Message{userText("x")},
			OnDelta: func(s string) { heard += s }})
	if err == nil || heard != "half" || len(w.requests) != 1 {
		t.Errorf("got %v, heard %q after %d requests", err, heard, len(w.requests))
	}
}

func TestScriptContextsAreMasked(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	w := &world{t: t, ctx: ctx, home: t.TempDir(), runtimes: []engine.Runtime{redacting{}}}
	w.start(Options{}, cancel)
	g, err := w.engine.Scripts.Load(w.ctx, &scriptfile.Script{Name: "a.redact", Path: "/a.redact"})
	if err != nil {
		t.Fatal(err)
	}
	w.engine.Scripts.Swap([]*engine.Generation{g}, nil)
	w.on("llm_request",
		rewrite(map[string]any{"messages": []any{map[string]any{"role": "user",
			"content": "the pin is pin-1234"}}}))
	w.prompt("go")
	equal(t, "request", w.request(0), "user:the pin is [redacted:pin]")
}
