// This file runs a command line with all that it starts.

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

// commandBytes is how long a command line may be: Linux takes no longer argument.
const commandBytes = 128<<10 - 1

// command is a command line under way.
type command struct {
	*process.Process
	out *streams
}

// startBash starts a command line of bash in dir.
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

// waitAll is wait for a job: it goes on as long as anything of it writes, and there may be no
// timeout: 0.
func (c *command) waitAll(ctx context.Context, timeout time.Duration) ending {
	defer c.out.close()
	return newEnding(ctx, c.WaitAll(ctx, timeout), timeout)
}

// ending is why a command is over.
type ending struct {
	how process.How
	why string // unless it ended by itself
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

// endingNote is what the model must know besides the output; "" if all is well.
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
