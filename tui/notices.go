// This file draws the events around a prompt: retries, warnings, sources, limits, changed settings;
// and toasts, short remarks on the rule above the editor.

package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/hyperlink"
)

// modelEvent shows events between the agent and a model.
func (c *conversation) modelEvent(ev *event.Event) {
	if ev.Env().Depth > 0 {
		return
	}
	switch ev.Name() {
	case "llm_retry":
		c.retries(ev)
	case "llm_warning":
		p, _ := value.Plain(ev.Field("warnings"))
		list, _ := p.([]any)
		for _, w := range list {
			if w, ok := w.(string); ok {
				c.transcript.addEntry(&noticeBlock{"warn", cells.Clean(w)})
			}
		}
	case "llm_source":
		c.reply.sources = append(c.reply.sources, source{plain.OneLine(ev.Text("title")),
			plain.OneLine(ev.Text("url"))})
	}
}

// retries shows when the model is asked again, in one entry for all consecutive attempts.
func (c *conversation) retries(ev *event.Event) {
	c.dropUnwritten()
	ms, _ := value.Number(ev.Field("backoff_ms"))
	text := fmt.Sprintf("retrying in %s s: %s", strings.TrimSuffix(fmt.Sprintf("%.1f", ms/1000),
		".0"), strings.ReplaceAll(cells.Clean(ev.Text("cause")), "_", " "))
	if attempt, most := whole(ev, "attempt"), whole(ev, "max"); most > 0 {
		text += fmt.Sprintf(" (attempt %d of %d failed)", attempt, most)
	}
	if why := plain.OneLine(ev.Text("error")); why != "" {
		text += ": " + why
	}
	b := &noticeBlock{"warn", text}
	if last := len(c.transcript.entries) - 1; c.retry >= 0 &&
		c.retry == c.transcript.lastSeen(last) {
		c.transcript.replaceEntry(c.retry, b)
		return
	}
	c.retry = c.transcript.addEntry(b)
}

// source is an origin that the model names for its answer.
type source struct{ title, url string }

// sourcesBlock lists sources.
type sourcesBlock struct{ list []source }

func (b *sourcesBlock) compact() bool { return false }
func (b *sourcesBlock) drawLines(c *canvas) []string {
	lines := make([]string, 0, len(b.list)+1)
	lines = append(lines, "Sources")
	for i, s := range b.list {
		line := cells.Fit(fmt.Sprintf("%2d  %s", i+1, strings.TrimSpace(s.title+"  "+s.url)),
			c.width-2)
		if target := hyperlink.Web(s.url); target != "" && c.md.Links &&
			(!hyperlink.Poses(s.title) || s.title == s.url) {
			line = hyperlink.Wrap(target, line)
		}
		lines = append(lines, line)
	}
	return cells.Indent("  ", styled(c.theme.dim.Render, fold(c, lines)))
}

// limitEvent shows limits, and loops in which the model is caught.
func (c *conversation) limitEvent(ev *event.Event) {
	text := ""
	switch ev.Name() {
	case "limit_reached":
		text = fmt.Sprintf("limit reached: %s of %s", amount(ev, "value"),
			amount(ev, "limit"))
	case "limit_extended":
		text = fmt.Sprintf("limit raised by the %s: %s, before %s", cells.Clean(ev.Text("by")),
			amount(ev, "new"), amount(ev, "previous"))
	case "loop_detected":
		text = fmt.Sprintf("the model calls %s again and again: %d times with the same arguments",
			cells.Clean(ev.Text("tool")), whole(ev, "count"))
	}
	if ev.Env().Depth > 0 {
		text = cells.Clean(ev.Env().Agent) + ": " + text
	}
	c.transcript.addEntry(&noticeBlock{"warn", text})
}

// amount formats a field of an event about a limit.
func amount(ev *event.Event, key string) string {
	n, _ := value.Number(ev.Field(key))
	return plain.Amount(cells.Clean(ev.Text("kind")), n)
}

// changeBlock shows a changed setting. Consecutive changes of one setting share an entry, which
// shows the last.
type changeBlock struct {
	noticeBlock
	setting string
}

// changeEvent shows a changed setting.
func (c *conversation) changeEvent(ev *event.Event) {
	if ev.Env().Depth > 0 {
		return
	}
	// the sub-agent's own entry shows it
	if ev.Name() == "agent_switch" && ev.Text("kind") != "handoff" {
		return
	}
	now := cells.Clean(ev.Text("new"))
	setting := strings.TrimSuffix(ev.Name(), "_change")
	level := "dim"
	if ev.Name() == "agent_switch" {
		setting, now = "agent", fmt.Sprintf("%s works, for %s (%s)", cells.Clean(ev.Text("to")),
			cells.Clean(ev.Text("from")), cells.Clean(ev.Text("kind")))
	}
	text := setting + ": " + now
	switch ev.Text("source") {
	case "script":
		text += " (a script changed it)"
	case "fallback":
		level = "warn"
		text += " (" + cells.Clean(ev.Text("previous")) + " no longer exists)"
	}
	b := &changeBlock{noticeBlock{level, text}, setting}
	if last := len(c.transcript.entries) - 1; last >= 0 {
		if before, ok := c.transcript.entries[last].block.(*changeBlock); ok &&
			before.setting == setting {
			c.transcript.replaceEntry(last, b)
			return
		}
	}
	c.transcript.addEntry(b)
}

const (
	// toastTime and toastErrorTime are how long a toast stays: enough time to look up from work and
	// read a line.
	toastTime      = 4 * time.Second
	toastErrorTime = 10 * time.Second
	// toastsShown is the greatest number of toasts at once. Older ones are removed; their text is
	// in the transcript.
	toastsShown = 3
)

// toasts are short remarks on the rule above the editor that disappear by themselves.
type toasts struct {
	keyless
	unseen // drawn on a rule
	*shared
	list []toast
	next int
}

type toast struct {
	id          int
	level, text string
}

// toastOver reports that the toast's time is over.
type toastOver int

// handleMsg implements component.
func (t *toasts) handleMsg(msg tea.Msg) tea.Cmd {
	if over, ok := msg.(toastOver); ok {
		t.removeToast(int(over))
	}
	return nil
}

func (t *toasts) addToast(level, text string) tea.Cmd {
	t.next++
	id := t.next
	t.list = append(t.list, toast{id, level, text})
	if len(t.list) > toastsShown {
		t.list = t.list[len(t.list)-toastsShown:]
	}
	d := toastTime
	if level == "error" || level == "warn" {
		d = toastErrorTime
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return toastOver(id) })
}

func (t *toasts) removeToast(id int) {
	for i := range t.list {
		if t.list[i].id == id {
			t.list = append(t.list[:i:i], t.list[i+1:]...)
			return
		}
	}
}

// place shows the toasts where they cover nothing: the last one at the end of a rule, if there is
// room for it. The others get at most most lines of their own, which are returned with the rule.
func (t *toasts) place(rule string, width, most int) (ruled string, lines []string) {
	for i, x := range slices.Backward(t.list) {
		style := t.theme.level(x.level)
		if x.level == "warn" || x.level == "error" {
			style = style.Reverse(true)
		}
		mark, text := " "+levelMark(x.level), plain.OneLine(x.text)
		if i == len(t.list)-1 {
			if on, ok := onRule(rule, style.Render(mark+text+" "), width); ok {
				rule = on
				continue
			}
		}
		room := min(most-len(lines), toastRows)
		if room < 1 {
			break
		}
		inner := max(1, width-cells.Width(mark)-1)
		wrapped := cells.Wrap(text, inner)
		if len(wrapped) > room {
			wrapped = append(wrapped[:room-1], cells.Fit(strings.Join(wrapped[room-1:], " "),
				inner))
		}
		for j := range wrapped {
			wrapped[j] = style.Render(mark + wrapped[j] + " ")
			mark = strings.Repeat(" ", cells.Width(mark))
		}
		lines = append(wrapped, lines...)
	}
	for i := range lines {
		lines[i] = cells.Fit(lines[i], width)
	}
	return rule, lines
}

const (
	// toastRows is how many lines a toast may take that does not fit on a rule.
	toastRows = 2
	// toastShare is the fraction of the screen, as a divisor, that toasts may take.
	toastShare = 8
)

// onRule draws a text near the end of a rule. It reports false if the rule has no room for it.
func onRule(rule, text string, width int) (ruled string, ok bool) {
	const end = 2 // what follows the text
	drawn := ansi.Strip(rule)
	free := cells.Width(drawn[len(strings.TrimRight(drawn, "─")):])
	at := width - cells.Width(text) - end
	if free < cells.Width(text)+2*end || at < 0 || cells.Width(drawn) != width {
		return rule, false
	}
	return ansi.Cut(rule, 0, at) + text + ansi.Cut(rule, width-end, width), true
}

const (
	// burstPause ends a burst of notices of one script.
	burstPause = time.Second
	// burstShown is how many notices of a burst have a line each. The others share one, so that
	// they do not push the conversation out of sight.
	burstShown = 50
)

// burst is what one script notifies without a pause.
type burst struct {
	source string
	last   time.Time
	lines  int
	more   int // notices without a line of their own
	entry  int // in which they are counted
}

// addNotice shows a notice of a script, or of the program if source is "".
func (x *burst) addNotice(t *transcript, now time.Time, source, level, text string) {
	if source != x.source || now.Sub(x.last) > burstPause {
		*x = burst{source: source}
	}
	x.last = now
	mark := ""
	if source != "" {
		mark = "[" + source + "] "
	}
	if x.lines < burstShown || source == "" {
		if t.addRemark(&noticeBlock{level, mark + text}) >= 0 {
			x.lines++
		}
		return
	}
	x.more++
	b := &noticeBlock{level, fmt.Sprintf("%s%s, the last: %s", mark,
		plain.Count(x.more, "more notice"), text)}
	if x.more > 1 && t.lastSeen(len(t.entries)-1) == x.entry {
		t.replaceEntry(x.entry, b)
		return
	}
	x.entry = t.addEntry(b)
}
