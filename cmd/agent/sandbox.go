// This file implements agent sandbox, which shows what programs may do that the agent runs.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"

	"github.com/agentscripts/agent/agent/sandbox"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/plain"
)

func runSandbox(f *flags, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	warn := func(text string) { fmt.Fprintf(stderr, "agent: %s\n", plain.Text(text)) }
	a, err := newApp(f, front{mode: "print", emit: func(ev *event.Event) {
		switch {
		case ev.Name() == "script_error":
			warn(scriptError(ev))
		case ev.Name() == "notification" && ev.Text("level") != "info":
			warn(ev.Text("message"))
		}
	}})
	if err != nil {
		return failure(stderr, err)
	}
	defer a.closeScripts()
	if err := a.agent.LoadScripts(ctx); err != nil { // for their guards about files
		return failure(stderr, err)
	}
	a.engine.Emitter.Drain(ctx)
	box := a.program.Sandbox
	if len(f.words) > 0 {
		if box == nil {
			return failure(stderr, errors.New("sandbox run: the sandbox is off"))
		}
		return runConfined(f.words[1:], box.Fence, stdin, stdout, stderr)
	}
	state := sandbox.State{Method: fence.None, Network: true, Why: "the sandbox is off"}
	if box != nil {
		state = box.State()
	}
	if f.json {
		b, err := json.Marshal(state)
		if err != nil {
			return failure(stderr, err)
		}
		return printText(stdout, stderr, string(b))
	}
	return printText(stdout, stderr, plain.Text(state.String()))
}

// runConfined runs a program in the sandbox, and returns its exit code; if a signal ended it, 128
// plus the signal's number.
func runConfined(argv []string, f *fence.Fence, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(argv) == 0 {
		return usageError(stderr, errors.New("sandbox run needs a program and its arguments"))
	}
	if m, why := f.Method(); m == fence.None {
		return failure(stderr, fmt.Errorf("sandbox run: there is no sandbox: %w", why))
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := f.Confine(cmd); err != nil {
		return failure(stderr, fmt.Errorf("sandbox run: %w", err))
	}
	err := cmd.Start()
	fence.Close(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		const signalled = 128 // as in shells
		if ws, ok := exit.Sys().(interface {
			Signaled() bool
			Signal() syscall.Signal
		}); ok && ws.Signaled() {
			return signalled + int(ws.Signal())
		}
		return max(exit.ExitCode(), 1)
	case err != nil:
		return failure(stderr, fmt.Errorf("sandbox run: %w", err))
	}
	return exitOK
}

// fenced reports whether programs run in the sandbox.
func fenced(box *sandbox.Sandbox) bool {
	if box == nil {
		return false
	}
	method, _ := box.Fence.Method()
	return method != fence.None
}

// fenceLine returns one line that says how programs are confined. A nil box means that the sandbox
// is disabled.
func fenceLine(box *sandbox.Sandbox) string {
	if box == nil {
		return "No sandbox: the settings or --no-sandbox turn it off, and programs run with all " +
			"your rights."
	}
	method, why := box.Fence.Method()
	if method == fence.None {
		return "No sandbox: programs run with all your rights, because " +
			plain.Line(why.Error(), 300)
	}
	return fmt.Sprintf("Sandbox: %s; /sandbox says what programs may do.", method)
}
