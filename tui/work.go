// This file follows what the user sent: it is shown, waits, takes effect and ends.

package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine"
)

// The kinds of what the user sends: the field kind of the event input.
const (
	kindPrompt   = "prompt"
	kindSteer    = "steer"
	kindFollowUp = "follow_up"
)

// work is what the screen knows of what the agent does with what was sent to it.
type work struct {
	spanned bool           // the agent has told that it works
	prompt  bool           // a prompt is worked on
	under   map[string]int // texts that were sent and not put into the queue: how often each is under way
	shown   []string       // texts that stand in the transcript before they take effect
	steered []string       // steering that stands there since steering was told of last
	told    bool           // it stands there that the work was interrupted
	failure string         // the last error that was told since the prompt began
}

func (w *work) busy() bool { return w.spanned || w.prompt || len(w.under) > 0 }

// rest is called when the agent waits for the user, and nothing else: what is still thought to be under way is not.
func (w *work) rest() { *w = work{under: map[string]int{}} }

// submission is a text on its way to the agent.
type submission struct{ text, kind string }

// sentMsg says what became of it.
type sentMsg struct {
	submission
	err error
}

// droppedMsg are texts that waited and do not any more: they go back into the editor.
type droppedMsg []string

// endMsg is the end of what was sent, or of what waited.
type endMsg struct {
	text        string
	interrupted bool
}

// End tells that text, which was given to Send and did not become steering, is over. That it was interrupted is
// shown, unless an agent_end has told so.
func (u *UI) End(text string, interrupted bool) { u.feed.push(endMsg{text, interrupted}) }

// atOnce reports whether the agent does not let a text wait: a command, or a line for the shell.
func atOnce(text string) bool { return strings.HasPrefix(text, "/") || shellMode(text) != "" }

// send hands a text to the agent. It is shown at once if nothing is in its way, else when it takes effect.
func (m *model) send(text, kind string) tea.Cmd {
	if kind == kindPrompt && m.work.busy() {
		kind = kindSteer
	}
	select {
	case m.submits <- submission{text, kind}:
	default:
		m.editor.set(text)
		return m.toasts.add("error", "too many texts wait; send this one later")
	}
	if m.work.busy() && !atOnce(text) {
		return nil
	}
	m.work.under[text]++
	if shellMode(text) == "" { // the call itself is shown
		m.transcript.add(&userBlock{text: clean(text)})
		m.work.shown = append(m.work.shown, text)
	}
	return nil
}

// sent takes a text back that the agent did not take.
func (m *model) sent(msg sentMsg) tea.Cmd {
	m.stale = true
	if msg.err == nil {
		return nil
	}
	m.over(msg.text)
	m.giveBack([]string{msg.text})
	return m.toasts.add("error", firstLine(clean(msg.err.Error())))
}

// over takes a text off those that are under way.
func (m *model) over(text string) {
	if m.work.under[text]--; m.work.under[text] <= 0 {
		delete(m.work.under, text)
	}
}

func (m *model) workEnds(msg endMsg) {
	m.over(msg.text)
	if msg.interrupted && !m.work.told {
		m.transcript.add(&noticeBlock{"warn", "interrupted"})
	}
	m.work.told, m.stale = false, true
}

// dropped puts texts that wait no more before what is in the editor: they are not sent any more, and must not
// be lost.
func (m *model) dropped(texts []string) {
	for _, t := range texts {
		m.over(t)
	}
	m.giveBack(texts)
	m.stale = true
}

func (m *model) giveBack(texts []string) {
	if len(texts) == 0 {
		return
	}
	if text := m.editor.value(); text != "" {
		texts = append(slices.Clone(texts), text)
	}
	m.editor.set(clean(strings.Join(texts, "\n")))
	m.complete.update(m.editor.value(), m.allCommands())
}

// interrupt stops the agent; what waited comes back.
func (m *model) interrupt() tea.Cmd {
	f := m.backend.Interrupt
	if f == nil {
		return nil
	}
	return func() tea.Msg { return droppedMsg(f()) }
}

// takeBack takes the text that would be the last to take effect out of the queue, into the editor.
func (m *model) takeBack() tea.Cmd {
	f := m.backend.TakeBack
	return func() tea.Msg {
		if text := f(); text != "" {
			return droppedMsg{text}
		}
		return nil
	}
}

// inputTakesEffect shows what was sent, if it is not in the transcript yet.
func (m *model) inputTakesEffect(ev *engine.Event) {
	text, kind := ev.Text("text"), ev.Text("kind")
	if i := slices.Index(m.work.shown, text); i >= 0 {
		m.work.shown = m.work.shown[i+1:]
		return
	}
	if len(m.work.shown) > 0 && kind == kindPrompt && ev.Text("source") == "interactive" { // a script has rewritten it
		m.work.shown = m.work.shown[1:]
		return
	}
	m.showInput(text, kind)
}

func (m *model) showInput(text, kind string) {
	m.settleMessage()
	m.transcript.add(&userBlock{text: clean(text), steers: kind == kindSteer})
	if kind == kindSteer {
		m.work.steered = append(m.work.steered, text)
	}
}

// steeringInjected shows what reached the model and is not in the transcript: what no handler was asked about.
func (m *model) steeringInjected(ev *engine.Event) {
	shown := m.work.steered
	m.work.steered = nil
	p, err := engine.Plain(ev.Field("texts"))
	texts, _ := p.([]any)
	if err != nil {
		return
	}
	for _, t := range texts {
		if t, ok := t.(string); ok && !slices.Contains(shown, t) {
			m.showInput(t, kindSteer)
		}
	}
	m.work.steered = nil
}

// agentEvent follows the work by the events that tell of it.
func (m *model) agentEvent(ev *engine.Event) {
	if ev.Env().Depth > 0 {
		return
	}
	m.stale = true
	switch ev.Name() {
	case "input":
		m.inputTakesEffect(ev)
	case "steering_injected":
		m.steeringInjected(ev)
	case "interrupt":
		if ev.Text("kind") == "graceful" {
			m.transcript.add(&noticeBlock{"dim", "stops when the tool calls under way have ended"})
		}
	case "busy_change":
		m.work.spanned = ev.Text("state") == "working"
	case "wait_input":
		if ev.Text("cause") == "idle" {
			m.work.rest()
		}
	case "agent_start":
		m.status.know(ev.Env())
		m.work.prompt, m.work.failure, m.work.told = true, "", false
	case "turn_end":
		m.status.know(ev.Env())
		m.endSources()
		m.dropUnwritten()
	case "agent_end":
		m.agentEnd(ev)
	}
}

// bill is what a prompt has used: "3 turns · 12k in (9.1k from cache), 1.2k out · $0.02 · 14s". "" if nobody counted.
func bill(ev *engine.Event) string {
	in, read, out := usage(ev)
	if in+out == 0 {
		return ""
	}
	tokens := tokenCount(in) + " in"
	if read > 0 {
		tokens += " (" + tokenCount(read) + " from cache)"
	}
	cost, known := engine.Number(ev.Field("cost"))
	ms, _ := engine.Number(ev.Field("duration_ms"))
	parts := nonEmpty(plural(whole(ev, "turns"), "turn", "turns"), tokens+", "+tokenCount(out)+" out", dollars(cost, !known),
		elapsed(time.Duration(ms)*time.Millisecond))
	return strings.Join(parts, " · ")
}

// usage is how many tokens an event says were used: in, how many of these came from the cache, and out.
func usage(ev *engine.Event) (in, read, out int) {
	p, _ := engine.Plain(ev.Field("usage"))
	u, _ := p.(map[string]any)
	count := func(key string) int {
		n, _ := engine.Number(u[key])
		return int(n)
	}
	return count("input") + count("cache_read") + count("cache_write"), count("cache_read"), count("output")
}

func (m *model) agentEnd(ev *engine.Event) {
	m.status.know(ev.Env())
	m.work.prompt = false
	m.settleMessage()
	m.endSources()
	m.dropUnwritten()
	for id, i := range m.calls { // a call that nobody ended: the agent was stopped
		b := m.transcript.entries[i].block.(*toolBlock)
		if b.byUser {
			continue
		}
		b.state = toolCancelled
		m.transcript.changed(i)
		delete(m.calls, id)
	}
	if ev.Text("status") == "cancelled" {
		m.work.told = true
	}
	if b := endNotice(ev.Text("status"), ev.Text("error")); b != nil && (b.level != "error" || b.text != m.work.failure) {
		m.transcript.add(b) // an error may have been told already, by an event of its own
	}
	if text := bill(ev); text != "" {
		m.transcript.add(&noticeBlock{"dim", text})
	}
}

// endNotice says how a prompt ended, nil if the model was done.
func endNotice(status, why string) *noticeBlock {
	why = clean(why)
	switch status {
	case "completed", "":
		return nil
	case "cancelled":
		return &noticeBlock{"warn", "interrupted"}
	case "error":
		return &noticeBlock{"error", why}
	}
	return &noticeBlock{"warn", strings.TrimSuffix(status+": "+why, ": ")}
}
