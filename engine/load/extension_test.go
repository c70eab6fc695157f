package load_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// withToys makes a world with the format toy.
func withToys(t testing.TB, change func(w *world, o *load.Options)) *world {
	w := newWorld(t, change)
	w.addToys()
	return w
}

func (w *world) addToys() {
	w.t.Helper()
	install(w.t, w.engine, engine.Plugin{Runtimes: []engine.Runtime{toy{loads: &w.loads}}})
}

// nextRun ends the process, changes files, and starts the next one.
func (w *world) nextRun(change func()) {
	w.t.Helper()
	w.shut()
	change()
	w.forgetEvents()
	w.open()
	w.addToys()
	w.start()
}

// extension writes an extension into a folder, and returns the folder. files are pairs of name and
// text.
func extension(t testing.TB, dir string, files ...string) string {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, filepath.FromSlash(files[i]))
		mkdir(t, filepath.Dir(path))
		write(t, path, files[i+1])
	}
	return dir
}

const runsMain = `{"runs": ["main"]}`

// TestProgramOfExtension: the files that a manifest names belong to the extension: a change of one
// reloads it, and if the new version does not load, the old one stays.
func TestProgramOfExtension(t *testing.T) {
	t.Parallel()
	w := withToys(t, nil)
	dir := extension(t, w.path("a"), "toy.json", `{"runs": ["main", "more/data"]}`, "main", "first",
		"more/data", "1")
	other := extension(t, w.path("other"), "toy.json", `{"guards": ["bash"], "says": "other"}`)
	w.start()
	w.wantSays("first")
	first := w.wantState("a/toy.json", load.StateOK)

	write(t, filepath.Join(dir, "main"), "two")
	w.until("the new program", func() bool { return strings.Contains(w.says(), "two") })
	w.until("another hash", func() bool { return w.info("a/toy.json").Hash != first.Hash })
	write(t, filepath.Join(dir, "main"), "broken")
	w.untilSeen("script_error", "says is missing", "kept=true")
	w.wantSays("two")
	if err := os.Remove(filepath.Join(dir, "main")); err != nil {
		t.Fatal(err)
	}
	w.untilSeen("script_error", "its file main: cannot be read")
	w.wantSays("two")
	write(t, filepath.Join(dir, "main"), "three")
	w.until("the program again", func() bool { return strings.Contains(w.says(), "three") })

	n := w.info("a/toy.json").Generation
	write(t, filepath.Join(dir, "more", "data"), "2")
	w.until("the other file", func() bool { return w.info("a/toy.json").Generation > n })
	must(t, os.Chmod(filepath.Join(dir, "main"), 0o755))
	w.loader.Rescan(context.Background())
	if w.count("script_load", "other/toy.json") != 1 {
		t.Errorf("%s was loaded again", other)
	}
}

// TestMadeExecutable: a program that could not be started, because it was not executable, is loaded
// when it is.
func TestMadeExecutable(t *testing.T) {
	t.Parallel()
	w := withToys(t, nil)
	dir := extension(t, w.path("a"), "toy.json", runsMain, "main", "broken")
	w.start()
	before := w.wantState("a/toy.json", load.StateFailed)
	must(t, os.Chmod(filepath.Join(dir, "main"), 0o755))
	w.until("another version", func() bool { return w.info("a/toy.json").Hash != before.Hash })
}

// TestExtensionThatMayGuard: if an extension has no working version, every call asks, unless its
// manifest tells what it guards.
func TestExtensionThatMayGuard(t *testing.T) {
	t.Parallel()
	const asks = "has no working version"
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"unknown":  {[]string{"toy.json", runsMain, "main", "broken"}, asks},
		"missing":  {[]string{"toy.json", runsMain}, asks},
		"no files": {[]string{"toy.json", `{}`}, asks},
		"outside":  {[]string{"toy.json", `{"runs": ["../x"]}`, "../x", "quiet"}, asks},
		"manifest": {[]string{"toy.json", `{"runs": ["main"], "guards": ["bash"], "off": 1}`,
			"main", "broken"}, asks},
		"header": {[]string{"toy.json", `{"runs": ["main"], "guards": ["bash"]}`,
			"main", "broken"}, "run"},
		"works": {[]string{"toy.json", runsMain, "main", "quiet"}, "run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			install(t, w.engine, engine.Plugin{Runtimes: []engine.Runtime{toy{}}})
			extension(t, w.path("a"), c.files...)
			w.start()
			w.wantOutcome("read", c.want)
		})
	}
}

// TestLinkOutOfExtension: a program is a file in the folder of the manifest.
func TestLinkOutOfExtension(t *testing.T) {
	t.Parallel()
	w := withToys(t, nil)
	write(t, filepath.Join(w.root, "elsewhere"), "first")
	dir := extension(t, w.path("a"), "toy.json", runsMain)
	if err := os.Symlink(filepath.Join("..", "..", "..", "elsewhere"),
		filepath.Join(dir, "main")); err != nil {
		t.Skip(err)
	}
	w.start()
	w.untilSeen("script_error", "its file main: is a link out of the folder of the extension")
	w.wantOutcome("read", "has no working version")
}

// TestChangedProgramAtStart: a program that changed since the last run is not the last good one. It
// is not started as such if it fails.
func TestChangedProgramAtStart(t *testing.T) {
	t.Parallel()
	w := withToys(t, nil)
	dir := extension(t, w.path("a"), "toy.json", runsMain, "main", "first")
	w.start()
	w.wantSays("first")
	w.nextRun(func() { write(t, filepath.Join(dir, "toy.json"), "{") })
	w.wantSays("first") // the last good manifest, and the program is the same
	w.nextRun(func() { write(t, filepath.Join(dir, "main"), "changed") })
	w.wantOutcome("read", "has no working version")
	w.nextRun(func() {
		write(t, filepath.Join(dir, "toy.json"), runsMain)
		write(t, filepath.Join(dir, "main"), "broken")
	})
	w.wantOutcome("read", "has no working version") // nothing tells that it does not guard
	write(t, filepath.Join(dir, "main"), "two")
	w.until("the new program", func() bool { return strings.Contains(w.says(), "two") })
}

// foreign returns the path of a file below ~/.agent/extensions.
func (w *world) foreign(elem ...string) string {
	return filepath.Join(append([]string{w.home, "extensions"}, elem...)...)
}

// TestExtensionsFolder: the folder of extensions may appear later, is watched as that of scripts
// is, and only manifests in folders there count.
func TestExtensionsFolder(t *testing.T) {
	t.Parallel()
	more := filepath.Join(t.TempDir(), "more")
	w := withToys(t, func(_ *world, o *load.Options) { o.Extensions = []string{more} })
	w.start()
	if _, err := os.Stat(w.foreign()); err == nil {
		t.Error("the folder of extensions was created")
	}
	dir := extension(t, w.foreign("a"), "main", "first", "toy.json", runsMain)
	w.until("the extension", func() bool {
		return strings.Contains(w.says(), "first") && w.info("a/toy.json").State == load.StateOK
	})
	if i := w.wantState("a/toy.json", load.StateOK); i.Source != scriptfile.SourceForeign ||
		i.Path != filepath.Join(dir, "toy.json") || !i.Guards {
		t.Errorf("got %+v", i)
	}
	write(t, filepath.Join(dir, "main"), "two")
	w.until("the change", func() bool { return strings.Contains(w.says(), "two") })

	extension(t, more, "b/main", "quiet", "b/toy.json", runsMain, "c.fake", "tool c",
		"a/toy.json", `{"says": "twin"}`)
	w.until("the other folder", func() bool { return w.info("b/toy.json").State == load.StateOK })
	if w.has("c") {
		t.Error("a script in a folder of extensions was loaded")
	}
	var replaced load.Info
	w.until("an extension of the same name", func() bool {
		i := slices.IndexFunc(w.loader.Scripts(), func(i load.Info) bool {
			return i.State == load.StateReplaced
		})
		if i >= 0 {
			replaced = w.loader.Scripts()[i]
		}
		return i >= 0
	})
	if replaced.Path != filepath.Join(more, "a", "toy.json") ||
		replaced.By != filepath.Join(dir, "toy.json") {
		t.Errorf("got %+v, want the second extension of one name", replaced)
	}
	w.wantSays("two")
	must(t, os.RemoveAll(dir))
	w.until("the twin", func() bool { return strings.Contains(w.says(), "twin") })
	must(t, os.RemoveAll(filepath.Join(more, "a")))
	w.untilSeen("script_unload a/toy.json removed")
	w.wantSays("done")
}

// TestExtensionsAfterOthers: handlers of extensions come after those of scripts, and an extension
// of the same name among the scripts takes precedence.
func TestExtensionsAfterOthers(t *testing.T) {
	t.Parallel()
	w := withToys(t, nil)
	extension(t, w.foreign("a"), "toy.json", `{"says": "foreign"}`)
	extension(t, w.foreign("0"), "toy.json", `{"says": "zero"}`)
	extension(t, w.path("a"), "toy.json", `{"says": "user"}`)
	w.start()
	w.wantSays("user")
	w.wantState("0/toy.json", load.StateOK)
}

// TestMissingExtension: an extension that guarded is missed at the next start, as a script is.
func TestMissingExtension(t *testing.T) {
	t.Parallel()
	w := withToys(t, nil)
	dir := extension(t, w.foreign("a"), "toy.json", runsMain, "main", "first")
	w.start()
	w.wantSays("first")
	w.nextRun(func() { must(t, os.RemoveAll(dir)) })
	w.wantOutcome("read", "a/toy.json guarded calls in the last run, and its file is missing")
	w.loader.Reload(context.Background())
	w.wantSays("done")
}

// TestExtensionWithoutAccess: a folder that cannot be read is not a deleted extension.
func TestExtensionWithoutAccess(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	w := withToys(t, nil)
	dir := extension(t, w.foreign("a"), "toy.json", runsMain, "main", "first")
	w.start()
	must(t, os.Chmod(dir, 0))
	defer os.Chmod(dir, 0o755)
	w.loader.Rescan(context.Background())
	w.wantSays("first")
}

// TestSwitchedOff: an extension whose manifest switches it off is listed, and not loaded. One that
// was in force is unloaded.
func TestSwitchedOff(t *testing.T) {
	t.Parallel()
	w := withToys(t, nil)
	dir := extension(t, w.foreign("a"), "toy.json", `{"says": "first", "off": true}`)
	manifest := filepath.Join(dir, "toy.json")
	w.start()
	off := w.wantState("a/toy.json", load.StateDisabled)
	if got := strings.Join(off.Notes, "; "); got != "its manifest switches it off" {
		t.Errorf("got %q", got)
	}
	w.wantSays("done")
	write(t, manifest, `{"says": "first"}`)
	w.until("it is on", func() bool { return strings.Contains(w.says(), "first") })
	write(t, manifest, `{"says": "first", "off": true}`)
	w.untilSeen("script_unload a/toy.json off")
	w.wantSays("done")
	if err := w.loader.Enable(context.Background(), manifest, true); err == nil ||
		!strings.Contains(err.Error(), "its manifest switches it off: change that in "+manifest) {
		t.Errorf("got %v", err)
	}
	write(t, manifest, `{"says": "first"}`)
	w.until("it is on again", func() bool { return strings.Contains(w.says(), "first") })
	w.nextRun(func() { write(t, manifest, `{"says": "first", "off": true}`) })
	w.untilSeen("notification a/toy.json: its manifest has switched it off since the last run",
		"NOT GUARDED")
	w.wantState("a/toy.json", load.StateDisabled)
	w.nextRun(func() { must(t, os.RemoveAll(dir)) })
	w.wantSays("done")
	if n := w.count("a/toy.json"); n > 0 {
		t.Errorf("an extension that was switched off is missed: %q", w.seen())
	}
}

// TestSwitchedOffByTool: a tool cannot switch a guard off.
func TestSwitchedOffByTool(t *testing.T) {
	t.Parallel()
	w := withToys(t, nil)
	manifest := filepath.Join(extension(t, w.foreign("a"), "toy.json",
		`{"guards": ["read"], "says": "first"}`), "toy.json")
	w.start()
	w.work = func() { write(t, manifest, `{"guards": ["read"], "says": "first", "off": true}`) }
	w.run(w.work)
	w.untilSeen("script_error", "so this version waits for you")
	if list := w.loader.Errors(); len(list) != 1 || !list[0].Waits {
		t.Errorf("a version that waits is told as a failure: %v", list)
	}
	w.wantSays("first")
}

// TestDisabledExtension: the user can disable extensions as scripts.
func TestDisabledExtension(t *testing.T) {
	t.Parallel()
	w := withToys(t, nil)
	manifest := filepath.Join(extension(t, w.foreign("a"), "toy.json", `{"says": "first"}`),
		"toy.json")
	w.start()
	must(t, w.loader.Enable(context.Background(), manifest, false))
	w.wantSays("done")
	w.wantState("a/toy.json", load.StateDisabled)
	must(t, w.loader.Enable(context.Background(), manifest, true))
	w.wantSays("first")
}
