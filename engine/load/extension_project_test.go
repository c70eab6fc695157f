//go:build unix

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

// toyProject makes a world with a project that has the extension a, with these files. It returns
// the extension's folder.
func toyProject(t testing.TB, files ...string) (w *world, dir string) {
	w = newProject(t, nil)
	w.addToys()
	dir = filepath.Join(w.options.Project, ".agent", "extensions", "a")
	return w, extension(t, dir, files...)
}

// TestProjectExtension: an extension of a project runs when the user trusts its manifest and its
// files. If one of them changes, its program keeps running.
func TestProjectExtension(t *testing.T) {
	t.Parallel()
	w, dir := toyProject(t, "toy.json", `{"runs": ["main"], "grants": ["exec:main"]}`, "main",
		"first MARK")
	w.start()
	i := w.wantState("a/toy.json", load.StateUntrusted)
	if i.Path != filepath.Join(dir, "toy.json") || i.Source != scriptfile.SourceProject ||
		!i.Waits {
		t.Errorf("got %+v", i)
	}
	w.untilSeen("not trusted: a/toy.json", "agent trust add")
	if n := w.loads.Load(); n > 0 {
		t.Fatalf("a program that is not trusted was started %d times", n)
	}
	s := w.scriptsOf()[0]
	if text := s.Text(); !strings.Contains(text, "==== main ====\nsha256 ") ||
		strings.Join(s.Modules(), " ") != "main" {
		t.Errorf("the review has %q, %v", text, s.Modules())
	}
	if len(s.Grants) != 1 || s.Grants[0] != "exec:main" {
		t.Errorf("got the grants %v", s.Grants)
	}
	w.trust()
	w.wantSays("first")

	write(t, filepath.Join(dir, "main"), "second")
	w.until("the change", func() bool { return w.info("a/toy.json").State == load.StateChanged })
	w.wantSays("first")
	w.loader.Reload(context.Background())
	w.wantState("a/toy.json", load.StateChanged)
	w.wantSays("first")
	if s := w.scriptsOf()[0]; !s.Waits() || s.Kept() == "" || s.Kept() == s.Text() {
		t.Errorf("got %q instead of %q", s.Kept(), s.Text())
	}
	if n := w.loads.Load(); n != 1 {
		t.Errorf("programs were started %d times, want once", n)
	}
	w.trust()
	w.wantSays("second")
	w.wantState("a/toy.json", load.StateOK)
}

// TestChangedProjectExtensionAtStart: a program that is not the trusted one is not started, and
// calls that the trusted one guarded ask. If only the manifest has changed, the trusted one is.
func TestChangedProjectExtensionAtStart(t *testing.T) {
	t.Parallel()
	w, dir := toyProject(t, "toy.json", runsMain, "main", "first")
	w.start()
	w.trust()
	w.nextRun(func() { write(t, filepath.Join(dir, "toy.json"), `{"says": "no"}`) })
	w.wantState("a/toy.json", load.StateChanged)
	w.wantSays("first")
	w.nextRun(func() { write(t, filepath.Join(dir, "main"), "second") })
	before := w.loads.Load()
	w.wantOutcome("read", "guarded calls in the last run, and its trusted version is missing")
	w.loader.Reload(context.Background())
	w.wantState("a/toy.json", load.StateUntrusted)
	w.untilSeen("a/toy.json (project) was trusted, and the file is not run")
	if s := w.scriptsOf()[0]; s.Standing != load.StandingLost || !s.Waits() {
		t.Errorf("got %s", s.Standing)
	}
	if n := w.loads.Load(); n != before {
		t.Error("a program that is not trusted was started")
	}
	w.trust()
	w.wantSays("no")
}

// TestProjectExtensionAppears: folders of extensions that appear in a project are noticed, and a
// manifest that switches one off.
func TestProjectExtensionAppears(t *testing.T) {
	t.Parallel()
	w := newProject(t, nil)
	w.addToys()
	w.start()
	dir := filepath.Join(w.options.Project, ".agent", "extensions", "a")
	extension(t, dir, "main", "first", "toy.json", runsMain)
	w.until("the extension",
		func() bool { return w.info("a/toy.json").State == load.StateUntrusted })
	before := w.info("a/toy.json").Hash
	write(t, filepath.Join(dir, "toy.json"), `{"runs": ["main"], "guards": ["read"]}`)
	w.until("the other manifest", func() bool { return w.info("a/toy.json").Hash != before })
	w.trust()
	w.wantSays("first")
	write(t, filepath.Join(dir, "toy.json"), `{"runs": ["main"], "off": true}`)
	w.until("the change", func() bool { return w.info("a/toy.json").State == load.StateChanged })
	w.wantSays("first")
	w.trust()
	w.wantSays("done")
	w.wantState("a/toy.json", load.StateDisabled)
	w.revoke()
	must(t, os.RemoveAll(dir))
	w.until("it is gone", func() bool { return w.info("a/toy.json").Name == "" })
}

// TestProjectExtensionStaysInside: nothing outside of the project, or of the extension, is trusted
// with it.
func TestProjectExtensionStaysInside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(w *world, dir string)
		want string
	}{
		"the folder": {func(w *world, dir string) {
			extension(t, filepath.Join(w.root, "x"), "toy.json", runsMain, "main", "first")
			must(t, os.Symlink(filepath.Join(w.root, "x"), dir))
		}, "is a link out of the project"},
		"the manifest": {func(w *world, dir string) {
			extension(t, w.root, "toy.json", runsMain)
			extension(t, dir, "main", "first")
			must(t, os.Symlink("../../../../toy.json", filepath.Join(dir, "toy.json")))
		}, "is a link out of the project"},
		"the program": {func(w *world, dir string) {
			extension(t, filepath.Dir(dir), "main", "first")
			extension(t, dir, "toy.json", runsMain)
			must(t, os.Symlink("../main", filepath.Join(dir, "main")))
		}, "main: is a link out of the folder of the extension"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newProject(t, nil)
			w.addToys()
			extensions := filepath.Join(w.options.Project, ".agent", "extensions")
			mkdir(t, extensions)
			c.make(w, filepath.Join(extensions, "a"))
			w.start()
			s := w.scriptsOf()
			if len(s) != 1 || s[0].Problem != c.want || s[0].Standing != load.StandingUnusable {
				t.Fatalf("got %+v", s)
			}
			if w.project().Trust(false, s...) == nil || w.loads.Load() > 0 {
				t.Error("it can be trusted")
			}
		})
	}
}

// TestProjectExtensionsOfUnknownFormat: without a format, folders of extensions are not looked at.
func TestProjectExtensionsOfUnknownFormat(t *testing.T) {
	t.Parallel()
	w := newProject(t, nil)
	extension(t, filepath.Join(w.options.Project, ".agent", "extensions", "a"), "toy.json", `{}`)
	w.start()
	if list := w.loader.Scripts(); len(list) > 0 {
		t.Errorf("got %+v", list)
	}
	in := install(t, w.engine, engine.Plugin{Runtimes: []engine.Runtime{toy{}}})
	w.loader.Rescan(context.Background())
	w.wantState("a/toy.json", load.StateUntrusted)
	in.Remove()
}
