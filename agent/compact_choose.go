// This file chooses which messages stay when a conversation is compacted.

package agent

import (
	"github.com/agentscripts/agent/engine/chat"
)

const (
	// keepPercent is how much of the model's context the kept messages may fill: enough to continue
	// the current work, and little enough that the next compaction is not needed soon.
	keepPercent = 25
	// keepUnknown is the same in tokens, for a model with an unknown context size.
	keepUnknown = 20_000
)

func sum(sizes []int) int {
	n := 0
	for _, s := range sizes {
		n += s
	}
	return n
}

// scaled adjusts an estimate by the provider's count of the whole conversation.
func (c *compaction) scaled(tokens int) int {
	if all := sum(c.sizes); all > 0 {
		return int(float64(tokens) * float64(c.before-c.fixed) / float64(all))
	}
	return tokens
}

// legal reports whether the conversation may begin with message i, after a summary: a result must
// not be without its call, and a script's context belongs to the message that it was added to.
func (c *compaction) legal(i int) bool {
	e := c.journal.session().Entry(c.messages[i].ID)
	return e != nil && e.Message != nil && e.Message.Role != "tool"
}

// lastPrompt returns the index of the current or last prompt; -1 = there is none.
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

// choose returns the index of the first message that stays. A manual compaction keeps the last
// prompt; another keeps as much as fits into a part of the model's context. A last message that is
// too large for that stays unless it fills half of the context by itself.
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

// least returns the index of the first message that stays when a provider has rejected a request
// that was estimated to fit: the last prompt or, if nothing precedes that, the last step of the
// work on it.
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

// keepFrom returns the id of the first message that stays; "" = none does.
func (c *compaction) keepFrom() string {
	if c.keep < len(c.messages) {
		return c.messages[c.keep].ID
	}
	return ""
}

// dropped returns the messages that the summary replaces.
func (c *compaction) dropped() []*chat.Message {
	var out []*chat.Message
	for i, m := range c.messages[:c.keep] {
		if i != c.prompt && (i > 0 || c.previous == "") {
			out = append(out, m)
		}
	}
	return out
}
