package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
)

// used returns a reply after which the conversation has a number of tokens.
func used(a answer, tokens int) answer {
	a.finish.Usage = &chat.Usage{Input: tokens}
	return a
}

// short returns a conversation with the summary cut to its first words.
func short(s string) string {
	return strings.ReplaceAll(s,
		"<summary>\nThe earlier part of this conversation was replaced by this summary of it:\n\n",
		"<summary>\n")
}

func (w *world) purposes() string {
	var out []string
	for _, r := range w.requests {
		out = append(out, r.Purpose)
	}
	return strings.Join(out, " ")
}

func TestManualCompaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, answer{text: "a1", chunks: use("ls", `{"path":"."}`).chunks},
		answer{text: "a2"}, used(answer{text: "a3"}, 900),
		answer{text: "  in short  "}, answer{text: "a4"})
	w.prompt("one")
	w.prompt("two")
	w.on("session_start",
		func(ev *event.Event) any {
			return map[string]any{"context": "after " +
				ev.Text("cause")}
		})
	must(t, w.agent.Compact(w.ctx, "mind the tests"))
	w.prompt("three")
	equal(t, "purposes", w.purposes(), "agent agent agent compact agent")
	asked := w.request(3)
	for _, want := range []string{"[user]\none\n", "[assistant]\na1\n[calls ls] {\"path\":\".\"}\n",
		"[result of ls]\n", "[assistant]\na2\n", "In particular: mind the tests"} {
		if !strings.Contains(asked, want) {
			t.Errorf("the request lacks %q:\n%s", want, asked)
		}
	}
	if strings.Contains(asked, "two") || len(w.requests[3].Tools) > 0 ||
		w.requests[3].System == w.requests[2].System {
		t.Errorf("the request has the kept messages, or the purpose of a turn:\n%s", asked)
	}
	equal(t, "goes on", short(w.request(4)),
		"user:<summary>\nin short\n</summary>\nuser:two\nassistant:a3\nuser:<context "+
			"from=\"h.lua\">\nafter compact\n</context>\nuser:three")
	ev := w.last("session_compact")
	before, after := ev.Field("tokens_before").(int), ev.Field("tokens_after").(int)
	if ev.Text("summary") != "in short" || ev.Field("dropped") != 4 || ev.Field("kept") != 2 ||
		before != 900 || after <= 0 || after >= before {
		t.Errorf("got %v", eventText(ev))
	}
	b := w.last("session_before_compact")
	if b.Text("instructions") != "mind the tests" || b.Field("input_tokens") != 900 ||
		b.Field("limit") != 100_000 || b.Text("keep_from") == "" {
		t.Errorf("got %v", eventText(b))
	}
	// The file has all messages, and a fork restores the whole conversation.
	s := w.saved()
	equal(t, "reloaded", talk(s.Messages("", 0)), talk(w.agent.journal.messages()))
	must(t, w.agent.Fork(w.ctx, w.prompts()[1], false))
	if got := w.talks(); !strings.HasPrefix(got, "user:one | assistant:a1") ||
		!strings.HasSuffix(got,
			"user:two | user:<context from=\"h.lua\">\nafter fork\n</context>") &&
			!strings.Contains(got, "user:two") {
		t.Errorf("before the compaction: got %s", got)
	}
}

func eventText(ev *event.Event) string {
	b, _ := ev.MarshalJSON()
	return string(b)
}

// TestCompactSaysItOnce checks that /compact says what it did, except to the screen, which shows
// the summary.
func TestCompactSaysItOnce(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"print", "tui"} {
		w := newWorld(t, Options{Mode: mode}, answer{text: "one"}, answer{text: "two"},
			answer{text: "short"})
		d := w.desk()
		for _, text := range []string{"first", "second", "/compact"} {
			d.send(Input{Text: text})
			d.idle()
		}
		said := strings.Contains(w.tell("say:markdown"), "messages were replaced by a summary")
		if w.count("session_compact") != 1 || said != (mode == "print") {
			t.Errorf("%s: %d compactions, said: %t", mode, w.count("session_compact"), said)
		}
	}
}

func TestWindowAfterCompaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, answer{text: "a1"}, used(answer{text: "a2"}, 900),
		answer{text: "s"})
	w.prompt("one")
	w.prompt("two")
	must(t, w.agent.Compact(w.ctx, ""))
	if got, want := w.agent.Envelope().Window()["tokens"],
		w.last("session_compact").Field("tokens_after"); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	id := w.agent.Session().ID()
	must(t, w.agent.NewSession(w.ctx, "new", ""))
	must(t, w.agent.ResumeID(w.ctx, id))
	if got, want := w.agent.Envelope().Window()["tokens"],
		w.last("session_compact").Field("tokens_after"); got != want {
		t.Errorf("resumed: got %v, want %v", got, want)
	}
}

func TestCompactAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, answer{text: "a1"}, answer{text: "a2"}, answer{text: "first"},
		answer{text: "a3"}, answer{text: "second"})
	w.prompt("one")
	w.prompt("two")
	must(t, w.agent.Compact(w.ctx, ""))
	var got *event.Event
	w.on("session_before_compact", func(ev *event.Event) any { got = ev; return nil })
	w.prompt("three")
	must(t, w.agent.Compact(w.ctx, ""))
	if got.Text("previous_summary") != "first" ||
		got.Field("messages").(chat.MessageList).Len() != 2 {
		t.Errorf("got %s", eventText(got))
	}
	if asked := w.request(4); !strings.HasPrefix(asked, "user:<summary>\nfirst\n</summary>") ||
		strings.Contains(asked, "[user]\none") {
		t.Errorf("asked:\n%s", asked)
	}
	equal(t, "goes on", short(w.talks()),
		"user:<summary>\nsecond\n</summary> | user:three | assistant:a3")
	if w.agent.Compact(w.ctx, "") == nil {
		t.Error("there is nothing left to compact: got no error")
	}
}

func TestCompactionFails(t *testing.T) {
	t.Parallel()
	talked := func(answers ...answer) *world {
		w := newWorld(t, Options{}, append([]answer{{text: "a1"}, {text: "a2"}}, answers...)...)
		w.prompt("one")
		w.prompt("two")
		return w
	}
	same := func(w *world) {
		t.Helper()
		equal(t, "as it was", w.talks(), "user:one | assistant:a1 | user:two | assistant:a2")
		for _, e := range w.agent.Session().All() {
			if e.Compaction != nil {
				t.Error("there is a compaction")
			}
		}
	}
	t.Run("empty summary", func(t *testing.T) {
		w := talked(answer{text: " \n"})
		if err := w.agent.Compact(w.ctx, ""); err == nil ||
			!strings.Contains(err.Error(), "summary is empty") {
			t.Errorf("got %v", err)
		}
		same(w)
	})
	t.Run("empty summary of a script", func(t *testing.T) {
		w := talked()
		w.on("session_before_compact",
			func(*event.Event) any { return map[string]any{"summary": ""} })
		if err := w.agent.Compact(w.ctx, ""); err == nil {
			t.Error("got no error")
		}
		same(w)
	})
	t.Run("the model fails", func(t *testing.T) {
		w := talked(answer{err: errors.New("broken")})
		if err := w.agent.Compact(w.ctx, ""); err == nil ||
			!strings.Contains(err.Error(), "broken") {
			t.Errorf("got %v", err)
		}
		same(w)
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		w := talked(answer{text: "half", after: func(context.Context) { cancel() }})
		if err := w.agent.Compact(ctx, ""); code(t, err) != "cancelled" {
			t.Errorf("got %v", err)
		}
		same(w)
	})
	t.Run("one prompt", func(t *testing.T) {
		w := newWorld(t, Options{})
		for range 2 {
			if err := w.agent.Compact(w.ctx, ""); code(t, err) != "unsupported" {
				t.Errorf("got %v", err)
			}
			w.prompt("one")
		}
	})
}

func TestScriptsChangeCompaction(t *testing.T) {
	t.Parallel()
	prepare := func(t *testing.T, f func(w *world, ev *event.Event) any) *world {
		w := newWorld(t, Options{}, answer{text: "a1"},
			answer{text: "a2", chunks: use("ls", "").chunks}, answer{text: "a3"},
			answer{text: "by the model"})
		w.prompt("one")
		w.prompt("two")
		w.on("session_before_compact", func(ev *event.Event) any { return f(w, ev) })
		return w
	}
	messages := func(w *world) (ids []string) {
		for _, m := range w.agent.journal.messages() {
			ids = append(ids, m.ID)
		}
		return ids
	}
	t.Run("summary", func(t *testing.T) {
		w := prepare(t, func(*world,
			*event.Event) any {
			return map[string]any{"summary": " my own "}
		})
		must(t, w.agent.Compact(w.ctx, ""))
		if got := w.last("session_compact").Text("summary"); got != " my own " ||
			strings.Contains(w.purposes(), "compact") {
			t.Errorf("got %q, requests %s", got, w.purposes())
		}
	})
	t.Run("instructions", func(t *testing.T) {
		w := prepare(t, func(_ *world, ev *event.Event) any {
			return map[string]any{"instructions": ev.Text("instructions") + ", and the names"}
		})
		must(t, w.agent.Compact(w.ctx, "the files"))
		if got := w.request(3); !strings.HasSuffix(got, "In particular: the files, and the names") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("keep_from", func(t *testing.T) {
		w := prepare(t, func(w *world,
			ev *event.Event) any {
			return map[string]any{"keep_from": messages(w)[1]}
		})
		must(t, w.agent.Compact(w.ctx, ""))
		equal(t, "kept", short(w.talks()),
			"user:<summary>\nby the model\n</summary> | assistant:a1 | user:two | assistant:a2 "+
				"[t-ls] | tool>t-ls:[empty directory] | assistant:a3")
	})
	t.Run("keep nothing but the prompt", func(t *testing.T) {
		w := prepare(t, func(w *world,
			ev *event.Event) any {
			return map[string]any{"keep_from": ""}
		})
		must(t, w.agent.Compact(w.ctx, ""))
		equal(t, "kept", short(w.talks()), "user:<summary>\nby the model\n</summary> | user:two")
		equal(t, "reloaded", talk(w.saved().Messages("", 0)), talk(w.agent.journal.messages()))
	})
	for what, at := range map[string]func(ids []string) string{
		"no message of the conversation has this id": func([]string) string { return "nothing" },
		"it is the result of a tool":                 func(ids []string) string { return ids[4] },
		"nothing would be left":                      func(ids []string) string { return ids[0] },
	} {
		t.Run(what, func(t *testing.T) {
			w := prepare(t, func(w *world,
				ev *event.Event) any {
				return map[string]any{"keep_from": at(messages(w))}
			})
			must(t, w.agent.Compact(w.ctx, ""))
			if got := w.last("error").Text("message"); !strings.HasPrefix(got,
				"h.lua:1: session_before_compact: keep_from") || !strings.Contains(got, what) {
				t.Errorf("got %s", got)
			}
			if got := short(w.talks()); !strings.HasPrefix(got,
				"user:<summary>\nby the model\n</summary> | user:two | assistant:a2") {
				t.Errorf("the previous start is kept: got %s", got)
			}
		})
	}
}

func TestThresholdCompaction(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("word ", 100) // 125 tokens
	w := newWorld(t, Options{}, answer{text: "a1 " + strings.Repeat(big, 4)},
		used(answer{text: "a2 words"}, 85_000), answer{text: "s"}, used(answer{text: "a3"}, 70_000),
		answer{text: "a4"})
	w.context = 100_000
	w = restart(w)
	w.prompt("one")
	w.prompt("two")
	w.prompt("three")
	w.prompt("four")
	equal(t, "purposes", w.purposes(), "agent agent compact agent agent")
	equal(t, "goes on", short(w.request(3)),
		"user:<summary>\ns\n</summary>\nuser:two\nassistant:a2 words\nuser:three")
	if got := w.last("session_before_compact").Text("cause"); got != "threshold" {
		t.Errorf("cause: got %s", got)
	}
	w.saved()
}

// restart restarts the world with its changes.
func restart(w *world) *world {
	w.agent.Close(w.ctx, "exit")
	return w.start(Options{}, func() {})
}

func TestRefusedCompactionContinues(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, used(answer{text: "a1"}, 90_000), used(answer{text: "a2"}, 91_000),
		used(answer{text: "a3"}, 110_000))
	w.context = 100_000
	w = restart(w)
	asked := 0
	w.on("session_before_compact", func(*event.Event) any { asked++; return block("no") })
	for _, p := range []string{"one", "two", "three", "four"} {
		if end := w.prompt(p); end.Status != Completed {
			t.Errorf("got %+v", end)
		}
	}
	if asked != 2 { // not at 91,000, because the conversation has hardly grown
		t.Errorf("asked %d times, want 2", asked)
	}
	equal(t, "purposes", w.purposes(), "agent agent agent agent")
}

func TestCompactionDuringPrompt(t *testing.T) {
	t.Parallel()
	look := func(n, tokens int) answer {
		a := use("ls", fmt.Sprintf(`{"path":"%s"}`, strings.Repeat("./", n)))
		a.text = fmt.Sprint("look ", n, strings.Repeat(" word", 80))
		return used(a, tokens)
	}
	w := newWorld(t, Options{}, answer{text: "old"}, look(1, 10_000), look(2, 40_000),
		look(3, 90_000), answer{text: "s"}, answer{text: "found"})
	w.context = 100_000
	w = restart(w)
	w.prompt("before")
	if end := w.prompt("do it"); end.Status != Completed || end.Response != "found" {
		t.Fatalf("got %+v", end)
	}
	last := short(w.request(len(w.requests) - 1))
	if !strings.HasPrefix(last, "user:<summary>\ns\n</summary>\nuser:do it\nassistant:look 3") ||
		strings.Contains(last, "look 1") {
		t.Errorf("want the prompt and no old messages, got\n%s", last)
	}
	if c := w.last("session_compact"); c.Field("kept") != 3 || c.Field("dropped") != 6 {
		t.Errorf("got %s", eventText(c))
	}
	w.saved()
}

func TestOverflowIsCompactedOnce(t *testing.T) {
	t.Parallel()
	over := answer{err: &fault.FailError{Message: "prompt is too long", Overflow: true}}
	big := strings.Repeat("word ", 100)
	t.Run("then it fits", func(t *testing.T) {
		w := newWorld(t, Options{}, answer{text: "a1 " + big}, over, answer{text: "s"},
			answer{text: "a2"})
		w.context = 50_000
		w = restart(w)
		w.prompt("one " + big)
		if end := w.prompt("two"); end.Status != Completed || end.Response != "a2" {
			t.Errorf("got %+v", end)
		}
		equal(t, "purposes", w.purposes(), "agent agent compact agent")
		equal(t, "again", short(w.request(3)), "user:<summary>\ns\n</summary>\nuser:two")
	})
	t.Run("then it does not", func(t *testing.T) {
		w := newWorld(t, Options{}, answer{text: "a1 " + big}, over, answer{text: "s"}, over)
		w.context = 50_000
		w = restart(w)
		w.prompt("one " + big)
		if end := w.prompt("two"); end.Status != Failed ||
			!strings.Contains(end.Error, "also when it is compacted") {
			t.Errorf("got %+v", end)
		}
	})
	t.Run("a prompt that is too large by itself", func(t *testing.T) {
		w := newWorld(t, Options{}, over)
		if end := w.prompt("one"); end.Status != Failed ||
			!strings.Contains(end.Error, "could not be compacted") {
			t.Errorf("got %+v", end)
		}
	})
}

func TestSubAgentHasOwnSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	child := newAgent(w.agent.o, w.agent)
	if code(t, child.NewSession(w.ctx, "new", "")) != "unsupported" ||
		code(t, child.Fork(w.ctx, "x", false)) != "unsupported" {
		t.Error("a sub-agent can switch its session")
	}
	must(t, child.journal.state().Set("a.lua", "k", "v"))
	if v, _ := w.agent.Session().State("a.lua", "k"); v != "v" {
		t.Errorf("the state of the main agent: got %v", v)
	}
	child.journal.spend(session.Usage{Purpose: "subagent", Tokens: chat.Usage{Input: 5}})
	if got := w.agent.Session().Used(false).Tokens.Input; got != 5 {
		t.Errorf("usage of sub-agents in the main session: got %d", got)
	}
}
