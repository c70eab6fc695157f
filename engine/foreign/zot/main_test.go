package zot_test

import (
	"bufio"
	"context"
	"encoding/json"
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
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/zot"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/standard"
)

// TestMain lets the test program act as an extension: its arguments are "extension" and the name of
// one of extensions.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "extension" {
		extensions[os.Args[2]](&extension{in: bufio.NewReaderSize(os.Stdin, 1<<20)})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// extension is the other end of the protocol, in a process of its own.
type extension struct{ in *bufio.Reader }

func (x *extension) send(frame string) { fmt.Println(frame) }

// receive returns the next frame; nil at the end.
func (x *extension) receive() map[string]any {
	line, err := x.in.ReadBytes('\n')
	if err != nil {
		return nil
	}
	var m map[string]any
	if err := json.Unmarshal(line, &m); err != nil {
		fmt.Fprintln(os.Stderr, "bad frame:", string(line))
		os.Exit(3)
	}
	return m
}

// begin registers, and receives the answer to hello.
func (x *extension) begin(frames ...string) map[string]any {
	x.send(`{"type":"hello","name":"x","version":"1.0.0"}`)
	ack := x.receive()
	for _, f := range frames {
		x.send(f)
	}
	x.send(`{"type":"ready"}`)
	return ack
}

// serve answers frames until shutdown.
func (x *extension) serve(answer func(f map[string]any) string) {
	for f := x.receive(); f != nil && f["type"] != "shutdown"; f = x.receive() {
		if text := answer(f); text != "" {
			if id, ok := f["id"].(string); ok {
				text = strings.Replace(text, "ID", id, 1)
			}
			x.send(text)
		}
	}
}

// world is an engine with a loader, for extensions.
type world struct {
	t       testing.TB
	home    string
	folder  string // of the scripts
	engine  *engine.Engine
	loader  *load.Loader
	format  *zot.Format
	asked   []string
	answers bool // of the user

	mu     sync.Mutex
	events []string
}

// newWorld makes a world. Time limits are multiplied by patience.
func newWorld(t testing.TB, patience float64) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir()}
	w.folder = filepath.Join(w.home, "scripts")
	w.format = zot.New(extapi.Options{Version: "9.8.7", Dir: t.TempDir(),
		Data: filepath.Join(w.home, "data"), Model: func() string { return "maker/model-1" },
		LookupEnv: func(name string) (string, bool) {
			v, ok := map[string]string{"PATH": os.Getenv("PATH"), "HOME": "/somewhere",
				"SECRET_KEY": "x"}[name]
			return v, ok
		}})
	w.engine = scripttest.NewStandard(t, standard.Options{Engine: engine.Options{
		Runtimes: []engine.Runtime{w.format}, Emit: w.record, Approver: w, Patience: patience,
		Wedged: func(g *engine.Generation) { w.loader.Replace(g) },
		Tools: []*engine.Tool{{Name: "bash", Kind: "execute",
			Schema: map[string]any{"type": "object", "properties": map[string]any{
				"command": map[string]any{"type": "string"}}},
			Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
				return engine.TextResult(fmt.Sprint("ran ", use.Args["command"])), nil
			}},
			{Name: "look", ReadOnly: true, Run: func(context.Context,
				*engine.Use) (*engine.Result, error) {
				return engine.TextResult("seen"), nil
			}}}},
		Host: host.Options{Home: w.home, Mode: "print"}})
	w.loader = load.New(load.Options{Engine: w.engine, Home: w.home, Watch: true})
	t.Cleanup(func() {
		w.loader.Close()
		w.engine.Close()
		w.format.Wait()
	})
	return w
}

// Approve implements engine.Approver.
func (w *world) Approve(_ context.Context, q *engine.Question) (engine.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range q.Asks {
		if a.Script == "" { // the routine question
			continue
		}
		w.asked = append(w.asked, a.Script+": "+a.Text+" "+a.Reason)
	}
	return engine.Answer{Allow: w.answers}, nil
}

// record keeps the notices and errors.
func (w *world) record(ev *event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch ev.Name() {
	case "notification", "script_error":
		w.events = append(w.events, ev.Name()+" "+ev.Text("message"))
	}
}

func (w *world) recorded() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.events, "\n")
}

// install writes an extension whose program is one of extensions.
func (w *world) install(name, kind string) *world {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	m, _ := json.Marshal(map[string]any{"name": "x", "version": "1.0.0", "exec": self,
		"args": []string{"extension", kind}})
	w.write(name, string(m))
	return w
}

func (w *world) write(name, manifest string) {
	w.t.Helper()
	folder := filepath.Join(w.folder, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "extension.json"), []byte(manifest),
		0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) start() *world {
	w.t.Helper()
	if err := w.loader.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// bash calls bash and returns what the model sees.
func (w *world) bash(command string) string {
	r := w.engine.Dispatch(context.Background(), &engine.Call{ID: command, Tool: "bash",
		Args: map[string]any{"command": command}, Origin: "model", Env: &event.Envelope{}})
	return chat.PlainText(r.Content)
}

// call calls a tool and returns its result.
func (w *world) call(ctx context.Context, tool string, args map[string]any) *engine.Result {
	return w.engine.Dispatch(ctx, &engine.Call{ID: "t", Tool: tool, Args: args, Origin: "model",
		Env: &event.Envelope{}})
}

func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if ok() {
			return
		}
	}
	w.t.Fatalf("timed out: %s; events:\n%s", what, w.recorded())
}

func (w *world) wantEvents(want string) {
	w.t.Helper()
	w.until(want, func() bool { return strings.Contains(w.recorded(), want) })
}

// haveProgram skips the test if a program is not installed.
func haveProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}
