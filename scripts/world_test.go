package scripts_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scripttest"
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
	a, err := agent.New(agent.Options{Home: t.TempDir(), Dir: w.dir, Heap: scripttest.SteadyHeap,
		Runtimes: []engine.Runtime{lua.New(), js.New()}, Permission: event.PermissionYolo,
		Scripts: agent.Scripts{Builtin: []load.Builtin{{Name: "offline.lua",
			Bytes: scripts.Offline()}}, Extra: names},
		Emit: func(ev *event.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, ev)
		}})
	if err != nil {
		t.Fatal(err)
	}
	w.agent, w.engine = a, a.Engine()
	t.Cleanup(func() {
		a.Close(ctx, "exit")
		cancel()
	})
	if err := a.LoadScripts(ctx); err != nil {
		t.Fatal(err)
	}
	w.engine.Stream.Flush(ctx)
	if failed := w.all("script_error", "message"); failed != "" {
		t.Fatal(failed)
	}
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
