// This file tests the size of a conversation, also with a model server that does not count tokens.

package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/chat"
)

// windowTokens returns the token count in the envelope's window.
func (w *world) windowTokens() (tokens int, estimated bool) {
	m := w.agent.Envelope().Window()
	return m["tokens"].(int), m["estimated"].(bool)
}

func TestWindowIsEstimatedWithoutCounts(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("word ", 4000) // 5000 tokens
	w := newWorld(t, Options{}, answer{text: "a1 " + big}, answer{text: "a2"},
		used(answer{text: "a3"}, 77_000), answer{text: "a4"})
	w.prompt("one " + big)
	first, estimated := w.windowTokens()
	if first < 10_000 || first > 15_000 || !estimated {
		t.Errorf("got %d, estimated %v", first, estimated)
	}
	w.prompt("two " + big)
	if second, _ := w.windowTokens(); second < first+5000 || second > first+5200 {
		t.Errorf("the window grew from %d to %d", first, second)
	}
	w.prompt("three")
	if tokens, estimated := w.windowTokens(); tokens != 77_000 || estimated {
		t.Errorf("with a counting server: got %d, estimated %v", tokens, estimated)
	}
	w.prompt("four") // the server has stopped counting
	last, estimated := w.windowTokens()
	if last < first || last > 30_000 || !estimated {
		t.Errorf("got %d, estimated %v", last, estimated)
	}
	id := w.agent.Session().ID()
	must(t, w.agent.NewSession(w.ctx, "new", ""))
	must(t, w.agent.ResumeID(w.ctx, id))
	if tokens, estimated := w.windowTokens(); tokens != last || !estimated {
		t.Errorf("resumed: got %d, estimated %v, want %d", tokens, estimated, last)
	}
}

// TestCompactionWithoutCounts checks that with a server that never counts, the conversation is
// compacted whenever it is full, and the window is right afterwards.
func TestCompactionWithoutCounts(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("word ", 4000) // 5000 tokens
	w := newWorld(t, Options{})
	w.context = 40_000
	w = restart(w)
	for i := range 30 {
		if end := w.prompt(fmt.Sprint(i, " ", big)); end.Status != Completed {
			t.Fatalf("got %+v", end)
		}
		if tokens, _ := w.windowTokens(); tokens > 40_000 || tokens < 1000 {
			t.Errorf("prompt %d: the window holds %d tokens", i, tokens)
		}
	}
	if n := w.count("session_compact"); n < 4 || n > 10 {
		t.Errorf("compacted %d times", n)
	}
	w.saved()
}

// TestWindowIncludesNewResults checks that a result counts that fills the window so that the next
// request would be too large.
func TestWindowIncludesNewResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, used(answer{text: "a1"}, 60_000),
		used(use("bash",
			`{"command":"head -c 45000 /dev/zero | tr '\\0' x; printf '\\n%.0s' $(seq 10)"}`),
			74_000), answer{text: "s"}, answer{text: "done"})
	w.prompt("one")
	w.prompt("two")
	if got := w.purposes(); got != "agent agent compact agent" {
		t.Errorf("got %s", got)
	}
}

// TestTinyWindowIsNotCompactedRepeatedly uses a model whose window is filled by the system prompt
// and the tools alone.
func TestTinyWindowIsNotCompactedRepeatedly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.context = 1500
	w = restart(w)
	for i := range 20 {
		if end := w.prompt(fmt.Sprint("a prompt of a few words, number ",
			i)); end.Status != Completed {
			t.Fatalf("got %+v", end)
		}
	}
	if n := strings.Count(w.purposes(), "compact"); n > 8 {
		t.Errorf("compacted %d times in 20 prompts", n)
	}
}

func TestTokensCountedByServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, used(answer{text: "a"}, 500))
	w.prompt("one")
	if u := w.saved().Size(); u.Estimated || u.Tokens != 500 || len(u.Since) > 0 ||
		u.Last.Estimate != 0 {
		t.Errorf("got %+v", u)
	}
	if got := w.last("agent_end").Field("usage").(map[string]any)["input"]; got != 500 {
		t.Errorf("got %v", got)
	}
	w = newWorld(t, Options{}, answer{text: "a"})
	w.prompt("one")
	if u := w.saved().Size(); !u.Estimated || u.Tokens == 0 || u.Last.Tokens != (chat.Usage{}) {
		t.Errorf("got %+v", u)
	}
}
