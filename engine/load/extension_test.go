package load_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
)

// withToys makes a world with the format toy, whose mark is MARK.
func withToys(t testing.TB, change func(w *world, o *load.Options)) *world {
	w := newWorld(t, change)
	w.addToys()
	return w
}

func (w *world) addToys() {
	w.t.Helper()
	install(w.t, w.engine, engine.Plugin{Runtimes: []engine.Runtime{toy{mark: "MARK"}}})
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
	dir := extension(t, w.path("a"), "toy.json", `{"runs": ["main", "more/data"]}`, "main", "one",
		"more/data", "1")
	other := extension(t, w.path("other"), "toy.json", `{"guards": ["bash"], "says": "other"}`)
	w.start()
	w.wantSays("one")
	first := w.wantState("a/toy.json", load.StateOK)

	write(t, filepath.Join(dir, "main"), "two")
	w.until("the new program", func() bool { return strings.Contains(w.says(), "two") })
	if i := w.info("a/toy.json"); i.Hash == first.Hash {
		t.Error("the hash of the extension does not depend on its program")
	}
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
// files are known not to guard.
func TestExtensionThatMayGuard(t *testing.T) {
	t.Parallel()
	const asks = "has no working version"
	for name, c := range map[string]struct {
		files []string
		mark  string
		want  string
	}{
		"mark":     {[]string{"toy.json", runsMain, "main", "broken MARK"}, "MARK", asks},
		"wide":     {[]string{"toy.json", runsMain, "main", "broken M\x00A\x00R\x00K\x00"}, "MARK", asks},
		"no mark":  {[]string{"toy.json", runsMain, "main", "broken"}, "MARK", "run"},
		"unknown":  {[]string{"toy.json", runsMain, "main", "broken"}, "", asks},
		"missing":  {[]string{"toy.json", runsMain}, "MARK", asks},
		"no files": {[]string{"toy.json", `{}`}, "MARK", asks},
		"outside":  {[]string{"toy.json", `{"runs": ["../x"]}`, "../x", "quiet"}, "MARK", asks},
		"manifest": {[]string{"toy.json", `{"runs": ["main"], "guards": ["bash"], "off": 1}`,
			"main", "broken"}, "MARK", asks},
		"header": {[]string{"toy.json", `{"runs": ["main"], "guards": ["bash"]}`,
			"main", "broken"}, "MARK", "run"},
		"works": {[]string{"toy.json", runsMain, "main", "quiet MARK"}, "MARK", "run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			install(t, w.engine, engine.Plugin{Runtimes: []engine.Runtime{toy{c.mark}}})
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
	write(t, filepath.Join(w.root, "elsewhere"), "one")
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
	dir := extension(t, w.path("a"), "toy.json", runsMain, "main", "one")
	w.start()
	w.wantSays("one")
	w.nextRun(func() { write(t, filepath.Join(dir, "toy.json"), "{") })
	w.wantSays("one") // the last good manifest, and the program is the same
	w.nextRun(func() { write(t, filepath.Join(dir, "main"), "changed") })
	w.wantOutcome("read", "has no working version")
	w.nextRun(func() {
		write(t, filepath.Join(dir, "toy.json"), runsMain)
		write(t, filepath.Join(dir, "main"), "broken")
	})
	w.wantOutcome("read", "has no working version") // it has no mark, but it was a guard
	write(t, filepath.Join(dir, "main"), "two")
	w.until("the new program", func() bool { return strings.Contains(w.says(), "two") })
}
