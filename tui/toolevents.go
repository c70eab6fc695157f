// This file passes the events of tool calls to their entries.

package tui

import (
	"encoding/json"
	"slices"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// toolEvent passes an event of a tool call to the call's entry. The entries of sub-agents show
// their own calls.
func (c *conversation) toolEvent(ev *event.Event) {
	if ev.Env().Depth > 0 {
		return
	}
	id := ev.Text("call_id")
	i, ok := c.calls[id]
	if !ok {
		if ev.Name() == "tool_end" { // of a call that has already ended
			return
		}
		c.reply.settleMessage() // the model's text before the call
		b := &toolBlock{id: id}
		c.markUsers(b, ev)
		i = c.transcript.addEntry(b)
		c.calls[id] = i
	}
	b := c.transcript.entries[i].block.(*toolBlock)
	c.transcript.changed(i)
	b.readEvent(ev)
	switch ev.Name() {
	case "tool_skipped", "tool_end":
		delete(c.calls, id)
	case "tool_result":
		if ev.Text("answered_by") != "" { // no tool ran, so no tool_end follows
			delete(c.calls, id)
		}
	}
}

// updateCall returns the entry of the call that an event is about and marks it for drawing; nil if
// there is none.
func (c *conversation) updateCall(ev *event.Event) *toolBlock {
	i, ok := c.calls[ev.Text("call_id")]
	if !ok {
		return nil
	}
	c.transcript.changed(i)
	return c.transcript.entries[i].block.(*toolBlock)
}

// userShell is a shell line of the user whose call has not been announced yet.
type userShell struct {
	command string
	unseen  bool // the model does not see it
}

func (c *conversation) userShell(ev *event.Event) {
	seen, _ := ev.Field("in_context").(bool)
	c.shells = append(c.shells, userShell{ev.Text("command"), !seen})
}

// markUsers marks the call as the user's if a user_shell event has announced it. Several may be
// pending, in any order.
func (c *conversation) markUsers(b *toolBlock, ev *event.Event) {
	if len(c.shells) == 0 || ev.Text("origin") != "user" {
		return
	}
	command := ""
	if args := object(ev.Field("args")); args != nil {
		command = args("command")
	}
	i := max(0, slices.IndexFunc(c.shells, func(s userShell) bool { return s.command == command }))
	b.byUser, b.unseen = true, c.shells[i].unseen
	c.shells = slices.Delete(c.shells, i, i+1)
}

// inputEvent shows a call while the model writes it.
func (c *conversation) inputEvent(ev *event.Event) {
	if ev.Env().Depth > 0 {
		return
	}
	id := ev.Text("call_id")
	i, ok := c.calls[id]
	if !ok {
		if ev.Name() == "tool_input_end" {
			return
		}
		c.reply.reservePlaces()
		c.calls[id] = c.transcript.addEntry(&toolBlock{id: id,
			tool: ev.Text("tool"), state: toolWriting})
		return
	}
	if b := c.transcript.entries[i].block.(*toolBlock); ev.Name() == "tool_input_end" &&
		b.state == toolWriting {
		b.state, b.unborn = toolWaiting, true
		b.endInput()
		c.transcript.changed(i)
	}
}

// inputKept is how many bytes of the arguments of a call are kept while the model writes them.
const inputKept = 16 << 10

// writeInput adds to the arguments that the model writes.
func (b *toolBlock) writeInput(text []byte) {
	if b.written += len(text); b.written <= inputKept {
		b.input = append(b.input, text...)
	}
}

// endInput shows the arguments as the model wrote them, until the call begins with the final ones.
func (b *toolBlock) endInput() {
	var args map[string]any
	if b.written <= inputKept && json.Unmarshal(b.input, &args) == nil {
		b.args = args
	}
	b.input = nil
}

// dropUnwritten removes calls that were never made: the model did not finish writing them, or its
// message was discarded.
func (c *conversation) dropUnwritten() {
	for id, i := range c.calls {
		if b := c.transcript.entries[i].block.(*toolBlock); b.state == toolWriting || b.unborn {
			c.transcript.hide(i)
			delete(c.calls, id)
		}
	}
}

// readEvent updates the call from an event.
func (b *toolBlock) readEvent(ev *event.Event) {
	b.tool, b.unborn = ev.Text("tool"), false
	if b.state == toolWriting {
		b.state = toolWaiting
	}
	if p, err := value.Plain(ev.Field("args")); err == nil {
		if args, ok := p.(map[string]any); ok {
			b.args = args
		}
	}
	b.rewritten = engine.DecodeRewrite(ev.Field("rewritten"))
	switch ev.Name() {
	case "tool_start":
		b.state = toolRunning
		b.beginCall()
	case "tool_approval":
		if b.source = ev.Text("source"); ev.Text("decision") == "allow" {
			b.why = approver(ev)
		}
	case "tool_skipped":
		b.skipCall(ev.Text("cause"), refusalText(ev))
	case "tool_result":
		b.readResult(ev)
	case "tool_end":
		b.took, _ = value.Number(ev.Field("duration_ms"))
		b.finishCall(ev)
	}
}

// approver says who allowed a call, if that is noteworthy.
func approver(ev *event.Event) string {
	source := ev.Text("source")
	if by := handlerOf(ev, "script", "line"); by != "" && source == "script" {
		return "allowed by " + by
	}
	return engine.UserApproval(source)
}

// handlerOf returns the script and line of a handler, from these fields of an event; "" = none.
func handlerOf(ev *event.Event, script, line string) string {
	name := cells.Clean(ev.Text(script))
	if name == "" {
		return ""
	}
	n, _ := value.Number(ev.Field(line))
	return fault.Position{File: name, Line: int(n)}.String()
}

// skipCall says why a call did not run.
func (b *toolBlock) skipCall(cause, text string) {
	switch cause {
	case "unknown", "invalid": // a mistake of the model
		b.state, b.result, b.why = toolFailed, &display{text: text}, ""
	case "aborted", "steered":
		b.state, b.why = toolCancelled, text
	default:
		b.state, b.why = toolRefused, text
	}
}

// refusalText says who refused and why; the engine's reason names the script if one did.
func refusalText(ev *event.Event) string {
	text, script := cells.Clean(ev.Text("reason")), cells.Clean(ev.Text("script"))
	switch {
	case text == "" && script != "":
		return "refused by " + script
	case text == "":
		return "it did not run: " + cells.Clean(ev.Text("cause"))
	}
	return text
}

func (b *toolBlock) readResult(ev *event.Event) {
	b.took, _ = value.Number(ev.Field("duration_ms"))
	if by := handlerOf(ev, "answered_by", "answered_line"); by != "" {
		b.why = "answered by " + by
	}
	b.resultRewritten = engine.DecodeRewrite(ev.Field("result_rewritten"))
	b.said = cells.Clean(contentText(ev.Field("content")))
	b.forUser = cells.Clean(ev.Text("for_user"))
	b.output = nil
	silent, _ := ev.Field("silent").(bool)
	shown, _ := ev.Get("display")
	details, _ := ev.Get("details")
	b.endCall(shown, ev.Field("content"), ev.Field("is_error"), details, silent)
	b.finishCall(ev)
}

func (b *toolBlock) finishCall(ev *event.Event) {
	if b.state == toolRefused || b.state == toolCancelled {
		return
	}
	b.state = toolOK
	if failed, _ := ev.Field("is_error").(bool); failed {
		b.state = toolFailed
	}
}
