// This file reads the lines of a program. Whoever has the token reads: a goroutine of the program's
// own, or one that waits for an answer, which gets it without being woken by another.

package peer

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/agentscripts/agent/engine/stdio"
)

// idle is how long nothing is asked until the program's own goroutine reads again.
const idle = 5 * time.Millisecond

// Talk sends the lines that wait, and passes each line of the program that is meant as a JSON
// object to receive, which gets one at a time and reports whether somebody waited for the line. It
// does not wait. When the output ends, the program is dead.
func (p *Peer) Talk(receive func(line []byte) bool) {
	p.receive, p.messages = receive, p.program.Messages(IsObject, mostLine)
	p.host.ending.Go(func() {
		p.readIdle()
		p.program.Drain() // what it writes is logged
	})
	go p.writeLines()
	p.token <- struct{}{}
}

// readIdle reads while nobody waits for an answer, to the end of the output.
func (p *Peer) readIdle() {
	for ended := false; !ended; {
		<-p.token
		for answered := false; !answered && !ended; {
			answered, ended = p.readLine()
		}
		p.token <- struct{}{}
		for before := int64(-1); !ended && before != p.asked.Load(); { // more may be asked at once
			before = p.asked.Load()
			time.Sleep(idle)
		}
	}
}

// readLine reads a line, and reports whether somebody waited for it, and whether the output has
// ended. Only who has the token may call it.
func (p *Peer) readLine() (answered, ended bool) {
	line, err := p.messages.Next()
	switch {
	case err == nil:
		return p.receive(line), false
	case errors.Is(err, stdio.ErrInterrupted):
		p.messages.Resume()
		return false, false
	case errors.Is(err, io.EOF):
		err = errors.New("it has closed its output")
	}
	p.Fail(p.program.Explain(err, true))
	return false, true
}

// awaitAnswer reads until the answer is there, or the context ends. It has the token.
func awaitAnswer[A any](ctx context.Context, p *Peer, answer <-chan A) {
	defer func() { p.token <- struct{}{} }()
	stop := context.AfterFunc(ctx, p.messages.Interrupt)
	defer stop()
	for ended := false; !ended && ctx.Err() == nil && len(answer) == 0; {
		_, ended = p.readLine()
	}
}
