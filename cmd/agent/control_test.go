package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// control is a client of a tmux server that stays connected, in tmux's control mode. Tests look at
// their screen many times a second, and starting a client for each look takes more processor time
// than the programs that are tested.
type control struct {
	mu    sync.Mutex
	in    io.WriteCloser
	lines *bufio.Reader
}

// newControl connects to the server behind a socket. The client has no size and takes no output, so
// that it changes nothing for the session.
func newControl(t *testing.T, socket string) *control {
	t.Helper()
	cmd := exec.Command("tmux", "-S", socket, "-C", "attach-session", "-f", "ignore-size,no-output")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	c := &control{in: in, lines: bufio.NewReader(out)}
	if _, err := c.answer(); err != nil { // attach-session is the first command
		t.Fatalf("tmux attach-session: %v", err)
	}
	return c
}

// run runs a command of one line and returns what it prints.
func (c *control) run(args ...string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var command strings.Builder
	for _, a := range args {
		command.WriteString("'" + strings.ReplaceAll(a, "'", `'\''`) + "' ")
	}
	if _, err := fmt.Fprintln(c.in, command.String()); err != nil {
		return "", err
	}
	return c.answer()
}

// answer reads the answer to one command: lines between "%begin ID" and "%end ID" or "%error ID".
// What stands between answers are notifications.
func (c *control) answer() (string, error) {
	id, text := "", strings.Builder{}
	for {
		line, err := c.lines.ReadString('\n')
		if err != nil {
			return "", err
		}
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case id == "" && word == "%begin":
			id = rest
		case id == "":
		case word == "%end" && rest == id:
			return text.String(), nil
		case word == "%error" && rest == id:
			return "", fmt.Errorf("tmux: %s", text.String())
		default:
			text.WriteString(line)
		}
	}
}
