package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/service"
)

func TestInvalidToolCalls(t *testing.T) {
	t.Parallel()
	piece := func(i int, id, name, args string) chat.Chunk {
		return chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: i, ID: id, Name: name,
			ArgsDelta: args}}
	}
	tests := []struct {
		name   string
		chunks []chat.Chunk
		want   string // the results; # stands for a generated id
	}{
		{"in pieces, mixed", []chat.Chunk{piece(1, "b", "bash", `{"comm`),
			piece(0, "a", "bash", ""), piece(1, "", "", `and":"echo B"}`),
			piece(0, "", "", `{"command":"echo A"}`)},
			"tool>a:A\n\ntool>b:B\n"},
		{"no ids", []chat.Chunk{piece(0, "", "bash", `{"command":"echo A"}`),
			piece(1, "", "bash", `{"command":"echo B"}`)}, "tool>#:A\n\ntool>#:B\n"},
		{"the same id twice", []chat.Chunk{piece(0, "x", "bash", `{"command":"echo A"}`),
			piece(1, "x", "bash", `{"command":"echo B"}`)}, "tool>x:A\n\ntool>x-2:B\n"},
		{"not JSON", []chat.Chunk{piece(0, "x", "bash", `{"command":"echo`)},
			`tool>x:invalid arguments for bash: the JSON ends too early in "{\"command\":\"echo"`},
		{"a list", []chat.Chunk{piece(0, "x", "bash", `["echo"]`)},
			"tool>x:invalid arguments for bash: got list, want an object"},
		{"too deep", []chat.Chunk{piece(0, "x", "bash",
			strings.Repeat(`{"a":`, 100)+"1"+strings.Repeat("}", 100))},
			"tool>x:invalid arguments for bash: nested deeper than 64 levels"},
		{"no arguments", []chat.Chunk{piece(0, "x", "ls", "")}, "tool>x:[empty directory]\n"},
		{"null", []chat.Chunk{piece(0, "x", "ls", "null")}, "tool>x:[empty directory]\n"},
		{"no name", []chat.Chunk{piece(0, "x", "", "{}")},
			"tool>x:a tool call without the name of a tool"},
		{"unknown", []chat.Chunk{piece(0, "x", "bush", "{}")},
			`tool>x:unknown tool "bush"; did you mean "bash"?`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, Options{}, answer{chunks: tt.chunks})
			if end := w.prompt("go"); end.Status != Completed {
				t.Errorf("got %+v", end)
			}
			var got []string
			for _, m := range w.requests[1].Messages[2:] {
				s := talk([]*chat.Message{m})
				if id, ok := strings.CutPrefix(m.CallID, "call_"); ok {
					s = strings.Replace(s, "call_"+id, "#", 1)
				}
				got = append(got, s)
			}
			equal(t, "results", strings.Join(got, "\n"), tt.want)
			w.saved()
		})
	}
}

func TestCallIDsAreUnique(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, use("ls", ""), use("ls", ""))
	w.prompt("go")
	s := w.saved()
	v := newWorld(t, Options{Session: s}, use("ls", ""))
	v.prompt("again")
	equal(t, "request", v.request(1),
		"user:go\nassistant: [t-ls]\ntool>t-ls:[empty directory]\n\nassistant: "+
			"[t-ls-2]\ntool>t-ls-2:[empty directory]\n\n"+
			"assistant:done\nuser:again\nassistant: [t-ls-3]\ntool>t-ls-3:[empty directory]\n")
}

func TestPromptEnds(t *testing.T) {
	t.Parallel()
	abort := map[string]any{"abort": "prompt"}
	tests := []struct {
		name    string
		o       Options
		answers []answer
		event   string
		returns any
		want    string // status reason | refused | turn_end causes
		told    string // the end of the trace
	}{
		{"input blocked", Options{}, nil, "input", block("not today"),
			"blocked refused by h.lua: not today | 1 |", "notification"},
		{"input handled", Options{}, nil, "input", map[string]any{"handled": true},
			"handled  | 0 |", "input"},
		{"input emptied", Options{}, nil, "input", map[string]any{"text": " "},
			"error h.lua left nothing of the input: a model cannot be asked nothing; {handled = " +
				"true} leaves it out | 0 |", "error\nnotification"},
		{"prompt emptied", Options{}, nil, "agent_before_start", map[string]any{"prompt": ""},
			"error h.lua left nothing of the prompt: a model cannot be asked nothing | 0 |",
			"agent_end error h.lua left nothing of the prompt: a model cannot be asked nothing"},
		{"prompt blocked", Options{}, nil, "agent_before_start", block("no"),
			"blocked refused by h.lua: no | 1 |", "agent_end blocked refused by h.lua: no"},
		{"turn blocked", Options{}, nil, "turn_start", block("no"),
			"blocked refused by h.lua: no | 1 | blocked", "agent_end blocked refused by h.lua: no"},
		{"turn stopped", Options{}, nil, "turn_start",
			map[string]any{"stop": true, "reason": "enough"},
			"stopped stopped by h.lua: enough | 0 | stopped",
			"agent_end stopped stopped by h.lua: enough"},
		{"turn asks, nobody there", Options{}, nil, "turn_start",
			map[string]any{"ask": "really?", "reason": "r"},
			"blocked refused: no one can approve this in a non-interactive run: h.lua:1 asks: " +
				"really? (r) | 1 | blocked",
			""},
		{"result stops", Options{}, []answer{use("ls", "")}, "tool_result",
			map[string]any{"stop": true, "reason": "seen"},
			"stopped stopped by h.lua: seen | 0 | stopped", ""},
		{"call aborts", Options{}, []answer{use("ls", "")}, "tool_call",
			map[string]any{"abort": "prompt", "reason": "bad"},
			"error h.lua ended the prompt: bad | 0 | error",
			"agent_end error h.lua ended the prompt: bad"},
		{"result aborts", Options{}, []answer{use("ls", "")}, "tool_result", abort,
			"error h.lua ended the prompt | 0 | error", ""},
		{"limit", Options{Limits: Limits{Turns: 2}},
			[]answer{use("ls", ""), use("ls", ""), use("ls", "")}, "", nil,
			"limit ended after 2 turns: continue with another prompt | 0 | continue limit", ""},
		{"provider fails", Options{}, []answer{{text: "half", err: errors.New("no credit")}}, "",
			nil, "error model fake/m: no credit | 0 | error",
			"agent_end error model fake/m: no credit"},
		{"provider panics", Options{}, []answer{{before: func(context.Context) { panic("oh") }}},
			"", nil, "error model fake/m: internal error: oh | 0 | error", ""},
		{"unknown provider", Options{Model: "fkae/m"}, nil, "", nil,
			`error model fkae/m: no model provider "fkae"; did you mean "fake"? | 0 | error`, ""},
		{"a message of nothing", Options{}, []answer{{}}, "", nil, "completed  | 0 | normal",
			"agent_end completed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.o, tt.answers...)
			if tt.event != "" {
				w.on(tt.event, func(*event.Event) any { return tt.returns })
			}
			end := w.prompt("go")
			var causes []string
			for _, l := range strings.Split(w.trace(), "\n") {
				if f := strings.Fields(l); f[0] == "turn_end" {
					causes = append(causes, f[1])
				}
			}
			equal(t, "end", strings.TrimSpace(fmt.Sprintf("%s %s | %d | %s", end.Status, end.Reason,
				end.Refused, strings.Join(causes, " "))), tt.want)
			if (end.Status == Failed) != (end.Error != "") {
				t.Errorf("error: got %q for status %s", end.Error, end.Status)
			}
			if !strings.HasSuffix(w.trace(), tt.told) {
				t.Errorf("got\n%s\nwant at the end\n%s", w.trace(), tt.told)
			}
			if strings.HasPrefix(tt.name, "provider") && !strings.Contains(w.trace(), "\nerror") {
				t.Error("no error event")
			}
			if len(w.requests) > 0 {
				w.saved()
			}
			// The next prompt works in every case.
			if tt.event == "" && tt.o.Model == "" {
				w.forget()
				if end := w.prompt("next"); end.Status != Completed || end.Response != "done" {
					t.Errorf("next: got %+v", end)
				}
			}
		})
	}
}

// TestTurnEndCause checks the causes of turns that are ended from outside, or continued.
func TestTurnEndCause(t *testing.T) {
	t.Parallel()
	again := func(n int) (list []answer) {
		for range n {
			list = append(list, use("ls", ""))
		}
		return list
	}
	for name, tt := range map[string]struct {
		o       Options
		answers []answer
		event   string
		returns any
		during  func(w *world, cancel func()) // while the first model call is made
		want    string                        // status | causes | the notices
	}{
		"/stop": {answers: again(2),
			during: func(w *world, _ func()) { w.agent.Interrupt("graceful") },
			want:   "stopped | stopped | "},
		"/stop at the answer": {answers: []answer{{text: "said"}},
			during: func(w *world, _ func()) { w.agent.Interrupt("graceful") },
			want:   "completed | normal | "},
		"cancelled": {answers: again(2),
			during: func(_ *world, cancel func()) { cancel() }, want: "cancelled | cancelled | "},
		"steered": {answers: again(1), during: func(w *world,
			_ func()) {
			_ = w.agent.Send(Input{Text: "left", Kind: "steer", Source: "interactive"})
		},
			want: "completed | steered normal | "},
		"a script has more to do": {event: "agent_before_end",
			returns: map[string]any{"continue_with": "more"}, answers: []answer{{text: "a"}},
			want: "completed | " + strings.Repeat("continue ", maxContinues) +
				"normal | warn h.lua continued the prompt 8 times in a row: it ends here"},
		"loop": {answers: again(loopAt), event: "loop_detected", returns: block("round"),
			want: "blocked | continue continue loop_detected | "},
		"turns": {o: Options{Limits: Limits{Turns: 1}}, answers: again(2),
			want: "limit | limit | warn ended after 1 turn: continue with another prompt"},
		"tokens that nobody counted": {o: Options{Limits: Limits{Tokens: 100}}, answers: again(2),
			want: "limit | limit | warn ended after 100 tokens: continue with another prompt"},
		"the limit is raised": {o: Options{Limits: Limits{Turns: 1}}, answers: again(1),
			event: "limit_reached", returns: map[string]any{"extend": 5.0},
			want: "completed | continue normal | "},
		"blocked": {event: "llm_request", returns: block("no"),
			want: "blocked | blocked | "},
		"stopped by what the model said": {event: "llm_response",
			returns: map[string]any{"stop": true}, answers: again(1), want: "stopped | stopped | "},
		"the provider fails": {answers: []answer{{err: errors.New("no credit")}},
			want: "error | error | error model fake/m: no credit"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.o, tt.answers...)
			ctx, cancel := context.WithCancel(w.ctx)
			defer cancel()
			if tt.during != nil {
				w.answers[0].before = func(context.Context) { tt.during(w, cancel) }
			}
			if tt.event != "" {
				w.on(tt.event, func(*event.Event) any { return tt.returns })
			}
			end := w.agent.Prompt(ctx, Input{Text: "go", Source: "cli"})
			w.engine.Emitter.Drain(w.ctx)
			causes := strings.ReplaceAll(w.tell("turn_end:cause"), "turn_end ", "")
			notices := strings.ReplaceAll(w.tell("notification:level,message"), "notification ", "")
			equal(t, "end", fmt.Sprintf("%s | %s | %s", end.Status,
				strings.ReplaceAll(causes, "\n", " "), notices), tt.want)
		})
	}
}

func TestStopAndAbortDuringBatch(t *testing.T) {
	t.Parallel()
	two := answer{chunks: []chat.Chunk{{ToolCall: &chat.ToolCallDelta{ID: "a", Name: "ls"}},
		{ToolCall: &chat.ToolCallDelta{Index: 1, ID: "b", Name: "bash",
			ArgsDelta: `{"command":"echo hi"}`}}}}
	for returns, want := range map[string]string{"stop": "hi\n",
		"abort": "not run: h.lua ended the prompt: r"} {
		w := newWorld(t, Options{}, two)
		w.on("tool_result", func(ev *event.Event) any {
			if ev.Text("call_id") != "a" {
				return nil
			}
			if returns == "stop" {
				return map[string]any{"stop": true}
			}
			return map[string]any{"abort": "prompt", "reason": "r"}
		})
		w.prompt("go")
		ms := w.saved().Messages("", 0)
		equal(t, returns, talk(ms[len(ms)-1:]), "tool>b:"+want)
		if len(w.requests) != 1 {
			t.Errorf("%s: got %d requests, want 1", returns, len(w.requests))
		}
	}
}

// TestAbortOutsideOfTheTurn ends the agent during a script's request to a model, and during a
// command of the user.
func TestAbortOutsideOfTheTurn(t *testing.T) {
	t.Parallel()
	abort := func(*event.Event) any { return map[string]any{"abort": "agent", "reason": "r"} }
	t.Run("a script's request", func(t *testing.T) {
		model, asked, open := gate(answer{text: "never said"})
		defer close(open)
		w := newWorld(t, Options{}, model)
		w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "h.lua", Event: "llm_request",
			GoFn: func(_ context.Context, ev *event.Event) (any, error) {
				if ev.Text("purpose") != "script" {
					return nil, nil
				}
				return abort(ev), nil
			}})
		d := w.desk()
		d.send(Input{Text: "go"})
		<-asked
		d.send(Input{Text: "next", Kind: "follow_up"})
		if _, err := w.agent.asker.Complete(w.ctx,
			&service.ModelCall{Messages: []*chat.Message{userText("q")}}); err == nil ||
			!strings.Contains(err.Error(), "h.lua ended the agent: r") {
			t.Errorf("got %v", err)
		}
		d.idle()
		equal(t, "ends", d.got(), "go: error")
		equal(t, "why", w.last("agent_end").Text("error"), "h.lua ended the agent: r")
	})
	for _, event := range []string{"tool_call", "tool_result"} {
		t.Run(event+" of the user's shell", func(t *testing.T) {
			w := newWorld(t, Options{})
			w.on(event, abort)
			if end := w.prompt("!echo hi"); end.Status != Failed ||
				end.Error != "h.lua ended the agent: r" {
				t.Errorf("got %+v", end)
			}
			equal(t, "told", w.tell("error:stage,message"), "error shell h.lua ended the agent: r")
		})
	}
}

// TestIncompleteReplyIsReported checks that an incomplete reply is reported.
func TestIncompleteReplyIsReported(t *testing.T) {
	t.Parallel()
	for finish, want := range map[string]string{"length": "the most that it may write",
		"content_filter": "refused to continue (content_filter)",
		"refusal":        "refused to continue (refusal)",
		"stop":           "", "tool_calls": "", "": ""} {
		w := newWorld(t, Options{}, answer{text: "half", finish: chat.Finish{Reason: finish}})
		if end := w.agent.Prompt(w.ctx, Input{Text: "go"}); end.Status != Completed ||
			end.Response != "half" {
			t.Errorf("%s: got %+v", finish, end)
		}
		w.engine.Emitter.Drain(w.ctx)
		told := ""
		w.mu.Lock()
		for _, ev := range w.events {
			if ev.Name() == "notification" {
				told += ev.Text("message")
			}
		}
		w.mu.Unlock()
		if got := strings.Contains(told, "is cut off"); got != (want != "") ||
			!strings.Contains(told, want) {
			t.Errorf("%s: got notice %q, want %q", finish, told, want)
		}
	}
}
