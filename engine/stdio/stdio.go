// Package stdio runs programs that exchange lines with this one over their standard input and
// output.
//
//	p, err := stdio.Start(stdio.Command{Path: "/opt/weather", Env: env})
//	lines := p.Lines(isMessage, 16<<20)
//	p.Write([]byte("{\"type\":\"hello\"}\n"))
//	p.End()
//
// A program leads a process group and a session of its own, so it has no terminal, and it is ended
// with everything that it has started.
package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/process"
)

const (
	// endGrace is how long a program may take to end after its input was closed, and again after it
	// was asked to end: most end at once, and the user waits for it at the end of the agent.
	endGrace = 400 * time.Millisecond
	// writeTimeout is how long a program may leave its input unread before it counts as hung.
	writeTimeout = 10 * time.Second
	// OutputGrace is how long to wait, after the end of stdout, for the exit of a process and its
	// last output, and after its exit for the rest of stdout. On a busy machine both may be late,
	// and without them the error has no cause.
	OutputGrace = time.Second
)

// Command describes a program to start.
type Command struct {
	Path string // of the program; a name is looked up in PATH
	Args []string
	Dir  string
	Env  []string // NAME=value
	// Confine, if not nil, changes the command so that it runs in a sandbox: fence.Fence.Confine.
	Confine func(cmd *exec.Cmd) error
	Family  *process.Family // keeps track of what the program leaves running; may be nil
	Log     io.Writer       // gets what the program writes to stderr; may be nil
}

// Program is a running program. Its methods are safe for concurrent use.
type Program struct {
	cmd    *exec.Cmd
	family *process.Family
	stdin  *input
	stdout *os.File
	said   *tail         // its stderr, and the lines on its stdout that are not messages
	quiet  chan struct{} // closed when stderr has ended
	heard  chan struct{} // closed when all of stdout has been read, or reading has stopped
	hear   func()        // closes heard
	waited chan struct{} // closed when the process has ended
	ending sync.Once     // see End: to find what it has left takes long
	// used returns when Use was called first: what the program starts later, it may have started
	// for a call
	used func() process.Moment
}

// Environment returns the variables of this program's environment that each program gets: those
// needed to find files and other programs, and no keys.
func Environment(lookup func(name string) (string, bool)) (env []string) {
	names := []string{"PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR"}
	if runtime.GOOS == "windows" { // hardly any program starts without these
		names = append(names, "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
			"PATHEXT", "COMSPEC")
	}
	for _, name := range names {
		if v, ok := lookup(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// Start starts a program.
func Start(c Command) (*Program, error) {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = c.Env, c.Dir, process.OwnGroup()
	if name := plain.MissingInterpreter(cmd.Path); name != "" {
		return nil, fmt.Errorf("command: correct the first line of %s: there is no %s", cmd.Path,
			name)
	}
	if c.Confine != nil {
		if err := c.Confine(cmd); err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
	}
	p := &Program{cmd: cmd, family: c.Family, said: &tail{log: c.Log},
		quiet: make(chan struct{}), heard: make(chan struct{}), waited: make(chan struct{}),
		used: sync.OnceValue(process.Now)}
	p.hear = sync.OnceFunc(func() { close(p.heard) })
	if err := p.startProcess(); err != nil {
		return nil, fmt.Errorf("command: %w%s", err, plain.NotStarted(err.Error()))
	}
	return p, nil
}

// startProcess starts the process and a reader of its stderr.
func (p *Program) startProcess() error {
	// 0, 1: of its input; 2, 3: of its output; 4, 5: of its stderr; first the read end
	var ends []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ends)
			fence.Close(p.cmd)
			return err
		}
		ends = append(ends, r, w)
	}
	theirs := []*os.File{ends[0], ends[3], ends[5]}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	err := p.family.Start(p.cmd)
	fence.Close(p.cmd)
	if err != nil {
		closeAll(ends)
		return err
	}
	closeAll(theirs)
	p.stdin, p.stdout = &input{ends[1]}, ends[2]
	stderr := ends[4]
	go func() {
		defer close(p.quiet)
		_, _ = io.Copy(p.said, stderr) // to its end, or until it is closed
	}()
	go func() {
		_ = p.family.Wait(p.cmd)
		close(p.waited)
		// a child may hold the pipes
		late, cancel := context.WithTimeout(context.Background(), OutputGrace)
		defer cancel()
		for _, ended := range []chan struct{}{p.quiet, p.heard} {
			select {
			case <-ended:
			case <-late.Done():
			}
		}
		stderr.Close()
		p.stdout.Close() // no answer can arrive either
	}()
	return nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// End ends the program and its group: it closes the input, then asks it to end, then kills it. The
// process is gone when it returns.
func (p *Program) End() { p.ending.Do(p.endGroup) }

func (p *Program) endGroup() {
	p.stdin.file.Close()
	if !p.gone(endGrace) {
		process.Terminate(p.cmd)
		p.gone(endGrace)
	}
	process.Kill(p.cmd.Process.Pid) // also remaining children
	p.gone(endGrace)
	p.stdout.Close()
}

// Drain waits until the program has ended, and its stderr has been read.
func (p *Program) Drain() { <-p.quiet }

// Ended is closed when the process has ended.
func (p *Program) Ended() <-chan struct{} { return p.waited }

// gone waits for the process to end, and reports whether it has.
func (p *Program) gone(wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-p.waited:
		return true
	case <-t.C:
		return false
	}
}

// Use says that a call begins that the program answers: see Left.
func (p *Program) Use() { p.used() }

// Left calls left if the program still runs, or has left running, what it has started since the
// first Use: see process.Family.Left.
func (p *Program) Left(left func([]process.Relative) (ended func())) {
	p.family.Left(p.cmd.Process.Pid, p.used(), left)
}

// Explain adds to an error of the connection what the program wrote last, once. If lost says that
// the program is gone, its end becomes the error, which is more useful than that it does not
// answer.
func (p *Program) Explain(err error, lost bool) error {
	if errors.As(err, new(*explained)) {
		return err
	}
	if lost && p.gone(OutputGrace) {
		err = errors.New("its process has ended: " + plain.Ended(p.cmd.ProcessState))
		select {
		case <-p.quiet:
		case <-time.After(OutputGrace):
		}
	}
	words := p.said.lastWords()
	return &explained{fmt.Errorf("%w%s%s", err, words, plain.NotStarted(words))}
}

// explained is an error to which Explain has added what the program wrote last.
type explained struct{ error }

// Unwrap returns the error.
func (e *explained) Unwrap() error { return e.error }
