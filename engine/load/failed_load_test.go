//go:build unix

package load_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentscripts/agent/engine/load"
)

func TestBrokenSaveKeepsTheLastGoodVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	w.save("a.fake", "tool v2\nerror oops\n")
	w.untilSeen("script_error a.fake:2 oops kept=true")
	w.wantOutcome("bash", "block")
	i := w.wantState("a.fake", load.StateLastGood)
	if i.Error == nil || i.Error.Line != 2 || !strings.Contains(i.Error.Excerpt, "error oops") ||
		i.Generation == 0 || i.Handlers != 1 || i.Tools != 1 {
		t.Errorf("got %+v", i)
	}
	if !w.has("v1") || w.has("v2") {
		t.Error("a failed load changed what is registered")
	}
	w.save("a.fake", "guard bash\ntool v1") // the same bytes as the version in force
	w.until("state OK", func() bool { return w.info("a.fake").State == load.StateOK })
	if len(w.loader.Errors()) != 0 {
		t.Errorf("got errors %v", w.loader.Errors())
	}
}

// TestBrokenFileDeleted: no event says that a version leaves, because none was in force.
func TestBrokenFileDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).start()
	for name, text := range map[string]string{"a.fake": "error oops",
		"b.fake": "guard x\nerror oops"} {
		w.save(name, text)
		w.untilSeen("script_error " + name)
		if err := os.Remove(w.path(name)); err != nil {
			t.Fatal(err)
		}
		w.untilSeen(name + ": the file, which did not load, is gone")
		if list := w.loader.Errors(); len(list) != 0 {
			t.Errorf("got errors %v", list)
		}
	}
}

func TestHeaderMistakeIsALoadError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "-- ==Agent==\n-- @grnat ui\n-- ==/Agent==\ntool v1")
	w.start()
	w.untilSeen(`script_error a.fake:2 unknown header key @grnat; did you mean "grant"?`)
	w.wantState("a.fake", load.StateFailed)
	if w.has("v1") {
		t.Error("a script with a misspelt grant runs")
	}
}

// TestRedactorThatNeverLoaded: the error of a file with a redactor that never loaded says that the
// file masks nothing. If its last good version is in force, the error does not say so.
func TestRedactorThatNeverLoaded(t *testing.T) {
	t.Parallel()
	const hint = "nothing is masked by this file until it loads"
	w := newWorld(t, nil)
	w.save("a.fake", "-- ext.redact\nerror oops")
	w.save("b.fake", "-- ext.redact\ntool v1")
	w.save("c.fake", "error oops")
	w.start()
	for name, want := range map[string]bool{"a.fake": true, "c.fake": false} {
		w.untilSeen("script_error "+name, "kept=false")
		if i := w.info(name); i.Error == nil || strings.Contains(i.Error.Hint, hint) != want {
			t.Errorf("%s: got %+v", name, i.Error)
		}
	}
	w.save("b.fake", "-- ext.redact\nerror oops")
	w.untilSeen("script_error b.fake", "kept=true")
	if i := w.info("b.fake"); strings.Contains(i.Error.Hint, hint) {
		t.Errorf("the last good version is in force: got %+v", i.Error)
	}
}

func TestCallsAskIfAGuardNeverLoaded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		bash, read string
	}{
		{"guards in the header",
			"-- ==Agent==\n-- @guards bash|ed*\n-- ==/Agent==\nerror x ext.guard",
			"run this call all the same?", "run"},
		{"ext.guard in the text", "error in ext.guard",
			"a.fake has no working version (a.fake:1: in ext.guard)", "run this call"},
		{"ext.guard in UTF-16", "error oops\n\x00e\x00x\x00t\x00.\x00g\x00u\x00a\x00r\x00d\x00",
			"a.fake:1: oops", "run this call"},
		{"tool_call in the text", "-- tool_call\nerror oops", "a.fake:2: oops", "run this call"},
		{"a misspelt header", "-- ==Agent==\n-- @guard bash\n-- ==/Agent==\n-- ext.guard",
			"unknown header key @guard", "run this call"},
		{"anything else", "error oops", "run", "run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.save("a.fake", c.text)
			w.start()
			w.wantOutcome("bash", c.bash)
			w.wantOutcome("read", c.read)
			if i := w.wantState("a.fake", load.StateFailed); i.Protected != (c.bash != "run") {
				t.Errorf("Protected: got %v", i.Protected)
			}
			w.untilSeen("script_error a.fake", "kept=false")
			w.save("a.fake", "tool v1") // repaired
			w.untilMark("v1")
			w.wantOutcome("bash", "run")
		})
	}
}

// TestLastGoodVersionWithoutGuards: a last good version without a guard does not replace a broken
// file that has one, so the user is asked about calls.
func TestLastGoodVersionWithoutGuards(t *testing.T) {
	t.Parallel()
	const asks = "a.fake has no working version (a.fake:"
	header := func(tools string) string {
		return "-- ==Agent==\n-- @guards " + tools +
			"\n-- ==/Agent==\n"
	}
	for _, c := range []struct {
		name, good, broken string
		bash, read         string
		state              load.State
		kept               string
	}{
		{"an empty file", "", "error in ext.guard", asks, asks, load.StateFailed, "kept=false"},
		{"an empty file, guards in the header", "", header("bash") + "error oops", asks, "run",
			load.StateFailed, "kept=false"},
		{"only a comment", "-- later", "-- tool_call\nerror oops", asks, asks,
			load.StateFailed, "kept=false"},
		{"an empty file, no guard in the text", "", "error oops", "run", "run", load.StateFailed,
			"kept=false"},
		{"a tool", "tool v1", "error in ext.guard", asks, asks, load.StateLastGood, "kept=true"},
		{"a tool, no guard in the text", "tool v1", "error oops", "run", "run", load.StateLastGood,
			"kept=true"},
		{"a guard", "guard bash", "error in ext.guard", "block", "run", load.StateLastGood,
			"kept=true"},
		{"a guard of all tools", "guard *", header("bash|read") + "error oops", "block", "block",
			load.StateLastGood, "kept=true"},
		{"a guard of the same tools", "guard bash", header("bash") + "error oops", "block", "run",
			load.StateLastGood, "kept=true"},
		{"a guard of fewer tools", "guard bash", header("bash|re*") + "error oops", "block",
			"a.fake has no working version that guards this tool", load.StateLastGood, "kept=true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.save("a.fake", c.good)
			w.start()
			w.save("a.fake", c.broken)
			check := func() {
				t.Helper()
				w.untilSeen("script_error a.fake", c.kept)
				w.wantOutcome("bash", c.bash)
				w.wantOutcome("read", c.read)
				if i, want := w.wantState("a.fake", c.state),
					strings.Contains(c.bash+c.read, "no working version"); i.Protected != want {
					t.Errorf("Protected: got %v, want %v", i.Protected, want)
				}
			}
			check()
			w.restart()
			check()
			w.save("a.fake", "tool v2") // repaired
			w.untilMark("v2")
			w.wantOutcome("bash", "run")
			w.wantOutcome("read", "run")
		})
	}
}

// TestAddedGuardThatDoesNotLoad: the last good version stays in force, and the error says that the
// added guard does not work yet.
func TestAddedGuardThatDoesNotLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash")
	w.start()
	w.save("a.fake", "guard bash\nerror -- ext.guard")
	w.untilSeen("script_error a.fake")
	if i := w.info("a.fake"); !strings.Contains(i.Error.Hint,
		"a guard that was added does not guard until the file loads") {
		t.Errorf("got %+v", i.Error)
	}
}

func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		make     func(t *testing.T, path string)
		message  string
		protects bool
	}{
		{"a folder", func(t *testing.T, path string) { mkdir(t, path) },
			"is a folder, not a script", false},
		{"a link to a folder",
			func(t *testing.T, path string) { must(t, os.Symlink(t.TempDir(), path)) },
			"is a folder, not a script", false},
		{"a dangling link", func(t *testing.T,
			path string) {
			must(t, os.Symlink("nowhere", path))
		}, "cannot be read: no such file", true},
		{"a cycle of links", func(t *testing.T, path string) { must(t, os.Symlink(path, path)) },
			"cannot be read: too many", true},
		{"a pipe", func(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o644)) },
			"is not a regular file", true},
		{"5 MB", func(t *testing.T, path string) { write(t, path, strings.Repeat("x", 5<<20)) },
			"is larger than 1048576 bytes", true},
		{"5 MB with @guards in the header", func(t *testing.T, path string) {
			write(t, path, "-- ==Agent==\n-- @guards edit\n-- ==/Agent==\n"+strings.Repeat("x",
				5<<20))
		}, "is larger than 1048576 bytes", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.save("b.fake", "tool b")
			c.make(t, w.path("a.fake"))
			w.start()
			if !w.has("b") {
				t.Error("the other script did not load")
			}
			i := w.wantState("a.fake", load.StateFailed)
			if !strings.Contains(i.Error.Message, c.message) || i.Error.Hint == "" {
				t.Errorf("got %q (%s), want %q", i.Error.Message, i.Error.Hint, c.message)
			}
			want := "run"
			if c.protects {
				want = "run this call all the same?"
			}
			w.wantOutcome("bash", want)
			must(t, os.RemoveAll(w.path("a.fake")))
			w.save("a.fake", "tool v1")
			w.untilMark("v1")
			w.wantOutcome("bash", "run")
		})
		t.Run(c.name+" after a good version", func(t *testing.T) {
			w := newWorld(t, nil)
			w.save("a.fake", "guard bash\ntool v1")
			w.start()
			made := filepath.Join(t.TempDir(), "a.fake")
			c.make(t, made)
			info, err := os.Lstat(made)
			must(t, err)
			// a script whose file is gone for long is removed, and a large one takes long to write
			if must(t, os.Remove(w.path("a.fake"))); info.Mode().IsRegular() {
				must(t, os.Rename(made, w.path("a.fake")))
			} else {
				c.make(t, w.path("a.fake"))
			}
			w.untilSeen("script_error a.fake", c.message, "kept=true")
			w.wantOutcome("bash", "block")
			w.restart()
			w.wantOutcome("bash", "block")
			w.wantState("a.fake", load.StateLastGood)
		})
	}
}

func TestUnreadableFileLoadsAfterChmod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	must(t, os.Chmod(w.path("a.fake"), 0))
	if _, err := os.ReadFile(w.path("a.fake")); err == nil {
		t.Skip("this user can read all files")
	}
	w.start()
	w.wantOutcome("read", "cannot be read: permission denied")
	must(t, os.Chmod(w.path("a.fake"), 0o644))
	w.untilMark("v1")
	w.wantOutcome("read", "run")
}

// TestUnreadableFolder replaces the folder with a file, which root cannot read as a folder either.
func TestUnreadableFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	must(t, os.Rename(w.scripts, w.scripts+".away"))
	write(t, w.scripts, "")
	w.untilSeen("script_error scripts", "cannot be read", "kept=true")
	w.loader.Rescan(context.Background())
	w.wantOutcome("bash", "block") // an unreadable script is not deleted
	w.wantOutcome("read", "run")

	w.restart() // this process has never read the folder, but there is a last good version
	w.wantOutcome("bash", "block")
	w.wantOutcome("read", "cannot be read")
	w.wantState("a.fake", load.StateLastGood)

	must(t, os.Remove(w.scripts))
	must(t, os.Rename(w.scripts+".away", w.scripts))
	w.until("no errors", func() bool {
		return len(w.loader.Errors()) == 0 &&
			w.outcome("read") == "run"
	})
	w.wantOutcome("bash", "block")
}

func TestHangingLoadCanBeCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, o *load.Options) { o.Watch = false })
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	w.save("a.fake", "hang")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.loader.Reload(ctx); close(done) }()
	cancel()
	<-done
	w.wantOutcome("bash", "block")
	w.wantState("a.fake", load.StateOK) // a cancelled load is not a failure of the file
	w.save("a.fake", "tool v2")
	w.loader.Rescan(context.Background())
	w.untilMark("v2")
}

// TestFilesInUnknownLanguage: a file in an unknown language is reported, because it may contain a
// guard.
func TestFilesInUnknownLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		told, bash string
	}{
		{"g.ts", "ext.guard(() => ({ block: true }));", "script_error g.ts",
			"g.ts has no working version"},
		{"k.jsx", "ext.guard(() => ({ block: true }));", "script_error k.jsx",
			"k.jsx has no working version"},
		{"h.ts", "let hello: string;", "script_error h.ts", "run"},
		{"notes.txt", "ext.guard is what to use", "", "run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.save(c.name, c.text)
			w.start()
			if c.told != "" {
				w.untilSeen(c.told, "no runtime for this kind of file")
			}
			if n := len(w.loader.Errors()); (n == 0) != (c.told == "") {
				t.Errorf("got errors %v", w.loader.Errors())
			}
			if got := w.outcome("bash"); !strings.Contains(got, c.bash) {
				t.Errorf("bash: got %s, want %s", got, c.bash)
			}
		})
	}
	w := newWorld(t, nil).start()
	w.save("g.ts", "ext.guard(() => ({ block: true }));")
	w.untilSeen("script_error g.ts")
	w.wantOutcome("bash",
		"g.ts has no working version (no runtime for this kind of file): run this call all the "+
			"same?")
	must(t, os.Remove(w.path("g.ts")))
	w.until("calls run", func() bool { return w.outcome("bash") == "run" })
}

func TestMissingExtraPath(t *testing.T) {
	t.Parallel()
	var missing string
	w := newWorld(t, func(w *world, o *load.Options) {
		missing = filepath.Join(w.root, "later", "x.fake")
		o.Extra = []string{missing, filepath.Join(w.root, "x.txt")}
	})
	write(t, filepath.Join(w.root, "x.txt"), "")
	w.start()
	if n := len(w.loader.Errors()); n != 2 {
		t.Errorf("got %d errors, want 2: %v", n, w.loader.Errors())
	}
	w.untilSeen("script_error x.fake", "there is no such file or folder: "+missing)
	w.untilSeen("script_error x.txt", "no runtime for this kind of file")
	mkdir(t, filepath.Dir(missing))
	write(t, missing, "tool v1")
	w.untilMark("v1")
	must(t, os.Remove(missing))
	w.untilSeen("script_unload x.fake removed")
	w.until("reported as missing again", func() bool {
		return w.info(
			"x.fake").State == load.StateFailed
	})
}
