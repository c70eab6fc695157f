package process_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/process"
)

// The tests in this file are not parallel, because a process has one Family: children that it did
// not start count as left running.

// sweepEvery is the interval in which a Family waits for orphans.
const sweepEvery = 500 * time.Millisecond

// family returns the Family of this process.
var family = sync.OnceValue(process.NewFamily)

// leftovers are what Family.Left reports about one program.
type leftovers struct {
	mu    sync.Mutex
	list  []process.Relative
	ended atomic.Bool
}

func (l *leftovers) left(list []process.Relative) (ended func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = list
	return func() { l.ended.Store(true) }
}

// runLine runs a command line to its end, and returns what it left running, and the PID in the file
// pid, if it wrote that.
func runLine(t *testing.T, f *process.Family, line string) (*leftovers, int) {
	t.Helper()
	dir := t.TempDir()
	p, err := process.Start(process.Command{Argv: process.Shell(line), Dir: dir, Family: f,
		Output: func(string, bool) {}})
	if err != nil {
		t.Fatal(err)
	}
	if how := p.Wait(context.Background(), 0); how != process.Exited || !p.State().Success() {
		t.Fatal(how, p.State())
	}
	l := &leftovers{}
	p.Left(l.left)
	if !strings.Contains(line, ">pid") {
		return l, 0
	}
	pid := pidIn(t, filepath.Join(dir, "pid"))
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return l, pid
}

// TestLeftRunning: a Family knows the processes that a program leaves running, in whatever way they
// detached themselves, until they and those that they start have ended, and waits for them then.
func TestLeftRunning(t *testing.T) {
	const wait = `exec 1>&- 2>&-; echo $$ >pid; exec sleep 600`
	for name, line := range map[string]string{
		"background":     `sh -c '` + wait + `' &`,
		"nohup":          `nohup sh -c '` + wait + `' >/dev/null 2>&1 &`,
		"setsid":         `setsid -f sh -c '` + wait + `'`,
		"no environment": `env -i setsid -f /bin/sh -c 'PATH=/bin:/usr/bin; ` + wait + `'`,
		"two forks": `(setsid sh -c 'sh -c "echo \$\$ >pid; exec sleep 600" &' >/dev/null ` +
			`2>&1 &)`,
		"later": `setsid -f sh -c 'sleep 0.7; setsid -f sh -c "echo \$\$ >pid; exec sleep 600"' ` +
			`>/dev/null 2>&1`,
	} {
		t.Run(name, func(t *testing.T) {
			f := family()
			l, pid := runLine(t, f, line)
			if len(l.list) == 0 {
				t.Fatal("nothing is left running")
			}
			one := process.Names(l.list)()
			if !strings.Contains(one, " (pid ") || strings.HasPrefix(one, " ") {
				t.Errorf("it is called %q", one)
			}
			if l.ended.Load() {
				t.Error("it has ended")
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
			poll(t, "its end is noticed", l.ended.Load)
			poll(t, "it is waited for", func() bool {
				_, err := os.Stat("/proc/" + strconv.Itoa(pid))
				return err != nil
			})
		})
	}
}

// TestNothingLeft: a program that leaves nothing running is not reported.
func TestNothingLeft(t *testing.T) {
	f := family()
	for _, line := range []string{":", "sleep 0.01 & wait", "(exit 0) & exit 0"} {
		l, _ := runLine(t, f, line)
		poll(t, line+": it has ended", func() bool { return len(l.list) == 0 || l.ended.Load() })
	}
}

// TestLeftByOneOfTwo: what one program left running is not reported again with another.
func TestLeftByOneOfTwo(t *testing.T) {
	f := family()
	slow := exec.Command("sleep", "600")
	if err := f.Start(slow); err != nil {
		t.Fatal(err)
	}
	began := process.Now()
	l, pid := runLine(t, f, `setsid -f sh -c 'echo $$ >pid; exec sleep 600' >/dev/null 2>&1`)
	if !slices.ContainsFunc(l.list, func(r process.Relative) bool { return r.PID == pid }) {
		t.Fatalf("left running: %v", l.list)
	}
	_ = slow.Process.Kill()
	_ = f.Wait(slow)
	other := &leftovers{}
	f.Left(slow.Process.Pid, began, other.left)
	if slices.ContainsFunc(other.list, func(r process.Relative) bool { return r.PID == pid }) {
		t.Errorf("also left by the other: %v", other.list)
	}
}

// TestLeftByAServer: what a program starts that goes on running is known from a moment on.
func TestLeftByAServer(t *testing.T) {
	f := family()
	dir := t.TempDir()
	server := exec.Command("sh", "-c", `sleep 600 & read x; sleep 600 & echo $! >pid; wait`)
	server.Dir = dir
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	server.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := f.Start(server); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL)
		_ = f.Wait(server)
	})
	l := &leftovers{}
	began := process.Now() + 1
	f.Left(server.Process.Pid, began, l.left)
	if slices.ContainsFunc(l.list, func(r process.Relative) bool { return r.Name == "sh" }) {
		t.Errorf("before the call: %v", l.list)
	}
	poll(t, "time passes", func() bool { return process.Now() >= began })
	if _, err := in.Write([]byte("call\n")); err != nil {
		t.Fatal(err)
	}
	pid := pidIn(t, filepath.Join(dir, "pid"))
	f.Left(server.Process.Pid, began, l.left)
	if !slices.ContainsFunc(l.list, func(r process.Relative) bool { return r.PID == pid }) {
		t.Errorf("after the call: %v", l.list)
	}
}

// TestExitStatusesAreNotTaken: a Family that waits for orphans leaves the exit status of a program
// to the one who started it, with the Family or without.
func TestExitStatusesAreNotTaken(t *testing.T) {
	f := family()
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			// it leaves an orphan that ends soon
			cmd := exec.Command("sh", "-c", `(sleep 0.2 &) ; exit 7`)
			start, wait := cmd.Start, cmd.Wait
			if i%2 == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
				start = func() error { return f.Start(cmd) }
				wait = func() error { return f.Wait(cmd) }
			}
			if err := start(); err != nil {
				t.Error(err)
				return
			}
			f.Left(cmd.Process.Pid, 0, (&leftovers{}).left)
			time.Sleep(3 * sweepEvery)
			if err := wait(); cmd.ProcessState.ExitCode() != 7 {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
