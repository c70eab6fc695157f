package main

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// world is an engine with both runtimes, a loader with its own home, and a tool that counts its
// runs.
type world struct {
	engine *engine.Engine
	loader *load.Loader
	home   string
	env    *event.Envelope
	ran    atomic.Int64
}

// newWorld returns a world with the given scripts loaded. change may change the engine's options;
// it may be nil.
func newWorld(tb testing.TB, watch bool, change func(*engine.Options),
	files map[string]string) *world {
	tb.Helper()
	w := &world{home: tb.TempDir(), env: &event.Envelope{CWD: "/",
		Permission: event.PermissionYolo}}
	for name, text := range files {
		w.save(tb, name, text)
	}
	danger := &engine.Tool{Name: "danger", Kind: "execute", ReadOnly: true, Source: "builtin",
		Run: func(context.Context, *engine.Use) (*engine.Result, error) {
			w.ran.Add(1)
			return engine.TextResult("ran"), nil
		}}
	o := engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New()},
		Tools:  []*engine.Tool{danger},
		Wedged: func(g *engine.Generation) { w.loader.Replace(g) }}
	if change != nil {
		change(&o)
	}
	w.engine = scripttest.NewStandard(tb, standard.Options{Host: host.Options{Mode: "print"},
		Engine: o})
	w.loader = load.New(load.Options{Engine: w.engine, Home: w.home, Watch: watch})
	if err := w.loader.Start(context.Background()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(w.loader.Close)
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.home, "scripts", name) }

func (w *world) save(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Join(w.home, "scripts"), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

// call dispatches one call of danger.
func (w *world) call(command string) *engine.Result {
	return w.engine.Dispatch(context.Background(), w.danger(command))
}

// danger returns a call of the tool danger.
func (w *world) danger(command string) *engine.Call {
	return &engine.Call{ID: "c", Tool: "danger", Origin: "model",
		Args: map[string]any{"command": command}, Env: w.env}
}

// eventually polls until ok returns true, and fails after a timeout.
func eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	for end := time.Now().Add(driveTime); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if ok() {
			return
		}
	}
	tb.Fatalf("timed out: %s", what)
}
