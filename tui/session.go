// This file draws a resumed session: its entries look as they did when they were new.

package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/slash"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/tui/internal/cells"
)

// ItemKind is the kind of an Item.
type ItemKind string

// The kinds of items.
const (
	ItemUser      ItemKind = "user"
	ItemAssistant ItemKind = "assistant"
	ItemTool      ItemKind = "tool"
	ItemSummary   ItemKind = "summary" // the conversation was summarised here
	ItemEnd       ItemKind = "end"     // a prompt ended
	ItemEntry     ItemKind = "entry"   // an entry of a script that scripts draw
)

// Item is one entry of a session. Its texts are not clean.
type Item struct {
	Kind      ItemKind
	Text      string // of the user, the model or the summary; why a prompt ended
	Reasoning string
	Images    []chat.Block // attached by the user
	Sender    string       // the script that sent a text of the user; "" = the user

	Call    string // its id; "" = unknown
	Tool    string
	Args    map[string]any
	Content []chat.Block
	Details map[string]any
	Display *ui.Display
	ForUser string
	Silent  bool
	IsError bool
	Took    time.Duration
	Skipped string         // why the call did not run, as in tool_skipped; "" = it ran
	ByUser  bool           // the user ran it
	Unseen  bool           // the model did not see it
	Status  string         // how a prompt ended, as in agent_end
	Used    map[string]any // usage, cost, turns and duration_ms of the prompt, as in agent_end

	Rewritten       *engine.Rewrite // the original of a rewritten call; nil = not rewritten
	ResultRewritten *engine.Rewrite // who changed the result
	Why             string          // the script that answered or allowed the call, if one did

	ID    string // of an entry
	Entry string // its kind
	Data  any
}

// loadMsg is a session that replaces what is shown.
type loadMsg []Item

// Load replaces the transcript by a session. Call it before the events of that session.
func (u *UI) Load(items []Item) { u.feed.Push(loadMsg(items)) }

func (c *conversation) loadHistory(items []Item) {
	said := c.saidSinceCommand()
	c.clearTranscript()
	defer func() {
		for _, b := range said {
			c.transcript.addEntry(b)
		}
		c.transcript.endEntry()
	}()
	for i := range items {
		if items[i].Kind == ItemEnd {
			for _, b := range items[i].ending() {
				c.transcript.addEntry(b)
			}
			continue
		}
		if items[i].Kind == ItemEntry {
			c.showEntry(entryMsg{items[i].ID, newEntryBlock(items[i].Entry, items[i].Data)})
			continue
		}
		c.transcript.addEntry(&lateBlock{item: &items[i], shared: c.shared})
	}
}

// ending says how a prompt ended and what it had used.
func (i *Item) ending() (out []block) {
	if b := endNotice(i.Status, i.Text); b != nil {
		out = append(out, b)
	}
	if text := bill(func(name string) any { return i.Used[name] }); text != "" {
		out = append(out, &noticeBlock{"dim", text})
	}
	return out
}

// saidSinceCommand returns the notices, errors and remarks since the command that switched the
// session: they are about the switch, not about the session that leaves the screen.
func (c *conversation) saidSinceCommand() (said []block) {
	entries := c.transcript.entries
	for _, e := range slices.Backward(entries) {
		switch b := e.block.(type) {
		case *userBlock:
			if _, _, command := slash.Split(b.text); !command {
				return nil
			}
			slices.Reverse(said)
			return said
		case *noticeBlock:
			if b.level != "dim" {
				said = append(said, b)
			}
		case *sayBlock, *failureBlock:
			said = append(said, b)
		case goneBlock:
		default:
			return nil
		}
	}
	return nil
}

// lateBlock is an item of a session whose block is made when it becomes visible, so that a long
// session opens as fast as a short one.
type lateBlock struct {
	item   *Item
	shared *shared
	blocks []block
}

func (b *lateBlock) compact() bool { return false }
func (b *lateBlock) drawLines(c *canvas) []string {
	var out []string
	for i, x := range b.openItem() {
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, x.drawLines(c)...)
	}
	return out
}

// openItem returns the blocks of the item.
func (b *lateBlock) openItem() []block {
	if b.item != nil {
		b.blocks, b.item = b.item.blocks(b.shared), nil
	}
	return b.blocks
}

// blocks returns the blocks of the item, the same as for new events.
func (i *Item) blocks(b *shared) []block {
	switch i.Kind {
	case ItemUser:
		prompt := b.newUserBlock(i.Text, false)
		prompt.by = cells.Clean(i.Sender)
		prompt.images = imagesIn(chat.BlockValues(i.Images))
		return []block{prompt}
	case ItemAssistant:
		var out []block
		if i.Reasoning != "" {
			t := &thoughtBlock{finished: true}
			t.stream.writePiece(i.Reasoning)
			out = append(out, t)
		}
		if i.Text != "" {
			out = append(out, &messageBlock{finished: true, final: cells.Clean(i.Text)})
		}
		if i.Rewritten != nil {
			out = append(out, rewrittenNotice(i.Rewritten))
		}
		return out
	case ItemSummary:
		return []block{&summaryBlock{summaryTitle(0, 0, 0, 0), cells.Clean(i.Text)}}
	}
	return []block{i.toolBlock()}
}

// subagent returns the entry of the sub-agent that the call began, nil if there is none.
func (i *Item) subagent() *subagentBlock {
	if value.Text(i.Details, "subagent_id") == "" {
		return nil
	}
	b := &subagentBlock{status: cells.Clean(value.Text(i.Details, "status")),
		task: cells.Clean(value.Text(i.Args, "task"))}
	if i.Display != nil {
		b.name = cells.Clean(i.Display.Title)
	}
	calls, _ := value.Number(i.Details["calls"])
	skipped, _ := value.Number(i.Details["skipped"])
	b.calls, b.refused = int(calls), int(skipped)
	b.bill(i.Details["cost"], i.Details["usage"])
	return b
}

func (i *Item) toolBlock() *toolBlock {
	b := &toolBlock{id: i.Call, tool: i.Tool, args: i.Args, state: toolOK,
		forUser: cells.Clean(i.ForUser), byUser: i.ByUser, unseen: i.Unseen,
		rewritten: i.Rewritten, resultRewritten: i.ResultRewritten, why: cells.Clean(i.Why),
		took: float64(i.Took.Milliseconds()), agent: i.subagent()}
	if i.Skipped != "" {
		b.skipCall(i.Skipped, cells.Clean(chat.PlainText(i.Content)))
		return b
	}
	b.beginCall()
	var details any
	if i.Details != nil {
		details = i.Details
	}
	b.endCall(storedDisplay(i.Display), chat.BlockValues(i.Content), i.IsError, details, i.Silent)
	if i.IsError {
		b.state = toolFailed
	}
	return b
}

// storedDisplay returns the display value of a stored result, nil if it has none.
func storedDisplay(d *ui.Display) any {
	if d == nil {
		return nil
	}
	return map[string]any{"text": d.Text, "kind": d.Kind, "lang": d.Lang, "title": d.Title}
}

// summaryBlock marks where the conversation was summarised for the model.
type summaryBlock struct{ title, summary string }

func (b *summaryBlock) compact() bool { return false }
func (b *summaryBlock) drawLines(c *canvas) []string {
	short, _, _ := strings.Cut(b.title, " for the model")
	forms := []string{b.title, short}
	if !c.expanded {
		const keys = " · ctrl+o shows the summary"
		forms = []string{b.title + keys, b.title + " · ctrl+o", short + keys, short + " · ctrl+o",
			short}
	}
	title := "── " + cells.Fit(cells.Longest(c.width-4, forms...), c.width-4) + " "
	out := []string{c.theme.dim.Render(title + strings.Repeat("─",
		max(0, c.width-cells.Width(title))))}
	if c.expanded {
		inner := *c
		inner.width -= 2
		out = append(out,
			cells.Indent("  ", fold(&inner, inner.markdown(b.summary, inner.width)))...)
	}
	return out
}

// summaryTitle says how much was summarised; 0 means unknown.
func summaryTitle(dropped, kept, before, after int) string {
	s := "earlier messages summarised for the model"
	if dropped > 0 {
		s = plain.Count(dropped, "message") + " summarised for the model"
	}
	if kept > 0 {
		s += fmt.Sprintf(", %d kept", kept)
	}
	if before > 0 && after > 0 {
		s += fmt.Sprintf(" (%s → %s tokens)", thousands(before), thousands(after))
	}
	return s
}

// thousands formats a number of tokens for people.
func thousands(n int) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", n/1000)
}

// compacted shows that the conversation was summarised.
func (c *conversation) compacted(ev *event.Event) {
	if ev.Env().Depth > 0 {
		return
	}
	c.reply.settleMessage()
	title := summaryTitle(whole(ev, "dropped"), whole(ev, "kept"), whole(ev, "tokens_before"),
		whole(ev, "tokens_after"))
	c.transcript.addEntry(&summaryBlock{title, cells.Clean(ev.Text("summary"))})
}

// whole returns a numeric payload field, 0 if it is not a number.
func whole(ev *event.Event, name string) int {
	n, _ := value.Number(ev.Field(name))
	return int(n)
}
