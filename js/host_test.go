// This file is a small host for the tests: the rows of the API table with fake functions.

package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/vm"
)

// testTimeout ends a test that hangs.
const testTimeout = 2 * time.Minute

type testHost struct {
	tb     testing.TB
	engine *engine.Engine
	env    *event.Envelope

	mu      sync.Mutex
	logs    []string
	errors  []string             // script_error
	confirm chan bool            // answers to ui.confirm; nil: a WorldError "headless"
	fns     map[string]*testFunc // registered with ext.command
	goErr   error                // the result of ext.say
}

type testFunc struct {
	gen *engine.Generation
	fn  engine.Func
}

func newTestHost(tb testing.TB) *testHost { return newTestHostWith(tb, 0) }

// newTestHostWith returns a host that multiplies the budgets of its scripts by patience; 0 = the
// usual budgets.
func newTestHostWith(tb testing.TB, patience float64) *testHost {
	h := &testHost{tb: tb, fns: map[string]*testFunc{},
		env: &event.Envelope{SessionID: "s1", CWD: "/w", Mode: "print"}}
	h.engine = scripttest.NewEngine(tb, engine.Options{API: spec.API(), Host: h.table(),
		Heap: vm.HeapBytes,
		Fact: h.fact, Runtimes: []engine.Runtime{New()}, Patience: patience,
		Emit: func(ev *event.Event) {
			if ev.Name() == "script_error" {
				h.mu.Lock()
				defer h.mu.Unlock()
				h.errors = append(h.errors, fmt.Sprintf("%v:%v: %v", ev.Field("file"),
					ev.Field("line"), ev.Field("message")))
			}
		}})
	return h
}

func (h *testHost) fact(g *engine.Generation, name string) any {
	switch name {
	case "version":
		return "1.2"
	case "script":
		return map[string]any{"name": g.Name, "generation": g.Number}
	}
	return nil
}

func (h *testHost) log(s string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.logs = append(h.logs, s)
}

func (h *testHost) table() map[string]engine.HostFunc {
	t := scripttest.Funcs()
	for _, level := range []string{"debug", "info", "warn", "error"} {
		t["log."+level] = func(c *engine.HostCall) (any, error) {
			p, err := value.Plain(c.Args[0].([]any)[0])
			if err != nil {
				return nil, err
			}
			if s, ok := p.(string); ok {
				h.log(level + ": " + s)
			} else {
				h.log(level + ": " + jsonText(p))
			}
			return nil, nil
		}
	}
	handler := func(name string, opts any, fn any, c *engine.HostCall) (any, error) {
		m, _ := opts.(map[string]any)
		f, err := event.NewFilter(c.Gen.Engine().Events.Row(name), m)
		if err != nil {
			return nil, err
		}
		return nil, c.Gen.Registry.AddHandler(&engine.Handler{Event: name, Fn: fn.(engine.Func),
			Filter:   f,
			Priority: 50, Line: c.Pos.Line})
	}
	t["guard"] = func(c *engine.HostCall) (any, error) {
		return handler("guard", c.Args[0],
			c.Args[1], c)
	}
	t["on"] = func(c *engine.HostCall) (any, error) {
		return handler(c.Args[0].(string), c.Args[1],
			c.Args[2], c)
	}
	t["command"] = func(c *engine.HostCall) (any, error) {
		m := c.Args[0].(map[string]any)
		h.fns[m["name"].(string)] = &testFunc{c.Gen, m["run"].(engine.Func)}
		return nil, nil
	}
	t["say"] = func(c *engine.HostCall) (any, error) {
		if c.Args[0] == "panic" {
			panic("in the host")
		}
		return nil, h.goErr
	}
	t["json.encode"] = func(c *engine.HostCall) (any, error) {
		p, err := value.Plain(c.Args[0])
		if err != nil {
			return nil, err
		}
		b, err := json.Marshal(p)
		return string(b), err
	}
	t["json.decode"] = func(c *engine.HostCall) (any, error) {
		var v any
		if err := json.Unmarshal([]byte(c.Args[0].(string)), &v); err != nil {
			return nil, &fault.WorldError{Code: "invalid", Message: err.Error()}
		}
		return v, nil
	}
	t["ui.confirm"] = func(c *engine.HostCall) (any, error) {
		if h.confirm == nil {
			return nil, &fault.WorldError{Code: "headless", Message: "no user is available"}
		}
		select {
		case b := <-h.confirm:
			return b, nil
		case <-c.Run.Context().Done():
			return nil, context.Cause(c.Run.Context())
		}
	}
	return t
}

// header grants what the tests need.
const header = "// ==Agent==\n// @grant ui\n// ==/Agent==\n"

func (h *testHost) script(src string) *scriptfile.Script {
	return &scriptfile.Script{Name: "t.js", Path: "/s/t.js", Bytes: []byte(src),
		Header: scriptfile.Header{Grants: scriptfile.Grants{"ui", "provider"}}}
}

// load loads src and makes it current.
func (h *testHost) load(src string) *engine.Generation {
	h.tb.Helper()
	g, err := h.engine.Scripts.Load(context.Background(), h.script(src))
	if err != nil {
		h.tb.Fatalf("load: %v", err)
	}
	h.engine.Scripts.Swap([]*engine.Generation{g}, nil)
	return g
}

// loadError loads src, which must fail, and returns the error.
func (h *testHost) loadError(src string) *fault.ScriptError {
	h.tb.Helper()
	g, err := h.engine.Scripts.Load(context.Background(), h.script(src))
	if err == nil {
		h.engine.Scripts.Discard(g)
		h.tb.Fatalf("loaded, want an error")
	}
	var se *fault.ScriptError
	if !errors.As(err, &se) {
		h.tb.Fatalf("got %T %v, want *ScriptError", err, err)
	}
	return se
}

// run calls the function that was registered with ext.command under name, as a run of kind.
func (h *testHost) run(kind vm.Kind, name string, args ...any) (any, error) {
	h.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	return h.runCtx(ctx, kind, name, args...)
}

func (h *testHost) runCtx(ctx context.Context, kind vm.Kind, name string, args ...any) (any,
	error) {
	h.tb.Helper()
	f := h.fns[name]
	if f == nil {
		h.tb.Fatalf("no function %q", name)
	}
	return f.gen.Run(engine.NewRun(ctx, f.gen, kind, "test", h.env, nil), f.fn, args...)
}

// eval runs body as the body of a function and returns its result.
func (h *testHost) eval(body string, args ...any) (any, error) {
	h.tb.Helper()
	h.load("ext.command({ name: 'f', run: async (ev, x) => {" + body + "\n} });")
	return h.run(vm.KindTool, "f", args...)
}

func (h *testHost) call(args map[string]any) *event.Event {
	return h.engine.Events.Named("guard", h.env, map[string]any{"call_id": "c1", "tool": "bash",
		"kind": "execute", "read_only": false, "args": args, "original": args})
}
