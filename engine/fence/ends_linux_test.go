package fence

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/process"
)

// TestCancelEndsDetached: with each method, a cancellation ends the processes that a program has
// started, also those that detached themselves.
func TestCancelEndsDetached(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid")
	}
	const wait = `trap "" TERM HUP; echo $$ >pid; while :; do sleep 1; done`
	eachMethod(t, func(t *testing.T, m Method) {
		for name, line := range map[string]string{
			"child":      "sh -c '" + wait + "' & sleep 600",
			"setsid":     "setsid -f sh -c '" + wait + "'; sleep 600",
			"two forks":  "(setsid sh -c '(sh ./wait.sh &) ' &); sleep 600",
			"nohup":      "nohup sh ./wait.sh >/dev/null 2>&1 & sleep 600",
			"other name": "env -i setsid -f /bin/sh ./wait.sh; exec sleep 600",
		} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				script := filepath.Join(w.project, "wait.sh")
				if err := os.WriteFile(script, []byte("PATH=/bin:/usr/bin\n"+wait),
					0o644); err != nil {
					t.Fatal(err)
				}
				f := newFence(m, w.policy)
				p, err := process.Start(process.Command{Argv: process.Shell(line), Dir: w.project,
					Output: func(string, bool) {}, Confine: f.Confine})
				if err != nil {
					t.Fatal(err)
				}
				if !p.Held() {
					t.Error("it is not known what the program starts")
				}
				var pid string
				for end := time.Now().Add(time.Minute); pid == ""; time.Sleep(time.Millisecond) {
					if b, _ := os.ReadFile(filepath.Join(w.project, "pid")); len(b) > 1 {
						pid = strings.TrimSpace(string(b))
					}
					if time.Now().After(end) {
						t.Fatal("it does not start")
					}
				}
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				p.Wait(ctx, 0)
				for end := time.Now().Add(time.Minute); livesIn(w.project, pid); {
					time.Sleep(time.Millisecond)
					if time.Now().After(end) {
						t.Fatal("it still runs")
					}
				}
			})
		}
	})
}

// livesIn reports whether a process runs that works in dir.
func livesIn(dir, pid string) bool {
	if _, err := strconv.Atoi(pid); err != nil {
		return false
	}
	at, _ := os.Readlink("/proc/" + pid + "/cwd")
	return at == dir
}
