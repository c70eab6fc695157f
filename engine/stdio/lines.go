// This file holds what is written to and read from a program.

package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	maxTail  = 4 << 10 // bytes of stderr that are kept for errors
	maxWords = 500     // bytes of it in an error
)

// input is the program's stdin. A write that takes too long fails, and so does each one after it.
type input struct{ file *os.File }

func (i *input) Write(b []byte) (int, error) {
	// if pipes do not support it, only timeouts end a program that does not read
	_ = i.file.SetWriteDeadline(time.Now().Add(writeTimeout))
	n, err := i.file.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		i.file.Close() // waiting writes would take as long again
		err = errors.New("it does not read its input")
	}
	return n, err
}

// Write writes to the program's input. It fails if the program does not read for 10 s. Only one
// goroutine may write.
func (p *Program) Write(b []byte) (int, error) { return p.stdin.Write(b) }

// WriteSome writes as much as the program takes at once: less than all of b if it does not read.
func (p *Program) WriteSome(b []byte) (int, error) { return writeSome(p.stdin.file, b) }

// Close closes the program's input. It implements io.Closer.
func (p *Program) Close() error { return p.stdin.file.Close() }

// Lines returns the lines of the program's output that are messages, with their newlines. Other
// lines, which many programs write when they start, are treated like stderr. A line of more than
// most bytes is an error. It must be called once, and read by one goroutine.
func (p *Program) Lines(isMessage func(line []byte) bool, most int) io.ReadCloser {
	return &lines{p: p, r: bufio.NewReaderSize(p.stdout, 64<<10), isMessage: isMessage, most: most}
}

type lines struct {
	p         *Program
	r         *bufio.Reader
	isMessage func(line []byte) bool
	most      int
	left      []byte // of a message
}

// Close implements io.Closer.
func (m *lines) Close() error {
	m.p.hear()
	return m.p.stdout.Close()
}

// Read implements io.Reader.
func (m *lines) Read(b []byte) (int, error) {
	flood := false
	for len(m.left) == 0 {
		l, err := plain.ReadLine(m.r, m.most, func(int) error {
			flood = true
			return fmt.Errorf("it sent a message of more than %d MB", m.most>>20)
		})
		if flood {
			l = nil
		}
		if m.isMessage(l) {
			m.left = append(bytes.TrimSpace(l), '\n')
		} else if len(l) > 0 {
			_, _ = m.p.said.Write(l)
		}
		if err != nil && len(m.left) == 0 {
			m.p.hear()
			return 0, err
		}
	}
	n := copy(b, m.left)
	m.left = m.left[n:]
	return n, nil
}

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	log io.Writer // gets everything; may be nil
	mu  sync.Mutex
	b   []byte
}

// Write never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = plain.AppendTail(t.b, b, maxTail)
	if t.log != nil {
		_, _ = t.log.Write(b) // the log of a program that works must not stop it
	}
	return len(b), nil
}

// lastWords returns the last lines, as the end of an error message; "" if there are none.
func (t *tail) lastWords() string {
	const lines = 5
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(plain.Text(string(t.b)))
	if text == "" {
		return ""
	}
	all := strings.Split(text, "\n")
	last := strings.Join(all[max(0, len(all)-lines):], " | ")
	if len(last) > maxWords {
		last = "..." + plain.Tail(last, maxWords)
	}
	return fmt.Sprintf("; its last words: %s", last)
}
