// This file sends a session's events, as a user may see them, to the client.

package acp

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
)

// view sends updates of a session to the client. Its methods are safe for concurrent use.
type view struct {
	t *thread

	mu    sync.Mutex
	shown bool                     // the client knows the session: updates may be sent
	held  []protocol.SessionUpdate // updates kept until then
	// what the last text belonged to, see speak; "" = another update followed
	part    string
	notices int
	said    said
	calls   map[string]*call // running tool calls, by the client's ids
	reasons []string         // notices of this prompt
	errors  []string         // errors not shown yet: they may be the reason for the prompt's end
}

// said is what has been sent of the current message.
type said struct {
	id             string
	text, thoughts words
}

// words is text that arrives in pieces, each of which may end within a hidden sequence.
type words struct {
	whole strings.Builder
	clean plain.Cleaner
}

// addPiece returns the visible part of a piece.
func (w *words) addPiece(piece string) string {
	w.whole.WriteString(piece)
	return w.clean.Write(piece)
}

// rest returns the missing rest of text, the whole; ok is false if text does not continue what was
// shown.
func (w *words) rest(text string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(text, w.whole.String()); !ok {
		return "", false
	}
	return w.clean.Write(rest) + w.clean.Flush(), true
}

// sendUpdate sends an update. Called under mu.
func (v *view) sendUpdate(u protocol.SessionUpdate) {
	if !v.shown {
		v.held = append(v.held, u)
		return
	}
	n := protocol.SessionNotification{SessionId: v.t.id, Update: u}
	v.t.s.conn.Notify(protocol.ClientMethodSessionUpdate, shownDiffs{n, "update"})
}

// release sends the kept updates.
func (v *view) release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shown = true
	held := v.held
	v.held = nil
	for _, u := range held {
		v.sendUpdate(u)
	}
}

// The kinds of text.
var (
	asUser    = channel{"user", protocol.UpdateUserMessageText}
	asAgent   = channel{"agent", protocol.UpdateAgentMessageText}
	asThought = channel{"thought", protocol.UpdateAgentThoughtText}
)

type channel struct {
	name  string
	chunk func(text string) protocol.SessionUpdate
}

// speak sends text; part is what it belongs to, a message or a notice. Clients join consecutive
// texts, so speak separates those of different parts. Called under mu.
func (v *view) speak(as channel, part, text string) {
	if text == "" {
		return
	}
	part = as.name + part
	chunk := as.chunk
	if v.part != part && strings.HasPrefix(v.part, as.name) {
		text = "\n\n" + text
	}
	v.part = part
	v.sendUpdate(chunk(text))
}

// notice sends Markdown that is not from the model.
func (v *view) notice(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.note(text)
}

// note is notice under mu. It quotes the text to distinguish it from the model's.
func (v *view) note(text string) {
	text = strings.TrimRight(plain.Text(text), "\n")
	v.reasons = append(v.reasons, text)
	v.notices++
	v.speak(asAgent, " notice "+strconv.Itoa(v.notices),
		"> "+strings.ReplaceAll(text, "\n", "\n> "))
}

// reason sends the reason for a prompt's end, if the user does not know it yet.
func (v *view) reason(what, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	told := text == "" || slices.ContainsFunc(v.reasons,
		func(n string) bool { return strings.Contains(n, plain.Text(text)) })
	if !told {
		v.note(what + ": " + text)
	}
}

// late sends errors that could have been the reason for a prompt's end, and were not. answer means
// that the answer names the actual reason.
func (v *view) late(answer bool, reason string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, e := range v.errors {
		if !answer || !strings.Contains(reason, e) {
			v.note("**error** " + e)
		}
	}
	v.errors = nil
}

// rest is called when a prompt has ended: later text follows the user's next message.
func (v *view) rest() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.part, v.reasons = "", nil
}

// emitEvent handles every event, in order.
func (v *view) emitEvent(ev *event.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch ev.Name() {
	case "message_delta", "message_end", "message_start":
		if ev.Env().Depth == 0 { // the parent reports what sub-agents do
			v.message(ev)
		}
	case "tool_call", "tool_start", "tool_output", "tool_skipped", "tool_result":
		v.tool(ev)
	case "say":
		v.notices++
		v.speak(asAgent, " notice "+strconv.Itoa(v.notices),
			by(ev.Text("source"))+strings.TrimSpace(plain.Text(ev.Text("markdown"))))
	case "notification":
		if ev.Text("stage") == "" { // otherwise error or the prompt's end reports it
			v.note(level(ev.Text("level")) + by(ev.Text("source")) + ev.Text("message"))
		}
	case "script_error":
		v.note("**error** " + scriptError(ev))
		se, _ := engine.ScriptErrorOf(ev)
		v.reasons = append(v.reasons, plain.Text(se.Error())) // as the end of a command names it
	case "error":
		v.failure(ev)
	case "llm_retry":
		v.note("the request failed and is made again: " + ev.Text("error"))
	case "permission_change":
		v.t.keep(ev)
		v.sendUpdate(protocol.SessionUpdate{
			CurrentModeUpdate: &protocol.SessionCurrentModeUpdate{
				CurrentModeId: protocol.SessionModeId(ev.Text("new"))},
		})
		v.tellSettings()
	case "model_change", "thinking_change":
		v.t.keep(ev)
		v.tellSettings()
	case "script_load", "script_unload":
		if v.shown { // what is loaded at the start is sent at once
			v.tellCommands()
		}
	}
}

// message sends a message of the model, piece by piece.
func (v *view) message(ev *event.Event) {
	if id := ev.Text("message_id"); v.said.id != id {
		v.said = said{id: id}
	}
	switch ev.Name() {
	case "message_delta":
		delta := ev.Text("delta")
		if ev.Text("kind") == "reasoning" {
			v.think(v.said.thoughts.addPiece(delta))
		} else {
			v.say(v.said.text.addPiece(delta))
		}
	case "message_end":
		if rest, ok := v.said.thoughts.rest(ev.Text("reasoning")); ok {
			v.think(rest)
		}
		text := ev.Text("text")
		switch rest, ok := v.said.text.rest(text); {
		case ok:
			v.say(rest)
		case text == "" && ev.Text("reasoning") == "":
			v.note("what was said above does not stand: the answer was cut off")
		default: // it was rewritten after it was shown, and cannot be withdrawn
			v.note("the answer was rewritten:")
			v.say(plain.Text(text))
		}
		v.said = said{}
	}
}

// say and think send plain text.
func (v *view) say(text string) { v.speak(asAgent, v.said.id, text) }

func (v *view) think(text string) { v.speak(asThought, v.said.id, text) }

// failure reports an error. One that may be the reason for the prompt's end is reported with that.
func (v *view) failure(ev *event.Event) {
	text := ev.Text("message")
	switch ev.Text("stage") {
	case "model", "prompt", "input":
		if v.t.remote.Prompting() {
			v.errors = append(v.errors, text)
			return
		}
	}
	v.note("**error** " + text)
}

func (v *view) tellSettings() {
	if v.shown { // otherwise the answer that introduces the session contains it
		v.sendUpdate(protocol.SessionUpdate{
			ConfigOptionUpdate: &protocol.SessionConfigOptionUpdate{ConfigOptions: v.t.options()},
		})
	}
}

// introduce sends what is available after the agent has started. early means that the client has
// known the session before that.
func (v *view) introduce(early bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if early {
		v.tellSettings()
	}
	v.tellCommands()
}

func (v *view) tellCommands() {
	v.sendUpdate(protocol.SessionUpdate{
		AvailableCommandsUpdate: &protocol.SessionAvailableCommandsUpdate{
			AvailableCommands: v.t.commands()},
	})
}

func level(name string) string {
	if name == "warn" || name == "error" {
		return "**" + name + "** "
	}
	return ""
}

func by(source string) string {
	if source == "" || source == "agent" {
		return ""
	}
	return "**[" + plain.Text(source) + "]** "
}

// scriptError formats a script_error event for people: place, message, excerpt, consequence.
func scriptError(ev *event.Event) string {
	se, kept := engine.ScriptErrorOf(ev)
	if se.Message = se.Handler + ": " + se.Message; se.Excerpt != "" {
		se.Excerpt = fenced(se.Excerpt, "")
	}
	if kept && se.Handler == "load" {
		return se.Detail() + "\nthe last good version stays in force"
	}
	return se.Detail()
}

// fenced returns text as a code block of Markdown.
func fenced(text, lang string) string { return plain.Fenced(lang, strings.TrimRight(text, "\n")) }
