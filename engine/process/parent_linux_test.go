package process_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/process"
)

// output runs a command line to its end, and returns its output and its state.
func output(t *testing.T, line string) (string, *os.ProcessState) {
	t.Helper()
	var mu sync.Mutex
	var out strings.Builder
	p, err := process.Start(process.Command{Argv: process.Shell(line), Dir: t.TempDir(),
		Family: family(), Output: func(chunk string, _ bool) {
			mu.Lock()
			defer mu.Unlock()
			out.WriteString(chunk)
		}})
	if err != nil {
		t.Fatal(err)
	}
	p.Wait(context.Background(), 0)
	p.EndRest()
	mu.Lock()
	defer mu.Unlock()
	return out.String(), p.State()
}

// ignored returns which signals this process ignores, as programs inherit it: SIGHUP under nohup.
func ignored(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "SigIgn:")
	mask, _, _ := strings.Cut(rest, "\n")
	return strings.ReplaceAll(strings.TrimSpace(mask), "0", "")
}

// TestProgramIsAlone: the parent that a program of a Family has does not show in what the program
// sees and how it ends.
func TestProgramIsAlone(t *testing.T) {
	const ready = `until grep -q "SigIgn:.*[1-9a-f]" /proc/$PPID/status; do :; done; `
	for line, want := range map[string]string{
		// it has its own children only: not a daemon that it started
		`setsid -f sleep 0.5 >/dev/null 2>&1; exec perl -e 'print wait'`: "-1, exit status 0",
		`exit 7`:                   ", exit status 7",
		`kill -TSTP $$; echo on`:   "on\n, exit status 0", // nobody would continue it
		`kill -TERM $$`:            ", signal: terminated",
		`kill -KILL $$`:            ", signal: killed",
		`kill -SEGV $$`:            ", signal: segmentation fault",
		`kill -- -$$`:              ", signal: terminated",
		ready + `kill -TERM $PPID`: ", exit status 0", // the parent ignores it
		`kill -KILL $PPID`:         ", signal: killed",
		`kill 0`:                   ", signal: terminated",
		ready + `trap "" TERM; kill 0; kill -INT $PPID; echo a`: "a\n, exit status 0",
		`trap 'echo b; exit 3' TERM; kill 0; sleep 9`:           "b\n, exit status 3",
		ready + `tr -d '\0' </proc/$PPID/cmdline`:               "agent-fence, exit status 0",
		`cat /proc/$PPID/comm; env | grep ^AGENT_FENCE; exit 0`: "agent-fence\n, exit status 0",
		`read x || echo "$? $x"; [ -t 0 ] || echo none`:         "1 \nnone\n, exit status 0",
		`grep Sig[BI] /proc/self/status | tr -d '0\n\t'`: "SigBlk:SigIgn:" + ignored(t) +
			", exit status 0",
		`exec 1>&- 2>&-; sleep 0.1; exit 4`:                      ", exit status 4",
		`echo $(ps -o pgid= -p $$) | grep -qx $$ && echo leader`: "leader\n, exit status 0",
	} {
		t.Run(strings.TrimPrefix(line, ready), func(t *testing.T) {
			if strings.Contains(line, "perl") {
				if _, err := exec.LookPath("perl"); err != nil {
					t.Skip(err)
				}
			}
			out, state := output(t, line)
			if got := out + ", " + state.String(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestGroup: signals for the group of a program reach all of it.
func TestGroup(t *testing.T) {
	p, err := process.Start(process.Command{Argv: process.Shell("sleep 600 & sleep 600"),
		Dir: t.TempDir(), Family: family(), Output: func(string, bool) {}})
	if err != nil {
		t.Fatal(err)
	}
	group := p.Group()
	if group == p.PID() {
		t.Error("the program is not found")
	}
	if err := syscall.Kill(-group, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if p.Wait(context.Background(), time.Minute); p.State().String() != "signal: terminated" {
		t.Error(p.State())
	}
	if again := p.Group(); again != p.PID() {
		t.Errorf("it has ended and has the group %d", again)
	}
}

// TestTwoSideBySide: the end of one program does not end what another one left running while the
// first was being ended.
func TestTwoSideBySide(t *testing.T) {
	f := family()
	const deaf = `trap "" TERM; setsid -f sh -c 'trap "" TERM; echo $$ >pid; ` +
		`while :; do sleep 1; done' >/dev/null 2>&1; while :; do sleep 1; done`
	dir := t.TempDir()
	ended, err := process.Start(process.Command{Argv: process.Shell(deaf), Dir: dir, Family: f,
		Output: func(string, bool) {}})
	if err != nil {
		t.Fatal(err)
	}
	daemon := pidIn(t, filepath.Join(dir, "pid"))
	stop := make(chan struct{})
	var others sync.WaitGroup
	var left []int
	others.Go(func() { // before, while and after the first is ended
		for {
			dir := t.TempDir()
			p, err := process.Start(process.Command{Argv: process.Shell(`setsid -f sh -c ` +
				`'echo $$ >pid; exec sleep 600' >/dev/null 2>&1`), Dir: dir, Family: f,
				Output: func(string, bool) {}})
			if err != nil {
				t.Error(err)
				return
			}
			p.Wait(context.Background(), 0)
			left = append(left, pidIn(t, filepath.Join(dir, "pid")))
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ended.Wait(ctx, 0)
	close(stop)
	others.Wait()
	if lives(daemon) {
		t.Error("what the program started still runs")
	}
	for _, pid := range left {
		if !lives(pid) {
			t.Errorf("what another program left is ended")
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
