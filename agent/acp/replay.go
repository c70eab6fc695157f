// This file sends the history of a session that the client opens.

package acp

import (
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/plain"
)

// replay sends a session's history, before everything else.
func (v *view) replay(items []session.Item) {
	tell := make([]func(), len(items))
	for n := range items {
		tell[n] = v.item(&items[n]) // not under mu: scripts may handle it and show something
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	held := v.held
	v.held, v.shown = nil, true
	for _, f := range tell {
		f()
	}
	v.held = held
	v.part, v.reasons = "", nil
}

// item returns a function that sends one item.
func (v *view) item(i *session.Item) (tell func()) {
	text := plain.Text(i.Text)
	switch i.Kind {
	case session.ItemUser:
		text = strings.TrimSuffix(strings.TrimPrefix(text, "<user_shell>\n"), "\n</user_shell>")
		if len(i.Images) > 0 {
			text += "\n\n(with images)"
		}
		return func() { v.speak(asUser, i.ID, text) }
	case session.ItemAssistant:
		thoughts := plain.Text(i.Reasoning)
		return func() {
			v.speak(asThought, i.ID, thoughts)
			v.speak(asAgent, i.ID, text)
		}
	case session.ItemTool:
		return v.toolItem(i)
	case session.ItemSummary:
		return func() { v.note("the conversation so far was summarised:\n\n" + text) }
	case session.ItemEnd:
		return func() { v.note(strings.TrimRight("the prompt ended: "+i.Status+": "+text, ": ")) }
	}
	return func() {}
}

func (v *view) toolItem(i *session.Item) (tell func()) {
	status, r := protocol.ToolCallStatusCompleted, itemResult(i)
	if i.IsError || i.Skipped != "" {
		status = protocol.ToolCallStatusFailed
	}
	told := append(rewriteText(i.Rewritten),
		rewriteText(i.ResultRewritten)...)
	title, _ := title(v.t.p.Engine.Scripts.Snapshot().Tool(i.Tool), nil, i.Tool, i.Args)
	call := &protocol.SessionUpdateToolCall{ToolCallId: protocol.ToolCallId(i.CallID),
		Title: title, Kind: kindOf(v.t.p.Engine.Scripts.Snapshot().Tool(i.Tool), i.ToolKind),
		Status: status, Locations: v.t.locations(i.Tool, i.Args), RawInput: i.Args,
		Content: append(told, r.content(v.t.path(i.Tool, i.Args))...), RawOutput: r.raw()}
	return func() {
		v.part = ""
		v.sendUpdate(protocol.SessionUpdate{ToolCall: call})
	}
}
