package load_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/load"
)

// saves are the ways in which editors and people save a file.
var saves = []struct {
	name string
	save func(t *testing.T, path, text string)
}{
	{"truncate and write", func(t *testing.T, path, text string) { write(t, path, text) }},
	{"in pieces", func(t *testing.T, path, text string) {
		f, err := os.Create(path)
		must(t, err)
		for i := range len(text) {
			_, err = f.WriteString(text[i : i+1])
			must(t, err)
		}
		must(t, f.Close())
	}},
	{"rename in the same folder", func(t *testing.T, path, text string) {
		write(t, path+".tmp", text)
		must(t, os.Rename(path+".tmp", path))
	}},
	{"rename, JetBrains", func(t *testing.T, path, text string) {
		write(t, path+"___jb_tmp___", text)
		must(t, os.Rename(path, path+"___jb_old___"))
		must(t, os.Rename(path+"___jb_tmp___", path))
		must(t, os.Remove(path+"___jb_old___"))
	}},
	{"move from another folder", func(t *testing.T, path, text string) {
		from := filepath.Join(t.TempDir(), "x")
		write(t, from, text)
		must(t, os.Rename(from, path))
	}},
	{"vim with backup", func(t *testing.T, path, text string) {
		dir := filepath.Dir(path)
		write(t, filepath.Join(dir, "4913"), "")
		must(t, os.Remove(filepath.Join(dir, "4913")))
		must(t, os.Rename(path, path+"~"))
		write(t, path, text)
		must(t, os.Remove(path+"~"))
	}},
	{"git checkout", func(t *testing.T, path, text string) {
		must(t, os.Remove(path))
		write(t, path, text)
	}},
	{"same length and time", func(t *testing.T, path, text string) {
		info, err := os.Stat(path)
		must(t, err)
		write(t, path, text)
		must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	}},
}

// atOnce is the longest time of a save in which the file is not yet considered missing.
const atOnce = 100 * time.Millisecond

func TestEveryWayOfSavingReloads(t *testing.T) {
	t.Parallel()
	for _, s := range saves {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.save("a.fake", "guard bash\ntool v1")
			w.start()
			slow := false
			for i := 2; i <= 4; i++ {
				began := time.Now()
				s.save(t, w.path("a.fake"), fmt.Sprintf("guard bash\ntool v%d", i))
				slow = slow || time.Since(began) > atOnce
				w.untilMark(fmt.Sprintf("v%d", i))
				w.wantOutcome("bash", "block")
			}
			if slow {
				t.Skip("the disk was slow during a save: the new version is in force, but the " +
					"file was missing for too long to test the rest")
			}
			if n := w.count("script_unload", "removed"); n > 0 {
				t.Errorf("the script was unloaded %d times while it was saved", n)
			}
			if n := w.count("script_error"); n > 0 {
				t.Errorf("a save caused errors: %v", w.seen())
			}
		})
	}
}

func TestSaveThroughLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	real, middle := filepath.Join(w.root, "dotfiles"), filepath.Join(w.root, "links")
	mkdir(t, real)
	mkdir(t, middle)
	target, other := filepath.Join(real, "mine"), filepath.Join(real, "other")
	write(t, target, "tool v1")
	write(t, other, "tool other")
	between := filepath.Join(middle, "between")
	must(t, os.Symlink(target, between))
	must(t, os.Symlink(between, w.path("a.fake")))
	w.start()
	w.untilMark("v1")

	write(t, target, "tool v2")
	w.untilMark("v2")
	write(t, target+".new", "tool v3")
	must(t, os.Rename(target+".new", target))
	w.untilMark("v3")
	write(t, w.path("a.fake"), "tool v4") // through the link
	w.untilMark("v4")

	must(t, os.Symlink(other, between+".new")) // the link in the middle gets another target
	must(t, os.Rename(between+".new", between))
	w.untilMark("other")
	write(t, other, "tool other2")
	w.untilMark("other2")
	must(t, os.Symlink(target, w.path("new")))
	must(t, os.Rename(w.path("new"), w.path("a.fake")))
	w.untilMark("v4")
}

func TestLinkedFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	must(t, os.Remove(w.scripts))
	one, two := filepath.Join(w.root, "one"), filepath.Join(w.root, "two")
	mkdir(t, one)
	mkdir(t, two)
	write(t, filepath.Join(one, "a.fake"), "tool v1")
	write(t, filepath.Join(two, "a.fake"), "tool two")
	must(t, os.Symlink(one, w.scripts))
	w.start()
	w.untilMark("v1")
	write(t, filepath.Join(one, "a.fake"), "tool v2")
	w.untilMark("v2")
	must(t, os.Symlink(two, w.scripts+".new"))
	must(t, os.Rename(w.scripts+".new", w.scripts))
	w.untilMark("two")
	write(t, filepath.Join(two, "b.fake"), "tool b")
	w.untilMark("b")
}

func TestLinkedHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one, two := filepath.Join(w.root, "one"), filepath.Join(w.root, "two")
	must(t, os.Rename(w.home, one))
	mkdir(t, filepath.Join(two, "scripts"))
	write(t, filepath.Join(two, "scripts", "a.fake"), "tool two")
	must(t, os.Symlink("one", w.home))
	w.save("a.fake", "tool v1")
	w.start()
	w.save("a.fake", "tool v2")
	w.untilMark("v2")
	must(t, os.Symlink("two", w.home+".new"))
	must(t, os.Rename(w.home+".new", w.home))
	w.untilMark("two")
	w.save("a.fake", "tool two2")
	w.untilMark("two2")
}

func TestUnchangedBytesAreNotReloaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "tool v1")
	w.start()
	first := w.info("a.fake").Generation
	w.save("a.fake", "tool v1")
	must(t, os.Chtimes(w.path("a.fake"), time.Now(), time.Now()))
	w.save("b.fake", "tool b") // when b.fake is in force, a.fake has been scanned
	w.untilMark("b")
	w.loader.Rescan(context.Background())
	if got := w.info("a.fake").Generation; got != first {
		t.Errorf("generation: got %d, want %d as before", got, first)
	}
	w.loader.Reload(context.Background())
	if got := w.info("a.fake").Generation; got == first {
		t.Error("a manual reload did not load the unchanged file again")
	}
	if n := w.count("script_load", "manual"); n != 2 {
		t.Errorf("got %d manual loads, want 2", n)
	}
}

func TestHundredSavesInASecond(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v0")
	w.start()
	for i := 1; i <= 100; i++ {
		w.save("a.fake", fmt.Sprintf("guard bash\ntool v%d", i))
		w.wantOutcome("bash", "block")
		time.Sleep(10 * time.Millisecond) // the interval between the saves
	}
	w.untilMark("v100")
	w.wantOutcome("bash", "block")
	if w.has("v99") {
		t.Error("an older version is still in force")
	}
}

func TestFoldersAreCreatedAndRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	must(t, os.RemoveAll(w.home))
	w.start()

	mkdir(t, w.scripts) // it did not exist at the start
	w.save("a.fake", "guard bash\ntool v1")
	w.untilMark("v1")

	must(t, os.Rename(w.scripts, w.scripts+".old"))
	mkdir(t, w.scripts)
	w.save("a.fake", "guard bash\ntool v2")
	w.untilMark("v2")

	// the loader may be writing files in it
	w.until("removed", func() bool { return os.RemoveAll(w.home) == nil })
	w.untilSeen("a.fake: the folder " + w.scripts + " is gone or was replaced")
	w.wantOutcome("bash", "block")
	mkdir(t, w.scripts)
	w.save("a.fake", "guard bash\ntool v3")
	w.untilMark("v3")
	w.wantState("a.fake", load.StateOK)

	w.until("removed", func() bool { return os.RemoveAll(w.home) == nil })
	mkdir(t, w.scripts)
	w.save("a.fake", "guard bash\ntool v4")
	w.untilMark("v4")
	w.save("a.fake", "guard bash\ntool v5")
	w.untilMark("v5")
}

func TestTemporaryFilesOfEditorsAreIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, name := range []string{".hidden.fake", "4913", "#a.fake#", ".#a.fake", "a.fake~",
		"a.fake.swp", "a.fake___jb_tmp___", "notes.txt"} {
		w.save(name, "tool noise")
	}
	w.start()
	if got := w.loader.Scripts(); len(got) > 0 {
		t.Errorf("got %+v, want no scripts", got)
	}
}

func TestEmptyFileWaitsForItsContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	// A slow editor: truncated for longer than the first debounce, then written.
	must(t, os.Truncate(w.path("a.fake"), 0))
	time.Sleep(40 * time.Millisecond)
	w.save("a.fake", "guard bash\ntool v2")
	w.untilMark("v2")
	// An editor that is delayed for longer, by a busy disk: an empty file never replaces a version.
	must(t, os.Truncate(w.path("a.fake"), 0))
	w.untilSeen("script_error", "is empty")
	w.wantOutcome("bash", "block")
	w.restart()
	w.wantOutcome("bash", "block")
	w.save("a.fake", "tool v3")
	w.untilMark("v3")
}

// TestNewFilesMayBeEmpty: an empty new file replaces nothing.
func TestNewFilesMayBeEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "")
	w.start()
	if got := w.loader.Scripts(); len(got) != 1 || got[0].Error != nil {
		t.Errorf("got %+v", got)
	}
}
