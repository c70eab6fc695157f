// This file holds the conversation, which turns events into entries of the transcript.

package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// conversation is the transcript together with the state of its unfinished entries. It turns
// events, streamed texts and loaded sessions into blocks of the transcript. Its keys and lines are
// the transcript's.
type conversation struct {
	*shared
	transcript *transcript
	toasts     *toasts
	covered    func() bool // reports whether a panel hides the transcript

	reply  reply
	calls  map[string]int  // unfinished tool calls: their entries by call id
	agents map[string]int  // unfinished sub-agents: their entries by agent id
	retry  int             // entry of the last retry, -1 = none
	shown  map[string]bool // ids of the script entries in the transcript
	shells []userShell     // the user's shell lines whose calls have not been announced yet

	scripts loadedScripts
	burst   burst
}

func newConversation(b *shared, t *transcript, toasts *toasts) *conversation {
	c := &conversation{shared: b, transcript: t, toasts: toasts, reply: reply{transcript: t},
		covered: func() bool { return false }}
	c.clearTranscript()
	return c
}

// clearTranscript empties the transcript.
func (c *conversation) clearTranscript() {
	c.transcript.clearEntries()
	c.calls, c.agents, c.shown = map[string]int{}, map[string]int{}, map[string]bool{}
	c.retry, c.burst = -1, burst{}
	c.scripts = loadedScripts{versions: c.scripts.versions, begun: c.scripts.begun}
	c.reply.clearEntries()
	c.greet()
}

func (c *conversation) greet() {
	title := strings.TrimSpace("agent " + c.info.Version)
	text := strings.Join(nonEmpty(title, c.info.Dir, "/help shows keys and commands"), " · ")
	c.transcript.addEntry(&noticeBlock{"dim", cells.Clean(text)})
	if c.info.Notice != "" {
		c.transcript.addEntry(&sayBlock{text: cells.Clean(c.info.Notice)})
	}
}

func nonEmpty(texts ...string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// handleMsg implements component.
func (c *conversation) handleMsg(msg tea.Msg) tea.Cmd {
	cmd := c.transcript.handleMsg(msg)
	switch msg := msg.(type) {
	case *event.Event:
		cmd = tea.Batch(cmd, c.event(msg))
	case *feed.Delta:
		c.delta(msg)
	case entryMsg:
		c.showEntry(msg)
	case loadMsg:
		c.loadHistory(msg)
	}
	return cmd
}

// key implements component.
func (c *conversation) key(msg tea.KeyPressMsg) (tea.Cmd, bool) { return c.transcript.key(msg) }

// layout implements component.
func (c *conversation) layout(width, height int) ([]string, *tea.Cursor) {
	return c.transcript.layout(width, height)
}

// firstUnfinished returns the first entry that may still change or disappear, or the number of
// entries. busy reports whether the agent works: if it does not, nothing of its message is to come.
func (c *conversation) firstUnfinished(busy bool) int {
	end := len(c.transcript.entries)
	note := func(i int) {
		if i >= 0 {
			end = min(end, i)
		}
	}
	note(c.reply.message)
	note(c.reply.thought)
	if busy {
		for _, i := range slices.Concat(c.reply.thoughts, c.reply.places) {
			note(i)
		}
	}
	for _, i := range c.calls {
		if !c.overtaken(i) {
			note(i)
		}
	}
	for _, i := range c.agents {
		if !c.overtaken(i) {
			note(i)
		}
	}
	return end
}

// overtaken reports whether entry i is not finished, and an answer of the model follows it that is:
// a shell line of the user or a sub-agent may run for hours, while the conversation goes on.
func (c *conversation) overtaken(i int) bool {
	switch b := c.transcript.entries[i].block.(type) {
	case *toolBlock:
		if (!b.byUser || b.state > toolRunning) && !b.agent.working() {
			return false
		}
	case *subagentBlock:
		if !b.working() {
			return false
		}
	default:
		return false
	}
	return slices.ContainsFunc(c.transcript.entries[i:], func(e *entry) bool {
		b, ok := e.block.(*messageBlock)
		return ok && b.finished
	})
}

// showInput shows what the user or a script sent to the agent. by is the name of the script.
func (c *conversation) showInput(text, by string, steers bool) {
	c.reply.settleMessage()
	b := c.newUserBlock(text, steers)
	b.by = cells.Clean(by)
	c.transcript.addEntry(b)
}

// showImages shows the images of a prompt below it.
func (c *conversation) showImages(text string, content any) {
	images := imagesIn(content)
	for i, e := range slices.Backward(c.transcript.entries) {
		if len(images) == 0 {
			return
		}
		if b, ok := e.block.(*userBlock); ok && b.whole() == cells.Clean(text) {
			b.images = images
			c.transcript.changed(i)
			return
		}
	}
}

// endTurn completes what belongs to a turn of the model.
func (c *conversation) endTurn() {
	c.reply.endSources()
	c.dropUnwritten()
}

// endPrompt completes what belongs to a prompt. Unfinished calls were cancelled, except the user's
// own.
func (c *conversation) endPrompt() {
	c.reply.settleMessage()
	c.endTurn()
	for id, i := range c.calls {
		b := c.transcript.entries[i].block.(*toolBlock)
		if b.byUser {
			continue
		}
		b.state = toolCancelled
		c.transcript.changed(i)
		delete(c.calls, id)
	}
}
