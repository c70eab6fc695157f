package load_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/ui"
)

// TestUsersSaveDoesNotAcceptAModule: a tool's change of a module still waits after the user saves
// the script that requires it, or another one, and after a restart.
func TestUsersSaveDoesNotAcceptAModule(t *testing.T) {
	t.Parallel()
	w := heldWorld(t, nil)
	mkdir(t, w.path("lib"))
	write(t, w.path("lib/m.fake"), "old")
	w.save("a.fake", `require "lib/m"`)
	w.start()
	w.run(func() { write(t, w.path("lib/m.fake"), "new") })
	w.wantWaiting("a.fake", "old", "while the tool work was running")
	w.shut()
	must(t, os.RemoveAll(filepath.Join(w.home, "state", "tools"))) // as if time had passed
	w.restart()
	w.wantWaiting("a.fake", "old", "while the tool work was running")
	w.save("a.fake", "-- saved\nrequire \"lib/m\"")
	w.save("b.fake", `require "lib/m"`)
	w.wantWaiting("b.fake", "old", "while the tool work was running")
	w.restart()
	w.wantWaiting("a.fake", "old", "while the tool work was running")
	waiting, err := load.Waiting(w.home, []engine.Runtime{w.fake})
	must(t, err)
	if len(waiting) != 2 {
		t.Fatalf("waiting: %+v", waiting)
	}
	must(t, load.Accept(w.home, waiting[0].Held)) // a.fake
	w.restart()
	w.untilMark("new")
	w.save("a.fake", "tool newer\nrequire \"lib/m\"") // b.fake still waits
	w.untilMark("newer")
}

// TestWaitsUnderAnotherPath: a version also waits after the folder of the scripts was renamed.
func TestWaitsUnderAnotherPath(t *testing.T) {
	t.Parallel()
	for name, rename := range map[string]func(from, to string) error{"link": os.Symlink,
		"moved": os.Rename} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := heldWorld(t, nil)
			w.save("a.fake", "guard bash")
			w.start()
			w.run(func() { w.save("a.fake", "-- tool_call\ntool new") })
			w.wantWaiting("a.fake", "", "while the tool work was running")
			w.shut()
			other := filepath.Join(w.root, "other")
			must(t, rename(w.home, other))
			w.options.Home, w.home, w.scripts = other, other, filepath.Join(other, "scripts")
			w.restart()
			w.wantWaiting("a.fake", "", "while the tool work was running")
			// the last good version is stored for the old path
			w.wantOutcome("bash", "a.fake has no working version")
			waiting, err := load.Waiting(w.home, []engine.Runtime{w.fake})
			must(t, err)
			for _, one := range waiting {
				must(t, load.Accept(w.home, one.Held))
			}
			w.restart()
			w.untilMark("new")
			if waiting, _ := load.Waiting(w.home, nil); len(waiting) > 0 {
				t.Errorf("still waiting: %+v", waiting)
			}
		})
	}
}

// TestToolRenamesFoldersWithOldFiles: a tool renames folders, so that files with old time stamps
// are at the paths of scripts. They wait.
func TestToolRenamesFoldersWithOldFiles(t *testing.T) {
	t.Parallel()
	for _, watch := range []bool{true, false} {
		for name, extra := range map[string]string{"the home": "", "a folder of -e": "t/x",
			"a file of -e": "t/x/a.fake"} {
			t.Run(fmt.Sprintf("%s, watch %v", name, watch), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, func(w *world, o *load.Options) {
					if o.Watch = watch; extra != "" {
						o.Extra = []string{filepath.Join(w.root, extra)}
					}
				})
				at, script := w.home, w.path("a.fake")
				if extra != "" {
					at, script = filepath.Join(w.root, "t"), filepath.Join(w.root, "t/x/a.fake")
				}
				rel, err := filepath.Rel(at, script)
				must(t, err)
				old := filepath.Join(w.root, "old")
				mkdir(t, filepath.Dir(filepath.Join(old, rel)))
				mkdir(t, filepath.Dir(script))
				write(t, filepath.Join(old, rel), "tool new")
				write(t, script, "tool old")
				time.Sleep(4 * stampLag) // the files are older than the call of the tool
				w.start()
				w.run(func() {
					must(t, os.Rename(at, at+".before"))
					must(t, os.Rename(old, at))
				})
				w.loader.Rescan(context.Background())
				w.wantWaiting("a.fake", "old", "while the tool work was running")
			})
		}
	}
}

// stampLag is longer than the resolution of time stamps of files.
const stampLag = 15 * time.Millisecond

// TestScriptsThatAreNotLoaded: a tool's changes of the user's scripts wait at the next start, also
// if the agent had not loaded them.
func TestScriptsThatAreNotLoaded(t *testing.T) {
	t.Parallel()
	w := heldWorld(t, nil)
	w.save("a.fake", "tool old")
	w.save("b.fake", "tool other")
	w.start()
	w.shut()
	w.options.NoScripts = true
	w.open()
	w.start()
	w.run(func() {
		w.save("a.fake", "tool new")
		w.save("b.fake", "tool other")
		w.save("c.fake", "tool new")
	})
	w.shut()
	w.options.NoScripts = false
	w.restart()
	w.wantWaiting("a.fake", "", "while the tool work was running")
	w.wantWaiting("c.fake", "", "while the tool work was running")
	w.untilMark("other")
	w.untilMark("old")
}

// TestAgentKilledDuringATool: if an agent is killed during a tool, changes made while the tool ran
// wait at the next start. Earlier and later changes by the user do not wait, and neither do files
// whose content did not change.
func TestAgentKilledDuringATool(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		began, ended time.Duration // from now
		waits        bool
	}{
		"during":   {-time.Minute, time.Minute, true},
		"shortly":  {-time.Minute, -time.Second, false},
		"long ago": {-time.Minute, -time.Minute / 2, false},
		"later":    {time.Minute, time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := heldWorld(t, nil)
			w.save("a.fake", "tool old")
			w.save("b.fake", "tool other")
			w.start()
			w.shut()
			now := time.Now()
			left := filepath.Join(w.home, "state", "tools",
				fmt.Sprintf("1-%x", now.Add(test.began).UnixNano()))
			mkdir(t, filepath.Dir(left))
			write(t, left, "")
			must(t, os.Chtimes(left, now, now.Add(test.ended)))
			w.save("a.fake", "tool new")
			w.save("b.fake", "tool other")
			w.restart()
			w.untilMark("other")
			if !test.waits {
				w.untilMark("new")
				return
			}
			w.wantWaiting("a.fake", "old", "while a tool of another agent was running")
			must(t, os.Chtimes(left, now, now.Add(-time.Hour)))
			w.restart() // the version waits also after the file is removed
			w.wantWaiting("a.fake", "old", "while a tool of another agent was running")
			if _, err := os.Stat(left); err == nil {
				t.Error("the file was not removed")
			}
		})
	}
}

// TestOneAnswerForAllAgents: a version that the user accepts in one agent, or on the command line,
// is loaded by the others; one that the user declines is not asked about again.
func TestOneAnswerForAllAgents(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"yes", "no", "command line"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			answer, ended := make(chan bool), make(chan bool, 1)
			a := newWorld(t, func(_ *world, o *load.Options) {
				o.Confirm = func(ctx context.Context, _ *ui.Dialog) (bool, error) {
					select {
					case yes := <-answer:
						return yes, nil
					case <-ctx.Done():
						return false, ctx.Err()
					}
				}
			})
			b := newWorld(t, func(_ *world, o *load.Options) {
				o.Home = a.home
				o.Confirm = func(ctx context.Context, _ *ui.Dialog) (bool, error) {
					<-ctx.Done()
					ended <- true
					return false, ctx.Err()
				}
			})
			a.save("a.fake", "tool old")
			a.start()
			b.start()
			a.run(func() { a.save("a.fake", "tool new") })
			a.wantWaiting("a.fake", "old", "while the tool work was running")
			// "while a tool of another agent", or "while the tool work" if a has stored it before b
			// scans
			b.wantWaiting("a.fake", "old", "was changed while ")
			if how == "command line" {
				waiting, err := load.Waiting(a.home, nil)
				must(t, err)
				must(t, load.Accept(a.home, waiting[0].Held))
			} else {
				answer <- how == "yes"
			}
			select {
			case <-ended:
			case <-time.After(patience):
				t.Fatal("the other agent still asks")
			}
			if how == "no" {
				a.restart()
				a.wantWaiting("a.fake", "old", "waits for you")
				return
			}
			a.untilMark("new")
			b.untilMark("new")
		})
	}
}

// TestAcceptedBeforeAnotherAgentScanned: the user's decision about a version also applies in an
// agent that finds this version later.
func TestAcceptedBeforeAnotherAgentScanned(t *testing.T) {
	t.Parallel()
	a := heldWorld(t, nil)
	b := newWorld(t, func(_ *world, o *load.Options) { o.Home, o.Watch = a.home, false })
	a.save("a.fake", "tool old")
	a.start()
	b.start()
	a.run(func() { a.save("a.fake", "tool new") })
	a.wantWaiting("a.fake", "old", "while the tool work was running")
	a.shut()
	waiting, err := load.Waiting(a.home, nil)
	must(t, err)
	must(t, load.Accept(a.home, waiting[0].Held))
	b.loader.Rescan(context.Background())
	b.untilMark("new")
}
