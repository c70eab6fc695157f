package program_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/program"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
	"github.com/agentscripts/agent/scripts"
)

// deadline is the timeout of every wait of these tests.
const deadline = 2 * time.Minute

func TestMain(m *testing.M) {
	// tests must not use a real model
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "AGENT_HOME"} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// world is a program whose home has a file of every part.
type world struct {
	*program.Program
	t    *testing.T
	ctx  context.Context
	home string
}

func (w *world) put(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func newWorld(t *testing.T, without program.Parts) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	w := &world{t: t, ctx: ctx, home: t.TempDir()}
	w.put("config.toml",
		"permission = \"yolo\"\n[permissions]\ndeny = [\"bash(echo "+
			"denied*)\"]\n[mcp.gone]\ncommand = \"/no/such/server\"\n[options.opt]\nsize = "+
			"7\n[providers.work]\napi = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\n")
	w.put("skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\nDo it.\n")
	w.put("commands/hi.md", "say hello $1")
	w.put("scripts/opt.lua", `local size = ext.option{ name = "size", type = "number", default = 1 }
ext.command{ name = "size", run = function() return { display = "size is " .. tostring(size) } end }`)
	p, err := program.New(program.Options{Offline: scripts.Offline(), Without: without,
		Agent: agent.Options{Home: w.home, Dir: t.TempDir(), Heap: scripttest.SteadyHeap,
			Runtimes: []engine.Runtime{lua.New(), js.New()}}})
	if err != nil {
		t.Fatal(err)
	}
	w.Program = p
	t.Cleanup(func() { p.Close(context.Background(), "exit") })
	if err := p.Start(ctx, "startup"); err != nil {
		t.Fatal(err)
	}
	return w
}

// working returns which parts of the home work.
func (w *world) working() string {
	var out []string
	note := func(part string, ok bool) {
		if ok {
			out = append(out, part)
		}
	}
	note("settings", w.Agent.Envelope().Permission == event.PermissionYolo)
	note("rules", strings.Contains(w.Agent.Prompt(w.ctx,
		agent.Input{Text: "run echo denied"}).Response, "bash(echo denied*)"))
	note("providers", w.Engine.Scripts.Snapshot().Provider("work") != nil)
	note("skills", w.Engine.Scripts.Snapshot().Tool("skill") != nil)
	note("commands",
		w.Agent.Prompt(w.ctx, agent.Input{Text: "/hi you",
			Source: "interactive"}).Response == "hello you")
	// the command waits until each server is connected or has failed
	mcp, _ := w.Engine.Commands.Run(w.ctx, nil, "mcp", "")
	note("mcp", strings.Contains(mcp.Display, "**gone**"))
	return strings.Join(out, " ")
}

func TestParts(t *testing.T) {
	for want, without := range map[string]program.Parts{
		"settings rules providers skills commands mcp": {},
		"skills commands":                          {Settings: true},
		"settings providers skills commands mcp":   {Rules: true},
		"settings rules skills commands mcp":       {Providers: true},
		"settings rules providers skills commands": {MCP: true},
		"settings rules providers commands mcp":    {Skills: true},
		"settings rules providers skills mcp":      {Commands: true},
		"":                                         {Home: true, Skills: true},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			if got := newWorld(t, without).working(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestScriptsAreLive checks that a saved script applies to the next call, unless watching is left
// out.
func TestScriptsAreLive(t *testing.T) {
	for _, off := range []bool{false, true} {
		w := newWorld(t, program.Parts{Watch: off})
		refused := func() bool {
			return strings.Contains(w.Agent.Prompt(w.ctx,
				agent.Input{Text: "run echo live"}).Response, "refused by live.js")
		}
		w.put("scripts/live.js",
			`ext.guard({ tool: "bash" }, () => ({ block: true, reason: "live" }))`)
		// a file that a tool may have written would wait for the user
		time.Sleep(100 * time.Millisecond)
		if off {
			if refused() {
				t.Error("the script is live although watching was left out")
			}
			w.Agent.Reload(w.ctx)
		}
		for !refused() {
			if w.ctx.Err() != nil {
				t.Fatal("the script is not live")
			}
		}
	}
}
