// This file runs a command line and manages the processes that it starts.

package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/value"
)

// commandBytes is the length limit of a command line, as that of an argument on Linux, which
// firstSetup is part of.
const commandBytes = 128<<10 - 1 - len(firstSetup)

// command is a running command line.
type command struct {
	*process.Process
	out *streams
	use *engine.Use
}

// startBash starts the command line of a call of bash in dir.
func (o Options) startBash(use *engine.Use, dir string, out *streams) (*command, error) {
	args := use.Args
	line := value.Text(args, "command")
	switch {
	case strings.Contains(line, "\x00"):
		return nil, errors.New("command: has a NUL byte in it")
	case len(line) > commandBytes:
		return nil, fmt.Errorf(
			"command: has %d bytes, and %d are the most: write a file, and run that", len(line),
			commandBytes)
	}
	c := process.Command{Argv: process.Shell(line), Dir: dir, Output: out.takeChunk,
		Started: o.Started, Family: o.Family}
	o.addSetup(use, &c)
	switch {
	case use.OnlyReads():
		c.Confine = o.Fence.ConfineReading
	case inSandbox(args):
		reads, writes := use.Lifted()
		c.Confine = o.Fence.ConfineBut(fence.Lift{Reads: reads, Writes: writes})
	}
	p, err := process.Start(c)
	if err != nil {
		return nil, err
	}
	return &command{p, out, use}, nil
}

// setupVariable has what runs before a command line. It is a variable, as other users can read the
// arguments of a program.
const setupVariable = "AGENT_SHELL_SETUP"

// firstSetup runs that, in one line so that the numbers of lines in messages stay right.
const firstSetup = `trap 'echo "what a hook wrote into CLAUDE_ENV_FILE ended the shell: the ` +
	`command did not run" >&2' EXIT; eval "unset ` + setupVariable + `; $` + setupVariable +
	`"; trap - EXIT; `

// addSetup lets a command begin with Setup. What a hook wants there is confined as the hook is:
// where the user has approved more for the command, it does not run.
func (o Options) addSetup(use *engine.Use, c *process.Command) {
	if setup := o.setup(use); setup != "" && c.Argv[1] == "-c" {
		c.Argv[2] = firstSetup + c.Argv[2]
		c.Env = append(os.Environ(), setupVariable+"="+setup)
	}
}

// setup returns Setup for a call; "" if it does not run.
func (o Options) setup(use *engine.Use) string {
	reads, writes := use.Lifted()
	if o.Setup == nil || o.confinement(use.Args) == engine.Outside || len(reads)+len(writes) > 0 {
		return ""
	}
	return o.Setup()
}

// withoutSetup returns a note for the model about a command that has failed without Setup, or "".
func (o Options) withoutSetup(use *engine.Use) string {
	if o.Setup == nil || o.setup(use) != "" || o.Setup() == "" {
		return ""
	}
	return "\n[this command ran without what hooks have set with CLAUDE_ENV_FILE, which holds in " +
		"the sandbox only]"
}

// inSandbox reports whether the command of a call of bash runs in the sandbox, if there is one.
func inSandbox(args map[string]any) bool { return args["sandbox"] != false }

// outside tells the model how to run a command outside of the sandbox.
const outside = "call bash with sandbox = false: the user is asked"

// sandbox returns the sandbox of bash; nil if there is none.
func (o Options) sandbox() *engine.Sandbox {
	if o.Fence == nil {
		return nil
	}
	return &engine.Sandbox{Confinement: o.confinement, Fence: o.Fence, Lifts: true,
		Otherwise: outside}
}

// confinement returns how the command of a call of bash is confined.
func (o Options) confinement(args map[string]any) engine.Confinement {
	switch m, _ := o.Fence.Method(); {
	case m == fence.None:
		return engine.Unconfined
	case !inSandbox(args):
		return engine.Outside
	case !o.Fence.Complete():
		return engine.Confined
	}
	return engine.Sealed
}

// refused returns a note for the model about what the sandbox refused to a command, or "".
func (o Options) refused(use *engine.Use, dir, output string) string {
	if !inSandbox(use.Args) {
		return ""
	}
	list := o.Fence.Refused(fence.Program{Call: use.CallID, Tool: Bash,
		Line: value.Text(use.Args, "command")}, dir, output)
	switch {
	case len(list) == 0 && use.OnlyReads() && fence.RefusedReading(output):
		return "\n[this command ran without approval, in a sandbox in which it can only read; " +
			"if it has to do more, " + outside + "]"
	case len(list) == 0:
		return ""
	case fence.Forbidden(list):
		return "\n[the sandbox refused to " + fence.Words(list) + "]"
	}
	return "\n[the sandbox refused to " + fence.Words(list) + "; if it has to be, " + outside + "]"
}

// waitCommand waits until the command has ended and its output has been read: see
// process.Process.Wait.
func (c *command) waitCommand(ctx context.Context, timeout time.Duration) ending {
	defer c.out.close()
	return c.newEnding(ctx, c.Wait(ctx, timeout), timeout)
}

// waitAll is waitCommand for a job: it waits until none of its processes writes any more. A timeout
// of 0 means no timeout.
func (c *command) waitAll(ctx context.Context, timeout time.Duration) ending {
	defer c.out.close()
	return c.newEnding(ctx, c.WaitAll(ctx, timeout), timeout)
}

// ending is the reason why a command ended.
type ending struct {
	how process.How
	why string // "" if it ended by itself
	all bool   // processes that detached themselves ended too: see process.Process.Held
}

func (c *command) newEnding(ctx context.Context, how process.How, timeout time.Duration) ending {
	c.Left(func(list []process.Relative) (ended func()) {
		return c.use.Leaves(process.Names(list))
	})
	switch how {
	case process.TimedOut:
		return ending{how, fmt.Sprintf("timed out after %s", timeout), c.Held()}
	case process.Cancelled:
		return ending{how, stopped(ctx).Error(), c.Held()}
	}
	return ending{how: how}
}

// endingNote returns what the model must know in addition to the output; "" if nothing.
func (e ending) endingNote(state *os.ProcessState) string {
	if e.how != process.Exited && e.all {
		return "[" + e.why + ": the command and all processes that it started were killed]"
	}
	if e.how != process.Exited {
		return "[" + e.why + ": the command and its children were killed; processes that " +
			"detached themselves (setsid) may still run]"
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
