// This file tells the client what happens in a session, of what a user may see: the engine's
// stream.

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

// view is what the client is shown of a session. Its methods are safe for concurrent use.
type view struct {
	t *thread

	mu    sync.Mutex
	shown bool                     // the client knows the session: it can be told
	held  []protocol.SessionUpdate // until then
	// what the last text belonged to, see speak; "" = something else came since
	part    string
	notices int
	said    said
	calls   map[string]*call // tool calls under way, by the client's ids
	reasons []string         // notices of this prompt
	errors  []string         // that the user has not been told: they may be why the prompt ends
}

// said is what was told of the message that is spoken.
type said struct {
	id             string
	text, thoughts words
}

// words are text that comes in pieces, of which any may end within what is not shown.
type words struct {
	whole strings.Builder
	clean plain.Cleaner
}

// addPiece returns what is shown of a piece.
func (w *words) addPiece(piece string) string {
	w.whole.WriteString(piece)
	return w.clean.Write(piece)
}

// rest returns what is to be shown when text is the whole; !ok: it does not go on what was shown.
func (w *words) rest(text string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(text, w.whole.String()); !ok {
		return "", false
	}
	return w.clean.Write(rest) + w.clean.Flush(), true
}

// sendUpdate sends an update. Under mu.
func (v *view) sendUpdate(u protocol.SessionUpdate) {
	if !v.shown {
		v.held = append(v.held, u)
		return
	}
	n := protocol.SessionNotification{SessionId: v.t.id, Update: u}
	v.t.s.conn.Notify(protocol.ClientMethodSessionUpdate, shownDiffs{n, "update"})
}

// release tells what was held back.
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

// What text is told as.
var (
	asUser    = channel{"user", protocol.UpdateUserMessageText}
	asAgent   = channel{"agent", protocol.UpdateAgentMessageText}
	asThought = channel{"thought", protocol.UpdateAgentThoughtText}
)

type channel struct {
	name  string
	chunk func(text string) protocol.SessionUpdate
}

// speak tells text; part is what it belongs to, a message or a notice. A client puts what comes
// behind one another into one: texts of different parts stand apart. Under mu.
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

// notice tells Markdown that is not the model's.
func (v *view) notice(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.note(text)
}

// note is notice, under mu. It is quoted, so that it is told from what the model says.
func (v *view) note(text string) {
	text = strings.TrimRight(plain.Text(text), "\n")
	v.reasons = append(v.reasons, text)
	v.notices++
	v.speak(asAgent, " notice "+strconv.Itoa(v.notices),
		"> "+strings.ReplaceAll(text, "\n", "\n> "))
}

// reason tells why a prompt has ended, if the user does not know yet.
func (v *view) reason(what, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	told := text == "" || slices.ContainsFunc(v.reasons,
		func(n string) bool { return strings.Contains(n, plain.Text(text)) })
	if !told {
		v.note(what + ": " + text)
	}
}

// late tells of errors that may have been why a prompt has ended, and were not: the answer names
// the one that was, if it does.
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

// rest is called when a prompt has ended: what comes next stands behind what the user says.
func (v *view) rest() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.part, v.reasons = "", nil
}

// emitEvent is given every event, in order.
func (v *view) emitEvent(ev *event.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch ev.Name() {
	case "message_delta", "message_end", "message_start":
		if ev.Env().Depth == 0 { // what sub-agents say is their parent's to tell
			v.message(ev)
		}
	case "tool_call", "tool_start", "tool_output", "tool_skipped", "tool_result":
		v.tool(ev)
	case "say":
		v.notices++
		v.speak(asAgent, " notice "+strconv.Itoa(v.notices),
			by(ev.Text("source"))+strings.TrimSpace(plain.Text(ev.Text("markdown"))))
	case "notification":
		if ev.Text("stage") == "" { // else error tells it, or the end of the prompt
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
		if v.shown { // what is loaded at the start is told in one
			v.tellCommands()
		}
	}
}

// message tells of a message of the model, piece by piece.
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
		default: // it was rewritten after it was shown, and cannot be taken back
			v.note("the answer was rewritten:")
			v.say(plain.Text(text))
		}
		v.said = said{}
	}
}

// say and think take text that is plain.
func (v *view) say(text string) { v.speak(asAgent, v.said.id, text) }

func (v *view) think(text string) { v.speak(asThought, v.said.id, text) }

// failure tells of an error; one that may be why the prompt ends is told with its end.
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
	if v.shown { // else it is in the answer that makes the client know the session
		v.sendUpdate(protocol.SessionUpdate{
			ConfigOptionUpdate: &protocol.SessionConfigOptionUpdate{ConfigOptions: v.t.options()},
		})
	}
}

// introduce tells what there is, when the agent has started. early: the client was told of the
// session before that.
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

// scriptError is a script_error event for a person: place, message, excerpt, what holds now.
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

// fenced is text as code, in Markdown.
func fenced(text, lang string) string { return plain.Fenced(lang, strings.TrimRight(text, "\n")) }
