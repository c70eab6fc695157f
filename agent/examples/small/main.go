// Command small is a small agent with its own tool, a guard in Go, the user's scripts, and the
// configured model. It answers one prompt.
//
//	go run . what time is it in Tokyo?
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/hook"
	"github.com/agentscripts/agent/agent/llm"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
	"github.com/agentscripts/agent/scripts"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, strings.Join(os.Args[1:], " "), os.Getenv("SMALL_SCRIPTS")); err != nil {
		fmt.Fprintln(os.Stderr, "small:", err)
		os.Exit(1)
	}
}

// run answers one prompt. folder holds scripts; "" = there are none.
func run(ctx context.Context, prompt, folder string) error {
	servers := llm.Options{Env: os.Getenv}
	providers, warnings := llm.Providers(servers)
	for _, w := range warnings {
		fmt.Fprintln(os.Stderr, w)
	}
	o := agent.Options{
		Runtimes: []engine.Runtime{lua.New(), js.New()},
		// answers if no key is set
		Scripts: agent.Scripts{Builtin: []load.Builtin{
			{Name: "offline.lua", Bytes: scripts.Offline()}}},
		Providers: providers,
		Secrets:   llm.Secrets(servers),
		Tools:     []*engine.Tool{clock()},
	}
	if folder != "" {
		o.Scripts.Extra = []string{folder}
	}
	a, err := agent.New(o)
	if err != nil {
		return err
	}
	defer a.Close(ctx, "exit")
	defer a.Subscribe(show)()
	off, err := hook.OnGuard(a.Engine(), guard, hook.Filter("tool", "clock"), hook.Name("small"))
	if err != nil {
		return err
	}
	defer off()
	if err := a.Start(ctx, "startup"); err != nil {
		return err
	}
	end := a.Prompt(ctx, agent.Input{Text: prompt})
	fmt.Println(end.Response)
	if end.Status != agent.Completed {
		return fmt.Errorf("%s: %s", end.Status, end.Reason)
	}
	return nil
}

// clock is a tool that the model can call.
func clock() *engine.Tool {
	return &engine.Tool{Name: "clock", Description: "Tells the time in a time zone.", Kind: "read",
		ReadOnly: true,
		Schema: map[string]any{"type": "object", "required": []any{"zone"},
			"properties": map[string]any{
				"zone": map[string]any{"type": "string", "description": "such as Asia/Tokyo"}}},
		Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
			zone, err := time.LoadLocation(value.Text(use.Args, "zone"))
			if err != nil {
				return nil, err
			}
			return engine.TextResult(time.Now().In(zone).Format(time.RFC1123Z)), nil
		}}
}

// guard checks the final arguments, in addition to the guards of scripts.
func guard(_ context.Context, ev hook.Guard) (hook.GuardOutcome, error) {
	if zone := value.Text(ev.Args, "zone"); strings.HasPrefix(zone, "/") ||
		strings.Contains(zone, "..") {
		return hook.GuardOutcome{Block: true, Reason: zone + " is no time zone"}, nil
	}
	return hook.GuardOutcome{}, nil
}

// show prints an event.
func show(ev *event.Event) {
	switch ev.Name() {
	case "tool_start":
		fmt.Fprintf(os.Stderr, "[%s]\n", ev.Text("tool"))
	case "tool_skipped":
		fmt.Fprintf(os.Stderr, "[%s: %s]\n", ev.Text("tool"), ev.Text("reason"))
	case "notification", "error":
		fmt.Fprintln(os.Stderr, ev.Text("message"))
	}
}
