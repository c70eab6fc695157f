// This file chooses what of a conversation stays when it is compacted.

package agent

import (
	"github.com/agentscripts/agent/engine/chat"
)

const (
	// keepPercent is how much of the model's context the messages that stay may fill: enough to go
	// on with what was being done, and little enough that it takes a while until the next
	// compaction.
	keepPercent = 25
	// keepUnknown is the same in tokens, for a model whose context is not known.
	keepUnknown = 20_000
)

func sum(sizes []int) int {
	n := 0
	for _, s := range sizes {
		n += s
	}
	return n
}

// scaled makes an estimate one that fits what the provider counted for the whole conversation.
func (c *compaction) scaled(tokens int) int {
	if all := sum(c.sizes); all > 0 {
		return int(float64(tokens) * float64(c.before-c.fixed) / float64(all))
	}
	return tokens
}

// legal reports whether the conversation may begin with message i, behind a summary: a result must
// not be without its call, and what a script added belongs to what it was added to.
func (c *compaction) legal(i int) bool {
	e := c.journal.session().Entry(c.messages[i].ID)
	return e != nil && e.Message != nil && e.Message.Role != "tool"
}

// lastPrompt is the index of the prompt that is worked on, or of the last one; -1 = there is none.
func (c *compaction) lastPrompt() int {
	last := -1
	for i, m := range c.messages {
		if m.Role == "user" && c.legal(i) {
			if last = i; m.ID == c.report.Envelope().PromptID {
				break
			}
		}
	}
	return last
}

// choose is the index of the first message that stays. By hand that is the last prompt; else as
// much stays as fits into a part of the model's context. A message that is too large for that stays
// if it is the last thing that was said, unless it fills half of the context by itself.
func (c *compaction) choose() int {
	budget, most := keepUnknown, 2*keepUnknown
	if c.model.Context > 0 {
		budget, most = c.model.Context*keepPercent/100, c.model.Context/2
	}
	first := 0
	if c.cause == "manual" {
		first = max(c.prompt, 0)
	}
	keep, last := len(c.messages), len(c.messages)
	for i, tail := len(c.messages)-1, 0; i >= first; i-- {
		if tail += c.sizes[i]; !c.legal(i) {
			continue
		}
		if size := c.scaled(tail); size <= budget || last == len(c.messages) && size <= most {
			keep = i
		}
		last = i
	}
	return keep
}

// least is the index of the first message that stays when a provider has found too large what was
// estimated to fit: the last prompt, or, if nothing stands before that, the last step of the work
// on it.
func (c *compaction) least() int {
	if c.prompt > 0 {
		return c.prompt
	}
	for i := len(c.messages) - 1; i > 0; i-- {
		if c.legal(i) {
			return i
		}
	}
	return len(c.messages)
}

// keepFrom is the id of the first message that stays; "" = none does.
func (c *compaction) keepFrom() string {
	if c.keep < len(c.messages) {
		return c.messages[c.keep].ID
	}
	return ""
}

// dropped are the messages that the summary stands for.
func (c *compaction) dropped() []*chat.Message {
	var out []*chat.Message
	for i, m := range c.messages[:c.keep] {
		if i != c.prompt && (i > 0 || c.previous == "") {
			out = append(out, m)
		}
	}
	return out
}
