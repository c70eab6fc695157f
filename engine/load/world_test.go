package load_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scripttest"
)

// patience is how long a test waits before it fails. It is much longer than needed.
const patience = time.Minute

// world is an engine with a loader and a home, and a record of all events.
type world struct {
	t       testing.TB
	fake    *fake
	engine  *engine.Engine
	loader  *load.Loader
	options load.Options
	root    string // contains all folders of the test
	home    string
	scripts string // home/scripts
	known   string // the list of guards outside of home

	// work is what the tool "work", which is not read-only, does.
	work func()
	use  *engine.Use // of the tool "work" while it runs

	loads atomic.Int64 // of the format toy: see addToys

	mu     sync.Mutex
	events []string // "script_load guard.fake start", "notification TEXT", ...
}

// newWorld makes a world. change may change the options. Nothing is loaded before start.
func newWorld(t testing.TB, change func(w *world, o *load.Options)) *world {
	w := &world{t: t, root: t.TempDir()}
	w.home = filepath.Join(w.root, "home")
	w.scripts = filepath.Join(w.home, "scripts")
	mkdir(t, w.scripts)
	w.known = filepath.Join(w.root, "outside", "guards.json")
	w.options = load.Options{Home: w.home, Known: w.known, Watch: true}
	if change != nil {
		change(w, &w.options)
	}
	w.open()
	return w
}

// open makes an engine and a loader, as a new process does.
func (w *world) open() {
	w.fake = &fake{heard: make(chan string, 100)}
	tool := func(name string, readOnly bool, run func()) *engine.Tool {
		return &engine.Tool{Name: name, ReadOnly: readOnly,
			Run: func(_ context.Context, use *engine.Use) (*engine.Result, error) {
				if run != nil {
					w.use = use
					run()
				}
				return engine.TextResult("done"), nil
			}}
	}
	w.engine = scripttest.NewEngine(w.t, engine.Options{Runtimes: []engine.Runtime{w.fake},
		Emit: w.record,
		Tools: []*engine.Tool{tool("bash", false, nil), tool("read", true, nil),
			tool("work", false, func() { w.work() })}})
	w.options.Engine = w.engine
	w.options.Trust = &load.Project{Root: w.options.Project, Home: w.home}
	w.options.Settings = load.OpenSettings(w.home, w.known)
	w.loader = load.New(w.options)
	w.t.Cleanup(w.shut)
}

func (w *world) start() *world {
	w.t.Helper()
	if err := w.loader.Start(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// restart ends the process and starts the next one.
func (w *world) restart() {
	w.t.Helper()
	w.restartAfter(func() {})
}

// restartAfter changes files below the home while no loader writes there, and restarts.
func (w *world) restartAfter(change func()) {
	w.t.Helper()
	w.shut()
	change()
	w.forgetEvents()
	w.open()
	w.start()
}

// removeInUse removes a folder below which a loader may write.
func removeInUse(t *testing.T, dir string) {
	t.Helper()
	var err error
	for range 1000 {
		if err = os.RemoveAll(dir); err == nil {
			return
		}
	}
	t.Fatal(err)
}

func (w *world) shut() {
	w.loader.Close()
	w.engine.Close()
}

func (w *world) record(ev *event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := ev.Name()
	switch ev.Name() {
	case "script_load", "script_unload":
		text += " " + ev.Text("script") + " " + ev.Text("cause")
	case "script_error":
		text += fmt.Sprintf(" %s:%v %s kept=%v", ev.Text("file"), ev.Field("line"),
			ev.Text("message"), ev.Field("kept_previous"))
	case "notification":
		text += " " + ev.Text("message")
	}
	w.events = append(w.events, text)
}

// seen returns the texts of all events.
func (w *world) seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

func (w *world) forgetEvents() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = nil
}

// count returns how many events contain all parts.
func (w *world) count(parts ...string) int {
	n := 0
	for _, e := range w.seen() {
		ok := true
		for _, p := range parts {
			ok = ok && strings.Contains(e, p)
		}
		if ok {
			n++
		}
	}
	return n
}

// until waits until ok returns true.
func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("not true after %s: %s\nscripts: %+v\nevents:\n%s", patience, what,
				w.loader.Scripts(), strings.Join(w.seen(), "\n"))
		}
	}
}

// untilSeen waits for an event that contains all parts.
func (w *world) untilSeen(parts ...string) {
	w.t.Helper()
	w.until("event "+strings.Join(parts, " "), func() bool { return w.count(parts...) > 0 })
}

// untilMark waits until the version with the tool mark is in force.
func (w *world) untilMark(mark string) {
	w.t.Helper()
	w.until("live: "+mark, func() bool { return w.has(mark) })
}

func (w *world) has(mark string) bool { return w.engine.Scripts.Snapshot().Tool(mark) != nil }

// path returns the path of a file in the scripts folder.
func (w *world) path(name string) string { return filepath.Join(w.scripts, name) }

// save truncates and writes a file in the scripts folder.
func (w *world) save(name, text string) {
	w.t.Helper()
	write(w.t, w.path(name), text)
}

// info returns the information about a script by its name.
func (w *world) info(name string) load.Info {
	for _, i := range w.loader.Scripts() {
		if i.Name == name {
			return i
		}
	}
	return load.Info{}
}

// outcome returns the outcome of a call of a tool: "run", "block" or the question that is asked.
func (w *world) outcome(tool string) string {
	r := w.engine.Dispatch(context.Background(), &engine.Call{ID: "c", Tool: tool,
		Args: map[string]any{}, Preview: true})
	switch v := r.Verdict; {
	case v == nil:
		return "?"
	case v.Blocked:
		return "block"
	case len(v.Asks) > 0:
		return v.Asks[0].Text
	}
	return "run"
}

func (w *world) wantOutcome(tool, want string) {
	w.t.Helper()
	if got := w.outcome(tool); got != want && (want == "run" || want == "block" ||
		!strings.Contains(got, want)) {
		w.t.Fatalf("%s: got %q, want %q", tool, got, want)
	}
}

func (w *world) wantState(name string, want load.State) load.Info {
	w.t.Helper()
	i := w.info(name)
	if i.State != want {
		w.t.Fatalf("%s: got state %q, want %q: %+v", name, i.State, want, i)
	}
	return i
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
