package load_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
)

func TestScriptsWithOneName(t *testing.T) {
	t.Parallel()
	var extra, project string
	w := newWorld(t, func(w *world, o *load.Options) {
		extra, project = filepath.Join(w.root, "extra"), filepath.Join(w.root, "project")
		o.Extra, o.Project = []string{extra}, project
		o.Builtin = []load.Builtin{{Name: "offline.fake", Bytes: []byte("tool offline")},
			{Name: "a.fake", Bytes: []byte("tool builtin")}}
	})
	mkdir(t, extra)
	mkdir(t, filepath.Join(project, ".agent", "scripts"))
	w.save("a.fake", "tool user")
	write(t, filepath.Join(extra, "a.fake"), "tool extra")
	write(t, filepath.Join(project, ".agent", "scripts", "a.fake"), "tool project")
	write(t, filepath.Join(project, ".agent", "scripts", "p.fake"), "guard *")
	w.start()
	for mark, want := range map[string]bool{"offline": true, "extra": true, "user": false,
		"project": false, "builtin": false} {
		if w.has(mark) != want {
			t.Errorf("%s: got %v, want %v", mark, w.has(mark), want)
		}
	}
	w.wantOutcome("bash", "run")
	w.untilSeen("notification a.fake: " + filepath.Join(extra, "a.fake") + " (cli) replaces " +
		w.path("a.fake") + " (user)")
	w.untilSeen("notification scripts of the project are not run", "a.fake, p.fake")
	states := map[load.State]int{}
	for _, i := range w.loader.Scripts() {
		states[i.State]++
	}
	if states[load.StateOK] != 2 || states[load.StateReplaced] != 2 ||
		states[load.StateUntrusted] != 2 {
		t.Errorf("got %v", states)
	}

	write(t, filepath.Join(extra, "a.fake"), "error oops") // it still takes precedence
	w.untilSeen("script_error a.fake:1 oops kept=true")
	if !w.has("extra") || w.has("user") {
		t.Error("the replaced file is in force because the one that replaces it is broken")
	}
	must(t, os.Remove(filepath.Join(extra, "a.fake")))
	w.untilMark("user")
	if n := w.count("script_unload a.fake removed"); n > 0 {
		t.Error("the script was unloaded for a moment")
	}
	w.loader.Reload(context.Background())
	if n := w.count("notification", "replaces "+w.path("a.fake")); n != 1 {
		t.Errorf("the replacement was reported %d times, want once", n)
	}
}

func TestProjectFolderLinksToTheUsersFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, o *load.Options) { o.Project = w.root })
	mkdir(t, filepath.Join(w.root, ".agent"))
	must(t, os.Symlink(w.scripts, filepath.Join(w.root, ".agent", "scripts")))
	w.save("a.fake", "tool v1")
	w.start()
	if !w.has("v1") || len(w.loader.Scripts()) != 1 {
		t.Errorf("got %+v, want the user's script once", w.loader.Scripts())
	}
}

func TestSameFileGivenTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, o *load.Options) { o.Extra = []string{w.path("a.fake")} })
	w.save("a.fake", "tool v1")
	w.start()
	if i := w.wantState("a.fake", load.StateOK); len(w.loader.Scripts()) != 1 ||
		i.Source != scriptfile.SourceCLI {
		t.Errorf("got %+v", w.loader.Scripts())
	}
}

func TestNoScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, o *load.Options) {
		o.NoScripts = true
		o.Extra = []string{filepath.Join(w.root, "x.fake")}
		o.Builtin = []load.Builtin{{Name: "offline.fake", Bytes: []byte("tool offline")}}
	})
	w.save("a.fake", "tool user")
	write(t, filepath.Join(w.root, "x.fake"), "tool extra")
	w.start()
	if w.has("user") || !w.has("extra") || !w.has("offline") {
		t.Errorf("got %+v", w.loader.Scripts())
	}
}

func TestManagedScripts(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root, because root must own managed scripts")
	}
	var managed string
	w := newWorld(t, func(w *world, o *load.Options) {
		managed = filepath.Join(w.root, "managed")
		o.Managed, o.NoScripts = managed, true
	})
	mkdir(t, managed)
	write(t, filepath.Join(managed, "m.fake"), "guard bash\ntool v1")
	write(t, filepath.Join(managed, "open.fake"), "tool open")
	must(t, os.Chmod(filepath.Join(managed, "open.fake"), 0o666))
	w.start()
	w.wantOutcome("bash", "block")
	if w.has("open") {
		t.Error("a managed script that everyone can write runs")
	}
	w.wantState("open.fake", load.StateFailed)
	must(t, os.Chmod(managed, 0o777))
	w.restart()
	w.untilSeen("notification managed scripts in " + managed + " are not run")
	if len(w.loader.Scripts()) != 0 {
		t.Errorf("got %+v", w.loader.Scripts())
	}
}

func TestClashesAreReportedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "tool same")
	w.save("b.fake", "tool same")
	w.start()
	w.untilSeen("notification tool same", "a.fake", "b.fake")
	w.save("c.fake", "tool c")
	w.untilMark("c")
	w.loader.Reload(context.Background())
	if n := w.count("notification tool same"); n != 1 {
		t.Errorf("the clash was reported %d times, want once", n)
	}
}
