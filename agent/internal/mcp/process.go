// This file starts and ends the process of a server.

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/process"
)

const (
	// endGrace is how long a server may take to end after its input was closed, and again after it
	// was asked to end: most end at once, and the user waits for it at the end of the program.
	endGrace = 400 * time.Millisecond
	// writeTimeout is how long a server may leave its input unread before it counts as hung.
	writeTimeout = 10 * time.Second
	// outputGrace is how long to wait, after the end of stdout, for the exit of a process and its
	// last output. On a busy machine both may be late, and without them the error has no cause.
	outputGrace = time.Second
)

// passed returns the variables of the agent's environment that each server gets; env_from adds
// others.
func passed() []string {
	names := []string{"PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR"}
	if runtime.GOOS == "windows" { // hardly any program starts without these
		names = append(names, "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
			"PATHEXT", "COMSPEC")
	}
	return names
}

// child is the process of a started server.
type child struct {
	cmd    *exec.Cmd
	family *process.Family
	stdin  *input
	stdout *os.File
	said   *tail         // its stderr, and the lines on its stdout that are not messages
	quiet  chan struct{} // closed when stderr has ended
	heard  chan struct{} // closed when all of stdout has been read, or reading has stopped
	waited chan struct{} // closed when the process has ended
	// called returns when a tool was called first: what the server starts later, it may have
	// started for a call
	called func() process.Moment
}

// startProcess starts the server's process.
func (s *server) startProcess() (*child, error) {
	env, err := s.environment()
	if err != nil {
		return nil, permanent{err}
	}
	cmd := exec.Command(s.cfg.Command, s.cfg.Args...)
	cmd.Env, cmd.SysProcAttr = env, process.OwnGroup()
	cmd.Dir = s.m.o.Dir
	if filepath.IsAbs(s.cfg.CWD) {
		cmd.Dir = s.cfg.CWD
	} else if s.cfg.CWD != "" {
		cmd.Dir = filepath.Join(s.m.o.Dir, s.cfg.CWD)
	}
	if st, err := os.Stat(cmd.Dir); err != nil || !st.IsDir() {
		return nil, permanent{fmt.Errorf("cwd: %s is no directory", cmd.Dir)}
	}
	if !s.cfg.Unconfined {
		if err := s.m.o.Fence.Confine(cmd); err != nil {
			return nil, permanent{fmt.Errorf("sandbox: %w", err)}
		}
	}
	p := &child{cmd: cmd, family: s.m.o.Family, said: &tail{},
		quiet: make(chan struct{}), heard: make(chan struct{}), waited: make(chan struct{}),
		called: sync.OnceValue(process.Now)}
	if err := p.startProcess(); err != nil {
		return nil, permanent{fmt.Errorf("command: %w", err)}
	}
	return p, nil
}

// environment returns the environment of the server.
func (s *server) environment() ([]string, error) {
	var env []string
	for _, name := range passed() {
		if v, ok := s.m.o.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	for _, name := range s.cfg.EnvFrom {
		v, ok := s.m.o.LookupEnv(name)
		if !ok {
			return nil, fmt.Errorf("env_from: %s is not set in the environment of the agent", name)
		}
		env = append(env, name+"="+v)
	}
	for _, name := range slices.Sorted(maps.Keys(s.cfg.Env)) {
		env = append(env, name+"="+s.cfg.Env[name])
	}
	return env, nil
}

// startProcess starts the process and a reader of its stderr.
func (p *child) startProcess() error {
	// 0, 1: of its input; 2, 3: of its output; 4, 5: of its stderr; first the read end
	var ends []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ends)
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
		late, cancel := context.WithTimeout(context.Background(), outputGrace)
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

// endProcess ends the process and its group: it closes the input, then asks it to end, then kills
// it.
func (p *child) endProcess() {
	p.stdin.Close()
	if !p.gone(endGrace) {
		process.Terminate(p.cmd)
		p.gone(endGrace)
	}
	process.Kill(p.cmd.Process.Pid) // also remaining children
	p.gone(endGrace)
	p.stdout.Close()
}

// gone waits for the process to end, and reports whether it has.
func (p *child) gone(wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-p.waited:
		return true
	case <-t.C:
		return false
	}
}

// tellLeft tells the call of a tool that has ended what the server goes on running for it.
func (p *child) tellLeft(use *engine.Use) {
	p.family.Left(p.cmd.Process.Pid, p.called(), func(list []process.Relative) (ended func()) {
		return use.Leaves(process.Names(list))
	})
}

// explain adds the state of the process to err: the fact that it has ended is more useful than that
// it does not answer. If it ended because we closed it, err is returned unchanged.
func (p *child) explain(err error) error {
	if lost(err) && p.gone(outputGrace) {
		err = errors.New("its process has ended: " + plain.Ended(p.cmd.ProcessState))
		select {
		case <-p.quiet:
		case <-time.After(outputGrace):
		}
	}
	return fmt.Errorf("%w%s", err, p.said.lastWords())
}

// errGone is the error of a connection that has ended for an unknown reason.
var errGone = errors.New("the server has closed the connection")

// lost reports whether err only says that the other end is gone.
func lost(err error) bool {
	return slices.ContainsFunc([]error{errGone, io.EOF, io.ErrUnexpectedEOF, os.ErrClosed,
		io.ErrClosedPipe, syscall.EPIPE, sdk.ErrConnectionClosed},
		func(e error) bool { return errors.Is(err, e) })
}

// input is the server's stdin. A write that takes too long fails, and so does each one after it.
type input struct{ *os.File }

func (i *input) Write(b []byte) (int, error) {
	// if pipes do not support it, only timeouts end a server that does not read
	_ = i.SetWriteDeadline(time.Now().Add(writeTimeout))
	n, err := i.File.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		i.Close() // waiting writes would take as long again
		err = errors.New("it does not read its input")
	}
	return n, err
}

// errFlood is the error for a message that is too long.
var errFlood = fmt.Errorf("it sent a message of more than %d MB", maxMessage>>20)

// messages returns the messages on the server's stdout, one per line. Other output, which many
// programs write when they start, is treated like stderr.
func (p *child) messages() io.ReadCloser {
	return &messages{r: bufio.NewReaderSize(p.stdout, 64<<10), file: p.stdout, other: p.said,
		over: sync.OnceFunc(func() { close(p.heard) })}
}

type messages struct {
	r     *bufio.Reader
	file  *os.File
	other io.Writer
	over  func() // called when nothing more is read
	left  []byte // of a message
}

func (m *messages) Close() error {
	m.over()
	return m.file.Close()
}

func (m *messages) Read(b []byte) (int, error) {
	for len(m.left) == 0 {
		l, err := plain.ReadLine(m.r, maxMessage, func(int) error { return errFlood })
		if err == errFlood {
			l = nil
		}
		if isMessage(l) {
			m.left = append(bytes.TrimSpace(l), '\n')
		} else if len(l) > 0 {
			_, _ = m.other.Write(l)
		}
		if err != nil && len(m.left) == 0 {
			m.over()
			return 0, err
		}
	}
	n := copy(b, m.left)
	m.left = m.left[n:]
	return n, nil
}

func isMessage(l []byte) bool {
	l = bytes.TrimSpace(l)
	return len(l) > 0 && (l[0] == '{' || l[0] == '[') && bytes.Contains(l, []byte(`"jsonrpc"`)) &&
		json.Valid(l)
}
