package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/vm"
)

// rewrite returns a handler that returns fields.
func rewrite(fields map[string]any) func(*event.Event) any {
	return func(*event.Event) any { return fields }
}

// told returns the notices so far.
func (w *world) told() string {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, ev := range w.events {
		if ev.Name() == "notification" {
			out = append(out, ev.Text("message"))
		}
	}
	return strings.Join(out, "\n")
}

// streamed returns the user's stream of events, as JSON.
func (w *world) streamed() string {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, ev := range w.events {
		j, err := ev.MarshalJSON()
		if err != nil {
			w.t.Fatal(err)
		}
		b.Write(append(j, '\n'))
	}
	return b.String()
}

func (w *world) count(event string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, ev := range w.events {
		if ev.Name() == event {
			n++
		}
	}
	return n
}

func TestRequestsAreRewritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.on("llm_request",
		rewrite(map[string]any{"model": "fake/other", "tools": []any{"ls"}, "tool_choice": "ls",
			"options": map[string]any{"temperature": 0.5}}))
	w.prompt("go")
	req := w.requests[0]
	if req.Model != "other" || len(req.Tools) != 1 || req.Tools[0].Name != "ls" ||
		req.ToolChoice != "ls" || req.Options["temperature"] != 0.5 {
		t.Errorf("got %+v", req)
	}
	if ev := w.last("llm_response"); ev.Text("model") != "fake/other" ||
		ev.Text("purpose") != "agent" {
		t.Errorf("llm_response: got %s %s", ev.Text("model"), ev.Text("purpose"))
	}
	if got := w.agent.Envelope().Model; got != "fake/m" {
		t.Errorf("the agent's own model is %s now", got)
	}
}

func TestInvalidRequestRewrites(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		returns map[string]any
		want    string // the notice to the user
	}{
		{"a model of nobody", map[string]any{"model": "fkae/m"},
			`h.lua: model: model fkae/m: no model provider "fkae"; did you mean "fake"?; it ` +
				`stays as it was`},
		{"an unknown tool", map[string]any{"tools": []any{"bush"}},
			`h.lua: tools: tools[1]: unknown tool "bush"; did you mean ` +
				`"bash"?; it stays as it was`},
		{"a tool twice", map[string]any{"tools": []any{"ls", "ls"}},
			"h.lua: tools: got the tool ls twice; it stays as it was"},
		{"a tool that cannot be named so",
			map[string]any{"tools": []any{map[string]any{"name": "a b"}}},
			`h.lua: tools: got a tool named "a b", want at most 64 letters, digits, _ and -; it ` +
				`stays as it was`},
		{"a choice that is not offered", map[string]any{"tools": []any{"ls"},
			"tool_choice": "bash"},
			`h.lua: tool_choice: got "bash", want auto, none, required, or a tool that is ` +
				`offered; the model chooses`},
		{"a choice of nothing", map[string]any{"tools": []any{}, "tool_choice": "required"},
			`h.lua: tool_choice: got "required", but no tool is offered; the model chooses`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, Options{}, use("ls", ""))
			w.on("llm_request", rewrite(tt.returns))
			if end := w.prompt("go"); end.Status != Completed {
				t.Errorf("got %+v", end)
			}
			until(t, "notice", func() bool { return w.told() != "" })
			equal(t, "told, once for two requests", w.told(), tt.want)
			for _, req := range w.requests {
				if req.Model != "m" || req.ToolChoice != "" || tt.returns["tool_choice"] == nil &&
					len(req.Tools) < 2 {
					t.Errorf("got %s %q %d tools", req.Model, req.ToolChoice, len(req.Tools))
				}
			}
		})
	}
}

func TestScriptAnswersInsteadOfModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.on("llm_request", func(ev *event.Event) any {
		if ev.Env().Turn == 1 {
			return map[string]any{"respond": map[string]any{"text": "I look.", "reasoning": "hm",
				"tool_calls": []any{map[string]any{"tool": "bash",
					"args": map[string]any{"command": "echo hi"}}}}}
		}
		return map[string]any{"respond": "It is there."}
	})
	var seen []string
	w.on("llm_response", func(ev *event.Event) any {
		seen = append(seen, fmt.Sprint(ev.Text("text"), " ", ev.Field("cost")))
		return nil
	})
	end := w.prompt("go")
	if end.Status != Completed || end.Response != "It is there." || len(w.requests) != 0 {
		t.Errorf("got %+v after %d requests", end, len(w.requests))
	}
	equal(t, "llm_response", strings.Join(seen, "\n"), "I look. 0\nIt is there. 0")
	ms := w.saved().Messages("", 0)
	id := ms[1].ToolCalls[0].ID
	equal(t, "session", strings.ReplaceAll(talk(ms), id, "#"),
		"user:go\nassistant:I look. [#]\ntool>#:hi\n\nassistant:It is there.")
	if ms[1].Reasoning != "hm" || w.count("message_start") != 2 || w.count("message_end") != 2 ||
		w.count("tool_input_start") != 1 {
		t.Errorf("got reasoning %q and\n%s", ms[1].Reasoning, w.trace())
	}
}

func TestScriptsRefuseRequest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		event   string
		returns map[string]any
		want    string
		asked   int
	}{
		{"llm_request", map[string]any{"block": true, "reason": "too dear"},
			"blocked refused by h.lua: too dear | blocked | user:go", 0},
		{"llm_request", map[string]any{"abort": "prompt"},
			"error h.lua ended the prompt | error | user:go", 0},
		{"llm_request", map[string]any{"abort": "agent"},
			"error h.lua ended the agent | error | user:go", 0},
		{"llm_response", map[string]any{"abort": "prompt"},
			"error h.lua ended the prompt | error | user:go\nassistant:look", 1},
		{"llm_response", map[string]any{"stop": true, "reason": "enough"},
			"stopped stopped by h.lua: enough | stopped | user:go\nassistant:look " +
				"[t-ls]\ntool>t-ls:[empty directory]\n", 1},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.event, tt.returns), func(t *testing.T) {
			w := newWorld(t, Options{}, answer{text: "look", chunks: use("ls", "").chunks})
			remove := w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "h.lua", Event: tt.event,
				GoFn: func(context.Context, *event.Event) (any, error) { return tt.returns, nil }})
			end := w.prompt("go")
			equal(t, "end", fmt.Sprintf("%s %s | %s | %s", end.Status, end.Reason,
				w.last("turn_end").Text("cause"), talk(w.saved().Messages("", 0))), tt.want)
			equal(t, "the request in the stream", w.tell("llm_request:purpose,model"),
				"llm_request agent fake/m")
			if len(w.requests) != tt.asked || (end.Status == Blocked) != (end.Refused == 1) ||
				w.last("agent_end").Text("status") != string(end.Status) {
				t.Errorf("got %d requests, %+v", len(w.requests), end)
			}
			remove()
			w.forget()
			if end := w.prompt("next"); end.Status != Completed {
				t.Errorf("next: got %+v", end)
			}
		})
	}
}

func TestResponsesAreRewritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, answer{text: "secret",
		chunks: append(use("bash", `{"command":"rm -rf /"}`).chunks,
			chat.Chunk{Reasoning: "muddle"}),
		finish: chat.Finish{Reason: "tool_calls", Usage: &chat.Usage{Input: 10, Output: 20}}})
	w.on("llm_response", func(ev *event.Event) any {
		if ev.Env().Turn > 1 {
			return nil
		}
		if ev.Text("last_user_message") != "go" || ev.Text("finish_reason") != "tool_calls" ||
			ev.Field("cost") == nil || ev.Text("text") != "secret" {
			t.Errorf("got %v", ev)
		}
		return map[string]any{"text": "what I meant", "reasoning": "clear", "tool_calls": []any{
			map[string]any{"tool": "bash", "args": map[string]any{"command": "echo hi"}},
			map[string]any{"id": "mine", "tool": "ls"}}}
	})
	var heard []string
	w.on("message_end", func(ev *event.Event) any {
		heard = append(heard, ev.Text("text")+" "+ev.Text("reasoning"))
		return nil
	})
	w.prompt("go")
	w.engine.Emitter.Drain(w.ctx)
	equal(t, "observers", strings.Join(heard, "\n"), "what I meant clear\ndone ")
	ms := w.saved().Messages("", 0)
	id := ms[1].ToolCalls[0].ID
	equal(t, "session", strings.ReplaceAll(talk(ms), id, "#"),
		"user:go\nassistant:what I meant [#] [mine]\ntool>#:hi\n\ntool>mine:[empty "+
			"directory]\n\nassistant:done")
	if ms[1].Reasoning != "clear" {
		t.Errorf("reasoning: got %q", ms[1].Reasoning)
	}
}

func TestUnchangedCallsAreKept(t *testing.T) {
	t.Parallel()
	bad := chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: 1, ID: "bad", Name: "bash",
		ArgsDelta: `{"comm`}}
	w := newWorld(t, Options{}, answer{chunks: append(use("ls", "").chunks, bad)}, use("ls", ""))
	w.on("llm_response", func(ev *event.Event) any {
		if calls := ev.Field("tool_calls").([]any); len(calls) == 2 {
			return map[string]any{"tool_calls": calls[1:]}
		}
		return nil
	})
	w.prompt("go")
	want := "user:go\nassistant: [bad]\ntool>bad:invalid arguments for bash: the JSON ends too " +
		"early in \"{\\\"comm\"\n" +
		"assistant: [t-ls]\ntool>t-ls:[empty directory]\n\nassistant:done"
	equal(t, "a call that was left out frees its id, one that stays keeps its flaw",
		talk(w.saved().Messages("", 0)), want)
}

func TestScriptConversationsAreRepaired(t *testing.T) {
	t.Parallel()
	all := func(ev *event.Event) []*chat.Message {
		return slices.Clone([]*chat.Message(ev.Field("messages").(chat.MessageList)))
	}
	list := func(ms ...*chat.Message) any {
		out := make([]any, len(ms))
		for i, m := range ms {
			out[i] = m
		}
		return map[string]any{"messages": out}
	}
	const usual = "user:go\nassistant:look [t-ls]\ntool>t-ls:[empty directory]\n"
	tests := []struct {
		name string
		f    func(ms []*chat.Message) any // of go, assistant with a call, result
		want string
		told string
	}{
		{"unchanged", func(ms []*chat.Message) any { return list(ms...) }, usual, ""},
		{"a result is dropped", func(ms []*chat.Message) any { return list(ms[0], ms[1]) },
			"user:go\nassistant:look [t-ls]\ntool>t-ls:removed by h.lua",
			"a tool call without its result got one"},
		{"a call is dropped", func(ms []*chat.Message) any { return list(ms[0], ms[2]) },
			"user:go", "a tool result without its call was removed"},
		{"a result twice", func(ms []*chat.Message) any {
			return list(ms[0], ms[1], ms[2], &chat.Message{Role: "tool", CallID: "t-ls",
				Content: ms[2].Content})
		}, usual, "a second result of a call was removed"},
		{"a call twice",
			func(ms []*chat.Message) any { return list(ms[0], ms[1], ms[2], ms[1], ms[0]) },
			"user:go\nassistant:look [t-ls]\ntool>t-ls:[empty directory]\n\nassistant:look\n" +
				"user:go",
			"a repeated call was removed"},
		{"a result far from its call",
			func(ms []*chat.Message) any { return list(ms[2], ms[0], ms[1], ms[0]) },
			usual + "\nuser:go", "a tool result was moved after its call"},
		{"system at the beginning", func(ms []*chat.Message) any {
			return list(append([]*chat.Message{{Role: "system",
				Content: engine.TextResult("BE KIND").Content}}, ms...)...)
		}, usual, ""},
		{"system in the middle", func(ms []*chat.Message) any {
			return list(append(ms, &chat.Message{Role: "system",
				Content: engine.TextResult("be kind").Content})...)
		}, usual + "\nuser:<context from=\"h.lua\">\nbe kind\n</context>",
			"a later system message became one of the user"},
		{"the user is gone", func(ms []*chat.Message) any { return list(ms[1], ms[2]) },
			"user:(the earlier messages were removed by h.lua)\nassistant:look " +
				"[t-ls]\ntool>t-ls:[empty directory]\n",
			"a message of the user was added at the beginning"},
		{"the model has the last word", func(ms []*chat.Message) any {
			return list(ms[0], &chat.Message{Role: "assistant",
				Content: engine.TextResult("I did.").Content})
		}, "user:go\nassistant:I did.\nuser:(the following messages were removed by h.lua; " +
			"continue)",
			"a message of the user was added at the end"},
		{"an empty message",
			func(ms []*chat.Message) any {
				return list(append(ms,
					&chat.Message{Role: "user"})...)
			}, usual, "an empty message was removed"},
		{"edited as data", func(ms []*chat.Message) any {
			return map[string]any{"messages": []any{map[string]any{"role": "user", "content": "GO"},
				ms[1], ms[2]}}
		}, strings.Replace(usual, "go", "GO", 1), ""},
	}
	for _, name := range []string{"context", "llm_request"} {
		for _, tt := range tests {
			t.Run(name+" "+tt.name, func(t *testing.T) {
				w := newWorld(t, Options{}, answer{text: "look", chunks: use("ls", "").chunks})
				w.on(name, func(ev *event.Event) any {
					if ev.Env().Turn == 1 {
						return nil
					}
					return tt.f(all(ev))
				})
				if end := w.prompt("go"); end.Status != Completed {
					t.Errorf("got %+v", end)
				}
				equal(t, "request", w.request(1), tt.want)
				want := ""
				if tt.told != "" {
					want = "h.lua: messages: " + tt.told
					until(t, "notice", func() bool { return w.told() != "" })
				}
				equal(t, "told", w.told(), want)
				if tt.name == "system at the beginning" &&
					!strings.HasSuffix(w.requests[1].System, "\n\nBE KIND") {
					t.Errorf("system: got %q", w.requests[1].System)
				}
				equal(t, "session", talk(w.saved().Messages("", 0)), usual+"\nassistant:done")
			})
		}
	}
}

func TestEmptyRequests(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"context", "llm_request"} {
		w := newWorld(t, Options{})
		w.on(event, rewrite(map[string]any{"messages": []any{}}))
		if end := w.prompt("go"); end.Status != Failed ||
			end.Error != "h.lua left no messages: a model cannot be asked nothing" ||
			w.count("error") != 1 || len(w.requests) > 0 {
			t.Errorf("%s: got %+v, %d errors", event, end, w.count("error"))
		}
	}
}

func TestInvalidMessagesOfScripts(t *testing.T) {
	t.Parallel()
	message := func(x any) any { return map[string]any{"messages": []any{x}} }
	for name, v := range map[string]any{
		"NaN": message(map[string]any{"role": "assistant",
			"tool_calls": []any{map[string]any{"tool": "ls",
				"args": map[string]any{"n": math.NaN()}}}}),
		"no role":             message(map[string]any{"content": "x"}),
		"a result of nothing": message(map[string]any{"role": "tool", "content": "x"}),
		"calls of the user": message(map[string]any{"role": "user",
			"tool_calls": []any{map[string]any{"tool": "ls"}}}),
		"an unknown key": message(map[string]any{"role": "user", "kontent": "x"}),
		"not a list":     map[string]any{"messages": "all"},
		"not a message":  message(7.0),
		"a block of no type": message(map[string]any{"role": "user",
			"content": []any{map[string]any{"text": "x"}}}),
	} {
		for _, which := range []string{"context", "llm_request"} {
			w := newWorld(t, Options{})
			w.on(which, func(*event.Event) any { return v })
			if end := w.prompt("go"); end.Status != Completed {
				t.Errorf("%s %s: got %+v", which, name, end)
			}
			equal(t, name, w.request(0), "user:go")
			if ev := w.last("script_error"); ev.Text("script") != "h.lua" || ev.Field("line") != 1 {
				t.Errorf("%s %s: got %v", which, name, ev.Text("message"))
			}
		}
	}
}

func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{},
		answer{chunks: []chat.Chunk{{Text: "a\xffb"}, {Text: "\xe2\x82"}, {Text: "\xac"},
			{Text: "\xe2\x82"}, {Reasoning: "\xe2"},
			{ToolCall: &chat.ToolCallDelta{ID: "i\xff", Name: "bash",
				ArgsDelta: `{"command":"printf '\\377` + "\xc3"}},
			{ToolCall: &chat.ToolCallDelta{ArgsDelta: "\xa4'\"}"}}}})
	w.prompt("go")
	ms := w.saved().Messages("", 0)
	equal(t, "reply", chat.PlainText(ms[1].Content), "a\uFFFDb€\uFFFD")
	equal(t, "reasoning", ms[1].Reasoning, "\uFFFD")
	equal(t, "call", fmt.Sprint(ms[1].ToolCalls[0].ID, ms[1].ToolCalls[0].Args),
		"i\uFFFDmap[command:printf '\\377ä']")
	equal(t, "result", chat.PlainText(ms[2].Content), "\uFFFDä")
	var text string
	for _, ev := range w.events {
		if ev.Name() == "message_delta" && ev.Text("kind") == "text" {
			text += ev.Text("delta")
		}
	}
	equal(t, "deltas", text, "a\uFFFDb€\uFFFDdone")
}

func TestRetries(t *testing.T) {
	t.Parallel()
	fail := func(f fault.FailError) error { f.Message = "no"; return &f }
	tests := []struct {
		err  error
		want string // cause and waits; "" = no retry
	}{
		{fail(fault.FailError{Status: 429}), "rate_limit 500 1000 2000"},
		{fail(fault.FailError{Status: 429, RetryAfter: 3}), "rate_limit 3000 3000 3000"},
		{fail(fault.FailError{Status: 429, RetryAfter: 3600}), ""},
		{fail(fault.FailError{Status: 529}), "overloaded 500 1000 2000"},
		{fail(fault.FailError{Status: 503, Final: true}), ""},
		{fail(fault.FailError{Status: 500}), "other 500 1000 2000"},
		{fail(fault.FailError{Retryable: true}), "other 500 1000 2000"},
		{io.ErrUnexpectedEOF, "network 500 1000 2000"},
		{vm.ErrClosed, "other 0 0 0"},
		{fail(fault.FailError{Status: 401}), ""},
		{errors.New("no credit"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.err.Error()+tt.want, func(t *testing.T) {
			a := answer{text: "half", chunks: use("ls", "").chunks, err: tt.err,
				finish: chat.Finish{Usage: &chat.Usage{Input: 5}}}
			w := newWorld(t,
				Options{Sleep: func(context.Context, time.Duration) error { return nil }}, a, a, a,
				a)
			end := w.prompt("go")
			var got []string
			for _, ev := range w.events {
				if ev.Name() == "llm_retry" {
					if got == nil {
						got = []string{ev.Text("cause")}
					}
					got = append(got, fmt.Sprint(ev.Field("backoff_ms")))
				}
			}
			equal(t, "retries", strings.Join(got, " "), tt.want)
			n := max(len(got), 1)
			if f := (*fault.FailError)(nil); errors.As(tt.err, &f) && f.RetryAfter > 60 &&
				!strings.Contains(end.Error, "wants no request for 1h0m0s") {
				t.Errorf("got %q, want the time for which the server wants no request", end.Error)
			}
			if end.Status != Failed || len(w.requests) != n || w.count("error") != 1 {
				t.Errorf("got %+v after %d requests, %d errors", end, len(w.requests),
					w.count("error"))
			}
			// Each attempt has its own message, and only the last one is kept.
			if w.count("message_start") != n || w.count("message_end") != n ||
				w.last("message_end").Text("text") != "half" {
				t.Errorf("messages: got\n%s", w.trace())
			}
			equal(t, "session", talk(w.saved().Messages("", 0)),
				"user:go\nassistant:half"+brokenOff)
			var shown string
			for _, e := range w.saved().Entries() {
				if e.Message != nil {
					shown = e.ShownText()
				}
			}
			equal(t, "shown again", shown, "half")
			if got := w.saved().Used(false).Tokens.Input; got != 5*n {
				t.Errorf("used: got %d, want %d", got, 5*n)
			}
		})
	}
}

func TestRetryReplacesFirstAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{Sleep: func(context.Context, time.Duration) error { return nil }},
		answer{text: "ha", chunks: use("ls", "").chunks,
			err: &fault.FailError{Message: "cut", Status: 503}},
		answer{text: "look", chunks: use("ls", "").chunks})
	w.prompt("go")
	equal(t, "session", talk(w.saved().Messages("", 0)),
		"user:go\nassistant:look [t-ls]\ntool>t-ls:[empty directory]\n\nassistant:done")
	var ids, texts []string
	for _, ev := range w.events {
		if ev.Name() == "message_end" {
			ids, texts = append(ids, ev.Text("message_id")), append(texts, ev.Text("text"))
		}
	}
	if equal(t, "messages", strings.Join(texts, ","), ",look,done"); len(ids) == 3 &&
		(ids[0] == ids[1] || ids[1] != w.saved().Messages("", 0)[1].ID) {
		t.Errorf("ids: got %v", ids)
	}
	if w.count("tool_input_start") != 2 || w.count("tool_input_end") != 2 {
		t.Errorf("got %d starts and %d ends of calls", w.count("tool_input_start"),
			w.count("tool_input_end"))
	}
}

func TestEscEndsWaitForRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{},
		answer{err: &fault.FailError{Message: "later", Status: 429, RetryAfter: 60}})
	ctx, cancel := context.WithCancel(w.ctx)
	done := make(chan End, 1)
	go func() { done <- w.agent.Prompt(ctx, Input{Text: "go"}) }()
	until(t, "llm_retry", func() bool { return w.seen("llm_retry") })
	cancel()
	select {
	case end := <-done:
		if end.Status != Cancelled || len(w.requests) != 1 {
			t.Errorf("got %+v", end)
		}
	case <-time.After(deadline):
		t.Fatal("the prompt did not end")
	}
}

func TestWarningsAndSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{},
		answer{text: "x", chunks: []chat.Chunk{{Warning: "old model"},
			{Source: &chat.Source{Kind: "url", ID: "s1", URL: "http://x", Title: "X"}}}})
	w.prompt("go")
	if got := fmt.Sprint(w.last("llm_warning").Field("warnings")); got != "[old model]" {
		t.Errorf("warnings: got %s", got)
	}
	ev := w.last("llm_source")
	equal(t, "source", ev.Text("kind")+ev.Text("source_id")+ev.Text("url")+ev.Text("title"),
		"urls1http://xX")
}

func TestToolInputIsStreamed(t *testing.T) {
	t.Parallel()
	piece := func(i int, id, name, args string) chat.Chunk {
		return chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: i, ID: id, Name: name,
			ArgsDelta: args}}
	}
	w := newWorld(t, Options{},
		answer{chunks: []chat.Chunk{piece(0, "", "bash", `{"command"`), piece(1, "x", "ls", ""),
			piece(0, "late", "", `:"echo hi"}`), piece(2, "x", "nosuch", "{}")}})
	w.prompt("go")
	calls := w.saved().Messages("", 0)[1].ToolCalls
	args := map[string]string{}
	var started, ended []string
	for _, ev := range w.events {
		switch id := ev.Text("call_id"); ev.Name() {
		case "tool_input_start":
			started = append(started, id+" "+ev.Text("tool")+" "+ev.Text("kind"))
		case "tool_input_delta":
			args[id] += ev.Text("delta")
		case "tool_input_end":
			ended = append(ended, id)
		}
	}
	id := calls[0].ID
	equal(t, "started", strings.Join(started, ","), id+" bash execute,x ls read,x-2 nosuch other")
	equal(t, "ended", strings.Join(ended, ","), id+",x,x-2")
	equal(t, "session", calls[1].ID+calls[2].ID, "xx-2")
	equal(t, "arguments", args[id]+args["x"]+args["x-2"], `{"command":"echo hi"}{}`)
}

func TestEnvelopeKeepsItsCost(t *testing.T) {
	t.Parallel()
	u := chat.Finish{Usage: &chat.Usage{Input: 1000}}
	w := newWorld(t, Options{}, answer{text: "a", finish: u, chunks: use("ls", "").chunks},
		answer{text: "b", finish: u})
	w.prompt("go")
	var got []string
	for _, ev := range w.events {
		if ev.Name() == "turn_end" {
			got = append(got, fmt.Sprint(ev.Env().Cost(), ev.Env().Window()["tokens"]))
		}
	}
	equal(t, "cost", strings.Join(got, ","), "0.001 1000,0.002 1000")
	if got := w.saved().Used(false); got.Cost != 0.002 || got.Turns != 2 {
		t.Errorf("session: got %+v", got)
	}
}

// TestUnknownCostIsAbsent checks that an unknown cost is not reported as 0: if the price is
// unknown, if the server does not count tokens, and in a resumed session.
func TestUnknownCostIsAbsent(t *testing.T) {
	t.Parallel()
	counted := chat.Finish{Usage: &chat.Usage{Input: 1000}}
	for name, finish := range map[string]chat.Finish{"no price": counted, "no count": {}} {
		w := newWorld(t, Options{}, answer{text: "a", finish: finish},
			answer{text: "b", finish: counted})
		price := w.engine.Scripts.Snapshot().Provider("fake").Models[0].Price
		if name == "no price" {
			w.engine.Scripts.Snapshot().Provider("fake").Models[0].Price = nil
		}
		if cost := w.agent.Envelope().Cost; cost == nil || cost() != 0 {
			t.Errorf("%s: before the first request the cost is 0", name)
		}
		w.prompt("go")
		if ev := w.last("agent_end"); ev.Env().Cost != nil {
			t.Errorf("%s: got %v, want no cost", name, ev.Env().Cost())
		}
		id := w.agent.Session().ID()
		must(t, w.agent.NewSession(w.ctx, "new", ""))
		must(t, w.agent.ResumeID(w.ctx, id))
		if w.agent.Envelope().Cost != nil {
			t.Errorf("%s: resumed: want no cost", name)
		}
		w.engine.Scripts.Snapshot().Provider("fake").Models[0].Price = price
		w.prompt("on")
		if ev := w.last("agent_end"); ev.Env().Cost == nil || ev.Env().Cost() != 0.001 {
			t.Errorf("%s: want the known part of the cost", name)
		}
	}
}

// TestImpossibleTokenCounts checks that impossible token counts of a server neither reduce the
// usage nor overflow.
func TestImpossibleTokenCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{Limits: Limits{Tokens: 100}},
		answer{text: "a", finish: chat.Finish{Usage: &chat.Usage{Input: -5000, Output: 90}},
			chunks: use("ls", "").chunks},
		answer{text: "b",
			finish: chat.Finish{Usage: &chat.Usage{Input: math.MaxInt, Output: math.MinInt,
				CacheRead: math.MaxInt}}, chunks: use("ls", "").chunks})
	if end := w.prompt("go"); end.Status != Limit || len(w.requests) != 2 {
		t.Errorf("got %+v after %d requests", end, len(w.requests))
	}
	if got := w.saved().Used(false); got.Tokens != (chat.Usage{Input: math.MaxInt32, Output: 90,
		CacheRead: math.MaxInt32}) || got.Cost < 0 {
		t.Errorf("got %+v", got)
	}
}
