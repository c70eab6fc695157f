package hook_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/hook"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scripttest"
)

// wait is how long a test waits at most.
const wait = 3 * time.Minute

func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	return scripttest.NewEngine(t, engine.Options{
		Tools: []*engine.Tool{{Name: "look", Kind: "read", ReadOnly: true,
			Schema: map[string]any{"type": "object"},
			Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
				path, _ := use.Args["path"].(string)
				return engine.TextResult("saw " + path), nil
			}}}})
}

func call(e *engine.Engine) string {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	r := e.Dispatch(ctx, &engine.Call{ID: "1", Tool: "look", Args: map[string]any{"path": "x"},
		Origin: "model", Env: &event.Envelope{}})
	return chat.PlainText(r.Content)
}

func must(t *testing.T) func(off func(), err error) func() {
	return func(off func(), err error) func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return off
	}
}

// TestHooksChain: hooks run by priority, each gets the changes of the previous one, and removed
// hooks do not run.
func TestHooksChain(t *testing.T) {
	e := newEngine(t)
	rewrite := func(with string) func(context.Context, hook.ToolCall) (hook.ToolCallOutcome,
		error) {
		return func(_ context.Context, ev hook.ToolCall) (hook.ToolCallOutcome, error) {
			path, _ := ev.Args["path"].(string)
			return hook.ToolCallOutcome{Args: map[string]any{"path": path + with}}, nil
		}
	}
	must(t)(hook.OnToolCall(e, rewrite("b")))
	off := must(t)(hook.OnToolCall(e, rewrite("a"), hook.Priority(10), hook.Filter("tool", "look")))
	must(t)(hook.OnToolCall(e, rewrite("never"), hook.Filter("tool", "bash")))
	must(t)(hook.OnToolResult(e, func(_ context.Context,
		ev hook.ToolResult) (hook.ToolResultOutcome, error) {
		return hook.ToolResultOutcome{Content: append(ev.Content(),
			chat.Block{Type: "text", Text: "!"})}, nil
	}))
	if got := call(e); got != "saw xab!" {
		t.Errorf("got %s", got)
	}
	off()
	off() // once more does no harm
	if got := call(e); got != "saw xb!" {
		t.Errorf("taken back: got %s", got)
	}
}

// TestHookFails: a guard that fails in any way refuses the call.
func TestHookFails(t *testing.T) {
	for name, f := range map[string]func(context.Context, hook.Guard) (hook.GuardOutcome, error){
		"blocks": func(context.Context, hook.Guard) (hook.GuardOutcome, error) {
			return hook.GuardOutcome{Block: true, Reason: "no"}, nil
		},
		"asks": func(context.Context, hook.Guard) (hook.GuardOutcome, error) {
			return hook.GuardOutcome{Ask: "sure?"}, nil
		},
		"errs": func(context.Context, hook.Guard) (hook.GuardOutcome, error) {
			return hook.GuardOutcome{}, errors.New("oops")
		},
		"panics": func(context.Context, hook.Guard) (hook.GuardOutcome, error) { panic("oops") },
		"too late": func(ctx context.Context, _ hook.Guard) (hook.GuardOutcome, error) {
			<-ctx.Done()
			return hook.GuardOutcome{}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t)
			off := must(t)(hook.OnGuard(e, f, hook.Name("mine"), hook.Timeout(50*time.Millisecond)))
			if got := call(e); !strings.Contains(got, "mine") {
				t.Errorf("got %s, want a refusal that names the hook", got)
			}
			off()
			if got := call(e); got != "saw x" {
				t.Errorf("taken back: got %s", got)
			}
		})
	}
}

func TestWrongHooks(t *testing.T) {
	e := newEngine(t)
	nothing := func(context.Context, hook.Guard) (hook.GuardOutcome,
		error) {
		return hook.GuardOutcome{}, nil
	}
	_, err := hook.OnGuard(e, nothing, hook.Filter("tol", "x"))
	if err == nil || !strings.Contains(err.Error(), `no filter "tol"; did you mean "tool"?`) {
		t.Errorf("got %v", err)
	}
	if _, err = hook.OnGuard(e, nothing, hook.Filter("match", "(")); err == nil {
		t.Error("a filter that is no pattern: got no error")
	}
	for _, pattern := range []string{"[", "tol_*", "tool_call"} {
		if _, err := hook.Observe(e, pattern, func(context.Context,
			*event.Event) error {
			return nil
		}); err == nil {
			t.Errorf("%s: got no error", pattern)
		}
	}
	_, err = hook.Observe(e, "mesage_end", func(context.Context,
		*event.Event) error {
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), `"mesage_end"; did you mean "message_end"?`) {
		t.Errorf("got %v", err)
	}
}

func TestObserve(t *testing.T) {
	e := newEngine(t)
	var mu sync.Mutex
	var seen []string
	off := must(t)(hook.Observe(e, "tool_*", func(_ context.Context, ev *event.Event) error {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, ev.Name())
		return nil
	}))
	call(e)
	e.Emitter.Drain(context.Background())
	off()
	call(e)
	e.Emitter.Drain(context.Background())
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(seen, " "); got != "tool_approval tool_start tool_end" {
		t.Errorf("got %s", got)
	}
}

// TestNoUnguardedMomentOfPlugins: while hooks come and go and a plugin with a guard is replaced
// under calls, no call gets past it.
func TestNoUnguardedMomentOfPlugins(t *testing.T) {
	e := newEngine(t)
	guard := func() engine.Plugin {
		return engine.Plugin{Name: "guard", Handlers: []*engine.Handler{
			{Event: "guard", GoFn: func(context.Context, *event.Event) (any, error) {
				return map[string]any{"block": true, "reason": "no"}, nil
			}}}}
	}
	in, err := e.Scripts.Install(guard())
	if err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			for !stop.Load() {
				if got := call(e); strings.HasPrefix(got, "saw") {
					t.Errorf("got %s", got)
					return
				}
			}
		})
	}
	var others sync.WaitGroup
	for range 2 {
		others.Go(func() {
			for range 300 {
				off, err := hook.OnToolCall(e, func(context.Context,
					hook.ToolCall) (hook.ToolCallOutcome, error) {
					return hook.ToolCallOutcome{}, nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				off()
			}
		})
	}
	for range 500 {
		if err := in.Replace(guard()); err != nil {
			t.Error(err)
		}
	}
	others.Wait()
	stop.Store(true)
	calls.Wait()
	in.Remove()
	if err := in.Replace(guard()); err == nil {
		t.Error("a removed plugin was replaced")
	}
	if got := call(e); got != "saw x" {
		t.Errorf("removed: got %s", got)
	}
}

// TestTheSamePluginAgain: a plugin may be registered several times, while calls run.
func TestTheSamePluginAgain(t *testing.T) {
	e := newEngine(t)
	same := engine.Plugin{Name: "same", Handlers: []*engine.Handler{
		{Event: "guard", GoFn: func(context.Context, *event.Event) (any, error) {
			return nil,
				nil
		}},
		{Event: "tool_end", GoFn: func(context.Context, *event.Event) (any, error) {
			return nil,
				nil
		}}},
		Tools: []*engine.Tool{{Name: "again", Kind: "read", ReadOnly: true,
			Schema: map[string]any{"type": "object"},
			Run: func(context.Context, *engine.Use) (*engine.Result,
				error) {
				return engine.TextResult("again"), nil
			}}}}
	in, err := e.Scripts.Install(same)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for range 200 {
				r := e.Dispatch(ctx, &engine.Call{ID: "1", Tool: "again", Origin: "model",
					Env: &event.Envelope{}})
				if got := chat.PlainText(r.Content); got != "again" {
					t.Errorf("got %s", got)
				}
			}
		})
		work.Go(func() {
			for range 100 {
				other, err := e.Scripts.Install(same)
				if err != nil {
					t.Error(err)
					return
				}
				if err := in.Replace(same); err != nil {
					t.Error(err)
				}
				other.Remove()
			}
		})
	}
	work.Wait()
}

// TestNoFunction: a hook without a function is an error when it is registered.
func TestNoFunction(t *testing.T) {
	e := newEngine(t)
	if _, err := hook.OnToolCall(e, nil); err == nil {
		t.Error("OnToolCall takes nil")
	}
	if _, err := hook.Observe(e, "tool_*", nil); err == nil {
		t.Error("Observe takes nil")
	}
}
