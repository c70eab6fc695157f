// This file tracks what the user sent: it is shown, waits, takes effect and ends. It draws the
// texts that wait for the agent.

package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/chip"
)

// Values of the field kind of the event input.
const (
	kindPrompt   = "prompt"
	kindSteer    = "steer"
	kindFollowUp = "follow_up"
)

// work sends texts to the agent and tracks them. Its lines are the waiting texts.
type work struct {
	*shared
	state        *programState
	conversation *conversation
	toasts       *toasts
	editor       *editor
	submits      chan submission // drained in order by submitAll

	progress
}

// progress is the agent's progress with the texts.
type progress struct {
	working  bool // as of the last busy_change
	inPrompt bool // a prompt has started and has not ended
	// how often each text that bypassed the queue was sent and has not ended
	underWay map[string]int
	outlived map[string]bool // those of underWay that the last call of rest has left

	shown          []string // texts in the transcript that have not taken effect yet
	steered        []string // steering shown since the last steering_injected
	interruptShown bool     // the transcript already shows the interruption
	failure        string   // the last error since the prompt began
}

func newWork(b *shared, state *programState, c *conversation, toasts *toasts, e *editor) *work {
	w := &work{shared: b, state: state, conversation: c, toasts: toasts, editor: e,
		submits: make(chan submission, submitsWaiting)}
	w.rest()
	return w
}

// busy reports whether the agent is working, as far as the screen knows.
func (w *work) busy() bool { return w.working || w.inPrompt || len(w.underWay) > 0 }

// rest resets the progress. It is called when the agent reports that it only waits for the user.
// It may have done so before it got the last texts: they are left, and if they are lost, as when
// another session has begun, the next call forgets them.
func (w *work) rest() {
	left := progress{underWay: map[string]int{}, outlived: map[string]bool{}}
	for text, n := range w.underWay {
		if !w.outlived[text] {
			left.underWay[text], left.outlived[text] = n, true
		}
	}
	for _, text := range w.shown {
		if left.outlived[text] {
			left.shown = append(left.shown, text)
		}
	}
	w.progress = left
}

// handleMsg implements component.
func (w *work) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case *event.Event:
		w.event(msg)
	case sentMsg:
		return w.sent(msg)
	case droppedMsg:
		w.dropped(msg)
	case endMsg:
		w.endText(msg)
	}
	return nil
}

// key implements component: up takes a waiting text back into an empty editor.
func (w *work) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "esc":
		return w.interrupt(), true
	case "up":
		if w.editor.value() == "" && w.backend.TakeBack != nil && w.takesBack() {
			return w.takeBack(), true
		}
	}
	return nil, false
}

// submission is a text on its way to the agent.
type submission struct{ text, kind string }

// sentMsg is the result of a submission.
type sentMsg struct {
	submission
	err error
}

// droppedMsg lists waiting texts that were dropped: they go back into the editor.
type droppedMsg []string

// endMsg is the end of a submitted or waiting text.
type endMsg struct {
	text        string
	interrupted bool
}

// End reports that a text passed to Send, other than steering, has ended. An interruption is shown
// unless an agent_end event has shown it.
func (u *UI) End(text string, interrupted bool) { u.feed.Push(endMsg{text, interrupted}) }

// atOnce reports whether a text bypasses the agent's queue: a command or a shell line.
func atOnce(text string) bool {
	_, _, command := slash.Split(text)
	return command || shellMode(text) != ""
}

// sendInput sends a text to the agent. It shows the text at once if nothing precedes it, else when
// it takes effect.
func (w *work) sendInput(text, kind string) tea.Cmd {
	if kind == kindPrompt && w.busy() {
		kind = kindSteer
	}
	select {
	case w.submits <- submission{text, kind}:
	default:
		w.editor.setText(w.shortText(text))
		return w.toasts.addToast("error", "too many texts wait; send this one later")
	}
	if w.busy() && !atOnce(text) {
		return nil
	}
	w.underWay[text]++
	if shellMode(text) == "" { // the call itself is shown
		w.conversation.transcript.addEntry(w.newUserBlock(text, false))
		w.shown = append(w.shown, text)
	}
	return nil
}

// sent takes back a text that the agent did not accept.
func (w *work) sent(msg sentMsg) tea.Cmd {
	if msg.err == nil {
		return nil
	}
	w.removeUnderWay(msg.text)
	w.giveBack([]string{msg.text})
	return w.toasts.addToast("error", plain.FirstLine(cells.Clean(msg.err.Error())))
}

// removeUnderWay removes a text from underWay.
func (w *work) removeUnderWay(text string) {
	if w.underWay[text]--; w.underWay[text] <= 0 {
		delete(w.underWay, text)
		delete(w.outlived, text)
	}
}

// endText handles the end of a text. An interruption is shown unless agent_end has shown it.
func (w *work) endText(msg endMsg) {
	w.removeUnderWay(msg.text)
	if msg.interrupted && !w.interruptShown {
		w.conversation.transcript.addEntry(&noticeBlock{"warn", "interrupted"})
	}
	w.interruptShown = false
}

// dropped inserts dropped texts before the text of the editor: they must not be lost.
func (w *work) dropped(texts []string) {
	for _, t := range texts {
		w.removeUnderWay(t)
	}
	w.giveBack(texts)
}

func (w *work) giveBack(texts []string) {
	if len(texts) == 0 {
		return
	}
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = w.shortText(text)
	}
	if text := w.editor.value(); text != "" {
		texts = append(texts, text)
	}
	w.editor.replaceText(strings.Join(texts, "\n"))
}

// shortText returns a text that was sent as it was in the editor, with its chips.
func (b *shared) shortText(text string) string {
	if short, ok := b.chips.Compact(text); ok {
		return short
	}
	return chip.Clean(cells.Clean(text))
}

// interrupt stops the agent; waiting texts return to the editor.
func (w *work) interrupt() tea.Cmd {
	f := w.backend.Interrupt
	if f == nil {
		return nil
	}
	return func() tea.Msg { return droppedMsg(f()) }
}

// takeBack moves the waiting text that would take effect last into the editor.
func (w *work) takeBack() tea.Cmd {
	f := w.backend.TakeBack
	return func() tea.Msg {
		if text := f(); text != "" {
			return droppedMsg{text}
		}
		return nil
	}
}

// inputTakesEffect shows a text that takes effect, unless the transcript already has it.
func (w *work) inputTakesEffect(ev *event.Event) {
	text, kind := ev.Text("text"), ev.Text("kind")
	defer func() { w.conversation.showImages(text, ev.Field("images")) }()
	if i := slices.Index(w.shown, text); i >= 0 {
		w.shown = w.shown[i+1:]
		return
	}
	// a script has rewritten it
	if len(w.shown) > 0 && kind == kindPrompt && ev.Text("source") == "interactive" {
		w.shown = w.shown[1:]
		return
	}
	by, _ := strings.CutPrefix(ev.Text("origin"), event.OfScript)
	if ev.Text("source") != "script" {
		by = ""
	}
	w.showTaken(text, by, kind)
}

// showTaken shows a text of the user, or of the script by, that takes effect.
func (w *work) showTaken(text, by, kind string) {
	w.conversation.showInput(text, by, kind == kindSteer)
	if kind == kindSteer {
		w.steered = append(w.steered, text)
	}
}

// steeringInjected shows steering that reached the model and is not in the transcript, because no
// handler saw it.
func (w *work) steeringInjected(ev *event.Event) {
	shown := w.steered
	w.steered = nil
	p, err := value.Plain(ev.Field("texts"))
	texts, _ := p.([]any)
	if err != nil {
		return
	}
	for _, t := range texts {
		if t, ok := t.(string); ok && !slices.Contains(shown, t) {
			w.showTaken(t, "", kindSteer)
		}
	}
	w.steered = nil
}

// event updates the progress from an event.
func (w *work) event(ev *event.Event) {
	if ev.Name() == "error" {
		w.failure = cells.Clean(ev.Text("message")) // a notification says the same
	}
	if ev.Env().Depth > 0 {
		return
	}
	switch ev.Name() {
	case "input":
		w.inputTakesEffect(ev)
	case "steering_injected":
		w.steeringInjected(ev)
	case "interrupt":
		if ev.Text("kind") == "graceful" {
			w.conversation.transcript.addEntry(&noticeBlock{"dim",
				"stops when the tool calls under way have ended"})
		}
	case "busy_change":
		w.working = ev.Text("state") == "working"
	case "wait_input":
		if ev.Text("cause") == "idle" {
			w.rest()
		}
	case "agent_start":
		w.inPrompt, w.failure, w.interruptShown = true, "", false
	case "turn_end":
		w.conversation.endTurn()
	case "agent_end":
		w.endPrompt(ev)
	}
}

// bill formats what a prompt has used: "3 turns · 12k in (9.1k from cache), 1.2k out · $0.02 ·
// 14s", from the fields of agent_end. It returns "" if there are no counts.
func bill(field func(name string) any) string {
	in, read, out := usage(field("usage"))
	if in+out == 0 {
		return ""
	}
	tokens := tokenCount(in) + " in"
	if read > 0 {
		tokens += " (" + tokenCount(read) + " from cache)"
	}
	cost, known := value.Number(field("cost"))
	ms, _ := value.Number(field("duration_ms"))
	turns, _ := value.Number(field("turns"))
	parts := nonEmpty(plain.Count(int(turns), "turn"),
		tokens+", "+tokenCount(out)+" out", dollars(cost, !known),
		elapsed(time.Duration(ms)*time.Millisecond))
	return strings.Join(parts, " · ")
}

// usage returns the numbers of tokens in the field usage of an event: input, the part of it read
// from the cache, and output.
func usage(field any) (in, read, out int) {
	p, _ := value.Plain(field)
	u, _ := p.(map[string]any)
	count := func(key string) int {
		n, _ := value.Number(u[key])
		return int(n)
	}
	return count("input") + count("cache_read") + count("cache_write"), count("cache_read"),
		count("output")
}

// endPrompt handles the end of a prompt, and shows how it ended and what it has used.
func (w *work) endPrompt(ev *event.Event) {
	w.inPrompt = false
	w.conversation.endPrompt()
	if ev.Text("status") == "cancelled" {
		w.interruptShown = true
	}
	if b := endNotice(ev.Text("status"), ev.Text("error")); b != nil &&
		(b.level != "error" || b.text != w.failure) {
		// an event of its own may have reported the error already
		w.conversation.transcript.addEntry(b)
	}
	if text := bill(ev.Field); text != "" {
		w.conversation.transcript.addEntry(&noticeBlock{"dim", text})
	}
}

// endNotice says how a prompt ended, nil if the model completed it.
func endNotice(status, why string) *noticeBlock {
	why = cells.Clean(why)
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

// takesBack reports whether the user can take back waiting text.
func (w *work) takesBack() bool {
	return slices.ContainsFunc(w.state.Waiting, func(text Waiting) bool { return !text.Script })
}

// waitingShown is how many waiting texts are shown above the editor.
const waitingShown = 4

// layout implements component: it draws the waiting texts, each with its kind.
func (w *work) layout(width, _ int) (lines []string, _ *tea.Cursor) {
	waiting, th := w.state.Waiting, w.theme
	if len(waiting) == 0 {
		return nil, nil
	}
	for i, text := range waiting {
		if i == waitingShown {
			lines = append(lines,
				th.dim.Render(cells.Fit("  "+plain.Count(len(waiting)-i, "more waits", "more wait"),
					width)))
			break
		}
		kind := "follow-up"
		if text.Kind == kindSteer {
			kind = "steering"
		}
		if text.Script {
			kind += " of a script"
		}
		head := "» " + kind + ": "
		lines = append(lines, th.warn.Render(cells.Fit(head, width))+
			cells.Fit(plain.OneLine(w.chips.Labelled(w.shortText(text.Text))),
				width-cells.Width(head)))
	}
	keys := cells.Longest(width, "  up takes the last one back, esc stops and takes all back",
		"  up takes one back, esc stops", "up takes one back")
	return append(lines, th.dim.Render(cells.Fit(keys, width))), nil
}
