package load_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/ui"
)

// run makes a call of the tool "work", which runs f.
func (w *world) run(f func()) {
	w.t.Helper()
	w.work = f
	env := &event.Envelope{Permission: event.PermissionYolo}
	if r := w.engine.Dispatch(context.Background(),
		&engine.Call{ID: "c", Tool: "work", Args: map[string]any{}, Env: env}); r.Skipped != "" {
		w.t.Fatalf("work was skipped: %s", chat.PlainText(r.Content))
	}
}

func TestDeletionByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1\non script_unload")
	w.start()
	must(t, os.Remove(w.path("a.fake")))
	w.untilSeen("script_unload a.fake removed")
	w.wantOutcome("bash", "run")
	if got := <-w.fake.heard; got != "a.fake script_unload" {
		t.Errorf("the removed version got %q", got)
	}
	w.until("forgotten", func() bool { return len(w.loader.Records()) == 0 })
	w.until("closed", func() bool { return w.fake.live.Load() == 0 })
	if len(w.loader.Scripts()) != 0 {
		t.Errorf("got %+v", w.loader.Scripts())
	}
}

func TestDeletionByATool(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer func() (bool, error)
		gone   bool
	}{
		{"the user says yes", func() (bool, error) { return true, nil }, true},
		{"the user says no", func() (bool, error) { return false, nil }, false},
		{"the question fails", func() (bool, error) { return true, context.Canceled }, false},
		{"no user", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := make(chan string, 10)
			w := newWorld(t, func(w *world, o *load.Options) {
				if c.answer != nil {
					o.Confirm = func(_ context.Context, d *ui.Dialog) (bool,
						error) {
						asked <- d.Title
						return c.answer()
					}
				}
			})
			w.save("a.fake", "guard bash\ntool v1")
			w.save("b.fake", "guard bash\ntool b")
			w.start()
			w.run(func() { must(t, os.RemoveAll(w.scripts)) })
			w.untilSeen("notification a.fake, b.fake: the file is gone")
			if c.answer != nil {
				if q := <-asked; !strings.Contains(q,
					"a.fake, b.fake vanished while a tool was running") {
					t.Errorf("asked %q", q)
				}
			}
			if c.gone {
				w.untilSeen("script_unload a.fake removed")
				w.untilSeen("script_unload b.fake removed")
				w.wantOutcome("bash", "run")
				return
			}
			w.loader.Rescan(context.Background())
			w.wantOutcome("bash", "block")
			if i := w.wantState("a.fake", load.StateGone); len(i.Notes) == 0 {
				t.Error("no note says that the file is gone")
			}
			w.restart() // the guard is in force in the next session too
			w.wantOutcome("bash", "block")
			w.wantState("a.fake", load.StateGone)
			w.untilSeen("notification a.fake, b.fake: the file is gone")
			w.loader.Reload(context.Background()) // the user's own decision
			w.wantOutcome("bash", "run")
			if len(w.loader.Scripts()) > 0 || len(w.loader.Records()) > 0 {
				t.Errorf("left: %+v %v", w.loader.Scripts(), w.loader.Records())
			}
		})
	}
}

func TestDeletedFileReappears(t *testing.T) {
	t.Parallel()
	taken := make(chan bool, 10)
	w := newWorld(t, func(w *world, o *load.Options) {
		o.Confirm = func(ctx context.Context, d *ui.Dialog) (bool, error) {
			// so soon after a tool, the change is attributed to it
			if strings.Contains(d.Title, "Load it?") {
				return true, nil
			}
			<-ctx.Done()
			taken <- true
			return true, nil // the answer came at the same moment
		}
	})
	w.save("a.fake", "guard bash\ntool v1")
	w.save("b.fake", "guard bash\ntool b")
	w.start()
	w.run(func() {
		must(t, os.Remove(w.path("a.fake")))
		must(t, os.Remove(w.path("b.fake")))
	})
	w.untilSeen("notification a.fake, b.fake: the file is gone")
	w.save("a.fake", "guard bash\ntool v2")
	w.untilMark("v2")
	if len(taken) > 0 {
		t.Error("the question was cancelled while b.fake was missing")
	}
	w.save("b.fake", "guard bash\ntool b2")
	w.untilMark("b2")
	w.until("the question is cancelled", func() bool { return len(taken) > 0 })
	w.loader.Rescan(context.Background())
	w.wantOutcome("bash", "block")
	w.wantState("a.fake", load.StateOK)
	must(t, os.Remove(w.path("a.fake")))
	must(t, os.Remove(w.path("b.fake")))
	w.restart()
	w.untilSeen("a.fake, b.fake: the file is gone since the last run")
}

// TestToolCannotEndProtection: after a tool has deleted the file of a broken guard, the user is
// still asked about the calls that it guards.
func TestToolCannotEndProtection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "-- ==Agent==\n-- @guards bash\n-- ==/Agent==\nerror oops")
	w.start()
	w.run(func() { must(t, os.Remove(w.path("a.fake"))) })
	w.untilSeen("notification a.fake: the file is gone")
	w.wantOutcome("bash", "run this call all the same?")
}

func TestRestartWithABrokenFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	record := w.loader.RecordFile(w.path("a.fake"))
	info, err := os.Stat(record)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the record: got %v, want 0600", info.Mode().Perm())
	}
	w.shut()
	w.save("a.fake", "error oops")
	w.restart()
	w.wantOutcome("bash", "block")
	w.wantState("a.fake", load.StateLastGood)
	if w.count("script_error a.fake:1 oops kept=true") != 1 ||
		w.count("script_load a.fake start") != 1 {
		t.Errorf("events: %v", w.seen())
	}
	w.save("a.fake", "error ext.guard") // still broken: the old version stays
	w.untilSeen("script_error a.fake:1 ext.guard kept=true")
	w.wantOutcome("bash", "block")

	for _, change := range []func(b []byte) []byte{
		func(b []byte) []byte { b[len(b)-1]++; return b },
		func(b []byte) []byte { return b[:len(b)-1] },
		func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "a.fake", "b.fake")) },
		func([]byte) []byte { return nil },
	} {
		good, err := os.ReadFile(record)
		must(t, err)
		w.shut()
		write(t, record, string(change(append([]byte(nil), good...))))
		w.restart()
		w.wantOutcome("bash", "a.fake has no working version")
		write(t, record, string(good))
	}
}

func TestRecordOfAnotherFolderIsNotUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash\ntool v1")
	w.start()
	other := filepath.Join(w.root, "a.fake")
	write(t, other, "error ext.guard")
	w.options.Extra = []string{other}
	w.restart()
	w.wantOutcome("bash", "a.fake has no working version")
	w.options.Extra = nil
	w.save("a.fake", "error oops") // the record of this path still exists
	w.restart()
	w.wantOutcome("bash", "block")
}

func TestGoneStateEndsWhenTheFileReappears(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.save("a.fake", "guard bash")
	w.start()
	w.run(func() { must(t, os.Remove(w.path("a.fake"))) })
	w.untilSeen("notification a.fake: the file is gone")
	w.shut()
	w.save("a.fake", "guard bash")
	w.restart()
	w.shut()
	must(t, os.Remove(w.path("a.fake"))) // while the loader is closed
	w.restart()
	w.untilSeen("a.fake: the file is gone since the last run")
}
