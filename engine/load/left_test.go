package load_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/load"
)

// TestSaveWhileALeftProcessRuns: while a process runs that a tool has left, a new version waits,
// however long after the tool it was saved. When the process has ended, a save is in force at once.
func TestSaveWhileALeftProcessRuns(t *testing.T) {
	t.Parallel()
	w := heldWorld(t, nil)
	w.save("a.fake", "tool old")
	w.start()
	var ended func()
	w.run(func() {
		ended = w.use.Leaves(func() string { return "server (pid 7)" })
	})
	time.Sleep(load.MutationWindow + stampLag)
	w.save("a.fake", "tool new")
	w.wantWaiting("a.fake", "old", "while server (pid 7), left by the tool work, was running")
	ended()
	time.Sleep(load.MutationWindow + stampLag)
	w.save("a.fake", "tool newer")
	w.untilMark("newer")
}

// TestToolAtWork: a tool is at work while it runs, and while a process runs that it has left, also
// after the agent has ended. A process that has ended is no work any more.
func TestToolAtWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.start()
	w.run(func() {
		if !load.ToolAtWork(w.home) {
			t.Error("the running tool is not seen")
		}
	})
	if load.ToolAtWork(w.home) {
		t.Error("the tool has ended, and counts as running")
	}
	if load.StartedByTool(w.home) {
		t.Error("this test was not started by a tool")
	}
	began, ok := ownStart()
	if !ok {
		t.Skip("no /proc")
	}
	for began, want := range map[string]bool{began: true, "1": false} {
		home := t.TempDir()
		left := filepath.Join(home, "state", "tools", "1-1")
		mkdir(t, filepath.Dir(left))
		for _, name := range []string{left, left + "2"} {
			write(t, name, fmt.Sprintf("%d %s my server\n", os.Getpid(), began))
			if got := load.ToolAtWork(home); got != want {
				t.Errorf("%s, began %s: got %v", name, began, got)
			}
		}
	}
}

// ownStart returns when this process has begun, as /proc says it.
func ownStart() (began string, ok bool) {
	own, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return "", false
	}
	const starttime = 22 - 2 // counted from 1, after the name
	return strings.Fields(string(own[strings.LastIndexByte(string(own), ')'):]))[starttime], true
}

// TestLeftByAnAgentThatHasEnded: a process that an agent has left running may have written a script
// before the next start. While it runs, the saves of the next agent wait as well; if it has ended,
// they do not.
func TestLeftByAnAgentThatHasEnded(t *testing.T) {
	t.Parallel()
	began, ok := ownStart()
	if !ok {
		t.Skip("no /proc")
	}
	for name, began := range map[string]string{"running": began, "ended": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := heldWorld(t, nil)
			w.save("a.fake", "tool old")
			w.save("b.fake", "tool other")
			w.start()
			w.shut()
			hour := time.Now().Add(-time.Hour)
			left := filepath.Join(w.home, "state", "tools", fmt.Sprintf("1-%x", hour.UnixNano()))
			mkdir(t, filepath.Dir(left))
			write(t, left, fmt.Sprintf("%d %s my server\n", os.Getpid(), began))
			must(t, os.Chtimes(left, hour, hour))
			w.save("a.fake", "tool new")
			w.restart()
			w.wantWaiting("a.fake", "old", "(pid "+fmt.Sprint(os.Getpid())+
				"), left by an agent that has ended, was running")
			w.save("b.fake", "tool later")
			if name == "running" {
				w.wantWaiting("b.fake", "other", "left by an agent that has ended")
				return
			}
			w.untilMark("later")
			if _, err := os.Stat(left); err == nil {
				t.Error("the list of processes that have ended is kept")
			}
		})
	}
}
