// This file starts the process of a server, and ends it.

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

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// endGrace is how long a server has to end once its input is closed, and then again once it is
	// told to end: most are gone at once, and the user waits for it at the end of the program.
	endGrace = 400 * time.Millisecond
	// writeTimeout is how long a server may leave its input unread: it hangs then.
	writeTimeout = 10 * time.Second
	// wordsGrace is how long to wait for the exit of a process and its last output once its stdout
	// has ended. On a busy machine both may be late, and without them the error has no cause.
	wordsGrace = time.Second
)

// passed are the variables of the agent's environment that each server gets; it asks for others by
// env_from.
func passed() []string {
	names := []string{"PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR"}
	if runtime.GOOS == "windows" { // without these hardly a program starts there
		names = append(names, "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
			"PATHEXT", "COMSPEC")
	}
	return names
}

// process is a server that was started.
type process struct {
	cmd    *exec.Cmd
	stdin  *input
	stdout *os.File
	said   *tail         // its stderr, and the lines on its stdout that are no messages
	quiet  chan struct{} // closed when stderr has ended
	heard  chan struct{} // closed when all of stdout has been read, or nobody reads it any more
	waited chan struct{} // closed when it has ended
}

// startProcess starts the server's process.
func (s *server) startProcess() (*process, error) {
	env, err := s.environment()
	if err != nil {
		return nil, permanent{err}
	}
	cmd := exec.Command(s.cfg.Command, s.cfg.Args...)
	cmd.Env, cmd.SysProcAttr = env, ownGroup()
	cmd.Dir = s.m.o.Dir
	if filepath.IsAbs(s.cfg.CWD) {
		cmd.Dir = s.cfg.CWD
	} else if s.cfg.CWD != "" {
		cmd.Dir = filepath.Join(s.m.o.Dir, s.cfg.CWD)
	}
	if st, err := os.Stat(cmd.Dir); err != nil || !st.IsDir() {
		return nil, permanent{fmt.Errorf("cwd: %s is no directory", cmd.Dir)}
	}
	p := &process{cmd: cmd, said: &tail{}, quiet: make(chan struct{}), heard: make(chan struct{}),
		waited: make(chan struct{})}
	if err := p.startProcess(); err != nil {
		return nil, permanent{fmt.Errorf("command: %w", err)}
	}
	return p, nil
}

// environment is what the server gets.
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

// startProcess starts the process and what reads its stderr.
func (p *process) startProcess() error {
	// 0, 1: of its input; 2, 3: of its output; 4, 5: of its stderr; each to read, to write
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
	if err := p.cmd.Start(); err != nil {
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
		_ = p.cmd.Wait()
		close(p.waited)
		// a child of it may hold the pipes
		late, cancel := context.WithTimeout(context.Background(), wordsGrace)
		defer cancel()
		for _, ended := range []chan struct{}{p.quiet, p.heard} {
			select {
			case <-ended:
			case <-late.Done():
			}
		}
		stderr.Close()
		p.stdout.Close() // nor is there an answer to come
	}()
	return nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// endProcess ends the process with all of its group: its input is closed, then it is told to end,
// then killed.
func (p *process) endProcess() {
	p.stdin.Close()
	if !p.gone(endGrace) {
		endGroup(p.cmd.Process)
		p.gone(endGrace)
	}
	killGroup(p.cmd.Process) // also what it has left behind
	p.gone(endGrace)
	p.stdout.Close()
}

// gone reports whether the process has ended, and waits for that.
func (p *process) gone(wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-p.waited:
		return true
	case <-t.C:
		return false
	}
}

// explain adds the state of the process to err: that it has ended is more useful than that it does
// not answer. It may also have ended because we closed it, so other errors are returned unchanged.
func (p *process) explain(err error) error {
	if lost(err) && p.gone(wordsGrace) {
		err = errors.New("its process has ended: " + plain.Ended(p.cmd.ProcessState))
		select {
		case <-p.quiet:
		case <-time.After(wordsGrace):
		}
	}
	return fmt.Errorf("%w%s", err, p.said.lastWords())
}

// errGone is the error of a connection that has ended, and nothing says why.
var errGone = errors.New("the server has closed the connection")

// lost reports whether err says no more than that there is nobody at the other end.
func lost(err error) bool {
	return slices.ContainsFunc([]error{errGone, io.EOF, io.ErrUnexpectedEOF, os.ErrClosed,
		io.ErrClosedPipe, syscall.EPIPE, sdk.ErrConnectionClosed},
		func(e error) bool { return errors.Is(err, e) })
}

// input is the server's stdin. A write that takes too long fails, and so does each one after it.
type input struct{ *os.File }

func (i *input) Write(b []byte) (int, error) {
	// where pipes have none, a server that does not read is left to its timeouts
	_ = i.SetWriteDeadline(time.Now().Add(writeTimeout))
	n, err := i.File.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		i.Close() // what waits to be written would take as long again
		err = errors.New("it does not read its input")
	}
	return n, err
}

// errFlood is the error of a message that is too long.
var errFlood = fmt.Errorf("it sent a message of more than %d MB", maxMessage>>20)

// messages is the server's stdout: lines that are messages. What else is written there, as many a
// program does when it starts, goes where stderr goes.
func (p *process) messages() io.ReadCloser {
	return &messages{r: bufio.NewReaderSize(p.stdout, 64<<10), file: p.stdout, other: p.said,
		over: sync.OnceFunc(func() { close(p.heard) })}
}

type messages struct {
	r     *bufio.Reader
	file  *os.File
	other io.Writer
	over  func() // nothing more is read
	left  []byte // of a message
}

func (m *messages) Close() error {
	m.over()
	return m.file.Close()
}

func (m *messages) Read(b []byte) (int, error) {
	for len(m.left) == 0 {
		l, err := m.line()
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

// line reads a line, of bounded length.
func (m *messages) line() (l []byte, err error) {
	for {
		part, err := m.r.ReadSlice('\n')
		if len(l)+len(part) > maxMessage {
			return nil, errFlood
		}
		l = append(l, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}

func isMessage(l []byte) bool {
	l = bytes.TrimSpace(l)
	return len(l) > 0 && (l[0] == '{' || l[0] == '[') && bytes.Contains(l, []byte(`"jsonrpc"`)) &&
		json.Valid(l)
}
