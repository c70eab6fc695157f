// This file sends lines to a program.

package peer

import (
	"bytes"
	"errors"
	"fmt"
)

const (
	// mostQueued and mostBytes limit the lines that wait because a program does not read its input.
	// A program that lets them grow further is ended.
	mostQueued = 256
	mostBytes  = 64 << 20
	// mostLine limits a line of a program in bytes: a longer one ends the connection.
	mostLine = 64 << 20
)

// errDeaf is the end of a program that lets too many lines wait.
var errDeaf = fmt.Errorf("it does not read its input: %d lines or %d MB wait for it", mostQueued,
	mostBytes>>20)

// Send sends a line to the program, or queues it if the program does not read: it does not wait for
// it.
func (p *Peer) Send(line []byte) error {
	select {
	case <-p.dead:
		return p.err
	default:
	}
	if err := p.writeOrQueue(line); err != nil {
		p.Fail(p.program.Explain(err, !errors.Is(err, errDeaf)))
		return p.err
	}
	return nil
}

// writeOrQueue writes a line if the program reads and nothing waits: another goroutine would take
// as long to begin as the write takes.
func (p *Peer) writeOrQueue(line []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return nil // it is the past
	}
	if len(p.queue) == 0 {
		n, err := p.program.WriteSome(line)
		if line = line[n:]; err != nil || len(line) == 0 {
			return err
		}
	}
	// a single line may be larger than the limit
	if len(p.queue) >= mostQueued || len(p.queue) > 0 && p.bytes+len(line) > mostBytes {
		return errDeaf
	}
	p.queue, p.bytes = append(p.queue, line), p.bytes+len(line)
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return nil
}

// writeLines sends the queued lines, until the program is dead.
func (p *Peer) writeLines() {
	for {
		p.mu.Lock()
		var line []byte
		if len(p.queue) > 0 {
			line = p.queue[0]
		}
		p.mu.Unlock()
		if line == nil {
			select {
			case <-p.wake:
				continue
			case <-p.dead:
				return
			}
		}
		if _, err := p.program.Write(line); err != nil {
			p.Fail(p.program.Explain(err, lost(err)))
			return
		}
		p.mu.Lock()
		p.queue, p.bytes = p.queue[1:], p.bytes-len(line)
		last := p.closing && len(p.queue) == 0
		p.mu.Unlock()
		if last {
			p.program.Close()
			return
		}
	}
}

// lost reports whether an error of a pipe says that the other end is gone.
func lost(err error) bool {
	var hung interface{ Timeout() bool }
	return !errors.As(err, &hung) || !hung.Timeout()
}

// IsObject reports whether a line is meant as a JSON object. Other lines go to the log.
func IsObject(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] == '{'
}
