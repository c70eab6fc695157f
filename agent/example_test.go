package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/hook"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// scripted returns a provider whose model calls one tool, and then reports its result.
func scripted(tool, args string) []*engine.Provider {
	stream := func(_ context.Context, req *chat.Request,
		emit func(chat.Chunk)) (chat.Finish, error) {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == "tool" {
			emit(chat.Chunk{Text: "It says: " + chat.PlainText(last.Content)})
			return chat.Finish{Reason: "stop"}, nil
		}
		emit(chat.Chunk{ToolCall: &chat.ToolCallDelta{ID: "1", Name: tool, ArgsDelta: args}})
		return chat.Finish{Reason: "tool_calls"}, nil
	}
	return []*engine.Provider{{Name: "scripted", Models: []chat.Model{{ID: "m"}}, Stream: stream}}
}

// greet returns a read-only tool.
func greet() *engine.Tool {
	return &engine.Tool{Name: "greet", Kind: "read", ReadOnly: true,
		Schema: map[string]any{"type": "object"},
		Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
			return engine.TextResult("hello " + value.Text(use.Args, "name")), nil
		}}
}

func Example() {
	a, err := agent.New(agent.Options{Providers: scripted("greet", `{"name": "world"}`),
		Tools: []*engine.Tool{greet()}})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	defer a.Close(ctx, "exit")
	if err := a.Start(ctx, "startup"); err != nil {
		panic(err)
	}
	end := a.Prompt(ctx, agent.Input{Text: "greet the world"})
	fmt.Println(end.Status, end.Response)
	// Output: completed It says: hello world
}

// A hook in Go runs with the scripts until it is removed.
func Example_hook() {
	a, err := agent.New(agent.Options{Providers: scripted("greet", `{"name": "root"}`),
		Tools: []*engine.Tool{greet()}})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	defer a.Close(ctx, "exit")
	off, err := hook.OnGuard(a.Engine(), func(_ context.Context, ev hook.Guard) (hook.GuardOutcome,
		error) {
		if ev.Tool == "greet" && ev.Args["name"] == "root" {
			return hook.GuardOutcome{Block: true, Reason: "root is not greeted"}, nil
		}
		return hook.GuardOutcome{}, nil
	}, hook.Priority(10), hook.Name("mine"))
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Prompt(ctx, agent.Input{Text: "greet root"}).Response)
	off()
	fmt.Println(a.Prompt(ctx, agent.Input{Text: "and now?"}).Response)
	// Output:
	// It says: refused by mine: root is not greeted
	// It says: hello root
}

// A screen shows the stream of events.
func ExampleAgent_Subscribe() {
	a, err := agent.New(agent.Options{Providers: scripted("greet", `{"name": "you"}`),
		Tools: []*engine.Tool{greet()}})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	defer a.Close(ctx, "exit")
	off := a.Subscribe(func(ev *event.Event) {
		if ev.Name() == "tool_start" || ev.Name() == "tool_end" {
			fmt.Println(ev.Name(), ev.Text("tool"))
		}
	})
	a.Prompt(ctx, agent.Input{Text: "greet me"})
	off()
	// Output:
	// tool_start greet
	// tool_end greet
}

// Scripts of a folder, in both languages, guard the program's tools.
func Example_scripts() {
	dir, err := os.MkdirTemp("", "scripts")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	script := `ext.on("tool_call", { tool: "greet" }, (ev) => ({ args: { name: ` +
		`ev.args.name.toUpperCase() } }));`
	if err := os.WriteFile(filepath.Join(dir, "loud.js"), []byte(script), 0o600); err != nil {
		panic(err)
	}
	a, err := agent.New(agent.Options{Providers: scripted("greet", `{"name": "you"}`),
		Tools:    []*engine.Tool{greet()},
		Runtimes: []engine.Runtime{lua.New(), js.New()},
		Scripts:  agent.Scripts{Extra: []string{dir}}})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	defer a.Close(ctx, "exit")
	if err := a.Start(ctx, "startup"); err != nil {
		panic(err)
	}
	fmt.Println(a.Prompt(ctx, agent.Input{Text: "greet me"}).Response)
	// Output: It says: hello YOU
}
