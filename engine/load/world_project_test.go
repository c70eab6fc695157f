package load_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentscripts/agent/engine/load"
)

// newProject makes a world with a project, whose scripts are files.
func newProject(t testing.TB, files map[string]string) *world {
	w := newWorld(t, func(w *world, o *load.Options) {
		o.Project = filepath.Join(w.root, "project")
		mkdir(t, filepath.Join(o.Project, ".agent", "scripts"))
	})
	for name, text := range files {
		w.put(name, text)
	}
	return w
}

// put writes a script of the project.
func (w *world) put(name, text string) {
	w.t.Helper()
	mkdir(w.t, filepath.Dir(w.inProject(name)))
	write(w.t, w.inProject(name), text)
}

func (w *world) inProject(name string) string {
	return filepath.Join(w.options.Project, ".agent", "scripts", name)
}

// project returns the Project of the loader.
func (w *world) project() *load.Project { return w.options.Trust }

// scriptsOf returns the project's scripts with these names; without names, all.
func (w *world) scriptsOf(names ...string) (out []*load.ProjectScript) {
	for _, s := range w.project().Scripts().List {
		if len(names) == 0 || slices.Contains(names, s.Name) {
			out = append(out, s)
		}
	}
	return out
}

// trust trusts the current bytes of scripts, and loads them.
func (w *world) trust(names ...string) {
	w.t.Helper()
	must(w.t, w.project().Trust(false, w.scriptsOf(names...)...))
	w.loader.Rescan(context.Background())
}

func (w *world) revoke(names ...string) {
	w.t.Helper()
	must(w.t, w.project().Revoke(w.scriptsOf(names...)...))
	w.loader.Rescan(context.Background())
}
