package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

var secret = regexp.MustCompile(`hunter\d`)

// hides is a handler of assistant_message that hides secrets with any number.
func hides(ev *event.Event) any {
	if text := ev.Text("text"); secret.MatchString(text) {
		return map[string]any{"text": secret.ReplaceAllString(text, "***")}
	}
	return nil
}

// deltas returns the deltas of a kind in the stream, before the ends of messages.
func (w *world) deltas(kind string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, ev := range w.events {
		if ev.Name() == "message_delta" && ev.Text("kind") == kind {
			b.WriteString(ev.Text("delta"))
		}
	}
	return b.String()
}

func speech(texts ...string) answer {
	a := answer{}
	for _, s := range texts {
		a.chunks = append(a.chunks, chat.Chunk{Text: s})
	}
	return a
}

func TestRewriteIsForUserOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{},
		answer{chunks: []chat.Chunk{{Reasoning: "it is hun"}, {Reasoning: "ter2\n"},
			{Text: "one\nthe word is hun"}, {Text: "ter2, really\nhunter3"},
			use("ls", "").chunks[0]}},
		speech("hunter4"))
	var heard strings.Builder
	var ends []string
	w.on("assistant_message", hides)
	w.on("message_delta",
		func(ev *event.Event) any { heard.WriteString(ev.Text("delta")); return nil })
	w.on("message_end",
		func(ev *event.Event) any {
			ends = append(ends,
				ev.Text("text")+"|"+ev.Text("reasoning"))
			return nil
		})
	var response, last string
	w.on("agent_end", func(ev *event.Event) any { last = ev.Text("response"); return nil })
	w.on("agent_before_end",
		func(ev *event.Event) any { response = ev.Text("response"); return nil })
	end := w.prompt("go")
	w.engine.Emitter.Drain(w.ctx)
	equal(t, "End", end.Response, "***")
	if leak := secret.FindString(w.streamed()); leak != "" {
		t.Errorf("the stream has %s:\n%s", leak, w.streamed())
	}
	equal(t, "shown", w.deltas("text")+"|"+w.deltas("reasoning"),
		"one\nthe word is ***, really\n******|it is ***\n")
	equal(t, "agent_end", w.last("agent_end").Text("response"), "***")
	equal(t, "observers", strings.Join(ends, "\n"),
		"one\nthe word is hunter2, really\nhunter3|it is hunter2\n\nhunter4|")
	equal(t, "observed deltas", heard.String(),
		"it is hunter2\none\nthe word is hunter2, really\nhunter3hunter4")
	equal(t, "agent_before_end, agent_end", response+last, "hunter4hunter4")
	if !strings.Contains(w.request(1), "the word is hunter2, really\nhunter3") {
		t.Errorf("the model's own words: got %s", w.request(1))
	}
	s := w.saved()
	ms := s.Messages("", 0)
	equal(t, "resumed, for the model", chat.PlainText(ms[1].Content)+"|"+ms[1].Reasoning,
		"one\nthe word is hunter2, really\nhunter3|it is hunter2\n")
	for _, e := range s.Entries() {
		if e.ID == ms[1].ID {
			equal(t, "resumed, for the user", e.ShownText()+"|"+e.ShownThoughts(),
				"one\nthe word is ***, really\n***|it is ***\n")
		}
	}
}

func TestHiddenMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, speech("a\nb\n"))
	w.on("assistant_message", func(*event.Event) any { return block("") })
	end := w.prompt("go")
	if end.Status != Completed || end.Response != "" || w.deltas("text") != "" ||
		w.last("message_end").Text("text") != "" {
		t.Errorf("got %+v\n%s", end, w.trace())
	}
	for _, e := range w.saved().Entries() {
		if e.Message != nil && e.Message.Role == "assistant" &&
			(!e.Hidden || e.ShownText() != "" || chat.PlainText(e.Message.Content) != "a\nb\n") {
			t.Errorf("session: got %+v", e)
		}
	}
}

// TestReasoningIsShownBeforeTheAnswer checks that reasoning is shown before the answer and its last
// line is not held back until the end, whether scripts rewrite or not.
func TestReasoningIsShownBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	chunks := []chat.Chunk{{Reasoning: "first\nthen"}, {Text: "so\nit is hunter2"}}
	for name, handler := range map[string]func(ev *event.Event) any{"nobody": nil,
		"rewrites": hides,
		"others": func(ev *event.Event) any {
			return map[string]any{"text": strings.ToUpper(
				ev.Text("text"))}
		}} {
		w := newWorld(t, Options{}, answer{chunks: chunks})
		if handler != nil {
			w.on("assistant_message", handler)
		}
		w.prompt("go")
		w.mu.Lock()
		var kinds []string
		for _, ev := range w.events {
			if k := ev.Text("kind"); ev.Name() == "message_delta" &&
				(len(kinds) == 0 || kinds[len(kinds)-1] != k) {
				kinds = append(kinds, k)
			}
		}
		w.mu.Unlock()
		equal(t, name, strings.Join(kinds, " "), "reasoning text")
	}
}

// TestTextIsShownBeforeCall checks that text before a tool call is shown before the call, whether
// scripts rewrite or not.
func TestTextIsShownBeforeCall(t *testing.T) {
	t.Parallel()
	chunks := []chat.Chunk{{Reasoning: "it is hunter1"}, {Text: "I look"},
		use("ls", "").chunks[0]}
	for name, handler := range map[string]func(ev *event.Event) any{"nobody": nil,
		"rewrites": hides,
		"others": func(ev *event.Event) any {
			return map[string]any{"text": strings.ToUpper(
				ev.Text("text"))}
		}} {
		w := newWorld(t, Options{}, answer{chunks: chunks}, speech("done"))
		if handler != nil {
			w.on("assistant_message", handler)
		}
		w.prompt("go")
		w.mu.Lock()
		var order []string
		for _, ev := range w.events {
			k := ev.Text("kind")
			if ev.Name() == "tool_input_start" {
				k = "call"
			}
			if (ev.Name() == "message_delta" || k == "call") &&
				(len(order) == 0 || order[len(order)-1] != k) {
				order = append(order, k)
			}
		}
		w.mu.Unlock()
		equal(t, name, strings.Join(order, " "), "reasoning text call text")
	}
}

// TestLinesAreHeldBack checks what is shown while the message arrives. Each step waits for what
// must be shown so far.
func TestLinesAreHeldBack(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		handle func(ev *event.Event) any
		//  shown"=>a piece of the message and what must be shown then: "said => shown"=> shown"
		steps []string
		end   string // the text of message_end
	}{
		{"by line", hides, []string{"a\nhun => a\n", "ter2\nb => a\n***\n", "\n => a\n***\nb\n"},
			"a\n***\nb\n"},
		{"what was shown changes: the rest waits", func(ev *event.Event) any {
			return map[string]any{"text": strings.Replace(ev.Text("text"), "a\nb", "A\nB", 1)}
		}, []string{"a\n => a\n", "b\n => a\n", "c\n => a\n"}, "A\nB\nc\n"},
		{"hidden until the end", func(ev *event.Event) any {
			if ev.Field("final") != true {
				return block("later")
			}
			return nil
		}, []string{"a\n => ", "b\n => "}, "a\nb\n"},
		{"other kinds are not asked about", func(ev *event.Event) any {
			if ev.Text("kind") == "reasoning" {
				return block("")
			}
			return nil
		}, []string{"a\n => a\n"}, "a\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := make(chan string, 100)
			w := newWorld(t, Options{})
			w.on("assistant_message",
				func(ev *event.Event) any { asked <- ev.Text("text"); return tt.handle(ev) })
			w.answers = []answer{{}}
			w.tap = func(emit func(chat.Chunk)) {
				w.tap = nil
				so := ""
				for _, s := range tt.steps {
					say, want, _ := strings.Cut(s, " => ")
					emit(chat.Chunk{Text: say})
					so += say
					if whole := so[:strings.LastIndexByte(so, '\n')+1]; whole != "" &&
						!(strings.Contains(tt.name, "rest waits") && len(so) > 4) {
						for <-asked != whole {
						}
					}
					until(t, fmt.Sprintf("%q shown", want),
						func() bool { return w.deltas("text") == want })
				}
			}
			end := w.prompt("go")
			equal(t, "end", w.last("message_end").Text("text"), tt.end)
			equal(t, "response", end.Response, tt.end)
		})
	}
}

func TestHandlersChangeDuringMessage(t *testing.T) {
	t.Parallel()
	shows := func(w *world, want string) {
		w.t.Helper()
		until(w.t, fmt.Sprintf("%q shown", want), func() bool { return w.deltas("text") == want })
	}
	handler := func() *engine.Handler {
		return &engine.Handler{Name: "h.lua", Event: "assistant_message", Line: 1,
			GoFn: func(_ context.Context, ev *event.Event) (any, error) { return hides(ev), nil }}
	}
	t.Run("it comes", func(t *testing.T) {
		w := newWorld(t, Options{}, answer{})
		w.tap = func(emit func(chat.Chunk)) {
			emit(chat.Chunk{Text: "a\nb"})
			shows(w, "a\nb")
			w.engine.Scripts.AddGoHandler(handler())
			emit(chat.Chunk{Text: " hun"})
			emit(chat.Chunk{Text: "ter2\n"})
			shows(w, "a\nb ***\n")
		}
		w.prompt("go")
		equal(t, "end", w.last("message_end").Text("text"), "a\nb ***\n")
		if secret.MatchString(w.streamed()) {
			t.Errorf("leak:\n%s", w.streamed())
		}
	})
	t.Run("it goes", func(t *testing.T) {
		w := newWorld(t, Options{}, answer{})
		remove := w.engine.Scripts.AddGoHandler(handler())
		w.tap = func(emit func(chat.Chunk)) {
			emit(chat.Chunk{Text: "a hunter2\nb"})
			shows(w, "a ***\n")
			remove()
			emit(chat.Chunk{Text: " c"})
			shows(w, "a ***\nb c")
		}
		end := w.prompt("go")
		equal(t, "end", w.last("message_end").Text("text")+"|"+end.Response,
			"a ***\nb c|a ***\nb c")
		if secret.MatchString(w.streamed()) {
			t.Errorf("leak:\n%s", w.streamed())
		}
	})
}

func TestIncompleteReplyIsRewritten(t *testing.T) {
	t.Parallel()
	for name, hang := range map[string]bool{"a handler that answers": false,
		"a handler that hangs": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{}, answer{chunks: []chat.Chunk{{Text: "a\nhunter2 and"}},
				after: func(ctx context.Context) { <-ctx.Done() }})
			w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "h.lua", Event: "assistant_message",
				GoFn: func(ctx context.Context, ev *event.Event) (any, error) {
					if hang && ev.Field("final") == true {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return hides(ev), nil
				}})
			ctx, cancel := context.WithCancel(w.ctx)
			done := make(chan End, 1)
			go func() { done <- w.agent.Prompt(ctx, Input{Text: "go"}) }()
			until(t, "the first line", func() bool { return w.deltas("text") == "a\n" })
			cancel()
			end := <-done
			want := "a\n*** and"
			if hang {
				want = "a\n"
			}
			equal(t, "shown", fmt.Sprintf("%s %q %q", end.Status, end.Response,
				w.last("message_end").Text("text")), fmt.Sprintf("cancelled %q %q", want, want))
			if secret.MatchString(w.streamed()) {
				t.Errorf("leak:\n%s", w.streamed())
			}
			equal(t, "session", talk(w.saved().Messages("", 0)),
				"user:go\nassistant:a\nhunter2 and")
		})
	}
}

func TestEmptyRewriteHidesShownText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, speech("all of it\n"))
	w.on("llm_response", rewrite(map[string]any{"text": ""}))
	if end := w.prompt("go"); end.Response != "" || w.last("message_end").Text("text") != "" {
		t.Errorf("got %+v", end)
	}
}

func TestScriptReplacesMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, answer{})
	w.on("llm_response", rewrite(map[string]any{"text": "hunter2"}))
	w.on("assistant_message", hides)
	end := w.prompt("go")
	equal(t, "shown", end.Response+w.deltas("text"), "******")
	if w.count("message_start") != 1 || w.count("message_end") != 1 {
		t.Errorf("got\n%s", w.trace())
	}
}

func TestFailingHandlerIsCalledTwice(t *testing.T) {
	t.Parallel()
	n := 0
	w := newWorld(t, Options{}, answer{})
	w.tap = func(emit func(chat.Chunk)) {
		w.tap = nil
		emit(chat.Chunk{Text: "a\n"})
		until(t, "the failure", func() bool { return w.seen("script_error") })
		emit(chat.Chunk{Text: "b\n"})
	}
	w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "h.lua", Event: "assistant_message",
		OnError: event.FailBlock, GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			n++
			return nil, fmt.Errorf("broken")
		}})
	end := w.prompt("go")
	if n != 2 || end.Response != "" || w.deltas("text") != "" {
		t.Errorf("got %d questions, %+v, %q", n, end, w.deltas("text"))
	}
}

func TestInconsistentHandlerIsCalledAtTheEnd(t *testing.T) {
	t.Parallel()
	var asked []string
	var heard strings.Builder
	var mu sync.Mutex
	w := newWorld(t, Options{}, answer{})
	w.on("message_delta", func(ev *event.Event) any {
		mu.Lock()
		defer mu.Unlock()
		heard.WriteString(ev.Text("delta"))
		return nil
	})
	w.on("assistant_message", func(ev *event.Event) any {
		asked = append(asked, fmt.Sprint(ev.Text("text"), ev.Field("final")))
		if ev.Text("text") == "a\nb\n" {
			return map[string]any{"text": "A\nB\n"}
		}
		return nil
	})
	w.tap = func(emit func(chat.Chunk)) {
		so := ""
		for _, s := range []string{"a\n", "b\n", "c\n"} {
			so += s
			emit(chat.Chunk{Text: s})
			until(t, "scripts hear it",
				func() bool { mu.Lock(); defer mu.Unlock(); return heard.String() == so })
		}
	}
	end := w.prompt("go")
	equal(t, "asked", strings.Join(asked, "|"), "a\nfalse|a\nb\nfalse|a\nb\nc\ntrue")
	equal(t, "shown", w.deltas("text")+end.Response, "a\nb\nc\na\nb\nc\n")
}

func TestTextIsHeldBackAfterFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, answer{})
	w.tap = func(emit func(chat.Chunk)) {
		emit(chat.Chunk{Text: "hunter2\n"})
		until(t, "the failure", func() bool { return w.seen("script_error") })
	}
	w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "h.lua", Event: "assistant_message",
		GoFn: func(_ context.Context, ev *event.Event) (any, error) {
			if ev.Field("final") != true {
				return nil, errors.New("not yet")
			}
			return hides(ev), nil
		}})
	if end := w.prompt("go"); end.Response != "***\n" || secret.MatchString(w.streamed()) {
		t.Errorf("got %+v\n%s", end, w.streamed())
	}
}
