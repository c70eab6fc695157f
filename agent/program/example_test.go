package program_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/program"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
	"github.com/agentscripts/agent/scripts"
)

// exampleFolder creates a folder with one file, and returns it with a function that removes it.
func exampleFolder(name, text string) (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
	}
	if err != nil {
		panic(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

func fail(err error) {
	if err != nil {
		panic(err)
	}
}

// The samples below are in docs/embedding.md: TestEmbeddingDocs in cmd/agent compares them.

func ExampleNew() {
	ctx := context.Background()
	home, remove := exampleFolder("scripts/guard.lua",
		`ext.guard({ tool = "bash", match = "rm " }, function() return { block = true, reason = `+
			`"not here" } end)`)
	defer remove()
	// whole
	p, err := program.New(program.Options{
		Agent: agent.Options{
			Home:     home, // settings, sessions, scripts in home/scripts; "" = ~/.agent
			Runtimes: []engine.Runtime{lua.New(), js.New()},
			// the languages of scripts; none = no scripts
			Approver: nil, // asks the user; nil = what would ask is refused
			Emit:     func(ev *event.Event) { /* draw it */ },
			// all that happens, as a user may see it
		},
		Offline: scripts.Offline(),
		// answers where no model is set up; nil = nothing does
		Without: program.Parts{Commands: true}, // each part can be left out
	})
	fail(err)
	defer p.Close(ctx, "exit")
	fail(p.Start(ctx, "startup")) // loads the scripts; from now on each save is live
	end := p.Agent.Prompt(ctx, agent.Input{Text: "run rm -r build"})
	fmt.Println(end.Response)
	// end

	// Output:
	// 1. run rm -r build: refused by guard.lua: not here
}

// Example_engine embeds the engine alone, with one guard in front of the tools of a program that
// has its own loop.
func Example_engine() {
	ctx := context.Background()
	dir, remove := exampleFolder("guard.lua", `ext.guard({ tool = "deploy" }, function(ev)
  if ev.args.to == "production" then return { block = true, reason = "not on a Friday" } end
end)`)
	defer remove()
	deploy := &engine.Tool{Name: "deploy", Kind: "execute",
		Schema: map[string]any{"type": "object"}, NoApproval: true,
		Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
			return engine.TextResult("deployed to " + value.Text(use.Args, "to")), nil
		}}
	// guard
	e, table, err := standard.New(standard.Options{Host: host.Options{CWD: dir},
		Engine: engine.Options{Runtimes: []engine.Runtime{lua.New()},
			Tools: []*engine.Tool{deploy}}})
	fail(err)
	defer table.Close()
	defer e.Close()
	loader := load.New(load.Options{Engine: e, Extra: []string{dir + "/guard.lua"}, Watch: true})
	defer loader.Close()
	fail(loader.Start(ctx))
	for _, to := range []string{"staging", "production"} {
		call := &engine.Call{ID: to, Tool: "deploy", Args: map[string]any{"to": to},
			Origin: "model"}
		fmt.Println(chat.PlainText(e.Dispatch(ctx, call).Content))
	}
	// end

	// Output:
	// deployed to staging
	// refused by guard.lua: not on a Friday
}
