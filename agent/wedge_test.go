// This file tests what happens to a conversation whose script hangs in a function that cannot be
// interrupted.

package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// stuckGuards are scripts with a guard that asks the screen something before it answers. The screen
// answers in the VM's goroutine, so that the VM is wedged while the screen hangs.
var stuckGuards = map[string]string{
	"stuck.lua": `-- ==Agent==
-- @grant ui
-- ==/Agent==
ext.guard({ tool = "work" }, function(ev)
  ext.ui.focused()
  if ev.args.name == "bad" then return { block = true, reason = "the guard answers" } end
end)`,
	"stuck.js": `// ==Agent==
// @grant ui
// ==/Agent==
ext.guard({ tool: "work" }, (ev) => {
  ext.ui.focused();
  if (ev.args.name === "bad") return { block: true, reason: "the guard answers" };
});`,
}

// inOneMessage returns a provider whose model calls greet, work, greet and work in one message, and
// then says the results.
func inOneMessage() []*engine.Provider {
	stream := func(_ context.Context, req *chat.Request, emit func(chat.Chunk)) (chat.Finish,
		error) {
		if last := req.Messages[len(req.Messages)-1]; last.Role == "user" {
			name := chat.PlainText(last.Content)
			for i, tool := range []string{"greet", "work", "greet", "work"} {
				emit(chat.Chunk{ToolCall: &chat.ToolCallDelta{Index: i, ID: string(rune('a' + i)),
					Name: tool, ArgsDelta: `{"name": "` + name + `"}`}})
			}
			return chat.Finish{Reason: "tool_calls"}, nil
		}
		var said []string
		for _, m := range req.Messages[len(req.Messages)-4:] {
			said = append(said, m.CallID+": "+chat.PlainText(m.Content))
		}
		emit(chat.Chunk{Text: strings.Join(said, "\n")})
		return chat.Finish{Reason: "stop"}, nil
	}
	return []*engine.Provider{{Name: "scripted", Models: []chat.Model{{ID: "m"}}, Stream: stream}}
}

// TestWedgedGuardInABatch checks that a VM that cannot be stopped only costs the call that it
// guards: that call is refused, the other calls of the message go on, and a fresh version of the
// script answers afterwards.
func TestWedgedGuardInABatch(t *testing.T) {
	t.Parallel()
	for name, text := range stuckGuards {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			home := t.TempDir()
			saveScript(t, home, name, text)
			release := make(chan struct{})
			var hung atomic.Bool
			hang := func() bool { // once
				if !hung.Swap(true) {
					<-release
				}
				return true
			}
			var ran atomic.Int32
			work := greet()
			work.Name, work.Run = "work", func(context.Context, *engine.Use) (*engine.Result,
				error) {
				ran.Add(1)
				return engine.TextResult("worked"), nil
			}
			a, err := agent.New(agent.Options{Home: home, Dir: t.TempDir(),
				Heap: scripttest.SteadyHeap, Providers: inOneMessage(),
				Tools:    []*engine.Tool{greet(), work},
				Runtimes: []engine.Runtime{lua.New(), js.New()},
				Surface:  &ui.Surface{Focused: hang}})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close(ctx, "exit")
			defer close(release)
			if err := a.Start(ctx, "startup"); err != nil {
				t.Fatal(err)
			}
			number := func() int {
				list := a.Engine().Scripts.Snapshot().Generations
				i := slices.IndexFunc(list,
					func(g *engine.Generation) bool { return g.Name == name })
				return list[i].Number
			}
			stuck := number()

			said := a.Prompt(ctx, agent.Input{Text: "bad"}).Response
			lines := strings.Split(said, "\n")
			if len(lines) < 4 || lines[0] != "a: hello bad" || !slices.Contains(lines,
				"c: hello bad") {
				t.Errorf("the other calls did not go on:\n%s", said)
			}
			if !strings.Contains(said, "b: refused") || !strings.Contains(said, "script time") {
				t.Errorf("the call was not refused because of the time:\n%s", said)
			}
			for number() == stuck {
				if ctx.Err() != nil {
					t.Fatal("the script was not replaced")
				}
				time.Sleep(time.Millisecond)
			}
			said = a.Prompt(ctx, agent.Input{Text: "bad"}).Response
			if strings.Count(said, "the guard answers") != 2 || ran.Load() != 0 {
				t.Errorf("work ran %d times; the fresh version:\n%s", ran.Load(), said)
			}
			said = a.Prompt(ctx, agent.Input{Text: "good"}).Response
			if strings.Count(said, "worked") != 2 || ran.Load() != 2 {
				t.Errorf("work ran %d times; a call that the fresh version allows:\n%s", ran.Load(),
					said)
			}
		})
	}
}
