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

// TestWhatLeftIsEnded: a timeout ends processes in sessions of their own too, and in a namespace
// made for the program also those that have lost their parent.
func TestWhatLeftIsEnded(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid")
	}
	for _, c := range []struct {
		name, line string
		space      bool
	}{
		{"child", `setsid sh -c 'echo $$ >pid; exec sleep 600' & wait`, false},
		{"grandchild", `setsid sh -c 'setsid sh -c "echo \$\$ >pid; exec sleep 600" & wait' & wait`,
			false},
		{"orphan", `setsid -f sh -c 'echo $$ >pid; exec sleep 600'; sleep 600`, true},
		{"deaf orphan", `setsid -f sh -c 'trap "" TERM; echo $$ >pid; while :; do sleep 1; done'; ` +
			`sleep 600`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.space && os.Getuid() != 0 {
				t.Skip("only root makes a mount namespace")
			}
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(context.Background())
			p, err := process.Start(process.Command{Argv: process.Shell(c.line), Dir: dir,
				Confine: func(cmd *exec.Cmd) error {
					if c.space {
						cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWNS
					}
					return nil
				}})
			if err != nil && c.space {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if p.Held() != c.space {
				t.Errorf("Held: got %v", p.Held())
			}
			var pid int
			poll(t, "the program runs", func() bool {
				b, _ := os.ReadFile(filepath.Join(dir, "pid"))
				pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
				return strings.HasSuffix(string(b), "\n")
			})
			cancel()
			if how := p.Wait(ctx, 0); how != process.Cancelled {
				t.Errorf("it ended as %v", how)
			}
			poll(t, "what left is ended", func() bool {
				b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
				return err != nil || strings.Contains(string(b), ") Z ")
			})
		})
	}
}

func poll(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out: %s", what)
		}
	}
}
