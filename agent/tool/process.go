// This file runs a command line and manages the processes that it starts.

package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/process"
)

// commandBytes is the greatest length of a command line: Linux accepts no longer argument.
const commandBytes = 128<<10 - 1

// command is a running command line.
type command struct {
	*process.Process
	out *streams
}

// startBash starts a bash command line in dir.
func (o Options) startBash(line, dir string, out *streams) (*command, error) {
	switch {
	case strings.Contains(line, "\x00"):
		return nil, errors.New("command: has a NUL byte in it")
	case len(line) > commandBytes:
		return nil, fmt.Errorf(
			"command: has %d bytes, and %d are the most: write a file, and run that", len(line),
			commandBytes)
	}
	p, err := process.Start(process.Command{Argv: process.Shell(line), Dir: dir,
		Output: out.takeChunk, Started: o.Started})
	if err != nil {
		return nil, err
	}
	return &command{p, out}, nil
}

// waitCommand waits until the command has ended and its output has been read: see
// process.Process.Wait.
func (c *command) waitCommand(ctx context.Context, timeout time.Duration) ending {
	defer c.out.close()
	return newEnding(ctx, c.Wait(ctx, timeout), timeout)
}

// waitAll is waitCommand for a job: it waits until none of its processes writes any more. timeout
// may be 0: none.
func (c *command) waitAll(ctx context.Context, timeout time.Duration) ending {
	defer c.out.close()
	return newEnding(ctx, c.WaitAll(ctx, timeout), timeout)
}

// ending is the reason why a command ended.
type ending struct {
	how process.How
	why string // "" if it ended by itself
}

func newEnding(ctx context.Context, how process.How, timeout time.Duration) ending {
	switch how {
	case process.TimedOut:
		return ending{how, fmt.Sprintf("timed out after %s", timeout)}
	case process.Cancelled:
		return ending{how, stopped(ctx).Error()}
	}
	return ending{how: how}
}

// endingNote returns what the model must know in addition to the output; "" if nothing.
func (e ending) endingNote(state *os.ProcessState) string {
	if e.how != process.Exited {
		return "[" + e.why + ": the command and its children were killed]"
	}
	switch code := state.ExitCode(); code {
	case 0:
		return ""
	case -1:
		return "[ended by a signal: " + state.String() + "]"
	default:
		return fmt.Sprintf("[exit code %d]", code)
	}
}
