package mcp_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/internal/mcp"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/schemas"
	"github.com/agentscripts/agent/engine/scripttest"
)

// deadline is the timeout of every wait of these tests.
const deadline = 3 * time.Minute

// world is an engine with a manager of servers.
type world struct {
	family *process.Family
	t      *testing.T
	ctx    context.Context
	engine *engine.Engine
	m      *mcp.Manager
	dir    string
	env    map[string]string // of the agent, in addition to the real environment
	fence  *fence.Fence      // nil = servers are not confined

	mu      sync.Mutex
	notices []string
	output  string // of tools, in order
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	w := &world{t: t, ctx: ctx, dir: t.TempDir(), env: map[string]string{}}
	w.engine = scripttest.NewEngine(t, engine.Options{Schema: schemas.Compiler{},
		Emit: func(ev *event.Event) {
			if ev.Name() == "tool_output" {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.output += ev.Text("chunk")
			}
		}})
	return w
}

// goroutinesEnd waits until there are no more goroutines than before, and reports whether that is
// so. It prints those that are left.
func goroutinesEnd(before int) bool {
	for end := time.Now().Add(deadline); runtime.NumGoroutine() > before; time.Sleep(
		time.Millisecond) {
		if time.Now().After(end) {
			b := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "%d goroutines before, %d after:\n%s", before,
				runtime.NumGoroutine(), b[:runtime.Stack(b, true)])
			return false
		}
	}
	return true
}

// server returns the config of a test server of a kind.
func server(name, kind string) config.MCPServer {
	return config.MCPServer{Name: name, Command: os.Args[0],
		Env: map[string]string{serverKind: cmp.Or(kind, "well")}, Timeout: deadline,
		StartupTimeout: deadline}
}

// start starts the servers and returns their notices.
func (w *world) start(servers ...config.MCPServer) {
	w.t.Helper()
	w.m = mcp.Start(w.ctx, mcp.Options{Engine: w.engine, Servers: servers, Dir: w.dir, Version: "1",
		Fence: w.fence, Notify: w.notify, Family: w.family,
		LookupEnv: func(name string) (string, bool) {
			if v, ok := w.env[name]; ok {
				return v, true
			}
			return os.LookupEnv(name)
		}})
	w.t.Cleanup(w.m.Close)
	w.m.Wait(w.ctx)
	if w.ctx.Err() != nil {
		w.t.Fatalf("the servers took too long; %s", w.told())
	}
}

func (w *world) notify(text, level string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notices = append(w.notices, level+": "+text)
}

// told returns the notices to the user.
func (w *world) told() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.notices, "\n")
}

func (w *world) call(tool string, args map[string]any) *engine.Result {
	return w.callIn(w.ctx, tool, args)
}

func (w *world) callIn(ctx context.Context, tool string, args map[string]any) *engine.Result {
	return w.engine.Dispatch(ctx, &engine.Call{ID: fmt.Sprint("c-", tool), Tool: tool, Args: args,
		Origin: "model", Env: &event.Envelope{Permission: event.PermissionYolo}})
}

// wantResult calls a tool and checks that the result contains a text.
func (w *world) wantResult(tool string, args map[string]any, want string) {
	w.t.Helper()
	if r := w.call(tool, args); !strings.Contains(chat.PlainText(r.Content), want) {
		w.t.Errorf("%s: got %.2000q, want %q in it", tool, chat.PlainText(r.Content), want)
	}
}

// slash runs /mcp.
func (w *world) slash(args string) string {
	w.t.Helper()
	out, err := w.engine.Commands.Run(w.ctx, nil, "mcp", args)
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Display + out.Error
}

func (w *world) eventually(what string, ok func() bool) {
	w.t.Helper()
	for ; !ok(); time.Sleep(time.Millisecond) {
		if w.ctx.Err() != nil {
			w.t.Fatalf("timed out: %s; told:\n%s", what, w.told())
		}
	}
}

func (w *world) wantNotice(text string) {
	w.t.Helper()
	w.eventually("a notice with "+text, func() bool { return strings.Contains(w.told(), text) })
}
