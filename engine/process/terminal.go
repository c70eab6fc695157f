// This file gives programs a terminal.

package process

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/creack/pty"

	"github.com/agentscripts/agent/engine/ui"
)

// sizeStep is how often the size of the user's terminal is compared with that of the program's: few
// programs draw again more often.
const sizeStep = 200 * time.Millisecond

// onTerminal gives a program a pseudo-terminal of its own, as its controlling terminal, instead of
// pipes. What the program writes goes to the user's terminal, and what the user types to the
// program. So the program never holds the user's terminal: it cannot keep it, change its modes, or
// put text into its input (TIOCSTI). Source: pty(7), ioctl_tty(2).
func onTerminal(cmd *exec.Cmd, t *ui.Terminal) (*readers, error) {
	ours, theirs, err := pty.Open()
	if err != nil {
		return nil, err
	}
	fitSize(ours, t, 0, 0)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	controlTerminal(cmd)
	r := &readers{done: make(chan struct{}), ours: []*os.File{ours}, theirs: []*os.File{theirs},
		tty: true}
	r.begin = sync.OnceFunc(func() {
		go func() {
			defer close(r.done)
			_, _ = io.Copy(counted{t.Out, r}, ours) // ends with the last process that has it
		}()
		go func() { _, _ = io.Copy(ours, t.In) }() // ends with t.In
		go followSize(ours, t, r.done)
	})
	return r, nil
}

// counted is a writer that counts for drain.
type counted struct {
	io.Writer
	read *readers
}

// Write implements io.Writer.
func (c counted) Write(b []byte) (int, error) {
	c.read.busy.Add(1)
	defer c.read.busy.Add(-1)
	c.read.read.Add(int64(len(b)))
	return c.Writer.Write(b)
}

// followSize gives the program's terminal the size of the user's until done is closed.
func followSize(ours *os.File, t *ui.Terminal, done <-chan struct{}) {
	ticker := time.NewTicker(sizeStep)
	defer ticker.Stop()
	width, height := t.Size()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			width, height = fitSize(ours, t, width, height)
		}
	}
}

// fitSize gives the program's terminal the size of the user's if that is no longer width and
// height, and returns it.
func fitSize(ours *os.File, t *ui.Terminal, width, height int) (newWidth, newHeight int) {
	w, h := t.Size()
	if w != width || h != height {
		// fails if the program has just ended
		_ = pty.Setsize(ours, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
	}
	return w, h
}
