package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// embedded returns an agent with its own home, two scripts that count, and a model that calls
// greet.
func embedded(t *testing.T, name string) *agent.Agent {
	t.Helper()
	home := t.TempDir()
	for file, text := range map[string]string{
		"n.lua": `ext.on("tool_call", function(ev) return { args = { name = ev.args.name .. "l" ` +
			`} } end)`,
		"n.js": `ext.on("tool_call", (ev) => ({ args: { name: ev.args.name + "j" } }))`,
	} {
		saveScript(t, home, file, text)
	}
	a, err := agent.New(agent.Options{Home: home, Dir: t.TempDir(), Heap: scripttest.SteadyHeap,
		Providers: scripted("greet", `{"name": "`+name+`"}`), Tools: []*engine.Tool{greet()},
		Runtimes: []engine.Runtime{lua.New(), js.New()}, Scripts: agent.Scripts{Watch: true}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// saveScript writes a script of the user.
func saveScript(t *testing.T, home, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(home, "scripts"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "scripts", name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestManyAgents creates and closes agents in parallel, and checks that each does its own work and
// that no goroutine is left.
func TestManyAgents(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	one := func(name string) {
		a := embedded(t, name)
		defer a.Close(ctx, "exit")
		if err := a.Start(ctx, "startup"); err != nil {
			t.Error(err)
		}
		if got, want := a.Prompt(ctx, agent.Input{Text: "go"}).Response,
			"It says: hello "+name+"jl"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	one("warm")
	before := settled()
	for range 25 {
		var all sync.WaitGroup
		for _, name := range []string{"a", "b", "c", "d"} {
			all.Go(func() { one(name) })
		}
		all.Wait()
	}
	for ; runtime.NumGoroutine() > before+5; time.Sleep(10 * time.Millisecond) {
		if ctx.Err() != nil {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(),
				buf[:runtime.Stack(buf, true)])
		}
	}
}

// settled returns the number of goroutines once it is stable.
func settled() int {
	n, same := runtime.NumGoroutine(), 0
	for same < 100 {
		time.Sleep(10 * time.Millisecond)
		now := runtime.NumGoroutine()
		if same++; now != n {
			n, same = now, 0
		}
	}
	return n
}

// TestZeroOptions checks that an agent with zero Options reports what is missing.
func TestZeroOptions(t *testing.T) {
	t.Parallel()
	a, err := agent.New(agent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	defer a.Close(ctx, "exit")
	if err := a.Start(ctx, "startup"); err != nil {
		t.Fatal(err)
	}
	if end := a.Prompt(ctx, agent.Input{Text: "hello"}); end.Status != agent.Failed ||
		end.Reason == "" {
		t.Errorf("got %+v, want a failure that says that there is no model", end)
	}
}

// TestUnknownModes checks that unknown permission modes and thinking levels are errors.
func TestUnknownModes(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]agent.Options{
		`unknown permission mode "plann"; did you mean "plan"?`: {Permission: "plann"},
		`unknown thinking level "hi"`:                           {Thinking: "hi"},
	} {
		if _, err := agent.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestPluginAddsLanguage checks that an agent without script languages runs scripts once a plugin
// adds one.
func TestPluginAddsLanguage(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	home := t.TempDir()
	text := `ext.on("book_shelved", function(ev) return { block = true, reason = "no " .. ` +
		`ev.title } end)`
	saveScript(t, home, "n.lua", text)
	a, err := agent.New(agent.Options{Home: home, Dir: t.TempDir(),
		Providers: scripted("greet", `{"name": "x"}`), Tools: []*engine.Tool{greet()}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close(ctx, "exit")
	if err := a.Start(ctx, "startup"); err != nil {
		t.Fatal(err)
	}
	if got := a.Scripts(); len(got) != 0 {
		t.Errorf("without a language: got %v", got)
	}
	row := event.Row{Name: "book_shelved", Phase: event.Intercept, Kind: vm.KindGuard,
		Failure: event.FailWarn, Returns: []string{"block", "reason"},
		Payload: []value.Field{{Name: "title", Type: "string"}}}
	if _, err := a.Engine().Scripts.Install(engine.Plugin{Name: "shop",
		Runtimes: []engine.Runtime{lua.New(), js.New()},
		Events:   []event.Row{row}}); err != nil {
		t.Fatal(err)
	}
	a.Reload(ctx)
	_, v := a.Engine().Intercept(ctx, a.Engine().Events.Named("book_shelved", nil,
		map[string]any{"title": "Dune"}))
	if v.Reason != "no Dune" {
		t.Errorf("got %q; %v", v.Reason, a.Scripts())
	}
}
