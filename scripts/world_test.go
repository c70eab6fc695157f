package scripts_test

import (
	"context"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
	"github.com/agentscripts/agent/scripts"
)

// deadline bounds every test.
const deadline = 3 * time.Minute

// world is a whole agent with the offline model and scripts of the gallery.
type world struct {
	t      *testing.T
	ctx    context.Context
	agent  *agent.Agent
	engine *engine.Engine
	dir    string

	mu     sync.Mutex
	events []*event.Event
}

func newWorld(t *testing.T, names ...string) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	w := &world{t: t, ctx: ctx, dir: t.TempDir()}
	ho := host.Options{CWD: w.dir, User: w.dir, Services: func() *service.Agent {
		if w.agent == nil {
			return nil
		}
		return w.agent.Services()
	}}
	eo := engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New()},
		Tools: tool.Builtin(tool.Options{}),
		Emit: func(ev *event.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, ev)
		}}
	e, table, err := standard.New(standard.Options{Host: ho, Engine: eo})
	if err != nil {
		t.Fatal(err)
	}
	w.engine = e
	var gens []*engine.Generation
	for _, name := range append([]string{"offline.lua"}, names...) {
		b, err := fs.ReadFile(scripts.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		h, mistakes := load.ParseHeader(name, b)
		if len(mistakes) > 0 {
			t.Fatalf("%s: %v", name, mistakes)
		}
		g, err := e.Scripts.Load(ctx, &scriptfile.Script{Name: name, Path: name,
			Source: scriptfile.SourceBuiltin,
			Header: h, Bytes: b})
		if err != nil {
			t.Fatal(err)
		}
		gens = append(gens, g)
	}
	e.Scripts.Swap(gens, nil)
	if w.agent, err = agent.New(agent.Options{Engine: e, Dir: w.dir,
		Permission: event.PermissionYolo}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.agent.Close(ctx, "exit")
		e.Close()
		table.Close()
		cancel()
	})
	return w
}

func (w *world) prompt(lines ...string) agent.End {
	w.t.Helper()
	return w.agent.Prompt(w.ctx, agent.Input{Text: strings.Join(lines, "\n"), Source: "cli"})
}

// all joins a field of all events of a name.
func (w *world) all(event, field string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, ev := range w.events {
		if ev.Name() == event {
			out = append(out, ev.Text(field))
		}
	}
	return strings.Join(out, "|")
}
