package load_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/ui"
)

func TestPollingIfWatchingFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.loader.FailWatching(errors.New("too many open files"))
	w.save("a.fake", "tool v1")
	w.start()
	w.untilSeen("notification script folders cannot be watched (too many open files)")
	w.save("a.fake", "tool v2")
	w.untilMark("v2")
	w.save("a.fake", "tool v3")
	w.untilMark("v3")
	must(t, os.Remove(w.path("a.fake")))
	w.untilSeen("script_unload a.fake removed")
	if n := w.count("notification script folders"); n != 1 {
		t.Errorf("polling was reported %d times, want once", n)
	}
}

// TestLimitsOfWatchingAreNamed: the system says only "no space left on device".
func TestLimitsOfWatchingAreNamed(t *testing.T) {
	t.Parallel()
	for cause, want := range map[syscall.Errno]string{
		syscall.EMFILE: "max_user_instances or ulimit -n",
		syscall.ENOSPC: "max_user_watches",
	} {
		err := fmt.Errorf("inotify: %w", cause)
		w := newWorld(t, nil)
		w.loader.FailWatching(err)
		w.start()
		w.untilSeen("notification script folders cannot be watched")
		if w.count(want) != 1 {
			t.Errorf("%v: %s is not named", err, want)
		}
	}
}

func TestPollingWhenWatchesRunOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.loader.BreakWatching()
	w.save("a.fake", "tool v1")
	w.start()
	w.untilSeen("notification script folders cannot be watched")
	w.save("a.fake", "tool v2")
	w.untilMark("v2")
}

// TestWatchingThatReportsNothing: watching succeeds, but no event arrives, so the loader polls.
func TestWatchingThatReportsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.loader.SilenceWatching()
	w.save("a.fake", "tool v1")
	w.start()
	w.untilSeen("notification script folders cannot be watched (the system reported no event")
	w.save("a.fake", "tool v2")
	w.untilMark("v2")
	if n := w.count("notification script folders"); n != 1 {
		t.Errorf("polling was reported %d times, want once", n)
	}
	w.loader.Close()
	if left, err := filepath.Glob(filepath.Join(w.home, "state", "watched-*")); len(left) > 0 {
		t.Errorf("the probe's files were not removed: %v, %v", left, err)
	}
}

// TestWatchingIsProbedOnce: if events arrive, the probe ends with the first one and removes its
// files.
func TestWatchingIsProbedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "tool v1")
	w.start()
	w.until("the probe is gone", func() bool {
		left, _ := filepath.Glob(filepath.Join(w.home, "state", "watched-*"))
		return len(left) == 0 && !slices.ContainsFunc(w.loader.Watched(), func(path string) bool {
			return strings.Contains(path, "watched-")
		})
	})
	w.save("a.fake", "tool v2")
	w.untilMark("v2")
	if n := w.count("notification script folders"); n != 0 {
		t.Error("polling was reported")
	}
}

func TestRescanAfterLostEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "tool v1")
	w.start()
	must(t, w.loader.Deafen(w.scripts))
	w.save("a.fake", "tool v2")
	w.loader.Overflow()
	w.untilMark("v2")
	w.save("a.fake", "tool v3") // the folder is watched again
	w.untilMark("v3")
}

func TestFileBeingWrittenIsNotLoaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, o *load.Options) { o.Watch = false })
	target := filepath.Join(w.root, "target")
	write(t, target, "tool link1")
	must(t, os.Symlink(target, w.path("link.fake")))
	w.save("a.fake", "tool a1")
	w.start()
	write(t, target, "tool link2")
	w.save("a.fake", "tool a2")
	w.loader.ScanWhile(w.path("a.fake"))
	if !w.has("a1") || w.has("a2") || !w.has("link2") {
		t.Error("want the file that is being written not loaded, and the other one loaded")
	}
	write(t, target, "tool link3")
	w.loader.ScanWhile(target)
	if !w.has("a2") || !w.has("link2") || w.has("link3") {
		t.Error("want the link whose target is being written not loaded, and the other one loaded")
	}
}

// once makes one scan without waiting until the files are stable.
func (w *world) once() { w.loader.ScanWhile("") }

// TestScanDuringASave: a scan in the middle of a save that an editor or git makes in several steps
// does not unload the script.
func TestScanDuringASave(t *testing.T) {
	t.Parallel()
	target := func(w *world) string { return filepath.Join(w.root, "target") }
	for _, c := range []struct {
		name        string
		half, whole func(w *world)
	}{
		{"file unlinked", func(w *world) { must(t, os.Remove(w.path("a.fake"))) },
			func(w *world) { w.save("a.fake", "guard bash\ntool v2") }},
		{"file emptied", func(w *world) { w.save("a.fake", "") },
			func(w *world) { w.save("a.fake", "guard bash\ntool v2") }},
		{"target unlinked", func(w *world) { must(t, os.Remove(target(w))) },
			func(w *world) { write(t, target(w), "guard bash\ntool v2") }},
		{"folder renamed", func(w *world) { must(t, os.Rename(w.scripts, w.scripts+".old")) },
			func(w *world) {
				mkdir(t, w.scripts)
				w.save("a.fake", "guard bash\ntool v2")
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(w *world, o *load.Options) { o.Watch = false })
			w.save("a.fake", "guard bash\ntool v1")
			if c.name == "target unlinked" {
				must(t, os.Rename(w.path("a.fake"), target(w)))
				must(t, os.Symlink(target(w), w.path("a.fake")))
			}
			w.start()
			c.half(w)
			w.once()
			w.wantOutcome("bash", "block")
			w.wantState("a.fake", load.StateOK)
			c.whole(w)
			w.loader.Rescan(context.Background())
			w.untilMark("v2")
			if w.count("script_error")+w.count("removed") > 0 {
				t.Errorf("events: %v", w.seen())
			}
		})
	}
}

// TestFileEmptiedRepeatedly: an editor that empties a file repeatedly causes one error, not one
// each time.
func TestFileEmptiedRepeatedly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, o *load.Options) { o.Watch = false })
	w.save("a.fake", "guard bash")
	w.start()
	for range 30 {
		w.save("a.fake", "")
		w.once()
		w.wantOutcome("bash", "block")
		time.Sleep(10 * time.Millisecond) // in total longer than the loader waits for an empty file
	}
	if n := w.count("script_error"); n > 0 {
		t.Errorf("an empty file was reported %d times", n)
	}
	w.loader.Rescan(context.Background())
	w.wantOutcome("bash", "block")
	if n := w.count("script_error", "is empty"); n != 1 {
		t.Errorf("an empty file was reported %d times, want once", n)
	}
}

func TestReplaceLoadsTheSameBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	old := w.engine.Scripts.Snapshot().Generations[0]
	w.save("a.fake", "error oops")
	w.untilSeen("script_error a.fake:1 oops")
	w.loader.Replace(old)
	now := w.engine.Scripts.Snapshot().Generations[0]
	if now == old || now.Hash != old.Hash {
		t.Errorf("got generation %d of %s, want a new one of %s", now.Number, now.Hash, old.Hash)
	}
	w.wantOutcome("bash", "block")
	w.loader.Replace(old) // no longer in force
	if w.engine.Scripts.Snapshot().Generations[0] != now {
		t.Error("a generation that was not in force was replaced")
	}
}

func TestThousandReloadsLeakNothing(t *testing.T) {
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1\non script_load")
	w.save("b.fake", "tool b")
	w.fake.heard = make(chan string, 10_000)
	w.start()
	round := func(n int) {
		for range n {
			w.loader.Reload(context.Background())
			w.wantOutcome("bash", "block")
		}
	}
	round(10)
	before := runtime.NumGoroutine() + 2 // the engine may keep two goroutines for the next handlers
	round(1000)
	w.until("old versions are closed", func() bool { return w.fake.live.Load() == 2 })
	w.until("goroutines are as before", func() bool { return runtime.NumGoroutine() <= before })
	w.shut()
	w.until("all closed", func() bool { return w.fake.live.Load() == 0 })
}

func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	w := newWorld(t, func(w *world, o *load.Options) {
		o.Confirm = func(ctx context.Context, _ *ui.Dialog) (bool, error) {
			<-ctx.Done()
			return true,
				nil
		}
	})
	w.save("a.fake", "guard bash")
	w.start()
	w.run(func() { must(t, os.Remove(w.path("a.fake"))) })
	w.untilSeen("notification a.fake: the file is gone")
	w.loader.Close()
	w.loader.Close()
	w.loader.Reload(context.Background()) // no effect
	w.wantOutcome("bash", "block")        // the engine keeps the versions in force
	w.engine.Close()
	w.until("goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}
