package agent

import (
	"context"
	"fmt"
	"testing"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/value"
)

// benchAgent returns an agent with a conversation of n messages, without a file. Its model gives
// empty answers.
func benchAgent(b testing.TB, n int) (*Agent, *prompt) {
	b.Helper()
	silent := func(context.Context, *chat.Request, func(chat.Chunk)) (chat.Finish,
		error) {
		return chat.Finish{Reason: "stop"}, nil
	}
	e := scripttest.NewEngine(b, engine.Options{Emit: func(*event.Event) {},
		Providers: []*engine.Provider{{Name: "fake", Models: []chat.Model{{ID: "m"}},
			Stream: silent}}})
	a, err := New(Options{Engine: e, Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		a.journal.append(session.Entry{Message: &chat.Message{Role: role,
			Content: engine.TextResult(fmt.Sprint("message ", i)).Content}})
	}
	a.journal.append(session.Entry{Message: userText("the prompt")})
	return a, &prompt{a: a, ctx: context.Background()}
}

func handle(a *Agent, name string, f func(ev *event.Event) any) {
	a.engine.Scripts.AddGoHandler(&engine.Handler{Name: "h.lua", Event: name,
		GoFn: func(_ context.Context, ev *event.Event) (any, error) { return f(ev), nil }})
}

// edits returns the conversation with its first message edited.
func edits(ev *event.Event) any {
	list := ev.Field("messages").(chat.MessageList)
	out := make([]any, len(list))
	for i, m := range list {
		out[i] = m
	}
	out[0] = map[string]any{"id": list[0].ID, "role": "user", "content": "edited"}
	return map[string]any{"messages": out}
}

func TestUnreadMessagesCostNothing(t *testing.T) {
	allocs := func(n int) float64 {
		a, p := benchAgent(t, n)
		handle(a, "context", func(*event.Event) any { return nil })
		handle(a, "llm_request", func(*event.Event) any { return nil })
		return scripttest.Allocations(100, func() {
			q := &ask.Request{Purpose: "agent"}
			if err := p.context(q); err != nil {
				t.Error(err)
			}
			if _, err := a.asker.Prepare(p.ctx, q); err != nil {
				t.Error(err)
			}
		})
	}
	if few, many := allocs(10), allocs(10_000); few != many {
		t.Errorf("got %v allocations with 10 messages and %v with 10,000", few, many)
	}
}

// BenchmarkRequest measures the agent's part of one request. With handlers that read nothing, the
// cost does not depend on the length of the conversation.
func BenchmarkRequest(b *testing.B) {
	kinds := []struct {
		name   string
		events map[string]func(ev *event.Event) any
	}{
		{"no handlers", nil},
		{"handlers that read nothing",
			map[string]func(ev *event.Event) any{"context": func(*event.Event) any { return nil },
				"llm_request": func(*event.Event) any { return nil }}},
		{"handlers that read the last",
			map[string]func(ev *event.Event) any{"context": func(ev *event.Event) any {
				list := ev.Field("messages").(value.List)
				_ = list.At(list.Len() - 1)
				return nil
			}}},
		{"one message edited", map[string]func(ev *event.Event) any{"context": edits}},
		{"each asked about",
			map[string]func(ev *event.Event) any{"llm_message": func(
				*event.Event) any {
				return nil
			}}},
	}
	for _, k := range kinds {
		for _, n := range []int{10, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				a, p := benchAgent(b, n)
				for event, f := range k.events {
					handle(a, event, f)
				}
				b.ReportAllocs()
				for b.Loop() {
					q := &ask.Request{Purpose: "agent", Tools: a.tools.specs(b.Context())}
					if err := p.context(q); err != nil {
						b.Fatal(err)
					}
					if _, err := a.asker.Prepare(p.ctx, q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkMessages copies the messages of a session for a request: one pointer for each.
func BenchmarkMessages(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a, _ := benchAgent(b, n)
			b.ReportAllocs()
			for b.Loop() {
				a.journal.session().Messages("", 1)
			}
		})
	}
}
