// Package foreigntest makes an engine with a loader for tests of formats of other hosts.
//
//	w := foreigntest.New(t, 20, format)
//	w.Write("x/extension.json", manifest)
//	w.Start()
//	got := w.Bash("rm -rf /")
package foreigntest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/standard"
)

// World is an engine with a loader, for extensions. It has the tools bash, which returns "ran " and
// its command, echo_text, which returns its text, and look, which only reads.
type World struct {
	Home    string // with the folders scripts, logs
	Engine  *engine.Engine
	Loader  *load.Loader
	Answers bool // of the user; set it while nothing runs
	// Routine is the user's answer to questions that no script asks, if Answers is not set
	Routine bool

	t  testing.TB
	mu sync.Mutex
	// asked are the questions of scripts, events the notices and errors
	asked, events []string
}

// New makes a world with script languages and formats. Time limits are multiplied by patience. At
// its end the world waits for the formats.
func New(t testing.TB, patience float64, formats ...engine.Runtime) *World {
	t.Helper()
	w := &World{t: t, Home: t.TempDir()}
	w.Engine = scripttest.NewStandard(t, standard.Options{Engine: engine.Options{
		Runtimes: formats, Emit: w.record, Approver: w, Patience: patience,
		Wedged: func(g *engine.Generation) { w.Loader.Replace(g) },
		Tools: []*engine.Tool{{Name: "bash", Kind: "execute",
			Schema: map[string]any{"type": "object", "properties": map[string]any{
				"command": map[string]any{"type": "string"}}},
			Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
				return engine.TextResult(fmt.Sprint("ran ", use.Args["command"])), nil
			}},
			{Name: "echo_text", Run: func(_ context.Context,
				use *engine.Use) (*engine.Result, error) {
				return engine.TextResult(fmt.Sprint("echoed: ", use.Args["text"])), nil
			}},
			{Name: "look", ReadOnly: true, Run: func(context.Context,
				*engine.Use) (*engine.Result, error) {
				return engine.TextResult("seen"), nil
			}}}},
		Host: host.Options{Home: w.Home, Mode: "print"}})
	w.Loader = load.New(load.Options{Engine: w.Engine, Home: w.Home, Watch: true})
	t.Cleanup(func() {
		w.Loader.Close()
		w.Engine.Close()
		for _, f := range formats {
			if f, ok := f.(interface{ Wait() }); ok {
				f.Wait()
			}
		}
	})
	return w
}

// Environment is the environment of the programs: the PATH of the test, and a secret that they must
// not get.
func Environment(name string) (string, bool) {
	v, ok := map[string]string{"PATH": os.Getenv("PATH"), "HOME": "/somewhere",
		"SECRET_KEY": "x"}[name]
	return v, ok
}

// Approve implements engine.Approver.
func (w *World) Approve(_ context.Context, q *engine.Question) (engine.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	routine := true
	for _, a := range q.Asks {
		if a.Script == "" {
			continue
		}
		routine = false
		w.asked = append(w.asked, a.Script+": "+a.Text+" "+a.Reason)
	}
	return engine.Answer{Allow: w.Answers || w.Routine && routine}, nil
}

// Asked returns the questions of scripts so far.
func (w *World) Asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.asked...)
}

// record keeps the notices and errors.
func (w *World) record(ev *event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch ev.Name() {
	case "notification", "script_error":
		w.events = append(w.events, fmt.Sprintf("%s %s", ev.Name(), ev.Text("message")))
	}
}

// Recorded returns the notices and errors so far, one per line.
func (w *World) Recorded() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.events, "\n")
}

// Write writes a file below the folder of the scripts.
func (w *World) Write(name, text string) {
	w.t.Helper()
	path := w.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// Path returns the path of a file below the folder of the scripts.
func (w *World) Path(name string) string {
	return filepath.Join(w.Home, "scripts", filepath.FromSlash(name))
}

// Start loads the scripts, and watches their files.
func (w *World) Start() {
	w.t.Helper()
	if err := w.Loader.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

// Bash calls bash and returns what the model sees.
func (w *World) Bash(command string) string {
	return chat.PlainText(w.Call(context.Background(), "bash",
		map[string]any{"command": command}).Content)
}

// Call calls a tool and returns its result.
func (w *World) Call(ctx context.Context, tool string, args map[string]any) *engine.Result {
	return w.Engine.Dispatch(ctx, &engine.Call{ID: fmt.Sprint(tool, args), Tool: tool, Args: args,
		Origin: "model", Env: &event.Envelope{SessionID: "session-1", CWD: "/w", PromptID: "turn-1",
			AgentID: "main", Turn: 2}})
}

// Until polls, and fails the test if it is not so within a minute.
func (w *World) Until(what string, ok func() bool) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if ok() {
			return
		}
	}
	w.t.Fatalf("timed out: %s; events:\n%s", what, w.Recorded())
}

// WantEvents waits for a notice or an error with a text.
func (w *World) WantEvents(want string) {
	w.t.Helper()
	w.Until(want, func() bool { return strings.Contains(w.Recorded(), want) })
}

// HaveProgram skips the test if a program is not installed.
func HaveProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}
