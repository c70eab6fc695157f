package load_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/ui"
)

// TestGuardsOfAMissingFolderStay: if a folder disappears, its guards stay in force, because the
// user did not delete the files themselves.
func TestGuardsOfAMissingFolderStay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		away   func(t *testing.T, w *world)
		closed bool // the folder exists, but cannot be read
	}{
		{"renamed", func(t *testing.T, w *world) {
			must(t,
				os.Rename(w.scripts, w.scripts+".away"))
		}, false},
		{"removed", func(t *testing.T, w *world) { must(t, os.RemoveAll(w.scripts)) }, false},
		{"its parent renamed",
			func(t *testing.T, w *world) { must(t, os.Rename(w.home, w.home+".away")) }, false},
		{"its parent removed", func(t *testing.T, w *world) { removeInUse(t, w.home) }, false},
		{"replaced by an empty one", func(t *testing.T, w *world) {
			must(t, os.Rename(w.scripts, w.scripts+".away"))
			mkdir(t, w.scripts)
		}, false},
		{"removed and created again", func(t *testing.T, w *world) {
			must(t, os.RemoveAll(w.scripts))
			mkdir(t, w.scripts)
		}, false},
		{"replaced by a link to an empty one", func(t *testing.T, w *world) {
			must(t, os.Rename(w.scripts, w.scripts+".away"))
			must(t, os.Symlink(t.TempDir(), w.scripts))
		}, false},
		{"replaced by a dangling link", func(t *testing.T, w *world) {
			must(t, os.Rename(w.scripts, w.scripts+".away"))
			must(t, os.Symlink("nowhere", w.scripts))
		}, false},
		{"replaced by a file", func(t *testing.T, w *world) {
			must(t, os.Rename(w.scripts, w.scripts+".away"))
			write(t, w.scripts, "")
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.save("a.fake", "guard bash\ntool v1")
			w.save("b.fake", "guard read")
			w.start()
			c.away(t, w)
			state, told := load.StateGone, "notification a.fake, b.fake: the folder "+w.scripts+
				" is gone or was replaced; the last version stays in force"
			if c.closed {
				state, told = load.StateOK, "script_error scripts"
			}
			w.untilSeen(told)
			w.loader.Rescan(context.Background())
			w.wantOutcome("bash", "block")
			w.wantOutcome("read", "block")
			if i := w.wantState("a.fake", state); !c.closed && len(i.Notes) == 0 {
				t.Error("no note says that the folder is gone")
			}
			if c.closed {
				return
			}
			w.loader.Reload(context.Background()) // the user confirms the deletion
			w.wantOutcome("bash", "run")
			if len(w.loader.Scripts()) > 0 || len(w.loader.Records()) > 0 {
				t.Errorf("left: %+v %v", w.loader.Scripts(), w.loader.Records())
			}
			w.restart()
			if n := w.count("notification"); n > 0 {
				t.Errorf("events: %v", w.seen())
			}
		})
	}
}

// TestDeletionInAReplacedFolder: after a script has loaded from a folder that replaced another one,
// the user can delete its file again.
func TestDeletionInAReplacedFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	must(t, os.Rename(w.scripts, w.scripts+".away"))
	mkdir(t, w.scripts)
	w.save("a.fake", "guard bash\ntool v2")
	w.untilMark("v2")
	must(t, os.Rename(w.scripts, w.scripts+".away2"))
	w.untilSeen("the folder " + w.scripts + " is gone")
	must(t, os.Rename(w.scripts+".away2", w.scripts))
	w.untilSeen("notification a.fake: the file is there again")
	w.wantState("a.fake", load.StateOK)
	must(t, os.Remove(w.path("a.fake")))
	w.untilSeen("script_unload a.fake removed")
	w.wantOutcome("bash", "run")
}

// TestStartWhileAScriptIsMissing: the start waits for a file that is missing for a moment.
func TestStartWhileAScriptIsMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		away, back func(w *world)
	}{
		{"the folder", func(w *world) { must(t, os.Rename(w.scripts, w.scripts+".away")) },
			func(w *world) { must(t, os.Rename(w.scripts+".away", w.scripts)) }},
		{"the file", func(w *world) { must(t, os.Remove(w.path("a.fake"))) },
			func(w *world) { w.save("a.fake", "guard bash\ntool v2") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.save("a.fake", "guard bash\ntool v1")
			w.start()
			w.shut()
			c.away(w)
			w.forgetEvents()
			w.open()
			done := make(chan bool)
			go func() { w.start(); close(done) }()
			c.back(w)
			<-done
			w.wantOutcome("bash", "block")
			w.until("the script is loaded again",
				func() bool { return w.info("a.fake").State == load.StateOK })
			w.wantOutcome("bash", "block")
		})
	}
}

// TestFileReappearsDuringTheStart: if the file of a guard reappears at any moment of the start, a
// guard is in force afterwards: that of the file, or of the last good version.
func TestFileReappearsDuringTheStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	for i := range 20 {
		w.shut()
		must(t, os.Remove(w.path("a.fake")))
		w.forgetEvents()
		w.open()
		done := make(chan bool)
		go func() { w.start(); close(done) }()
		time.Sleep(time.Duration(i) * 50 * time.Microsecond)
		w.save("a.fake", fmt.Sprintf("guard bash\ntool v%d", i))
		<-done
		w.wantOutcome("bash", "block")
		w.until("the script is loaded again",
			func() bool { return w.info("a.fake").State == load.StateOK })
	}
}

// TestScriptMissingAtTheStart: a script that is missing at the start is reported until the user
// confirms that it is deleted.
func TestScriptMissingAtTheStart(t *testing.T) {
	t.Parallel()
	gone := func(t *testing.T, change func(w *world, o *load.Options)) *world {
		w := newWorld(t, change)
		w.save("a.fake", "guard bash\ntool v1")
		w.save("b.fake", "tool b")
		w.start()
		w.shut()
		must(t, os.RemoveAll(w.scripts))
		w.restart()
		return w
	}
	quiet := func(t *testing.T, w *world) {
		t.Helper()
		w.restart()
		w.wantOutcome("bash", "run")
		if n := w.count("notification"); n > 0 || len(w.loader.Scripts()) > 0 {
			t.Errorf("events: %v, scripts %+v", w.seen(), w.loader.Scripts())
		}
	}
	missed := func(t *testing.T, w *world) {
		t.Helper()
		w.untilSeen("notification a.fake: the file is gone since the last run; the last " +
			"version stays in force until /reload or `agent ext forget a.fake`")
		w.wantOutcome("bash", "block")
		w.wantState("a.fake", load.StateGone)
	}
	t.Run("reload", func(t *testing.T) {
		w := gone(t, nil)
		missed(t, w)
		// b.fake guarded nothing
		w.untilSeen("notification b.fake: the file is gone since the last run; the script " +
			"is unloaded")
		w.restart()
		missed(t, w)
		if w.count("b.fake") > 0 {
			t.Errorf("reported again: %v", w.seen())
		}
		w.loader.Reload(context.Background())
		w.wantOutcome("bash", "run")
		quiet(t, w)
	})
	t.Run("the user says yes", func(t *testing.T) {
		asked := make(chan string, 1)
		w := gone(t, func(w *world, o *load.Options) {
			o.Confirm = func(_ context.Context, d *ui.Dialog) (bool, error) {
				q := d.Title
				asked <- q
				return true,
					nil
			}
		})
		if q := <-asked; !strings.Contains(q,
			"a.fake: the file is gone since the last run. Unload it") {
			t.Errorf("asked %q", q)
		}
		w.untilSeen("script_unload a.fake removed")
		quiet(t, w)
	})
	t.Run("forget", func(t *testing.T) {
		w := gone(t, nil)
		missed(t, w)
		w.shut()
		if names, err := load.Forget(w.home, w.known, nil); err != nil ||
			!slices.Equal(names, []string{"a.fake"}) {
			t.Errorf("missed: got %v, %v", names, err)
		}
		if _, err := load.Forget(w.home, w.known, nil, "a.fake"); err != nil {
			t.Error(err)
		}
		if names, err := load.Forget(w.home, w.known, nil); err != nil || len(names) > 0 {
			t.Errorf("missed: got %v, %v", names, err)
		}
		quiet(t, w)
	})
}

// TestLastGoodVersionIsLost: the user is asked about calls that a missing script guarded, even if
// its last good version is missing or was replaced.
func TestLastGoodVersionIsLost(t *testing.T) {
	t.Parallel()
	const text = "-- ==Agent==\n-- @guards bash\n-- ==/Agent==\nguard bash\ntool v1"
	// a valid record of a version that guards nothing
	other := func(t *testing.T, w *world) {
		forge := newWorld(t, func(f *world, o *load.Options) { o.Home = w.home; o.Known = "" })
		list, err := os.ReadFile(filepath.Join(w.home, "state", "guards.json"))
		must(t, err)
		write(t, w.path("a.fake"), "tool forged")
		forge.start().shut()
		must(t, os.WriteFile(filepath.Join(w.home, "state", "guards.json"), list, 0o600))
	}
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, w *world)
		now    string // of the file; "" = deleted
		asks   string
	}{
		{"removed, and the file", func(t *testing.T,
			w *world) {
			must(t, os.Remove(w.loader.RecordFile(w.path("a.fake"))))
		}, "", "a.fake guarded calls in the last run"},
		{"removed, and the file is broken", func(t *testing.T,
			w *world) {
			must(t, os.Remove(w.loader.RecordFile(w.path("a.fake"))))
		}, "error oops", "a.fake has no working version"},
		{"overwritten, and the file is gone", other, "", "a.fake guarded calls in the last run"},
		{"overwritten, and the file is broken", other, "error oops",
			"a.fake has no working version"},
		{"the whole state",
			func(t *testing.T, w *world) { must(t, os.RemoveAll(filepath.Join(w.home, "state"))) },
			"error oops", "a.fake has no working version"},
		{"all of home", func(t *testing.T, w *world) { must(t, os.RemoveAll(w.home)) }, "",
			"a.fake guarded calls in the last run"},
		{"the list outside", func(t *testing.T, w *world) {
			must(t, os.Remove(w.known))
			must(t, os.Remove(w.loader.RecordFile(w.path("a.fake"))))
		}, "", "a.fake guarded calls in the last run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.save("a.fake", text)
			w.start()
			w.shut()
			c.damage(t, w)
			os.Remove(w.path("a.fake"))
			if c.now != "" {
				mkdir(t, w.scripts)
				w.save("a.fake", c.now)
			}
			w.restart()
			w.wantOutcome("bash", c.asks)
			w.wantOutcome("read", "run")
			w.untilSeen("notification a.fake: the last good version in ")
			if c.now == "" {
				w.untilSeen("a.fake: the file is gone since the last run; the last version is lost")
			}
			if i := w.wantState("a.fake", load.StateFailed); !i.Protected || i.Error.Hint == "" &&
				c.now == "" {
				t.Errorf("got %+v", i)
			}
			mkdir(t, w.scripts)
			w.save("a.fake", text)
			w.untilMark("v1")
			w.wantOutcome("bash", "block")
			must(t, os.Remove(w.path("a.fake")))
			w.untilSeen("script_unload a.fake removed")
			w.restart()
			if n := w.count("notification"); n > 0 {
				t.Errorf("deleted by hand while the program ran: events %v", w.seen())
			}
		})
	}
}

// TestNewHome: a new home causes no notices, and for scripts that guard nothing, no list is written
// outside of it.
func TestNewHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "tool v1")
	w.start()
	w.restart()
	if n := w.count("notification"); n > 0 {
		t.Errorf("events: %v", w.seen())
	}
	if _, err := os.Stat(w.known); err == nil {
		t.Error("a list was written")
	}
}
