//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// TestDeadProgramLeavesTheTerminal kills the program in the middle of a command, in ways of which it hears nothing: the
// terminal is as it was before, and the command is gone.
func TestDeadProgramLeavesTheTerminal(t *testing.T) {
	for name, test := range map[string]struct {
		signal syscall.Signal
		said   string
		crash  string // what the file of fatal errors holds; "" = it is not there
	}{
		"killed":      {syscall.SIGKILL, "its screen: it was killed", ""},
		"fatal error": {syscall.SIGABRT, "crash.log", "SIGABRT: abort"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrive(t, nil)
			keys, tty, err := pty.Open()
			if err != nil {
				t.Skipf("no pseudo terminals here: %v", err)
			}
			defer keys.Close()
			defer tty.Close()
			if err := pty.Setsize(keys, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
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
			cmd := exec.Command(self, "--yolo")
			cmd.Args[0], cmd.Dir = "agent", d.dir
			cmd.Env = append(os.Environ(), "AGENT_HOME="+d.home, "OPENAI_API_KEY=", "ANTHROPIC_API_KEY=", "TERM=xterm-256color")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			screen := readScreen(keys)
			eventually(t, "the screen", func() bool { return strings.Contains(screen(), "/help shows keys") })
			fmt.Fprint(keys, "!echo $$ >pid; exec sleep 300\r")
			var pid int
			eventually(t, "the command", func() bool {
				b, _ := os.ReadFile(filepath.Join(d.dir, "pid"))
				pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
				return pid > 0
			})
			t.Cleanup(func() { syscall.Kill(-pid, syscall.SIGKILL) })

			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			eventually(t, test.said, func() bool { return strings.Contains(screen(), test.said) })
			eventually(t, "the end of the command", func() bool { return ended(pid) })
			if after, err := term.GetState(tty.Fd()); err != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("the terminal's modes are %+v, were %+v (%v)", after, before, err)
			}
			checkModesOff(t, screen())
			crash, _ := os.ReadFile(filepath.Join(d.home, "logs", "crash.log"))
			if (test.crash == "") != (len(crash) == 0) || !bytes.Contains(crash, []byte(test.crash)) {
				t.Errorf("crash.log holds %q, want %q", crash, test.crash)
			}
		})
	}
}

// readScreen reads what is written to a terminal; the function returns all of it.
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

// ended reports whether a process is gone, or a zombie that nobody has waited for.
func ended(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		return bytes.Contains(b, []byte(") Z "))
	}
	return syscall.Kill(pid, 0) == syscall.ESRCH
}

// checkModesOff wants every mode of the terminal that was switched on to be switched off after that.
func checkModesOff(t *testing.T, out string) {
	t.Helper()
	for _, mode := range []string{"1049", "2004", "1002", "1006", "1004"} {
		on, off := strings.LastIndex(out, "\x1b[?"+mode+"h"), strings.LastIndex(out, "\x1b[?"+mode+"l")
		if on < 0 {
			t.Errorf("mode %s was never switched on: the test is blind", mode)
		}
		if off < on {
			t.Errorf("mode %s is left on", mode)
		}
	}
	if hidden, shown := strings.LastIndex(out, "\x1b[?25l"), strings.LastIndex(out, "\x1b[?25h"); shown < hidden {
		t.Error("the cursor is left hidden")
	}
}
