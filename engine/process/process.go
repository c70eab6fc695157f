// This file starts a program, and waits for its end.

package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	// TermGrace is how long processes have to clean up when they are told to end, before they are
	// killed. Short: an interrupt must be felt within 100 ms, of which a terminal takes 50 to tell
	// the esc key from the beginning of an escape sequence.
	TermGrace = 30 * time.Millisecond
	// pipeGrace is how long output is waited for after the program has ended, as long as none
	// comes: what it left in the background may hold the pipes for ever.
	pipeGrace = 250 * time.Millisecond
	// drainTime is how long the reading of what is in the pipes then may take in all, and
	// drainBytes how much is read: what the program itself has written is no more than two pipes
	// hold, and what it left may write for ever.
	drainTime  = 10 * time.Second
	drainBytes = 2 * chunkBytes
)

// Command says what is to be started.
type Command struct {
	Argv  []string // Argv[0] is the path of the program: nothing is looked up
	Dir   string
	Env   []string // NAME=value; nil: this program's own
	Stdin string   // "": there is no input
	// Output is told what the program writes, as it comes: whole characters of valid UTF-8. Each
	// stream has a goroutine of its own; while Output does not return, the program is held up once
	// the pipe is full.
	Output func(chunk string, stderr bool)
	// Ended, if not nil, is called by Wait and WaitAll once the program has ended. What stands in
	// its pipes then is read for a moment only, so Output should not hold anything up any more.
	Ended func()
	// Started, if not nil, is called with the PID of the program once it runs, before Output is.
	// The function that it returns is called once the program has ended and been waited for.
	Started func(pid int) (ended func())
}

// Process is a program under way.
type Process struct {
	cmd   *exec.Cmd
	read  *readers
	ended []func()
}

// How is how a program came to its end.
type How int

// The ways to end.
const (
	Exited    How = iota // by itself, or by a signal of somebody else
	TimedOut             // its time was over
	Cancelled            // the context ended
)

// Start starts a program.
func Start(c Command) (*Process, error) {
	// not CommandContext: it kills one process, not its group
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.SysProcAttr = ownGroup()
	if c.Stdin != "" {
		cmd.Stdin = strings.NewReader(c.Stdin)
		// who inherits the input and reads nothing must not keep Wait waiting
		cmd.WaitDelay = pipeGrace
	}
	read, err := pipes(cmd, c.Output)
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		read.close()
		return nil, err
	}
	p := &Process{cmd: cmd, read: read}
	if c.Started != nil { // before Output: who hears of the program can rely on that
		p.ended = append(p.ended, c.Started(p.PID()))
	}
	read.started()
	if c.Ended != nil {
		p.ended = append(p.ended, c.Ended)
	}
	return p, nil
}

// PID is the number of the process, and of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// State is how the program ended, once a Wait has returned.
func (p *Process) State() *os.ProcessState { return p.cmd.ProcessState }

// Wait waits until the program has ended and its output has been read. When the time is over (0 =
// there is no limit), or ctx ends, the whole process group is gone when Wait returns; of a program
// that ends by itself, what it left in the background goes on: see EndRest.
func (p *Process) Wait(ctx context.Context, timeout time.Duration) How {
	defer p.read.close()
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_ = p.cmd.Wait() // the exit code is in State
	}()
	how := until(ctx, timeout, waited)
	if how != Exited {
		endGroup(p.cmd.Process, waited)
		<-waited
	}
	p.tellEnded()
	p.read.drain(ctx)
	return how
}

// WaitAll is Wait for what runs in the background: it goes on as long as anything of it writes.
func (p *Process) WaitAll(ctx context.Context, timeout time.Duration) How {
	defer p.read.close()
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		<-p.read.done // the leader is waited for last: so long its number is nobody else's
		_ = p.cmd.Wait()
	}()
	how := until(ctx, timeout, waited)
	if how != Exited {
		endGroup(p.cmd.Process, waited)
		p.read.close() // who has left the group may hold them for ever
		<-waited
	}
	p.tellEnded()
	return how
}

func (p *Process) tellEnded() {
	for _, tell := range p.ended {
		tell()
	}
}

// EndRest ends what a program that Wait has waited for has left in its group.
func (p *Process) EndRest() {
	if alive(p.cmd.Process) {
		waited := make(chan struct{})
		close(waited)
		endGroup(p.cmd.Process, waited)
	}
}

// until waits for the first of the three.
func until(ctx context.Context, timeout time.Duration, waited <-chan struct{}) How {
	var late <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-waited:
		return Exited
	case <-late:
		return TimedOut
	case <-ctx.Done():
		return Cancelled
	}
}

// Shell is what runs a command line: bash, or what there is.
func Shell(command string) []string {
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil && !errors.Is(err, exec.ErrDot) {
			return []string{path, "-c", command}
		}
	}
	return lastShell(command)
}
