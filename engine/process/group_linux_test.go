package process_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/process"
)

// TestWhatLeftIsEnded: a timeout ends processes in sessions of their own too. In a namespace made
// for the program, and with a Family, it also ends those that have lost their parent.
func TestWhatLeftIsEnded(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid")
	}
	const (
		alone = 1 << iota
		space
		related
	)
	for _, c := range []struct {
		name, line string
		with       int
	}{
		{"child", `setsid sh -c 'echo $$ >pid; exec sleep 600' & wait`, alone | space | related},
		{"grandchild", `setsid sh -c 'setsid sh -c "echo \$\$ >pid; exec sleep 600" & wait' & wait`,
			alone | space | related},
		{"orphan", `setsid -f sh -c 'echo $$ >pid; exec sleep 600'; sleep 600`, space | related},
		{"orphan without environment", `env -i setsid -f sh -c 'echo $$ >pid; exec sleep 600'; ` +
			`sleep 600`, space | related},
		{"orphan of an orphan", `setsid -f sh -c 'setsid -f sh -c "echo \$\$ >pid; ` +
			`exec sleep 600"'; sleep 600`, space | related},
		{"deaf orphan",
			`setsid -f sh -c 'trap "" TERM; echo $$ >pid; while :; do sleep 1; done'; ` +
				`sleep 600`, space | related},
		{"deaf orphan of a leader that obeys", `setsid -f sh -c 'trap "" TERM; ` +
			`setsid -f sh -c "echo \$\$ >pid; while :; do sleep 1; done"; ` +
			`sleep 600'; exec sleep 600`,
			space | related},
	} {
		for mode, name := range map[int]string{alone: "alone", space: "space", related: "family"} {
			if c.with&mode == 0 {
				continue
			}
			t.Run(c.name+", "+name, func(t *testing.T) {
				if mode == space && os.Getuid() != 0 {
					t.Skip("only root makes a mount namespace")
				}
				testEnds(t, c.line, mode == space, mode == related)
			})
		}
	}
}

// testEnds runs a command line that writes a PID, and cancels it. That process must end.
func testEnds(t *testing.T, line string, space, related bool) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := process.Command{Argv: process.Shell(line), Dir: dir, Output: func(string, bool) {}}
	if related {
		c.Family = family()
	}
	c.Confine = func(cmd *exec.Cmd) error {
		if space {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWNS
		}
		return nil
	}
	p, err := process.Start(c)
	if err != nil && space {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.Held() != (space || related) {
		t.Errorf("Held: got %v", p.Held())
	}
	pid := pidIn(t, filepath.Join(dir, "pid"))
	cancel()
	if how := p.Wait(ctx, 0); how != process.Cancelled {
		t.Errorf("it ended as %v", how)
	}
	poll(t, "what left is ended", func() bool { return !lives(pid) })
}

// pidIn waits until a file has a PID.
func pidIn(t *testing.T, path string) (pid int) {
	t.Helper()
	poll(t, "the program runs", func() bool {
		b, _ := os.ReadFile(path)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return strings.HasSuffix(string(b), "\n")
	})
	return pid
}

// lives reports whether a process runs.
func lives(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(b), ") Z ")
}

func poll(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out: %s", what)
		}
	}
}

// TestSearchForTheRestIsCheap: the search for what a program has left, which follows each program
// of a script, reads no file of each process that runs.
func TestSearchForTheRestIsCheap(t *testing.T) {
	p, err := process.Start(process.Command{Argv: []string{"true"}, Dir: t.TempDir(),
		Output: func(string, bool) {}})
	if err != nil {
		t.Fatal(err)
	}
	p.Wait(t.Context(), 0)
	running, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(running) == 0 {
		t.Fatal(running, err)
	}
	if n := testing.AllocsPerRun(3, p.EndRest); n > float64(20+4*len(running)) {
		t.Errorf("%.0f allocations for %d processes", n, len(running))
	}
}
