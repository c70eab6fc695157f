// This file starts a program, and waits for its end.

package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/internal/launch"
	"github.com/agentscripts/agent/engine/ui"
)

const (
	// TermGrace is how long processes have to clean up before they are killed. It is short because
	// an interrupt must take effect within 100 ms, of which a terminal takes 50 to tell the esc key
	// from the beginning of an escape sequence.
	TermGrace = 30 * time.Millisecond
	// pipeGrace is how long to wait for more output after the program has ended: its background
	// processes may hold the pipes forever.
	pipeGrace = 250 * time.Millisecond
	// drainTime and drainBytes limit the reading of the rest in the pipes: the program's own output
	// is at most the content of two pipes, and its background processes may write forever.
	drainTime  = 10 * time.Second
	drainBytes = 2 * chunkBytes
	// deliveryTime is how long readers may take to deliver what they have read, at the end.
	deliveryTime = 2 * time.Second
)

// Command describes the program to start.
type Command struct {
	Argv  []string // Argv[0] is the path of the program: it is not looked up
	Dir   string
	Env   []string // NAME=value; nil: this program's own
	Stdin string   // "": no input
	// Terminal, if not nil, is the user's: the program gets a terminal of its own that shows on it
	// and takes its keys, instead of Stdin and Output.
	Terminal *ui.Terminal
	// Output is called with the program's output as it arrives: whole characters of valid UTF-8.
	// Each stream has its own goroutine; until Output returns, the program blocks once the pipe is
	// full.
	Output func(chunk string, stderr bool)
	// Ended, if not nil, is called by Wait and WaitAll once the program has ended. The rest in its
	// pipes is then read for a moment only, so Output should no longer block.
	Ended func()
	// Started, if not nil, is called with the PID of the program once it runs, before Output. The
	// function that it returns is called once the program has ended and been waited for.
	Started func(pid int) (ended func())
	// Confine, if not nil, changes the command so that it runs in a sandbox: fence.Fence.Confine.
	// After an error it is not started. Its ExtraFiles are closed once it runs.
	Confine func(cmd *exec.Cmd) error
	// Family keeps track of what the program leaves running; may be nil.
	Family *Family
}

// Process is a running program.
type Process struct {
	cmd   *exec.Cmd
	read  *readers
	space *space // until a Wait has returned
	held  bool
	// the process that was started is not the program, but its parent
	parent bool
	ended  []func()

	family *Family
	began  Moment
}

// How is how a program ended.
type How int

// The ways to end.
const (
	Exited    How = iota // by itself, or by a signal from elsewhere
	TimedOut             // the timeout passed
	Cancelled            // the context ended
)

// Start starts a program.
func Start(c Command) (*Process, error) {
	// not CommandContext: it kills one process, not its group
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.SysProcAttr = OwnGroup()
	if c.Stdin != "" {
		cmd.Stdin = strings.NewReader(c.Stdin)
		// a process that inherits the input and does not read it must not block Wait
		cmd.WaitDelay = pipeGrace
	}
	if c.Confine != nil {
		if err := c.Confine(cmd); err != nil {
			return nil, err
		}
	}
	adopts, err := adopting(cmd, c.Family)
	if err != nil {
		return nil, err
	}
	read, err := streams(cmd, &c)
	if err != nil {
		return nil, err
	}
	began := Now()
	err = c.Family.Start(cmd)
	for _, file := range cmd.ExtraFiles {
		file.Close()
	}
	if err != nil {
		read.close()
		return nil, err
	}
	p := &Process{cmd: cmd, read: read, space: ownSpace(cmd.Process.Pid), family: c.Family,
		began: began, parent: adopts}
	p.held = adopts || p.space != nil
	if c.Started != nil { // before Output: its readers may rely on that
		p.ended = append(p.ended, c.Started(p.PID()))
	}
	read.started()
	if c.Ended != nil {
		p.ended = append(p.ended, c.Ended)
	}
	return p, nil
}

// streams connects the program's output, or its terminal.
func streams(cmd *exec.Cmd, c *Command) (*readers, error) {
	if c.Terminal != nil {
		return onTerminal(cmd, c.Terminal)
	}
	return pipes(cmd, c.Output)
}

// PID returns the id of the process that was started, and of its session: on Linux, that of the
// program's parent if the program is confined or has a Family. The parent ends as the program does.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Group returns the id of the program's process group; PID, if the program has ended. On Linux it
// waits until the program has been started.
func (p *Process) Group() int {
	if !p.parent {
		return p.PID()
	}
	return groupIn(p.PID())
}

// Held reports whether all processes that the program starts are known, so that a timeout ends
// them too: on Linux, if it is confined or has a Family. Otherwise a process that starts a session
// of its own and loses its parent is not ended.
func (p *Process) Held() bool { return p.held }

// adopting changes cmd so that a parent of the program is started, which adopts what the program
// leaves. It reports whether that is so.
func adopting(cmd *exec.Cmd, f *Family) (bool, error) {
	if f == nil || !f.adopts {
		return launch.Through(cmd), nil
	}
	return launch.Adopting(cmd)
}

// State returns how the program ended, once a Wait has returned.
func (p *Process) State() *os.ProcessState { return p.cmd.ProcessState }

// Wait waits until the program has ended and its output has been read. After a timeout (0 = none),
// or when ctx ends, Wait returns when the whole process group has ended. If the program ends by
// itself, its background processes continue: see EndRest.
func (p *Process) Wait(ctx context.Context, timeout time.Duration) How {
	defer p.read.close()
	defer p.space.release()
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_ = p.family.Wait(p.cmd) // the exit code is in State
	}()
	how := until(ctx, timeout, waited)
	if how != Exited {
		p.newHunt().end(waited)
		<-waited
	}
	p.tellEnded()
	p.read.drain(ctx)
	return how
}

// WaitAll is like Wait, for background commands: it waits as long as any process of the group
// writes.
func (p *Process) WaitAll(ctx context.Context, timeout time.Duration) How {
	defer p.read.close()
	defer p.space.release()
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		<-p.read.done // the leader is waited for last: until then its PID is not reused
		_ = p.family.Wait(p.cmd)
	}()
	how := until(ctx, timeout, waited)
	if how != Exited {
		p.newHunt().end(waited)
		p.read.close() // processes that left the group may hold them forever
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

func (p *Process) newHunt() *hunt { return &hunt{leader: p.PID(), in: p.space, parent: p.parent} }

// EndRest ends what remains of the session of a program that Wait has waited for, and what those
// processes have started. Without process groups, it does nothing.
func (p *Process) EndRest() {
	if p.family.leavesNothing(p.began) || !sessionRuns(p.PID()) {
		return
	}
	waited := make(chan struct{})
	close(waited)
	(&hunt{leader: p.PID()}).end(waited)
}

// Left calls left if the program, which Wait or WaitAll has waited for, has left processes running:
// see Family.Left.
func (p *Process) Left(left func([]Relative) (ended func())) {
	p.family.Left(p.PID(), p.began, left)
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

// Shell returns the arguments that run a command line: with bash, or the shell that exists.
func Shell(command string) []string {
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil && !errors.Is(err, exec.ErrDot) {
			return []string{path, "-c", command}
		}
	}
	return lastShell(command)
}
