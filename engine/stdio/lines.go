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

// Messages are the lines of a program's output that are messages. Other lines, which many programs
// write when they start, are treated like stderr. One goroutine at a time reads them.
type Messages struct {
	p         *Program
	r         *bufio.Reader
	isMessage func(line []byte) bool
	most      int
	part      []byte // of a line, which was read before an interruption
}

// Messages returns the messages of the program. A line of more than most bytes is an error. It must
// be called once.
func (p *Program) Messages(isMessage func(line []byte) bool, most int) *Messages {
	return &Messages{p: p, r: bufio.NewReaderSize(p.stdout, 64<<10), isMessage: isMessage,
		most: most}
}

// ErrInterrupted is the error of Next after Interrupt. Nothing is lost.
var ErrInterrupted = errors.New("interrupted")

// Next returns the next message, which ends with its only newline.
func (m *Messages) Next() ([]byte, error) {
	for {
		flood := false
		l, err := plain.ReadLine(m.r, m.most-len(m.part), func(int) error {
			flood = true
			return fmt.Errorf("it sent a message of more than %d MB", m.most>>20)
		})
		if errors.Is(err, os.ErrDeadlineExceeded) {
			m.part = append(m.part, l...)
			return nil, ErrInterrupted
		}
		if len(m.part) > 0 {
			l, m.part = append(m.part, l...), nil
		}
		if flood {
			l = nil
		}
		if err != nil {
			m.p.hear()
		}
		if m.isMessage(l) {
			return append(bytes.TrimSpace(l), '\n'), nil
		}
		if len(l) > 0 {
			_, _ = m.p.said.Write(l)
		}
		if err != nil {
			return nil, err
		}
	}
}

// Interrupt makes Next return, now and until Resume is called. It may be called by any goroutine.
func (m *Messages) Interrupt() { _ = m.p.stdout.SetReadDeadline(time.Unix(1, 0)) }

// Resume ends the effect of Interrupt.
func (m *Messages) Resume() { _ = m.p.stdout.SetReadDeadline(time.Time{}) }

// Lines returns the messages of the program as one stream. It must be called once, and read by one
// goroutine.
func (p *Program) Lines(isMessage func(line []byte) bool, most int) io.ReadCloser {
	return &lines{messages: p.Messages(isMessage, most)}
}

type lines struct {
	messages *Messages
	left     []byte // of a message
}

// Close implements io.Closer.
func (l *lines) Close() error {
	l.messages.p.hear()
	return l.messages.p.stdout.Close()
}

// Read implements io.Reader.
func (l *lines) Read(b []byte) (int, error) {
	if len(l.left) == 0 {
		var err error
		if l.left, err = l.messages.Next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, l.left)
	l.left = l.left[n:]
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
