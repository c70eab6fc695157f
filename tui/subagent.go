// This file draws sub-agents, with their activity and their end. One that a call of the model
// started is drawn in the entry of the call, any other one in an entry of its own. Their messages
// and calls are not part of the conversation.

package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// subagentBlock is one sub-agent.
type subagentBlock struct {
	name, task     string
	live           string // its current activity
	saying         []byte // the last line of the streaming text, as far as it has come
	speech         string // the kind of that text
	calls, refused int
	ids            []string // of the calls that ended
	status         string   // how it ended; "" = it is working
	why            string
	response       string // shown if it was not delivered
	cost           float64
	unpriced       bool // the cost is incomplete
}

// subagentMark is the mark of an entry about a sub-agent.
const subagentMark = "◆"

func (b *subagentBlock) compact() bool { return false }
func (b *subagentBlock) drawLines(c *canvas) []string {
	style := c.theme.accent
	switch b.status {
	case "":
	case "completed":
		style = c.theme.ok
	default:
		style = c.theme.err
	}
	note := b.progressNote()
	head := style.Render(subagentMark) + " " + c.theme.bold.Render(cells.Fit(b.name, c.width/3))
	if room := c.width - cells.Width(head) - 2 - cells.Width(note); room > 8 && b.task != "" {
		head += "  " + cells.Fit(plain.OneLine(b.task), room)
	}
	out := []string{cells.Fit(head+c.theme.dim.Render(note), c.width)}
	inner := *c
	inner.width = c.width - 4
	bar := c.theme.dim.Render("  │ ")
	if c.expanded {
		out = append(out, cells.Indent(bar, fold(&inner, cells.Wrap(b.task, inner.width)))...)
	}
	return append(out, cells.Indent(bar, b.activity(&inner))...)
}

// working reports whether the sub-agent has not ended. b may be nil: there is none.
func (b *subagentBlock) working() bool { return b != nil && b.status == "" }

// activity returns what the sub-agent does or, when it has ended, what nothing else shows: why it
// failed, and a response that was not delivered.
func (b *subagentBlock) activity(c *canvas) (out []string) {
	switch {
	case b.status == "" && b.live != "":
		out = append(out, c.theme.dim.Render(cells.Fit(b.live, c.width)))
	case b.why != "":
		out = append(out,
			styled(c.theme.err.Render, fold(c, cells.Wrap(b.why, c.width)))...)
	}
	if b.response != "" {
		out = append(out, fold(c, c.markdown(b.response, c.width))...)
	}
	return out
}

// progressNote formats the progress.
func (b *subagentBlock) progressNote() string {
	s := "  works"
	switch b.status {
	case "":
	case "completed":
		s = "  done"
	default:
		s = "  " + b.status
	}
	if b.calls > 0 {
		s += " · " + plain.Count(b.calls, "call")
	}
	if b.refused > 0 {
		s += fmt.Sprintf(", %d refused", b.refused)
	}
	if cost := dollars(b.cost, b.unpriced); cost != "" {
		s += " · " + cost
	}
	return s
}

// subagentEvent passes an event of a sub-agent to its entry.
func (c *conversation) subagentEvent(ev *event.Event) {
	id := ev.Text("subagent_id")
	i, ok := c.agents[id]
	if !ok {
		// its entry was cleared with the screen, or it never began
		if ev.Name() != "subagent_start" {
			return
		}
		b := &subagentBlock{name: cells.Clean(ev.Text("name")), task: cells.Clean(ev.Text("task"))}
		if call := c.updateCall(ev); call != nil {
			call.agent = b
			c.agents[id] = c.calls[ev.Text("call_id")]
			return
		}
		c.reply.settleMessage()
		c.agents[id] = c.transcript.addEntry(b)
		return
	}
	b := subagentOf(c.transcript.entries[i].block)
	c.transcript.changed(i)
	switch ev.Name() {
	case "subagent_event":
		b.does(ev.Text("kind"), ev.Field("data"), &c.transcript.canvas)
	case "subagent_end":
		b.status, b.live, b.saying = cells.Clean(ev.Text("status")), "", nil
		b.bill(ev.Field("cost"), ev.Field("usage"))
		if b.status != "completed" {
			b.why = cells.Clean(ev.Text("error"))
		}
		if taken, _ := ev.Field("delivered").(bool); !taken {
			b.response = cells.Clean(ev.Text("response"))
		}
		delete(c.agents, id)
	}
}

// subagentOf returns the sub-agent of an entry, nil if it has none.
func subagentOf(b block) *subagentBlock {
	switch b := b.(type) {
	case *subagentBlock:
		return b
	case *toolBlock:
		return b.agent
	}
	return nil
}

// bill sets what the sub-agent has cost, from these fields of an event.
func (b *subagentBlock) bill(cost, used any) {
	priced := false
	b.cost, priced = value.Number(cost)
	in, _, out := usage(used)
	b.unpriced = !priced && in+out > 0
}

// sayingKept is how many bytes of a sub-agent's streaming line are kept: more than the width of any
// screen.
const sayingKept = 1000

// does updates the current activity, which c draws.
func (b *subagentBlock) does(kind string, data any, c *canvas) {
	get := object(data)
	if get == nil {
		return
	}
	switch kind {
	case "text", "reasoning":
		if b.speech != kind {
			b.saying, b.speech = nil, kind
		}
		b.saying = append(b.saying, cells.Clean(get("text"))...)
		text := strings.TrimRight(string(b.saying), "\n ")
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
			b.saying = append(b.saying[:0], b.saying[i+1:]...)
		}
		if len(b.saying) > sayingKept {
			b.saying = b.saying[:0]
		}
		if text = plain.OneLine(text); text != "" {
			b.live = text
		}
	case "tool_start":
		b.saying = nil
		b.live = strings.TrimSpace(cells.Clean(get("tool")) + "  " +
			c.dataTitle(get("tool"), data))
	case "tool_end":
		b.calls++
		if id := get("call_id"); id != "" {
			b.ids = append(b.ids, id)
		}
		if get("skipped") != "" {
			b.refused++
			b.live = cells.Clean(get("tool")) + " did not run: " + cells.Clean(get("skipped"))
		}
	}
}

// dataTitle returns the title of a call of a tool, the same as in the tool's own entries.
func (c *canvas) dataTitle(tool string, data any) string {
	p, err := value.Plain(data)
	if err != nil {
		return ""
	}
	d, _ := p.(map[string]any)
	args, _ := d["args"].(map[string]any)
	title, _ := c.argsTitle(tool, args)
	return title
}

// agentsLine says in one line how many sub-agents work and what they do; "" if there are none.
func (c *conversation) agentsLine() string {
	if len(c.agents) == 0 {
		return ""
	}
	var doing []string
	for _, i := range slices.Sorted(maps.Values(c.agents)) {
		b := subagentOf(c.transcript.entries[i].block)
		doing = append(doing, strings.TrimSpace(b.name+" "+cells.Fit(b.live, agentCells)))
	}
	return plain.Count(len(doing), "agent") + ": " + strings.Join(doing, ", ")
}

// agentCells is the greatest width of a sub-agent's activity in the status line.
const agentCells = 30
