// This file assembles the world of a test: an engine, an agent, and a user who gives the prepared
// answers.

package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/engine/vm"
)

// Options configures a trial. Runtimes is required.
type Options struct {
	Runtimes []engine.Runtime
	Version  string   // of the program
	Reserved []string // slash commands of the program, which scripts cannot have

	checking bool // without stubs: what needs programs, servers or models is not tried
}

// world is the simulated world of one script.
type world struct {
	dir    string // holds all of its files
	home   string // ~/.agent of this world
	eng    *engine.Engine
	table  *host.Table
	agent  agent.Ref // nil while the script loads
	gen    *engine.Generation
	source []byte
	tests  []test
	// loadTime is how long the script took to load.
	loadTime time.Duration
	clock    *clock
	user     *user
	stubs    *stubs
	screen   *screen
	variables
	beats atomic.Uint64 // counts the test's own actions
	// running host functions, except those that wait for the test
	calls atomic.Int64

	// notices are the engine's notices about the script's registrations, except clashes.
	notices []string
	// untried records the untried functions during a check; nil in a test.
	untried *untried

	mu     sync.Mutex
	said   []string             // shown to the user since the last call
	errors []*fault.ScriptError // since the last call
}

// test holds the arguments of ext.test.
type test struct {
	name string
	line int
	fn   engine.Func
}

// scriptName returns the name of a script from its path.
func scriptName(path string) string { return filepath.Base(path) }

// openWorld loads the script at path into a world of its own. An error of the script is a
// *fault.ScriptError. The caller must close the world.
func openWorld(ctx context.Context, o Options, path string) (*world, error) {
	src, err := regularfile.Read(path)
	if err != nil {
		return nil, err
	}
	w := &world{clock: newClock(), user: newUser(), stubs: newStubs(), screen: newScreen(),
		source: src}
	if o.checking {
		w.untried = &untried{}
	}
	w.screen.opened = func() { go w.typeAhead() }
	if w.dir, err = os.MkdirTemp("", "agent-test-"); err != nil {
		return nil, err
	}
	if w.dir, err = filepath.EvalSymlinks(w.dir); err != nil {
		return nil, err
	}
	if err := w.build(ctx, o, path); err != nil {
		w.close(ctx)
		return nil, err
	}
	return w, nil
}

func (w *world) build(ctx context.Context, o Options, path string) error {
	w.home = filepath.Join(w.dir, "home", ".agent")
	w.variables.setVariables(filepath.Dir(w.home))
	project := w.project()
	for _, dir := range []string{w.home, project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	ho := host.Options{Home: w.home, Version: o.Version, Mode: "tui", CWD: project,
		User: filepath.Dir(w.home), Reserved: o.Reserved,
		Model: func() string { return testModel }, Services: w.agent.Services,
		Outside:   &host.Outside{Run: w.stubs.runStub, Send: w.stubs.sendStub},
		LookupEnv: w.variables.get, Tests: w.register}
	eo := engine.Options{Runtimes: o.Runtimes, Tools: w.tools(),
		Providers: []*engine.Provider{w.provider()}, Emit: w.hear, Envelope: w.agent.Envelope,
		Approver: w.user, Dialogs: w.user, Surface: w.screen.surface(), Clock: w.clock,
		Random: vm.FixedRandom()}
	if o.checking { // nobody waits, and the machine may be busy: only what never ends is told
		eo.Patience = 4
	}
	var err error
	w.eng, w.table, err = standard.New(standard.Options{Host: ho, Engine: eo, Wrap: w.wrap})
	if err != nil {
		return err
	}
	a, err := agent.New(agent.Options{Engine: w.eng, Home: w.home, Dir: project, Project: project,
		Mode: "tui", Interactive: true,
		Permission: event.PermissionYolo, Model: testModel}) // yolo: only guards ask
	if err != nil {
		return err
	}
	w.agent.Store(a) // before the script loads, as in the program
	start := time.Now()
	if w.gen, err = w.load(ctx, path); err != nil {
		return err
	}
	w.loadTime = time.Since(start)
	snapshot := w.eng.Scripts.Swap([]*engine.Generation{w.gen}, nil)
	if len(snapshot.Clashes) > 0 {
		return errors.New(scriptName(path) + ": " + strings.Join(snapshot.Clashes, "; "))
	}
	w.notices = snapshot.Notices
	return a.Start(ctx, "startup")
}

// register adds a test of the script. Its name must be unique.
func (w *world) register(_ *engine.Generation, name string, line int, fn engine.Func) error {
	for _, t := range w.tests {
		if t.name == name {
			return fmt.Errorf("name: got %q, which is that of the test in line %d", name, t.line)
		}
	}
	w.tests = append(w.tests, test{name, line, fn})
	return nil
}

// project returns the working directory of the world.
func (w *world) project() string { return filepath.Join(w.dir, "project") }

func (w *world) load(ctx context.Context, path string) (*engine.Generation, error) {
	name := scriptName(path)
	header, mistakes := load.ParseHeader(name, w.source)
	if len(mistakes) > 0 {
		m := mistakes[0]
		return nil, &fault.ScriptError{Script: name, Path: path, Handler: "load",
			Position: fault.Position{File: name, Line: m.Line, Column: m.Column},
			Message:  m.Message, Excerpt: fault.Excerpt(w.source, m.Line, m.Column), Hint: m.Hint}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return w.eng.Scripts.Load(ctx, &scriptfile.Script{Name: name, Path: abs,
		Source: scriptfile.SourceCLI, Header: header, Bytes: w.source, Hash: "test",
		Library: load.ReadLibrary(w.eng.Scripts.Runtime(name), filepath.Dir(abs), w.source)})
}

// close releases the resources of the world.
func (w *world) close(ctx context.Context) {
	if a := w.agent.Load(); a != nil {
		a.Close(ctx, "exit")
	}
	if w.eng != nil {
		w.eng.Close()
	}
	if w.table != nil {
		w.table.Close()
	}
	os.RemoveAll(w.dir)
}

// hear receives the engine's stream: what a user would see, and failures.
func (w *world) hear(ev *event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch ev.Name() {
	case "notification":
		w.said = append(w.said, ev.Text("message"))
	case "say":
		w.said = append(w.said, ev.Text("markdown"))
	case "script_error":
		if se, _ := engine.ScriptErrorOf(ev); !w.untried.stopped(se.Message, se.Position) {
			w.errors = append(w.errors, se)
		}
	}
}

// settleRounds is how often to wait for the observers, because one may trigger others.
const settleRounds = engine.MaxCallDepth + 2

// quiet waits until nothing happens any more.
func (w *world) quiet(ctx context.Context) {
	for range settleRounds {
		w.eng.Emitter.Drain(ctx)
		w.beats.Add(1)
		for ctx.Err() == nil && !(w.clock.quiet() && w.table.Settled()) {
			time.Sleep(pause)
		}
	}
}

// typeAhead sends the stored keys to the open panel, each after it has handled the previous one.
func (w *world) typeAhead() {
	for {
		for !w.table.Settled() {
			if w.gen != nil && w.gen.Retired() {
				return
			}
			time.Sleep(pause)
		}
		p, key := w.screen.takeDialog()
		if p == nil {
			return
		}
		press(p, key)
	}
}

// settle waits for all effects of an action, and returns what was shown meanwhile. It returns a
// failure as an error.
func (w *world) settle(ctx context.Context) (said []any, err error) {
	w.quiet(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	said = []any{}
	for _, s := range w.said {
		said = append(said, s)
	}
	failed := w.errors
	w.said, w.errors = nil, nil
	if len(failed) > 0 {
		return said, fmt.Errorf("a handler failed (%s): %w", failed[0].Handler, failed[0])
	}
	return said, nil
}

// testModel is the model of the world.
const testModel = "test/model"
