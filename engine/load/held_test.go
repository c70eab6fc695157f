package load_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/ui"
)

// heldWorld returns a world whose user answers questions about waiting versions with answer. If
// answer is nil, no user is available.
func heldWorld(t *testing.T, answer func(d *ui.Dialog) bool) *world {
	return newWorld(t, func(_ *world, o *load.Options) {
		if answer != nil {
			o.Confirm = func(_ context.Context, d *ui.Dialog) (bool, error) {
				return answer(d), nil
			}
		}
	})
}

// header returns a script with grants.
func header(grants, body string) string {
	return "-- ==Agent==\n-- @grant " + grants + "\n-- ==/Agent==\n" + body
}

// wantWaiting checks that the new version of a script waits, and that the old one, with the tool
// mark, is in force.
func (w *world) wantWaiting(name, mark, why string) {
	w.t.Helper()
	w.untilSeen("script_error "+name, why, "waits for you")
	if mark != "" && !w.has(mark) || w.has("new") {
		w.t.Fatalf("in force: old %v, new %v", w.has(mark), w.has("new"))
	}
}

// TestChangeByAToolWaits: a change of a script by a tool is not loaded before the user accepts it,
// also after a restart.
func TestChangeByAToolWaits(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *world){
		"write": func(w *world) { w.save("a.fake", "tool new") },
		"rename": func(w *world) {
			write(w.t, filepath.Join(w.root, "x"), "tool new")
			must(w.t, os.Rename(filepath.Join(w.root, "x"), w.path("a.fake")))
		},
		"link": func(w *world) {
			write(w.t, filepath.Join(w.root, "x"), "tool new")
			must(w.t, os.Remove(w.path("a.fake")))
			must(w.t, os.Symlink(filepath.Join(w.root, "x"), w.path("a.fake")))
		},
		"module":     func(w *world) { write(w.t, w.path("lib/m.fake"), "new") },
		"new script": func(w *world) { w.save("b.fake", "guard bash\ntool new") },
		"folder": func(w *world) {
			must(w.t, os.Rename(w.scripts, w.scripts+".old"))
			mkdir(w.t, w.scripts)
			w.save("a.fake", "tool new")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := heldWorld(t, nil)
			mkdir(t, w.path("lib"))
			write(t, w.path("lib/m.fake"), "old")
			w.save("a.fake", `require "lib/m"`)
			w.start()
			w.run(func() { change(w) })
			script, mark := "a.fake", "old"
			if name == "new script" {
				script = "b.fake"
			}
			w.wantWaiting(script, mark, "while the tool work was running")
			w.loader.Reload(context.Background())
			w.restart()
			w.wantWaiting(script, mark, "while the tool work was running")
			w.wantOutcome("bash", "run")
			waiting, err := load.Waiting(w.home, []engine.Runtime{w.fake})
			must(t, err)
			if len(waiting) != 1 || !strings.Contains(waiting[0].Differences, "new") {
				t.Fatalf("waiting: %+v", waiting)
			}
			must(t, load.Accept(w.home, waiting[0].Held))
			w.restart()
			w.untilMark("new")
			if waiting, _ := load.Waiting(w.home, nil); len(waiting) > 0 {
				t.Errorf("still waiting: %+v", waiting)
			}
		})
	}
}

// TestQuestionAboutAWaitingVersion: the question shows the changes; yes loads the new version, and
// no keeps the one in force.
func TestQuestionAboutAWaitingVersion(t *testing.T) {
	t.Parallel()
	for _, yes := range []bool{true, false} {
		var asked *ui.Dialog
		w := heldWorld(t, func(d *ui.Dialog) bool { asked = d; return yes })
		w.save("a.fake", "tool old")
		w.start()
		w.run(func() { w.save("a.fake", header("exec:sh", "tool old\ntool new")) })
		if yes {
			w.untilMark("new")
		} else {
			w.wantWaiting("a.fake", "old", "while the tool work was running")
			waiting, err := load.Waiting(w.home, nil)
			if must(t, err); len(waiting) != 1 || !strings.HasPrefix(waiting[0].Asks,
				"what it asks for in addition to the version in force:\n  runs any command line") {
				t.Errorf("waiting: %+v", waiting)
			}
		}
		w.shut() // the question has been answered
		if asked == nil || !strings.Contains(asked.Detail, "+tool new") ||
			!strings.Contains(asked.Detail, "in addition to the version in force:\n"+
				"  runs any command line, in the sandbox if there is one: this is much power "+
				"(line 2: exec:sh)\n") || !asked.Lasting ||
			asked.Default {
			t.Errorf("asked: %+v", asked)
		}
	}
}

// TestUsersSaveDoesNotWait: the user's save is loaded at once: between calls of tools, during calls
// of read-only tools, and during calls of the user.
func TestUsersSaveDoesNotWait(t *testing.T) {
	t.Parallel()
	w := heldWorld(t, nil)
	w.save("a.fake", "tool old")
	w.start()
	w.work = func() { w.save("a.fake", "tool new") }
	w.engine.Dispatch(context.Background(), &engine.Call{ID: "c", Tool: "work", Origin: "user",
		Args: map[string]any{}, Env: &event.Envelope{Permission: event.PermissionYolo}})
	w.untilMark("new")
	w.save("a.fake", "tool newer")
	w.untilMark("newer")
}

// TestMoreGrantsWait: a version that asks for more grants than the one in force waits; one that
// asks for fewer does not.
func TestMoreGrantsWait(t *testing.T) {
	t.Parallel()
	w := heldWorld(t, nil)
	w.save("a.fake", header("exec:git tools", "tool old"))
	w.start()
	w.save("a.fake", header("tools:read", "tool less"))
	w.untilMark("less")
	w.save("a.fake", header("tools:read exec:gh net:api.github.com", "tool new"))
	w.wantWaiting("a.fake", "less",
		"asks for more than the version in force: it runs the program gh, in the sandbox if "+
			"there is one (line 2: exec:gh); it talks to api.github.com over the network (line 2: "+
			"net:api.github.com)")
	w.save("a.fake", header("tools:read", "tool narrow"))
	w.untilMark("narrow")
	if waiting, _ := load.Waiting(w.home, nil); len(waiting) > 0 {
		t.Errorf("still waiting: %+v", waiting)
	}
	w.forgetEvents()
	w.save("a.fake", header("tools:read exec:gh", "tool new"))
	w.wantWaiting("a.fake", "narrow",
		"asks for more than the version in force: it runs the program gh")
	waiting, err := load.Waiting(w.home, nil)
	must(t, err)
	must(t, load.Accept(w.home, waiting[0].Held))
	w.loader.Reload(context.Background())
	w.untilMark("new")
}

// TestFileMadeEmptyFirst: a new script with grants does not wait, although its editor made an empty
// file first, which was loaded.
func TestFileMadeEmptyFirst(t *testing.T) {
	t.Parallel()
	w := heldWorld(t, nil)
	w.save("a.fake", "tool other")
	w.start()
	w.save("b.fake", "\n")
	w.untilSeen("script_load b.fake")
	w.save("b.fake", header("exec:git", "tool new"))
	w.untilMark("new")

	// a blank version in between is no way around the question
	w.save("a.fake", "\n")
	w.untilSeen("script_unload a.fake")
	w.save("a.fake", header("exec:git", "tool more"))
	w.untilSeen("script_error a.fake")
}

// TestDeletedFileDoesNotWait: a version that waits is forgotten when the user deletes its file,
// while the program runs or not; if a tool deletes it, it is not.
func TestDeletedFileDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"the user", "a tool", "the user before the start"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			w := heldWorld(t, nil)
			w.save("a.fake", "tool old")
			w.start()
			w.run(func() { w.save("b.fake", "tool new") })
			w.untilSeen("script_error b.fake", "waits for you")
			remove := func() { must(t, os.Remove(w.path("b.fake"))) }
			// long after the tool ran: before that, it may have removed the file
			if by != "a tool" {
				w.until("the tool does not count any more", func() bool {
					now := time.Now()
					tool, _ := w.engine.ChangedBy(w.path("b.fake"), now, now, 3*load.MutationWindow)
					return tool == ""
				})
			}
			switch by {
			case "the user":
				remove()
			case "a tool":
				w.run(remove)
				w.loader.Reload(context.Background())
			default:
				w.shut()
				remove()
				w.restart()
			}
			list := filepath.Join(w.home, "state", "held.json")
			waits := func() bool {
				b, err := os.ReadFile(list)
				must(t, err)
				return strings.Contains(string(b), "b.fake")
			}
			if by == "a tool" {
				if !waits() {
					t.Error("a tool can make the agent forget a version that waits")
				}
			} else {
				w.until("the version of a file deleted by "+by+" is forgotten",
					func() bool { return !waits() })
			}
			if waiting, _ := load.Waiting(w.home, nil); len(waiting) > 0 {
				t.Errorf("%s: a file that is gone waits: %+v", by, waiting)
			}
		})
	}
}

// TestToolThatEndsTheProgram: changes by a tool just before the program ends wait at the next
// start.
func TestToolThatEndsTheProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, o *load.Options) { o.Watch = false })
	w.save("a.fake", "tool old")
	w.start()
	w.run(func() { w.save("a.fake", "tool new") })
	w.restart()
	w.wantWaiting("a.fake", "old", "while the tool work was running")
}

// TestWaitingListIsBroken: a list that cannot be read is reported, and not overwritten.
func TestWaitingListIsBroken(t *testing.T) {
	t.Parallel()
	w := heldWorld(t, nil)
	w.save("a.fake", "tool old")
	mkdir(t, filepath.Join(w.home, "state"))
	list := filepath.Join(w.home, "state", "held.json")
	write(t, list, "{")
	w.start()
	w.untilSeen("notification the list of script versions that wait for you cannot be "+
		"read", "held.json")
	w.run(func() { w.save("a.fake", "tool new") })
	w.wantWaiting("a.fake", "old", "while the tool work was running")
	w.untilSeen("notification the list of script versions that wait for you could not be stored")
	if b, _ := os.ReadFile(list); string(b) != "{" {
		t.Errorf("overwritten: %s", b)
	}
}

// TestWaitingListIsBrokenOnce: that the list cannot be stored is said once, not for each script.
func TestWaitingListIsBrokenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, o *load.Options) { o.Watch = false })
	w.save("a.fake", "tool a")
	w.save("b.fake", "tool b")
	w.start()
	w.run(func() {
		w.save("a.fake", "tool new")
		w.save("b.fake", "tool newer")
	})
	w.shut()
	write(t, filepath.Join(w.home, "state", "held.json"), "{")
	w.restart()
	w.wantWaiting("b.fake", "b", "while a tool of another agent")
	if n := w.count("notification the list", "could not be stored"); n != 1 {
		t.Errorf("said %d times, want once: %q", n, w.seen())
	}
}

// TestQuestionAboutAnUndoneChange: the question is cancelled when the file has its old content
// again.
func TestQuestionAboutAnUndoneChange(t *testing.T) {
	t.Parallel()
	cancelled := make(chan bool, 1)
	w := newWorld(t, func(_ *world, o *load.Options) {
		o.Confirm = func(ctx context.Context, _ *ui.Dialog) (bool, error) {
			<-ctx.Done()
			cancelled <- true
			return true, nil
		}
	})
	w.save("a.fake", "tool old")
	w.start()
	w.run(func() { w.save("a.fake", "tool new") })
	w.wantWaiting("a.fake", "old", "while the tool work was running")
	w.save("a.fake", "tool old")
	select {
	case <-cancelled:
	case <-time.After(patience):
		t.Fatal("the question was not cancelled")
	}
	w.until("no error", func() bool { return w.info("a.fake").Error == nil })
	if w.has("new") {
		t.Error("an answer to a cancelled question counted")
	}
}

// TestToolOfAnotherAgent: changes while a tool of another agent with the same home runs wait, and
// so do changes shortly after its process has ended.
func TestToolOfAnotherAgent(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{false, true} {
		// a does not watch its files, because b could read the reason that a stores
		a := newWorld(t, func(_ *world, o *load.Options) { o.Watch = false })
		b := heldWorld(t, nil)
		b.options.Home, b.home, b.scripts = a.home, a.home, a.scripts
		b.shut()
		b.open()
		a.save("a.fake", "tool old")
		a.start()
		b.start()
		a.run(func() { a.save("a.fake", "tool new") })
		why := "while a tool of another agent was running"
		if ends { // a scans once more when it ends, and b may read the reason that a has stored
			a.shut()
			why = "was changed while "
		}
		b.wantWaiting("a.fake", "old", why)
	}
}

// TestToolOfAnotherAgentThatEnded: the change waits also if this agent scans its files long after
// the tool has ended.
func TestToolOfAnotherAgentThatEnded(t *testing.T) {
	t.Parallel()
	a := newWorld(t, func(_ *world, o *load.Options) { o.Watch = false })
	b := newWorld(t, func(_ *world, o *load.Options) { o.Home, o.Watch = a.home, false })
	a.save("a.fake", "tool old")
	a.start()
	b.start()
	a.run(func() { a.save("a.fake", "tool new") })
	time.Sleep(2 * load.MutationWindow)
	b.loader.Rescan(context.Background())
	b.wantWaiting("a.fake", "old", "while a tool of another agent was running")
	a.loader.Rescan(context.Background())
	a.wantWaiting("a.fake", "old", "while the tool work was running")
}

// TestAgentThatWasKilled: the file that a killed process left about its running tools does not make
// later changes wait.
func TestAgentThatWasKilled(t *testing.T) {
	t.Parallel()
	w := heldWorld(t, nil)
	dir := filepath.Join(w.home, "state", "tools")
	mkdir(t, dir)
	left := filepath.Join(dir, "1-1")
	write(t, left, "")
	must(t, os.Chtimes(left, time.Now(), time.Now().Add(-time.Hour)))
	w.save("a.fake", "tool old")
	w.start()
	w.save("a.fake", "tool new")
	w.untilMark("new")
	if _, err := os.Stat(left); err == nil {
		t.Error("the file was not removed")
	}
}
