//go:build unix

package load_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
)

func TestProjectScriptRunsWhenTrusted(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"guard.fake": "guard bash\ntool v1"}).start()
	w.wantState("guard.fake", load.StateUntrusted)
	w.wantOutcome("bash", "run")
	w.untilSeen("not trusted: guard.fake", "agent trust add")
	w.trust()
	w.wantOutcome("bash", "block")
	if i := w.wantState("guard.fake", load.StateOK); i.Source != scriptfile.SourceProject {
		t.Errorf("got %+v", i)
	}
	w.restart()
	w.wantOutcome("bash", "block")
	if n := w.count("not trusted"); n > 0 {
		t.Errorf("got %q", w.seen())
	}
}

// TestProjectScriptKeepsTheTrustedBytes: if the file is changed or deleted, the trusted version
// stays in force until the user decides about the change, also after a restart.
func TestProjectScriptKeepsTheTrustedBytes(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"guard.fake": "guard bash\ntool v1"}).start()
	w.trust()
	w.put("guard.fake", "tool v2")
	w.loader.Rescan(context.Background())
	check := func(state load.State) {
		t.Helper()
		w.wantOutcome("bash", "block")
		w.wantState("guard.fake", state)
		if !w.has("v1") || w.has("v2") {
			t.Error("bytes run that the user does not trust")
		}
	}
	check(load.StateChanged)
	w.untilSeen("guard.fake (project): the file is not the one that you trust")
	w.restart()
	check(load.StateChanged)
	w.put("guard.fake", "guard bash\ntool v1")
	w.loader.Rescan(context.Background())
	check(load.StateOK)
	must(t, os.Remove(w.inProject("guard.fake")))
	w.loader.Rescan(context.Background())
	check(load.StateGone)
	w.restart()
	check(load.StateGone)
	w.put("guard.fake", "guard bash\ntool v3")
	w.loader.Rescan(context.Background())
	check(load.StateChanged)
	w.trust()
	w.wantState("guard.fake", load.StateOK)
	if !w.has("v3") || w.has("v1") {
		t.Error("the trusted version does not run")
	}
	w.put("guard.fake", "guard read")
	w.loader.Rescan(context.Background())
	must(t, w.project().Refuse(w.scriptsOf()...))
	w.loader.Rescan(context.Background())
	if i := w.wantState("guard.fake", load.StateChanged); i.Waits || !i.Refused {
		t.Errorf("a declined version is offered again: %+v", i)
	}
	w.restart()
	if n := w.count("guard.fake (project)"); n > 0 {
		t.Errorf("got %q", w.seen())
	}
	if !w.has("v3") {
		t.Error("declining new bytes removed the trusted ones")
	}
}

func TestRevokedProjectScriptUnloads(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"guard.fake": "guard bash|work\ntool v1"}).start()
	w.trust()
	w.revoke()
	w.wantOutcome("bash", "run")
	w.wantState("guard.fake", load.StateUntrusted)
	w.untilSeen("guard.fake (project) is not trusted any more", "NO LONGER GUARDS",
		"bash|work")
	w.restart()
	w.wantOutcome("bash", "run")
	w.trust()
	must(t, os.Remove(w.inProject("guard.fake")))
	w.loader.Rescan(context.Background())
	w.wantOutcome("bash", "block")
	w.revoke()
	w.wantOutcome("bash", "run")
	w.until("not listed", func() bool { return w.info("guard.fake").Name == "" })
}

// TestTrustForOneSession: the bytes stay in force until the program ends, even if the file changes.
func TestTrustForOneSession(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"guard.fake": "guard bash\ntool v1"}).start()
	must(t, w.project().Trust(true, w.scriptsOf()...))
	w.loader.Rescan(context.Background())
	w.wantOutcome("bash", "block")
	w.put("guard.fake", "tool v2")
	w.loader.Rescan(context.Background())
	w.wantOutcome("bash", "block")
	w.wantState("guard.fake", load.StateChanged)
	if _, err := os.Stat(filepath.Join(w.home, "trust.json")); err == nil {
		t.Error("the trust was stored")
	}
	w.put("guard.fake", "guard bash\ntool v1")
	w.restart()
	w.wantState("guard.fake", load.StateUntrusted)
}

// TestOrderOfSources tests each pair of sources with a script of the same name: one replaces the
// other.
func TestOrderOfSources(t *testing.T) {
	t.Parallel()
	places := []string{"cli", "user", "builtin", "project"} // the first one wins
	for i, first := range places {
		for _, second := range places[i+1:] {
			t.Run(first+" over "+second, func(t *testing.T) {
				w := newProject(t, nil)
				for _, place := range []string{first, second} {
					text := "tool of_" + place
					switch place {
					case "cli":
						dir := filepath.Join(w.root, "cli")
						mkdir(t, dir)
						write(t, filepath.Join(dir, "x.fake"), text)
						w.options.Extra = []string{filepath.Join(dir, "x.fake")}
					case "user":
						w.save("x.fake", text)
					case "builtin":
						w.options.Builtin = []load.Builtin{{Name: "x.fake", Bytes: []byte(text)}}
					case "project":
						w.put("x.fake", text)
					}
				}
				w.open()
				w.start()
				w.trust()
				if !w.has("of_"+first) || w.has("of_"+second) {
					t.Errorf("got %+v", w.loader.Scripts())
				}
				w.untilSeen("replaces", "("+first+")", "("+second+")")
			})
		}
	}
}

// TestNamesThatDifferInCase: some systems treat such names as one file.
func TestNamesThatDifferInCase(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"Guard.fake": "tool theirs", "A.fake": "tool upper",
		"a.fake": "tool lower"})
	w.save("guard.fake", "tool mine")
	w.start()
	w.trust()
	if !w.has("mine") || w.has("theirs") {
		t.Error("a project's script runs although the user has one with the same name")
	}
	if w.has("upper") == w.has("lower") {
		t.Error("want one of two scripts with the same name")
	}
}

// TestModulesAreTrustedToo: the files of lib that a script requires are part of what is trusted.
func TestModulesAreTrustedToo(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"a.fake": `require "lib/x"`, "lib/x.fake": "one"}).start()
	w.trust()
	if !w.has("one") {
		t.Fatalf("got %+v", w.loader.Scripts())
	}
	w.put("lib/x.fake", "two")
	w.loader.Rescan(context.Background())
	w.wantState("a.fake", load.StateChanged)
	if !w.has("one") || w.has("two") {
		t.Error("a module runs that the user does not trust")
	}
	must(t, os.RemoveAll(w.inProject("lib")))
	w.restart()
	if !w.has("one") {
		t.Error("the trusted module is not kept")
	}
	w.put("lib/x.fake", "one")
	w.loader.Rescan(context.Background())
	w.wantState("a.fake", load.StateOK)
}

// TestNothingOutsideOfTheProject: links out of the project, and files that are not regular, are
// refused and reported.
func TestNothingOutsideOfTheProject(t *testing.T) {
	t.Parallel()
	outside := func(w *world, name string) string {
		path := filepath.Join(w.root, "outside", name)
		mkdir(t, filepath.Dir(path))
		write(t, path, "tool evil")
		if name == "x.fake" { // a module
			write(t, path, "evil")
		}
		return path
	}
	for name, c := range map[string]struct {
		make func(w *world)
		told string
	}{
		"a script": {func(w *world) {
			must(t, os.Symlink(outside(w, "a.fake"), w.inProject("a.fake")))
		}, "is a link out of the project"},
		"a relative link": {func(w *world) {
			outside(w, "a.fake")
			must(t, os.Symlink("../../../outside/a.fake", w.inProject("a.fake")))
		}, "is a link out of the project"},
		"the folder": {func(w *world) {
			must(t, os.Remove(w.inProject("")))
			must(t, os.Symlink(filepath.Dir(outside(w, "a.fake")), w.inProject("")))
		}, "is a link out of the project: none"},
		"its parent": {func(w *world) {
			outside(w, "scripts/a.fake")
			must(t, os.RemoveAll(filepath.Dir(w.inProject(""))))
			must(t, os.Symlink(filepath.Join(w.root, "outside"), filepath.Dir(w.inProject(""))))
		}, "is a link out of the project: none"},
		"lib": {func(w *world) {
			must(t, os.Symlink(filepath.Dir(outside(w, "x.fake")), w.inProject("lib")))
			w.put("a.fake", `require "lib/x"`)
		}, "the folder lib is a link out of the project"},
		"a module": {func(w *world) {
			mkdir(t, w.inProject("lib"))
			must(t, os.Symlink(outside(w, "x.fake"), w.inProject("lib/x.fake")))
			w.put("a.fake", `require "lib/x"`)
		}, "lib/x.fake: cannot be read"},
		"a pipe": {func(w *world) { must(t, syscall.Mkfifo(w.inProject("a.fake"), 0o600)) },
			"not a regular file"},
		"a folder": {func(w *world) { mkdir(t, w.inProject("a.fake")) }, "not a regular file"},
		"a large file": {func(w *world) {
			w.put("a.fake", "tool evil")
			must(t, os.Truncate(w.inProject("a.fake"), 100<<20))
		}, "is larger than"},
		"a dangling link": {func(w *world) {
			must(t, os.Symlink("nowhere", w.inProject("a.fake")))
		}, "cannot be read"},
		"a name with escapes": {func(w *world) {
			w.put("a\x1b[2J\n.fake", "tool evil")
		}, "characters that cannot be shown"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newProject(t, nil)
			c.make(w)
			w.start()
			w.untilSeen(c.told)
			for _, s := range w.scriptsOf() {
				_ = w.project().Trust(false, s)
			}
			w.loader.Rescan(context.Background())
			if w.has("evil") || strings.Contains(strings.Join(w.seen(), ""), "\x1b") {
				t.Errorf("got %+v\n%q", w.loader.Scripts(), w.seen())
			}
		})
	}
}

// TestLinkInsideOfTheProject: the bytes of the link's target are trusted.
func TestLinkInsideOfTheProject(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"../../tools/a": "tool v1"})
	must(t, os.Symlink("../../tools/a", w.inProject("a.fake")))
	w.start()
	w.trust()
	if !w.has("v1") {
		t.Fatalf("got %+v", w.loader.Scripts())
	}
	w.put("../../tools/a", "tool v2")
	w.untilSeen("a.fake (project): the file is not the one that you trust")
	if w.has("v2") {
		t.Error("the new bytes of the target run")
	}
}

// TestUnreadableTrust: if the store of trust cannot be read, nothing is trusted, the store is not
// overwritten, and the user is asked about calls that a script guarded.
func TestUnreadableTrust(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(store string){
		"garbage": func(store string) { write(t, store, "{oops") },
		"from the future": func(store string) {
			write(t, store, `{"version": 99, "items": []}`)
		},
		"open to others": func(store string) { must(t, os.Chmod(store, 0o644)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newProject(t, map[string]string{"guard.fake": "guard bash\ntool v1"}).start()
			w.trust()
			store := filepath.Join(w.home, "trust.json")
			spoil(store)
			before, err := os.ReadFile(store)
			must(t, err)
			w.loader.Rescan(context.Background())
			w.wantOutcome("bash", "block") // it was trusted when it loaded
			w.restart()
			if w.has("v1") {
				t.Error("it runs")
			}
			w.untilSeen(store)
			w.wantOutcome("bash", "guard.fake of the project guarded calls")
			if err := w.project().Trust(false, w.scriptsOf()...); err == nil {
				t.Error("it was trusted")
			}
			if after, _ := os.ReadFile(store); string(after) != string(before) {
				t.Error("the store was overwritten")
			}
			must(t, os.Remove(store))
			w.loader.Rescan(context.Background())
			w.trust()
			w.wantOutcome("bash", "block")
		})
	}
}

// TestTrustedBytesLost: if the file has changed and the kept version is damaged, the user is asked
// about calls that the trusted version guarded.
func TestTrustedBytesLost(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"guard.fake": "guard bash\ntool v1"}).start()
	w.trust()
	w.put("guard.fake", "tool v2")
	kept, err := filepath.Glob(filepath.Join(w.home, "state", "trusted", "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("got %q %v", kept, err)
	}
	if info, err := os.Stat(kept[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v %v", info, err)
	}
	b, err := os.ReadFile(kept[0])
	must(t, err)
	write(t, kept[0], strings.Replace(string(b), "tool v1", "tool vX", 1))
	w.restart()
	w.wantOutcome("bash", "guard.fake of the project guarded calls")
	if w.has("vX") || w.has("v2") {
		t.Error("bytes run that the user does not trust")
	}
	w.trust()
	w.wantOutcome("bash", "run")
	if !w.has("v2") {
		t.Error("the trusted script does not run")
	}
}

// TestTrustedBytesLostAtRunTime: if the kept version is damaged while it is in force, and the file
// has changed, it stays in force until the user decides otherwise. After a restart, the user is
// asked about calls that it guarded.
func TestTrustedBytesLostAtRunTime(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]func(w *world){
		"restart": func(w *world) {
			w.restart()
			w.wantOutcome("bash", "guard.fake of the project guarded calls")
		},
		"revoked": func(w *world) {
			w.revoke()
			w.wantOutcome("bash", "run")
			w.untilSeen("is not trusted any more and was unloaded: it NO LONGER GUARDS calls of " +
				"bash")
		},
		"trusted as it is": func(w *world) {
			w.trust()
			w.wantOutcome("bash", "run")
			if !w.has("v2") {
				t.Error("the trusted script does not run")
			}
		},
		"reload": func(w *world) {
			w.loader.Reload(context.Background())
			w.wantOutcome("bash", "run")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newProject(t, map[string]string{"guard.fake": "guard bash\ntool v1"}).start()
			w.trust()
			kept, err := filepath.Glob(filepath.Join(w.home, "state", "trusted", "*"))
			if err != nil || len(kept) != 1 {
				t.Fatalf("got %q %v", kept, err)
			}
			write(t, kept[0], "damaged")
			w.put("guard.fake", "tool v2")
			for range 2 {
				w.loader.Rescan(context.Background())
				w.wantOutcome("bash", "block")
				if !w.has("v1") || w.has("v2") {
					t.Fatal("the trusted version is not in force")
				}
			}
			w.untilSeen("no copy of the trusted version is left; it stays in force")
			decide(w)
		})
	}
}

// TestTrustedBytesAreKeptAgain: a deleted kept version is stored again while the file has the
// trusted bytes. Versions that are no longer trusted are removed, but not at once.
func TestTrustedBytesAreKeptAgain(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"a.fake": "guard bash\ntool v1",
		"b.fake": "tool other"}).start()
	w.trust()
	kept := filepath.Join(w.home, "state", "trusted")
	w.restartAfter(func() { must(t, os.RemoveAll(kept)) })
	w.put("a.fake", "tool v2")
	w.restart()
	if !w.has("v1") || w.has("v2") {
		t.Errorf("got %+v", w.loader.Scripts())
	}
	count := func() int {
		list, err := os.ReadDir(kept)
		must(t, err)
		return len(list)
	}
	w.revoke("a.fake")
	if n := count(); n != 2 {
		t.Errorf("got %d contents: a new one was removed", n)
	}
	list, err := os.ReadDir(kept)
	must(t, err)
	for _, d := range list {
		old := time.Now().Add(-2 * time.Hour)
		must(t, os.Chtimes(filepath.Join(kept, d.Name()), old, old))
	}
	w.revoke("a.fake")
	if n := count(); n != 1 {
		t.Errorf("got %d contents, want that of the script that is still trusted", n)
	}
}

func TestManyProjectScripts(t *testing.T) {
	t.Parallel()
	w := newProject(t, nil)
	for n := range 10_000 {
		w.put(fmt.Sprintf("%05d.fake", n), "tool evil")
	}
	w.start()
	w.untilSeen("has more than", "9800 of them are ignored")
	w.untilSeen("not trusted: 00000.fake", "and 190 more")
	if n := len(w.scriptsOf()); n != 200 {
		t.Errorf("got %d", n)
	}
	for _, told := range w.seen() {
		if len(told) > 1000 {
			t.Errorf("got a notice of %d bytes", len(told))
		}
	}
}

// TestHomeIsTheProject: the user's own folder is not also a folder of the project.
func TestHomeIsTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, o *load.Options) {
		o.Project = w.root
		must(t, os.Rename(w.home, filepath.Join(w.root, ".agent")))
		w.home = filepath.Join(w.root, ".agent")
		w.scripts = filepath.Join(w.home, "scripts")
		o.Home = w.home
	})
	w.save("a.fake", "tool v1")
	w.start()
	if i := w.wantState("a.fake", load.StateOK); i.Source != scriptfile.SourceUser {
		t.Errorf("got %+v", i)
	}
	if n := len(w.loader.Scripts()); n != 1 {
		t.Errorf("got %+v", w.loader.Scripts())
	}
}

// TestTrustCoversTheReadBytes: the user trusts the bytes that were read, not the file's current
// bytes.
func TestTrustCoversTheReadBytes(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"a.fake": "tool read"}).start()
	seen := w.scriptsOf()
	w.put("a.fake", "tool swapped")
	must(t, w.project().Trust(false, seen...))
	w.loader.Rescan(context.Background())
	if !w.has("read") || w.has("swapped") {
		t.Error("bytes run that were not reviewed")
	}
	w.wantState("a.fake", load.StateChanged)
}

// TestTrustedInAnotherProcess: a script that is trusted in another process is loaded.
func TestTrustedInAnotherProcess(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"a.fake": "tool v1"}).start()
	other := &load.Project{Root: w.options.Project, Home: w.home,
		Runtimes: w.engine.Scripts.Runtimes}
	must(t, other.Trust(false, other.Scripts().List...))
	w.untilMark("v1")
	must(t, other.Revoke(other.Scripts().List...))
	w.until("unloaded", func() bool { return !w.has("v1") })
}

// TestVersionsOfBranches: a project's script with several trusted versions, one for each branch,
// runs as its file is, without a question. A tool cannot bring an earlier version back.
func TestVersionsOfBranches(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"a.fake": "tool v1"}).start()
	w.trust()
	w.put("a.fake", "tool v2")
	w.trust()
	w.untilMark("v2")
	w.put("a.fake", "tool v1")
	w.untilMark("v1")
	w.untilSeen("notification a.fake (project): another version that you trust is in force")
	w.put("a.fake", "tool other")
	w.untilSeen("notification a.fake (project): the file is not the one that you trust")
	if !w.has("v1") {
		t.Error("the version that was in force is not kept")
	}
	w.put("a.fake", "tool v2")
	w.untilMark("v2")
	w.run(func() { w.put("a.fake", "tool v1") })
	held := func(what string) {
		t.Helper()
		w.loader.Rescan(context.Background())
		if s := w.scriptsOf()[0]; s.Standing != load.StandingChanged || !s.Waits() ||
			w.has("v1") || !w.has("v2") {
			t.Fatalf("%s: %s, v1 %v, v2 %v", what, s.Standing, w.has("v1"), w.has("v2"))
		}
	}
	held("a tool wrote it")
	w.shut()
	must(t, os.RemoveAll(filepath.Join(w.home, "state", "tools")))
	w.restart()
	held("the next start")
	w.put("a.fake", "tool v2")
	w.loader.Rescan(context.Background())
	w.put("a.fake", "tool v1")
	w.untilMark("v1")
}
