package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/agentscripts/agent/engine"
)

const (
	// bashTimeout is how long a command may run if the model does not say: most tests and builds end sooner.
	bashTimeout = 120 * time.Second
	// bashMaxTimeout is the longest time the model may ask for: nobody watches a call for longer.
	bashMaxTimeout = 600 * time.Second
	// termGrace is how long processes have to clean up when they are told to end, before they are killed.
	// Short: an interrupt must be felt within 100 ms, of which a terminal takes 50 to tell the esc key from the
	// beginning of an escape sequence.
	termGrace = 30 * time.Millisecond
	// pipeGrace is how long output is waited for after the shell has ended: what it left in the background
	// may hold the pipes for ever.
	pipeGrace = 250 * time.Millisecond
)

func bashTool() *engine.Tool {
	timeout := property("number", fmt.Sprintf("seconds until the command is killed, at most %d; %d if absent", int(bashMaxTimeout.Seconds()), int(bashTimeout.Seconds())))
	timeout["exclusiveMinimum"], timeout["maximum"] = 0, bashMaxTimeout.Seconds()
	return &engine.Tool{
		Name: "bash", Kind: "execute", Source: "builtin",
		Description: fmt.Sprintf("Runs a shell command and returns what it writes, stdout and stderr together, and its exit code if that is not 0. "+
			"There is no input and no terminal. Of more than %d KB the beginning and the end are returned, and the name of a file with the rest.", outputBytes>>10),
		Schema: object(map[string]any{
			"command": property("string", "command line for bash"),
			"timeout": timeout,
			"cwd":     property("string", "directory to run in; the working directory if absent"),
		}, "command"),
		Run: runBash,
	}
}

func runBash(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	dir, err := bashDir(use)
	if err != nil {
		return nil, err
	}
	timeout := bashTimeout
	if s, ok := engine.Number(use.Args["timeout"]); ok {
		timeout = min(time.Duration(s*float64(time.Second)), bashMaxTimeout)
	}
	argv := shell(engine.Text(use.Args, "command"))
	cmd := exec.Command(argv[0], argv[1:]...) // not CommandContext: it kills one process, not its group
	cmd.Dir = dir
	cmd.SysProcAttr = ownGroup()
	out := newOutput(use.Output)
	defer out.close()
	start := time.Now()
	end, err := run(ctx, cmd, out, timeout)
	if err != nil {
		return nil, fmt.Errorf("bash: %w", err)
	}
	r := engine.TextResult(out.text(end.note(cmd, timeout)))
	r.IsError = end != exited || cmd.ProcessState.ExitCode() != 0
	r.Details = map[string]any{"exit_code": cmd.ProcessState.ExitCode(), "timed_out": end == timedOut, "duration_ms": time.Since(start).Milliseconds()}
	if out.path() != "" {
		r.Details["full_output"] = out.path()
	}
	return r, nil
}

func bashDir(use *engine.Use) (string, error) {
	name := engine.Text(use.Args, "cwd")
	if name == "" {
		return workdir(use), nil
	}
	dir, err := resolve(use, name)
	if err != nil {
		return "", fmt.Errorf("cwd: %w", err)
	}
	if st, err := os.Stat(dir); err != nil {
		return "", explain("cwd", name, err)
	} else if !st.IsDir() {
		return "", fmt.Errorf("cwd %s: is not a directory", name)
	}
	return dir, nil
}

// ending is why a command is over.
type ending int

const (
	exited ending = iota
	timedOut
	cancelled
)

// note is what the model must know besides the output; "" if all is well.
func (e ending) note(cmd *exec.Cmd, timeout time.Duration) string {
	switch e {
	case timedOut:
		return fmt.Sprintf("[timed out after %s: the command and its children were killed]", timeout)
	case cancelled:
		return "[cancelled by the user: the command and its children were killed]"
	}
	switch code := cmd.ProcessState.ExitCode(); code {
	case 0:
		return ""
	case -1:
		return "[ended by a signal: " + cmd.ProcessState.String() + "]"
	default:
		return fmt.Sprintf("[exit code %d]", code)
	}
}

// run starts the command and waits until it has ended and its output has been read. The error means that
// it could not be started. On a timeout or when ctx ends its whole process group is gone when run returns.
func run(ctx context.Context, cmd *exec.Cmd, out *output, timeout time.Duration) (ending, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	read, err := pipes(cmd, out)
	if err != nil {
		return 0, err
	}
	defer read.close()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	read.started()
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_ = cmd.Wait() // the exit code is in ProcessState
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	end := exited
	select {
	case <-waited:
	case <-timer.C:
		end = timedOut
	case <-ctx.Done():
		end = cancelled
	}
	if end != exited {
		endGroup(cmd.Process, waited)
		<-waited
	}
	select {
	case <-read.done:
	case <-ctx.Done():
	case <-time.After(pipeGrace):
	}
	return end, nil
}

// readers copy the two pipes of a command.
type readers struct {
	done   chan struct{} // closed when both pipes are at their end
	ours   []*os.File
	theirs []*os.File // the command's ends: closed here once it has them
}

func pipes(cmd *exec.Cmd, out *output) (*readers, error) {
	r := &readers{done: make(chan struct{})}
	for range 2 {
		in, w, err := os.Pipe()
		if err != nil {
			close(r.done)
			r.close()
			return nil, err
		}
		r.ours, r.theirs = append(r.ours, in), append(r.theirs, w)
	}
	cmd.Stdout, cmd.Stderr = r.theirs[0], r.theirs[1] // files: cmd.Wait does not wait for the copying
	ends := make(chan struct{}, len(r.ours))
	for i, in := range r.ours {
		go func() {
			out.copy(in, i == 1)
			ends <- struct{}{}
		}()
	}
	go func() {
		for range r.ours {
			<-ends
		}
		close(r.done)
	}()
	return r, nil
}

// started lets go of the command's ends, so that ours end when its last process does.
func (r *readers) started() {
	for _, f := range r.theirs {
		f.Close()
	}
	r.theirs = nil
}

// close ends the copying, whoever still holds the other ends. Where closing does not end a reading that is
// under way (Windows), the copying ends with the last process.
func (r *readers) close() {
	r.started()
	for _, f := range r.ours {
		f.Close()
	}
	select {
	case <-r.done:
	case <-time.After(pipeGrace):
	}
}

// shell is the command line that runs command: bash, or what there is.
func shell(command string) []string {
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil && !errors.Is(err, exec.ErrDot) {
			return []string{path, "-c", command}
		}
	}
	return lastShell(command)
}
