// This file masks what handlers read of the conversation.

package engine

// eventForHandler returns ev as a handler reads it: with its text masked, because a script may hand
// on what it reads, to a program, a file or a server. The events of a tool call stay as they are:
// arguments are judged as they will run, output and results were masked before. So do the events of
// scripts. Do not call it on a goroutine that holds the turn of a VM.
func (e *Engine) eventForHandler(ev *Event) *Event {
	red := e.current.Load().redaction
	if red == nil || ev.touches != nil || ev.row.Name == "tool_output" || customName(ev.row.Name) {
		return ev
	}
	m := &masking{e: e, red: red, find: red.finds && !ev.bare}
	return m.maskFields(ev, true)
}
