// This file is the connection to a program: frames are sent, received, and passed to what waits for
// them.

package zot

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/internal/peer"
	"github.com/agentscripts/agent/engine/vm"
)

// mostHeard is how many frames that nobody waits for may wait to be handled; more are dropped.
const mostHeard = 1000

// endGrace is how long a program may take to end after shutdown and the end of its input.
var endGrace = 2 * time.Second

// link is an extension that runs. It implements engine.VM.
type link struct {
	api        extapi.API
	format     *Format
	manifest   manifest
	program    *peer.Peer
	turn       *vm.Turn // its end makes the engine load the extension again
	panels     panels
	subscribed subscriptions // only used while it registers

	setup   chan *frame   // frames until it is ready
	heard   chan *frame   // frames that nobody waits for
	ready   chan struct{} // closed when it is in force: nothing can be registered any more
	calls   calling
	hidden  hidden
	waiting peer.Questions[*frame]
}

// send sends a frame to the program. It does not wait for it.
func (l *link) send(m message) error {
	line, err := m.encode()
	if err != nil {
		return err
	}
	return l.program.Send(line)
}

// askProgram sends a frame with an id, and waits for the answer to it.
func (l *link) askProgram(run *engine.Run, m message) (*frame, error) {
	f, late, err := l.waiting.Ask(run, l.program, func(id int) error {
		m["id"] = strconv.Itoa(id)
		return l.send(m)
	})
	if late > 0 && m["type"] == "tool_call" {
		_ = l.send(message{"type": "tool_cancel", "id": strconv.Itoa(late)})
	}
	switch want := answerTo(m["type"]); {
	case err != nil:
		return nil, err
	case f.Type != want:
		return nil, fmt.Errorf("it answered %s with %s, want %s", m["type"], f.Type, want)
	}
	return f, f.wrong
}

// answerTo returns the frame that answers another. An answer of another kind has no fields that
// count, and must never count as consent.
func answerTo(kind any) string {
	switch kind {
	case "tool_call":
		return "tool_result"
	case "command_invoked":
		return "command_response"
	}
	return "event_intercept_response"
}

// receiveLine passes on a line of the program, and reports whether something waited for it.
func (l *link) receiveLine(line []byte) bool {
	f := &frame{}
	if err := json.Unmarshal(line, f); err != nil {
		f.wrong = fmt.Errorf("a frame %.40q is not understood: %w", f.Type, err)
	}
	return l.receive(f)
}

// receive passes a frame to what waits for it, and reports whether it answers a question.
func (l *link) receive(f *frame) bool {
	switch f.Type {
	case "tool_result", "command_response", "event_intercept_response":
		id, err := strconv.Atoi(f.ID)
		if err != nil || !l.waiting.Answer(id, f) {
			l.api.Log("warn",
				fmt.Sprintf("a %s has the id %.40q, for which nothing waits", f.Type, f.ID))
			return false
		}
		return true
	case "hello", "ready", "subscribe", "register_command", "register_tool":
		select {
		case <-l.ready:
			late(l, f)
		case l.setup <- f:
		case <-l.program.Dead():
		}
		return false
	}
	if f.wrong != nil {
		l.waiting.Misread(f.wrong)
		l.api.Log("warn", f.wrong.Error())
		return false
	}
	if f.Type == "call_tool" { // now: later frames may be answers
		f.cause, f.circle = l.waiting.Cause(f.ParentID)
	}
	select {
	case l.heard <- f:
	default:
		l.api.Log("warn", "a frame was dropped, because too many wait: "+f.Type)
	}
	return false
}

// late reports a registration that comes after ready.
func late(l *link, f *frame) {
	if f.Type == "ready" || f.Type == "hello" {
		return
	}
	l.api.Tell("warn", fmt.Sprintf("%s %s came after the extension was ready, and has no effect: "+
		"send ready last", f.Type, f.Name))
}

// Close implements engine.VM: it asks the program to end, and ends it.
func (l *link) Close() {
	line, _ := message{"type": "shutdown"}.encode() // it is plain data
	l.program.Close(line)
}

// watchEnd gives the extension up when its program ends by itself, so that it is loaded again.
func (l *link) watchEnd(started time.Time) {
	<-l.program.Dead()
	l.program.End()
	if !l.program.Closing() {
		l.format.host.Restart(l.api, l.turn, started, l.program.Err())
	}
}
