package load_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/process"
)

// TestLeftProcessesAreListed: an agent lists what its tools have left running, until that has
// ended.
func TestLeftProcessesAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, o *load.Options) { o.Family = process.NewFamily() })
	w.start()
	var pid int
	var ended func()
	w.run(func() { pid, ended = leaveSleep(t, w.options.Family, w.use.Leaves) })
	listed := func() string {
		files, _ := filepath.Glob(filepath.Join(w.home, "state", "tools", "*"))
		var text string
		for _, file := range files {
			b, _ := os.ReadFile(file)
			text += string(b)
		}
		return text
	}
	w.until("it is listed", func() bool {
		return strings.HasPrefix(listed(), fmt.Sprintf("%d ", pid)) &&
			strings.HasSuffix(listed(), " sleep\n")
	})
	ended()
	w.until("it is not listed", func() bool { return listed() == "" })
}

// leaveSleep runs a command that leaves a process running, and tells leaves. ended ends it.
func leaveSleep(t *testing.T, f *process.Family,
	leaves func(what func() string) func()) (pid int, ended func()) {
	p, err := process.Start(process.Command{Argv: process.Shell("sleep 600 >/dev/null 2>&1 &"),
		Dir: t.TempDir(), Family: f, Output: func(string, bool) {}})
	must(t, err)
	p.Wait(context.Background(), 0)
	p.Left(func(list []process.Relative) (ended func()) {
		pid = list[0].PID
		return leaves(process.Names(list))
	})
	if pid == 0 {
		t.Fatal("nothing is left running")
	}
	ended = func() { _ = syscall.Kill(pid, syscall.SIGKILL) }
	t.Cleanup(ended)
	return pid, ended
}
