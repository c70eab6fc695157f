//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/tui/terminal"
)

// watcherSpec is what the watcher must know before the program crashes.
type watcherSpec struct {
	Modes json.RawMessage `json:"modes"` // of the terminal, before the screen: see terminal.Modes
	Crash string          `json:"crash"` // the file for the runtime's report
}

// watcherBye is the line that ends the watcher.
const watcherBye = "bye"

// start starts the watcher without waiting for it. The program also works without one.
func (w *watcher) start(stdin io.Reader, stdout io.Writer, crash string) {
	in, _ := stdin.(*os.File)
	out, _ := stdout.(*os.File)
	if in == nil || out == nil {
		return
	}
	modes, err := terminal.Modes(in)
	if err != nil {
		return
	}
	spec, err := json.Marshal(watcherSpec{modes, crash})
	if err != nil {
		return
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	orders, pipe, err := os.Pipe() // not inherited by other programs
	if err != nil {
		return
	}
	if err := debug.SetCrashOutput(pipe, debug.CrashOptions{}); err != nil {
		orders.Close()
		pipe.Close()
		return
	}
	w.pipe = pipe
	cmd := exec.Command(self)
	cmd.Args[0], cmd.Dir = os.Args[0], "/"
	cmd.Env = []string{watcherVariable + "=" + string(spec), "GOMAXPROCS=1"}
	cmd.Stdin, cmd.Stdout, cmd.ExtraFiles = in, out, []*os.File{orders}
	// In its own session it gets no signals from the terminal, and may always change the terminal's
	// modes.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	go func() {
		defer orders.Close()
		if family().Start(cmd) == nil {
			_ = family().Wait(cmd)
		}
	}()
}

// started tells the watcher about a command that leads a process group. The returned function
// reports the command's end.
func (w *watcher) started(pid int) (ended func()) {
	w.tell("+" + strconv.Itoa(pid))
	return func() { w.tell("-" + strconv.Itoa(pid)) }
}

// bye ends the watcher, because the program ends normally.
func (w *watcher) bye() {
	w.tell(watcherBye)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pipe != nil {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		w.pipe.Close()
		w.pipe = nil
	}
}

func (w *watcher) tell(order string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pipe != nil {
		_, _ = w.pipe.WriteString(order + "\n")
	}
}

// runWatcher runs the watcher: it waits for the end of the program that started it.
func runWatcher(text string) int {
	var spec watcherSpec
	orders := os.NewFile(3, "orders")
	if json.Unmarshal([]byte(text), &spec) != nil || orders == nil {
		fmt.Fprintf(os.Stderr,
			"agent: %s is set in the environment: unset it, only the program itself may set it\n",
			watcherVariable)
		return exitUsage
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP,
		syscall.SIGTTOU, syscall.SIGTTIN, syscall.SIGPIPE)
	running := map[int]bool{}
	lines := bufio.NewReader(orders)
	for {
		line, err := lines.ReadString('\n')
		order := strings.TrimSuffix(line, "\n")
		if order == watcherBye {
			return exitOK
		}
		if pid, e := strconv.Atoi(order); e == nil && pid != 0 &&
			strings.Trim(order[:1], "+-") == "" {
			running[max(pid, -pid)] = pid > 0
			continue
		}
		// The program is dead, or the runtime is reporting why it dies. The terminal is restored
		// during the report, before the shell notices the program's end and reads the terminal's
		// modes.
		_ = terminal.Rescue(os.Stdin, os.Stdout, spec.Modes)
		how := "it was killed"
		if err == nil || order != "" { // the report of a fatal error can begin with an empty line
			how = saveReport(spec.Crash, io.MultiReader(strings.NewReader(line), lines))
		} else if !errors.Is(err, io.EOF) {
			how = fmt.Sprint(err)
		}
		for pid, runs := range running {
			if runs {
				process.Kill(pid)
			}
		}
		fmt.Fprintf(os.Stdout,
			"\r\nagent: the program has ended without leaving its screen: %s\r\n", how)
		return exitOK
	}
}

// saveReport writes the runtime's report of a fatal error to a file, without the program's own
// output, and returns a description that names the file.
func saveReport(path string, report io.Reader) string {
	how := "a fatal error"
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	var f *os.File
	if err == nil {
		f, err = regularfile.Open(path, crashFlags(path), 0o600)
	}
	if err == nil {
		defer f.Close()
		fmt.Fprintf(f, "\n%s agent %s\n", time.Now().Format(time.DateTime), version())
		err = copyReport(f, io.LimitReader(report, libraryLogMost))
	}
	_, _ = io.Copy(io.Discard, report) // otherwise the writer blocks
	if err != nil {
		return fmt.Sprintf("%s, which cannot be saved: %v", how, err)
	}
	return how + "; the report of the Go runtime is in " + path
}

// runtimeWords matches the beginnings of the lines that the runtime itself writes before the first
// stack. Other lines are the value of a panic, which comes from the program and may contain a
// secret: the watcher does not know the secrets and cannot mask them.
var runtimeWords = lazyregexp.New(`^(fatal error: |runtime: |runtime stack:|SIG[A-Z]+: ` +
	`|PC=|\[signal |panic: (runtime error: |interface conversion: |assignment to entry in ` +
	`nil map)|$)`)

// copyReport copies the runtime's report of a fatal error to f, without the values of panics.
func copyReport(f io.Writer, report io.Reader) error {
	lines, stacks, left := bufio.NewReader(report), false, false
	for {
		line, err := lines.ReadString('\n')
		stacks = stacks || strings.HasPrefix(line, "goroutine ") ||
			strings.HasPrefix(line, "runtime stack:")
		switch text := strings.TrimSuffix(line, "\n"); {
		case stacks || runtimeWords().MatchString(text):
			left = false
			if _, err := io.WriteString(f, line); err != nil {
				return err
			}
		case !left:
			left = true
			if _, err := io.WriteString(f,
				"panic: the value is left out because it may contain a secret\n"); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// crashFlags returns the flags for opening the crash file: a file that has grown large is
// truncated.
func crashFlags(path string) int {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() < libraryLogMost {
		return os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	return os.O_CREATE | os.O_WRONLY | os.O_TRUNC
}
