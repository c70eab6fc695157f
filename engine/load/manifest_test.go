package load_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// withPlaces makes a project, and a format whose manifest is .toys/settings.json. Both the user and
// the project have a place for it.
func withPlaces(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, func(w *world, o *load.Options) {
		o.Project = filepath.Join(w.root, "project")
		mkdir(t, filepath.Join(o.Project, ".agent", "scripts"))
		o.User = filepath.Join(w.root, "user")
		o.Extensions = []string{filepath.Join(o.User, ".toys", "settings.json")}
	})
	w.options.Trust.Places = []string{".toys/settings.json", ".others/extensions"}
	w.addToys()
	install(t, w.engine, engine.Plugin{Name: "placed", Runtimes: []engine.Runtime{
		toy{at: ".toys/settings.json", loads: &w.loads}}})
	return w
}

// TestManifestOfUser: a manifest that counts in one folder only is found there, and nowhere else.
// It may appear later, and each save is in force.
func TestManifestOfUser(t *testing.T) {
	t.Parallel()
	w := withPlaces(t)
	extension(t, w.path("a"), "settings.json", `{"says": "elsewhere"}`)
	extension(t, w.foreign("b"), "settings.json", `{"says": "elsewhere"}`)
	w.start()
	w.wantSays("done")
	path := filepath.Join(w.options.User, ".toys", "settings.json")
	mkdir(t, filepath.Dir(path))
	write(t, path, `{"says": "first"}`)
	w.until("the manifest", func() bool {
		return w.info("~/.toys/settings.json").State == load.StateOK
	})
	w.wantSays("first")
	if i := w.info("~/.toys/settings.json"); i.Path != path ||
		i.Source != scriptfile.SourceForeign {
		t.Errorf("got %+v", i)
	}
	write(t, path, `{"says": "second"}`)
	w.until("the change", func() bool { return strings.Contains(w.says(), "second") })
	must(t, os.Remove(path))
	w.until("its end", func() bool { return w.info("~/.toys/settings.json").Name == "" })
}

// TestManifestOfProject: a project has the same manifest, under another name, and folders of
// extensions besides its own. Nothing of them runs before it is trusted.
func TestManifestOfProject(t *testing.T) {
	t.Parallel()
	w := withPlaces(t)
	extension(t, w.options.User, ".toys/settings.json", `{"guards": ["write"], "says": "user"}`)
	extension(t, w.options.Project, ".toys/settings.json", `{"says": "project"}`,
		".others/extensions/b/toy.json", `{"says": "other"}`)
	w.start()
	w.wantState("~/.toys/settings.json", load.StateOK)
	w.wantState(".toys/settings.json", load.StateUntrusted)
	w.wantState(".others/extensions/b/toy.json", load.StateUntrusted)
	w.wantSays("done")
	if n := w.loads.Load(); n != 1 {
		t.Errorf("%d programs were started", n)
	}
	w.trust(".toys/settings.json")
	w.wantSays("project")
	w.revoke(".toys/settings.json")
	w.trust(".others/extensions/b/toy.json")
	w.wantSays("other")
	w.loader.Reload(context.Background())
	w.wantSays("other")
	w.wantState("~/.toys/settings.json", load.StateOK)
	write(t, filepath.Join(w.options.Project, ".others", "extensions", "b", "toy.json"),
		`{"says": "changed"}`)
	w.until("the change", func() bool {
		return w.info(".others/extensions/b/toy.json").State == load.StateChanged
	})
	w.wantSays("other")
}
