package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/service"
)

// TestFailedHandlerWithholdsContent checks that a handler that fails closed lets nothing through,
// for each event that may rewrite content.
func TestFailedHandlerWithholdsContent(t *testing.T) {
	t.Parallel()
	failing := func(w *world, name string) {
		w.engine.Scripts.AddGoHandler(&engine.Handler{Name: "scrub.lua", Event: name, Line: 7,
			OnError: event.FailBlock,
			GoFn: func(_ context.Context, ev *event.Event) (any, error) {
				return nil,
					errors.New("no")
			}})
	}
	t.Run("tool_result", func(t *testing.T) {
		w := newWorld(t, Options{}, use("bash", `{"command":"echo key"}`))
		failing(w, "tool_result")
		w.prompt("go")
		equal(t, "the model sees", w.request(1),
			"user:go\nassistant: [t-bash]\ntool>t-bash:[the result is withheld: on tool_result "+
				"failed at scrub.lua:7]")
		if got := w.last("tool_result").Field("content"); !strings.Contains(
			chat.PlainText(ask.DecodeBlocks(got)), "withheld") {
			t.Errorf("the user got %v", got)
		}
	})
	t.Run("llm_message", func(t *testing.T) {
		w := newWorld(t, Options{}, speech("hi"))
		failing(w, "llm_message")
		w.prompt("secret")
		equal(t, "the model sees", w.request(0),
			"user:[the message is withheld: on llm_message failed at scrub.lua:7]")
	})
	t.Run("context", func(t *testing.T) {
		w := newWorld(t, Options{}, speech("hi"))
		failing(w, "context")
		if end := w.prompt("secret"); end.Status != Blocked || len(w.requests) != 0 ||
			!strings.Contains(end.Reason, "scrub.lua") {
			t.Errorf("got %+v after %d requests", end, len(w.requests))
		}
	})
	t.Run("llm_response", func(t *testing.T) {
		w := newWorld(t, Options{}, use("bash", `{"command":"echo key"}`))
		failing(w, "llm_response")
		end := w.prompt("go")
		equal(t, "the conversation", talk(w.saved().Messages("", 0)),
			"user:go\nassistant:[the answer is withheld: on llm_response failed at scrub.lua:7]")
		equal(t, "response", end.Response,
			"[the answer is withheld: on llm_response failed at scrub.lua:7]")
	})
	t.Run("assistant_message", func(t *testing.T) {
		w := newWorld(t, Options{}, speech("secret\nwords\n"))
		failing(w, "assistant_message")
		end := w.prompt("go")
		if end.Response != "" || strings.Contains(w.deltas("text"), "secret") ||
			w.last("message_end").Text("text") != "" {
			t.Errorf("got %+v\n%s", end, w.trace())
		}
	})
	t.Run("subagent_end", func(t *testing.T) {
		w := newWorld(t, Options{}, speech("secret"))
		failing(w, "subagent_end")
		end, err := w.spawn(&service.SpawnSpec{Prompt: "look"}).Wait(w.ctx)
		const want = "[the response is withheld: on subagent_end failed at scrub.lua:7]"
		if err != nil || end.Response != want || w.last("subagent_end").Text("response") != want {
			t.Errorf("got %+v %v, told %v", end, err, w.last("subagent_end"))
		}
	})
}
