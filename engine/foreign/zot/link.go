// This file is the connection to a program: frames are queued, sent, received, and matched with
// what waits for them.

package zot

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/stdio"
	"github.com/agentscripts/agent/engine/vm"
)

const (
	// mostQueued and mostBytes limit the frames that wait because a program does not read its
	// input. A program that lets them grow further is ended.
	mostQueued = 256
	mostBytes  = 64 << 20
	// mostHeard is how many frames that nobody waits for may wait to be handled; more are dropped.
	mostHeard = 1000
)

// endGrace is how long a program may take to end after shutdown and the end of its input.
var endGrace = 2 * time.Second

// link is an extension that runs. It implements engine.VM.
type link struct {
	extapi.API
	format     *Format
	manifest   manifest
	program    *stdio.Program
	turn       *vm.Turn // its end makes the engine load the extension again
	started    time.Time
	panels     panels
	subscribed subscriptions // only used while it registers

	setup chan *frame   // frames until it is ready
	heard chan *frame   // frames that nobody waits for
	ready chan struct{} // closed when it is in force: nothing can be registered any more
	dead  chan struct{} // closed when the program is gone, or is no longer used
	calls atomic.Int32  // of tools by the program, which have not ended
	once  sync.Once
	err   error // why; set before dead is closed

	mu      sync.Mutex
	queue   [][]byte
	bytes   int           // in queue
	wake    chan struct{} // capacity 1: queue has frames
	waiting questions
	ids     int
	closing bool // Close was called: its end is expected, and shutdown is the last frame
}

// question is what the program has not answered yet.
type question struct {
	run    *engine.Run // which waits
	answer chan *frame // capacity 1
}

// questions are the questions that the program has not answered, by id.
type questions map[string]*question

// cause returns the context of what the program does by itself. A frame does not say for which
// question the program sends it: it counts as caused by the one that is the end of the longest
// chain of actions, so that no circle is endless. The error reports a circle.
func (qs questions) cause() (context.Context, error) {
	var last *engine.Run
	most := 0
	for _, q := range qs {
		_, depth, err := q.run.Cause()
		if err != nil {
			return nil, err
		}
		if depth > most {
			last, most = q.run, depth
		}
	}
	if last == nil {
		return context.Background(), nil
	}
	return last.CauseBeyond()
}

// fail marks the connection as dead; the first reason counts.
func (l *link) fail(err error) {
	l.once.Do(func() {
		l.err = err
		close(l.dead)
	})
}

// send sends a frame to the program, or queues it if the program does not read: it does not wait
// for it.
func (l *link) send(m message) error {
	line, err := m.encode()
	if err != nil {
		return err
	}
	select {
	case <-l.dead:
		return l.err
	default:
	}
	if err := l.writeOrQueue(line); err != nil {
		l.fail(l.program.Explain(err, !errors.Is(err, errDeaf)))
		return l.err
	}
	return nil
}

// errDeaf is the end of a program that lets too many frames wait.
var errDeaf = fmt.Errorf("it does not read its input: %d frames or %d MB wait for it",
	mostQueued, mostBytes>>20)

// writeOrQueue writes a line if the program reads and nothing waits: another goroutine would take
// as long to begin as the write takes.
func (l *link) writeOrQueue(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing {
		return nil // it is the past
	}
	if len(l.queue) == 0 {
		n, err := l.program.WriteSome(line)
		if line = line[n:]; err != nil || len(line) == 0 {
			return err
		}
	}
	// a single frame may be larger than the limit
	if len(l.queue) >= mostQueued || len(l.queue) > 0 && l.bytes+len(line) > mostBytes {
		return errDeaf
	}
	l.queue, l.bytes = append(l.queue, line), l.bytes+len(line)
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return nil
}

// writeFrames sends the queued frames, until the connection is dead.
func (l *link) writeFrames() {
	for {
		l.mu.Lock()
		var line []byte
		if len(l.queue) > 0 {
			line = l.queue[0]
		}
		l.mu.Unlock()
		if line == nil {
			select {
			case <-l.wake:
				continue
			case <-l.dead:
				return
			}
		}
		if _, err := l.program.Write(line); err != nil {
			l.fail(l.program.Explain(err, lost(err)))
			return
		}
		l.mu.Lock()
		l.queue, l.bytes = l.queue[1:], l.bytes-len(line)
		last := l.closing && len(l.queue) == 0
		l.mu.Unlock()
		if last {
			l.program.Close()
			return
		}
	}
}

// lost reports whether an error of a pipe says that the other end is gone.
func lost(err error) bool {
	var hung interface{ Timeout() bool }
	return !errors.As(err, &hung) || !hung.Timeout()
}

// askProgram sends a frame with an id, and waits for the answer to it.
func (l *link) askProgram(run *engine.Run, m message) (*frame, error) {
	ctx, answer := run.Context(), make(chan *frame, 1)
	l.mu.Lock()
	l.ids++
	id := strconv.Itoa(l.ids)
	l.waiting[id] = &question{run, answer}
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waiting, id)
		l.mu.Unlock()
	}()
	m["id"] = id
	if err := l.send(m); err != nil {
		return nil, err
	}
	select {
	case f := <-answer:
		return f, f.wrong
	case <-ctx.Done():
		if m["type"] == "tool_call" {
			_ = l.send(message{"type": "tool_cancel", "id": id})
		}
		return nil, context.Cause(ctx)
	case <-l.dead:
		select { // it may have answered before its end
		case f := <-answer:
			return f, f.wrong
		default:
		}
		return nil, l.err
	}
}

// readFrames passes on the frames of the program, until its output ends.
func (l *link) readFrames(lines io.ReadCloser) {
	in := bufio.NewReaderSize(lines, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("it has closed its output")
			}
			l.fail(l.program.Explain(err, true))
			return
		}
		f := &frame{}
		if err := json.Unmarshal(line, f); err != nil {
			f.wrong = fmt.Errorf("a frame %.40q is not understood: %w", f.Type, err)
		}
		l.receive(f)
	}
}

// receive passes a frame to what waits for it.
func (l *link) receive(f *frame) {
	switch f.Type {
	case "tool_result", "command_response", "event_intercept_response":
		l.mu.Lock()
		asked := l.waiting[f.ID]
		delete(l.waiting, f.ID) // the first answer counts
		l.mu.Unlock()
		if asked == nil {
			l.Log("warn",
				fmt.Sprintf("a %s has the id %.40q, for which nothing waits", f.Type, f.ID))
			return
		}
		asked.answer <- f
		return
	case "hello", "ready", "subscribe", "register_command", "register_tool":
		select {
		case <-l.ready:
			late(l, f)
		case l.setup <- f:
		case <-l.dead:
		}
		return
	}
	if f.wrong != nil {
		l.Log("warn", f.wrong.Error())
		return
	}
	if f.Type == "call_tool" { // now: later frames may be answers
		l.mu.Lock()
		f.cause, f.circle = l.waiting.cause()
		l.mu.Unlock()
	}
	select {
	case l.heard <- f:
	default:
		l.Log("warn", "a frame was dropped, because too many wait: "+f.Type)
	}
}

// late reports a registration that comes after ready.
func late(l *link, f *frame) {
	if f.Type == "ready" || f.Type == "hello" {
		return
	}
	l.Tell("warn", fmt.Sprintf("%s %s came after the extension was ready, and has no effect: "+
		"send ready last", f.Type, f.Name))
}

// Close implements engine.VM: it asks the program to end, and ends it. It does not wait: calls of
// other scripts may go on meanwhile.
func (l *link) Close() {
	_ = l.send(message{"type": "shutdown"}) // it may be gone
	l.mu.Lock()
	l.closing = true
	drained := len(l.queue) == 0
	l.mu.Unlock()
	if drained { // else writeFrames does it
		l.program.Close()
	}
	l.format.ending.Go(func() {
		select {
		case <-l.program.Ended():
		case <-time.After(endGrace):
		}
		l.fail(vm.ErrClosed)
		l.program.End()
	})
}

// watchEnd gives the extension up when its program ends by itself, so that it is loaded again.
func (l *link) watchEnd() {
	<-l.dead
	l.program.End()
	l.mu.Lock()
	closing := l.closing
	l.mu.Unlock()
	if closing {
		return
	}
	g := l.Bind.Gen
	g.Failed(l.err, "process", 0)
	gone := make(chan struct{}) // replaced, by the user or by a program that works
	stop := g.Gone(func() { close(gone) })
	defer stop()
	started, replace := l.started, func() {}
	for first := true; ; first = false {
		pause := time.NewTimer(l.format.pause(g.Path, started))
		select {
		case <-pause.C:
		case <-gone:
			pause.Stop()
			return
		}
		if started = time.Now(); first {
			var ok bool
			if replace, ok = giveUp(l); !ok {
				return
			}
		}
		replace()
	}
}

// giveUp ends the use of an extension. replace loads it again, and returns when that has
// succeeded or failed.
func giveUp(l *link) (replace func(), ok bool) {
	run := l.NewRun(context.Background(), "restart")
	defer run.End()
	if l.turn.Enter(&run.Run) != nil {
		return nil, false
	}
	return l.turn.GiveUp(&run.Run, l.err)
}
