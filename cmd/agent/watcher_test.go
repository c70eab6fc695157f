//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// TestTerminalIsRestoredAfterCrash kills the program during a command, in ways that it cannot
// handle, and checks that the terminal is restored and the command is gone.
func TestTerminalIsRestoredAfterCrash(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		signal syscall.Signal
		how    string // the variable crashVariable
		said   string
		crash  string // the content of the file of fatal errors; "" if there is none
	}{
		"killed":      {syscall.SIGKILL, "", "its screen: it was killed", ""},
		"fatal error": {syscall.SIGABRT, "", "crash.log", "SIGABRT: abort"},
		"map":         {syscall.SIGUSR1, "map", "crash.log", "goroutine "},
		"stack":       {syscall.SIGUSR1, "stack", "crash.log", "goroutine "},
		"memory":      {syscall.SIGUSR1, "memory", "crash.log", "runtime.mallocgc("},
		"panic":       {syscall.SIGUSR1, "panic", "crash.log", "the value is left out"},
		"inline":      {syscall.SIGKILL, "", "its screen: it was killed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrive(t, nil)
			flags, modes := []string{"--yolo", "--fullscreen"}, screenModes
			if name == "inline" {
				flags, modes = flags[:1], inlineModes
			}
			x := startOnPty(t, d, crashVariable+"="+test.how, flags...)
			keys, screen, cmd := x.keys, x.screen, x.cmd
			eventually(t, "the screen",
				func() bool { return strings.Contains(screen(), "/help shows keys") })
			fmt.Fprint(keys, "!echo $$ >pid; seq -s+ 7; exec sleep 300\r")
			var pid int
			eventually(t, "the command", func() bool {
				b, _ := os.ReadFile(filepath.Join(d.dir, "pid"))
				pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
				// the output is read after the watcher knows of the command
				return pid > 0 && strings.Contains(screen(), "1+2+3+4+5+6+7")
			})
			t.Cleanup(func() { syscall.Kill(-pid, syscall.SIGKILL) })

			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			eventually(t, test.said, func() bool { return strings.Contains(screen(), test.said) })
			eventually(t, "the end of the command", func() bool { return ended(pid) })
			if after, err := term.GetState(x.tty.Fd()); err != nil ||
				!reflect.DeepEqual(x.before, after) {
				t.Errorf("the terminal's modes are %+v, were %+v (%v)", after, x.before, err)
			}
			checkModesOff(t, screen(), modes)
			crash, _ := os.ReadFile(filepath.Join(d.home, "logs", "crash.log"))
			if (test.crash == "") != (len(crash) == 0) ||
				!bytes.Contains(crash, []byte(test.crash)) {
				t.Errorf("crash.log holds %q, want %q", crash, test.crash)
			}
		})
	}
}

// crashVariable is the environment variable that makes the test binary crash at SIGUSR1 in the way
// that it names, when it is called as the program.
const crashVariable = "AGENT_TEST_CRASH"

// crashOnOrder makes the process crash at SIGUSR1 if crashVariable says how.
func crashOnOrder() {
	if how := os.Getenv(crashVariable); how != "" {
		order := make(chan os.Signal, 1)
		signal.Notify(order, syscall.SIGUSR1)
		go func() {
			<-order
			crash(how)
		}()
	}
}

// addressBits is the size of the largest slice that Go makes on 64 bits. It is a variable so that
// the test compiles for 32.
var addressBits = 48

// crash ends the process by an error that cannot be recovered from in other goroutines.
func crash(how string) {
	switch how {
	case "map":
		shared := map[int]int{}
		for range 4 {
			go func() {
				for i := 0; ; i++ {
					shared[i%8] = i
				}
			}()
		}
	case "stack":
		debug.SetMaxStack(1 << 20)
		var deeper func(n int) int
		deeper = func(n int) int { return deeper(n+1) + n }
		deeper(0)
	case "memory":
		// more than any address space, so that the runtime asks in vain; with a limit of memory
		// instead, the race detector may be the first that gets none
		fmt.Println(len(make([]byte, 1<<addressBits)))
	case "panic":
		panic("a secret value")
	}
}

// onPty is the program on a pseudo-terminal.
type onPty struct {
	cmd       *exec.Cmd
	keys, tty *os.File
	before    *term.State // the modes of the terminal
	screen    func() string
}

// startOnPty starts the program with one more variable in its environment.
func startOnPty(t *testing.T, d *drive, variable string, flags ...string) *onPty {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { keys.Close(); tty.Close() })
	// wide enough for a line with the path of a test's folder
	if err := pty.Setsize(keys, &pty.Winsize{Rows: 30, Cols: 200}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(d.home, "scripts"), 0o700); err != nil { // no first start
		t.Fatal(err)
	}
	cmd := exec.Command(self, flags...)
	cmd.Args[0], cmd.Dir = "agent", d.dir
	cmd.Env = append(os.Environ(), "AGENT_HOME="+d.home, "OPENAI_API_KEY=", "ANTHROPIC_API_KEY=",
		"TERM=xterm-256color", variable)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return &onPty{cmd, keys, tty, before, readScreen(keys)}
}

// watchers returns the process ids of the watchers of programs with this home, from /proc.
func watchers(t *testing.T, home string) (pids []string) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	if len(files) == 0 {
		t.Skip("no /proc here")
	}
	for _, f := range files {
		b, _ := os.ReadFile(f) // it may be gone
		for v := range strings.SplitSeq(string(b), "\x00") {
			if spec, ok := strings.CutPrefix(v, watcherVariable+"="); ok &&
				strings.Contains(spec, home) {
				pids = append(pids, filepath.Base(filepath.Dir(f)))
			}
		}
	}
	return pids
}

// TestNoWatcherIsLeft checks that the screen has one watcher, which ends with it however it ends,
// and that agent -p has none, not even on a terminal.
func TestNoWatcherIsLeft(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(x *onPty) error{
		"/quit":   func(x *onPty) error { _, err := fmt.Fprint(x.keys, "/quit\r"); return err },
		"SIGTERM": func(x *onPty) error { return x.cmd.Process.Signal(syscall.SIGTERM) },
		"killed":  func(x *onPty) error { return x.cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrive(t, nil)
			x := startOnPty(t, d, crashVariable+"=")
			eventually(t, "the screen",
				func() bool { return strings.Contains(x.screen(), "/help shows keys") })
			eventually(t, "a watcher", func() bool { return len(watchers(t, d.home)) == 1 })
			if err := end(x); err != nil {
				t.Fatal(err)
			}
			x.cmd.Wait()
			eventually(t, "the end of the watcher",
				func() bool { return len(watchers(t, d.home)) == 0 })
		})
	}
	t.Run("-p", func(t *testing.T) {
		d := newDrive(t, nil)
		x := startOnPty(t, d, crashVariable+"=", "--yolo", "-p",
			"run touch started; while test ! -e seen; do sleep 0.1; done")
		eventually(t, "the command", func() bool {
			_, err := os.Stat(filepath.Join(d.dir, "started"))
			return err == nil
		})
		if pids := watchers(t, d.home); len(pids) > 0 {
			t.Errorf("agent -p has the watchers %v", pids)
		}
		write(t, filepath.Join(d.dir, "seen"), "")
		if err := x.cmd.Wait(); err != nil {
			t.Errorf("agent -p: %v\n%s", err, x.screen())
		}
	})
}

// TestCrashReport checks that the file of fatal errors gets the runtime's report, and no text of
// the program.
func TestCrashReport(t *testing.T) {
	t.Parallel()
	const stack = "\ngoroutine 1 [running]:\nmain.main()\n\tmain.go:6 +0x278\n"
	const left = "panic: the value is left out because it may contain a secret\n"
	for _, test := range []struct{ in, want string }{
		{"fatal error: concurrent map writes\n" + stack,
			"fatal error: concurrent map writes\n" + stack},
		{"panic: runtime error: index out of range [5] with length 0\n" + stack,
			"panic: runtime error: index out of range [5] with length 0\n" + stack},
		{"runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack " +
			"overflow\n\nruntime stack:\nthrow()\n" + stack,
			"runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack " +
				"overflow\n\nruntime stack:\nthrow()\n" + stack},
		{"SIGABRT: abort\nPC=0x48 m=0 sigcode=0\n" + stack,
			"SIGABRT: abort\nPC=0x48 m=0 sigcode=0\n" + stack},
		{"panic: the key is sk-1\n" + stack, left + stack},
		{"panic: sk-1\n\tgoroutine 1 [running]:\n\t\n\tfatal error: sk-2\n\tsk-3\n" + stack,
			left + stack},
		{"panic: sk-1 [recovered]\n\tpanic: again sk-1\n" + stack, left + stack},
		{"panic: sk-1", left},
	} {
		var out strings.Builder
		if err := copyReport(&out, strings.NewReader(test.in)); err != nil ||
			out.String() != test.want {
			t.Errorf("of %q: got %q, want %q (%v)", test.in, out.String(), test.want, err)
		}
	}
}

// readScreen reads the output to a terminal. The returned function returns all of it so far.
func readScreen(keys *os.File) func() string {
	var mu sync.Mutex
	var out bytes.Buffer
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := keys.Read(b)
			mu.Lock()
			out.Write(b[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return out.String()
	}
}

// ended reports whether a process is gone, or is a zombie.
func ended(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		return bytes.Contains(b, []byte(") Z "))
	}
	return syscall.Kill(pid, 0) == syscall.ESRCH
}

// The modes that the two layouts switch on.
var (
	screenModes = []string{"1049", "2004", "1002", "1006", "1004"}
	inlineModes = []string{"2004", "1004"}
)

// checkModesOff checks that every terminal mode that was switched on is switched off later.
func checkModesOff(t *testing.T, out string, modes []string) {
	t.Helper()
	for _, mode := range modes {
		on, off := strings.LastIndex(out, "\x1b[?"+mode+"h"),
			strings.LastIndex(out, "\x1b[?"+mode+"l")
		if on < 0 {
			t.Errorf("mode %s was never switched on: the test checks nothing", mode)
		}
		if off < on {
			t.Errorf("mode %s is left on", mode)
		}
	}
	if hidden, shown := strings.LastIndex(out, "\x1b[?25l"),
		strings.LastIndex(out, "\x1b[?25h"); shown < hidden {
		t.Error("the cursor is left hidden")
	}
}
