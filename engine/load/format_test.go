package load_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// toy is a format of another host: a folder with a toy.json, which names the tools to block, and
// perhaps a file to run, which has the reason.
type toy struct {
	at    string        // its manifest; "" = toy.json in any folder
	loads *atomic.Int64 // how often a program was started; may be nil
}

func (toy) Language() string     { return "toy" }
func (toy) Extensions() []string { return nil }
func (t toy) Manifest() string   { return cmp.Or(t.at, "toy.json") }

type toyManifest struct {
	Guards []string // default: every tool
	Says   string
	Runs   []string // the first one has what it says
	Off    bool
	Panics bool
	Grants []string
}

func (toy) Header(manifest []byte) (scriptfile.Header, error) {
	var m toyManifest
	err := json.Unmarshal(manifest, &m)
	if m.Panics {
		panic("no such thing")
	}
	return scriptfile.Header{Guards: m.Guards, Off: m.Off, Grants: m.Grants}, err
}

func (toy) Files(manifest []byte, _ engine.ExtensionFolder) (files []engine.ExtensionFile) {
	var m toyManifest
	_ = json.Unmarshal(manifest, &m)
	for _, name := range m.Runs {
		files = append(files, engine.ExtensionFile{Name: name})
	}
	return files
}

func (t toy) Load(_ *engine.Run, bind *engine.Binding) (engine.VM, error) {
	if t.loads != nil {
		t.loads.Add(1)
	}
	var m toyManifest
	if err := json.Unmarshal(bind.Gen.Bytes, &m); err != nil {
		return nil, err
	}
	if len(m.Runs) > 0 {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(bind.Gen.Path), m.Runs[0]))
		if m.Says = string(b); err != nil {
			return nil, err
		}
	}
	if m.Says == "" || strings.Contains(m.Says, "broken") {
		return nil, fmt.Errorf("says is missing")
	}
	if strings.Contains(m.Says, "quiet") { // it guards nothing
		return nil, nil
	}
	tools := map[string]any{}
	if len(m.Guards) > 0 {
		tools["tool"] = strings.Join(m.Guards, "|")
	}
	filter, err := event.NewFilter(bind.Gen.Engine().Events.Row("guard"), tools)
	if err != nil {
		return nil, err
	}
	err = bind.Gen.Registry.AddHandler(&engine.Handler{Event: "guard",
		Priority: engine.DefaultPriority,
		Filter:   filter,
		GoFn: func(context.Context, *event.Event) (any, error) {
			return map[string]any{"block": true, "reason": m.Says}, nil
		}})
	return nil, err
}

// says calls the tool read, and returns "done", or the reason why the call did not run.
func (w *world) says() string {
	r := w.engine.Dispatch(context.Background(), &engine.Call{ID: "1", Tool: "read",
		Args: map[string]any{}, Origin: "model", Env: &event.Envelope{}})
	return chat.PlainText(r.Content)
}

func (w *world) wantSays(want string) {
	w.t.Helper()
	if got := w.says(); !strings.Contains(got, want) {
		w.t.Errorf("got %q, want %q in it", got, want)
	}
}

func install(t testing.TB, e *engine.Engine, p engine.Plugin) *engine.Installed {
	t.Helper()
	in, err := e.Scripts.Install(p)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestFormat: extensions of a format that is registered at run time are found, guarded and
// reloaded, keep their last good version when they break, and stay until their file is removed.
func TestFormat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).start()
	manifest := filepath.Join(w.scripts, "no-bash", "toy.json")
	mkdir(t, filepath.Dir(manifest))
	write(t, manifest, `{"guards": ["read"], "says": "first"}`)
	w.loader.Rescan(context.Background())
	w.wantSays("done") // the format is not registered yet

	in := install(t, w.engine, engine.Plugin{Name: "toys", Runtimes: []engine.Runtime{toy{}}})
	w.loader.Rescan(context.Background())
	w.wantSays("first")
	if g := w.engine.Scripts.Snapshot().Generations[0]; g.Name != "no-bash/toy.json" ||
		g.Language != "toy" || g.Path != manifest {
		t.Errorf("got %s %s %s", g.Name, g.Language, g.Path)
	}

	write(t, manifest, `{"guards": ["read"], "says": "two"}`) // the loader notices the save
	w.until("the change", func() bool { return strings.Contains(w.says(), "two") })
	other := filepath.Join(w.scripts, "later", "toy.json")
	mkdir(t, filepath.Dir(other))
	write(t, other, `{"guards": ["work"], "says": "three"}`)
	w.until("the new extension",
		func() bool { return len(w.engine.Scripts.Snapshot().Generations) == 2 })

	write(t, manifest, `{"guards": ["read"]`)
	w.until("the error", func() bool { return len(w.loader.Errors()) == 1 })
	w.wantSays("two")
	write(t, manifest, `{"guards": ["read"], "panics": true}`)
	w.until("the panic",
		func() bool { return strings.Contains(fmt.Sprint(w.loader.Errors()), "no such thing") })
	w.wantSays("two")

	in.Remove()
	w.loader.Reload(context.Background())
	w.loader.Reload(context.Background())
	w.wantSays("two")
	if err := os.Remove(manifest); err != nil {
		t.Fatal(err)
	}
	w.until("the removal", func() bool { return strings.Contains(w.says(), "done") })
}

// TestFormatThatNeverWorked: if an extension never loaded, the user is asked about the calls that
// its header guards. After it has loaded once, the last good version is in force, also after a
// restart.
func TestFormatThatNeverWorked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	manifest := filepath.Join(w.scripts, "a", "toy.json")
	mkdir(t, filepath.Dir(manifest))
	write(t, manifest, `{"guards": ["read"]}`)
	install(t, w.engine, engine.Plugin{Runtimes: []engine.Runtime{toy{}}})
	w.start()
	w.wantSays("has no working version")
	write(t, manifest, `{"guards": ["read"], "says": "first"}`)
	w.until("the change", func() bool { return strings.Contains(w.says(), "first") })
	w.shut()
	write(t, manifest, "{")
	w.open()
	install(t, w.engine, engine.Plugin{Runtimes: []engine.Runtime{toy{}}})
	w.start()
	w.wantSays("first")
}

// TestFormatByPath loads an extension by its folder or its manifest.
func TestFormatByPath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"my", "my/toy.json"} {
		w := newWorld(t, func(w *world, o *load.Options) {
			extension(t, filepath.Join(w.root, "my"), "toy.json", `{"says": "first"}`)
			o.Extra = []string{filepath.Join(w.root, filepath.FromSlash(path))}
		})
		install(t, w.engine, engine.Plugin{Runtimes: []engine.Runtime{toy{}}})
		w.start()
		w.wantSays("first")
	}
}

// second is fake with another file extension.
type second struct{ *fake }

func (second) Extensions() []string { return []string{".second"} }

// TestLanguageAtRunTime: files of a language that was removed stay in force, and report an error
// when they change.
func TestLanguageAtRunTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	path := filepath.Join(w.scripts, "g.second")
	write(t, path, "guard read")
	w.start()
	w.wantSays("done")
	in := install(t, w.engine, engine.Plugin{Runtimes: []engine.Runtime{second{w.fake}}})
	w.loader.Rescan(context.Background())
	w.wantSays("no")
	in.Remove()
	w.loader.Reload(context.Background())
	w.wantSays("no")
	write(t, path, "guard read\n-- changed")
	w.loader.Rescan(context.Background())
	if errs := fmt.Sprint(w.loader.Errors()); !strings.Contains(errs,
		"no runtime for this kind of file") {
		t.Errorf("got %s", errs)
	}
	w.wantSays("no")
}
