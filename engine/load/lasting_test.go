package load_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/engine/load"
)

// version puts a version of the extension a@m in force at the next start: in another folder.
func version(w *world, name, manifest string) (path string) {
	w.t.Helper()
	path = filepath.Join(w.root, "cache", "a", name, "toy.json")
	mkdir(w.t, filepath.Dir(path))
	write(w.t, path, manifest)
	w.options.Extensions = []string{path}
	w.options.Names = map[string]string{path: "a@m"}
	return path
}

// withVersions makes a world with the first version.
func withVersions(t *testing.T) (w *world, path string) {
	t.Helper()
	w = newWorld(t, func(w *world, _ *load.Options) { path = version(w, "1", `{"says": "one"}`) })
	w.addToys()
	return w, path
}

// update starts the program again, with another version in place of that at old.
func (w *world) update(old, name, manifest string) (path string) {
	w.t.Helper()
	path = version(w, name, manifest)
	must(w.t, os.RemoveAll(filepath.Dir(old)))
	w.shut()
	w.forgetEvents()
	w.open()
	w.addToys()
	w.start()
	return path
}

// TestLastingName: an extension whose path has its version has one name, and what is known by it
// stays: that it is disabled, and that it guards calls, also if its new version does not load.
func TestLastingName(t *testing.T) {
	t.Parallel()
	w, path := withVersions(t)
	w.start()
	w.wantSays("one")
	path = w.update(path, "2", `{"guards": ["read"], "says": "two"}`)
	w.wantSays("two")
	must(t, w.loader.Enable(context.Background(), path, false))
	w.wantSays("done")
	path = w.update(path, "3", `{"guards": ["read"], "says": "three"}`)
	w.wantState("a@m/toy.json", load.StateDisabled)
	w.wantSays("done")
	must(t, w.loader.Enable(context.Background(), path, true))
	w.wantSays("three")
	path = w.update(path, "4", `{"guards": ["bash"], "says": "four"}`)
	w.wantSays("done")
	path = w.update(path, "5", `{"off": true}`)
	w.untilSeen("notification a@m/toy.json: its manifest has switched it off since the last run",
		"NOT GUARDED")
	if missed, err := load.Forget(w.home, w.known, nil); err != nil || len(missed) > 0 {
		t.Errorf("got %v, %v, want no missing script: they are versions of one", missed, err)
	}
	must(t, load.SetEnabled(w.home, w.engine.Scripts.Runtimes(), false,
		load.Place{Name: "a@m/toy.json", Path: path, Lasting: true}))
	must(t, load.SetEnabled(w.home, w.engine.Scripts.Runtimes(), true,
		load.Place{Name: "a@m/toy.json", Path: "/gone", Lasting: true}))
	if list, err := load.ListDisabled(w.home); err != nil || len(list) > 0 {
		t.Errorf("got %v, %v, want none that is disabled", list, err)
	}
}
