package lua

import (
	"context"
	"errors"
	"strings"
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

// deadline is how long a call of a test may take. Most take milliseconds; some are slow on purpose.
const deadline = 2 * time.Minute

// host fakes everything outside of the VM. Handlers go into a table by name, logs into a list.
type host struct {
	t      testing.TB
	engine *engine.Engine
	gens   []*engine.Generation

	mu       sync.Mutex
	log      []string
	lines    []int // lines of calls of ext.guard
	fns      map[string]engine.Func
	confirms chan chan bool // one per pending ui.confirm, for the test to answer
}

func newHost(t testing.TB) *host { return newHostWith(t, 0) }

// newHostWith returns a host that multiplies the budgets of its scripts by patience; 0 = the usual
// budgets.
func newHostWith(t testing.TB, patience float64) *host {
	t.Helper()
	h := &host{t: t, fns: map[string]engine.Func{}, confirms: make(chan chan bool, 100)}
	funcs := scripttest.Funcs()
	h.fill(funcs)
	h.engine = scripttest.NewEngine(t, engine.Options{Heap: vm.HeapBytes,
		API: spec.API(), Host: funcs, Runtimes: []engine.Runtime{New()},
		Patience: patience,
		Fact: func(g *engine.Generation, name string) any {
			if name == "script" {
				return map[string]any{"name": g.Name, "path": g.Path}
			}
			return "fact " + name
		},
	})
	return h
}

func (h *host) fill(funcs map[string]engine.HostFunc) {
	register := func(name string, fn any) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.fns[name], _ = fn.(engine.Func)
	}
	funcs["on"] = func(c *engine.HostCall) (any, error) {
		register(c.Args[0].(string), c.Args[2])
		return nil, nil
	}
	funcs["guard"] = func(c *engine.HostCall) (any, error) {
		register("guard", c.Args[1])
		h.lines = append(h.lines, c.Pos.Line)
		return nil, nil
	}
	funcs["tool"] = func(c *engine.HostCall) (any, error) {
		m := c.Args[0].(map[string]any)
		register(m["name"].(string), m["run"])
		return nil, nil
	}
	funcs["log.info"] = func(c *engine.HostCall) (any, error) {
		p, err := value.Plain(c.Args[0].([]any)[0])
		if err != nil {
			return nil, err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		s, _ := p.(string)
		h.log = append(h.log, s)
		return nil, nil
	}
	funcs["json.decode"] = func(c *engine.HostCall) (any, error) {
		switch c.Args[0].(string) {
		case "bad":
			return nil, &fault.WorldError{Code: "invalid", Message: "no JSON"}
		case "panic":
			panic("host panic")
		}
		return map[string]any{"list": []any{1.0, "two", nil}, "empty": []any{}, "null": nil}, nil
	}
	funcs["ui.confirm"] = func(c *engine.HostCall) (any, error) {
		answer := make(chan bool)
		h.confirms <- answer
		select {
		case yes := <-answer:
			return yes, nil
		case <-c.Run.Context().Done():
			return nil, context.Cause(c.Run.Context())
		}
	}
}

func script(name, src string) *scriptfile.Script {
	return &scriptfile.Script{Name: name, Path: "/scripts/" + name, Source: scriptfile.SourceUser,
		Bytes:  []byte(src),
		Header: scriptfile.Header{Grants: scriptfile.Grants{"ui", "provider"}}}
}

// tryLoad loads src as guard.lua.
func (h *host) tryLoad(src string) (*engine.Generation, error) {
	return h.engine.Scripts.Load(context.Background(), script("guard.lua", src))
}

func (h *host) load(src string) *engine.Generation {
	h.t.Helper()
	g, err := h.tryLoad(src)
	if err != nil {
		h.t.Fatalf("load: %v", err)
	}
	h.gens = append(h.gens, g)
	h.engine.Scripts.Swap(h.gens, nil)
	return g
}

// call calls the function that is registered under name, as a run of kind.
func (h *host) call(g *engine.Generation, kind vm.Kind, name string, args ...any) (any,
	error) {
	return h.callCtx(context.Background(), g, kind, name, args...)
}

func (h *host) callCtx(ctx context.Context, g *engine.Generation, kind vm.Kind, name string,
	args ...any) (any, error) {
	h.mu.Lock()
	fn := h.fns[name]
	h.mu.Unlock()
	if fn == nil {
		h.t.Errorf("nothing registered as %q", name)
		return nil, errors.New("nothing registered")
	}
	run := engine.NewRun(ctx, g, kind, name, &event.Envelope{}, nil)
	type answer struct {
		v   any
		err error
	}
	done := make(chan answer, 1)
	go func() {
		v, err := g.Run(run, fn, args...)
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		return a.v, a.err
	case <-time.After(deadline):
		h.t.Fatalf("%s: no answer", name)
		return nil, nil
	}
}

// patience is the factor of the time limits of scripts whose limits are not tested: on a busy
// machine, and under the race detector, they take much longer.
const patience = 10

// eval loads a script whose handler is body, calls it with event, and returns the result.
func eval(t testing.TB, body string, args ...any) (any, error) {
	t.Helper()
	h := newHostWith(t, patience)
	g := h.load("ext.on('x', function(ev, arg)\n" + body + "\nend)")
	return h.call(g, vm.KindTool, "x", args...)
}

// wantText evaluates body and compares its result as text.
func wantText(t *testing.T, body, want string, args ...any) {
	t.Helper()
	v, err := eval(t, body, args...)
	if err != nil {
		t.Errorf("%s\nerror: %v", body, err)
		return
	}
	if s, ok := v.(string); !ok || s != want {
		t.Errorf("%s\ngot  %#v\nwant %q", body, v, want)
	}
}

// wantError evaluates body and checks that its error contains parts.
func wantError(t *testing.T, body string, parts []string, args ...any) *fault.ScriptError {
	t.Helper()
	_, err := eval(t, body, args...)
	var se *fault.ScriptError
	if !errors.As(err, &se) {
		t.Errorf("%s\ngot %v, want a script error", body, err)
		return &fault.ScriptError{}
	}
	for _, p := range parts {
		if !strings.Contains(se.Detail(), p) {
			t.Errorf("%s\ngot  %s\nwant %q", body, se.Detail(), p)
		}
	}
	return se
}
