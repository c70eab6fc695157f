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

// TestLeftByAnAgentThatHasEnded: a process that an agent has left running may have written a script
// before the next start. While it runs, the saves of the next agent wait as well; if it has ended,
// they do not.
func TestLeftByAnAgentThatHasEnded(t *testing.T) {
	t.Parallel()
	own, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Skip("no /proc")
	}
	const starttime = 22 - 2 // counted from 1, after the name
	f := strings.Fields(string(own[strings.LastIndexByte(string(own), ')'):]))
	for name, began := range map[string]string{"running": f[starttime], "ended": "1"} {
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
